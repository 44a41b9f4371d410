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
# One setting for all tasks. The inputs have mean 0 and the covariance matrix `S`, their covariances with the target are `c`, the model is
# $f(x) = \sum_l b_l x_l$ with coefficients `b`, the loss is the squared error. Positions `j` and `k` count from 0. The model
# does not read variable `j`: `b[j]` is 0.
#
# `hint("08.1")` helps one step at a time. About 75 minutes.

# %%
import numpy as np

from course_lib.learner import check, hint
from course_lib.models import shapley_values

# %% [markdown]
# ## A worked example: direct importance given the rest
#
# All features but `k` keep their values. What feature `k` still has to explain is $y$ minus the rest of the model. If the feature holds noise, it
# explains none of it. If it holds $x_k$, the mean squared error falls by $2\, b_k\, \mathrm{Cov}(y - \text{rest}, x_k)$; its own variance is there in both
# cases and cancels.


# %%
def direct_importance(S, c, b, k):
    """DI of feature k given all others: the permutation importance."""
    rest = b.copy()
    rest[k] = 0
    return 2 * b[k] * (c[k] - rest @ S[:, k])


S = np.array([[0.25, 0, 0], [0, 0.25, 0.25], [0, 0.25, 0.5]])  # biomarker, cycling, PSA
c = np.array([0.25, 0.125, 0.25])
b = np.array([1, 0.5, 0])
[direct_importance(S, c, b, k) for k in range(3)]

# %% [markdown]
# The numbers of the lesson: 0.5, 0.125, and 0 for PSA.

# %% [markdown]
# ## 08.1 What reaches the model (2 points)
#
# Fill the three blanks. Knowing $x_j$, feature $l$ is expected at $x_j\, S_{lj}/S_{jj}$. The plain model's associative importance is twice the
# covariance between the target and the prediction rebuilt in this way.


# %% task="08.1"
def associative(S, c, b, j):
    """AI(X_j) of the plain model, nothing else known."""
    per_unit = (
        ### BEGIN SOLUTION
        S[:, j] / S[j, j]
        ### END SOLUTION
    )
    g = (
        ### BEGIN SOLUTION
        b @ per_unit
        ### END SOLUTION
    )
    covariance = (
        ### BEGIN SOLUTION
        g * c[j]
        ### END SOLUTION
    )
    return 2 * covariance


# %% check="08.1"
check("08.1", associative)

# %% [markdown]
# ## 08.2 The averaged model (2 points)
#
# Averaged over everything that is not known, the prediction is $g\, x_j$, with the $g$ of 08.1, and with nothing known it is 0. Return how much smaller
# the mean squared error becomes by knowing $x_j$.


# %% task="08.2"
def associative_averaged(S, c, b, j):
    """AI(X_j) of the marginalised model, nothing else known."""
    ### BEGIN SOLUTION
    g = b @ S[:, j] / S[j, j]
    return 2 * g * c[j] - g**2 * S[j, j]
    ### END SOLUTION


# %% check="08.2"
check("08.2", associative_averaged)

# %% [markdown]
# ## 08.3 Where a feature has it from (3 points)
#
# All features but `k` keep their values, and feature `k` is rebuilt from $x_j$ alone. How much of its direct importance comes back? For the biomarker
# world and `k = 1`, `j = 2` the answer is 0.125.


# %% task="08.3"
def direct_from(S, c, b, k, j):
    """DI of feature k given all others, from variable j."""
    ### BEGIN SOLUTION
    rest = b.copy()
    rest[k] = 0
    return 2 * b[k] * S[k, j] / S[j, j] * (c[j] - rest @ S[:, j])
    ### END SOLUTION


# %% check="08.3"
check("08.3", direct_from)

# %% [markdown]
# ## 08.4 Through one door (2 points)
#
# As 08.2, but $x_j$ may move the prediction through feature `k` only.


