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
# Two switches, one lamp. The lamp is lit only if both switches are on. Swap the switches and
# nothing changes: whatever is true of one is true of the other.
#
# Ask a decision tree how important each switch is, and it answers that one of them is worth twice as
# much as the other. It has not made a mistake. Where does the difference come from?
#
# *In this lesson: what an impurity is, how a split is paid for, what adds up to the number that
# scikit-learn calls `feature_importances_`, and what was divided away before you saw it. About 50 minutes.*

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
# Here are all four positions of the switches, equally frequent, and the lamp.

# %%
from course_lib.worlds import load_node, load_rank_swap, make_gate, make_null

X, lamp = make_gate("and")
X.assign(lamp=lamp)

# %% [markdown] slideshow={"slide_type": "notes"}
# A tree has to ask about one switch first, and about the other one after that. Commit to an answer
# before you scroll; the tree will be grown in section 1.5.

# %%
predict("01.1")

# %% [markdown]
# ## 1.2 A number for not knowing
#
# To say what an answer is worth, we need to say how uncertain we were before it. Take one node
# of a tree that holds twenty samples: twelve of class 0, eight of class 1, spread along one input `x`.
# If you draw one of them blindly, how unsure are you of its class?

# %%
from course_lib.models import impurity, impurity_decrease

X_node, y_node = load_node()
y_node.value_counts()

# %% [markdown]
# An **impurity** is a number that is 0 when all targets in a node are the same and grows as they mix.
# The one of information theory is the entropy, counted in bits: the average number of yes-no
# questions that are needed to learn the class. With $p_c$ the share of class $c$ in node $t$,
#
# $$i(t) = H(Y \mid t) = - \sum_c p_c \log_2 p_c .$$

# %%
impurity(y_node, "entropy")

# %% [markdown]
# Nearly one bit: almost as uncertain as a fair coin. Now cut at 12.5. Twelve samples go left, eight go
# right, and each child has an entropy of its own.

# %%
from course_lib.plots import picture, plot_importances, plot_split
from course_lib.studies import split_node
from course_lib.widgets import threshold_explorer

picture(
    plot_split(split_node(X_node["x"], y_node, threshold=12.5)),
    alt="Twenty samples along x, cut at 12.5: twelve on the left, ten of them class 0, with entropy "
    "0.650; eight on the right, six of them class 1, with entropy 0.811.",
)

# %% [markdown]
# Both children are still uncertain, but less than the parent. How much was won?

# %%
predict("01.2")

# %% [markdown]
# What remains after the split is the uncertainty of the child a sample falls into, on average. The left
# child holds $N_{t_L} = 12$ of the $N_t = 20$ samples, so it counts for 12/20:
#
# $$\Delta i(t) = i(t) - \frac{N_{t_L}}{N_t}\, i(t_L) - \frac{N_{t_R}}{N_t}\, i(t_R) .$$

# %%
decrease = impurity_decrease(y_node, left=X_node["x"] <= 12.5)
reveal("01.2", decrease)

# %% [markdown]
# A quarter of a bit, out of the 0.97 there were. (Louppe and colleagues print 0.25 for this node; the exact
# value is 0.2564, and their digits are cut off, not rounded.)

# %% [markdown]
# ## 1.3 Turn the knob
#
# The cut at 12.5 was chosen for you. A tree tries every threshold and keeps the one with the largest
# decrease. Here is one of the worse ones.

# %% slideshow={"slide_type": "skip"}
explorer = threshold_explorer()
explorer.figure(threshold=4.5)

# %% [markdown]
# Below is the same picture with a slider. Find the threshold that removes most, then try its neighbours:
# a single sample on the wrong side costs more than one would think. With the arrow keys you can move one
# step at a time.

# %%
explorer

# %% [markdown]
# A slider can also be moved by a line of code. The second-highest hill, for instance, is here:

# %%
explorer.controls["threshold"].value = 8.5
print(explorer.readout_text)

# %% [markdown]
# ## 1.4 Three impurities, one idea
#
# Entropy is not the only choice. **Gini** is the chance that two samples drawn from the node have different
# classes. For numbers one takes the **variance**. With two classes all three are functions of one share
# $p$, and all three say the same at the ends: nothing mixed, nothing to lose.

# %%
import pandas as pd

nodes = {f"{k} of 8": [1] * k + [0] * (8 - k) for k in range(5)}
kinds = ("entropy", "gini", "variance")
pd.DataFrame(
    {kind: [impurity(y, kind) for y in nodes.values()] for kind in kinds},
    index=list(nodes),
).round(3)

