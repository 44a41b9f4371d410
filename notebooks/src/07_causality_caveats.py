# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 07 · It predicts, the model uses it, it changes the outcome
#
# A university predicts exam scores from what its learning platform records. One number carries the whole model:
# how often a student logs in. The importance was measured on students the model had not seen. There is
# no leak in the pipeline, no bug in the code, and no other model could make more of the logins.
#
# So the university sends reminders. Every student now logs in as often as the keenest used to. At the end of the
# year the average score is what it was before, to the last digit.
#
# Nobody has made a mistake with the numbers. What did they say, and what did the university hear? Write
# down your explanation before you scroll.
#
# *In this lesson: four graphs that can stand behind one importance, what do() means for a variable and for the input of a
# model, why a zero can hide a cause, and a card that says which sentence each number licenses. About 60 minutes.*
#
# ## Before we start
#
# Three questions on what came before. Answer from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("07")

# %% [markdown]
# ## 7.1 The report
#
# Here is the university, and two thousand of its students. Both columns are counted in standard deviations from
# the mean, so that 0 is an average student and guessing the average score costs a squared error of 1.

# %%
from course_lib.worlds import make_logins_world

university = make_logins_world()
students = university.sample(2000, random_state=0)[["logins", "score"]]
students.head(3).round(2)

# %% [markdown]
# The model is a straight line, fitted to one half of the students and measured on the other half.

# %%
from sklearn.linear_model import LinearRegression

from course_lib.measures import permutation_importance

train, test = students[:1000], students[1000:]
model = LinearRegression().fit(train[["logins"]], train["score"])
report = permutation_importance(model, test[["logins"]], test["score"], random_state=0)
report.to_frame()[["importance"]].round(1)

# %% [markdown]
# In an infinite sample the line has the slope 0.6. It misses by a squared error of 0.64, and shuffling the logins adds
# $2 \cdot 0.6^2 = 0.72$ to that: with the wrong logins the model is worse than no model at all. By the standards of
# lesson 03 this is as sound a permutation importance as one can wish for.
#
# Now the policy. Each student's logins are raised to 2, two standard deviations above today's average.

# %%
predict("07.1")

# %% [markdown]
# ## 7.2 The policy
#
# A world of the library can be changed from outside. `university.do(logins=2)` is the same university with one
# difference: logins no longer come about as they used to, they *are* 2. Whatever else drives the students stays
# as it is. With the same seed we even get the same students, once as they are and once as they would have been.

# %%
policy = university.do(logins=2)
before, after = (world.sample(2000, random_state=0) for world in (university, policy))
change = after["score"] - before["score"]
reveal("07.1", round(float(change.mean()), 3))

# %% [markdown]
# Not a single student has a different score; the mean of the change is a mean of zeros. Meanwhile the dashboard of the model
# reports a triumph. Three means, before and after:

# %%
import pandas as pd

for table in (before, after):
    table["prediction"] = model.predict(table[["logins"]])
means = pd.DataFrame({"before": before.mean(), "after": after.mean()}).round(1)
means.loc[["logins", "prediction", "score"]] + 0.0  # + 0.0: no minus sign before a zero

# %% [markdown]
# Here is why. The dashed frame marks what nobody had measured.

# %%
from course_lib.plots import picture, plot_graph

picture(
    plot_graph(policy, target="score", hidden=["interest"], before=university),
    alt="Interest, which is not measured, has an arrow to score. Its arrow to logins "
    "is cut, since logins are set to 2 from outside. No arrow leads from logins "
    "to score.",
)

# %% [markdown]
# Students who take an interest in the subject log in often, and they score well. Logins are a thermometer: reading
# it tells who will do well, and holding a flame to it makes no summer. Setting logins
# cuts the arrow from interest to logins, and from then on logins tell nothing. A variable such as interest,
# which acts on both, is a **confounder**.
#
# ## 7.3 Seeing, feeding, doing
#
# There are three ways to put a 2 where the logins are, and ordinary language has one phrase for all of them, *if logins are 2*.
#
# *Seeing:* look for students who have about 2 anyway, and note their scores. *Feeding:* write a 2 into the model's
# input and note the prediction. *Doing:* make students log in that much and note their scores. In symbols
# $\mathbb{E}[Y \mid X = 2]$, then $\hat{Y} \mid do(\underline{X} = 2)$ with a line under the $X$, and
# $\mathbb{E}[Y \mid do(X = 2)]$ without one. The line is the notation of DEDACT: $X$ is the **variable** out in the world, $\underline{X}$
# the **feature**, the number that the model is given.

