# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 10 · Six answers about wines, and a report
#
# Other data: {{178 | len(load_wines()[0])}} wines of three grape varieties from one region of Italy, and {{`alcohol` | load_wines()[1].name == "alcohol"}}, which is to be predicted from {{eight | load_wines()[0].shape[1]}} other laboratory
# measurements. You will answer the six questions with six measures, find out whether a disagreement survives when the wines are drawn again, criticise a card, and write half a page
# about it. In the lesson the six disagreed. Perhaps these do too, perhaps not: a report says what it finds. Each check says *not attempted*, *not yet* or *correct*; it tries
# your function on wines drawn at random, with all eight measurements or some of them. `hint("10.1")` helps one step at a time.
#
# About 95 minutes, a third of it for the report. Change only the cells that ask for an answer.
#
# It goes with [lesson 10](../../notebooks/10_capstone.ipynb).

# %%
import numpy as np
import pandas as pd
from IPython.display import display
from sklearn.linear_model import LinearRegression

from course_lib.learner import check, hint
from course_lib.measures import (
    LinearRashomonSet,
    conditional_model_reliance,
    model_reliance,
)
from course_lib.worlds import load_wines

# %% [markdown]
# ## A worked example: the wines, a model and its error
#
# One model, fitted to all wines. The response has variance 1, so an error is a share of what there is to explain. Tables are
# arrays here; `names` keeps the names of the columns.


# %%
def mse(model, X, y):
    """Mean squared error of a fitted model on a sample."""
    return np.mean((y - model.predict(X)) ** 2)


wines, alcohol = load_wines()
names = list(wines.columns)
X_wines, y_wines = wines.to_numpy(), alcohol.to_numpy()
model = LinearRegression().fit(X_wines, y_wines)
round(float(mse(model, X_wines, y_wines)), 3)

# %% [markdown]
# {{A little less than half | 0.4 < mse(model, X_wines, y_wines) < 0.5}} is left. All measures below but the third are differences of such errors, and 0 means "not important". A difference can be
# negative, and then it stays so.

# %% [markdown]
# ## 10.1 To this model (2 points)
#
# Fill the three blanks. `np.roll(x, k)` gives each row the value of the row `k` places above it. With $k = 1, \dots, n-1$
# every row meets every other row once: all pairs $i \neq i'$, without any chance.
#
# $$e_{\mathrm{switch}} - e_{\mathrm{orig}}$$


# %% task="10.1"
def to_model(model, X, y):
    """Increase of the mean squared error when a column is exchanged between all pairs of rows."""
    increases = []
    for j in range(X.shape[1]):
        errors = []
        for k in range(1, len(X)):
            switched = X.copy()
            column = ...
            ### BEGIN SOLUTION
            column = np.roll(X[:, j], k)
            ### END SOLUTION
            switched[:, j] = column
            error = ...
            ### BEGIN SOLUTION
            error = mse(model, switched, y)
            ### END SOLUTION
            errors.append(error)
        increase = ...
        ### BEGIN SOLUTION
        increase = np.mean(errors) - mse(model, X, y)
        ### END SOLUTION
        increases.append(increase)
    return np.array(increases)


# %% check="10.1"
check("10.1", to_model)

# %% [markdown]
# ## 10.2 Its unique information to this model (2 points)
#
# From the signature. Only the part of a column that the other columns cannot predict is exchanged; they predict by least squares, fitted to
# the rows of `X`. By hand, or with the function of `course_lib.measures` that answers this question; as a difference.


# %% task="10.2"
def unique_to_model(model, X, y):
    """Increase of the mean squared error when only the unique part of a column is exchanged."""
    ### BEGIN SOLUTION
    result = conditional_model_reliance(model, X, y, as_ratio=False)
    return result.importances_mean
    ### END SOLUTION


# %% check="10.2"
check("10.2", unique_to_model)

# %% [markdown]
# ## 10.3 To one prediction (2 points)
#
# `x` is one wine. Return what each column contributes to its prediction by a linear model, so that together they lead from the
# prediction for the mean of `X` to the prediction for `x`.


# %% task="10.3"
def to_prediction(model, X, x):
    """Contribution of each column to the prediction for x, from the mean of X."""
    ### BEGIN SOLUTION
    return model.coef_ * (x - X.mean(axis=0))
    ### END SOLUTION


# %% check="10.3"
check("10.3", to_prediction)

# %% [markdown]
# ## 10.4 To the algorithm (2 points)
#
# How much larger is the error if least squares never gets the column? The answer is used to decide about the next model, so every row is to be predicted by a
# fit to other rows. (On the rows of a fit none of Q1, Q2 and Q4 can be negative; on other rows each of them can.) `folds` is a list of arrays: the positions of the rows that are held out together. For each fold, fit to all other
# rows and add up the squared errors on the fold; divide by the number of rows at the end. Without each column, minus with all columns.


