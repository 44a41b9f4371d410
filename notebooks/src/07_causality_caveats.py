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
# how often a student logs in. Its importance was measured on students the model had not seen. There is
# no bug in the code, and nobody could predict the scores much better from the logins alone.
#
# So the university plans to send reminders, until every student logs in as often as the keenest do now. The board has one
# question: by how much will the average score rise? It seems that all one needs for the answer is in the next picture.
#
# *In this lesson: what can stand behind an importance, what do() means for a variable and for the input of a model, what a zero
# says about causes, and a card that says which sentence each number licenses. About 60 minutes.*

# %% jupyter={"source_hidden": true}
from course_lib.plots import picture, plot_curves
from course_lib.worlds import make_logins_world

university = make_logins_world()
students = university.sample(2000, random_state=0)[["logins", "score"]]
groups = students.groupby((2 * students["logins"].clip(-2, 2)).round() / 2)["score"]
ax = plot_curves(groups.mean().index + 0.0, {"students": groups.mean().to_numpy()})
ax.set(xlabel="logins, in standard deviations", ylabel="mean score, same unit")
picture(
    ax,
    alt="The mean score of students against their logins, both in standard deviations: "
    "it rises steadily from about -1.2 at -2 to about 1.2 at +2.",
)
#| holds abs(groups.mean().loc[[-2.0, 2.0]] - [-1.2, 1.2]).max() < 0.2
#| says Students who log in more often score higher. By how much would the mean score rise if all were made to log in as often as the keenest?

# %% [markdown]
# Each dot is the mean score of the students who log in about that often; 0 is the average student in both directions. What does the report say, and what does the board hear? Write down
# what you would answer the board before you go on.
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
# Both columns are counted in standard deviations from their mean, so that 0 is an average student and guessing the average score costs a squared error of {{1 | ((test["score"] - test["score"].mean()) ** 2).mean().round(1)}}.
# The model is a straight line, fitted to {{one half | len(train) == len(test)}} of {{two thousand | len(students) == 2000}} students and measured on the other half.

# %% slideshow={"slide_type": "notes"}
from sklearn.linear_model import LinearRegression

from course_lib.measures import permutation_importance

train, test = students[:1000], students[1000:]
model = LinearRegression().fit(train[["logins"]], train["score"])
report = permutation_importance(model, test[["logins"]], test["score"], random_state=0)
report.to_frame()[["importance"]].round(1)

# %% [markdown]
# In an infinite sample the line has the slope {{0.6 | university.least_squares("score", ["logins"])["logins"]}}. Its squared error is {{0.64 | 1 - university.least_squares("score", ["logins"])["logins"] ** 2}}, and shuffling the logins adds
# $2 \cdot 0.6^2 = {{0.72 | 2 * university.least_squares("score", ["logins"])["logins"] ** 2}}$ to that: with the wrong logins the model is worse than no model at all. By the standards of
# lesson 03 nothing is wrong with this importance.
#
# Now the policy. Each student's logins are brought to 2, two standard deviations above today's average. The board wants a number; what would you tell them, on the
# strength of this report?

# %%
predict("07.1")

# %% [markdown]
# ## 7.2 The policy
#
# A world of the library can be changed from outside. `university.do(logins=2)` is the same university with one
# difference: logins no longer come about as they used to; they *are* 2. Whatever else drives the students stays
# as it is. With the same seed we even get the same students, once as they are and once as they would have been.

# %%
policy = university.do(logins=2)
before, after = (world.sample(2000, random_state=0) for world in (university, policy))
change = after["score"] - before["score"]
reveal("07.1", round(float(change.mean()), 3))

# %% tags=["after-07-1"] jupyter={"source_hidden": true}
import pandas as pd

for table in (before, after):
    table["prediction"] = model.predict(table[["logins"]])
    table["squared error"] = (table["score"] - table["prediction"]) ** 2
means = pd.DataFrame({"mean before": before.mean(), "mean after": after.mean()}).round(
    1
)
rows = ["logins", "prediction", "score", "squared error"]
means.loc[rows] + 0.0  # + 0.0: no minus sign before a zero
#| says The predictions rise {{by 1.2 | means.loc["prediction", "mean after"]}}, {{not a single score | (change == 0).all()}} changes, and the squared error grows {{more than threefold | 3 < after["squared error"].mean() / before["squared error"].mean() < 4}}.

