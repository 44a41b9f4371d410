# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 01 · Mean decrease of impurity
#
# Two switches, one lamp. The lamp is lit only if both switches are on. Swap the switches and nothing changes: whatever is true of
# one is true of the other.
#
# A decision tree learns the lamp without an error, and is asked how important each switch is. Then two hundred trees are asked, and
# their answers are averaged. The one tree and the many do not agree, and none of them has made a mistake. What is there to
# disagree about, when the switches are alike?
#
# *In this lesson: what an impurity is, how much of it a split removes, what adds up to the number that scikit-learn calls
# `feature_importances_`, and what was divided away before you saw it. About 50 minutes.*

# %% jupyter={"source_hidden": true}
from course_lib.plots import picture, plot_gate, plot_importances, plot_split
from course_lib.worlds import load_node, load_rank_swap, make_gate

X, lamp = make_gate("and")
picture(
    plot_gate(X, lamp),
    alt="The four positions of two switches: the lamp is lit only where both are on.",
)
#| says The lamp is lit only if both switches are on. Which of the two is more important to a tree that learns it?

# %% [markdown]
# ## Before we start
#
# Three questions on what came before. Answer from memory; looking things up comes later.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("01")

# %% [markdown]
# ## 1.1 The lamp
#
# The tree is shown all four positions of the switches, each of them equally often. It has to ask about one switch first, and about
# the other one after that. Commit to an answer before you go on; the tree will be grown in section 1.4, and there you see what it says.

# %%
predict("01.1")

# %% [markdown]
# ## 1.2 A number for not knowing
#
# To say what an answer is worth, we need to say how uncertain we were before it. Take one node of a tree, with twenty samples in it:
# twelve of class 0 and eight of class 1, spread along one input `x`. If you draw one of them blindly, how unsure are you of its class?
#
# An **impurity** is a number: 0 when all targets in a node are the same, larger when they mix. **Gini** is the chance that two
# samples drawn from the node (the first put back) have different classes; for numbers one takes the **variance**. The **entropy** of information theory counts bits: with $p_c$ the share of class $c$ in node $t$,
#
# $$i(t) = H(Y \mid t) = - \sum_c p_c \log_2 p_c .$$
#
# What does a bit count? Suppose many samples are drawn and you must find out their classes with as few yes-no questions as
# possible. If a question may ask about more and more draws at once, the average number of questions per draw comes down to the entropy in the end. (With two classes, one draw by itself takes a whole question.) For this node it is:

# %%
from course_lib.models import impurity, impurity_decrease

X_node, y_node = load_node()
round(impurity(y_node, "entropy"), 3)

# %% [markdown]
# {{Nearly one bit | 0.96 < impurity(y_node, "entropy") < 1}}: almost as uncertain as a fair coin. Now cut at 12.5. {{Twelve | (X_node["x"] <= 12.5).sum()}} samples go left and {{eight | (X_node["x"] > 12.5).sum()}} go right, and each child has
# an entropy of its own. Both are still uncertain, but less than the parent. How much did the split remove?

# %% jupyter={"source_hidden": true}
from course_lib.studies import split_node

#| holds round(impurity(y_node[X_node["x"] <= 12.5]), 3) == 0.65 and round(impurity(y_node[X_node["x"] > 12.5]), 3) == 0.811
picture(
    plot_split(split_node(X_node["x"], y_node, threshold=12.5)),
    alt="Twenty samples along x, cut at 12.5: twelve on the left, ten of them class 0, with entropy "
    "0.650; eight on the right, six of them class 1, with entropy 0.811.",
)

# %%
predict("01.2")

# %% [markdown]
# The library's `impurity_decrease` takes the classes in the node and is told which samples go left. Its definition, $\Delta i(t)$ in
# symbols, comes with the answer.

# %%
decrease = impurity_decrease(y_node, left=X_node["x"] <= 12.5)
reveal("01.2", decrease)

