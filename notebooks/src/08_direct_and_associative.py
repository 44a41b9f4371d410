# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 08 · Direct and associative importance
#
# A hospital trains a model to recognise prostate cancer. In this story its doctors have for years looked at a blood value called PSA,
# although it has nothing to do with the disease. To keep this habit out of the model, PSA is removed from the columns that it may read. What is left is a
# biomarker and how much a patient cycles. Scramble the column PSA among the patients, and not a single prediction changes, not even in its last digit:
# the permutation importance of PSA, lesson 03, is exactly zero.
#
# So the hospital writes in its report: PSA plays no part in what our model says. One of the doctors is not so sure. Below is the picture she draws
# of how the labels came about. If PSA is inside the model after all, which way did it come in?
#
# *In this lesson: what a model reads against what reaches it, four classic measures as special cases of two definitions, where a
# feature's importance comes from, through which door a variable enters, how to close a door, and what a zero does not say. About 60 minutes.*

# %% jupyter={"source_hidden": true}
from course_lib.plots import picture, plot_graph
from course_lib.worlds import make_biomarker_world

world = make_biomarker_world()
places = {"biomarker": (2, 1), "cycling": (0, 0), "PSA": (2, 0), "label": (4, 0.5)}
picture(
    plot_graph(world, places, target="label"),
    alt="An arrow leads from cycling to PSA with the coefficient 1, and arrows from PSA "
    "(0.5) and from biomarker (1) to the label.",
)
#| says The hospital writes in its report: PSA plays no part in what our model says. A doctor draws how the labels came about. The model reads biomarker and cycling. If PSA is inside it after all, which way did it come in?

# %% [markdown]
# An arrow means that one variable acts on another, by the number beside it: a unit more of cycling raises PSA by a unit, and a unit more of PSA raises the label by half a unit. No arrow
# leads from cycling straight to the label.
#
# ## Before we start
#
# Three questions on earlier lessons, from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("08")

# %% [markdown]
# ## 8.1 A model that may not look
#
# The picture is the first example of König and colleagues, who call their method DEDACT. Story and arrows are theirs; their text
# gives no numbers, so the coefficients are ours. Cycling raises PSA. The label, which the
# model learns to predict, should depend on the biomarker alone, but the people who wrote it had an eye on PSA. Each of the four variables has normal noise of
# variance 1/4. The model is least squares on the two columns it may read. With infinitely many patients it gives the biomarker {{the weight 1 | model["biomarker"]}} and
# cycling {{the weight 0.5 | model["cycling"]}}, although cycling acts on the label only through PSA. For a linear model in such a world, and with squared error, every quantity of this lesson
# has a closed form. Here is the permutation importance from the report:

# %%
from course_lib.measures import linear_gaussian

model = world.least_squares("label", ["biomarker", "cycling"])
exact = linear_gaussian(world, "label", dict(model))
exact.permutation_importance()
#| says The model is least squares on biomarker and cycling. Scramble PSA, which it does not read, and its squared error stays the same: an importance of {{zero | exact.permutation_importance().importances_mean[2]}}, as the hospital's report says. Is it worth nothing, then, to know a patient's PSA?

# %% [markdown]
# PSA has {{zero | exact.permutation_importance().importances_mean[2]}}, as the report says. Now ask a different question. Suppose we know nothing about a patient, so we feed the model
# somebody else's features, drawn at random. Then one variable of our patient becomes known, and we draw again, this time
# from people who agree with our patient in that variable. Does the squared error fall?

# %%
predict("08.1")

# %% jupyter={"source_hidden": true}
names = exact.feature_names
gains = {name: exact.associative_importance(name).importances_mean[0] for name in names}
useless = [name for name, gain in gains.items() if gain == 0]
reveal("08.1", useless[0] if useless else "each of them helps")

# %% [markdown]
# ## 8.2 Variables and features
#
# So far the word PSA has meant two different things. A **variable** $X_j$ is a property of patients, out in the world. A **feature** $\underline{X}_k$, with a line
# under it, is a slot in the table that is handed to the model. The model may read the slot or not, and we may write into it whatever we like. Usually it contains the value of the variable
# with the same name, but nothing forces it to. The hospital's sentence is about the slot: no prediction depends on it. The doctor's worry
# is about the variable: patients with a high PSA tend to cycle more, and the model does read the slot for cycling.
#
# In the picture, variables stand on the left, and on the right the features that the model reads: its doors. Each number says how much squared error is
# saved when the variable becomes known and gets in through this door alone; 8.7 has the definition.

# %% tags=["after-08-1"] jupyter={"source_hidden": true}
from course_lib.plots import plot_doors
from course_lib.studies import door_flows