# %% tags=["after-07-1"] jupyter={"source_hidden": true}
from course_lib.plots import plot_graph

picture(
    plot_graph(policy, target="score", hidden=["interest"], before=university),
    alt="Interest, which is not measured, has an arrow to score. Its arrow to logins "
    "is cut, since logins are set to 2 from outside. No arrow leads from logins "
    "to score.",
)
#| holds policy.mean()["logins"] == 2
#| says Interest, which nobody had measured (dashed), acted on logins and scores: a **confounder**. Setting the logins cuts the arrow from interest to them, and {{no arrow leads on to the score | policy.total_effect("logins", "score") == 0}}. The number at an arrow: what one unit more adds.

# %% [markdown]
# In the graph a dashed frame marks what nobody had measured, and the arrow that is cut is the one by which interest used to act on logins. A variable that acts on both, as interest did, is a **confounder**.
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

# %% tags=["after-07-1"]
many = university.sample(100_000, random_state=1)
seen = many.loc[many["logins"].between(1.9, 2.1), "score"].mean()
fed = model.predict(pd.DataFrame({"logins": [2.0]}))[0]
done = policy.sample(100_000, random_state=2)["score"].mean()
three = pd.Series({"seeing": seen, "feeding": fed, "doing": done}).round(1) + 0.0
three.to_frame("score, or its prediction")
#| says *Seeing:* the score of students who have about 2 logins anyway. *Feeding:* the prediction, with a 2 written into the model's input, $\hat{Y} \mid do(\underline{X} = 2)$. *Doing:* the score of students who are made to log in that much. The model has learnt what one sees, so seeing and feeding {{agree | three["seeing"] == three["feeding"] == 1.2}}; doing is {{another matter | three["doing"] == 0}}.

# %% [markdown]
# Seeing and feeding {{agree | three["seeing"] == three["feeding"] == 1.2}}, because the model is a good one: it has learnt what one sees. Doing is {{another matter | three["doing"] == 0}}.
#
# This also says what permutation importance is. It draws a new number for the feature and watches the prediction, so it is an
# intervention too, on $\underline{X}$. A nonzero value is a causal statement, and a well-founded one (Proposition 1 of
# DEDACT): on the inputs that shuffling makes, the *feature* causes the *prediction*. People read it as if there were no line under the $X$. **To act on the input of a model is not to act on the world.**
#
# ## 7.4 Four worlds
#
# "Then check whether there is a confounder," says a careful colleague. With what? Here are four universities. In the second,
# logins lead to practice and practice to better scores: practice is a **mediator**. In the third, the arrow points backwards: whoever did well comes back to download the
# certificate, and logins are counted until the end of the year. This is called a **reverse cause**. In the fourth, logging in helps by itself. All noise is Gaussian.

# %% jupyter={"source_hidden": true}
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
#| holds [round(worlds[k].total_effect("logins", "score"), 9) for k in kinds] == [0, 0.6, 0, 0.6]
#| says From one of these four worlds, in all of which the noise is Gaussian, you receive the logins and scores of a hundred million students. The dashed boxes were not recorded, and you do not know which world it is.

# %% [markdown]
# From one of the four you receive the logins and scores of a hundred million students, without error. What is in the dashed boxes was not
# recorded, and you do not know which university it is.

# %%
predict("07.2")

# %% jupyter={"source_hidden": true}
pair = ["logins", "score"]
laws = {
    kind: world.covariance().loc[pair, pair].round(9) for kind, world in worlds.items()
}
differ = {kind: not law.equals(laws["confounder"]) for kind, law in laws.items()}
some = "at least the reverse cause" if differ["reverse cause"] else "none of them"
reveal("07.2", "all but one" if sum(differ.values()) == 3 else some)

# %% tags=["after-07-2"]
pd.concat(laws, axis=1)
#| says Four worlds, {{one table of covariances | not any(differ.values())}}. All means are 0 and all noise is Gaussian, so this table is everything that the two columns can show: nothing that is computed from them can tell these four worlds apart.