# %%
many = university.sample(100_000, random_state=1)
seen = many.loc[many["logins"].between(1.9, 2.1), "score"].mean()
fed = model.predict(pd.DataFrame({"logins": [2.0]}))[0]
done = policy.sample(100_000, random_state=2)["score"].mean()
pd.Series({"seeing": seen, "feeding": fed, "doing": done}).round(1) + 0.0

# %% [markdown]
# Seeing and feeding agree, because the model is a good one: it has learnt what one sees. Doing is another matter.
#
# This also says what permutation importance is. It draws a new number for the feature and watches the prediction, so it is an
# intervention too, on $\underline{X}$. A nonzero value is a causal statement, and a well-founded one (Proposition 1 of
# DEDACT): the *feature* causes the *prediction*. People read it with the line rubbed out.
#
# The policy did one more thing. It broke the link from which the model had learnt, and the model's squared error shows it:

# %%
errors = [((t["score"] - t["prediction"]) ** 2).mean() for t in (before, after)]
pd.Series(errors, index=["before", "after"]).round(1)

# %% [markdown]
# Guessing the average would cost 1. Acting on a predictor that is not a cause does not only fail to help. It also spoils the
# predictor.
#
# ## 7.4 Four worlds, one table
#
# "Then check whether it is a confounder," says a careful colleague. With what? Here are four universities. In the second,
# logins lead to practice and practice to better scores: practice is a **mediator**. In the third, the arrow points backwards,
# a **reverse cause**: logins are counted until the end of the year, and whoever did well comes back to download the
# certificate. In the fourth, logging in helps by itself.

# %%
from course_lib.plots import plot_graphs

kinds = ("confounder", "mediator", "reverse cause", "cause")
worlds = {kind: make_logins_world(kind) for kind in kinds}
picture(
    plot_graphs(worlds, target="score", hidden=["interest", "practice"]),
    alt="Four graphs. Confounder: interest acts on logins by 0.8 and on score by "
    "0.75. Mediator: logins act on practice by 0.8, practice on score by 0.75. "
    "Reverse cause: score acts on logins by 0.6. Cause: logins act on score by "
    "0.6.",
)

# %% [markdown]
# From one of the four you receive the logins and scores of a hundred million students, without error. The dashed boxes were not
# recorded, and you do not know which university it is.

# %%
predict("07.2")

# %% [markdown]
# A Gaussian table is known once its means and covariances are. All means are 0, so these covariances are everything
# that any method, with any amount of data on these two columns, could ever find out:

# %%
pair = ["logins", "score"]
laws = {
    kind: world.covariance().loc[pair, pair].round(9) for kind, world in worlds.items()
}
pd.concat(laws, axis=1)

# %%
ruled_out = sum(not law.equals(laws["confounder"]) for law in laws.values())
reveal("07.2", "none of them" if ruled_out == 0 else "all but one")

# %% [markdown]
# One law, four stories. Every forest, every Shapley value, every importance of this course that you compute from the two columns will
# come out the same in all four, up to chance. So whatever it says, it cannot say which of them you live in. (Other worlds are less discreet. With more
# columns, or noise that is not Gaussian, data can sometimes rule out a graph. That takes methods made for it; an importance does not look.)
#
# Carry out the policy in each world, and see what the mean score, 0 before, becomes:

# %%
changes = {kind: world.do(logins=2).mean()["score"] for kind, world in worlds.items()}
pd.Series(changes).round(2)

# %% [markdown]
# Nothing in two worlds, 1.2 standard deviations in the two others, and the same two columns in all four.
#
# ## 7.5 Three numbers side by side
#
# In a world that we made ourselves everything is known, so we can put the three numbers next to each other. With $b_j$ the
# coefficient of $X_j$ in the best line, squared error, and the other features of the model as $X_{-j}$:
#
# $$\begin{aligned}
# \text{importance} &= 2\, b_j^2 \operatorname{Var}(X_j) \\
# \text{conditional importance} &= 2\, b_j^2 \operatorname{Var}(X_j \mid X_{-j}) \\
# \text{total effect} &= \frac{d}{dx}\, \mathbb{E}[Y \mid do(X_j = x)]
# \end{aligned}$$
#
# The first is what the model loses if the feature is scrambled. The second is what it loses if the feature is drawn anew in a way that
# fits the other features, so that only what nobody else knows is lost (lesson 03). The third does not mention a model at all.

