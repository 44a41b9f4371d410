# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 00 · Six questions
#
# Seven analysts are given the same small, invented census and the same request: which of ten variables is most important for
# income? Four of them even look at the very same forest. They hand in seven rankings:
#
# | analyst | most important | race comes in place |
# |---|---|---|
# | first | race | 1 |
# | second | education | 3 |
# | third | sex | 3 |
# | fourth | race | 1 |
# | fifth | education | 9 |
# | sixth | education | 10, the last |
# | seventh | occupation | 2 |
#
# What two of them put first another puts last. None of the seven has made a mistake, and you will repeat every one of their computations
# in the next half hour. Which of them is right? Write down what you think before you scroll; section 0.6 comes back to it.
#
# *In this lesson: what "important" can mean, one measure for each meaning, and how this course works. About 45 minutes.*
#
# ## Before we start
#
# Every later lesson begins with three questions on what came before. Nothing came before this one, so here are three about the
# everyday word. Choose an answer and read what comes back; nobody is counting.
#
# The grey box below is a cell of code. Click on it, then hold Shift and press Enter: that runs it, and the questions appear. Go
# through all lessons in this way, from top to bottom, cell by cell; you need not understand the code of a cell to run it.

# %%
from course_lib.learner import may_i_say, pre_test, predict, recall, reveal

recall("00")

# %% [markdown] slideshow={"slide_type": "skip"}
# ## 0.1 Is everything in place?
#
# The next cell looks at Python, the packages and the folder in which your answers are kept. Run it, again with Shift and Enter.

# %%
from course_lib.learner import ready

ready()

# %% [markdown]
# ## 0.2 What you think today
#
# Ten questions, before anything has been explained. Say how sure you are of each answer: being wrong and
# unsure is different from being wrong and certain. There is no grade and, for now, no solution. In the last lesson the same ten
# come back, and you will see what has changed. Your first answer counts; it stays on this machine.

# %%
pre_test()

# %% [markdown]
# ## 0.3 One world, one forest
#
# This is the world of the puzzle. An arrow says that one variable acts on another, with the strength beside it. Who invents a world
# knows the truth about it: that is why most lessons of this course live in invented ones. (The arrows follow an example by
# König and colleagues. The strengths are made up, every column is a standardised score, even sex, and nothing here is a
# claim about people.)

# %%
from course_lib.plots import picture, plot_graph, plot_importances, plot_rankings
from course_lib.worlds import make_census_world

world = make_census_world()
names = [name for name in world.variables if name != "income"]
places = dict(
    zip(names[3:], [(2, h) for h in (3, 2, 1, 0, -1.2, -2.6, -3.6)], strict=True)
)
places |= {"age": (0, 2), "sex": (0, -0.4), "race": (0, -2.5), "income": (4.2, -0.7)}
picture(
    plot_graph(world, places, target="income"),
    alt="Age acts on income only through capital gain, education and hours; sex and race "
    "act directly and through others. Education and occupation have the strongest arrows.",
)

# %% [markdown]
# Education and occupation have the strongest arrows into income, race and sex act both directly and through others, and no arrow leads
# from age to income. Now six hundred people to learn from, six hundred new ones to measure on, and one forest.

# %%
from sklearn.ensemble import RandomForestRegressor

people = world.sample(1200, random_state=4)
X, y = people[names][:600], people["income"][:600]
X_new, y_new = people[names][600:], people["income"][600:]
forest = RandomForestRegressor(60, min_samples_leaf=3, random_state=0).fit(X, y)
round(forest.score(X_new, y_new), 2)

# %% [markdown]
# It explains more than three quarters of the variance among new people, a decent model by any standard. Seven rankings
# of its ten columns are about to be computed. Before you see them:

# %%
predict("00.1")

# %% [markdown]
# ## 0.4 Seven computations
#
# **The first analyst** asks what *this forest* relies on. She shuffles one column among the new people, which cuts its tie to
# everything else, and notes by how much the squared error grows. That is **permutation importance**, and its question is our Q1:
# how important is the variable to a given model?

# %%
from course_lib.measures import (
    conditional_permutation_importance,
    permutation_importance,
)

to_forest = permutation_importance(forest, X_new, y_new, n_repeats=5, random_state=0)
picture(
    plot_importances(to_forest),
    alt="Permutation importance in the forest: race first, education second, occupation "
    "third, then sex; age last, close to zero.",
)

# %% [markdown]
# Race first, and by a margin: this forest leans on race. Does it follow that forests need race?

# %%
predict("00.2")

# %%
import numpy as np
from sklearn.base import clone


def error_without(*dropped):
    """Squared error, on the new people, of a forest grown without some columns."""
    kept = [name for name in names if name not in dropped]
    again = clone(forest).fit(X[kept], y)
    return np.mean((again.predict(X_new[kept]) - y_new) ** 2)


change = abs(error_without("race") / error_without() - 1)
what = "changes by less than a tenth" if change < 0.1 else "grows by about a half"
reveal("00.2", what)

