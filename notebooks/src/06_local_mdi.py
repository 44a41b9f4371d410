# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 06 · Local MDI
#
# A house has an alarm. On nights when it is silent, nothing is wrong, and that is certain. On nights when it rings,
# {{two nights in ten | abs(X_alarm["x"].mean() - 0.2) < 1e-9}}, there is a burglar {{half of the time | burglar[X_alarm["x"] == 1].mean() == 0.5}}. The next picture shows ten nights, `B` for a burglar and `o` for none, before and after one listens for the
# alarm; on its right stands how uncertain one is about the burglar, in bits.

# %% jupyter={"source_hidden": true}
from course_lib.plots import picture, plot_branches
from course_lib.worlds import make_rare

X_alarm, burglar = make_rare()
heard = X_alarm["x"].map({0: "silent", 1: "rings"}).rename("alarm").to_frame()
picture(
    plot_branches(heard, burglar.map({0: "o", 1: "B"}), ["alarm"]),
    alt="Ten nights, one with a burglar: 0.47 bits of uncertainty. The alarm divides "
    "them into two nights on which it rings, one of them with the burglar, and eight "
    "silent nights without one. On average 0.20 bits are left; 0.27 were removed.",
)
#| says Ten nights, `B` with a burglar and `o` without one; on the right the uncertainty about the burglar, in bits. On average the alarm removes {{more than half | (lambda law: law.conditional_entropy([0]) < law.entropy() / 2)(__import__("course_lib.worlds").worlds.Categorical(X_alarm, burglar))}} of it. Tonight it rings: what is it worth tonight?

# %% [markdown]
# On average the alarm removes {{more than half | (lambda law: law.conditional_entropy([0]) < law.entropy() / 2)(__import__("course_lib.worlds").worlds.Categorical(X_alarm, burglar))}} of the uncertainty, so it is worth having. But nobody lives through an average night. Tonight the
# alarm rings. How certain is the owner now, compared with an hour ago, and what is the alarm worth tonight?
#
# *In this lesson: mean decrease of impurity for one row, what its sign says, how it adds up to the global measure and inherits its bias,
# what a zero says, and how far it agrees with tree SHAP. About 60 minutes.*
#
# ## Before we start
#
# Three questions on what came before. Answer from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("06")

# %% [markdown]
# ## 6.1 The alarm
#
# Take the ten nights as the whole distribution. The uncertainty about the burglar falls from {{0.47 bits | alarm.entropy()}} to a mean of {{0.20 | alarm.conditional_entropy([0])}}, and the difference, {{0.27 bits | alarm.mutual_information([0])}}, is
# the global importance of the alarm. It is a mean over silent and ringing nights. Now take a single night.

# %%
from course_lib.worlds import Categorical, make_led

alarm = Categorical(X_alarm, burglar)
predict("06.1")

# %%
reveal("06.1", alarm.entropy() - alarm.entropy_at([1], [0]))

# %% [markdown]
# ## 6.2 One path, by hand
#
# Lesson 05 asked which segments of a seven-segment display matter over all ten digits. (`X1` is the top, `X2` the upper left segment, `X3` the upper right, `X4` the middle, `X5` the lower left, `X6` the lower right and `X7` the bottom.) Now the display shows a 2. Ask
# for its segments one at a time, in the order top, upper left, lower left, and count the digits that remain possible. The top is lit: eight of ten remain. The upper left is dark: 2, 3 and 7. The lower left is lit: only the 2.
#
# All digits are equally likely, so $n$ remaining digits are $\log_2 n$ bits of uncertainty:

# %%
import numpy as np
import pandas as pd

X_led, digits = make_led()
led, two = Categorical(X_led, digits), X_led.loc[2].to_numpy()
asked = [0, 1, 4]  # X1, X2, X5: top, upper left, lower left
left = [led.entropy_at(two, asked[:k]) for k in range(4)]
pd.DataFrame(
    {"bits before": left[:-1], "bits after": left[1:], "bits removed": -np.diff(left)},
    index=["X1, top", "X2, upper left", "X5, lower left"],
).round(3)
#| says A seven-segment display shows a 2. Asked for three segments, one after the other, it leaves {{eight, three and one | np.round(2 ** np.array(left)).tolist() == [10, 8, 3, 1]}} of ten digits possible. Each segment is credited with the uncertainty that it removed.