picture(
    plot_doors(
        door_flows(exact, names, ["biomarker", "cycling"]),
        highlight="PSA",
        numbers="saved squared error",
    ),
    alt="Three variables, two features. The biomarker enters through its own feature "
    "with 0.5; cycling and, in orange, PSA both enter through the feature cycling, "
    "0.125 each.",
)
#| holds door_flows(exact, names, ["biomarker", "cycling"]).round(3).to_numpy().tolist() == [[0.5, 0], [0, 0.125], [0, 0.125]]
#| says On the left are **variables**, properties of the patients; on the right **features**, the slots of the table that the model reads: its doors. Each number is the squared error saved when the variable becomes known and gets in through this door alone; PSA, in orange, has no door of its own.

# %% [markdown]
# ## 8.3 Direct importance: what the model reads
#
# Begin in total ignorance: fill every slot with the values of another patient, drawn at random, $\tilde X^{\emptyset}$. Give the features in a set $B$, the **baseline**, their true values
# back, and note the loss. Then give those in $K$ theirs back as well. The amount by which the loss falls is the **direct importance** of $K$ over $B$:
#
# $$\begin{aligned} DI(\underline{X}_K \mid \underline{X}_B) ={}& \mathbb{E}\,L\big(Y, \hat Y \mid do(\underline{X}_{D \setminus B} = \tilde X^{\emptyset}_{D \setminus B})\big) \\
#  &- \mathbb{E}\,L\big(Y, \hat Y \mid do(\underline{X}_{D \setminus (B \cup K)} = \tilde X^{\emptyset}_{D \setminus (B \cup K)})\big) , \end{aligned}$$
#
# with $D$ for all features; as in lesson 07, a $do$ with underlined letters sets slots and leaves the patients as they are. This is definition 1 of the paper. If the baseline is all the other
# features, it is permutation importance.

# %%
import pandas as pd

rest = {name: [other for other in names if other != name] for name in names}
direct = {k: exact.direct_importance(k, B=rest[k]).importances_mean[0] for k in names}
pd.Series(direct, name="direct importance given the rest").to_frame()
#| says Given the rest: the baseline $B$ is all other features, so this is permutation importance. Between the two lines of the formula only the slots in $K$ change. Hence **Proposition 1** of König and colleagues: a direct importance different from zero shows that the model reads a feature in $K$.

# %% [markdown]
# Between the two lines of the formula only the slots in $K$ change. Hence **Proposition 1** of König and colleagues: a direct importance different from zero
# shows that the model reads a feature in $K$. Turned around, what is not read has a direct importance of zero, over any baseline and with any loss.
# But a zero does not show that a feature is not read. A model that adds a column of pure noise to its predictions reads that column, and yet the noise has a permutation importance of 0, up to chance.
#
# ## 8.4 Associative importance: what reaches the model
#
# Now we give back knowledge, not slots. The variables in a set $C$, the **context**, are known, and *all* features are drawn to fit
# them: $\tilde X^{C}$ is the row of somebody who agrees with our patient in $X_C$. Then $X_J$ becomes known as well, and all
# features are drawn again. The amount by which the loss falls is the **associative importance** (definition 2):
#
# $$AI(X_J \mid X_C) = \mathbb{E}\,L\big(Y, \hat Y \mid do(\underline{X} = \tilde X^{C})\big)
#  - \mathbb{E}\,L\big(Y, \hat Y \mid do(\underline{X} = \tilde X^{C \cup J})\big) .$$
#
# With nothing in the context these are the numbers of 8.1. Both importances can be estimated for any model. Direct importance needs only shuffles; associative importance needs features drawn given
# variables. Here a Gaussian sampler draws them, for a model fitted to {{2,000 | len(patients)}} patients. `OnColumns` lets the model read two columns of a table that has three.

# %%
from sklearn.linear_model import LinearRegression

from course_lib.models import OnColumns

patients = world.sample(2000, random_state=0)
X, label = patients.drop(columns="label"), patients["label"]
read = ["biomarker", "cycling"]
fitted = OnColumns(LinearRegression().fit(X[read], label), read)

# %%
from course_lib.measures import associative_importance, direct_importance

di = direct_importance(fitted, X, label, "PSA", B=read, random_state=0)
ai = associative_importance(fitted, X, label, "PSA", random_state=0)
ends = {result.measure: result.interval()[0].round(2) for result in (di, ai)}
pd.DataFrame(ends, index=["interval from", "to"]).T
#| says Estimated on {{2,000 | len(patients)}} patients. The direct importance of PSA is {{zero without any spread | bool((di.importances == 0).all())}}, since no prediction moves. The interval of its associative importance lies {{around | ai.interval()[0, 0] < gains["PSA"] < ai.interval()[0, 1]}} the exact {{0.125 | gains["PSA"]}}; it covers the chance of the draws.

# %% [markdown]
# The direct importance of PSA is {{zero without any spread | bool((di.importances == 0).all())}}, since no prediction moved. The associative importance lies {{around | ai.interval()[0, 0] < gains["PSA"] < ai.interval()[0, 1]}} the {{0.125 | gains["PSA"]}} of the closed form. (The interval covers the
# chance of the draws, not the chance of having just these {{2,000 | len(patients)}} patients.)
#
# The definition leaves one choice open. The **plain** version, which we have used so far, feeds the model one draw at a time and counts the loss of
# each prediction; the paper writes $(f, f)$. The **averaged** version first takes the mean of the predictions over all draws that fit
# what is known, and counts the loss of this mean. The paper calls the model *marginalised* and writes $(f_C, f_{C \cup J})$. SAGE, from lesson
# 04, uses the averaged version. By the plain one, cycling and PSA are worth {{0.125 each | (gains["cycling"] + gains["PSA"]) / 2}}.