# %% [markdown]
# ## 1.3 Turn the knob
#
# The cut at 12.5 was chosen for you. A tree tries every threshold and keeps the one with the largest decrease. One of the
# worse ones is 4.5.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import threshold_explorer

explorer = threshold_explorer()
explorer.figure(threshold=4.5)

# %% [markdown]
# The same picture has a slider. Find the threshold that removes most, then try its neighbours: a single sample on the
# wrong side costs about a third of the decrease. With the arrow keys you can move one step at a time. In a notebook a slider can also be moved by a line
# of code: the cell after it moves the threshold to the second-highest peak of the curve.

# %%
explorer

# %%
explorer.controls["threshold"].value = 8.5
print(explorer.readout_text)

# %% [markdown]
# ## 1.4 From a split to a tree
#
# Every split of a tree asks about one variable and removes some impurity, in one node. To credit the variable, add up what its
# splits removed. A node below the root concerns only some of the samples, so it counts by its share of them, $p(t) = N_t/N$. That sum is the
# **mean decrease of impurity** of $X_m$ in tree $T$:
#
# $$\mathrm{Imp}(X_m, T) = \sum_{t \in T:\, v(t) = X_m} p(t)\, \Delta i(t) ,$$
#
# where $v(t)$ is the variable that node $t$ asks about. Back to the lamp, with Gini, and to the question of section 1.1: which of the two switches gets the
# larger importance?

# %%
from sklearn.tree import DecisionTreeClassifier

from course_lib.measures import mdi

tree = DecisionTreeClassifier(random_state=0).fit(X, lamp)
first = X.columns[tree.tree_.feature[0]]

# %% [markdown]
# The tree asks {{first about `x2` | first == "x2"}} and then about `x1`. Each is credited with:

# %% tags=["after-01-1"]
credit = mdi(tree)
credit

# %% tags=["after-01-1"] jupyter={"source_hidden": true}
credited = credit.to_frame()["importance"]
answer = f"the one it asks {'first' if credited.idxmax() == first else 'second'}"

# %%
reveal("01.1", answer)

# %% [markdown]
# ## 1.5 From a tree to a forest
#
# Which switch is asked about first was a toss-up. A forest tosses again for every tree, and takes the mean:
#
# $$\mathrm{Imp}(X_m) = \frac{1}{N_T} \sum_T \mathrm{Imp}(X_m, T) .$$
#
# With infinitely many trees each switch comes first in one half of them and second in the other, so each gets the mean of the two
# credits, {{0.1875 | truth.importances_mean[0]}}. (Forests usually give each tree a *bootstrap* sample: as many rows as there are, drawn at random with replacement. With `bootstrap=False` every tree
# sees all four rows.) In the next figure, diamonds mark this limit, which the library computes exactly.

# %%
from sklearn.ensemble import RandomForestClassifier

from course_lib.measures import asymptotic_mdi
from course_lib.worlds import Categorical

truth = asymptotic_mdi(Categorical(X, lamp), impurity="gini")
options = {"max_features": 1, "bootstrap": False, "random_state": 0}
forest = RandomForestClassifier(200, **options).fit(X, lamp)

# %% jupyter={"source_hidden": true}
#| says The diamonds mark the limit of infinitely many trees, {{0.1875 | truth.importances_mean[0]}} for each switch. Two hundred trees come close to it, and their two values add up to {{0.375 | mdi(forest).importances_mean.sum()}}, the impurity that was there to remove.
#| holds ((mdi(forest).interval()[:, 0] < 0.1875) & (mdi(forest).interval()[:, 1] > 0.1875)).all()
picture(
    plot_importances(mdi(forest), truth=truth),
    alt="Both switches have an importance near 0.19, and the exact limit 0.1875 lies inside both intervals.",
)

