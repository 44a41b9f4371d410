# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 09 · From one good model to what every good model needs
#
# You will build what lesson 09 computed, for linear models with an intercept and the squared error: who is good, how
# much any model relies on a column, what it costs to do without, how far good models reach, and the range of
# conditional reliance. Each check says *not attempted*, *not yet* or *correct*; `hint("09.1")` helps one step at a
# time.
#
# About 60 minutes. Change only the cells that ask for an answer.
#
# It goes with [lesson 09](../../notebooks/09_model_class_reliance.ipynb).

# %%
import numpy as np

from course_lib.learner import check, hint

# %% [markdown]
# ## A worked example: the bowl
#
# Here are two functions that all tasks may use. `fit` gives the least squares coefficients, `mse` the mean squared error of the
# linear model with *any* coefficients `b` and the intercept that suits them best (if columns and target are centred,
# it is 0). Away from the fit the error grows by $(b - \hat b)^\top G\,(b - \hat b)$: a bowl. The last
# line computes both sides.


# %%
def fit(X, y):
    """Least squares coefficients, with an intercept."""
    return np.linalg.lstsq(X - X.mean(axis=0), y - y.mean(), rcond=None)[0]


def mse(b, X, y):
    """Mean squared error of the linear model with coefficients b and the best intercept."""
    residuals = (y - y.mean()) - (X - X.mean(axis=0)) @ b
    return np.mean(residuals**2)


rng = np.random.default_rng(0)
X_bowl = rng.normal(size=(30, 2)) + rng.normal(size=(30, 1))
y_bowl = X_bowl.sum(axis=1) + rng.normal(size=30)
b_hat, b = fit(X_bowl, y_bowl), np.array([2.0, 0.5])
G = np.cov(X_bowl.T, ddof=0)
excess = mse(b, X_bowl, y_bowl) - mse(b_hat, X_bowl, y_bowl)
np.round([excess, (b - b_hat) @ G @ (b - b_hat)], 6)

# %% [markdown]
# The covariance matrix, like the error, has $n$ in the denominator: `ddof=0`. That matters in 09.4.

# %% [markdown]
# ## 09.1 Which models are good? (2 points)
#
# Fill the three blanks. Each row of `B` has the two coefficients of a model, `reference` has those of the reference
# model. A model is good if its mean squared error is at most that of the reference plus `epsilon`. The intercepts are
# the best ones, as in `mse`; compute the error by hand here.


# %% task="09.1"
def good_models(B, X, y, reference, epsilon):
    """For each model, whether it is in the Rashomon set: an array of True and False."""
    x, t = X - X.mean(axis=0), y - y.mean()
    reference_error = np.mean((t - x @ reference) ** 2)
    errors = []
    for b in B:
        prediction = ...
        ### BEGIN SOLUTION
        prediction = x @ b
        ### END SOLUTION
        residuals = t - prediction
        error = ...
        ### BEGIN SOLUTION
        error = np.mean(residuals**2)
        ### END SOLUTION
        errors.append(error)
    limit = ...
    ### BEGIN SOLUTION
    limit = reference_error + epsilon
    ### END SOLUTION
    return np.array(errors) <= limit


# %% check="09.1"
check("09.1", good_models)

# %% [markdown]
# ## 09.2 The reliance of any linear model (2 points)
#
# From the signature: the ratio $MR$ of the model with coefficients `b` on column `j`, over all pairs of rows,
#
# $$MR(b) = 1 + \frac{2\, b_j\, \mathrm{Cov}(y - \sum_{l \neq j} b_l x_l,\; x_j)}{\mathrm{MSE}(b)},$$
#
# where the covariance is the one with $n-1$. The model need not be the fit, and the value may be below 1.


# %% task="09.2"
def reliance(b, X, y, j):
    """e_switch / e_orig of the linear model with coefficients b on column j."""
    ### BEGIN SOLUTION
    rest = y - np.delete(X, j, axis=1) @ np.delete(b, j)
    return 1 + 2 * b[j] * np.cov(rest, X[:, j])[0, 1] / mse(b, X, y)
    ### END SOLUTION


# %% check="09.2"
check("09.2", reliance)

# %% [markdown]
# ## 09.3 The price of doing without (2 points)
#
# Return the smallest $\epsilon$ at which the Rashomon set around least squares contains a model that ignores column `j`.


# %% task="09.3"
def price_of_ignoring(X, y, j):
    """The smallest epsilon at which some good linear model ignores column j."""
    ### BEGIN SOLUTION
    rest = np.delete(X, j, axis=1)
    return mse(fit(rest, y), rest, y) - mse(fit(X, y), X, y)
    ### END SOLUTION


# %% check="09.3"
check("09.3", price_of_ignoring)

# %% [markdown]
# ## 09.4 How far good models reach (2 points)
#
# Over the ellipsoid $(b - \hat b)^\top G\,(b - \hat b) \le \epsilon$ the coefficient $b_j$ takes all values between
# $\hat b_j - \sqrt{\epsilon\,(G^{-1})_{jj}}$ and $\hat b_j + \sqrt{\epsilon\,(G^{-1})_{jj}}$. Return the two ends as an
# array, least first.