# %% [markdown]
# Gini is exactly twice the variance in every row. Multiply an impurity by a constant and every decrease is
# multiplied by it, so the ranking of the variables stays. Entropy against Gini is another matter: the
# one is a *curved* function of the other. The next twenty rows grow the same tree under both.

# %%
from sklearn.tree import DecisionTreeClassifier

from course_lib.measures import mdi

X_swap, y_swap = load_rank_swap()
gini, entropy = (
    DecisionTreeClassifier(criterion=name, random_state=0).fit(X_swap, y_swap)
    for name in ("gini", "entropy")
)
list(gini.tree_.feature) == list(entropy.tree_.feature)

# %% [markdown]
# The same questions in the same order. The importance of each variable, which the next section defines:

# %%
pd.concat(
    [mdi(tree).to_frame()["importance"] for tree in (gini, entropy)],
    axis=1,
    keys=kinds[1::-1],
)

# %% [markdown]
# One tree, two rankings. Under Gini `x1` leads, under entropy `x2` does. "Important" has depended
# on a choice that most reports do not even mention.

# %% [markdown]
# ## 1.5 From a split to a tree
#
# Every split of a tree asks one variable and removes some impurity, in one node. To credit the variable, add up
# what its splits removed. A node deep in the tree concerns few samples, so it counts by its share
# $p(t) = N_t/N$ of them. That sum is the **mean decrease of impurity** of $X_m$ in tree $T$:
#
# $$\mathrm{Imp}(X_m, T) = \sum_{t \in T:\, v(t) = X_m} p(t)\, \Delta i(t) ,$$
#
# where $v(t)$ is the variable that node $t$ asks. Back to the lamp, with Gini. The tree asks first:

# %%
tree = DecisionTreeClassifier(random_state=0).fit(X, lamp)
first = X.columns[tree.tree_.feature[0]]
first

# %% [markdown]
# And this is what it paid to each switch:

# %%
mdi(tree)

# %%
credit = mdi(tree).to_frame()["importance"]
more = "first" if credit.idxmax() == first else "second"
reveal("01.1", f"the one it asks {more}")

# %% [markdown]
# Follow the money. At the root the lamp is lit in one row of four, a Gini of 0.375. The first answer settles the
# two rows in which that switch is off, and leaves two rows that are an even bet, Gini 0.5. So it removed
# $0.375 - \tfrac{2}{4} \cdot 0.5 = 0.125$. The second answer is asked in those two rows only, and settles them
# completely: $\tfrac{2}{4} \cdot 0.5 = 0.25$.
#
# > **What the textbook says.** One often reads that, in an AND gate, MDI favours the variable of the *first*
# > split. It is the other way round: 0.125 for the first, 0.25 for the second.

# %% [markdown]
# ## 1.6 From a tree to a forest
#
# Which switch is asked first was a toss-up. A forest tosses again for every tree, and takes the mean:
#
# $$\mathrm{Imp}(X_m) = \frac{1}{N_T} \sum_T \mathrm{Imp}(X_m, T) .$$
#
# In infinitely many trees each switch comes first in half of them, so each should get
# $\tfrac12 \cdot 0.125 + \tfrac12 \cdot 0.25 = 0.1875$. The library knows this limit exactly; the diamonds below are it.

# %%
from sklearn.ensemble import RandomForestClassifier

from course_lib.measures import asymptotic_mdi
from course_lib.worlds import Categorical

truth = asymptotic_mdi(Categorical(X, lamp), impurity="gini")
forest = RandomForestClassifier(
    200, max_features=1, bootstrap=False, random_state=0
).fit(X, lamp)
picture(
    plot_importances(mdi(forest), truth=truth),
    alt="Both switches have an importance near 0.19, and the exact limit 0.1875 lies inside both intervals.",
)

# %% [markdown]
# Equal credit, as symmetry demands, and the two values add up to the impurity that was there to remove,
# 0.375. The single tree was not wrong about what it did. It was one order of asking, and a fair answer needs
# both. Keep that sentence: in lesson 05 it becomes a theorem.

# %% [markdown]
# ## 1.7 What scikit-learn prints
#
# The attribute `feature_importances_` is this measure after two divisions. See what they do to a forest that
# has learnt nothing: five columns of noise, a target that is a coin flip. We keep the trees shallow,
# as one does against overfitting.

# %%
predict("01.3")

# %%
X_null, coin = make_null(1000, random_state=0)
useless = RandomForestClassifier(100, max_depth=3, random_state=0).fit(X_null, coin)
total = useless.feature_importances_.sum()
reveal("01.3", "exactly 1" if abs(total - 1) < 1e-9 else "about 0")

