"""A class on a JupyterHub: the recipe (README.md), its two configurations, a student's server."""
