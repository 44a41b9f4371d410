"""The importance card: a page or two about one model and one table, from the measures' numbers."""
