# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 10 · A report you can defend
#
# Somebody has measured the same eight things in 178 bottles of wine and asks you which of them matters most for a ninth.
# You fit one model. You ask six questions about it, and each question has a measure that answers it exactly.
#
# Your reader turns to the pages in the wrong order. On one page stands: *flavanoids, first of eight.* On another:
# *flavanoids, last of eight.* Both pages are right, and the reader is on the telephone. What do you say?
#
# *In this lesson: a real table and its data card, the six answers side by side, why they differ, how much of it is luck, which
# sentences survive, and what you have learnt since lesson 00. About 60 minutes, and the exercise is the report itself.*

# %% [markdown]
# ## Before we start
#
# Three questions on what came before, from memory.

# %%
from course_lib.learner import gain, may_i_say, post_test, predict, recall, reveal

recall("10")

# %% [markdown]
# ## 10.1 The data card
#
# A report begins with where its numbers come from. This is as much as is known:
#
# | | |
# |---|---|
# | what | 178 wines, nine of the thirteen laboratory measurements that scikit-learn ships as `load_wine` |
# | who, when | M. Forina and colleagues, Institute of Pharmaceutical and Food Analysis and Technologies, Genoa; given to the UCI archive in 1991 |
# | which wines | one region of Italy, three growers (59, 71 and 48 wines), stored grower by grower; scikit-learn says cultivators, the archive says cultivars, so "grower" may mean the grape |
# | response here | `proline`, an amino acid, in standard deviations from its mean: its variance is 1 |
# | response in the exercise | `alcohol`, from the other eight |
# | left out | ash and its alcalinity, nonflavanoid phenols, proanthocyanins, and the grower |
# | not known | how the wines were chosen, the vintages, the error of each measurement |
# | not for | any statement about wine in general, and any about what happens when somebody changes a wine |
#
# Lesson 02 asked this table for the grower. Here nobody asks for the grower; keep the line that says it was left out.

# %%
from course_lib.worlds import load_wines

X, proline = load_wines("proline")
X.describe().loc[["mean", "std", "min", "max"]].round(2)

# %% [markdown]
# The wines are stored grower by grower, so the first half of the table would hold no wine of the third grower. We take every second
# wine to fit to, and measure on the others.

# %%
X_fit, y_fit = X[::2], proline[::2]
X_test, y_test = X[1::2], proline[1::2]
len(X_fit), len(X_test)

# %% [markdown]
# One more look before any importance. Several of the eight columns know the same thing:

# %%
related = ["phenols", "flavanoids", "dilution", "hue"]
X[related].corr().round(2)

# %% [markdown]
# Commit yourself now.

# %%
predict("10.1")

# %% [markdown]
# ## 10.2 One model, six answers
#
# The model is least squares. It is the one model of this course for which all six questions have exact answers, so whatever
# disagrees below is not a matter of random shuffles.

# %%
from sklearn.linear_model import LinearRegression

model = LinearRegression().fit(X_fit, y_fit)
round(model.score(X_test, y_test), 2)

# %% [markdown]
# About half of the variance of the test wines. Now the six, each as a difference that is 0 for "not important":
#
# | | question: important to ... | measure |
# |---|---|---|
# | Q1 | this model | error with the column exchanged, over all pairs of test wines, minus error |
# | Q2 | this model, by its unique information | the same, exchanging only what the other columns cannot tell |
# | Q3 | one prediction | $b_j (x_j - \bar x_j)$ for the first test wine |
# | Q4 | least squares, as an algorithm | test error fitted without the column, minus test error |
# | Q5 | any good linear model | the most that a model within 5 % of the least training error relies on it |
# | Q6 | any good linear model, by its unique information | the same, for what only the column knows |
#
# Each of them has had its lesson; the library's `six_answers` does no more than call them one after the other.

# %%
from course_lib.measures import six_answers

report = six_answers(X_fit, y_fit, X_test, y_test, instance=0, slack=0.05)
report.values.round(3)

# %% [markdown]
# Six columns, six units of meaning, and a reader who looks at the largest number. So turn each column into places; for Q3, where
# a contribution may be negative, by its size.

# %%
from course_lib.plots import picture, plot_gain, plot_rankings, plot_repeats

picture(
    plot_rankings(report.ranks, highlight=["flavanoids", "phenols"]),
    alt="Places of eight variables by six questions. Flavanoids are second for Q1, fifth for Q2, "
    "first for Q3, last for Q4, first for Q5, fourth for Q6. Alcohol is first for Q1, Q2, Q4 and Q6.",
)

# %%
turned = report.ranks.index[report.spread == len(X.columns) - 1]
reveal("10.1", f"yes, {turned[0]}")

