"""In the box there are no lessons: only what turns an answer into plain values."""
