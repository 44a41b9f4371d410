"""How far reliance can move among all models that are about as good as the best."""
