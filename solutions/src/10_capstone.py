# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 10 · Six answers about alcohol, and a report
#
# The same 178 wines, another response: `alcohol`, from the other eight measurements. You will answer the six questions with
# six measures, find where they disagree most, and write half a page about it. Each check says *not attempted*, *not yet* or
# *correct*; it tries your function on random halves of the wines. `hint("10.1")` helps one step at a time.
#
# About 90 minutes, a third of it for the report. Change only the cells that ask for an answer.

# %%
import numpy as np
import pandas as pd
from IPython.display import display
from sklearn.linear_model import LinearRegression

from course_lib.learner import check, hint
from course_lib.measures import (
    LinearRashomonSet,
    algorithm_reliance,
    conditional_model_reliance,
    model_reliance,
)
from course_lib.worlds import load_wines

# %% [markdown]
# ## A worked example: the wines, a model and its error
#
# Every second wine to fit to, the others to measure on, as in the lesson. The response has variance 1, so an error is a share
# of what there is to explain. All tables are arrays here; `names` keeps the names of the columns.


# %%
def mse(model, X, y):
    """Mean squared error of a fitted model on a sample."""
    return np.mean((y - model.predict(X)) ** 2)


wines, alcohol = load_wines("alcohol")
names = list(wines.columns)
X_fit, X_test = wines.to_numpy()[::2], wines.to_numpy()[1::2]
y_fit, y_test = alcohol.to_numpy()[::2], alcohol.to_numpy()[1::2]
model = LinearRegression().fit(X_fit, y_fit)
round(mse(model, X_fit, y_fit), 3), round(mse(model, X_test, y_test), 3)

# %% [markdown]
# A little less than half is left on the wines it was fitted to, a little more than half on the others. All measures below are differences of such
# errors, and 0 means "not important" in each.

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
            switched[:, j] = (
                ### BEGIN SOLUTION
                np.roll(X[:, j], k)
                ### END SOLUTION
            )
            error = (
                ### BEGIN SOLUTION
                mse(model, switched, y)
                ### END SOLUTION
            )
            errors.append(error)
        increase = (
            ### BEGIN SOLUTION
            np.mean(errors) - mse(model, X, y)
            ### END SOLUTION
        )
        increases.append(increase)
    return np.array(increases)


# %% check="10.1"
check("10.1", to_model)

# %% [markdown]
# ## 10.2 Its unique information to this model (2 points)
#
# From the signature. Only what the other columns cannot tell about a column is exchanged; "tell" means least squares, fitted to
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
# How much larger is the error on the test wines if least squares never gets the column? Fit to `X, y`, measure on `X_test, y_test`.
# By hand or with the library; as a difference.


# %% task="10.4"
def to_algorithm(X, y, X_test, y_test):
    """Test error of least squares fitted without each column, minus that with all columns."""
    ### BEGIN SOLUTION
    test = {"X_test": X_test, "y_test": y_test}
    result = algorithm_reliance(LinearRegression(), X, y, **test, as_ratio=False)
    return result.importances_mean
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
# ## 10.7 The largest disagreement (2 points)
#
# `answers` is a table with a row for each feature and the columns Q1 to Q6. Give places within each column, 1 for the largest value; in
# column Q3, where contributions have a sign, 1 for the largest size. Return the name of the feature whose places differ most, its
# best place and its worst place, such as `("hue", 2, 7)`.


# %% task="10.7"
def largest_disagreement(answers):
    """The feature with the widest range of places, its best place and its worst place."""
    ### BEGIN SOLUTION
    sizes = answers.assign(Q3=answers["Q3"].abs())
    places = sizes.rank(ascending=False).astype(int)
    best, worst = places.min(axis=1), places.max(axis=1)
    name = (worst - best).idxmax()
    return name, best[name], worst[name]
    ### END SOLUTION


# %% check="10.7"
check("10.7", largest_disagreement)

# %% [markdown]
# ## Your six answers
#
# Nothing to fill in. The cells put your functions together on the halves of the worked example, Q5 and Q6 with their upper ends
# and 5 % of slack. They need all seven. Then exchange the two halves in the last cell and see what remains.


# %%
def six(X, y, X_test, y_test):
    """Your six answers, a row for each column."""
    fitted = LinearRegression().fit(X, y)
    table = {
        "Q1": to_model(fitted, X_test, y_test),
        "Q2": unique_to_model(fitted, X_test, y_test),
        "Q3": to_prediction(fitted, X, X_test[0]),
        "Q4": to_algorithm(X, y, X_test, y_test),
        "Q5": [to_good_models(X, y, j, 0.05)[1] for j in range(len(names))],
        "Q6": [unique_to_good_models(X, y, j, 0.05)[1] for j in range(len(names))],
    }
    return pd.DataFrame(table, index=names)


# %%
try:
    answers = six(X_fit, y_fit, X_test, y_test)
    shown = answers.round(3), largest_disagreement(answers)
except (TypeError, ValueError):  # a function that has no answer yet
    shown = ("Answer 10.1 to 10.7 first.",)
display(*shown)

# %% [markdown]
# ## 10.w The disagreement report (10 points, read by a person)
#
# Half a page. Readers: a winery that wants to save one of the eight laboratory measurements when it predicts alcohol. Give the
# answers of at least three measures with their questions, name the largest disagreement with its numbers and explain it, say how
# stable it is, and end with sentences the winery may quote and one that it may not.
#
# Points: three measures with question and sample (2) · the largest disagreement with its numbers (2) · explained by the questions (2) · how
# stable it is (1) · the measure that fits the decision (1) · a sentence that may be quoted (1) · one that may not, and why (1).

# %% [markdown] written="10.w"
# ### BEGIN SOLUTION
# *What was asked.* Least squares predicts alcohol (in standard deviations) from eight measurements; it was fitted to every
# second of 178 wines and measured on the other 89. For color the answers are: exchanged between the test wines, it costs this
# model 0.69 of the variance (Q1, first of eight); its unique part costs 0.16 (Q2, second); fitted again without
# it, least squares has a test error that is 0.05 *lower* (Q4, last); and every linear model within 5 % of the least training
# error relies on it, by 0.37 to 1.30 on the training wines (Q5, first). Proline is first by Q4: without it the error grows by 0.17.
#
# *The disagreement.* Color is first by Q1 and last by Q4. Neither number is wrong. Q1 keeps a model that leans on color
# and lies to it; Q4 lets the model learn again without color, and on the test wines the other columns do as well or
# better, because the weight that the fitted wines give to color is too large for the others. Q5 speaks of the fitted wines, where color
# is needed; that it does not pay elsewhere is not in it.
#
# *How stable.* With the halves exchanged, leaving out color costs 0.10 instead of gaining 0.05: second of eight by Q4, and second by
# Q1. The last place was this half; that the model leans on color was not.
#
# *For the decision.* The winery wants to stop measuring something and fit again, so Q4 is its question, averaged over several
# halves. By it, magnesium, phenols or flavanoids can be saved (at most 0 in both halves), proline cannot, and color should not be dropped
# on the strength of one half.
#
# *May be quoted:* "Fitted to either half of our wines, least squares predicted the alcohol of the other half as well without magnesium as with it." *May not:* "Color does not
# matter for alcohol", and neither "more proline makes more alcohol": which grower made a wine is not in the table and
# stands behind all columns.
# ### END SOLUTION
