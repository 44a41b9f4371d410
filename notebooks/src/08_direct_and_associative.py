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
# A hospital trains a model to recognise prostate cancer. For years doctors have looked at a value called PSA, and they
# should not have; so the model is not given it. It reads a biomarker and how much a patient cycles. Scramble PSA among
# the patients, and its predictions stay the same to the last digit. Every importance you know from lesson 03 says: zero.
#
# And yet whoever knows a patient's PSA can tell, in part, what the model is going to say. PSA is inside. Nobody let it in.
# Through which door did it come?
#
# *In this lesson: what a model reads against what reaches it, four classic measures as special cases of two, where a
# feature's importance comes from, through which door a variable enters, and how to close it. About 60 minutes.*

# %% [markdown]
# ## Before we start
#
# Three questions on earlier lessons, from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("08")

# %% [markdown]
# ## 8.1 A model that may not look
#
# This is the world of König and colleagues' first example. Cycling raises PSA. The label, on which the model is trained,
# should follow the biomarker alone, but it was given by people with an eye on PSA. All noises are normal with variance
# 1/4.

# %%
from course_lib.plots import picture, plot_comparison, plot_graph
from course_lib.worlds import make_biomarker_world, make_census_world

world = make_biomarker_world()
places = {"biomarker": (2, 1), "cycling": (0, 0), "PSA": (2, 0), "label": (4, 0.5)}
picture(
    plot_graph(world, places, target="label"),
    alt="An arrow leads from cycling to PSA, and arrows from PSA and from biomarker "
    "to the label.",
)

# %% [markdown]
# The model is least squares on the two columns it may read. With infinitely many patients its coefficients are known:

# %%
model = world.least_squares("label", ["biomarker", "cycling"])
model.round(3).to_dict()

# %% [markdown]
# Cycling does not act on the label except through PSA, and PSA is not in the table. So the model has done what models do: it has
# found a proxy. In such a linear world every quantity of this lesson has a closed form, and the library knows them all.

# %%
from course_lib.measures import linear_gaussian

exact = linear_gaussian(world, "label", dict(model))
exact.permutation_importance()

# %% [markdown]
# As announced: 0 for PSA. Now another question. Suppose we know nothing about a patient, so the model is fed with a random
# patient's features. Then we are told one variable, and redraw the features so that they fit it.

# %%
predict("08.1")

# %%
gains = {
    name: exact.associative_importance(name).importances_mean[0]
    for name in exact.feature_names
}
useless = [name for name, gain in gains.items() if gain == 0]
reveal("08.1", useless[0] if useless else "each of them helps")

# %%
import pandas as pd

pd.Series(gains, name="loss saved by knowing it").to_frame()

# %% [markdown]
# PSA saves exactly as much as cycling. What is not read can still be known, by way of something that is.

# %% [markdown]
# ## 8.2 Two rows of a picture
#
# The trick is to keep two things apart that have the same name. A **variable** $X_j$ is something in the world. A **feature**
# $\underline{X}_k$ is a slot of the model, into which we may write what we like. Usually the slot holds the variable's value; nothing
# forces it to. PSA is a variable here and no feature that matters.

# %%
from course_lib.plots import plot_doors
from course_lib.studies import door_flows

names = exact.feature_names
doors = door_flows(exact, names, ["biomarker", "cycling"])
picture(
    plot_doors(doors),
    alt="Three variables, two features. The biomarker enters through its own feature "
    "with 0.5; cycling and PSA both enter through the feature cycling, 0.125 each.",
)

# %% [markdown]
# For a reader who prefers numbers, the same as a table. How they are computed is the rest of the lesson.

# %%
doors.round(3)

# %% [markdown]
# ## 8.3 Direct importance: what the model reads
#
# Start from total ignorance: every feature holds noise, a random patient's values. Restore the features in $B$, the baseline. Then
# restore $K$ as well. How much smaller is the loss? That is the **direct importance** (definition 1 of the paper), with
# $\tilde X^{\emptyset}$ for a draw that knows nothing:
#
# $$DI(\underline{X}_K \mid \underline{X}_B) = E\,L\big(\hat Y \mid do(\underline{X}_{D \setminus B} = \tilde X^{\emptyset})\big)
#  - E\,L\big(\hat Y \mid do(\underline{X}_{D \setminus (B \cup K)} = \tilde X^{\emptyset})\big) .$$
#
# Take as baseline all other features, and it is permutation importance, as in lesson 03.