# %%
predict("08.2")

# %% jupyter={"source_hidden": true}
averaged = {
    name: exact.associative_importance(name, marginalize=True).importances_mean[0]
    for name in names
}
difference = averaged["PSA"] - averaged["cycling"]
more = "the unread PSA" if difference > 0 else "cycling, which is read"
reveal("08.2", more if abs(difference) > 1e-9 else "they are worth the same")

# %% tags=["after-08-2"]
pd.DataFrame({"plain": gains, "averaged": averaged}).rename_axis(
    "associative importance of"
)
#| says **Plain** counts the loss of each draw's prediction, **averaged** the loss of the mean prediction over all draws. By both versions {{all three variables get credit | min(*gains.values(), *averaged.values()) > 0}}, the one that the model cannot read among them.

# %% [markdown]
# By both versions {{all three variables get credit | min(*gains.values(), *averaged.values()) > 0}}, the one that the model cannot read among them.
#
# When is an associative importance zero? The paper's **Proposition 2** has two parts. For the plain version: if $Y$ is independent of $X_J$ given $X_C$,
# then $AI(X_J \mid X_C) = 0$, whatever the model and the loss. For the averaged version this holds if the loss is squared error or cross-entropy *and* the
# model is the best possible one for that loss. Our hospital shows that the condition is needed. Given PSA, the label is independent of cycling, and yet:

# %%
given_psa = {
    "plain": exact.associative_importance("cycling", ["PSA"]),
    "averaged": exact.associative_importance("cycling", ["PSA"], marginalize=True),
}
values = {version: result.importances_mean[0] for version, result in given_psa.items()}
pd.Series(values, name="AI of cycling given PSA").to_frame()
#| says Given PSA, the label is independent of cycling. And yet the averaged value is {{negative | values["averaged"] < 0 == round(values["plain"], 9)}}: with PSA known, the averaged model predicts ${{0.25 | exact.prediction_slope("PSA")}} \cdot \text{PSA}$; with cycling known too, ${{0.5 | model["cycling"]}} \cdot \text{cycling}$, a worse guess of a label that was made from PSA.

# %% [markdown]
# The averaged value is {{negative | values["averaged"] < 0 == round(values["plain"], 9)}}. With PSA known, the averaged model predicts $0.25 \cdot \text{PSA}$. Once cycling is known too, it predicts $0.5 \cdot
# \text{cycling}$ and no longer follows PSA: a worse guess of a label that was made from PSA. The hospital's model is the best one for somebody who sees biomarker
# and cycling, but not for somebody who sees all three variables, so the second part of the proposition does not apply to it.
#
# ## 8.5 Four classics, two definitions
#
# With a particular baseline or context, and in a particular version, the two definitions become four measures from the literature (table 1 of the paper). One point is easily
# missed. **SAGE** plays the game of lesson 04 about the loss: a set of columns is worth the loss that the mean prediction saves when only they are known, the others drawn on their own (marginal) or so that they fit (conditional).
# What the paper's table calls SAGE are these *worths* $v(S)$; our rows show them for one player at a time. The SAGE *values* are the Shapley values of the game; we give them rows of their own.

# %%
from course_lib.studies import classic_measures

classic_measures(exact).round(4)
#| says **SAGE** plays a game about the loss: a set of columns is worth the loss that the mean prediction saves when only they are known, the others drawn on their own (marginal) or so that they fit (conditional). Its values are the Shapley values of the game. In the column PSA {{only conditional SAGE | classic_measures(exact)["PSA"].round(9).ne(0).tolist() == [False, False, False, True, False, True]}} is not 0.