# %% [markdown]
# Every question is credited with what it removed from the uncertainty about *this* display: the
# impurity of the node before, minus the impurity of the node that the display goes to. In a forest one takes the
# mean over its $N_T$ trees $T$. Write $v(t)$ for the variable that node $t$ asks about, $i(t)$ for the impurity of the node, and
# $t_{x_m}$ for the child that $\mathbf{x}$ falls into. The **local MDI** of $X_m$ at $\mathbf{x}$ is
#
# $$\mathrm{Imp}(X_m, \mathbf{x}) = \frac{1}{N_T} \sum_T \; \sum_{t \in T:\, v(t) = X_m,\ \mathbf{x} \in t} \big[\, i(t) - i(t_{x_m}) \,\big] ,$$
#
# equation 8 of Sutera and colleagues. Compare it with the global one of lesson 01: the nodes off the path are gone, and so are
# the weights $p(t)$. For a tree or a forest of scikit-learn `local_mdi` computes it, here for a tree that was grown on the ten digits:

# %%
from sklearn.tree import DecisionTreeClassifier

from course_lib.measures import local_mdi, mdi, saabas, tree_shap

tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X_led, digits)
local_mdi(tree, X_led.loc[[2]])
#| says The 2 again, as sample 0, in a tree that was grown on the ten digits and asks in an order of its own; (base) is the start. The shares are others, and the sum is {{3.322 bits | local_mdi(tree, X_led.loc[[2]]).values.sum()}} again, because the last node is pure. A fair share needs all orders.

# %% [markdown]
# Another order of questions gives other shares. The sum is {{3.322 bits | local_mdi(tree, X_led.loc[[2]]).values.sum()}} again, because the last node is pure. (Local MDI starts from a base of 0;
# other measures of one row start elsewhere.) One tree is one order. A fair share needs all orders.
#
# ## 6.3 Every digit has its own importances
#
# Infinitely many totally randomized trees, fully grown, ask in all orders. Equation 10 gives their mean in closed form, as a sum over all sets
# of segments that may have been asked before, and the library computes it exactly.

# %%
predict("06.2")

# %%
from course_lib.measures import asymptotic_local_mdi

exact = pd.DataFrame(
    [asymptotic_local_mdi(led, row).importances_mean for row in X_led.to_numpy()],
    columns=X_led.columns,
)

# %% jupyter={"source_hidden": true}
place = int(exact.loc[2].rank(ascending=False)["X6"])
ends = {1: "first", 7: "last, as it does over all digits"}
answer = ends.get(place, "somewhere in the middle")

# %%
reveal("06.2", answer)

# %% tags=["after-06-2"] jupyter={"source_hidden": true}
from course_lib.plots import plot_displays

picture(
    plot_displays(exact, [f"shows {digit}" for digit in digits], lit=X_led),
    alt="Ten displays, one for each digit, with the exact local importance of every "
    "segment; lit segments have a white outline. For most digits the brightest "
    "segment is a dark one: the middle of the 0, the top of the 1, the lower right of "
    "the 2.",
)
#| says Amber marks a high local importance (bits), white a lit segment.

# %% [markdown]
# Amber marks a high importance, a white outline a lit segment. Each display adds up to {{3.322 bits | exact.sum(axis=1).max()}}, each segment averages over the ten displays to its value
# in lesson 05 (equation 11), and {{no value is negative | exact.to_numpy().min() > -1e-12}} here.
#
# Averaging over the orders gives a Shapley value again. The worth of a set $S$ of segments is now the
# uncertainty that it removes at this display, $v_{loc}(S; \mathbf{x}) = H(Y) - H(Y \mid X_S = \mathbf{x}_S)$, and equation 13 says that the exact
# local importances are the Shapley values of this game. A Shapley value is often read as "what would be lost without it". For each segment of the 2, compare the
# Shapley value with the uncertainty that returns if this segment is taken away and the other six stay.

# %% tags=["after-06-2"]
from course_lib.models import shapley_values