# %%
rest = {name: [other for other in names if other != name] for name in names}
direct = {k: exact.direct_importance(k, B=rest[k]).importances_mean[0] for k in names}
pd.Series(direct, name="DI given the rest").to_frame()

# %% [markdown]
# The paper's first proposition: direct importance can differ from zero only if the model reads the feature. Here is the experiment, on
# patients drawn from the world, with whatever baseline.

# %%
from sklearn.linear_model import LinearRegression

from course_lib.measures import direct_importance
from course_lib.models import OnColumns

patients = world.sample(2000, random_state=0)
X, label = patients.drop(columns="label"), patients["label"]
read = ["biomarker", "cycling"]
fitted = OnColumns(LinearRegression().fit(X[read], label), read)
values = [
    direct_importance(fitted, X, label, "PSA", B=B, random_state=0)
    for B in ([], ["biomarker"], ["biomarker", "cycling"])
]
[float(value.importances_mean[0]) for value in values]

# %% [markdown]
# Three exact zeros: nothing was estimated, since no prediction moved.

# %% [markdown]
# ## 8.4 Associative importance: what reaches the model
#
# Now restore not features but knowledge. Variables in $C$ are known, and *all* features are drawn so that they fit what is known,
# $\tilde X^{C}$. Then $J$ becomes known too. The **associative importance** (definition 2) is
#
# $$AI(X_J \mid X_C) = E\,L\big(\hat Y \mid do(\underline{X} = \tilde X^{C})\big)
#  - E\,L\big(\hat Y \mid do(\underline{X} = \tilde X^{C \cup J})\big) .$$
#
# There is a choice: feed the model one draw (the plain model $f$), or average its predictions over all draws (the marginalised
# model $f_C$), as SAGE does. Both answer "what does knowing $X_J$ save", the second with a calmer guesser.

# %%
from course_lib.measures import associative_importance

rows = {}
for name in X:
    for how in (False, True):
        truth = exact.associative_importance(name, marginalize=how)
        estimate = associative_importance(
            fitted, X, label, name, marginalize=how, random_state=0
        )
        row = f"{name}, {'averaged' if how else 'plain'}"
        rows[row] = [truth.importances_mean[0], *estimate.interval()[0].round(3)]
pd.DataFrame(rows, index=["closed form", "interval from", "to"]).T

# %% [markdown]
# The intervals speak of the draws, for these 2000 patients; the patients themselves are a sample, so a closed form may lie a little
# outside. The paper's second proposition: if knowing $X_J$ says nothing about the target beyond $X_C$, its associative importance is 0. Given
# PSA, cycling is such a variable.

# %%
float(exact.associative_importance("cycling", C=["PSA"]).importances_mean[0])

# %% [markdown]
# ## 8.5 Four classics, two definitions
#
# Turn the two knobs, baseline and averaging, and four measures of the literature come out (table 1 of the paper). They
# have been answering different questions all along.


# %%
def classics(name):
    """The four rows of the paper's table 1 for one variable."""
    return [
        exact.direct_importance(name, B=rest[name]),
        exact.associative_importance(name, C=rest[name]),
        exact.direct_importance(name, marginalize=True),
        exact.associative_importance(name, marginalize=True),
    ]


# %%
rows = ["DI, B = the rest", "AI, C = the rest", "DI averaged", "AI averaged"]
table = pd.DataFrame({name: classics(name) for name in names}, index=rows)
table = table.map(lambda result: result.importances_mean[0])
table["known as"] = ["permutation", "conditional", "marginal SAGE", "conditional SAGE"]
table

# %% [markdown]
# Look down the PSA column. Three classics see nothing. Only the last one, which knows nothing else and asks what PSA tells, finds it. And
# look at cycling in the second row: given PSA it has no information of its own, and a report of that row alone would call
# it useless to a model that uses it for every patient.

