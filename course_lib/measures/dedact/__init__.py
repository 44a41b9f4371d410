"""Direct and associative importance, and how they split among the variables."""