six = [[j for j in range(7) if j != m] for m in range(7)]
worth = lambda S: led.entropy() - led.entropy_at(two, list(S))  # noqa: E731
pd.DataFrame(
    {
        "local importance": exact.loc[2],
        "Shapley value": shapley_values(worth, 7),
        "lost without it": [led.entropy_at(two, S) for S in six],
    }
).map("{:.3f}".format)
#| says The local importances of the 2 are the Shapley values of the uncertainty that a set of segments removes at this display. Lost without it is what returns if one segment is taken away and the other six stay: {{nothing, seven times | max(led.entropy_at(two, S) for S in six) < 1e-12}}.

# %% [markdown]
# {{Nothing is lost | max(led.entropy_at(two, S) for S in six) < 1e-12}}, seven times: no other digit looks like a 2 on any six segments. (Of the ten digits that is true of the 2 and the 4 only. An 8 that loses its upper right,
# middle or lower left segment could also be another digit.) The importances are means over *all* sets of segments that might be
# known already, and the full display is only one of them. A share of the credit is not a loss, neither here nor in SHAP.
#
# ## 6.4 What a zero says
#
# Call $X_m$ **locally irrelevant** at $\mathbf{x}$ if learning $x_m$ never changes the probability of any $y$, whatever is known before
# (definition 2). A coin tossed beside the display is locally irrelevant in every row. Theorem 3: a variable is irrelevant if and only if it is locally irrelevant at every possible
# $\mathbf{x}$. Theorem 4: where it is locally irrelevant, its local MDI (that of equation 10) is 0.
#
# Is the converse true as well? Here is a world of sixteen rows to try it on. In eleven of them `x` and `y` are both 0, in three of them both are 1, and
# the other two rows are (0, 1) and (1, 0).

# %%
predict("06.3")

# %% jupyter={"source_hidden": true}
world = Categorical(
    [[0], [0], [1], [1]], [0, 1, 0, 1], weights=np.array([11, 1, 1, 3]) / 16
)
irrelevant = bool(np.isclose(world.mutual_information([0]), 0))
answers = "no: x may have turned everything round", "yes: zero means irrelevant here"
answer = answers[irrelevant]

# %%
reveal("06.3", answer)

# %% tags=["after-06-3"]
local = [asymptotic_local_mdi(world, [x]).importances_mean[0] for x in (0, 1)]
zero = pd.DataFrame(
    {
        "P(y = 1)": [1 / 12, 3 / 4, 4 / 16],
        "importance (bits)": [*local, world.mutual_information([0])],
    },
    index=["12 rows with x = 0", "4 rows with x = 1", "all 16 rows (mean)"],
)
zero.abs().map("{:.3f}".format)
#| says A world of sixteen rows, `x` and `y` both 0 or 1. At `x` = 1 the chance of `y` = 1 turns from {{a quarter | abs(zero.iloc[2, 0] - 0.25) < 1e-9}} to {{three quarters | abs(zero.iloc[1, 0] - 0.75) < 1e-9}}. One is as unsure as before, so the importance is {{0 | zero.iloc[1, 1]}}; and yet `x` is relevant there.
#| holds np.allclose(zero.iloc[:2, 0], [w[1] / sum(w) for w in ([11, 1], [1, 3])]) and abs(zero.iloc[2, 1] - (12 * local[0] + 4 * local[1]) / 16) < 1e-9

# %% [markdown]
# ## 6.5 The mean is what you have already
#
# Now real images: handwritten digits of $p = 8 \cdot 8$ pixels, {{one half | abs(len(train) - len(held_out)) < 2}} to train on, one half held out. {{Three | len(forests)}} forests of {{150 | {len(f.estimators_) for f in forests.values()} == {150}}} Extra-Trees,
# fully grown on entropy, with $K = 1$, $\sqrt{p} = 8$ and $p = 64$ candidate pixels in each node. Averaged over the $N$ images on which a tree was grown, local MDI is global MDI, unnormalised (equation 9):
#
# $$\frac1N \sum_{\mathbf{x}} \mathrm{Imp}(X_m, \mathbf{x}) = \mathrm{Imp}(X_m) .$$

