# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 00 · Learn the ropes
#
# Five small tasks and a paragraph. They are meant to be easy: the point is to see how an exercise works before the first one that is
# not. Each task ends with a check. It says *not attempted*, *not yet* or *correct*; it never shows the solution, but it knows the
# usual slips. `hint("00.1")` helps one step at a time: the button with a plus above this page makes a cell to run it in.
#
# About 25 minutes. Run the cells from the top, beginning with the one below; change only those that ask for an answer. After
# each change run the cell again, with Shift and Enter, and then its check.
#
# It goes with [lesson 00](../../notebooks/00_six_questions.ipynb).

# %%
from itertools import combinations

import numpy as np

from course_lib.learner import check, hint

# %% [markdown]
# ## A worked example: the winner
#
# An importance is a number for each variable. Here they are in a dictionary, and this function names the variable with the largest.


# %%
def winner(importances):
    """The name with the largest value."""
    return max(importances, key=importances.get)


winner({"age": 0.1, "race": 2.4, "sex": 0.7})

# %% [markdown]
# ## 00.1 From numbers to a ranking (1 point)
#
# Now return all of the names, as a list, the one with the largest value first. `sorted` takes the same `key` as `max`, and there is an option that
# reverses the order. A value below zero is a value like any other: shuffling that variable made the error *smaller*. No two values are equal.
#
# Run the check before you write anything, and once with a wrong answer. It does no harm, and you will know what it says.


# %% task="00.1"
def ranking(importances):
    """The names, ordered by their values, the largest first."""
    ### BEGIN SOLUTION
    return sorted(importances, key=importances.get, reverse=True)
    ### END SOLUTION


# %% check="00.1"
check("00.1", ranking)

# %% [markdown]
# If you would like some help, this is how to ask for it. Each call says a little more.

# %%
hint("00.1")

# %% [markdown]
# ## 00.2 What shuffling did to the error (1 point)
#
# Fill the three blanks. `before` holds the squared error of a model for each person, `after` the same with one column shuffled. Return by
# how much the mean error grew. If it fell, the result is negative, and stays so.


# %% task="00.2"
def increase(before, after):
    """Mean loss after shuffling minus mean loss before."""
    n_people = ...
    ### BEGIN SOLUTION
    n_people = len(before)
    ### END SOLUTION
    error_before = ...
    ### BEGIN SOLUTION
    error_before = np.sum(before) / n_people
    ### END SOLUTION
    error_after = ...
    ### BEGIN SOLUTION
    error_after = np.sum(after) / n_people
    ### END SOLUTION
    return error_after - error_before


# %% check="00.2"
check("00.2", increase)

# %% [markdown]
# That was permutation importance for one column and one shuffle. The rest of Q1 is repetition.

# %% [markdown]
# ## 00.3 Which computation answers which question? (2 points)
#
# a) Shuffle a column among new people, and see how much the error of a fitted model grows.
#
# b) Leave the column out, fit again, and compare the errors of the two models.
#
# c) Share out, among the columns, the difference between one person's prediction and the average one.
#
# d) Among all linear models that are nearly as good as the best, find the least growth of the error when the column is shuffled.
#
# e) Draw the column again given all the others, and see how much the error of a fitted model grows.
#
# f) As in d), but shuffle only the part of the column that the others cannot predict.
#
# Answer with a dictionary from letter to question, with a capital Q, such as `{"a": "Q6", "b": "Q5"}` and so on for all six. The table of questions is in
# section 0.6 of the lesson.

# %% task="00.3"
question_of = ...
### BEGIN SOLUTION
question_of = {"a": "Q1", "b": "Q4", "c": "Q3", "d": "Q5", "e": "Q2", "f": "Q6"}
### END SOLUTION

# %% check="00.3"
check("00.3", question_of)

# %% [markdown]
# ## 00.4 On how many pairs do two rankings agree? (2 points)
#
# Here only the first line is given. `first` and `second` are two lists of the same names, most important first. Count the pairs of names that stand in
# the same order in both lists. `combinations(first, 2)` gives every pair once, and `second.index(name)` the place of a name.


# %% task="00.4"
def agreed(first, second):
    """Number of pairs of names in the same order in both rankings."""
    ### BEGIN SOLUTION
    return sum(second.index(a) < second.index(b) for a, b in combinations(first, 2))
    ### END SOLUTION


# %% check="00.4"
check("00.4", agreed)

# %% [markdown]
# Two cases that you can check in your head: a ranking of five agrees with itself on all of its ten pairs, and with its own reverse on none. Run the cell; there
# is nothing to fill in.

# %%
cars = ["weight", "horsepower", "year", "cylinders", "origin"]
agreed(cars, cars), agreed(cars, cars[::-1])

# %% [markdown]
# ## 00.5 Which sentences say important to what? (1 point)
#
# a) The data show that occupation is by far the most important variable.
#
# b) On these 600 people, the error of our forest grows most when race is shuffled.
#
# c) Education has an importance of 0.83.
#
# d) For this applicant, the length of her contract has the largest share in the prediction of our model.
#
# e) Every linear model within five per cent of the best one relies on education.
#
# Answer with a set of letters, such as `{"c", "d"}`.

# %% task="00.5"
complete = ...
### BEGIN SOLUTION
complete = {"b", "d", "e"}
### END SOLUTION

# %% check="00.5"
check("00.5", complete)

# %% [markdown]
# ## 00.w In your own words (4 points, read by a person)
#
# A newspaper writes: *"A study of ten factors shows that education is the most important one for income."* In one paragraph, to the
# editor: ask the question that is missing, give two different things the sentence may mean, say for each what one would have to
# compute, and write a headline that says what was measured.
#
# One point each: the missing question · two meanings · what to compute for each · a headline with its "to what", and nothing causal in it.

# %% [markdown] written="00.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("00.w")

# %% [markdown]
# {{onward}}

# %%
progress("00")
