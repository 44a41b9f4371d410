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
# You will build what lesson 03 measured, from a table and a function `predict`: permutation importance, a scorer for scikit-learn's
# function, reliance over all pairs, a negative value without a sample, chimeras, groups. The loss is the squared error unless another
# is named. Some of the models that the checks draw use a column the wrong way round, so expect negative values. Each check says
# *not attempted*, *not yet* or *correct*; `hint("03.1")` helps one step at a time.
#
# About 55 minutes. Change only the cells that ask for an answer.
#
# It goes with [lesson 03](../../notebooks/03_permutation_pitfalls.ipynb).

# %%
import numpy as np

from course_lib.learner import check, hint

# %% [markdown]
# ## A worked example: the halves
#
# Four rows. Each exchanges its value of column `j` with a partner two rows away, in the other half, and we compare the mean losses: $e_{divide}$
# after the exchange, $e_{orig}$ before it. The copy matters: without it the caller's own table would be scrambled, and the next measurement would start from the wreck. A check
# refuses a function that changes its arguments.


# %%
def halves_difference(predict, X, y, j):
    """e_divide - e_orig: each row gets column j of its partner in the other half."""
    switched = X.copy()
    switched[:, j] = np.roll(X[:, j], len(X) // 2)
    before = np.mean((y - predict(X)) ** 2)
    after = np.mean((y - predict(switched)) ** 2)
    return after - before


X_four = np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 7.0], [4.0, 7.0]])
float(halves_difference(lambda X: X[:, 0], X_four, X_four[:, 0], 0))

# %% [markdown]
# Every row ends up two units away from its own value, so the squared error goes from 0 to 4. Column 1, which this
# model does not read, would give exactly 0.

# %% [markdown]
# ## 03.1 Permutation importance (2 points)
#
# Fill the three blanks. `orders` holds one shuffle in each row: `order[k]` is the row from which row `k` gets its new
# value of column `j`. The result has one number for each column.


# %% task="03.1"
def importances(predict, X, y, orders):
    """Mean increase of the squared error over the shuffles, for each column."""
    before = np.mean((y - predict(X)) ** 2)
    result = []
    for j in range(X.shape[1]):
        after = []
        for order in orders:
            shuffled = X.copy()
            column = ...
            ### BEGIN SOLUTION
            column = X[order, j]
            ### END SOLUTION
            shuffled[:, j] = column
            loss = ...
            ### BEGIN SOLUTION
            loss = np.mean((y - predict(shuffled)) ** 2)
            ### END SOLUTION
            after.append(loss)
        increase = ...
        ### BEGIN SOLUTION
        increase = np.mean(after) - before
        ### END SOLUTION
        result.append(increase)
    return np.array(result)


# %% check="03.1"
check("03.1", importances)

# %% [markdown]
# ## 03.2 A scorer for scikit-learn (2 points)
#
# `sklearn.inspection.permutation_importance` takes any function `scorer(model, X, y)` that is *higher* for a better model. Write one
# for the Brier score, the mean squared distance between the probability of class 1 and `y`, which is 0 or 1. The model has
# `predict_proba`.


# %% task="03.2"
def brier_scorer(model, X, y):
    """Minus the Brier score of a classifier with the classes 0 and 1."""
    ### BEGIN SOLUTION
    return -np.mean((model.predict_proba(X)[:, 1] - y) ** 2)
    ### END SOLUTION


# %% check="03.2"
check("03.2", brier_scorer)

# %% [markdown]
# Now hand it to the tool that you will meet elsewhere, with a logistic regression on the lesson's tumours. Run the cell; there is
# nothing to fill in. It shows how many of the thirty columns increase the loss by more than twice the spread of ten shuffles, by
# accuracy and by your scorer.

# %% tags=["only-shown"]
from sklearn.datasets import load_breast_cancer
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