# %% task="10.4"
def to_algorithm(X, y, folds):
    """Cross-fitted error of least squares without each column, minus that with all columns."""

    ### BEGIN SOLUTION
    def error(columns):
        total = 0.0
        for fold in folds:
            rest = np.delete(np.arange(len(y)), fold)
            fitted = LinearRegression().fit(X[rest][:, columns], y[rest])
            total += np.sum((y[fold] - fitted.predict(X[fold][:, columns])) ** 2)
        return total / len(y)

    every = list(range(X.shape[1]))
    without = [error([k for k in every if k != j]) for j in every]
    return np.array(without) - error(every)
    ### END SOLUTION


# %% check="10.4"
check("10.4", to_algorithm)

# %% [markdown]
# ## 10.5 To any good model (2 points)
#
# A linear model is good if its error on `X, y` is at most $1 +$ `slack` times the least possible one. Return the least and the
# most that a good model relies on column `j`, as a pair of differences. `LinearRashomonSet` knows the way; mind
# what its `epsilon` is.


# %% task="10.5"
def to_good_models(X, y, j, slack):
    """The pair (least, most) of the reliance on column j over all good linear models."""
    ### BEGIN SOLUTION
    least = mse(LinearRegression().fit(X, y), X, y)
    good = LinearRashomonSet(X, y, epsilon=slack * least)
    result = good.model_class_reliance(j, as_ratio=False)
    return result.low, result.high
    ### END SOLUTION


# %% check="10.5"
check("10.5", to_good_models)

# %% [markdown]
# ## 10.6 Its unique information to any good model (2 points)
#
# The same good models, the question of 10.2.


# %% task="10.6"
def unique_to_good_models(X, y, j, slack):
    """The pair (least, most) of the conditional reliance on column j over all good models."""
    ### BEGIN SOLUTION
    least = mse(LinearRegression().fit(X, y), X, y)
    good = LinearRashomonSet(X, y, epsilon=slack * least)
    result = good.conditional_model_class_reliance(j, as_ratio=False)
    return result.low, result.high
    ### END SOLUTION


# %% check="10.6"
check("10.6", unique_to_good_models)

# %% [markdown]
# ## 10.7 Does the disagreement survive? (2 points)
#
# `left` and `right` are the values of two answers in many halves of the wines: tables with a row for each half and a column for each feature. In how many halves does the
# left answer put feature `a` above feature `b` while the right answer puts `b` above `a`? Larger values are above.


# %% task="10.7"
def survives(left, right, a, b):
    """Number of halves in which left puts a above b and right puts b above a."""
    ### BEGIN SOLUTION
    return int(((left[a] > left[b]) & (right[a] < right[b])).sum())
    ### END SOLUTION


# %% check="10.7"
check("10.7", survives)

# %% [markdown]
# ## 10.8 Criticise a card (2 points)
#
# A colleague has made an importance card {{of the wines | X_wines.shape == (178, 8) and round(mse(model, X_wines, y_wines), 4) == 0.4284}}, asked for two of the questions only, and struck out the sentences that the card prints. This is what is left of it:
#
# > - **rows and columns**: 178 rows, 8 columns
# > - **kinds of columns**: 8 of numbers
# > - **missing values**: none
# > - **target**: alcohol, numbers, mean 0, standard deviation 1
# > - **model**: LinearRegression()
# > - **loss**: mean squared error: 0.4284 on the 178 rows given; always predicting the mean of y, 1
# > - **sample**: The model came fitted. Whether it was fitted to these rows, the card cannot know; if so, it shows what the model relies on there, not how it would fare on other rows.
# > - **halves**: 20 smaller studies of random halves of the rows: the model is fitted again to one half and measured on the other half. Q5: over the good linear models of the half that is fitted to. The places of a column there stand beside its value.
# >
# > **Q1: important to a given model**
# >
# > permutation importance (loss increase): mean squared error, 178 rows given, 10 shuffles; the interval covers the shuffling only.
# >
# > | column | value | 95 % interval | places in halves |
# > | --- | ---: | ---: | ---: |
# > | proline | 0.475 | 0.453 to 0.497 | 1 to 2 |
# > | color | 0.400 | 0.365 to 0.434 | 1 to 2 |
# > | malic\_acid | 0.057 | 0.046 to 0.069 | 3 to 8 |
# > | dilution | 0.040 | 0.032 to 0.048 | 3 to 8 |
# > | hue | 0.009 | 0.005 to 0.014 | 4 to 8 |
# > | phenols | 0.002 | 0.000 to 0.003 | 3 to 8 |
# >
# > **Q5: important to any good model of a class**
# >
# > model class reliance (e\_switch - e\_orig): mean squared error, 178 rows given, exact over the linear models within 5 % of the least error.
# >
# > | column | at least | at most | places in halves, by the most |
# > | --- | ---: | ---: | ---: |
# > | proline | 0.195 | 0.820 | 1 to 3 |
# > | color | 0.132 | 0.806 | 1 to 4 |
# > | dilution | -0.010 | 0.289 | 3 to 7 |
# > | flavanoids | -0.010 | 0.234 | 2 to 7 |
# > | phenols | -0.010 | 0.177 | 2 to 7 |
# > | malic\_acid | -0.004 | 0.162 | 4 to 7 |
#
# Below it your colleague has written:
#
# a) On these 178 wines, shuffling proline raises the squared error of this model more than shuffling any other column does.
#
# b) The value of phenols by Q1 is next to nothing, so the winery can stop measuring them and fit the model without them.
#
# c) Every linear model within 5 % of the least squared error on these wines has a larger error when color is exchanged between them.
#
# d) With 178 other wines the value of proline would lie between 0.453 and 0.497, with 95 % confidence.
#
# e) On wines that it has not seen, the squared error of this model is 0.43.
#
# f) A wine maker who raises the proline of a wine raises its alcohol.
#
# g) Malic acid is ahead of dilution by Q1, and it would be for the same kind of model fitted to other wines.
#
# h) Some linear model within 5 % of the least squared error on these wines does not lose when dilution is exchanged between them.
#
# Answer with the set of letters of the sentences that the card does *not* license, such as `{"a", "h"}`.

