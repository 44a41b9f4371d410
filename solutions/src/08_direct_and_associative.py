# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 08 · Doors, by hand
#
# One setting for all tasks but 08.5 and 08.6. The inputs are jointly normal with mean 0 and the covariance matrix `S`, their covariances with the target are `c`, the model is
# $f(x) = \sum_l b_l x_l$ with coefficients `b`, and the loss is the squared error. Positions count from 0. Most answers are arrays, with one
# number for each variable or each feature. Some of the numbers are negative, and they are meant to be.
#
# `hint("08.1")` helps one step at a time. About 75 minutes.
#
# It goes with [lesson 08](../../notebooks/08_direct_and_associative.ipynb).

# %%
import numpy as np

from course_lib.learner import check, hint

# %% [markdown]
# ## A worked example: direct importance given the rest
#
# All features but `k` keep their values, so what is left for feature `k` to explain is $y$ minus the rest of the model. A slot that contains noise
# explains none of it. If the slot contains $x_k$, the mean squared error falls by $2\, b_k\, \mathrm{Cov}(y - \text{rest}, x_k)$; the variance of
# $b_k x_k$ itself is there in both cases and cancels.


# %%
def direct_importance(S, c, b, k):
    """DI of feature k given all others: the permutation importance."""
    rest = b.copy()
    rest[k] = 0
    return 2 * b[k] * (c[k] - rest @ S[:, k])


S = np.array([[0.25, 0, 0], [0, 0.25, 0.25], [0, 0.25, 0.5]])  # biomarker, cycling, PSA
c = np.array([0.25, 0.125, 0.25])
b = np.array([1, 0.5, 0])
np.array([direct_importance(S, c, b, k) for k in range(3)])

# %% [markdown]
# These are the numbers of the lesson: 0.5, 0.125, and 0 for PSA.

# %% [markdown]
# ## 08.1 What reaches the model (2 points)
#
# Fill the three blanks. Once $x_j$ is known, the expected value of feature $l$ is $x_j\, S_{lj}/S_{jj}$, so that of the prediction is $g_j x_j$ with
# $g_j = \sum_l b_l S_{lj}/S_{jj}$. The plain associative importance of $X_j$, nothing else known, is twice the covariance of $g_j x_j$ with the
# target. Compute it for all variables at once.


# %% task="08.1"
def associative(S, c, b):
    """AI(X_j), plain, nothing else known: one number for each variable j."""
    per_unit = ...  # entry (l, j): rise of x_l per unit of x_j
    ### BEGIN SOLUTION
    per_unit = S / np.diag(S)
    ### END SOLUTION
    g = ...  # entry j: rise of the prediction per unit of x_j
    ### BEGIN SOLUTION
    g = b @ per_unit
    ### END SOLUTION
    covariance = ...
    ### BEGIN SOLUTION
    covariance = g * c
    ### END SOLUTION
    return 2 * covariance


# %% check="08.1"
check("08.1", associative)

# %% [markdown]
# For the biomarker world above the answer is 0.5, 0.125, 0.125.

# %% [markdown]
# ## 08.2 The averaged version (2 points)
#
# Averaged over everything that is not known, the prediction is $g_j x_j$, with $g_j$ as in 08.1, and with nothing known it is 0. Return, for each
# variable, how much smaller the mean squared error becomes by knowing it: 0.25, 0.0625 and 0.09375 in the biomarker world.


# %% task="08.2"
def associative_averaged(S, c, b):
    """AI(X_j), averaged, nothing else known: one number for each variable j."""
    ### BEGIN SOLUTION
    g = b @ (S / np.diag(S))
    return 2 * g * c - g**2 * np.diag(S)
    ### END SOLUTION


# %% check="08.2"
check("08.2", associative_averaged)

# %% [markdown]
# Try the biased test of 8.9: a group, and a test that is ability plus group, both ability and group with variance 1, so `S = [[1, 1], [1, 2]]`. The
# outcome is ability plus noise, so `c = [0, 1]`. The model is `b = [0, 0.5]`. The group has 0 in 08.1 and $-0.25$ in 08.2.

# %% [markdown]
# ## 08.3 Where a feature's importance comes from (3 points)
#
# All features but `k` keep their values, and feature `k` is rebuilt from $x_j$ alone, one draw at a time (the plain version again). How much of its direct importance comes back? Return one
# number for each source $j$. In the biomarker world and for `k = 1` the answer is 0, 0.125, 0.125.


# %% task="08.3"
def direct_from(S, c, b, k):
    """DI of feature k given all others, from each variable j."""
    ### BEGIN SOLUTION
    rest = b.copy()
    rest[k] = 0
    return 2 * b[k] * S[k] / np.diag(S) * (c - rest @ S)
    ### END SOLUTION


