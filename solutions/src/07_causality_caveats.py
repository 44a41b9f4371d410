# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 07 · From a path to an effect
#
# You will compute by hand what a model sees and what an action changes: along the paths of a graph, under do(), from a covariance matrix, and at last
# from a table in which a confounder, a mediator and a collider wait for you. Each task ends with a check. It says *not attempted*,
# *not yet* or *correct*; it never shows the solution, but it knows the usual slips. `hint("07.1")` helps one step at a time.
#
# About 60 minutes. Change only the cells that ask for an answer.
#
# It goes with [lesson 07](../../notebooks/07_causality_caveats.ipynb).

# %%
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from course_lib.learner import check, hint

# %% [markdown]
# ## A worked example: one path
#
# Fire makes smoke, two units for each unit; smoke rings the alarm, three units for each unit. One more unit of fire therefore makes
# two more of smoke, and these make $2 \cdot 3$ more of alarm. Along a path the coefficients are multiplied.


# %%
def along(coefficients):
    """Effect along one path: the product of its coefficients."""
    return float(np.prod(coefficients))


along([2, 3]), along([2, 3, 0.5]), along([2, 0])

# %% [markdown]
# A path with a missing arrow in it, coefficient 0, carries nothing. And from the alarm back to the fire there is no path at all: ringing it
# lights nothing.

# %% [markdown]
# ## 07.1 One confounder (2 points)
#
# $Z$ acts on $X$ by $c$ and on $Y$ by $d$; $X$ acts on $Y$ by $a$. The noise of $X$ is such that $X$ has the variance 1, and $Z$ has it too. A
# line predicts $Y$ from $X$ alone. Fill the three blanks: its slope in an infinite sample, its permutation importance (squared error), and the total effect
# of $X$ on $Y$.


# %% task="07.1"
def confounded(a, c, d):
    """Slope of the best line on X, its permutation importance, and the total effect of X."""
    slope = ...
    ### BEGIN SOLUTION
    slope = a + c * d
    ### END SOLUTION
    importance = ...
    ### BEGIN SOLUTION
    importance = 2 * slope**2
    ### END SOLUTION
    effect = ...
    ### BEGIN SOLUTION
    effect = a
    ### END SOLUTION
    return np.array([slope, importance, effect], dtype=float)


# %% check="07.1"
check("07.1", confounded)

# %% [markdown]
# ## 07.2 All paths (3 points)
#
# From the signature alone. `equations[child][parent]` is the coefficient of the arrow from parent to child, as in the library; a variable without
# an entry has no parents. Return the total effect: the products along all directed paths from `cause` to `effect`, added up. The cause may have causes of its own, and some
# of them may act on the effect too. The graph has no
# cycles. Without a path the effect is 0, and a variable acts on itself with 1. (A function may call itself.)


# %% task="07.2"
def total_effect(equations, cause, effect):
    """Change of `effect` for each unit by which `cause` is raised from outside."""
    ### BEGIN SOLUTION
    if cause == effect:
        return 1.0
    parents = equations.get(effect, {})
    return sum(
        a * total_effect(equations, cause, parent) for parent, a in parents.items()
    )
    ### END SOLUTION


# %% check="07.2"
check("07.2", total_effect)

# %% [markdown]
# ## 07.3 What do() leaves (1 point)
#
# `arrows` is a list of pairs `[cause, effect]`. Return the list of those that are left once `name` is set from outside, in the order in which they
# came.


# %% task="07.3"
def arrows_after_do(arrows, name):
    """The arrows that are left after do(name)."""
    ### BEGIN SOLUTION
    return [[cause, effect] for cause, effect in arrows if effect != name]
    ### END SOLUTION


# %% check="07.3"
check("07.3", arrows_after_do)

# %% [markdown]
# ## 07.4 A policy and its dashboard (2 points)
#
# `model` is a line that was fitted to the logins and scores of last year's students. `before` and `after` hold this year's students, with the columns `logins`
# and `score`, once as they are and once under a policy. Return two numbers: by how much the mean *prediction* changes, and by how much the mean *score* does. Logins may be
# raised or lowered, not for all students alike, and prediction and score need not move in the same direction.


# %% task="07.4"
def policy_report(model, before, after):
    """Change of the mean prediction and change of the mean score."""
    ### BEGIN SOLUTION
    predicted = [model.predict(table[["logins"]]).mean() for table in (before, after)]
    scored = [table["score"].mean() for table in (before, after)]
    return np.array([predicted[1] - predicted[0], scored[1] - scored[0]])
    ### END SOLUTION


# %% check="07.4"
check("07.4", policy_report)

