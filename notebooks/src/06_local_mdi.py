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
# one night in five, it is right half of the time.
#
# Everybody agrees that the alarm is worth having: on average it removes more than half of the uncertainty there
# is. And yet on a night when it rings, the owner is less certain after looking at it than before. What is
# the alarm worth to the owner, tonight?
#
# *In this lesson: mean decrease of impurity for one row, why it may be negative, how it adds up to the global measure,
# what a zero does not say, and how far it agrees with Saabas and tree SHAP. About 60 minutes.*
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
# Ten nights, two of them with a ringing alarm (`x` = 1), one with a burglar (`y` = 1). Taken as a distribution, they
# are the whole story. Here is the uncertainty about `y` in bits: before one listens for the alarm, after it (a mean
# over the nights), and the difference.

# %%
import numpy as np
import pandas as pd

from course_lib.worlds import Categorical, make_led, make_rare

alarm = Categorical(*make_rare())
before, after = alarm.entropy(), alarm.conditional_entropy([0])
round(before, 3), round(after, 3), round(before - after, 3)

# %% [markdown]
# The difference is the global importance of the alarm: 0.27 of 0.47 bits. It is a mean over silent and ringing
# nights. Now for a single one.

# %%
predict("06.1")

# %%
rings = before - alarm.entropy_at([1], [0])
reveal("06.1", rings)

# %% [markdown]
# A silent night goes from 0.469 bits to none and gains 0.469. A ringing night goes from 0.469 bits to one full bit and gains
# $-0.531$. Weigh them as they occur, $0.8 \cdot 0.469 - 0.2 \cdot 0.531 = 0.269$, and the global importance is back.
#
# So the alarm is worth minus half a bit to the owner tonight, in the only currency that local importance knows: how sure one
# is. Less sure is not worse off; the owner who wakes up has learnt a lot. The negative value is no accident of a small
# sample, and there is nothing to clip. It says what happened: this answer led to a more mixed group than the
# one it came from.
#
# ## 6.2 One path, by hand
#
# Lesson 05 asked which segments of a seven-segment display matter over all ten digits. Now the display shows a 2. Ask
# for its segments one at a time, in the order top, upper left, lower left, and count the digits that remain possible.
# The top is lit: eight of ten remain. The upper left is dark: 2, 3 and 7. The lower left is lit: only the 2.
#
# All digits are equally likely, so $n$ remaining digits are $\log_2 n$ bits of uncertainty:

# %%
X_led, digits = make_led()
led, two = Categorical(X_led, digits), X_led.loc[2].to_numpy()
asked = [0, 1, 4]  # X1, X2, X5
left = [led.entropy_at(two, asked[:k]) for k in range(4)]
pd.DataFrame(
    {"before": left[:-1], "after": left[1:], "removed": -np.diff(left)},
    index=X_led.columns[asked],
).round(3)

# %% [markdown]
# That is all there is to it. Every question is credited with what it removed from the uncertainty about *this* display: the
# impurity of the node before, minus the impurity of the node that the display goes to. In a forest one takes the
# mean over its $N_T$ trees $T$. Write $v(t)$ for the variable that node $t$ asks about, $i(t)$ for the impurity of the node, and
# $t_{x_m}$ for the child that $\mathbf{x}$ falls into. The **local MDI** of $X_m$ at $\mathbf{x}$ is
#
# $$\mathrm{Imp}(X_m, \mathbf{x}) = \frac{1}{N_T} \sum_T \; \sum_{t \in T:\, v(t) = X_m,\ \mathbf{x} \in t} \big[\, i(t) - i(t_{x_m}) \,\big] ,$$
#
# equation 8 of Sutera and colleagues. Compare it with the global one of lesson 01: the nodes off the path are gone, and with
# them the weights $p(t)$. For a tree or a forest of scikit-learn it is one call:

# %%
from sklearn.tree import DecisionTreeClassifier

from course_lib.measures import in_bag_counts, local_mdi, mdi, saabas

tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X_led, digits)
local_mdi(tree, X_led.loc[[2]])