# %% [markdown]
# ## 8.6 Where does it come from?
#
# The feature cycling has a direct importance of 0.125. Does the model profit from cycling as such? Rebuild the feature from what
# some other variable knows about it: draw $\underline{X}_k$ given $X_J$. What comes back is the **direct importance from** $X_J$
# (definition 3), $DI(\underline{X}_k \mid \underline{X}_B \leftarrow X_J)$.

# %%
predict("08.2")

# %%
from_psa = exact.direct_importance_from("cycling", "PSA").importances_mean[0]
reveal("08.2", from_psa)

# %% [markdown]
# All of it. To the model, the feature cycling is PSA under another name. That is the answer to the hospital's question, found without
# knowing the graph.
#
# Now for every variable, as shares. The quick way asks each variable alone.

# %%
predict("08.3")

# %%
fast = exact.decompose_direct("cycling", how="fast")
reveal("08.3", fast.parts["importance"].sum())

# %%
fast

# %% [markdown]
# The fast decomposition favours finding every source over adding up. If you need parts of a whole, you know the cure from lesson 04: let the
# variables come in all orders and take the mean.

# %%
exact.decompose_direct("cycling", how="shapley")

# %% [markdown]
# Half and half: PSA and cycling can each do what the other does. By symmetry neither deserves more.

# %% [markdown]
# ## 8.7 Through which door?
#
# The mirror image. A variable has associative importance; let it rebuild one feature only, and keep what it knows away from all others.
# That is the **associative importance via** $\underline{X}_K$ (definition 4), the numbers on the lines of the picture in 8.2. For a
# bigger house we need a bigger world: the paper's second example, a census with three protected attributes. (The arrows are
# the paper's, the strengths are ours, and neither claims to be the real world.)

# %%
census = make_census_world()
protected = ["age", "sex", "race"]
seven = [v for v in census.variables if v not in (*protected, "income")]
places = {name: (2, 3 - 6 * (k + 0.5) / 7) for k, name in enumerate(seven)}
places |= {"age": (0, 1.7), "sex": (0, -0.86), "race": (0, -2.57), "income": (4.2, 0)}
picture(
    plot_graph(census, places, target="income"),
    alt="Age acts on capital gain, education and hours per week; sex on relationship "
    "and workclass and on income; race on marital status and occupation and on "
    "income. All seven in the middle act on income.",
)

# %% [markdown]
# The model of income may not read age, sex and race. It reads the seven columns in the middle.

# %%
predict("08.4")

# %%
blind = linear_gaussian(census, "income", dict(census.least_squares("income", seven)))
split = {
    name: blind.decompose_associative(name, marginalize=True, how="shapley")
    for name in protected
}
reveal("08.4", max(split, key=lambda name: split[name].total))

# %% [markdown]
# None of the three is read, all three are inside. This is who comes through which door, in parts that add up (Shapley, averaged model):

# %%
leaks = pd.DataFrame({name: d.parts["importance"][seven] for name, d in split.items()})
picture(
    plot_doors(leaks.T),
    alt="Age enters through capital gain (0.36), education (0.72) and hours (0.36); sex "
    "through relationship (0.9) and workclass (0.52); race through marital status "
    "(0.67) and, by far the thickest line, occupation (1.87).",
)

# %%
leaks.assign(total=leaks.sum(axis=1)).round(2)

# %% [markdown]
# Every door leads back to the variable that the graph says, although the measure has never seen the graph: it only needs to draw
# features given variables.

# %%
may_i_say("08.a")

# %% [markdown]
# ## 8.8 Close a door
#
# Back in the hospital. The two sliders say how far each door is open: they scale the model's coefficients. With both
# open it looks like this.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import doors_explorer

explorer = doors_explorer()
explorer.figure(biomarker=1.0, cycling=1.0)

# %% [markdown]
# Somebody has already half closed the biomarker door, which did not help. Do better.

# %%
explorer

# %% [markdown]
# Half a door, by a line of code:

# %%
explorer.controls["biomarker"].value = 1.0
explorer.controls["cycling"].value = 0.5
print(explorer.readout_text)

# %% [markdown]
# In the census one would shut both doors of sex, `relationship` and `workclass`, fit again, and then *check*, because a refitted model may open
# another door wider.