# %% [markdown]
# Look down the column PSA. The measures that ask about slots give 0: permutation importance and marginal SAGE. So does conditional importance, since with biomarker
# and cycling known only the slot PSA is redrawn. Only conditional SAGE notices PSA, both as a worth and as a value. The value is {{half | classic_measures(exact)["PSA"].iloc[5] == classic_measures(exact)["PSA"].iloc[3] / 2 > 0}} of
# the worth: if PSA arrives before cycling it brings all of it, and if it arrives after cycling it brings nothing, because the slot for cycling then has its true value already.
#
# Now look at cycling in the second row. The model uses it for every patient, and it gets {{0 | classic_measures(exact)["cycling"].iloc[1]}}, because PSA, which the model does not read, is among the rest. (Given the biomarker alone it would get {{0.125 | exact.associative_importance("cycling", ["biomarker"]).importances_mean[0]}}.)
# **No row is wrong; each answers a question of its own.**
#
# ## 8.6 Where does a feature's importance come from?
#
# Apart from the picture in 8.2, each number so far was the importance of a feature or of a variable as a whole. Now we take both apart: how much of a feature's importance comes *from* a certain variable, and, in 8.7, how much of a variable's importance
# enters *via* a certain feature. In this section all is plain again: one draw at a time.
#
# The feature cycling has a direct importance of {{0.125 | direct["cycling"]}}. Is it due to cycling itself? Instead of giving the slots in $K$ their true values
# back, fill them with a draw that fits another variable: $\tilde X_K^{J}$, taken from somebody who agrees with our patient in $X_J$. All slots outside
# $B \cup K$ stay noise. The part of the loss that this wins back is the **direct importance from** $X_J$ (definition 3):
#
# $$\begin{aligned} DI(\underline{X}_K \mid \underline{X}_B \leftarrow X_J) ={}& \mathbb{E}\,L\big(Y, \hat Y \mid do(\underline{X}_{D \setminus B} = \tilde X^{\emptyset}_{D \setminus B})\big) \\
#  &- \mathbb{E}\,L\big(Y, \hat Y \mid do(\underline{X}_{D \setminus B} = \tilde X^{\emptyset}_{D \setminus B},\ \underline{X}_K = \tilde X_K^{J})\big) . \end{aligned}$$
#
# Let the baseline be all other features, so that it is permutation importance we take apart, and let PSA be the source. PSA and cycling have a correlation of {{0.71 | world.covariance().loc["PSA", "cycling"] / (world.covariance().loc["PSA", "PSA"] * world.covariance().loc["cycling", "cycling"]) ** 0.5}}.

# %%
predict("08.3")

# %%
from_psa = exact.direct_importance_from("cycling", "PSA").importances_mean[0]
reveal("08.3", from_psa)

# %% [markdown]
# ## 8.7 Through which door?
#
# The mirror image of this question is about a variable: through which features does it reach the model? Let $X_J$ become known, but redraw only the features in $K$;
# all others are drawn as if $X_J$ were still unknown. That is the **associative importance via** $\underline{X}_K$ (definition 4):
#
# $$\begin{aligned} AI(X_J \mid X_C \rightarrow \underline{X}_K) ={}& \mathbb{E}\,L\big(Y, \hat Y \mid do(\underline{X} = \tilde X^{C})\big) \\
#  &- \mathbb{E}\,L\big(Y, \hat Y \mid do(\underline{X}_K = \tilde X_K^{C \cup J},\ \underline{X}_{D \setminus K} = \tilde X_{D \setminus K}^{C})\big) . \end{aligned}$$
#
# In the library it is `associative_importance_via`; the numbers in the picture of 8.2 are its plain version. For more doors we need a bigger world, the paper's second example: a census with three protected
# attributes. The arrows are the paper's, the strengths are ours, and neither claims to describe the real world.

# %% jupyter={"source_hidden": true}
from course_lib.worlds import make_census_world

census = make_census_world()
protected = ["age", "sex", "race"]
seven = [v for v in census.variables if v not in (*protected, "income")]
heights = (2.2, 1.6, 1.0, 0.4, -0.45, -1.55, -2.15)
places = {name: (1.7, y) for name, y in zip(seven, heights, strict=True)}
places |= {"capital_gain": (1.95, 2.2), "occupation": (1.95, -2.15)}
places |= {"age": (0, 1.6), "sex": (0, -0.03), "race": (0, -1.85), "income": (3.6, 0)}
picture(
    plot_graph(census, places, target="income"),
    alt="Age acts on capital gain, education and hours per week, by 0.6 each; sex on "
    "relationship (0.8), workclass (0.6) and income (0.5); race on marital status "
    "(0.6), occupation (0.8) and income (0.5). All seven in the middle act on income, "
    "education and occupation by 1, the others by 0.5.",
)
#| says An invented census: neither arrows nor numbers claim to describe the real world. The model of income may read the seven columns in the middle, but not age, sex or race. Sex and race are read as two groups of equal size, coded $-1$ and $+1$.

# %% [markdown]
# Every variable but income is standardised. Read sex and race as two groups of equal size, coded $-1$ and $+1$, and the other columns as scores. The model of income may read the seven
# columns in the middle, but not age, sex or race. From here on every associative importance in the census is the *averaged* version, as in SAGE.

# %%
predict("08.4")

# %% jupyter={"source_hidden": true}
blind = linear_gaussian(census, "income", dict(census.least_squares("income", seven)))
split = {
    name: blind.decompose_associative(name, marginalize=True, how="shapley")
    for name in protected
}
reveal("08.4", max(split, key=lambda name: split[name].total))