# %%
from course_lib.studies import KS, digit_forest, digit_images

train, held_out, y_train, y_held_out = digit_images()
forests = {K: digit_forest(K) for K in KS}
mean_of_local = local_mdi(forests[8], train).mean().importances_mean
gap = np.abs(mean_of_local - mdi(forests[8]).importances_mean).max()
print(f"mean of local MDI minus global MDI, K = 8: {gap:.10f} at most")

# %% [markdown]
# It is exact for these trees, each of which saw every training image once. (The further part asks about a random forest with its default settings.)
#
# So whatever is wrong with global MDI must be in the local values too. Lesson 02 found that MDI favours noise with many different values. Perhaps rows that the
# forest has not seen are safe from that? Try one binary signal that agrees with `y` in {{three rows of four | 0.72 < (y == signal).mean() < 0.78}}, two columns of continuous noise, and the mean local MDI on the fitted rows
# and on as many new ones:

# %%
from sklearn.ensemble import ExtraTreesClassifier

rng = np.random.default_rng(0)
signal = rng.integers(2, size=600)
y = np.where(rng.uniform(size=600) < 0.75, signal, 1 - signal)
X = pd.DataFrame({"signal": signal}).assign(**{"noise 1": 0.0, "noise 2": 0.0})
X[["noise 1", "noise 2"]] = rng.normal(size=(600, 2))
noisy = ExtraTreesClassifier(100, criterion="entropy", random_state=0)
noisy.fit(X[:300], y[:300])
means = [local_mdi(noisy, rows).mean().importances_mean for rows in (X[:300], X[300:])]
pd.DataFrame(means, index=["fitted rows", "new rows"], columns=X.columns).round(2)
#| says Mean local MDI (bits) of fully grown trees: a binary signal that agrees with `y` in three rows of four, and two columns of continuous noise. Each noise column gets {{considerably more | all(m[1:].min() > 1.5 * m[0] for m in means)}} than the signal. **Local MDI inherits the bias of MDI, and held-out rows do not cure it.**

# %% [markdown]
# **Local MDI inherits the bias of MDI, and held-out rows do not cure it.** In these fully grown trees each noise column gets {{considerably more | all(m[1:].min() > 1.5 * m[0] for m in means)}} than the signal, on new rows as on old ones. (With Gini in place of entropy the noise leads by less. If
# the signal agrees with `y` in nine rows of ten, the signal leads, and the noise still gets credit. Shallow trees with large
# leaves, such as `max_depth=3` and `min_samples_leaf=30`, leave the noise little to collect.) The reason
# is in equation 8: $i(t)$ is the impurity of the *training* rows in the node. A new row passes through nodes whose impurities and thresholds the training sample has fixed. In the cure of lesson 02
# the rows that a tree did not see judge its splits, and there a split on noise gains nothing on average.
#
# ## 6.6 How alike is alike?
#
# Two rivals walk the same trees. **Saabas** follows the same path and adds up the changes of the *prediction* instead of the impurity. **Tree SHAP**
# gives the Shapley values of the prediction, here in the path-dependent game of lesson 04. Both need to be told which digit's probability is meant; here it is the digit
# that the forest reads. For one image, in the forest with $K = 8$, here is the starting value of each of the three plus the shares of all pixels:

# %%
one, forest = held_out[:1], forests[8]
read = forest.predict(one)[0]
three = local_mdi(forest, one), saabas(forest, one), tree_shap(forest, one, output=read)
sums = pd.DataFrame(
    [[result.base[0], result.values.sum()] for result in three],
    index=["local MDI (bits)", "Saabas (probability)", "tree SHAP (probability)"],
    columns=["start", "shares of all pixels"],
)
sums.assign(together=sums.sum(axis=1)).map("{:.3f}".format)
#| says One handwritten digit of {{64 | one.shape[1]}} pixels, in {{150 | len(forest.estimators_)}} Extra-Trees ($K = 8$). **Saabas** follows the same path and adds up the changes of the predicted probability; **tree SHAP** gives the Shapley values of this probability. Both end at the share of the trees that read the digit, local MDI at all the bits of the root.

