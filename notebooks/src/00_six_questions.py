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
# Seven analysts are given the same small, invented census and the same request: which of ten variables is most important for predicting
# income? They hand in seven rankings. Two of them put *race* first, and two others put it in a shared last place. None of the seven has made a mistake. Which of them is right?
#
# In the picture that follows, each line is a variable, each column an analyst, and the first place is on top; a grey bar spans places that are shared. The line of *race* is the thick one.
#
# *In this lesson: what "important" can mean, one measure for each meaning, and how this course works. About 45 minutes.*

# %% [markdown] slideshow={"slide_type": "skip"}
# In JupyterLab the cell below shows three dots: code that is folded away, because it only draws. Click on it, then hold Shift and press
# Enter. That runs it, and the picture appears. Go through all lessons in this way, from top to bottom, cell by cell; you need not
# understand the code of a cell to run it. On the course's web pages there is nothing to run.

# %% jupyter={"source_hidden": true}
from course_lib.plots import picture, plot_graph, plot_importances, plot_rankings
from course_lib.studies import agreed_pairs, ranks_of, seven_rankings

#| holds list(seven_rankings().loc["race"]) == [1, 3, 3, 1, 10, 10, 2]
ax = plot_rankings(seven_rankings(), highlight=["race"])
ax.figure.set_size_inches(7.6, 3.8)
picture(
    ax,
    alt="Lines of ten variables through seven rankings, crossing all over. Race has the "
    "places 1, 3, 3, 1, twice shares 6 to 10, and has place 2.",
)
#| says Each line is a variable, each column an analyst; a grey bar spans shared places. Follow *race*: two of the seven put it first, two others in a shared last place. None has made a mistake. Which of them is right?

# %% [markdown]
# Here is what each of the seven has computed, in words. You will repeat all of their computations in the next half hour.
#
# | analyst (column of the picture) | asked how important a variable is to ... | and computed | winner | race |
# |---|---|---|---|---|
# | first (Q1, a given model) | the model they share, a forest | how much its error grows when the column is shuffled | race | 1 |
# | second (Q2, its unique part) | the same forest, by unique information | the same, with random values that fit the other nine columns | education | 3 |
# | third (Q3, one prediction) | the forest's prediction for one person | the column's share in that prediction | sex | 3 |
# | fourth (Q4, an algorithm) | the algorithm that grew the forest | what the splits on the column achieved during the growth | race | 1 |
# | fifth (Q5, any good model) | any good model | the least that a good linear model relies on it | education | last |
# | sixth (Q6, its unique part) | any good model, by unique information | the least reliance, for the part that the others cannot predict | education | last |
# | seventh (the distribution) | no model, but the population | its fair share of the part of income that can be predicted | occupation | 2 |
#
# By the fifth and the sixth, race shares the last place with four others: for each of these five there is a good model that does without it.
#
# We drew six samples and picked this one because its rankings differ so plainly. In most samples like it occupation leads the first
# column; race leads in about one of six. Write down which of the seven rankings you would have handed in; section 0.6 comes back to it.
#
# ## Before we start
#
# Early in every lesson come three questions, and you learn at once whether you were right. In later lessons they are about what came before. Nothing came before this one, so here are
# three about the everyday word *important*. Choose an answer and read what is said to it.

# %%
from course_lib.learner import may_i_say, pre_test, predict, recall, reveal

recall("00")

# %% [markdown]
# ## 0.1 One world, one forest
#
# This is the world of the puzzle. An arrow says that one variable acts on another, and the number beside it says how strongly. Every variable is a sum over
# the arrows that lead to it, strength times value, plus chance. In an invented world the truth is known; that is why most lessons of this course work with one. The arrows follow an example by König and colleagues; the
# strengths are made up, and nothing here is a claim about people. Every column but income, even sex and race, is a score with mean 0 and variance 1. Chance is
# normally distributed, so that facts about the whole population can be computed exactly, not just estimated.

# %% jupyter={"source_hidden": true}
from course_lib.worlds import make_census_world

world = make_census_world()
names = [name for name in world.variables if name != "income"]
heights = (2.3, 1.65, 1.0, 0.4, -0.45, -1.7, -2.3)
places = {name: (1.65, y) for name, y in zip(names[3:], heights, strict=True)}
places |= {"age": (0, 1.65), "sex": (0, -0.03), "race": (0, -2.0), "income": (3.85, 0)}
picture(
    plot_graph(world, places, target="income"),
    alt="Age acts on income only through capital gain, education and hours; sex and race "
    "act directly and through others. Education and occupation have the strongest arrows.",
)
#| says An arrow says that one variable acts on another, the number beside it how strongly. Education and occupation have the strongest arrows into income, race and sex act both directly and through others, and no arrow leads from age to income.

