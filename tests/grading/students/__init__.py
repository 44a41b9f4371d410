"""Simulated students of exercise 01, honest and hostile, with the marks they must get."""