# %% [markdown]
# Local MDI starts at 0 and ends at all the bits there were at the root. The other two start at {{about a tenth | all(abs(r.base[0] - 0.1) < 0.02 for r in three[1:])}}, the share of the digit in the training sample, and end
# at the share of the trees that read it.
#
# Do they point to the same pixels? For every image take the absolute values of its 64 pixels by one measure and by another, and correlate them. Sutera and colleagues do this for digits and
# find means "close to 1". We stay with $K = 8$; the other two forests come back in 6.7.

# %%
predict("06.4")

# %%
from course_lib.studies import explained_digits

new = {K: explained_digits(K) for K in KS}
pair = "local MDI, tree SHAP"
reveal("06.4", round(float(new[8].agreements[pair].mean()), 2))

# %% [markdown]
# ## 6.7 Find the worst
#
# Six held-out images of every digit, the three forests, and local MDI beside a rival. Amber is positive, blue negative; each panel has its own scale, since bits and
# probabilities cannot share one, and the numbers mark the three pixels with the largest absolute values. On image 2 of the digit 0, with $K = 8$, the two agree {{well | new[8].agreements[pair][1] > 0.95}}.

# %% tags=["after-06-4"] slideshow={"slide_type": "skip"}
from course_lib.widgets import local_explorer

explorer = local_explorer()
explorer.figure(digit=0, image=2, K=8, measure="tree SHAP")

# %% [markdown]
# Now look for the image on which local MDI and tree SHAP agree least. The dots below the pictures show the agreement on all sixty images, so you can see
# where to look. Then find out what is special about it: the readout says how the trees voted. One candidate is image 3 of the digit 4 with $K = 8$. Is there a worse one?

# %% tags=["after-06-4"]
explorer

# %%
explorer.controls["digit"].value, explorer.controls["image"].value = 4, 3
print(explorer.readout_text)

# %% [markdown]
# Now pool the three forests, and group the images by how many of the trees read the digit that their forest reads. Markers are means over the images, and the bars go
# from the lowest to the highest.

# %% jupyter={"source_hidden": true}
from course_lib.plots import plot_agreement

certainty = np.concatenate([new[K].certainty for K in KS])
pooled = np.concatenate([new[K].agreements[pair] for K in KS])
level = np.digitize(certainty, [0.6, 0.9])
names = "under 60 %", "60 to 90 %", "90 % or more"
groups = {name: {pair: pooled[level == k]} for k, name in enumerate(names)}
share = "share of the trees that read the same digit"
picture(
    plot_agreement({"held-out images": groups}, xlabel=share),
    alt="The agreement of local MDI and tree SHAP grows with the share of trees that vote "
    "for the same digit: means about 0.71, 0.84 and 0.91; the ranges overlap widely.",
)
#| says The sixty images in each of three forests (K = 1, 8 and 64 candidate pixels in a node); markers are means, bars go from the lowest to the highest. The fewer trees dissent, the better the two measures agree {{on average | pooled[level == 0].mean() < pooled[level == 1].mean() < pooled[level == 2].mean()}}: local MDI counts a dissenting tree like any other, tree SHAP does not.
#| holds [round(float(pooled[level == k].mean()), 2) for k in range(3)] == [0.71, 0.84, 0.91]
#| holds pooled[level == 0].max() > pooled[level == 2].min()

# %% [markdown]
# Where the trees agree with each other, the two measures agree well on average, though not on every image. Where the trees disagree, follow a tree that votes for another digit. It ends in a pure
# leaf, certain of that other digit, and its path has removed all the entropy there was: local MDI credits its pixels in full. Tree SHAP counts
# how far they moved the probability of the digit in question. All in all the dissenting tree moved that probability by $-0.1$, from a tenth to nothing, while a tree that votes for the digit moves it up by 0.9. Pixel by pixel it goes up and down, and in the mean over the dissenting trees a part of that cancels. So
# local MDI counts dissenting trees like all others. In tree SHAP it depends on how many there are. Where at least a third of the trees dissent, a dissenting tree counts, over all pixels, on average about half as much as one of the others (on single images, from about a quarter to about three quarters). Where fewer dissent, each counts for more. (That is not the whole story:
# with $K = 8$ and 64 the two measures agree a little less on doubtful images even among the trees that vote with the forest.)
#
# On every image, easy, doubtful or misread, the local MDI of these fully grown trees adds up to the same number of bits: all that were at the root. It speaks of the uncertainty *within* each
# tree, on average, and is blind to the disagreement *between* trees.
#
# ## 6.8 May I say this?
#
# The statements below are about one image: of our sixty, the one on which local MDI and tree SHAP agree least in the forest with $K = 8$. {{About half | 0.4 < new[8].certainty[worst] < 0.6}} of its trees
# read the digit that the forest reads; for local MDI the others count just as much. Look first where each measure has put its 1.