# %% [markdown]
# Another order of questions, other shares; the sum is 3.322 bits again, because the last node is pure. (It starts from a base of 0;
# other measures of one row will start elsewhere.) One tree is one order; a fair share needs all of them.
#
# ## 6.3 Every digit has its own importances
#
# Infinitely many totally randomized trees ask in all orders. Equation 10 has their mean in closed form, a sum over all sets
# of segments that may have been asked before, and the library computes it exactly.

# %%
predict("06.2")

# %%
from course_lib.measures import asymptotic_local_mdi

exact = pd.DataFrame(
    [asymptotic_local_mdi(led, row).importances_mean for row in X_led.to_numpy()],
    columns=X_led.columns,
)
place = int(exact.loc[2].rank(ascending=False)["X6"])
reveal("06.2", {1: "first", 7: "last, as it does over all digits"}[place])

# %%
from course_lib.plots import picture, plot_displays

picture(
    plot_displays(exact, [f"shows {digit}" for digit in digits], lit=X_led),
    alt="Ten displays, one for each digit, with the exact local importance of every "
    "segment; lit segments have a white outline. For most digits the brightest "
    "segment is a dark one: the middle of the 0, the top of the 1, the lower right of "
    "the 2.",
)

# %% [markdown]
# Amber is bright, a white outline means lit. Each display adds up to 3.322 bits, each segment averages over the ten displays to its value in lesson 05 (equation 11), and
# no value is negative. Look where the light falls. What makes a 0 a 0 is the middle segment that is *off*; the same holds
# for the top of the 1, the lower right of the 2, the upper left of the 3. An importance says how much a value tells,
# not that there is something to see.
#
# A forest of finitely many trees estimates this. Three hundred trees of scikit-learn with $K = 1$, asked about the 2:

# %%
from sklearn.ensemble import ExtraTreesClassifier

from course_lib.plots import plot_importances
from course_lib.results import Importances

options = {"max_features": 1, "criterion": "entropy", "random_state": 0}
trees = ExtraTreesClassifier(300, **options).fit(X_led, digits).estimators_
per_tree = [local_mdi(tree, X_led.loc[[2]]).mean() for tree in trees]
picture(
    plot_importances(Importances.from_repeats(per_tree), truth=exact.loc[2]),
    alt="Local importances of the seven segments of a 2 in 300 trees, with intervals, "
    "beside the exact values: X6 leads far ahead of X2 and X5, and the exact values "
    "lie within the intervals or just beside them.",
)

# %% [markdown]
# The diamonds belong to the distribution. The dots belong to these trees and this seed, and the bars say how far the mean of three hundred
# trees may lie from that of infinitely many. Single trees differ far more: some give X6 all 3.322 bits, many give it none.
#
# In the order of questions lives a Shapley value once more. The worth of a set $S$ of segments is now the
# uncertainty that it removes at this display, $v_{loc}(S; \mathbf{x}) = H(Y) - H(Y \mid X_S = \mathbf{x}_S)$, and equation 13 says that the exact
# local importances are the Shapley values of this game:

# %%
from course_lib.models import shapley_values

shares = shapley_values(lambda S: led.entropy() - led.entropy_at(two, list(S)), 7)
np.allclose(shares, exact.loc[2])

# %% [markdown]
# A Shapley value is often read as "what would be lost without it". Take each segment of the 2 away, keep the other six, and
# see how much uncertainty returns:

# %%
six = [[j for j in range(7) if j != m] for m in range(7)]
pd.DataFrame(
    {
        "local importance": exact.loc[2],
        "lost without it": [led.entropy_at(two, S) for S in six],
    }
).round(3)

# %% [markdown]
# Nothing, seven times. The other six always know the digit. The importances are means over *all* sets of segments that might be
# known already, and the full display is only one of them. A share of the credit is not a loss, neither here nor in SHAP.
#
# ## 6.4 When segments compete
#
# With $K > 1$ a node draws several segments and asks the best of them: best on average over the digits that are still
# possible, not best for a 2.

# %%
from course_lib.plots import plot_display, plot_panels

competing = {f"K = {K}": asymptotic_local_mdi(led, two, K) for K in (1, 3, 7)}
picture(
    plot_panels(plot_display, competing, lit=two, limit=1.5),
    alt="The display of a 2 with exact local importances for K = 1, 3 and 7: the lower "
    "right segment falls from 1.44 to 0.71 and 0.67 bits, the upper left one rises "
    "from 0.71 to 1.07 and 1.08.",
)