# %% task="08.4"
def via(S, c, b, j, k):
    """AI(X_j) of the marginalised model through feature k alone."""
    ### BEGIN SOLUTION
    g = b[k] * S[k, j] / S[j, j]
    return 2 * g * c[j] - g**2 * S[j, j]
    ### END SOLUTION


# %% check="08.4"
check("08.4", via)

# %% [markdown]
# ## 08.5 Parts that add up (2 points)
#
# `w` holds the worths of all eight sets of three players, by bit mask: `w[5]` is what players 0 and 2 bring together, `w[0]` what nobody brings. Return
# three parts that add up to `w[7] - w[0]`, by Shapley's rule.


# %% task="08.5"
def parts(w):
    """Shapley parts of what three players bring over nobody."""
    ### BEGIN SOLUTION
    return shapley_values(w - w[0], 3)
    ### END SOLUTION


# %% check="08.5"
check("08.5", parts)

# %% [markdown]
# ## 08.6 The door to shut first (2 points)
#
# Variable `j` is protected. Through which feature does most of it enter the (averaged) model? Return its position.


# %% task="08.6"
def door_to_shut(S, c, b, j):
    """Position of the feature with the largest AI(X_j) via it."""
    ### BEGIN SOLUTION
    doors = [k for k in range(len(b)) if k != j]
    return max(doors, key=lambda k: via(S, c, b, j, k))
    ### END SOLUTION


# %% check="08.6"
check("08.6", door_to_shut)

# %% [markdown]
# Use it on a world you know. Run the cell; there is nothing to fill in.

# %%
from course_lib.worlds import make_census_world

census = make_census_world()
names = [name for name in census.variables if name != "income"]
read = [name for name in names if name not in ("age", "sex", "race")]
model = census.least_squares("income", read).reindex(names, fill_value=0.0)
covariance = census.covariance()
S_census = covariance.loc[names, names].to_numpy()
c_census = covariance.loc[names, "income"].to_numpy()
found = {
    name: door_to_shut(S_census, c_census, model.to_numpy(), names.index(name))
    for name in ("age", "sex", "race")
}
{name: None if k is None else names[k] for name, k in found.items()}

# %% [markdown]
# Three protected attributes, three doors, and the graph was never asked.

# %% [markdown]
# ## 08.7 Four questions (1 point)
#
# Which of `"DI"`, `"AI"`, `"DI from"`, `"AI via"` answers it?
#
# a) Does the model read the postcode? b) Does it matter to the predictions to know somebody's ethnicity, read or not? c) Through which features does ethnicity
# come in? d) The postcode is important to the model: is it the postcode, or the income of those who live there?

# %% task="08.7"
measures = (
    ### BEGIN SOLUTION
    {"a": "DI", "b": "AI", "c": "AI via", "d": "DI from"}
    ### END SOLUTION
)

# %% check="08.7"
check("08.7", measures)

# %% [markdown]
# ## 08.w In your own words (5 points, read by a person)
#
# A bank says: *"Our model cannot discriminate by gender. Gender was removed from the data, and its permutation importance is zero."* In one
# paragraph: say what the zero shows and what it does not, which measure would show whether gender gets in all the same, how you would
# find the doors it uses, and what you would check after closing one.
#
# One point each: what the zero shows · the measure that would show more · how to find the doors · what to check after closing one ·
# nothing causal, and a word on the labels.

# %% [markdown] written="08.w"
# ### BEGIN SOLUTION
# The zero shows that the model does not read gender: direct importance 0, whatever is written into the column. It does not show that gender plays no part, since other columns
# may tell it. The associative importance of gender (or conditional SAGE) measures what knowing it is worth to the predictions, read or not. If it is not 0, the
# associative importance via each feature shows the doors, and the direct importance of a suspicious feature from gender shows how much of that feature is gender. After
# closing a door I would fit again and measure the associative importance again, because the refitted model may lean on another proxy, and report what it cost in
# accuracy. None of this says that gender causes default; and if past decisions were biased, the labels carry it into any model.
# ### END SOLUTION