# %% jupyter={"source_hidden": true}
from course_lib.plots import plot_pixels

worst = int(new[8].agreements[pair].argmin())
picture(
    plot_pixels({"K = 8": new[8]}, worst),
    alt="A held-out image and the importance of its pixels by three measures: local MDI "
    "and tree SHAP give their largest value to different pixels.",
)
#| says The image, of our sixty, on which local MDI and tree SHAP agree least in the forest with $K = 8$. Amber is positive, blue negative, on a scale of its own in each panel; 1, 2 and 3 mark the largest absolute values.

# %%
may_i_say("06.a")

# %% [markdown]
# ## Keep this
#
# Local MDI follows one row down the trees and credits every question with what it removed from the impurity of the node. Over the sample that
# the trees were grown on, its mean is the unnormalised global MDI, with all its biases. In the limit of infinitely many totally randomized, fully grown trees on infinitely many rows, for categorical variables with
# one branch per value, it is the Shapley value of the uncertainty removed at this row; forests that split at thresholds, as on the images, are not covered by that theorem. **Local MDI says how much surer each answer
# made the trees, not of what. It may be negative, and a zero does not prove irrelevance.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q3: to one prediction (here: the uncertainty about one row) | [local MDI](glossary.md#local-mdi) $\mathrm{Imp}(X_m, \mathbf{x})$, `local_mdi(forest, X)` | 0, which a relevant variable may have too | no class, no direction; in fully grown trees favours noise with many values, on new rows too; blind to disagreement between trees |
#
# What is still wrong: all of this is about prediction, not about action. A ringing alarm does not bring the burglar. Lesson 07 draws that line.

# %% [markdown]
# ## Further: the figures of the paper, choice, bootstrap and cost
#
# This part has a negative value with two variables, the two figures of Sutera and colleagues on local importances, a forest of finitely many trees
# beside the exact values, bootstrap, and what all this costs.
#
# ### Negative again, with two switches
#
# The display has no negative local importance, and the alarm has a single variable. Here is a lamp with two switches that are on three times in ten each, independently; it is lit if both are on. The exact local
# importances in the four positions, in bits:

# %%
positions = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
chance = 0.3 ** positions.sum(axis=1) * 0.7 ** (2 - positions.sum(axis=1))
lamp = Categorical(positions, positions.min(axis=1), weights=chance)
pd.DataFrame(
    [asymptotic_local_mdi(lamp, row).importances_mean for row in positions],
    index=["both off", "only x2 on", "only x1 on", "both on"],
    columns=["x1", "x2"],
).round(3)

# %% [markdown]
# With only `x1` on the lamp is dark, and `x1` has a negative value: taken alone, the news that `x1` is on makes a lit lamp far more likely than before, and a dark one less certain. It is the
# switch that is off that settles the matter, whichever is asked first.
#
# ### Figure 3 on the display: when segments compete
#
# With $K > 1$ a node draws several segments and asks the best of them: best on average over the digits that are still
# possible, not best for a 2. Three forests of 300 Extra-Trees (the paper grows 1000), asked about the 2 by all three measures, as in the left half of figure 3:

# %% jupyter={"source_hidden": true}
from course_lib.plots import plot_segments
from course_lib.studies import explained_display

shown = {f"K = {K}": explained_display(K, digit=2) for K in (1, 3, 7)}
picture(
    plot_segments(shown, lit=two),
    alt="The display of a 2 by three measures, for K = 1, 3 and 7. For K = 1 the dark lower "
    "right segment leads by all three. As K grows it falls behind the upper left and "
    "lower left ones by local MDI and tree SHAP, while Saabas still puts it first.",
)