# %% [markdown]
# Education and occupation have the strongest arrows into income, race and sex act both directly and through others, and no arrow leads
# from age to income. We draw {{six hundred | len(X) == 600}} people to learn from and {{six hundred | len(X_new) == 600}} new ones to measure on, and grow one
# forest: {{sixty | len(forest.estimators_) == 60}} decision trees, each a cascade of yes-or-no questions about the columns, whose answers are averaged. This is the share of the variance
# among the new people that it explains:

# %%
from sklearn.ensemble import RandomForestRegressor

people = world.sample(1200, random_state=4)
X, y = people[names][:600], people["income"][:600]
X_new, y_new = people[names][600:], people["income"][600:]
forest = RandomForestRegressor(60, min_samples_leaf=3, random_state=0).fit(X, y)
round(forest.score(X_new, y_new), 2)

# %% [markdown]
# {{More than three quarters | 0.75 < forest.score(X_new, y_new) < 0.8}}. A linear model would do better here, with {{0.88 | __import__("sklearn.linear_model").linear_model.LinearRegression().fit(X, y).score(X_new, y_new)}}, but forests like this one are what many people use. You
# have seen the lines cross. Without counting:

# %%
predict("00.1")

# %% [markdown]
# ## 0.2 The first computation
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

# %% jupyter={"source_hidden": true}
#| holds list(to_forest.to_frame()["importance"].sort_values().index[[-1, -2, -3, -4, 0]]) == ["race", "education_num", "occupation", "sex", "age"]
picture(
    plot_importances(to_forest),
    alt="Permutation importance in the forest: race first, education second, occupation "
    "third, then sex; age last, close to zero.",
)
#| says A forest has learnt from {{600 | len(X)}} people. The axis shows by how much its squared error, averaged over {{600 | len(X_new)}} new people, grows when a column is shuffled. Race comes first, and by a margin: this forest relies on race.

# %% [markdown]
# The axis shows by how much the squared error, averaged over the new people, grows when a column is shuffled. Race comes first, and by a margin: this forest relies on race. (A dot is the mean of five shuffles,
# and its bar the 95 % interval of that mean: how far other shuffles might move it.) Does it follow that forests need race?

# %%
predict("00.2")

# %% jupyter={"source_hidden": true}
import numpy as np
from sklearn.base import clone


def error_without(*dropped):
    """Squared error, on the new people, of a forest grown without some columns."""
    kept = [name for name in names if name not in dropped]
    again = clone(forest).fit(X[kept], y)
    return np.mean((again.predict(X_new[kept]) - y_new) ** 2)


# %% jupyter={"source_hidden": true}
growth = error_without("race") / error_without() - 1
outcome = "grows by a tenth or more, but does not double"
outcome = "grows by less than a tenth, or falls" if growth < 0.1 else outcome
reveal("00.2", "more than doubles, too" if growth > 1 else outcome)

# %% [markdown]
# ## 0.3 What you think today
#
# Before the other six analysts have their turn, answer ten questions on what you think about importance today: on your own, in the notebook or on the course's web page. Say how sure you are of each answer: to be wrong and
# unsure is one thing, to be wrong and certain another. There is no grade and, for now, no solution. In the last lesson the same ten
# come back, and you will see what has changed. Your first answer counts; it stays on your own machine.

# %%
pre_test()

# %% [markdown]
# ## 0.4 Six more computations
#
# **The second analyst** finds shuffling unfair. Race is associated with occupation and marital status, so shuffling it creates people who hardly
# exist in this world. She draws each column again *given the other nine*, from the true distribution, so that only what
# the others cannot predict is lost. That is Q2: how important is its **unique information** to this forest?

# %% jupyter={"source_hidden": true}
from course_lib.worlds import GaussianSampler

truth = world.covariance().loc[names, names]
given_the_rest = GaussianSampler.from_moments(world.mean()[names], truth)
unique = conditional_permutation_importance(
    forest, X_new, y_new, sampler=given_the_rest, n_repeats=5, random_state=0
)
unique.to_frame()[["importance"]].nlargest(3, "importance").round(2)