# %% [markdown]
# Two hundred trees come close to the equal credit that symmetry demands, and the limit reaches it. The two values add up to {{0.375 | mdi(forest).importances_mean.sum()}}, the impurity that was there to remove. The single tree was
# not wrong about what it did. It was one order of asking, and a fair answer needs both. Keep that sentence: in lesson 05 it becomes
# a theorem.
#
# ## 1.6 What scikit-learn prints
#
# Now to real data: ten measurements of 442 diabetes patients, and how far the disease progressed in a year. The attribute
# `feature_importances_` is the mean decrease of impurity after a division. See what that does to a forest that has nothing to learn: we
# shuffle the outcomes among the patients, so that only chance connects them with the measurements, and keep the trees shallow, as one
# does against overfitting.

# %%
predict("01.3")

# %%
import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression

X_diabetes, progression = load_diabetes(return_X_y=True, as_frame=True)
shuffled = np.random.default_rng(0).permutation(progression)
useless = RandomForestRegressor(100, max_depth=3, random_state=0).fit(
    X_diabetes, shuffled
)
total = useless.feature_importances_.sum()

# %% tags=["after-01-3"] jupyter={"source_hidden": true}
answer = "exactly 1" if abs(total - 1) < 1e-9 else "about 0"

# %%
reveal("01.3", answer)

# %% [markdown]
# The undivided measure, by contrast, has a size. Here is the share of the outcomes' variance that the splits of a tree removed on
# average, all ten variables together. For comparison there is a forest of the same kind that was grown on the real outcomes: it removes {{several times as much | removed.iloc[1] > 3 * removed.iloc[0]}}.

# %%
import pandas as pd

useful = RandomForestRegressor(100, max_depth=3, random_state=0).fit(
    X_diabetes, progression
)
#| holds X_diabetes.shape == (442, 10)
forests = {"shuffled outcomes": useless, "real outcomes": useful}
sums = {name: mdi(forest).importances_mean.sum() for name, forest in forests.items()}
removed = pd.Series(sums) / np.var(progression)
#| says This is the share of the outcomes' variance that the splits of a tree removed on average, all ten variables together. On the real outcomes a forest of the same kind removes {{several times as much | removed.iloc[1] > 3 * removed.iloc[0]}}.
removed.to_frame("share of the variance removed").round(2)

# %% [markdown]
# ## 1.7 What a change of units does
#
# Temperatures in Fahrenheit, incomes on a logarithmic scale: one variable, many ways to write it down.

# %%
predict("01.4")

# %% [markdown]
# The values of `bmi`, the third column, are small here, so we multiply them by twenty before we take the exponential. We fit both models of the question twice, once with `bmi` as it is and once with the exponential of 20 `bmi`. Here is what they say of `bmi`.

# %% tags=["after-01-4"]
X_exp = X_diabetes.assign(bmi=np.exp(20 * X_diabetes["bmi"]))


def before_and_after(model):
    return [clone(model).fit(table, progression) for table in (X_diabetes, X_exp)]


best_splits = before_and_after(RandomForestRegressor(30, max_depth=6, random_state=0))
of_bmi = {
    "MDI in the forest": [mdi(forest).importances_mean[2] for forest in best_splits],
    "coefficient": [line.coef_[2] for line in before_and_after(LinearRegression())],
}
#| says The values of `bmi`, the body mass index, are small here, so they were multiplied by 20 before the exponential was taken. The forest gives `bmi` {{the same MDI | np.isclose(*of_bmi["MDI in the forest"])}} on both scales, the linear model {{another coefficient | not np.isclose(*of_bmi["coefficient"])}}.
pd.DataFrame(of_bmi, index=["of bmi", "of exp(20 bmi)"]).T.round(1)

# %% tags=["after-01-4"] jupyter={"source_hidden": true}
changed = tuple(not np.isclose(*pair) for pair in of_bmi.values())
answer = {
    (False, True): "only the coefficients of a linear model",
    (True, False): "only the importances of a random forest",
    (True, True): "both",
    (False, False): "neither",
}[changed]

# %%
reveal("01.4", answer)