# %% task="09.4"
def coefficient_range(X, y, j, epsilon):
    """The least and the largest coefficient of column j among the good linear models."""
    ### BEGIN SOLUTION
    G_inverse = np.linalg.inv(np.cov(X.T, ddof=0))
    half = np.sqrt(epsilon * G_inverse[j, j])
    return fit(X, y)[j] + np.array([-half, half])
    ### END SOLUTION


# %% check="09.4"
check("09.4", coefficient_range)

# %% [markdown]
# ## 09.5 The range of conditional reliance (3 points)
#
# Let $e$ be what least squares on the other columns (with intercept) leaves unexplained of column `j`, $s_e^2$ its variance
# with $n-1$ and $u^2$ the one with $n$. For a linear model $CMR_{diff}(b) = 2\, b_j\, \hat b_j\, s_e^2$, and among good
# models $b_j$ reaches from $\hat b_j - \sqrt{\epsilon / u^2}$ to $\hat b_j + \sqrt{\epsilon / u^2}$. Return the two ends
# of $CMCR_{diff}$, least first, as they are. (That $1/u^2$ is $(G^{-1})_{jj}$ you may use or check.)


# %% task="09.5"
def conditional_range(X, y, j, epsilon):
    """The least and the most that a good linear model relies on what only column j contributes."""
    ### BEGIN SOLUTION
    rest = np.delete(X, j, axis=1)
    rest = rest - rest.mean(axis=0)
    x = X[:, j] - X[:, j].mean()
    e = x - rest @ np.linalg.lstsq(rest, x, rcond=None)[0]
    b_j = fit(X, y)[j]
    half = np.sqrt(epsilon / e.var())
    return np.sort(2 * b_j * e.var(ddof=1) * np.array([b_j - half, b_j + half]))
    ### END SOLUTION


# %% check="09.5"
check("09.5", conditional_range)

# %% [markdown]
# ## 09.6 What every good model needs (2 points)
#
# The tolerance is now a share of the best error, say 0.05. Return the positions of the columns with $MCR_- > 1$, in
# order, as a list; it may be empty. (No column that is tried lies exactly on the limit, where rounding would decide.) No optimiser is needed: think of the price of 09.3, and use `fit` and `mse` from above.


# %% task="09.6"
def needed_columns(X, y, share):
    """Positions of the columns on which every good linear model relies."""
    ### BEGIN SOLUTION
    best = mse(fit(X, y), X, y)
    needed = []
    for j in range(X.shape[1]):
        rest = np.delete(X, j, axis=1)
        if mse(fit(rest, y), rest, y) - best > share * best:
            needed.append(j)
    return needed
    ### END SOLUTION


# %% check="09.6"
check("09.6", needed_columns)

# %% [markdown]
# Now use it on data you have not seen here: 178 Italian wines, twelve chemical measurements, and the colour intensity
# to be predicted from them. Run the cell; there is nothing to fill in. It shows what every linear model needs that is
# within 1 %, 5 % and 25 % of the best.

# %%
from sklearn.datasets import load_wine

wine = load_wine(as_frame=True).data
colour = wine.pop("color_intensity").to_numpy()
found = [needed_columns(wine.to_numpy(), colour, share) for share in (0.01, 0.05, 0.25)]
[None if columns is None else [wine.columns[j] for j in columns] for columns in found]

# %% [markdown]
# The more you tolerate, the fewer columns can be on the list: a column that every model within 25 % needs is needed by every model within 5 %, too. Such a list is worth nothing without its tolerance.

# %% [markdown]
# ## 09.7 What a range says (1 point)
#
# For linear models within 5 % of the best, a column has the range [0.97, 2.4]. Which sentences does this license?
#
# a) Some linear model without the column is within 5 % of the best. b) The information in the column plays no role in the
# predictions of that model. c) The error of some good model more than doubles when the column is scrambled. d) The
# column is important to every good model of these data. e) The computation was inaccurate, since no reliance can be
# below 1.
#
# Answer with a set of letters, such as `{"d", "e"}`.

# %% task="09.7"
licensed = ...
### BEGIN SOLUTION
licensed = {"a", "c"}
### END SOLUTION

# %% check="09.7"
check("09.7", licensed)

# %% [markdown]
# ## 09.w In your own words (5 points, read by a person)
#
# A bank reports: "For linear models within 5 % of the best, the model class reliance on nationality is [0.99, 2.1]. So
# there is a good model that does not use it, we use that one, and our decisions are fair. Income, on the other hand, has
# [1.3, 1.9] and is therefore the true cause of repayment." In one paragraph: what may the bank say about each range,
# what may it not say, and what should it report or compute in addition?
#
# One point each: nationality · fairness · income · the conditions of both sentences · what to compute in addition, and
# which question that answers.

# %% [markdown] written="09.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("09.w")

# %% [markdown]
# {{onward}}

# %%
progress("09")