# %% tags=["after-08-4"] jupyter={"source_hidden": true}
leaks = pd.DataFrame({name: d.parts["importance"][seven] for name, d in split.items()})
picture(
    plot_doors(leaks.T, numbers="saved squared error"),
    alt="Age enters through capital gain (0.36), education (0.72) and hours (0.36); sex "
    "through relationship (0.9) and workclass (0.52); race through marital status "
    "(0.67) and, by far the thickest line, occupation (1.87).",
)
#| holds leaks["age"][leaks["age"] > 0].round(2).tolist() == [0.36, 0.72, 0.36]
#| holds leaks["sex"][leaks["sex"] > 0].round(2).tolist() == [0.9, 0.52]
#| holds leaks["race"][leaks["race"] > 0].round(2).tolist() == [0.67, 1.87]
#| says None of the three is read, and all three come in. The widest door is {{occupation | leaks["race"].idxmax()}}, through which race enters. The numbers of a variable add up to its associative importance (averaged, by Shapley's split).

# %% [markdown]
# The numbers beside the lines of a variable add up to its associative importance (Shapley's split, averaged version). Compare the lines with the arrows of the picture before: each leads from a variable to
# one of its children.
#
# ## 8.8 Close a door, and measure again
#
# Somebody suggests closing the widest door of race: drop the column occupation and fit the model again. An audit needs three numbers. The
# **gap** is the difference between the mean predictions for the two groups, in units of income. The associative importance says what knowing race
# is worth for the loss. The squared error says what the change costs.

# %%
from course_lib.studies import audit

#| holds audit(census, "income", "race", seven, without=shut)["gap"].round(2).tolist() == [2.9, 1.54, 2.62, 0]

shut = [], ["occupation"], ["marital_status"], ["occupation", "marital_status"]
audit(census, "income", "race", seven, without=shut).round(2)
#| says The **gap** is the difference between the mean predictions for the two groups of race, in units of income. Drop occupation and fit again, and {{more than half | audit(census, "income", "race", seven, without=shut)["gap"].iloc[1] > 1.45}} of it remains: race now comes in through marital status.

# %% [markdown]
# The widest door is shut, and {{more than half | audit(census, "income", "race", seven, without=shut)["gap"].iloc[1] > 1.45}} of the gap remains. The refitted model gives marital status {{twice | round(census.least_squares("income", [v for v in seven if v != "occupation"])["marital_status"] / blind.coefficients["marital_status"], 1) == 2}} the weight it had before: race now comes in through the other door. Of the four models only the one without both
# columns has no gap, and there the error has grown from {{1.15 | audit(census, "income", "race", seven, without=shut)["squared error"].iloc[0]}} to {{4.15 | audit(census, "income", "race", seven, without=shut)["squared error"].iloc[3]}}. (The {{1.87 | leaks["race"]["occupation"]}} in the second row also stood beside the line from race to occupation in 8.7. That is a coincidence.)
#
# Most of this price cannot be avoided by anybody who wants no gap. In this invented world income itself differs between the two groups by {{3.2 | 2 * census.covariance().loc["income", "race"]}}. If the mean prediction is the same for both groups, it lies at best halfway between their mean incomes and
# misses each by {{1.6 | census.covariance().loc["income", "race"]}}, whatever the model reads. Together with the noise, whose variance is 1, the error is at least $1.6^2 + 1 = {{3.56 | census.noise["income"] ** 2 + census.covariance().loc["income", "race"] ** 2}}$, so every model without a gap loses at least {{2.4 | census.noise["income"] ** 2 + census.covariance().loc["income", "race"] ** 2 - audit(census, "income", "race", seven, without=shut)["squared error"].iloc[0]}} of the 3.0 (4.15 - 1.15). **After closing a door, fit again and measure again.** Whether the price is worth paying is not a question for a measure.
#
# ## 8.9 A zero is about the loss
#
# One question is left at the hospital. We have computed every importance against the label, and those who wrote the label looked at PSA. Suppose the true condition of
# each patient becomes known, which in this story depends on the biomarker alone. Take the same model and the same patients, and measure against the truth.

# %%
from course_lib.studies import worth_and_slope
from course_lib.worlds import LinearSCM

truth = LinearSCM(
    {"PSA": {"cycling": 1.0}, "condition": {"biomarker": 1.0}},
    {"biomarker": 0.5, "cycling": 0.5, "PSA": 0.5, "condition": 0.5},
)
true = linear_gaussian(truth, "condition", dict(model))
worth_and_slope({"against the label": exact, "against the condition": true}, "PSA")
#| says The true condition depends on the biomarker alone, the label on PSA too. The model is the same. **An associative importance says what a variable is worth for the loss, not whether the predictions depend on it.**