# %% [markdown]
# The lower right segment, which is dark in the 2 alone, loses {{about half | 0.4 < 1 - asymptotic_local_mdi(led, two, 3).importances_mean[5] / exact.loc[2, "X6"] < 0.6}} of its local MDI between $K = 1$ and $K = 3$: at the root it can no longer win, since
# on average over the ten digits each of the others says more. What a display is asked next depends on all digits that are still possible, not only on the one that is shown. That is why, for
# $K > 1$, local MDI is no longer the Shapley value of $v_{loc}$; the sum stays at {{3.322 | asymptotic_local_mdi(led, two, 3).importances_mean.sum()}}, symmetry is not guaranteed. Here are the exact values for infinitely many trees. (A node draws its $K$ segments from those not yet asked.)

# %%
pd.DataFrame(
    {f"K = {K}": asymptotic_local_mdi(led, two, K).importances_mean for K in (1, 3, 7)},
    index=X_led.columns,
).T.round(2)

# %% [markdown]
# ### Figure 3 on the digits
#
# The same for one held-out image, as in the right half of figure 3:

# %% jupyter={"source_hidden": true}
picture(
    plot_pixels({f"K = {K}": new[K] for K in KS}, row=20),
    alt="One image of a handwritten 3 and the importance of its pixels by three measures "
    "for K = 1, 8 and 64. The measures light up similar pixels; with growing K fewer "
    "pixels carry the credit. Saabas and tree SHAP have blue, negative pixels; local "
    "MDI has hardly any.",
)

# %% [markdown]
# With $K = 1$ the credit is spread over the whole image; with $K = p$ a few pixels have masked the others. Within a row the three look alike.
#
# ### Figure 2, with a thousand trees
#
# Forests of 1000 Extra-Trees, as in the paper, for seven values of $K$; twenty training images and twenty held-out ones. These numbers are stored
# with the course. A marker is the mean over the images, and its bar goes from the lowest to the highest.

# %% jupyter={"source_hidden": true}
from course_lib.studies import CANDIDATES, SAMPLES, stored_agreements

panels = {s: {K: stored_agreements(K, s) for K in CANDIDATES} for s in SAMPLES}
picture(
    plot_agreement(panels, xlabel="candidate pixels K"),
    alt="Mean and range over images of the correlations between three measures, for K from "
    "1 to 64. On these training images all means lie between 0.88 and 0.97. On these held-out "
    "images those with local MDI lie between 0.75 and 0.86, those of Saabas and tree SHAP "
    "above 0.9.",
)
#| holds all(0.88 < r.mean() < 0.97 for K in CANDIDATES for r in panels[SAMPLES[0]][K].values())
#| holds all(0.75 < r.mean() < 0.86 for K in CANDIDATES for n, r in panels[SAMPLES[1]][K].items() if "local MDI" in n)
#| holds all(r.mean() > 0.9 for K in CANDIDATES for n, r in panels[SAMPLES[1]][K].items() if "local MDI" not in n)

# %% [markdown]
# > **What the paper says.** For every pair of measures and every $K$ the mean correlation is reported as close to 1. On images that the trees were grown on we find
# > about 0.89 to 0.96, which fits that description. On images that they have not seen, where one would use the measures, local MDI and the other two agree less. In other splits, with fewer trees, the drop from seen to unseen images was on average largest at $K = 1$, about 0.11, and below 0.1 from $K = 8$ on. In this figure the agreement of local MDI with Saabas drops by 0.12 to 0.14 at every $K$, even at 64; that is peculiar to these twenty images. With a thousand trees, Saabas and tree SHAP, which divide up the same
# > prediction, stay closest to each other, as the authors say.
#
# ### How many trees?
#
# A forest of finitely many trees estimates the exact values of 6.3. {{Three hundred | len(per_tree) == 300}} trees of scikit-learn with $K = 1$, asked about the 2:

# %%
from course_lib.results import Importances

options = {"max_features": 1, "criterion": "entropy", "random_state": 0}
trees = ExtraTreesClassifier(300, **options).fit(X_led, digits).estimators_
per_tree = [local_mdi(tree, X_led.loc[[2]]).mean() for tree in trees]