# %% check="08.3"
check("08.3", direct_from)

# %% [markdown]
# ## 08.4 Through each door (2 points)
#
# The averaged version as in 08.2, but $x_j$ may move the prediction through feature $k$ only. Return one number for each
# feature $k$, with that door alone open (not the Shapley parts of 8.7). In the biomarker world and for PSA, `j = 2`, the answer is 0, 0.09375, 0.


# %% task="08.4"
def via(S, c, b, j):
    """AI(X_j), averaged, through each feature k alone."""
    ### BEGIN SOLUTION
    g = b * S[:, j] / S[j, j]
    return 2 * g * c[j] - g**2 * S[j, j]
    ### END SOLUTION


# %% check="08.4"
check("08.4", via)

# %% [markdown]
# ## 08.5 Parts along an order (2 points)
#
# `w` has the worths of all eight sets of three players, by bit mask: `w[5]` is what players 0 and 2 bring together, `w[0]` what is there without
# anybody. `order` is a list such as `[2, 0, 1]`: player 2 arrives first, then 0, then 1. Return three parts, where `parts[i]` is what player `i`
# adds to the worth of those who came before.


# %% task="08.5"
def parts_along(w, order):
    """The order-based split: what each player adds on arrival."""
    ### BEGIN SOLUTION
    parts, mask = np.zeros(3), 0
    for player in order:
        after = mask | (1 << player)
        parts[player] = w[after] - w[mask]
        mask = after
    return parts
    ### END SOLUTION


# %% check="08.5"
check("08.5", parts_along)

# %% [markdown]
# ## 08.6 What a closed door leaves (2 points)
#
# Column `j` now says to which of two groups of equal size somebody belongs, coded $-1$ and $+1$, so `S[j, j]` is 1; within a group the other columns are normal. The model does not read column `j`:
# `b[j]` is 0. The gap is the mean prediction of group $+1$ minus that of group $-1$. Return, for each feature $k$, the gap that is left if the
# coefficient of $k$ is set to 0 and all others stay as they are. (For the biased test of 8.9 the gap is 1, and shutting the test leaves 0.)


# %% task="08.6"
def gap_left(S, b, j):
    """The gap between the groups of column j with door k shut, for each feature k."""
    ### BEGIN SOLUTION
    parts = 2 * b * S[:, j]
    return parts.sum() - parts
    ### END SOLUTION


# %% check="08.6"
check("08.6", gap_left)

# %% [markdown]
# Use it on a world you know, the census of the lesson. Which single door, if shut without a refit, leaves the smallest gap for sex, and which for race? Run
# the cell; there is nothing to fill in.

# %%
from course_lib.worlds import make_census_world

census = make_census_world()
names = [name for name in census.variables if name != "income"]
read = [name for name in names if name not in ("age", "sex", "race")]
model = census.least_squares("income", read).reindex(names, fill_value=0.0)
S_census = census.covariance().loc[names, names].to_numpy()
found = {}
for group in ("sex", "race"):
    left = gap_left(S_census, model.to_numpy(), names.index(group))
    found[group] = None if left is None else names[int(np.argmin(np.abs(left)))]
found

# %% [markdown]
# Nobody had to look at the graph. And remember 8.8: after a refit the other door may open wider.

# %% [markdown]
# ## 08.7 Five questions (1 point)
#
# Put one of `"DI"`, `"AI"`, `"DI from"`, `"AI via"`, `"gap"` in place of each blank.
#
# a) By how much does the loss rise if the postcodes are scrambled among the people? b) By how much does it fall if somebody's ethnicity becomes known, whether the model reads it or not?
# c) Through which features does ethnicity come in, and how much of that fall is due to each? d) The postcode is important to the model. Is that due to the postcode itself, or to the income of those who live there?
# e) By how much do the mean predictions for two ethnic groups differ?

# %% task="08.7"
measures = {"a": ..., "b": ..., "c": ..., "d": ..., "e": ...}
### BEGIN SOLUTION
measures = {"a": "DI", "b": "AI", "c": "AI via", "d": "DI from", "e": "gap"}
### END SOLUTION

# %% check="08.7"
check("08.7", measures)

# %% [markdown]
# ## 08.w In your own words (5 points, read by a person)
#
# A bank says: *"Our model cannot discriminate by gender. Gender was removed from the data, and its permutation importance is zero."* In one
# paragraph: say what the zero shows and what it does not, which two numbers you would report to see whether gender gets in all the same, how you would
# find the doors it uses, and what you would check after closing one.
#
# One point each: what the zero shows · the two numbers · how to find the doors · what to check after closing one ·
# nothing causal, and a word on the labels.

# %% [markdown] written="08.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("08.w")

# %% [markdown]
# {{onward}}

# %%
progress("08")