# %% [markdown]
# The forest relies on race; the *algorithm* that grew it does not need race. Two sentences with the same word in them, and both are true.
#
# **The second analyst** finds shuffling unfair, because race tells much about occupation and marital status, and shuffling makes
# people such as the world hardly ever holds. She draws each column again *given the other nine*, by the world's own law, so that only what
# it alone knows is lost. That is Q2: how important is its **unique information** to this forest?

# %%
from course_lib.worlds import GaussianSampler

truth = world.covariance().loc[names, names]
given_the_rest = GaussianSampler.from_moments(world.mean()[names], truth)
unique = conditional_permutation_importance(
    forest, X_new, y_new, sampler=given_the_rest, n_repeats=5, random_state=0
)
unique.to_frame()["importance"].nlargest(3).round(2)

# %% [markdown]
# **The third analyst** has been asked by person 754, whose predicted income is low, why that is. He shares out the difference between
# her prediction and the average one among her ten columns. These are SHAP values, and the question is Q3: how important is
# the variable to **one prediction**? For a ranking he takes their size without the sign. But before you see hers:

# %%
predict("00.3")

# %%
from course_lib.measures import tree_shap

shares = tree_shap(forest, X_new[:200])
largest = np.abs(shares.values).argmax(axis=1)
reveal("00.3", int(np.sum(largest == names.index("race"))))

# %% [markdown]
# Person 754 is one of the others; we chose her for that, as we chose this sample, out of six, because its seven rankings disagree
# in plain view. In another sample another variable may lead, and the disagreement stays. Her three largest shares, in the unit of income:

# %%
hers = shares.to_frame().set_index(X_new.index[:200]).loc[754, names]
hers.sort_values(key=abs, ascending=False).head(3).round(2)

# %% [markdown]
# **The fourth analyst** does not look at new people at all. He adds up what the splits on each column achieved while the forest
# was grown: the **mean decrease of impurity**, which scikit-learn prints as `feature_importances_`. It credits what the
# learning algorithm did with the training sample, Q4.

# %%
from course_lib.measures import mdi

credit = mdi(forest)
credit.to_frame()["importance"].nlargest(3).round(2)

# %% [markdown]
# **The fifth analyst** says that one forest is an accident. She takes *all* linear models whose error is at most 0.1 above the
# least possible, and asks of each variable how much they rely on it **at least**. What is large here is needed by every good
# model of the class: Q5. **The sixth** does the same with unique information only: Q6.

# %%
import pandas as pd

from course_lib.measures import LinearRashomonSet

good = LinearRashomonSet(X_new, y_new, epsilon=0.1)
ranges = {j: good.model_class_reliance(j, as_ratio=False) for j in names}
unique_ranges = {
    j: good.conditional_model_class_reliance(j, as_ratio=False) for j in names
}
pd.concat(r.to_frame() for r in ranges.values()).round(2)

# %% [markdown]
# Look at how wide these ranges are. For eight of the ten there is a good model that hardly relies on them, and for most of the eight another one
# that relies on them heavily. Only education and occupation are needed by every good model, and not just a little.
#
# > **What the textbook says.** One reads that the least a model can do with a variable is to ignore it. Some of the lower ends are below
# > zero: among the good models there are some that use the variable in the wrong direction, a little, and would do
# > better with it shuffled. Small negative numbers are results, not errors.
#
# **The seventh analyst** has no model. He asks what each variable tells about income in this world, whatever one does with it, and shares the
# variance that can be explained at all fairly among the ten: **conditional SAGE** of the best predictor there is. In an
# invented world it can be computed exactly.

# %%
from course_lib.measures import linear_gaussian

best = dict(world.least_squares("income", names))
told = linear_gaussian(world, "income", best).sage("conditional")
told.to_frame()["importance"].nlargest(3).round(2)

# %% [markdown]
# ## 0.5 All together
#
# Each column of the picture will be one question, each line one variable, with the first place on top.

# %%
from course_lib.studies import agreed_pairs, ranks_of

values = pd.DataFrame(
    {
        "Q1": to_forest.importances_mean,
        "Q2": unique.importances_mean,
        "Q3": np.abs(hers.to_numpy()),
        "Q4": credit.importances_mean,
        "Q5": [r.low for r in ranges.values()],
        "Q6": [r.low for r in unique_ranges.values()],
        "Distribution": told.importances_mean,
    },
    index=names,
)
ranks = ranks_of(values)

# %%
picture(
    plot_rankings(ranks, highlight=["race", "education_num", "occupation", "sex"]),
    alt="Lines of ten variables through seven rankings, crossing all over. Race is first by "
    "Q1 and Q4, last by Q6 and second by the distribution; education is first by Q2, Q5 and "
    "Q6; sex is first by Q3; occupation by the distribution.",
)

# %% [markdown]
# Four different winners, and no variable keeps its place. (In the last column capital gain and hours tie for place 9.) But do they agree
# at least on pairs? You committed to a number of pairs on which all seven agree.