# %% [markdown]
# By unique information (Q2) {{education is first and race third | list(unique.to_frame()["importance"].nlargest(3).index) == ["education_num", "occupation", "race"]}}.
#
# **The third analyst** gets a letter from person 754: why is the income that the forest predicts for her so low? He divides the difference between
# her prediction and the average one among her ten columns. These shares are SHAP values, and the question is Q3: how important is
# the variable to **one prediction**? A share can be negative; to rank the columns he takes its size, without the sign. But before you see hers:

# %%
predict("00.3")

# %%
from course_lib.measures import tree_shap

shares = tree_shap(forest, X_new[:200])
largest = np.abs(shares.values).argmax(axis=1)
reveal("00.3", int(np.sum(largest == names.index("race"))))

# %% [markdown]
# Person 754 is one of these others; that is why we chose her. Her three shares of the largest size, in the unit of income:

# %%
hers = shares.to_frame().set_index(X_new.index[:200]).loc[754, names]
#| says The forest predicts {{less | hers.sum() < 0}} for person 754 than on average, and the ten columns share out the difference, in the unit of income. These are the three largest shares: {{sex comes first, and race third | list(hers.abs().nlargest(3).index) == ["sex", "education_num", "race"]}}.
hers.sort_values(key=abs, ascending=False).head(3).round(2).to_frame("share")

# %% [markdown]
# {{In the prediction for person 754 sex has the largest share, and race the third largest | list(hers.abs().nlargest(3).index) == ["sex", "education_num", "race"]}}.
#
# **The fourth analyst** does not look at new people at all. He adds up what the splits on each column achieved while the forest
# was grown. This is the **mean decrease of impurity**; scikit-learn offers it as `feature_importances_`, after dividing each tree's values by their sum. It credits what the
# learning algorithm did with the training sample: Q4.

# %%
from course_lib.measures import mdi

credit = mdi(forest)
credit.to_frame()[["importance"]].nlargest(3, "importance").round(2)

# %% [markdown]
# By what the splits achieved (Q4), {{race is first | credit.to_frame()["importance"].idxmax() == "race"}}, as it is by shuffling.
#
# **The fifth analyst** says that one forest is an accident. She takes *all* linear models that are nearly as good as the best one: on the new people, their squared error is
# at most 0.1 above {{0.90 | good.least_loss}}, the least that any linear model can reach there. Of each variable she asks how much these models rely on it **at least**. If that is a lot, every good
# model of the class needs the variable: Q5.
#
# **The sixth** does the same, on the same people, with unique information only: Q6. Read the first column of their table from top to bottom; the other two can wait.

# %% jupyter={"source_hidden": true}
import pandas as pd

from course_lib.measures import LinearRashomonSet

good = LinearRashomonSet(X_new, y_new, epsilon=0.1)
ranges = {j: good.model_class_reliance(j, as_ratio=False) for j in names}
own = {j: good.conditional_model_class_reliance(j, as_ratio=False) for j in names}
ends = {
    "at least (Q5)": [r.low for r in ranges.values()],
    "at most (Q5)": [r.high for r in ranges.values()],
    "unique, at least (Q6)": [r.low for r in own.values()],
}
#| says How much good models rely on a variable: here the linear models whose squared error on the new people is at most {{0.1 | good.epsilon}} above the least. For {{five | sum(np.array(ends["at least (Q5)"]) <= 0)}} of the ten the number in the first column is not above zero: some good model does without the variable.
pd.DataFrame(ends, index=names).sort_values("at least (Q5)", ascending=False).round(3)

# %% [markdown]
# For {{five | sum(np.array(ends["at least (Q5)"]) <= 0)}} of the ten variables the least, in the first column, is not above zero: some good model does without the variable. Three more, hours, workclass and
# marital status, are used by every good model, but some of these models use them only a little. Only on education and occupation
# does every good model rely heavily. Now the second column: most of the other eight are heavily relied on, too, by some good model. The ranges of Q5 are wide. The third column, Q6, tells the same story as the first: education and occupation lead, and the same five are not above zero.
#
# > **Often believed:** the least a model can do with a variable is to ignore it. Yet {{five | sum(np.array(ends["at least (Q5)"]) < 0)}} of the numbers under "at least (Q5)" are below
# > zero: some of the good models use the variable in a direction that does not fit the rest of the model, and would do
# > better with it shuffled. Such small negative numbers are results, not errors. But a variable is not needed any less because its number lies further below
# > zero: in the rankings of Q5 and Q6 these five share the last place.
#
# **The seventh analyst** brings no model of his own. In an invented world the best possible predictor of income is known, and he takes that one. Let the ten variables become known one after the
# other, and note what each of them adds to the variance that can be explained. Averaged over all orders of the ten, that is its share. This is **conditional SAGE**, and here it is computed exactly. It describes the
# distribution because the predictor is the *best* one. For any other model it says how much a variable helps through that model, and that can be a negative number.
#
# Look at the lines above his numbers, too. Every result of the course's library carries its question; in the earlier tables we cut it off to save room.