# %% task="10.8"
not_licensed = ...
### BEGIN SOLUTION
not_licensed = {"b", "d", "e", "f", "g"}
### END SOLUTION

# %% check="10.8"
check("10.8", not_licensed)

# %% [markdown]
# ## Your six answers
#
# Nothing to fill in. The next cells put your functions together: on all wines, then on twenty random halves of them. They need the first seven.


# %%
def six(X, y, seed=0):
    """Your six answers about one sample, a row for each column; Q5 with both ends."""
    fitted, every = LinearRegression().fit(X, y), range(X.shape[1])
    folds = np.array_split(np.random.default_rng(seed).permutation(len(y)), 10)

    def sample():  # a copy for each function, in case that one of them changes it
        return X.copy(), y.copy()

    ends = [to_good_models(*sample(), j, 0.05) for j in every]
    unique = [unique_to_good_models(*sample(), j, 0.05) for j in every]
    table = {
        "Q1": to_model(fitted, *sample()),
        "Q2": unique_to_model(fitted, *sample()),
        "Q3": to_prediction(fitted, X.copy(), X[0].copy()),
        "Q4": to_algorithm(*sample(), folds),
        "Q5 at least": [low for low, _ in ends],
        "Q5 at most": [high for _, high in ends],
        "Q6": [high for _, high in unique],
    }
    return pd.DataFrame({key: list(table[key]) for key in table}, index=names)


# %%
try:
    shown = (six(X_wines, y_wines).round(2),)
except (TypeError, ValueError, NotImplementedError):  # no answer yet to one of them
    shown = ("Answer 10.1 to 10.6 first.",)
display(*shown)

# %% [markdown]
# In twenty random halves: how often {{proline and color | sorted(leaders) == ["color", "proline"]}} are the first two, answer by answer; how often each measurement has the smallest Q4, which concerns the winery's decision;
# and how often {{flavanoids | gap.idxmax()}} are above {{malic acid | gap.idxmin() == "malic_acid"}} by the most that a good model relies on them (Q5) while malic acid is above flavanoids by its unique part (Q6).

# %% tags=["only-shown"]
rng = np.random.default_rng(0)
try:
    drawn = [rng.permutation(len(y_wines))[: len(y_wines) // 2] for _ in range(20)]
    halves = [six(X_wines[rows], y_wines[rows]) for rows in drawn]
    places = six(X_wines, y_wines).rank(ascending=False)
    leaders = places["Q1"].nsmallest(2).index
    lead = [half.rank(ascending=False).loc[leaders].max() <= 2 for half in halves]
    most, unique = (
        pd.DataFrame([half[k] for half in halves], index=range(20))
        for k in ("Q5 at most", "Q6")
    )
    gap = places["Q6"] - places["Q5 at most"]
    lasting = survives(most, unique, gap.idxmax(), gap.idxmin())
    smallest = pd.Series([half["Q4"].idxmin() for half in halves], name="smallest Q4")
    leading = pd.DataFrame(lead).drop(columns="Q3").sum()
    in_halves = leading, smallest.value_counts(), int(lasting)
except (TypeError, ValueError, NotImplementedError):
    in_halves = ("Answer 10.1 to 10.7 first.",)
display(*in_halves)

# %% [markdown]
# ## 10.w The report (10 points, read by a person)
#
# Half a page. Readers: a winery that wants to save one of the {{eight | X_wines.shape[1]}} laboratory measurements when it predicts alcohol. Give the answers of at least three measures with
# their questions, say where the six agree and where they differ most, say which of it survives in random halves of the wines, choose the measure that fits the
# decision, and end with a sentence the winery may quote and one that it may not.
#
# Points: three measures with question and sample (2) · where they agree and where they differ, with numbers (2) · explained by the questions (2) · what
# survives (1) · the measure that fits the decision (1) · a sentence that may be quoted (1) · one that may not, and why (1).

# %% [markdown] written="10.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("10.w")

# %% [markdown]
# {{onward}}

# %%
progress("10")
