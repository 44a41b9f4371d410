# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 03 · From one shuffled column to columns that hide each other
#
# You will build what lesson 03 measured, from a table and a function `predict`: permutation importance, reliance over
# all pairs, an error bar that covers, a negative value without a sample, chimeras, groups. The loss is the squared
# error throughout. Each check says *not attempted*, *not yet* or *correct*; `hint("03.1")` helps one step at a time.
#
# About 60 minutes. Change only the cells that ask for an answer.

# %%
import numpy as np

from course_lib.learner import check, hint

# %% [markdown]
# ## A worked example: the halves
#
# Four rows. Each changes its value of column `j` with a partner two rows away, and we compare the mean losses. The
# copy matters: without it, the table itself would be scrambled, and the next measurement would start from the wreck.


# %%
def halves_difference(predict, X, y, j):
    """e_divide - e_orig: each row gets column j of its partner in the other half."""
    switched = X.copy()
    switched[:, j] = np.roll(X[:, j], len(X) // 2)
    before = np.mean((y - predict(X)) ** 2)
    after = np.mean((y - predict(switched)) ** 2)
    return after - before


X_four = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 7.0], [4.0, 7.0]])
halves_difference(lambda X: X[:, 0], X_four, X_four[:, 0], 0)

# %% [markdown]
# Every row ends up two units away from its own value, so the squared error goes from 0 to 4. Column 1, which this
# model does not read, would give exactly 0.

# %% [markdown]
# ## 03.1 Permutation importance (2 points)
#
# Fill the three blanks. `orders` holds one shuffle in each row: `order[k]` is the row from which row `k` gets its new
# value of column `j`.


# %% task="03.1"
def importance(predict, X, y, j, orders):
    """Mean increase of the squared error over the shuffles of column j."""
    before = np.mean((y - predict(X)) ** 2)
    after = []
    for order in orders:
        shuffled = X.copy()
        shuffled[:, j] = (
            ### BEGIN SOLUTION
            X[order, j]
            ### END SOLUTION
        )
        loss = (
            ### BEGIN SOLUTION
            np.mean((y - predict(shuffled)) ** 2)
            ### END SOLUTION
        )
        after.append(loss)
    return (
        ### BEGIN SOLUTION
        np.mean(after) - before
        ### END SOLUTION
    )


# %% check="03.1"
check("03.1", importance)

# %% [markdown]
# ## 03.2 Model reliance over all pairs (3 points)
#
# From the signature alone: no shuffles, every pair of *different* rows once, and the ratio.
#
# $$MR_{ratio} = \frac{e_{switch}}{e_{orig}}, \qquad e_{switch} = \frac{1}{n(n-1)} \sum_{i \neq k} L\big(y_k, f(x_{i,j},\, x_{k,\text{rest}})\big)$$


# %% task="03.2"
def reliance(predict, X, y, j):
    """e_switch / e_orig for column j."""
    ### BEGIN SOLUTION
    n, total = len(X), 0.0
    for i in range(n):
        switched = X.copy()
        switched[:, j] = X[i, j]
        losses = (y - predict(switched)) ** 2
        total += losses.sum() - losses[i]
    return total / (n * (n - 1)) / np.mean((y - predict(X)) ** 2)
    ### END SOLUTION


# %% check="03.2"
check("03.2", reliance)

# %% [markdown]
# ## 03.3 An error bar that covers (2 points)
#
# `D[k, i]` is what row `k` loses when it gets its value from row `i`; the diagonal is 0. The body of a row is the
# mean of its row in `D` and the head the mean of its column, both over the $n - 1$ other rows. Return the standard
# error of $MR_{diff}$: the standard deviation (with $n-1$) of body plus head, divided by $\sqrt n$.


# %% task="03.3"
def standard_error(D):
    """Standard error of the mean of D off its diagonal, each row counted in both its roles."""
    ### BEGIN SOLUTION
    n = len(D)
    body, head = D.sum(axis=1) / (n - 1), D.sum(axis=0) / (n - 1)
    return np.std(body + head, ddof=1) / np.sqrt(n)
    ### END SOLUTION


# %% check="03.3"
check("03.3", standard_error)

# %% [markdown]
# ## 03.4 Negative without a sample (2 points)
#
# In the world $y = \beta_1 x_1 + \beta_2 x_2 + \varepsilon$ both variables are standard normal with correlation
# $\rho$, and the noise is independent of them. The model is $f = b_1 x_1 + b_2 x_2$. Return the population value of
# $MR_{diff}$ for both variables, as an array of two numbers: $2\, b_j\, \mathrm{Cov}(y - b_k x_k,\, x_j)$, where $k$
# is the other one.


# %% task="03.4"
def population_importances(b, beta, rho):
    """Increase of the expected squared error of f = b @ x when x1, or x2, is scrambled."""
    ### BEGIN SOLUTION
    return 2 * b * (beta + rho * beta[::-1] - rho * b[::-1])
    ### END SOLUTION


