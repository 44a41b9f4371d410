"""What stands in the box in place of two packages of the library that know answers.

`learner` and `lessons` are mounted over the packages of these names, so that an exercise as it was
handed out runs there from its first cell to its last, and finds nothing to copy from.
"""
