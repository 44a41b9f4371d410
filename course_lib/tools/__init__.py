"""The commands behind `./course`; no lesson needs them."""