# %% [markdown]
# The predictions are the same and rise by the same {{0.25 | worth_and_slope({"label": exact}, "PSA").iloc[2, 0]}} per unit of PSA. But against the truth the plain associative importance of PSA is {{0 | true.associative_importance("PSA").importances_mean[0]}}, and the averaged one is {{negative | true.associative_importance("PSA", marginalize=True).importances_mean[0] < 0}}:
# knowing PSA makes the model's guess worse. **An associative importance says what a variable is worth for the loss, not whether the predictions depend on it.** If it is not zero,
# they do depend on it. If it is zero, look at the predictions themselves, and first at their slope or at the gap between groups.
#
# The model need not be a poor one for this to happen. Take a test that favours one of two groups, coded $-1$ and $+1$: test = ability + group. The outcome is ability plus noise;
# ability and noise have variance 1. The best linear prediction of the outcome from the test has the slope 0.5. The associative importance of the group is 0 (plain) or $-0.25$ (averaged), and yet the
# mean predictions for the two groups lie a whole unit apart. You will compute this in the exercise.
#
# Now try to deceive the measure. The sliders set the model's two weights. The lines show how much the prediction rises per unit of each variable, the bars show what the loss says. This is the
# hospital's model:

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import doors_explorer

explorer = doors_explorer()
explorer.figure(biomarker=1.0, cycling=0.5)

# %%
explorer

# %% [markdown]
# With the cycling door shut, the averaged associative importance is {{0 | 0.0 + linear_gaussian(world, "label", {"biomarker": 1.0, "cycling": explorer.controls["cycling"].value}).associative_importance("PSA", marginalize=True).importances_mean[0]}} for a good reason:

# %%
explorer.controls["cycling"].value = 0.0
print(explorer.readout_text)

# %% [markdown]
# Against the labels, shutting the door costs {{0.0625 | linear_gaussian(world, "label", {"biomarker": 1.0}).mean_squared_error() - exact.mean_squared_error()}}. Against the true condition it *saves* {{0.0625 | true.mean_squared_error() - linear_gaussian(truth, "condition", {"biomarker": 1.0}).mean_squared_error()}}, from {{0.3125 | true.mean_squared_error()}} down to {{0.25 | linear_gaussian(truth, "condition", {"biomarker": 1.0}).mean_squared_error()}}: the model gets better by losing what it had learnt
# from a habit.
#
# ## 8.10 May I say this?
#
# The statements are about the doors of 8.7, the audit of 8.8 and the two columns of 8.9.

# %% tags=["after-08-4"]
may_i_say("08.a")