# %% [markdown]
# ## 07.5 Conditional importance in closed form (3 points)
#
# `covariance` is the covariance matrix of all features and, in the last row and column, the target. `j` is the position of a feature. All are jointly Gaussian, and there may be more or fewer than three features. Return the
# conditional importance of feature `j` for the best line on all features:
#
# $$2\, b_j^2 \operatorname{Var}(X_j \mid X_{-j}) .$$


# %% task="07.5"
def conditional_importance(covariance, j):
    """Conditional permutation importance of feature j for the best line on all features."""
    ### BEGIN SOLUTION
    features, with_target = covariance[:-1, :-1], covariance[:-1, -1]
    b = np.linalg.solve(features, with_target)
    unique = 1 / np.linalg.inv(features)[j, j]
    return 2 * b[j] ** 2 * unique
    ### END SOLUTION


# %% check="07.5"
check("07.5", conditional_importance)

# %% [markdown]
# ## 07.6 An effect, on data not seen before (3 points)
#
# Now patients. Age acts on the dose that is prescribed and on the recovery. The dose acts on the level of the drug in the blood, and only through
# that level on the recovery. How often a patient visits depends on the dose and on the recovery. `table` has the columns `age`, `dose`, `level`,
# `recovery`, `visits`.
#
# Return your estimate of the total effect of the dose on the recovery: the coefficient of `dose` in a line of `recovery` on `dose` and on those
# columns, and only those, that must be adjusted for.


# %% task="07.6"
def effect_of_dose(table):
    """Estimated total effect of dose on recovery, by least squares with the right columns."""
    ### BEGIN SOLUTION
    columns = ["dose", "age"]
    return LinearRegression().fit(table[columns], table["recovery"]).coef_[0]
    ### END SOLUTION


# %% check="07.6"
check("07.6", effect_of_dose)

# %% [markdown]
# See your function at work where the truth is known. In this world the effect is $1 \cdot 1 = 1$, and the older patients, who get the larger doses,
# recover worse. Run the cell; there is nothing to fill in.

# %%
from course_lib.worlds import LinearSCM

hospital = LinearSCM(
    {
        "dose": {"age": 1.0},
        "level": {"dose": 1.0},
        "recovery": {"level": 1.0, "age": -2.0},
        "visits": {"dose": 1.0, "recovery": 1.0},
    },
    dict.fromkeys(["age", "dose", "level", "recovery", "visits"], 1.0),
)
patients = hospital.sample(5000, random_state=0)
seen = LinearRegression().fit(patients[["dose"]], patients["recovery"]).coef_[0]
done = effect_of_dose(patients)
pd.Series({"seen": seen, "adjusted": done}, dtype=float).round(1) + 0.0

# %% [markdown]
# Without the adjustment a drug that works looks useless: the line on the dose alone is flat, and its permutation importance nearly zero. This is
# the second goal of the lesson's widget, met in a hospital.

# %% [markdown]
# ## 07.7 Which sentences may stay? (1 point)
#
# A forest predicts blood pressure from exercise, weight and age. On new patients the permutation importance of exercise is well above 0. Its conditional
# importance, given weight and age, is 0 within its error. Nobody was told how much to exercise. The draft of the report says:
#
# a) The model uses exercise: given the exercise of other patients, it predicts worse.
#
# b) More exercise would lower the blood pressure of these patients.
#
# c) Exercise has no effect on blood pressure, since its conditional importance is 0.
#
# d) On these patients the model loses nothing measurable if exercise is only known as well as weight and age predict it.
#
# e) No model of these data could gain anything from exercise.
#
# Answer with the set of letters of the sentences that the numbers license, such as `{"b", "e"}`.

# %% task="07.7"
licensed = ...
### BEGIN SOLUTION
licensed = {"a", "d"}
### END SOLUTION

# %% check="07.7"
check("07.7", licensed)

# %% [markdown]
# ## 07.w In your own words (5 points, read by a person)
#
# A hospital's model predicts how long patients stay. Its report says: *"The number of nurse visits per day is by far the most important variable (permutation
# importance, on new patients). By cutting visits we will shorten stays."* In one paragraph: say what the importance licenses, draw (in words) a graph in which
# the importance is as high as reported and cutting visits does nothing or harm, say what would be the conditional importance of visits if your third
# variable were measured and why that would not settle the matter, and say what data the hospital needs before it acts.
#
# One point each: what is licensed · a graph with its arrows · the conditional importance in that graph · why neither a zero nor another value would settle it · the data
# that would.

# %% [markdown] written="07.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("07.w")

# %% [markdown]
# {{onward}}

# %%
progress("07")
