"""Importances read from the trees of a forest."""