# %% [markdown]
# ## 10.3 Read it with the questions
#
# Alcohol is no puzzle: first for four of the six. Flavanoids are one. Start with the two places that are furthest apart for the same
# model and the same wines: second for Q1, last for Q4.

# %%
predict("10.2")

# %%
change = report.values.loc["flavanoids", "Q4"]
reveal("10.2", "it falls" if change < 0 else "it grows, but much less")

# %% [markdown]
# Q1 asks the fitted model, which has learnt to listen to flavanoids and is now told lies in their name. Q4 lets least squares
# learn again, and it listens to the correlated columns instead. To know what the *model* leans on, read Q1. To know
# whether the laboratory may stop measuring it, read Q4.
#
# And the first place for Q5? Here is how a good model can lean on flavanoids much more than the fit does, or hardly at all. Each
# coefficient is multiplied by the standard deviation of its column.

# %%
import pandas as pd

from course_lib.measures import LinearRashomonSet

least = ((y_fit - model.predict(X_fit)) ** 2).mean()
good = LinearRashomonSet(X_fit, y_fit, epsilon=0.05 * least)
ends = good.model_class_reliance("flavanoids", as_ratio=False)
models = {"leans least": ends.low_model, "fit": model, "leans most": ends.high_model}
pd.DataFrame({name: m.coef_ * X_fit.std() for name, m in models.items()}).round(2)

# %% [markdown]
# Three models with nearly the same training error. What flavanoids gain from left to right, phenols and dilution give back. "How
# important are flavanoids?" has no answer that holds for all three; "at most this much, at least that much" has.
#
# > **What the textbook says.** Rudin's notes read a conditional reliance that shows nothing as a sign that the other variables can replace this one.
# > It can also mean that the model ignores it. Both cases are in our table, in column Q2: flavanoids are near 0 because the others
# > could tell; phenols are near 0 because this model gives them a coefficient near 0. The middle column above tells the two apart,
# > the number alone does not.

# %% [markdown]
# ## 10.4 Two that must agree
#
# Disagreement is not a law. Suppose the six had been measured on the wines that the model was fitted to.

# %%
predict("10.3")

# %%
on_fit = six_answers(X_fit, y_fit, X_fit, y_fit)
ratio = on_fit.values["Q2"] / on_fit.values["Q4"]
ratio.round(6).to_frame("Q2 / Q4, on the fitted wines")

# %%
n = len(X_fit)
same = (ratio - 2 * n / (n - 1)).abs().max() < 1e-6
reveal("10.3", "Q2 and Q4" if same else "no two of them")

# %% [markdown]
# The ratio is $2n/(n-1)$, here $178/88$, for every column and for any data (lesson 09). On the test wines the
# two go their own ways, and only there can Q4 be negative. Train or test is part of the question.

# %% [markdown]
# ## 10.5 Turn the knob
#
# The two columns of the next picture are any two of the six. Below it stand the sentences that the two measures license about the
# strong variable.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import report_explorer

explorer = report_explorer()
explorer.figure(left="Q1", right="Q2", variable="magnesium")

# %% [markdown]
# Find a variable that one measure puts first and another one last. There is more than one pair of measures that does it. For each, read
# the two sentences aloud: there is no contradiction between them, only between their headlines.

# %%
explorer

# %% [markdown]
# By code, the pair of section 10.3, which is close to the goal:

# %%
for name, value in {"left": "Q1", "right": "Q4", "variable": "flavanoids"}.items():
    explorer.controls[name].value = value
print(explorer.readout_text)

# %% [markdown]
# ## 10.6 How much of it was this half?
#
# You have an explanation for the last place, and it is a good one. Before it goes into a report, ask whether the last place would have
# come up with other wines. We halve the table at random, thirty times, and compute Q4 anew.

# %%
predict("10.4")

# %%
import numpy as np

from course_lib.measures import algorithm_reliance
from course_lib.results import Importances