# %% [markdown]
# Now carry out the policy in each of the four worlds. The mean score was 0 before; what does it become?

# %% tags=["after-07-2"]
changes = {kind: world.do(logins=2).mean()["score"] for kind, world in worlds.items()}
pd.Series(changes, name="mean score after the policy").round(2).to_frame()
#| says The policy does {{nothing in two worlds | sum(abs(c) < 1e-9 for c in changes.values()) == 2}} and raises the mean score by {{1.2 standard deviations | max(changes.values())}} in the two others. What helps to tell them apart is knowledge from outside the table.

# %% [markdown]
# In two of the worlds the mean score stays where it was, in the two others it rises by {{1.2 standard deviations | max(changes.values())}}.
#
# ## 7.5 Three numbers side by side
#
# In a world that we made ourselves everything is known, so we can put three numbers next to each other. With $b_j$ the
# coefficient of $X_j$ in the best line, squared error, jointly Gaussian variables, as all of ours are, and the other features of the model as $X_{-j}$:
#
# $$\begin{aligned}
# \text{importance} &= 2\, b_j^2 \operatorname{Var}(X_j) \\
# \text{conditional importance} &= 2\, b_j^2 \operatorname{Var}(X_j \mid X_{-j}) \\
# \text{total effect} &= \frac{d}{dx}\, \mathbb{E}[Y \mid do(X_j = x)]
# \end{aligned}$$
#
# The first is what the model loses if the feature is scrambled; the second, if it is drawn afresh among cases alike in the
# other features. The third does not mention a model at all. (The second loses only what the others cannot predict, as in lesson 03.) For the line on logins alone:

# %% tags=["after-07-2"]
from course_lib.measures import three_numbers

alone = {
    kind: three_numbers(world, "logins", "score", ["logins"])
    for kind, world in worlds.items()
}
pd.DataFrame(alone).T.round(2)
#| says Three numbers about logins, for the line on logins alone. The two importances are {{the same in all four worlds | pd.DataFrame(alone).T.round(9).nunique().tolist()[:2] == [1, 1]}}. The total effect is {{0.6 | alone["cause"]["total effect"]}} in two of them and {{0 | abs(alone["confounder"]["total effect"]) + abs(alone["reverse cause"]["total effect"])}} in the two others.
#| holds abs(alone["mediator"]["total effect"] - 0.6) < 1e-9

# %% [markdown]
# Two columns in which {{nothing changes | pd.DataFrame(alone).T.round(9).nunique().tolist()[:2] == [1, 1]}}, and one in which everything does. (The first two agree because a model with a single feature has
# nothing to condition on.)
#
# ## 7.6 Measure the third variable
#
# The university now sends a questionnaire. Where interest was at work, it measures interest; where practice was at work, it measures
# practice. The new column is free of error. It goes into the model beside the logins, and the line is fitted again.

# %%
predict("07.3")

# %% jupyter={"source_hidden": true}
third = {"confounder": "interest", "mediator": "practice"}
both = {
    kind: three_numbers(worlds[kind], "logins", "score", ["logins", name])
    for kind, name in third.items()
}
fallen = [third[kind] for kind in both if both[kind]["importance"] < 1e-9]
one = f"only where {fallen[0]} was measured" if fallen else "in neither"
reveal("07.3", "in both worlds" if len(fallen) == 2 else one)

# %% tags=["after-07-3"]
pd.DataFrame(both).T.round(2)
#| says With the third variable in the model {{both importances of logins are 0 in both worlds | all(abs(both[k][:2]).max() < 1e-9 for k in both)}}. One unit more of logins raises the score by {{0.6 | both["mediator"]["total effect"]}} where practice was measured, the mediator, and by {{nothing | abs(both["confounder"]["total effect"]) < 1e-9}} where interest was.

# %% [markdown]
# ## 7.7 One more column
#
# One more university. Here logins and scores have nothing to do with each other. But there is an award, and it rises with the logins and with
# the score. A variable with two arrows pointing into it is a **collider**. The best line on logins alone ignores them, and their
# importance is 0. Somebody adds the award as a second feature, because it predicts so well. (In a forecast this would be a leak, since the award comes after the score.)