# %% check="03.4"
check("03.4", population_importances)

# %% [markdown]
# ## 03.5 Chimeras (3 points)
#
# `x_hat[k]` is what the other columns of row `k` tell about its value in column `j`. Give row `k` the value
# `x_hat[k]` plus the unique part of row `i`, `X[i, j] - x_hat[i]`, for all pairs of different rows. Return the
# *difference* of the mean losses, $CMR_{diff}$.


# %% task="03.5"
def conditional_reliance(predict, X, y, j, x_hat):
    """Mean loss over all chimeras minus the mean loss."""
    ### BEGIN SOLUTION
    n, total = len(X), 0.0
    for i in range(n):
        chimeras = X.copy()
        chimeras[:, j] = x_hat + (X[i, j] - x_hat[i])
        losses = (y - predict(chimeras)) ** 2
        total += losses.sum() - losses[i]
    return total / (n * (n - 1)) - np.mean((y - predict(X)) ** 2)
    ### END SOLUTION


# %% check="03.5"
check("03.5", conditional_reliance)

# %% [markdown]
# ## 03.6 Together (2 points)
#
# Scramble several columns at once: row `k` gets *all* columns of the group from row `order[k]`. `group` is a list of
# positions. Return the increase of the mean squared error.


# %% task="03.6"
def group_importance(predict, X, y, group, order):
    """Increase of the mean squared error when the columns of a group share one shuffle."""
    ### BEGIN SOLUTION
    shuffled = X.copy()
    for j in group:
        shuffled[:, j] = X[order, j]
    return np.mean((y - predict(shuffled)) ** 2) - np.mean((y - predict(X)) ** 2)
    ### END SOLUTION


# %% check="03.6"
check("03.6", group_importance)

# %% [markdown]
# Now use it on data you have not seen here: 442 diabetes patients. `s1` and `s2`, total cholesterol and its "bad"
# part, have a correlation of 0.9. Run the cell; there is nothing to fill in. The numbers are the increases for `s1`
# alone, for `s2` alone, and for both together, relative to the loss.

# %%
from sklearn.datasets import load_diabetes
from sklearn.linear_model import LinearRegression

X, progression = load_diabetes(return_X_y=True)
model = LinearRegression().fit(X[::2], progression[::2])
X_new, y_new = X[1::2], progression[1::2]
loss = np.mean((y_new - model.predict(X_new)) ** 2)
order = np.random.default_rng(0).permutation(len(X_new))
increases = [
    group_importance(model.predict, X_new, y_new, group, order)
    for group in ([4], [5], [4, 5])
]
[None if value is None else round(value / loss, 2) for value in increases]

# %% [markdown]
# This time the two columns do not hide each other. Least squares gave them large coefficients of opposite sign, so
# each alone, torn from its partner, throws the prediction far off, and together they partly cancel: the sum of the
# single values *overstates* the pair several times. Correlation can bend the numbers either way.

# %% [markdown]
# ## 03.7 The unused variable (1 point)
#
# A fitted model reads `x1` only; `x2` has correlation 0.95 with `x1`. Which of these numbers for `x2` are *exactly*
# the value that means "not important", whatever the sample?
#
# a) its permutation importance on new rows b) its permutation importance on the training rows c) its conditional
# permutation importance d) its algorithm reliance, for an algorithm that was offered both e) its model reliance, as a
# ratio f) its correlation with `y`
#
# Answer with a set of letters, such as `{"d", "f"}`.

# %% task="03.7"
exactly_unimportant = (
    ### BEGIN SOLUTION
    {"a", "b", "c", "e"}
    ### END SOLUTION
)

# %% check="03.7"
check("03.7", exactly_unimportant)

# %% [markdown]
# ## 03.w In your own words (5 points, read by a person)
#
# A colleague computes permutation importances of a deep forest on its training sample, finds that twelve of twenty
# columns are below 0.001 (three of them slightly negative, set to 0), gives error bars from the spread of the
# shuffles, and proposes to drop all twelve. In one paragraph: what is wrong with the rows, the zeros, the error bars
# and the conclusion, and what should be computed instead?
#
# One point each: the rows · the zeros · the error bars · the conclusion · what to compute instead, and which question
# that answers.

# %% [markdown] written="03.w"
# ### BEGIN SOLUTION
# On its training rows a deep forest is credited for what it has memorised, so the values belong on new rows or out of bag. Slightly negative values are what estimates of 0 look like; they should stay, and be compared with twins
# without signal, since a value far below the twins would mean that the column does harm. The spread over shuffles says how well this sample was shuffled and nothing about other samples: an interval has to count each row as body and as
# head, or bootstrap the rows. And each low value holds while the other nineteen columns are present; the twelve may be readings of the same thing, each dispensable, not all. So: cluster the columns and scramble whole groups (what this
# forest relies on, Q1), take a conditional measure (unique information, Q2), or fit again without all twelve and compare on new rows (what the algorithm needs, Q4).
# ### END SOLUTION
