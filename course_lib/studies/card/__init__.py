"""The importance card: one page about one model and one table, from the measures' numbers."""