# %% [markdown]
# The lower right segment, which knows the 2 by itself, loses half of its credit: at the root it never wins, because for nine digits of
# ten it says next to nothing. Which question a display is asked depends on the displays that are *not* here. That is why, for
# $K > 1$, local MDI is no longer the Shapley value of $v_{loc}$; the sum stays at 3.322, symmetry is not guaranteed.
#
# ## 6.5 What a zero does not say
#
# Call $X_m$ **locally irrelevant** at $\mathbf{x}$ if learning $x_m$ never changes the probability of any $y$, whatever is known before
# (definition 2). Theorem 3: a variable is irrelevant if and only if it is locally irrelevant at every possible
# $\mathbf{x}$. Theorem 4: where it is locally irrelevant, its local MDI (that of equation 10) is 0. A coin tossed
# beside the display is irrelevant, so it has to score 0 in each of the twenty rows:

# %%
with_coin = pd.concat([X_led.assign(coin=side) for side in (0, 1)])
law = Categorical(with_coin, [*digits, *digits])
coin = [asymptotic_local_mdi(law, x).importances_mean[7] for x in with_coin.to_numpy()]
bool(np.allclose(coin, 0))

# %%
predict("06.3")

# %% [markdown]
# Sixteen rows. Before `x` is known, the odds of `y` = 1 are one to three. In the four rows with `x` = 1 they are three to one.

# %%
turn = Categorical(
    [[0], [0], [1], [1]], [0, 1, 0, 1], weights=np.array([11, 1, 1, 3]) / 16
)
gains = [asymptotic_local_mdi(turn, [x]).importances_mean[0] for x in (0, 1)]
irrelevant = bool(np.isclose(turn.mutual_information([0]), 0))
answers = "no: x may have turned everything round", "yes: zero means irrelevant here"
reveal("06.3", answers[irrelevant])

# %% [markdown]
# At `x` = 1 one has changed one's mind and is exactly as unsure as before: 0.811 bits of the opposite. The variable is relevant there, and
# its importance is 0. Theorem 4 has no converse. At `x` = 0 it does show, since the mean of the two has to be the global importance, which is
# zero only for an irrelevant variable:

# %%
np.round(gains, 3), round(turn.mutual_information([0]), 3)

# %% [markdown]
# ## 6.6 The mean is what you know already
#
# Now real images: handwritten digits of $p = 8 \cdot 8$ pixels, one half to train on, one half held out. Three forests of 150 Extra-Trees,
# fully grown on entropy, with $K = 1$, $\sqrt{p} = 8$ and $p = 64$. Equation 9 says that the mean of local MDI over the training images is the global MDI:

# %%
from course_lib.studies import KS, digit_forest, digit_images

train, held_out, y_train, y_held_out = digit_images()
forests = {K: digit_forest(K) for K in KS}
mean_of_local = local_mdi(forests[8], train).mean().importances_mean
np.allclose(mean_of_local, mdi(forests[8]).importances_mean)

# %% [markdown]
# Equation 9 speaks of the learning sample, as if all trees shared one. Take the most used forest of all instead, a random forest
# with its default settings.

# %%
predict("06.4")

# %%
from sklearn.ensemble import RandomForestClassifier

bagged = RandomForestClassifier(random_state=0).fit(train, y_train)
plain = local_mdi(bagged, train).mean().importances_mean
gap = abs(plain - mdi(bagged).importances_mean).max()
reveal("06.4", "equal" if gap < 1e-9 else "nearly equal, but not equal")

# %% [markdown]
# Each tree has a learning sample of its own. Count every image as often as the tree drew it, and equation 9 returns, tree by tree:

# %%
counts = in_bag_counts(bagged, train)
weighted = [
    np.average(local_mdi(tree, train).values, axis=0, weights=counts[:, t])
    for t, tree in enumerate(bagged.estimators_)
]
np.allclose(np.mean(weighted, axis=0), mdi(bagged).importances_mean)