# %% [markdown]
# The undivided measure tells the difference at once. A root of this forest has a Gini of about 0.5; this is what
# a hundred trees removed from it on average, all five variables together:

# %%
round(float(mdi(useless).importances_mean.sum()), 3)

# %% [markdown]
# First division: each tree's values are divided by their sum. Second division: the mean over the trees is divided
# by its sum again. Undo neither, and a tree that removed much and a tree that removed little have the same say;
# that is why `feature_importances_` is not even proportional to $\mathrm{Imp}$.

# %%
per_tree = mdi(useless).importances
shares = (per_tree / per_tree.sum(axis=0)).mean(axis=1)
pd.DataFrame(
    {
        "each tree normalised": shares / shares.sum(),
        "feature_importances_": useless.feature_importances_,
        "Imp / sum of Imp": per_tree.mean(axis=1) / per_tree.mean(axis=1).sum(),
    },
    index=X_null.columns,
).round(3)

# %% [markdown]
# The first two columns agree to the last digit; the third is what one would get from
# $\mathrm{Imp}$ by a single division at the end. (That the noise with many values leads in all of them is no
# accident. It is the subject of lesson 02.)
#
# > **What the textbook says.** Several texts *sum* the decreases over the trees of the forest. It is a mean: twice
# > as many trees must not make every variable twice as important.

# %% [markdown]
# ## 1.8 What a change of units does
#
# Temperatures in Fahrenheit, incomes on a logarithmic scale: one variable, many ways to write it down.

# %%
predict("01.4")

# %% [markdown]
# The diabetes data hold ten measurements of 442 patients and how far the disease progressed in a year. We replace
# `bmi` by its exponential and fit twice, once before and once after.

# %%
import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression

X_diabetes, progression = load_diabetes(return_X_y=True, as_frame=True)
X_exp = X_diabetes.assign(bmi=np.exp(20 * X_diabetes["bmi"]))


# %%
def change_of_bmi(model, read):
    """What the model says of bmi after the change of scale, as a multiple of before."""
    before, after = (read(model.fit(X, progression))[2] for X in (X_diabetes, X_exp))
    return round(after / before, 4)


def importances(model):
    return mdi(model).importances_mean


# %% [markdown]
# `bmi` is the third column. A ratio of 1 means that nothing has changed.

# %%
forest_ratio = change_of_bmi(
    RandomForestRegressor(30, max_depth=6, random_state=0), importances
)
linear_ratio = change_of_bmi(LinearRegression(), lambda model: model.coef_)
forest_ratio, linear_ratio

# %%
unchanged = forest_ratio == 1 and linear_ratio != 1
reveal("01.4", "only the coefficients of a linear model" if unchanged else "both")

# %% [markdown]
# The forest did not just give similar numbers. It is the same forest: the same rows on each side of every split, the same
# decreases, with thresholds that moved along. A strictly increasing change of scale cannot reorder the patients, and
# order is all that a search for the best threshold uses.
#
# > **What the textbook says.** "Tree ensembles are invariant to monotone transformations." True where the
# > threshold is *searched*. Extra-Trees *draw* theirs at random between the smallest and the largest value, and there the
# > scale decides where most of the draws fall:

# %%
extra_trees = ExtraTreesRegressor(30, max_depth=6, random_state=0)
abs(change_of_bmi(extra_trees, importances) - 1) > 0.01

# %% [markdown]
# ## 1.9 May I say this?
#
# One forest on the diabetes data. The dot is the mean over the trees, the bar the 95 % interval of that mean: it speaks of
# more trees of the same kind, not of more patients.

# %%
doctor = RandomForestRegressor(100, max_depth=6, random_state=0).fit(
    X_diabetes, progression
)
picture(
    plot_importances(mdi(doctor)),
    alt="Importances of ten variables in a forest: s5 and bmi far ahead, bp third, sex last.",
)

# %%
may_i_say("01.a")

# %% [markdown]
# ## Keep this
#
# The mean decrease of impurity adds up, over the splits that ask a variable, what those splits removed from the
# training sample, each node by its share of the samples, averaged over the trees. **It credits what learning did with
# this sample, in the order in which it did it.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q4: to a given algorithm on a data set | [MDI](glossary.md#mean-decrease-of-impurity-mdi) $\mathrm{Imp}(X_m)$, `mdi(forest)` | 0 | computed on the training sample; depends on impurity and order |
#
# What is still wrong: on pure noise it is not zero, and it likes some noises better than others.
# [Lesson 02](02_mdi_bias.ipynb) finds out which, and mends it.

# %% [markdown]
# ## Practise
#
# The exercise [01_mdi](exercises/01_mdi.ipynb) builds all of this from a list of counts to a forest. Your progress so far:

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