# %%
from course_lib.measures import linear_gaussian

best = dict(world.least_squares("income", names))
told = linear_gaussian(world, "income", best).sage("conditional")
#| says By the fair share of the part of income that can be predicted (the distribution), {{occupation is first and race second | list(told.to_frame()["importance"].nlargest(2).index) == ["occupation", "race"]}}.
told

# %% [markdown]
# ## 0.5 All together
#
# The picture of the opening again, this time from your own seven results, with four variables in colour. {{Four | ranks.idxmin().nunique()}} different winners, and {{no variable | ranks.nunique(axis=1).min() > 1}} keeps its place. (Q5 and Q6
# differ in their numbers, but here not in their places. In the last column capital gain and hours share the last place.)

# %% jupyter={"source_hidden": true}
values = {"Q1": to_forest.importances_mean, "Q2": unique.importances_mean}
values |= {"Q3": np.abs(hers.to_numpy()), "Q4": credit.importances_mean}
values |= {"Q5": ends["at least (Q5)"], "Q6": ends["unique, at least (Q6)"]}
values |= {"Distribution": told.importances_mean}
ranks = ranks_of(pd.DataFrame(values, index=names), at_least=["Q5", "Q6"])
four = ["race", "education_num", "occupation", "sex"]
ax = plot_rankings(ranks, highlight=four)
ax.figure.set_size_inches(7.6, 3.8)
picture(
    ax,
    alt="Lines of ten variables through seven rankings, crossing all over. Race is first by "
    "Q1 and Q4, among the last by Q5 and Q6 and second by the distribution; education is first by Q2, Q5 and "
    "Q6; sex is first by Q3; occupation by the distribution.",
)
#| says There are {{four | ranks.idxmin().nunique()}} different winners, and {{no variable | ranks.nunique(axis=1).min() > 1}} keeps its place in all seven rankings.

# %% [markdown]
# Do they at least agree on most pairs? You have committed to the number of pairs on which all seven agree.

# %%
reveal("00.1", agreed_pairs(ranks))

# %% [markdown]
# ## 0.6 Which one is right?
#
# All of them, each about its own question. "Taller" needs a *than*; "important" needs a *to what*. Cynthia Rudin has sorted the possible endings into six questions, and they are the spine of this course. Her fifth began as "important to the
# data set"; she finds that too general and narrows it to Q5. The last row is not on her list: it asks about the world and not about a model.
#
# | | important to ... | measures | lessons |
# |---|---|---|---|
# | Q1 | a given **model** | permutation importance, model reliance | 03, 08 |
# | Q2 | a given model, by its **unique information** | conditional permutation, conditional model reliance | 03 |
# | Q3 | one **prediction** of a given model | Shapley values, local MDI | 04, 06 |
# | Q4 | a given **algorithm** on a data set | mean decrease of impurity (MDI), algorithm reliance | 01, 02, 03 |
# | Q5 | **any good model** of a class | model class reliance | 09 |
# | Q6 | any good model, by its unique information | conditional model class reliance | 09 |
# | | the **data distribution** itself | MDI of infinitely many random trees, conditional SAGE of the best predictor | 04, 05, 08 |
#
# Even the question does not fix the number. In this sample and with this seed, race is first by what the splits achieved, and last by what is lost without it (both are Q4).
# For the second number the algorithm learns again, without the column: you have seen that without race nothing is lost. (In other samples race is seldom last by the second measure, but in most of them its place is lower by the second than by
# the first.) Rudin's notes measure Q4 in the second way, as *algorithm
# reliance*; to file the first under Q4, too, is this course's own choice. So name the question, and then the measure.
#
# Nobody expects you to know these measures yet. The habit of asking is what to take along. And one meaning is missing from the table, the one that many readers have in mind: what would
# happen if somebody *changed* the variable? None of the seven numbers answers that. Lesson 07 does.
#
# ## 0.7 Turn the knob
#
# Most lessons have a picture that moves. (In a notebook this one comes twice, first at rest, with age drawn thick.) Choose a variable and a question. The picture
# sets you a goal, and notices when you have reached it. With Tab and the arrow keys you can do without the mouse; in a notebook, Escape leads back from a control to its cell.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import rankings_explorer