# %% [markdown]
# > **What the textbook says.** The paper presents local MDI as a decomposition of global MDI over the training examples, without a condition. With
# > bootstrap that needs the in-bag counts as weights; the plain mean over the training set is close, and wrong.
#
# ## 6.7 Three measures, one image
#
# Two rivals walk the same trees. **Saabas** follows the same path and adds up the changes of the *prediction* instead of the impurity. **Tree SHAP**
# gives the Shapley values of the prediction, here in the path-dependent game of lesson 04. Both need to be told whose probability is meant; here it is that of the digit
# that the forest reads. For one image, this is where each of the three arrives when all pixels have had their share:

# %%
from course_lib.measures import tree_shap

one, forest = held_out[:1], forests[8]
read = forest.predict(one)[0]
three = local_mdi(forest, one), saabas(forest, one), tree_shap(forest, one, output=read)
pd.Series(
    {result.measure: result.base[0] + result.values.sum() for result in three}
).round(3)

# %% [markdown]
# Local MDI, from 0, arrives at all the bits there were at the root. The other two, from about a tenth, the share of the digit in the training sample, arrive
# at the share of the trees that read it.
#
# Now thirty training images and sixty held-out ones, in the three forests; the library makes the same three calls for each. Here is
# one of the held-out images, for the three values of $K$. Amber is positive, blue negative; each panel has its own scale, since bits and
# probabilities cannot share one. The numbers mark the three pixels of largest size.

# %%
from course_lib.plots import plot_pixels
from course_lib.studies import explained_digits

seen = {K: explained_digits(K, seen=True) for K in KS}
new = {K: explained_digits(K) for K in KS}
picture(
    plot_pixels({f"K = {K}": new[K] for K in KS}, row=20),
    alt="One image of a handwritten 3 and the importance of its pixels by three measures "
    "for K = 1, 8 and 64. The measures light up similar pixels; with growing K fewer "
    "pixels carry the credit. Saabas and tree SHAP have blue, negative pixels; local "
    "MDI has hardly any.",
)

# %% [markdown]
# With $K = 1$ the credit is spread over the whole image; with $K = p$ a few pixels have masked the others. Within a row the three look alike.
# How alike?
#
# ## 6.8 How alike is alike?
#
# For every image take the 64 sizes (absolute values) by one measure and by another, and correlate them. The authors do this for digits and
# find means "close to 1".

# %%
predict("06.5")

# %%
agreements = {K: new[K].agreements for K in KS}
reveal("06.5", round(float(agreements[8]["local MDI, tree SHAP"].mean()), 2))

# %%
from course_lib.plots import plot_agreement

on_training = {K: seen[K].agreements for K in KS}
picture(
    plot_agreement({"training images": on_training, "held-out images": agreements}),
    alt="Mean and range over images of the correlations between three measures, for K = "
    "1, 8 and 64. On training images all means lie around 0.9; on held-out images "
    "those with local MDI fall to around 0.8, while Saabas and tree SHAP stay near "
    "0.9.",
)

# %% [markdown]
# A marker is the mean over the images, its bar goes from the lowest to the highest. On the training images the mean correlation of local MDI with tree SHAP
# is about 0.9 in each of our three forests: high, and not 1. On new images it is lower, and for single images much lower, while Saabas and tree SHAP, which
# share their question, keep together.
#
# > **What the textbook says.** For every pair of measures and every $K$ the mean correlation is reported as close to 1. Repeated here with the authors'
# > kind of forest it is about 0.85 to 0.95 where the trees were trained, and with local MDI it is less where one would use them. (They grow 1000 trees, we
# > grow 150. More trees agree a little more.)
#
# ## 6.9 Find the worst
#
# Six held-out images of every digit, the three forests, and local MDI beside a rival. Here is an image on which the two agree well.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import local_explorer

explorer = local_explorer()
explorer.figure(digit=0, image=2, K=8, measure="tree SHAP")

# %% [markdown]
# Now look for the image on which local MDI and tree SHAP agree least. The dots below the pictures show the agreement on all sixty images, so you can see
# where to look. Then find out what is special about it: the readout says how the trees voted.

# %%
explorer

# %% [markdown]
# A candidate, set by a line of code. Is there a worse one?

# %%
explorer.controls["digit"].value, explorer.controls["image"].value = 4, 3
print(explorer.readout_text)

# %% [markdown]
# ## 6.10 Why they part
#
# Sort the images by the share of trees that read what the forest reads, all three forests together. Again the markers are means and the bars go
# from the lowest to the highest.