# %%
reveal("00.1", agreed_pairs(ranks))

# %% [markdown]
# ## 0.6 Which one is right?
#
# All of them, each about its own question. "Important" is half a sentence, like "taller": it needs a *than*, and importance needs
# a *to what*. Cynthia Rudin has sorted the possible endings into six questions, and they are the spine of this course. The last row is not
# on her list; it asks about the world and not about a model.
#
# | | important to ... | measures | lessons |
# |---|---|---|---|
# | Q1 | a given **model** | permutation importance, model reliance | 03, 08 |
# | Q2 | a given model, by its **unique information** | conditional permutation, conditional model reliance | 03 |
# | Q3 | one **prediction** of a given model | Shapley values, local MDI | 04, 06 |
# | Q4 | a given **algorithm** on a data set | mean decrease of impurity, algorithm reliance | 01, 02, 03 |
# | Q5 | **any good model** of a class | model class reliance | 09 |
# | Q6 | any good model, by its unique information | conditional model class reliance | 09 |
# | | the **data distribution** itself | MDI of infinitely many random trees, conditional SAGE | 05, 08 |
#
# Nobody expects you to know these measures yet. What to take along is the habit of asking. Every result of the course's library carries its
# question and shows it, so that no number travels without one:

# %%
told

# %% [markdown]
# What is missing from the table is the meaning that many readers have in mind: what would happen if somebody *changed* the
# variable? None of the seven numbers says that. Lesson 07 does.
#
# ## 0.7 Turn the knob
#
# Most lessons have a picture that moves. Here is this one at rest, with age drawn thick.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import rankings_explorer

explorer = rankings_explorer(ranks, "race")
explorer.figure(variable="age", question="Q4")

# %% [markdown]
# Below it is alive. It has a goal, and it notices when you have reached it. With Tab and the arrow keys you can do without the mouse.

# %%
explorer

# %% [markdown]
# A control can also be set by a line of code, and whatever the picture shows can be read as text:

# %%
explorer.controls["question"].value = "Distribution"
print(explorer.readout_text)

# %% [markdown]
# Follow age for a moment. No arrow leads from age to income, so once the other nine are known there is nothing left for age to say,
# and by Q2 it is last. Yet by the distribution it is ahead of capital gain and hours, two variables that do act on income directly.
#
# ## 0.8 May I say this?
#
# Six sentences about the picture with the many lines. Which of them do the numbers license?

# %%
may_i_say("00.a")

# %% [markdown]
# ## 0.9 How this course works
#
# Every lesson begins with something that cannot be, asks for your **prediction** before it shows what happens, and keeps the first one you
# commit to. A guess that turns out wrong is worth more than none, because you will remember what broke it. Each lesson has an
# **exercise** of its own: you fill in a cell, `check("00.1", ...)` says *not attempted*, *not yet* or *correct*, and
# `hint("00.1")` helps one step at a time. Checks know the usual slips and can be repeated as often as you like.
#
# You work on copies: an update of the course never overwrites what you have written. Your answers are in the
# file `progress.json` beside this notebook, and go nowhere. When you come back another day, choose *Run All Cells* in the menu
# *Run* first: the pictures move again, and what you committed to is still there.
#
# ## 0.10 The map
#
# Where each measure is taught, and which question it answers. Lessons stand beside the questions they answer, not in the order of
# their numbers. Come back to it when a name turns up that you have lost.

# %%
from course_lib import lessons
from course_lib.plots import map_text, plot_map

titles = {lesson.number: lesson.title for lesson in lessons.available()}
picture(plot_map(titles), alt=map_text())

# %% [markdown]
# ## Keep this
#
# One world, one forest, seven rankings, all correct, and agreement on a minority of the pairs. **A variable is never important; it is
# important to something.** Ask to what, and many a quarrel about importance turns out to be two answers to two questions.
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1 to Q6, and the distribution | one or more for each | 0 for a difference, 1 for a ratio | a number without its question is not a result |
#
# What is still wrong: you have used seven measures without knowing how a single one of them works. [Lesson 01](01_mdi.ipynb) opens the first, the one that
# scikit-learn prints by default.
#
# ## Practise
#
# The exercise [00_six_questions](exercises/00_six_questions.ipynb) is short and easy, to get used to checks and hints. Your progress so far:

# %%
from course_lib.learner import progress

progress("00")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Rudin's course notes on variable importance for the six questions; König, Freiesleben, Bischl, Casalicchio and Grosse-Wentrup
# (DEDACT), example 2, for the arrows of the census; Fisher, Rudin and Dominici (2019) for model reliance and model class reliance; Breiman (2001) for permutation importance and the
# mean decrease of impurity; Lundberg and colleagues (2020) for tree SHAP; Covert, Lundberg and Lee (2020) for SAGE.
#
# *Words of this lesson:* [misconceptions](glossary.md#misconceptions), [question](glossary.md#question). All words and
# symbols are in the [glossary](glossary.md), the works in the [references](references.md), and all lessons and measures
# on the map in 0.10.