# %% jupyter={"source_hidden": true}
from course_lib.plots import plot_importances

picture(
    plot_importances(Importances.from_repeats(per_tree), truth=exact.loc[2]),
    alt="Local importances of the seven segments of a 2 in 300 trees, with intervals, "
    "beside the exact values: X6 leads far ahead of X2 and X5, and the exact values "
    "lie within the intervals or just beside them.",
)

# %% [markdown]
# The diamonds belong to the distribution. The dots belong to these trees and this seed, and the bars say how far the mean of {{three hundred | len(per_tree) == 300}}
# trees may lie from that of infinitely many. Single trees differ far more: in one of seven, on average, the lower right segment gets all 3.322 bits, in one
# of three none.
#
# ### With bootstrap
#
# Now take the forest that is used most, a random forest with its default settings.

# %%
predict("06.5")

# %%
from sklearn.ensemble import RandomForestClassifier

from course_lib.measures import in_bag_counts

bagged = RandomForestClassifier(random_state=0).fit(train, y_train)
plain = local_mdi(bagged, train).mean().importances_mean
gap = abs(plain - mdi(bagged).importances_mean).max()

# %% jupyter={"source_hidden": true}
likeness = np.corrcoef(plain, mdi(bagged).importances_mean)[0, 1]
near = "nearly equal, but not equal" if likeness > 0.9 else "unrelated"
answer = "equal" if gap < 1e-9 else near

# %%
reveal("06.5", answer)

# %% [markdown]
# One more mean, tree by tree: each image counts as often as the tree drew it for its bootstrap sample.

# %% tags=["after-06-5"]
counts = in_bag_counts(bagged, train)
weighted = [
    np.average(local_mdi(tree, train).values, axis=0, weights=counts[:, t])
    for t, tree in enumerate(bagged.estimators_)
]
np.allclose(np.mean(weighted, axis=0), mdi(bagged).importances_mean)

# %% [markdown]
# ### What it costs
#
# Two of the three measures of 6.6 on the same images and the same trees: what does each of them cost?

# %%
predict("06.6")

# %% [markdown]
# We measure processor time for sixty images in the forest with $K = 8$ and print only an order of magnitude: the
# seconds belong to this machine. First, does local MDI cost less than five times a prediction?

# %%
from time import process_time


def seconds(explain_all):
    start = process_time()
    explain_all()
    return process_time() - start


forest, sixty = forests[8], held_out[:60]
prediction = min(seconds(lambda: forest.predict_proba(sixty)) for _ in range(3))
local = min(seconds(lambda: local_mdi(forest, sixty)) for _ in range(3))
local < 5 * prediction

# %%
longer = seconds(lambda: tree_shap(forest, sixty, output=0)) / local

# %% jupyter={"source_hidden": true}
words = ["about as long", "a few times as long", "dozens of times as long, or more"]
answer = words[np.digitize(longer, [2, 20])]

# %%
reveal("06.6", answer)

# %% [markdown]
# ## Practise
#
# The exercise [06_local_mdi](../exercises/06_local_mdi/06_local_mdi.ipynb) goes from one path to a forest, and from one order to all of them. Your progress so far:

# %%
from course_lib.learner import progress

progress("06")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Sutera, Louppe, Huynh-Thu, Wehenkel and Geurts (2021), section 4 (equations 8 to 13, theorems 2 to 4) and figures 2 and 3; Breiman and others
# (1984) for the display; Saabas (2014); Lundberg and others (2020) for tree SHAP; the digits are the test set of Alpaydin and Kaynak (1998) at UCI, as
# shipped with scikit-learn.
#
# *Words of this lesson:* [Saabas' contributions](glossary.md#saabas-contributions), [local MDI](glossary.md#local-mdi),
# [local MDI of infinitely many trees](glossary.md#local-mdi-of-infinitely-many-trees),
# [relevance](glossary.md#relevance). All words and symbols are in the [glossary](glossary.md), the works in the
# [references](references.md), and all lessons and measures on the map at the end of [lesson
# 00](00_six_questions.ipynb).