tumours, benign = load_breast_cancer(return_X_y=True)
clinic = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
clinic.fit(tumours[::2], benign[::2])
counts = {}
for name, scorer in {"accuracy": "accuracy", "Brier score": brier_scorer}.items():
    if scorer == "accuracy" or brier_scorer(clinic, tumours, benign) is not None:
        held_out = tumours[1::2], benign[1::2]
        found = permutation_importance(
            clinic, *held_out, scoring=scorer, n_repeats=10, random_state=0
        )
        counts[name] = int((found.importances_mean > 2 * found.importances_std).sum())
counts

# %% [markdown]
# The same model, the same patients, the same shuffles: the Brier score notices what accuracy does not.

# %% [markdown]
# ## 03.3 Model reliance over all pairs (3 points)
#
# From the signature alone: no shuffles, every ordered pair of *different* rows once (row $i$ gives its value, row $k$ receives it), and
# the ratio, for each column $j$.
#
# $$MR_{ratio} = \frac{e_{switch}}{e_{orig}}, \qquad e_{switch} = \frac{1}{n(n-1)} \sum_{i \neq k} L\big(y_k, f(x_{i,j},\, x_{k,\text{rest}})\big)$$


# %% task="03.3"
def reliances(predict, X, y):
    """e_switch / e_orig for each column."""
    ### BEGIN SOLUTION
    n, p = X.shape
    totals = np.zeros(p)
    for j in range(p):
        for i in range(n):
            switched = X.copy()
            switched[:, j] = X[i, j]
            losses = (y - predict(switched)) ** 2
            totals[j] += losses.sum() - losses[i]
    return totals / (n * (n - 1)) / np.mean((y - predict(X)) ** 2)
    ### END SOLUTION


# %% check="03.3"
check("03.3", reliances)

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
# `X_hat[k, j]` is what the other columns of row `k` predict for its value in column `j`. Give row `k` the value `X_hat[k, j]` plus the
# unique part of row `i`, `X[i, j] - X_hat[i, j]`, for all pairs of different rows. Return the *difference* of the mean losses,
# $CMR_{diff}$, for each column.


# %% task="03.5"
def conditional_reliances(predict, X, y, X_hat):
    """Mean loss over all chimeras minus the mean loss, for each column."""
    ### BEGIN SOLUTION
    n, p = X.shape
    totals = np.zeros(p)
    for j in range(p):
        for i in range(n):
            chimeras = X.copy()
            chimeras[:, j] = X_hat[:, j] + (X[i, j] - X_hat[i, j])
            losses = (y - predict(chimeras)) ** 2
            totals[j] += losses.sum() - losses[i]
    return totals / (n * (n - 1)) - np.mean((y - predict(X)) ** 2)
    ### END SOLUTION


# %% check="03.5"
check("03.5", conditional_reliances)

# %% [markdown]
# ## 03.6 Together (2 points)
#
# Scramble several columns at once: row `k` gets *all* columns of a group from row `order[k]`. Each of the `groups` is a list of
# positions, in any order. Return the increase of the mean squared error for each group, one group at a time.


# %% task="03.6"
def group_importances(predict, X, y, groups, order):
    """Increase of the mean squared error when the columns of a group share one shuffle."""
    ### BEGIN SOLUTION
    result = []
    for group in groups:
        shuffled = X.copy()
        for j in group:
            shuffled[:, j] = X[order, j]
        result.append(
            np.mean((y - predict(shuffled)) ** 2) - np.mean((y - predict(X)) ** 2)
        )
    return result
    ### END SOLUTION


# %% check="03.6"
check("03.6", group_importances)

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
increases = group_importances(model.predict, X_new, y_new, [[4], [5], [4, 5]], order)
None if increases is None else [round(float(value / loss), 2) for value in increases]

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
exactly_unimportant = ...
### BEGIN SOLUTION
exactly_unimportant = {"a", "b", "c", "e"}
### END SOLUTION

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
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("03.w")

# %% [markdown]
# {{onward}}

# %%
progress("03")