# %%
from course_lib.measures import estimated_numbers, three_numbers

exact = {
    kind: three_numbers(world, "logins", "score", ["logins"])
    for kind, world in worlds.items()
}
pd.DataFrame(exact).T.round(2)

# %% [markdown]
# Two columns in which nothing changes, and one in which everything does. (The first two agree because a model with a single feature has
# nothing to condition on. That will change in 7.6.) Now the same from data. Each dot is one study: a
# model fitted to a thousand students and measured on a thousand others, and a trial with a thousand more, in which logins are set to
# $+1$ or $-1$. The filled markers are means over the studies, the diamonds the closed forms.

# %%
from course_lib.plots import plot_numbers

studies = {
    kind: estimated_numbers(world, "logins", "score", ["logins"], random_state=0)
    for kind, world in worlds.items()
}
picture(
    plot_numbers(studies, exact),
    alt="Importance and conditional importance of logins are near 0.72 in all four "
    "worlds. The total effect is 0 with a confounder and with a reverse cause, "
    "and 0.6 with a mediator and with a direct cause. All estimates lie around "
    "the closed forms.",
)

# %% [markdown]
# The estimates are good. It is the question that makes the difference: no number of further studies of the first two kinds would
# turn them into the third. What helps is knowledge from outside the table. A date can be enough: logins that were counted before the exam cannot
# have been caused by it, and the reverse cause is out of the race.
#
# ## 7.6 Measure the third variable
#
# The university now sends a questionnaire. Where interest was at work, it measures interest; where practice was at work, it measures
# practice. The new column is free of error, and it goes into the model beside the logins.

# %%
predict("07.3")

# %% [markdown]
# Take it in two steps. First the old model, which reads logins alone, and a measure that knows the new column. `linear_gaussian` gives
# both importances in closed form for a line with given coefficients; the conditional one now draws logins given *all* other
# variables of the world.

# %%
from course_lib.measures import linear_gaussian

line = linear_gaussian(worlds["confounder"], "score", {"logins": 0.6})
results = [line.permutation_importance(), line.conditional_permutation_importance()]
pd.DataFrame(
    {result.measure: result.importances_mean.round(9) + 0.0 for result in results},
    index=line.feature_names,
)

# %% [markdown]
# PFI is the importance, CFI the conditional one. The model uses logins as much as ever. But draw the logins of each student afresh
# from students with the same interest, and nothing is lost: logins know nothing about the score that interest does not know.
#
# Second step: the model may read both columns, and is fitted again.

# %%
third = {"confounder": "interest", "mediator": "practice"}
both = {
    kind: three_numbers(worlds[kind], "logins", "score", ["logins", name])
    for kind, name in third.items()
}
pd.DataFrame(both).T.round(2)

# %%
fallen = [kind for kind in both if both[kind]["importance"] < 1e-9]
where = "in both worlds" if len(fallen) == 2 else "only where interest was measured"
reveal("07.3", where)

# %% [markdown]
# Adding the confounder sends the importance to zero, and logins do nothing there: so far, so good. Adding the mediator sends
# it to zero as well, and there one unit more of logins raises the score by 0.6. A true cause with zero importance.
#
# Might a cleverer measure tell the two apart? Call the third variable $Z$ in both, and compare all there is:

# %%
laws = [
    worlds[kind].covariance().rename(index={name: "Z"}, columns={name: "Z"}).round(9)
    for kind, name in third.items()
]
laws[0].equals(laws[1])

# %% [markdown]
# > **What the textbook says.** One reads that once the confounder is in the model, the conditional importance falls to zero and so
# > reflects correctly that the feature does nothing. The fall is a fact, and so is the independence it reflects. The last step is not: the same fall,
# > on the same data, happens to a cause whose mediator was measured. What tells the two apart is which way the arrows point,
# > and that does not come from the importance.
#
# To be fair to the zero: it answers a question that one may well have, whether logins act *otherwise than* through practice. They do not. It
# is only no answer to whether they act.
#
# ## 7.7 A column that makes importance
#
# One more university. Here logins and scores have nothing to do with each other. But there is an award, and a student gets a
# better chance of it by logging in often or by scoring well.

# %%
worlds["collider"] = collider = make_logins_world("collider")
places = {"logins": (0, 0.9), "award": (0.9, 0), "score": (1.8, 0.9)}
picture(
    plot_graph(collider, places, target="score"),
    alt="Logins and score both have an arrow into award, 0.6 each. There is no arrow "
    "between logins and score.",
)