def q4_of_a_random_half(seed):
    order = np.random.default_rng(seed).permutation(len(X))
    fit, test = order[: len(X) // 2], order[len(X) // 2 :]
    held_out = {"X_test": X.iloc[test], "y_test": proline.iloc[test]}
    return algorithm_reliance(
        LinearRegression(), X.iloc[fit], proline.iloc[fit], **held_out, as_ratio=False
    )


# %%
halvings = Importances.from_repeats([q4_of_a_random_half(seed) for seed in range(30)])
last = [X.columns[k] for k in halvings.importances.argmin(axis=0)]
reveal("10.4", last.count("flavanoids"))

# %%
picture(
    plot_repeats(halvings),
    alt="Algorithm reliance in thirty random halves: alcohol is above 0 in all of them and far ahead; "
    "magnesium is above 0 in most; the clouds of the other six lie around 0 and overlap.",
)

# %% [markdown]
# What survives: alcohol is the one measurement that least squares misses in every half, and magnesium helps in most. What does not: the
# order of the remaining six, whose clouds overlap and reach to both sides of 0. "Last of eight" was true of our 89 wines, and a report
# that prints it owes its reader this picture. The reason behind it, that flavanoids can be replaced, survives as well: their cloud
# lies around 0.

# %% [markdown]
# ## 10.7 The column that is not there
#
# The data card has a line on who made the wines. Compare the correlation with proline over all wines with the correlation
# *within* growers, where each wine is measured from the mean of its grower's wines.

# %%
from sklearn.datasets import load_wine

table = X.assign(proline=proline)
within = table - table.groupby(load_wine().target).transform("mean")
pd.DataFrame(
    {"all wines": table.corr()["proline"], "within growers": within.corr()["proline"]}
).drop("proline").round(2)

# %% [markdown]
# Between two wines of the same grower, flavanoids tell next to nothing about proline, and alcohol little. Much of what all six
# measures have credited so faithfully is *whose wine it is*: soil, grape and cellar stand behind both columns. None of the six is
# wrong about prediction; none of them could have warned you. Only the data card could.

# %% [markdown]
# ## 10.8 May I say this?
#
# The picture of section 10.2 once more, and seven sentences that somebody would like to print.

# %%
picture(
    plot_rankings(report.ranks, highlight=["flavanoids", "alcohol"]),
    alt="Places of eight variables by six questions: alcohol first for Q1, Q2, Q4 and Q6; flavanoids "
    "second for Q1, first for Q3 and Q5, last for Q4; phenols last for Q1, Q3 and Q6.",
)

# %%
may_i_say("10.a")

# %% [markdown]
# ## 10.9 Ten questions, again
#
# In lesson 00 you answered ten questions, one for each misconception that this course wants to break, and nobody told you what was
# right. Here they are again. This time you get an answer to your answers.

# %%
post_test()

# %% [markdown]
# And this is what changed. Each row is one misconception. Left of the middle the answer was wrong, right of it right, and the further out, the
# surer you were. Two things are worth looking for: arrows to the right, and answers far out on the left, which are the ones that
# end up in reports. Until both tests are answered, the picture shows a made-up learner.

# %%
mine, who = gain(), "you"
if mine[["before", "after"]].isna().any(axis=None):
    who = "a made-up learner, not you"
    mine["before"] = [0, 0, 1, 0, 1, 0, 1, 0, 0, 0]
    mine["after"] = [1, 1, 1, 1, 1, 0, 1, 1, 1, 1]
    mine["confidence_before"] = [95, 75, 50, 75, 75, 95, 75, 50, 75, 50]
    mine["confidence_after"] = [95, 75, 75, 95, 95, 50, 95, 75, 75, 75]

# %%
right = mine[["before", "after"]].sum().astype(int)
picture(
    plot_gain(mine, who=who),
    alt=f"Ten questions, answered by {who}: {right['before']} right before the course, "
    f"{right['after']} right after it. The table below has every answer.",
)

# %%
mine.astype(int)

# %% [markdown]
# Of the answers that somebody calls 75 % sure, three in four should be right. The average in the legend against the number of right
# answers says whether that person may trust the feeling.

# %% [markdown]
# ## Keep this
#
# A report on importance consists of sentences that name what a variable is important to, on which data, by which
# measure, with what spread, and what follows from none of them. **When two correct measures disagree, the disagreement is the finding: say
# which two questions were asked.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1 to Q6, side by side | `six_answers(...)`, ranked per question | 0 in each column | compare places, not values; places near 0 are luck; nothing causal |
#
# What is still wrong: the growers are not in the table, the model is a straight line, and 178 wines are few. No lesson mends that. A
# data card that says so is the best there is.

# %% [markdown]
# ## Practise
#
# The exercise [10_capstone](exercises/10_capstone.ipynb) is yours: the same wines, another response, `alcohol`; six numbers that are
# checked, and half a page that a person reads. Your progress so far:

# %%
from course_lib.learner import progress

progress("10")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Rudin's notes on variable importance for the six questions; Fisher, Rudin and Dominici (2019) for model class reliance; Forina et
# al., *PARVUS*, and the UCI Machine Learning Repository for the wines (CC BY 4.0), as shipped by scikit-learn.
#
# All words and symbols are in the [glossary](glossary.md), the works in the [references](references.md), and all
# lessons and measures on the map at the end of [lesson 00](00_six_questions.ipynb).