# %% jupyter={"source_hidden": true}
worlds["collider"] = collider = make_logins_world("collider")
places = {"logins": (0, 0.9), "award": (0.9, 0), "score": (1.8, 0.9)}
picture(
    plot_graph(collider, places, target="score"),
    alt="Logins and score both have an arrow into award, 0.6 each. There is no arrow "
    "between logins and score.",
)
#| says Logins and scores have nothing to do with each other, and an award rises with both: a variable with two arrows pointing into it is a **collider**. Somebody adds the award to the model as a second feature.

# %%
predict("07.4")

# %% jupyter={"source_hidden": true}
coefficients = collider.least_squares("score", ["logins", "award"])
numbers = three_numbers(collider, "logins", "score", ["logins", "award"])
sign = "negative" if coefficients["logins"] < 0 else "positive"
is_zero = abs(numbers["importance"]) < 1e-9
reveal("07.4", "still 0" if is_zero else f"above 0, with a {sign} coefficient")

# %% tags=["after-07-4"] slideshow={"slide_type": "notes"}
found = pd.concat([coefficients.rename("coefficient of {}".format), numbers])
found.round(3).to_frame("with the award")

# %% tags=["after-07-4"] jupyter={"source_hidden": true}
from course_lib.plots import plot_selection

sample = collider.sample(1500, random_state=0)
picture(
    plot_selection(sample, "logins", "score", above := sample["award"] > 1),
    alt="Score against logins for 1500 students: no trend among all of them. Among "
    "those with an award above 1 the scores fall as the logins rise.",
)
#| holds abs(sample["logins"].corr(sample["score"])) < 0.05
#| holds len(sample) == 1500 and 1 < sample.loc[above, "award"].min() < 1.1
#| holds sample.loc[above, ["logins", "score"]].corr().iloc[0, 1] < -0.2
#| says Among all students the scores do not depend on the logins. Among those whose award is above 1 they fall as the logins rise.

# %% [markdown]
# The award is the sum of a part of the logins, an equal part of the score, and chance. Take two students with the same award, and ask what the logins of each say about the score.
#
# ## 7.8 Turn the knob
#
# Now logins may have an effect of their own, on top of the confounding by interest. In this family of worlds the slope of the line on logins is
# exactly effect plus confounding, so the importance is $2\,(\text{effect} + \text{confounding})^2$. The model follows the sum. What a
# policy achieves follows the first term only. In the panel that shows the students, the dashed line is what the model predicts, and the solid one what happens after do(logins). In the other panel the dot is this world, with its effect and
# its importance, and the dotted curve is where it would lie without confounding. If important meant causal, the dot could not leave this curve.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import confounding_explorer

explorer = confounding_explorer()
explorer.figure(effect=0.3, confounding=0.4)

# %% [markdown]
# Move the sliders until the dot is at goal 1, then to one of the two places marked goal 2. In between, try the effect $+0.2$ with the confounding $-0.6$: there even the
# signs disagree, and the prediction falls with the logins while they raise the score.

# %%
explorer

# %% [markdown]
# The control below the two sliders lets the model read interest too. The two lines in the panel of the students then coincide:

# %%
explorer.controls["confounding"].value = 0.4
explorer.controls["reads"].value = "logins and interest"
print(explorer.readout_text)