# %% [markdown]
# A variable with two arrows pointing into it is a **collider**. The best line from logins alone ignores them, and their
# importance is 0. Somebody adds the award as a second feature, because it predicts so well.

# %%
predict("07.4")

# %%
coefficients = collider.least_squares("score", ["logins", "award"])
numbers = three_numbers(collider, "logins", "score", ["logins", "award"])
pd.concat([coefficients.rename("b of {}".format), numbers]).round(3)

# %%
sign = "negative" if coefficients["logins"] < 0 else "positive"
reveal("07.4", f"above 0, with a {sign} coefficient")

# %% [markdown]
# Nothing is wrong with this model. Among students with the same award, whoever has few logins has most likely earned it by scoring well, so
# logins help to predict, with a minus sign. It would be a remarkable mistake to forbid logins on the strength of it.
#
# One need not even use the column. It is enough that the data were collected where the award decides who is seen, in the club of
# award winners, say:

# %%
from course_lib.plots import plot_selection

sample = collider.sample(1500, random_state=0)
picture(
    plot_selection(sample, "logins", "score", sample["award"] > 1),
    alt="Score against logins for 1500 students: no trend among all of them. Among "
    "those with an award above 1 the scores fall as the logins rise.",
)

# %% [markdown]
# In the whole university the line is flat. In the club it falls, although nobody's logins have ever touched a score.
#
# So "put everything into the model and look at the conditional importance" is no recipe. It removes importance where there is an
# effect, and makes importance where there is none.
#
# ## 7.8 Turn the knob
#
# Now logins may have an effect of their own, on top of the confounding by interest. In this family of worlds the slope of the model's line is
# exactly effect plus confounding, so the importance is $2\,(\text{effect} + \text{confounding})^2$. The model follows the sum. The outcome of a
# policy follows the first term only.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import confounding_explorer

explorer = confounding_explorer()
explorer.figure(effect=0.3, confounding=0.4)

# %% [markdown]
# Left: the dashed line is what the model predicts, the solid one what happens after do(logins). Right: if important meant causal, the
# dot could not leave the dotted curve. Drive it to the two places where it is most wrong.

# %%
explorer

# %% [markdown]
# The button below the sliders lets the model read interest too. The two lines then fall together:

# %%
explorer.controls["confounding"].value = 0.4
explorer.controls["reads"].value = "logins and interest"
print(explorer.readout_text)

# %% [markdown]
# Putting a variable into the model in order to read an effect off the coefficient of another one is called **adjusting** for it. Adjusting for a confounder
# is right; adjusting for a mediator removes what you are looking for, adjusting for a collider adds what is not there. So the cure needs interest to be measured,
# and it needs somebody to know which of the three it is. The second need is the hard one.
#
# Goal 1 is the university of 7.1: all confounding, no effect. Goal 2 is not a curiosity either. Tutoring is given to those who struggle, drugs to those who are ill, and so the treated may do no
# better than the untreated although the treatment works. Physicians call it confounding by indication.
#
# ## 7.9 When importance does speak of causes
#
# There is a way to read an effect off an importance that needs no graph: break the arrows into $X$ before the data are collected. In a
# trial, dice decide whose logins are set to $+1$ and whose to $-1$. Nothing else can have decided it.


# %%
def trial(world, n_samples=20_000):
    """Two groups of students whose logins were set, one to +1 and one to -1."""
    groups = [world.do(logins=x).sample(n_samples, random_state=7 + x) for x in (1, -1)]
    return pd.concat(groups, ignore_index=True)


def importance_in(table):
    """The permutation importance of logins for a line fitted to the table."""
    X, y = table[["logins"]], table["score"]
    line = LinearRegression().fit(X, y)
    return permutation_importance(line, X, y, random_state=0).importances_mean[0]


# %% [markdown]
# In a trial the slope *is* the effect, so the importance should be $2 \cdot \text{effect}^2 \cdot \operatorname{Var}(X)$, here with a variance of 1.

# %%
found = {kind: importance_in(trial(world)) for kind, world in worlds.items()}
effects = {k: world.total_effect("logins", "score") for k, world in worlds.items()}
table = pd.DataFrame({"importance in the trial": found, "effect": effects})
table.assign(**{"2 · effect²": 2 * table["effect"] ** 2}).round(1) + 0.0