# %% [markdown]
# ## 1.8 May I say this?
#
# One forest on the diabetes data: `bmi` is the body mass index, `bp` the blood pressure, and `s1` to `s6` are measurements on the blood. The dot is the mean over the trees, the bar the 95 % interval of that
# mean: it says what more trees of the same kind might give, and nothing about other patients. The figure shows the values undivided; after scikit-learn's division `bmi` has a share of {{0.34 | doctor.feature_importances_[2]}} and `s5` one of {{0.32 | doctor.feature_importances_[8]}}.

# %% jupyter={"source_hidden": true}
doctor = RandomForestRegressor(100, max_depth=6, random_state=0).fit(
    X_diabetes, progression
)
#| says Another forest on the diabetes data, of {{100 trees | len(doctor.estimators_)}}: `bmi` is the body mass index, `bp` the blood pressure, `s1` to `s6` are measurements on the blood. The MDI is undivided; after scikit-learn's division `bmi` has a share of {{0.34 | doctor.feature_importances_[2]}}. A bar says what more trees of the same kind might give, and nothing about other patients.
#| holds list(mdi(doctor).to_frame()["importance"].sort_values().index[[-1, -2, -3, 0]]) == ["bmi", "s5", "bp", "sex"]
picture(
    plot_importances(mdi(doctor)),
    alt="Importances of ten variables in a forest: bmi and s5 far ahead, bp third, sex last.",
)

# %%
may_i_say("01.a")

# %% [markdown]
# ## Keep this
#
# The mean decrease of impurity adds up what the splits on a variable removed from the training sample,
# weights each node by its share of the samples, and takes the mean over the trees. **MDI credits what learning did with this sample, in the order in
# which it did it.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q4: to a given algorithm on a data set | [MDI](glossary.md#mean-decrease-of-impurity-mdi) $\mathrm{Imp}(X_m)$, `mdi(forest)` | 0 if no split asks about it; noise usually gets more (lesson 02) | computed on the training sample; depends on impurity and order |
#
# What is still wrong: on pure noise it is not zero, and it favours some kinds of noise over others.
# [Lesson 02](02_mdi_bias.ipynb) finds out which, and mends it.

# %% [markdown]
# ## Further: Gini or entropy, two divisions, random thresholds
#
# Three details behind the numbers that a library prints. Each begins with a question; answer it before you run the cell.

# %% [markdown]
# ### Does the impurity matter?
#
# With two classes, entropy, Gini and variance are all functions of the one share $p$, and all are 0 where nothing is mixed. Which two
# of the three must rank variables alike in any given tree?

# %%
nodes = {f"{k} of 8": [1] * k + [0] * (8 - k) for k in range(5)}
kinds = ("entropy", "gini", "variance")
values = {kind: [impurity(y, kind) for y in nodes.values()] for kind in kinds}
pd.DataFrame(values, index=list(nodes)).round(3)

# %% [markdown]
# Gini is {{exactly twice the variance | np.allclose(np.divide(values["gini"][1:], values["variance"][1:]), 2)}} in every row. Multiply an impurity by a constant and every decrease is multiplied by it, so the
# ranking of the variables in a tree stays the same. Entropy is not a multiple of Gini, but a *curved* function of it.
# These twenty rows, made for the purpose, give the same tree under both, with the same questions in the same order:

# %%
X_swap, y_swap = load_rank_swap()
grown = {
    name: DecisionTreeClassifier(criterion=name, random_state=0).fit(X_swap, y_swap)
    for name in ("gini", "entropy")
}
columns = [mdi(tree).to_frame()["importance"] for tree in grown.values()]
pd.concat(columns, axis=1, keys=list(grown)).round(3)

# %% [markdown]
# One tree, two rankings. {{Under Gini `x1` leads, under entropy `x2` does. | [c.idxmax() for c in columns] == ["x1", "x2"]}} Which of them is "important" depends on a choice that a report
# should mention.
#
# ### What exactly is divided?
#
# scikit-learn divides each tree's values by their sum, takes the mean over the trees, and divides by the sum once more. Would a single
# division at the end give the same shares?