# %%
fewer = [name for name in seven if name not in ("relationship", "workclass")]
shut = linear_gaussian(census, "income", dict(census.least_squares("income", fewer)))
pd.DataFrame(
    {
        "AI of sex": [
            m.associative_importance("sex").importances_mean[0] for m in (blind, shut)
        ],
        "squared error": [m.mean_squared_error() for m in (blind, shut)],
    },
    index=["seven features", "without the two doors"],
).round(2)

# %% [markdown]
# Sex is out, and the price is in the second column: the two doors also carried much that has nothing to do with sex. Whether to pay it is not a
# question for a measure.

# %% [markdown]
# ## 8.9 Two traps for the honest
#
# Here is a world in which `noise` has nothing to do with anything; `x1` and `x2` are correlated, and the model reads both.

# %%
from course_lib.worlds import LinearSCM

trap = LinearSCM(
    {"x2": {"x1": 0.8}, "y": {"x1": 1.0, "x2": 1.0}},
    {"x1": 1.0, "x2": 0.6, "noise": 1.0, "y": 1.0},
)
both = linear_gaussian(trap, "y", {"x1": 1.0, "x2": 1.0})
for averaged in (False, True):
    via = both.associative_importance_via("noise", "x1", marginalize=averaged)
    print("averaged:" if averaged else "plain:", round(via.importances_mean[0], 3))

# %% [markdown]
# Pure noise with an importance of 1.6? In the baseline `x1` and `x2` are drawn *together*. "Via `x1`" draws `x1` anew, given the noise, and so
# apart from `x2`: the two no longer exaggerate in step, the prediction becomes less wild, and the loss falls. The gain comes from tearing a joint draw
# apart, not from anything that the noise knows. The averaged model has no draws to tear apart, and says 0.
#
# The same happens to the direct importance from *nobody* when the baseline is not all the rest:

# %%
for baseline, B in (("nothing in place", ()), ("all the rest in place", None)):
    value = both.direct_importance_from("x1", [], B=B).importances_mean[0]
    print(f"{baseline}:", round(value, 3))

# %% [markdown]
# > **What the textbook says.** The paper reads these measures as contributions of the variable. Before splitting them by Shapley's
# > rule, subtract what nobody brings, $w(\emptyset)$; the library does it. Or average the model.

# %% [markdown]
# ## Keep this
#
# A feature is what the model reads, a variable is what the world does. Direct importance belongs to features, associative importance to
# variables, "from" and "via" connect them. **Not being read and not getting in are two things: look for the door.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1: to a given model | [direct importance DI](glossary.md#direct-importance-di), and [DI from](glossary.md#direct-importance-from-a-variable-di-from) | 0 | says nothing about what leaks in through proxies |
# | to the data distribution, seen through the model | [associative importance AI](glossary.md#associative-importance-ai), and [AI via](glossary.md#associative-importance-via-a-feature-ai-via) | 0 | needs draws given variables; not a cause; plain AI via can credit noise |
#
# What is still wrong: all this is about *one* model. Another one, equally good, may have other doors. Lesson 09 asks all good models at once.

# %% [markdown]
# ## Practise
#
# The exercise [08_direct_and_associative](exercises/08_direct_and_associative.ipynb) does it by hand, with a covariance matrix and a pencil. Your
# progress so far:

# %%
from course_lib.learner import progress

progress("08")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* König, Freiesleben, Bischl, Casalicchio and Grosse-Wentrup (DEDACT): definitions 1 to 4, table 1, propositions 1 and 2, sections 5.1 and 5.2, examples 1 and
# 2; Covert, Lundberg and Lee (2020) for SAGE; Janzing, Minorics and Blöbaum (2020) for features against variables. On PSA: Ioannidis (2013).
#
# *Words of this lesson:* [direct importance DI](glossary.md#direct-importance-di), [direct importance from a variable,
# DI-from](glossary.md#direct-importance-from-a-variable-di-from), [associative importance
# AI](glossary.md#associative-importance-ai), [associative importance via a feature,
# AI-via](glossary.md#associative-importance-via-a-feature-ai-via), [feature and
# variable](glossary.md#feature-and-variable), [sampler](glossary.md#sampler). All words and symbols are in the
# [glossary](glossary.md), the works in the [references](references.md), and all lessons and measures on the map at the
# end of [lesson 00](00_six_questions.ipynb).