# %% [markdown]
# The same measure, the same code, the same models. What has changed is how the data came about.
#
# > **What the textbook says.** That importance measures never quantify causal effects is the right warning for data that were merely
# > watched. Taken literally it says too much: in a randomised trial the importance of the treatment is a function of its effect, and
# > zero if and only if the effect is (in a linear world). And permutation importance always quantifies one causal effect, that of the feature on the
# > prediction's error.
#
# ## 7.10 The card
#
# Back to the beginning. The report said *uses*, and it was right. The board heard *changes*. Between the two stands a third verb, and each of the three
# has its own number:
#
# | you have | you may write | you may not write |
# |---|---|---|
# | permutation importance above 0, on new data | "The model **uses** $X$: with wrong values of it, it errs by this much more." | that $X$ tells about the outcome by itself, or does anything to it |
# | conditional importance above 0, conditional draws defended | "$X$ **predicts** the outcome, also among cases alike in the other features." | that $X$ does anything to the outcome: an award makes such numbers too |
# | conditional importance 0 | "This model loses nothing if $X$ is only known as well as the other features tell it." | that $X$ has no effect, or that no other model needs it |
# | a trial, or a graph you can defend and the adjustment it asks for | "Raising $X$ by one unit **changes the outcome** by this much, in this population." | that a model which predicts well must use it |
#
# Read it from the left, with your number in hand. To move one row down you need more than a better measure: first draws that respect the other
# features, then knowledge of how the data came about.
#
# Here are all five universities once more. The model now reads logins and, where there is one, the third variable too.

# %%
exact = {
    kind: three_numbers(world, "logins", "score") for kind, world in worlds.items()
}
studies = {
    kind: estimated_numbers(world, "logins", "score", random_state=1)
    for kind, world in worlds.items()
}
picture(
    plot_numbers(studies, exact),
    alt="Confounder measured: all three numbers of logins are 0. Mediator measured: "
    "both importances are 0, the effect is 0.6. Reverse cause: importances 0.72, "
    "effect 0. Cause: importances 0.72, effect 0.6. Collider measured: importance "
    "0.63, conditional importance 0.405, effect 0.",
)

# %% [markdown]
# The first two rows have the same importances, and so have the next two; only the last panel tells them apart. What may be written below this figure?

# %%
may_i_say("07.a")

# %% [markdown]
# ## Keep this
#
# Importance is computed from data and a model, and worlds with different effects can give the same data and the same model. Therefore no
# importance, however refined, can tell them apart: high with no effect, zero with an effect, made by a collider, all of it happens.
# **An importance says what a prediction lives on. What an action would change is written in the arrows, and the arrows are not in the
# table.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1, Q2: to a given model, as a whole or by its unique information | [permutation importance](glossary.md#permutation-importance), [conditional](glossary.md#conditional-permutation-importance) or not | 0 | causal for the prediction, silent about the outcome |
# | none of the six: to the outcome, if one acts | [total effect](glossary.md#total-effect-no-importance), `world.total_effect(cause, effect)` | 0 | needs a trial or a defended graph |
#
# What is still wrong: we have spoken as if a feature carried only its own variable into the model. Interest was in the prediction before anybody had
# measured it; it came in through the logins. Lesson 08 asks which variable enters through which door.
#
# ## Practise
#
# The exercise [07_causality_caveats](exercises/07_causality_caveats.ipynb) goes from a product along a path to an effect estimated on data with a
# confounder, a mediator and a collider in it. Your progress so far:

# %%
from course_lib.learner import progress

progress("07")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Pearl (2009) for do() and the graphs; König, Freiesleben, Bischl, Casalicchio and Grosse-Wentrup (DEDACT) for features against variables
# and Proposition 1, after Janzing, Minorics and Blöbaum (2020); Berkson (1946) for the collider; Westreich and Greenland (2013) on reading
# every coefficient of a model as an effect. The worlds are invented.
#
# *Words of this lesson:* [total effect (no importance)](glossary.md#total-effect-no-importance),
# [collider](glossary.md#collider), [confounder](glossary.md#confounder), [feature and
# variable](glossary.md#feature-and-variable), [intervention](glossary.md#intervention),
# [mediator](glossary.md#mediator), [structural causal model](glossary.md#structural-causal-model). All words and
# symbols are in the [glossary](glossary.md), the works in the [references](references.md), and all lessons and measures
# on the map at the end of [lesson 00](00_six_questions.ipynb).
