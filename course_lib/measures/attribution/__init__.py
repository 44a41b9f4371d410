"""What a variable adds to a prediction, or to how well a model predicts, as Shapley values."""