# %%
certainty = np.concatenate([new[K].certainty for K in KS])
pair = "local MDI, tree SHAP"
pooled = np.concatenate([agreements[K][pair] for K in KS])
level = np.digitize(certainty, [0.6, 0.9])
names = "under 60 %", "60 to 90 %", "90 % or more"
groups = {name: {pair: pooled[level == k]} for k, name in enumerate(names)}
share = "share of the trees that read the same digit"
picture(
    plot_agreement({"held-out images": groups}, xlabel=share),
    alt="The agreement of local MDI and tree SHAP grows with the share of trees that vote "
    "for the same digit.",
)

# %% [markdown]
# Where the trees are of one mind, the two measures nearly are. Where they are not, follow a tree that votes for another digit. It ends in a pure
# leaf, certain of that other digit, and its path has removed all the entropy there was: local MDI credits its pixels in full. Tree SHAP counts
# how far they moved the probability of the digit in question, and that is downwards, so they cancel what other trees paid. Are the sums of local MDI over the pixels the same on
# all sixty images, and equal to the entropy at the root?

# %%
totals = new[8].local.sum(axis=1)
np.allclose(totals, forests[8].estimators_[0].tree_.impurity[0])

# %% [markdown]
# On every image, easy, doubtful or misread, local MDI has divided up the same number of bits: all that were at the root. It speaks of the uncertainty *within* each
# fully grown tree, on average, and is blind to the disagreement *between* trees. On training images there is none: every tree reads them
# as they are labelled, and there the correlations were higher.
#
# ## 6.11 What it costs
#
# Local MDI reads the impurities along the path that a prediction takes anyway. Tree SHAP visits every leaf of every tree.

# %%
predict("06.6")

# %% [markdown]
# We measure processor time for sixty images in the forest with $K = 1$, whose trees are the largest, and print only the order of magnitude: the
# seconds belong to this machine. First, does local MDI cost less than five times a prediction?

# %%
from time import process_time


def seconds(explain_all):
    start = process_time()
    explain_all()
    return process_time() - start


forest, sixty = forests[1], held_out[:60]
prediction = min(seconds(lambda: forest.predict_proba(sixty)) for _ in range(3))
local = min(seconds(lambda: local_mdi(forest, sixty)) for _ in range(3))
local < 5 * prediction

# %%
longer = seconds(lambda: tree_shap(forest, sixty, output=0)) / local
words = [
    "about as long",
    "tens of times as long",
    "hundreds of times as long, or more",
]
reveal("06.6", words[np.digitize(longer, [10, 100])])

# %% [markdown]
# To be fair to tree SHAP: the trees with $K = 1$ have the most leaves. With $K = p$ they are smaller, and tree SHAP has less to do. And it buys
# something: Shapley values of the prediction for any forest, where local MDI is a Shapley value only in the limit of totally randomized trees.
#
# ## 6.12 May I say this?
#
# The held-out image on which the two agree least among our sixty, in the forest with $K = 8$.

# %%
worst = int(agreements[8][pair].argmin())
picture(
    plot_pixels({"K = 8": new[8]}, worst),
    alt="A held-out image and the importance of its pixels by three measures: local MDI "
    "and tree SHAP give their largest value to different pixels.",
)

# %%
may_i_say("06.a")

# %% [markdown]
# ## Keep this
#
# Local MDI follows one row down the trees and credits every question with what it removed from the impurity of the node. Over the training sample (with
# in-bag counts, if there was a bootstrap) its mean is the global MDI; in infinitely many totally randomized trees it is the Shapley value of the
# uncertainty removed at this row. **It says how sure each answer made the trees, not of what they became sure: it may be negative, and a zero is not proof of
# irrelevance.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q3: to one prediction (here: the uncertainty about one row) | [local MDI](glossary.md#local-mdi) $\mathrm{Imp}(X_m, \mathbf{x})$, `local_mdi(forest, X)` | 0, which a relevant variable may have too | no class, no direction; blind to disagreement between trees |
#
# What is still wrong: all of this is about knowing, not about doing. A ringing alarm does not bring the burglar. Lesson 07 draws that line.
#
# ## Practise
#
# The exercise [06_local_mdi](exercises/06_local_mdi.ipynb) goes from one path to a forest, and from one order to all of them. Your progress so far:

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