# %%
per_tree = mdi(useless).importances
shares = (per_tree / per_tree.sum(axis=0)).mean(axis=1)
divided = {
    "each tree normalised": shares / shares.sum(),
    "feature_importances_": useless.feature_importances_,
    "Imp / sum of Imp": per_tree.mean(axis=1) / per_tree.mean(axis=1).sum(),
}
pd.DataFrame(divided, index=X_diabetes.columns).round(3).head(4)

# %% [markdown]
# No. The first two columns {{agree to the last digit | np.allclose(divided["each tree normalised"], divided["feature_importances_"], rtol=1e-12)}}, and the third {{differs | not np.allclose(divided["Imp / sum of Imp"], divided["feature_importances_"], atol=1e-3)}}: because of the first division, every tree has the same say,
# however little it removed.
#
# > **What the textbook says.** MDI is the *sum* of the decreases over all trees of the ensemble. As a ranking that is the same; as a
# > number, twice as many trees would make every variable twice as important. The definition of Louppe and colleagues, and ours, takes the mean.
#
# ### What does a new scale change, after all?
#
# Extra-Trees draw their thresholds at random between the smallest and the largest value, as section 1.7 said. Will their MDI of `bmi` grow or fall on the new scale?

# %%
drawn = before_and_after(ExtraTreesRegressor(30, max_depth=6, random_state=0))
of_bmi = {"MDI in Extra-Trees": [mdi(forest).importances_mean[2] for forest in drawn]}
pd.DataFrame(of_bmi, index=["of bmi", "of exp(20 bmi)"]).T.round(1)

# %% [markdown]
# {{It falls | of_bmi["MDI in Extra-Trees"][1] < of_bmi["MDI in Extra-Trees"][0]}}: on the new scale most of the random thresholds lie among the larger values, at the root even among the few largest. And even a forest that searches for its thresholds is not the same
# *function* after the change. It puts a threshold halfway between two neighbouring values of its sample, and halfway on the new scale is
# another place on the old one. Somebody whose value lies between the two may go the other way. For how many of the patients do
# the two forests of section 1.7 predict something else? (A single tree can treat a patient differently only if its bootstrap sample left that patient out.)

# %%
before, after = (
    forest.predict(table)
    for forest, table in zip(best_splits, (X_diabetes, X_exp), strict=True)
)
int(np.sum(abs(after - before) > 1e-6))

# %% [markdown]
# Arithmetic sets a limit, too. scikit-learn keeps a column in single precision, and takes two values for one if they differ by less than
# a ten-millionth. A change of scale that presses the values so closely together, such as $\exp(\mathrm{bp} - 200)$ of the blood pressure in mmHg, is strictly increasing on
# paper, but the forest can no longer split there.

# %% [markdown]
# ## Practise
#
# The exercise [01_mdi](../exercises/01_mdi/01_mdi.ipynb) builds all of this from a list of counts to a forest. Your progress so far:

# %%
from course_lib.learner import progress

progress("01")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Louppe, Wehenkel, Sutera and Geurts (2013), equation 1 and the node of section 1.2; Breiman (2001) and Breiman,
# Friedman, Olshen and Stone (1984) for the measure; Geurts, Ernst and Wehenkel (2006) for Extra-Trees; Efron, Hastie, Johnstone and
# Tibshirani (2004) for the diabetes data.
#
# *Words of this lesson:* [mean decrease of impurity MDI](glossary.md#mean-decrease-of-impurity-mdi), [decrease of
# impurity](glossary.md#decrease-of-impurity), [impurity](glossary.md#impurity). All words and symbols are in the
# [glossary](glossary.md), the works in the [references](references.md), and all lessons and measures on the map at the
# end of [lesson 00](00_six_questions.ipynb).