explorer = rankings_explorer(ranks, "race", highlight=four)
explorer.figure(variable="age", question="Q4")

# %%
explorer

# %% [markdown]
# Follow age for a moment. No arrow leads from age to income, so once the other nine are known, age adds nothing to the best prediction. To the forest it is last
# by its unique information (Q2), and to any good model among the last (Q6). Yet by the distribution it is ahead of capital gain and hours, two variables that do act on income directly.
#
# ## 0.8 May I say this?
#
# Six sentences about the seven rankings. Which of them do the numbers license?

# %%
may_i_say("00.a")

# %% [markdown]
# ## 0.9 How this course works
#
# Every lesson begins with something that seems impossible, asks for your **prediction** before it shows what happens, and keeps the first one you
# commit to. A guess that turns out wrong is worth more than none, because you will remember why it was wrong. Each lesson has an
# **exercise** of its own: you fill in a cell, `check("00.1", ...)` says *not attempted*, *not yet* or *correct*, and
# `hint("00.1")` helps one step at a time. Checks know the usual slips and can be repeated as often as you like.
#
# In JupyterLab you work on copies: an update of the course never overwrites what you have written. Your answers are in the
# file `progress.json` beside the notebook, or, on the web pages, in your browser's own storage; they go nowhere. When you come back to
# JupyterLab another day, choose *Run All Cells* in the menu *Run* first: what you committed to is still there.
#
# In a notebook, the next cell checks Python, the packages and the folder in which your answers are kept.

# %%
from course_lib.learner import ready

ready()

# %% [markdown]
# ## Keep this
#
# One world, seven rankings, all of them correct, and yet they agree on a minority of the pairs only. **A variable is never just important; it is
# important to something.** Ask to what, and many a quarrel about importance turns out to be two answers to two questions.
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1 to Q6, and the distribution | one or more for each | 0 for a difference, 1 for a ratio; by MDI, noise usually gets more than 0 | a number without its question is not a result |
#
# What is still wrong: you have used seven measures without knowing how a single one of them works. [Lesson 01](01_mdi.ipynb) begins with the one that
# scikit-learn's forests bring along.

# %% [markdown]
# ## Further: the map of the course
#
# Each block is a question, each line below it a measure that answers it, with the lesson that teaches it at the right. The colour says what the variable is
# important to: one model (blue), one prediction (orange), an algorithm (green), all good models (purple), the distribution (black). Come back when you meet a name and have forgotten
# where it belongs. *For you:* which question has the most measures, and which measure would you have filed under another one?

# %% jupyter={"source_hidden": true}
from course_lib import lessons
from course_lib.plots import map_text, plot_map

titles = {lesson.number: lesson.title for lesson in lessons.available()}
picture(plot_map(titles), alt=map_text())

# %% [markdown]
# The map helps when you have a name. When you have a question instead, ask the course: say what the variable should be important to (try a given
# model first), and read which measure answers that, which line of code computes it, and what to beware of.

# %%
from course_lib.learner import ask

ask()

# %% [markdown]
# ## Practise
#
# The exercise [00_six_questions](../exercises/00_six_questions/00_six_questions.ipynb) is short and easy, to get used to checks and hints. Your progress so far:

# %%
from course_lib.learner import progress

progress("00")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Rudin's course notes on variable importance for the six questions; König, Freiesleben, Bischl, Casalicchio and Grosse-Wentrup
# (DEDACT), example 2, for the arrows of the census; Fisher, Rudin and Dominici (2019) for model reliance and model class reliance; Breiman (2001) for permutation importance; Breiman, Friedman, Olshen and Stone (1984) and Breiman (2001) for the
# mean decrease of impurity; Lundberg and colleagues (2020) for tree SHAP; Covert, Lundberg and Lee (2020) for SAGE.
#
# *Words of this lesson:* [misconceptions](glossary.md#misconceptions), [question](glossary.md#question). All words and
# symbols are in the [glossary](glossary.md), the works in the [references](references.md), and all lessons and measures
# on the map in this lesson's further part.