# %% [markdown]
# Putting a variable into the model in order to read an effect off the coefficient of another one is called **adjusting** for it. Adjusting for a confounder
# is right, if it is the only one; adjusting for a mediator removes what goes through it; adjusting for a collider adds what is not there, or hides what is. The cure takes two things: interest must be measured,
# and somebody must know whether it is a confounder, a mediator or a collider. The second is the hard one.
#
# Goal 1 is the university of 7.1: all confounding, no effect. Goal 2 is not a curiosity either. Tutoring is given to those who struggle, drugs to those who are ill, and so the treated may do no
# better than the untreated although the treatment works. Physicians call it confounding by indication.
#
# ## 7.9 The card
#
# Back to the beginning. The report said *uses*, and it was right. The board heard *changes*. Between the two stands a third verb, *predicts*, and each of the three
# has its own number:
#
# | verb | number | further above 0 than its margin of error (for an effect: above or below): you may write | otherwise |
# |---|---|---|---|
# | the model **uses** $X$ | permutation importance, on new data | "With other cases' values of $X$ the model errs by this much more." | "... errs no more than we can measure." Not: "$X$ does not predict." |
# | $X$ **predicts** beyond the other features | conditional importance, on new data, with draws you can defend | "$X$ is associated with the outcome among cases alike in the other features, and this model makes use of that." | "This model loses nothing measurable if $X$ is known only as well as the others predict it." Not: "No model needs $X$." |
# | $X$ **changes** the outcome | total effect (linear world), from a trial, or from a graph you can defend | "Raising $X$ by one unit changes the mean outcome by this much, in this population." | "... does not change it, as far as we can measure." Not: "A model has no use for $X$." |
#
# **A number licenses the sentences of its own row and of no other.** The rows are no ladder: a better measure does not lead from one to the next. The second asks for draws that respect the other features, the third for
# knowledge of how the data came about. The table at the end of [lesson 08](08_direct_and_associative.ipynb) says which dependence a nonzero value shows, and for which models.
#
# ## 7.10 May I say this?
#
# Here are all five universities once more. The model now reads logins and, where there is one, the third variable too. Each dot is one study: a
# model fitted to a thousand students and measured on a thousand others, and a trial with a thousand more, in which logins are set to
# $+1$ or $-1$. The filled markers are means over the studies, the diamonds the closed forms. What may be written below this figure?

# %% tags=["after-07-4"] jupyter={"source_hidden": true}
from course_lib.measures import estimated_numbers
from course_lib.plots import plot_numbers

asked = {kind: (world, "logins", "score") for kind, world in worlds.items()}
exact = {kind: three_numbers(*question) for kind, question in asked.items()}
studies = {kind: estimated_numbers(*q, random_state=1) for kind, q in asked.items()}
picture(
    plot_numbers(studies, exact),
    alt="Confounder measured: all three numbers of logins are 0. Mediator measured: "
    "both importances are 0, the effect is 0.6. Reverse cause: importances 0.72, "
    "effect 0. Cause: importances 0.72, effect 0.6. Collider measured: importance "
    "0.63, conditional importance 0.405, effect 0.",
)
#| says The model reads logins and, where there is one, the third variable too: with it, confounder and mediator have importance {{0 | exact["mediator"]["importance"]}} in place of {{0.72 | alone["mediator"]["importance"]}}. Each faint dot is one study, filled markers are means, diamonds the closed forms.
#| holds [exact[k].round(3).tolist() for k in ("confounder", "mediator")] == [[0, 0, 0], [0, 0, 0.6]]
#| holds [exact[k].round(3).tolist() for k in ("reverse cause", "cause", "collider")] == [[0.72, 0.72, 0], [0.72, 0.72, 0.6], [0.633, 0.405, 0]]

# %% tags=["after-07-4"]
may_i_say("07.a")

# %% [markdown]
# ## Keep this
#
# Importance is computed from data and a model, and worlds with different effects can give the same data and the same model. Therefore no
# importance that is computed from them, however refined, can tell these worlds apart. High with no effect, zero with an effect, made by a collider: all of it happens.
# **An importance says what a prediction rests on. What an action would change depends on the arrows, and the arrows are not in the
# table.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1, Q2: to a given model, as a whole or by its unique information | [permutation importance](glossary.md#permutation-importance), [conditional](glossary.md#conditional-permutation-importance) or not | 0 | causal for the prediction, silent about effects on the outcome |
# | none of the six: to the outcome, if one acts | [total effect](glossary.md#total-effect-no-importance), `world.total_effect(cause, effect)` | 0 | needs a trial or a defended graph |
#
# What is still wrong: we have spoken as if a feature brought only its own variable into the model. Interest was in the prediction before anybody had
# measured it; it came in through the logins. Lesson 08 asks which variable enters through which door.

# %% [markdown]
# ## Further: a trial, an old model, and Shapley values
#
# Three short sections: how a trial lets an importance speak of an effect without a graph; what conditional importance says of a model that was not refitted; and why Shapley
# values are no exception to this lesson. About 15 minutes.