# %% [markdown]
# ## Keep this
#
# A feature is a slot in the table that the model is given, read or not; a variable is a property of the world. Direct importance is about features, associative importance about variables, and "from" and "via"
# connect the two. **Not being read is one thing, not getting in is another: look for the door. And a zero is about the loss: look at the predictions too.**
# Associative importance, "from", "via" and the gap need the protected variable itself: take it out of the model's columns, but keep it for the audit.
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1: to a given model | [direct importance DI](glossary.md#direct-importance-di), and [DI from](glossary.md#direct-importance-from-a-variable-di-from) | 0 | DI alone does not notice what comes in through proxies (DI from does); a 0 alone does not show that a feature is not read |
# | to the data distribution, as seen through this model | [associative importance AI](glossary.md#associative-importance-ai), and [AI via](glossary.md#associative-importance-via-a-feature-ai-via) | 0 | plain or averaged: say which; needs draws given variables; about the loss, so report the gap of the predictions beside it; no cause |
#
# What is still wrong: all this is about *one* model. Another one, equally good, may have other doors. Lesson 09 asks all good models at once.

# %% [markdown]
# ## Further: splits, noise, and what a non-zero licenses
#
# Five short sections for those who want to use the method on their own data: three ways to split an importance, how pure noise can get credit, the paper's figures 7 and 8, a relative
# called RFI, and a table of which number shows which dependence. About 30 minutes.

# %% [markdown]
# ### 8.11 Three ways to split
#
# The paper discusses three ways to split the importance of a feature among its sources, and recommends the first and the last. The **fast** split asks each source how much it can bring back on its own.

# %%
predict("08.5")

# %%
fast = exact.decompose_direct("cycling", how="fast").parts["importance"]
reveal("08.5", fast.sum())

# %% [markdown]
# The **order-based** split lets the sources arrive one after the other and credits each with what it adds. **Shapley's** split averages over all orders.

# %% tags=["after-08-5"]
from course_lib.studies import splits_by_source

orders = ["biomarker", "cycling", "PSA"], ["biomarker", "PSA", "cycling"]
splits_by_source(exact, "cycling", orders).round(4)

# %% [markdown]
# The fast split finds every source that can bring something back on its own, and counts for both what two of them share. A source that helps only in company gets 0, or even less than 0 if it misleads the model when it alone is known. The parts of an order add up, but they depend
# on the order: what two sources share goes to the first, what they have only together goes to the last. So a 0 may mean no more than that the source came at the wrong time. Shapley's
# parts add up and treat equal sources alike, at the price of up to $2^d$ mean losses for $d$ variables, one for each set of them. Choose the first for a search, the last for a report.

# %% [markdown]
# ### 8.12 When noise gets credit
#
# In this world `noise` has nothing to do with anything; `x1` and `x2` are correlated, and the model reads both. The associative importance of the noise is 0. Five rules split this 0 over the doors,
# the first four in the plain version, the last in the averaged one:

# %%
from course_lib.studies import splits_by_door

trap = LinearSCM(
    {"x2": {"x1": 0.8}, "y": {"x1": 1.0, "x2": 1.0}},
    {"x1": 1.0, "x2": 0.6, "noise": 1.0, "y": 1.0},
)
both = linear_gaussian(trap, "y", {"x1": 1.0, "x2": 1.0})
splits_by_door(both, "noise", ["x1", "x2"]).round(3)

# %% [markdown]
# Through one door alone, pure noise seems to save {{1.6 | splits_by_door(both, "noise", ["x1", "x2"]).iloc[0, 0]}}. At the start `x1` and `x2` are drawn *together*, so that both tend to be high or both low. To let the noise in through `x1` alone, `x1` is
# drawn anew, and so apart from `x2`. The two no longer push the prediction the same way at the same time, it varies less, and the loss falls. The paper warns of exactly this at the end of its section 4.2: the
# mixed draw no longer has the joint distribution of the data. Its fast split for AI counts what is lost when one door alone is closed, which turns the sign: {{$-1.6$ | splits_by_door(both, "noise", ["x1", "x2"]).iloc[1, 0]}} for each door.
# Along an order the two cancel. **Shapley's split gives the noise 0 at every door**, in the plain version whatever the model and the loss.
#
# The averaged version gives the noise 0 as well, since this model does not read it and adds its features up: the mean of a sum does not depend on whether
# the features are drawn together. With an interaction it does. If $x_1 x_2$ is both the model and the mean of $y$, then in the averaged version either door alone gives the noise $-0.64$ and the fast split gives it $+0.64$ at each. Shapley's split still gives it 0. A model that adds the noise to its prediction has to pay for it in the averaged version, since known noise then moves the averaged prediction: $x_1 + x_2 + \text{noise}$, say, has {{$-1$ | linear_gaussian(trap, "y", {"x1": 1.0, "x2": 1.0, "noise": 1.0}).decompose_associative("noise", marginalize=True, how="shapley").parts["importance"]["noise"]}} at the door `noise`, by Shapley's split too. (The paper states its fast split for the averaged version, and uses the plain one in its figure 6.)

# %% [markdown]
# ### 8.13 SAGE values by door, permutation importance by source
#
# The paper's figure 7 splits the conditional SAGE *values* of the three protected attributes, its figure 8 the permutation importances of three features. In our census both have closed forms. On data,
# `decompose_sage(model, X, y, j, ...)` and `decompose_direct(model, X, y, k, ...)` estimate them.

# %%
sage = {name: blind.decompose_sage(name, how="shapley") for name in protected}
sources = {
    name: blind.decompose_direct(name, how="shapley")
    for name in ("education_num", "workclass", "occupation")
}

# %% tags=["after-08-4"] jupyter={"source_hidden": true}
figure_7 = pd.DataFrame(
    {name: d.parts["importance"][seven] for name, d in sage.items()}
)
picture(
    plot_doors(figure_7.T, numbers="saved squared error"),
    alt="The conditional SAGE values by door. Age: capital gain 0.118, education 0.252, "
    "hours 0.118. Sex: relationship 0.38, workclass 0.201. Race: marital status 0.252, "
    "occupation 0.796.",
)
#| holds figure_7.round(3).max().tolist() == [0.252, 0.38, 0.796]

# %% [markdown]
# The doors are those of 8.7, and all numbers are smaller (each picture scales its own lines): a SAGE value averages over contexts, and in many of them a door is already known when its parent arrives. The closed forms treat sex and race as
# normal scores. For single attributes, as in 8.7 and 8.8, this makes no difference. Here it does: with two groups coded $-1$ and $+1$, the SAGE values of sex and race and the parts in the next picture would change, by about 0.02 at most.
#
# For figure 8, read the picture from right to left: each of the three features, and the variables on which its permutation importance rests.

# %% tags=["after-08-4"] jupyter={"source_hidden": true}
figure_8 = pd.DataFrame({name: d.parts["importance"] for name, d in sources.items()})
order = ["age", *seven[:3], "sex", *seven[3:5], "race", *seven[5:]]
picture(
    plot_doors(figure_8.loc[order], numbers="saved squared error"),
    alt="Education has 1.57 of its 2.0 from itself, 0.285 from age, 0.075 each from "
    "capital gain and hours. Workclass has 0.583 of 0.82 from itself, 0.174 from sex, "
    "0.063 from relationship. Occupation has 2.12 of 3.55 from itself, 1.16 from race, "
    "0.273 from marital status.",
)
#| holds figure_8.max().round(2).tolist() == [1.57, 0.58, 2.12]
#| holds figure_8.sum().round(2).tolist() == [2.0, 0.82, 3.55]

# %% [markdown]
# Capital gain has a part in education although neither acts on the other: both are children of age, so each helps to predict the other. May one say this about the further part?

# %% tags=["after-08-4"]
may_i_say("08.b")

# %% [markdown]
# ### 8.14 What is left: RFI
#
# *Relative feature importance* (König and colleagues, 2021) asks the complementary question: how much of the permutation importance cannot be attributed to $X_G$? Write $L_0$ for the loss with the feature scrambled, $L_G$ for the loss with
# the feature redrawn given $X_G$, and $L$ for the loss as it is. Then
#
# $$\underbrace{L_0 - L}_{\text{permutation importance}} = \underbrace{L_0 - L_G}_{\text{DI from } X_G} + \underbrace{L_G - L}_{\text{RFI given } X_G} .$$
#
# For the feature cycling and $G = \{\text{PSA}\}$ it reads $0.125 = 0.125 + 0$: relative to PSA the feature cycling has no importance. A mediator gives this, as here, and so does a common cause: if PSA acted on cycling and on the label, the
# joint distribution could be the same to the last digit, and with it all numbers of the hospital against the label. They reflect that, once PSA is known, cycling says nothing more about the label and the biomarker, taken jointly. They do not show which way the arrows point.
#
# More can come back than was lost. If the model uses a part of the feature that harms it, a feature redrawn given $X_G$ can serve it better than the true values. Then DI from $X_G$ exceeds the permutation importance, and RFI is negative.

# %% [markdown]
# ### 8.15 Which non-zero licenses which dependence?
#
# In the population, with exact conditional draws. *Best* means the loss-optimal model of all variables, for squared error or cross-entropy. Each row follows in a few lines from the definitions; the guide by Ewald and colleagues (2024)
# asks the same of more measures, and turns to uncertainty in samples at its end.
#
# | a value different from 0 of | for which model | shows that |
# |---|---|---|
# | permutation importance of $j$ | any | the model reads $j$, and $X_j$ depends on $(Y, X_{-j})$ taken together; **not** that $X_j$ depends on $Y$ |
# | marginal SAGE of $j$ | any | the model reads $j$, and nothing about dependence |
# | conditional importance of $j$ | any | the model reads $j$, and $X_j$ depends on $Y$ given $X_{-j}$ |
# | plain $AI(X_J \mid X_C)$ | any | predictions depend on $X_J$ given $X_C$, and so does $Y$ |
# | averaged $AI(X_J \mid X_C)$, worth $v(\{j\})$ of conditional SAGE | best | $Y$ depends on $X_J$ given $X_C$ (with $C$ empty: at all) |
# | conditional SAGE value of $j$ | best | for at least one set $C$ of other variables, $Y$ depends on $X_j$ given $X_C$ |
# | LOCO: the loss of the best model without $j$ minus the loss of the best with it | both refitted and best | $Y$ depends on $X_j$ given $X_{-j}$ |
#
# LOCO, *leave one covariate out*, is lesson 03's algorithm reliance as a difference. None of the rows shows an effect of $X_j$ on $Y$: that is the card of [lesson 07](07_causality_caveats.ipynb). For an arbitrary
# model a zero shows less than a non-zero: contributions may cancel. In the last three rows, where the model is the best one, a zero shows something too: $X_j$ (or $X_J$) does not change the best prediction, given what else is known. For
# cross-entropy $Y$ is then independent of $X_J$ given $X_C$ (for a SAGE value, given any set $C$ of the other variables; for LOCO, given all of them); for squared error its conditional mean is the same. Plain AI is not among these rows: with cross-entropy it can be 0, or even negative, for the best model too, although $Y$ depends on $X_J$.

# %% [markdown]
# ## Practise
#
# The exercise [08_direct_and_associative](../exercises/08_direct_and_associative/08_direct_and_associative.ipynb) does it by hand, with a covariance matrix and a pencil. Your
# progress so far:

# %%
from course_lib.learner import progress

progress("08")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* König, Freiesleben, Bischl, Casalicchio and Grosse-Wentrup (DEDACT): definitions 1 to 4, table 1, propositions 1 and 2, sections 4.2, 5.1 and 5.2, examples 1 and
# 2 with figures 6 to 9; Covert, Lundberg and Lee (2020) for SAGE; Janzing, Minorics and Blöbaum (2020) for features against variables; König, Molnar, Bischl and Grosse-Wentrup (2021) for relative feature importance; Ewald, Bothmann, Wright, Bischl, Casalicchio
# and König (2024), a guide to what a non-zero value shows. The story is the paper's and simplified: on PSA as a biomarker see Ioannidis (2013), on cycling Jiandani and colleagues (2015), whose meta-analysis found no clear effect on PSA.
#
# *Words of this lesson:* [direct importance DI](glossary.md#direct-importance-di), [direct importance from a variable,
# DI from](glossary.md#direct-importance-from-a-variable-di-from), [associative importance
# AI](glossary.md#associative-importance-ai), [associative importance via a feature,
# AI via](glossary.md#associative-importance-via-a-feature-ai-via), [feature and
# variable](glossary.md#feature-and-variable), [sampler](glossary.md#sampler). All words and symbols are in the
# [glossary](glossary.md), the works in the [references](references.md), and all lessons and measures on the map at the
# end of [lesson 00](00_six_questions.ipynb).