# %% [markdown]
# ### 7.11 When importance does speak of an effect
#
# There is a way to read an effect off an importance that needs no graph: cut the arrows into $X$ before the data are collected. In a
# trial, dice decide whose logins are set to $+1$ and whose to $-1$, so nothing about the students can have decided it.


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
# In a trial the slope *is* the effect, so for the line on the treatment alone and squared error the importance should be $2 \cdot \text{effect}^2 \cdot \operatorname{Var}(X)$, here with a variance of 1.

# %% tags=["after-07-4"]
found = {kind: importance_in(trial(world)) for kind, world in worlds.items()}
effects = {k: world.total_effect("logins", "score") for k, world in worlds.items()}
table = pd.DataFrame({"importance in the trial": found, "effect": effects})
table.assign(**{"2 · effect²": 2 * table["effect"] ** 2}).round(1) + 0.0

# %% [markdown]
# The same measure, the same code, the same kind of model. What has changed is how the data came about. The sign of the effect is lost, though: it is in the slope, not in the importance.
#
# > **What the textbook says.** No importance measure directly quantifies causal effects; it shows associations that a model has learnt from observational data. That is the right warning, and
# > a randomised trial, whose data are not merely observed, is the exception: for a line on the treatment alone, in a linear world, the importance is a function of the size of its effect and
# > zero if and only if the effect is.

# %% [markdown]
# ### 7.12 The old model
#
# Leave the line of 7.1 as it is, reading logins alone, but let the *measure* see the new column interest. `linear_gaussian` gives
# both importances in closed form for a line with given coefficients. PFI is the importance; CFI, the conditional one, draws logins given *all* other
# variables of the world but the score.

# %% tags=["after-07-3"]
from course_lib.measures import linear_gaussian

line = linear_gaussian(worlds["confounder"], "score", {"logins": 0.6})
results = [line.permutation_importance(), line.conditional_permutation_importance()]
pd.DataFrame(
    {result.measure: result.importances_mean.round(9) + 0.0 for result in results},
    index=line.feature_names,
)

# %% [markdown]
# The old model uses logins as much as ever. But draw the logins of each student afresh from students with the same interest, and nothing is lost: given
# interest, logins are not associated with the score. (The second formula of 7.5 does not apply here, since this is not the best line on logins and interest.)

# %% [markdown]
# ### 7.13 Shapley values are no exception
#
# Take a student with 2 standard deviations of logins and 1.6 of the third variable, which is what one expects at these logins. The line reads both columns. The *marginal* (interventional) game fills in an
# unknown column with the values of other students, which for a line comes to their average. The *conditional* game fills it in with what one expects, given the known column (lesson 04).

# %% tags=["after-07-3"] jupyter={"source_hidden": true}
from course_lib.measures import shapley_values

shares = {}
for kind, name in third.items():
    b = worlds[kind].least_squares("score", ["logins", name]).to_numpy()
    r = worlds[kind].covariance().loc["logins", name]  # all variances are 1
    filled = {
        "marginal": [(2.0, 0.0), (0.0, 1.6)],  # logins known, third variable known
        "conditional": [(2.0, 2.0 * r), (1.6 * r, 1.6)],
    }
    for game, (logins, other) in filled.items():
        worths = [0, b @ logins, b @ other, b @ (2.0, 1.6)]  # of nobody, ..., both
        shares[kind, game] = shapley_values(worths, 2)[0]
pd.Series(shares, name="Shapley value of logins").round(2).unstack() + 0.0

# %% [markdown]
# The conditional game gives logins {{half of the prediction's 1.2 | all(abs(shares[k, "conditional"] - 0.6) < 1e-9 for k in third)}}, the marginal one {{nothing | all(abs(shares[k, "marginal"]) < 1e-9 for k in third)}}, and neither can tell the world in which logins do nothing from the one in which a
# unit of them raises the score by 0.6: every worth is computed from the model and the joint distribution of the columns, and both are the same in the two worlds. With logins as the only feature both games give {{1.2 | 2 * university.least_squares("score", ["logins"])["logins"]}} in all four worlds of 7.4.

# %% [markdown]
# ## Practise
#
# The exercise [07_causality_caveats](../exercises/07_causality_caveats/07_causality_caveats.ipynb) goes from a product along a path to an effect estimated on data with a
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
