# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 02 · How noise becomes important
#
# Two hundred patients take part in a trial. A coin decides who is treated, and the treatment works: of a hundred
# patients 65 recover with it and 35 without. On their way in, everybody draws a cloakroom ticket from a drum
# with the numbers 1 to 20.
#
# A random forest learns who recovers, from two columns: `treated` and `ticket`. Asked which of the two is more
# important, it answers: the ticket. This was not an unlucky trial. What does a ticket have that a treatment
# has not? Write your suspicion down; we will need it in ten minutes.
#
# *In this lesson: why MDI pays noise, which noise it pays best, what depth and more data do about it, how rows that
# were left out of the bag cure it, and how to make sure that a random probe is random. About 60 minutes.*

# %% [markdown]
# ## Before we start
#
# Three questions on what came before. Answer from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("02")

# %% [markdown]
# ## 2.1 The trial
#
# We made these patients ourselves, so we know the law behind them: the ticket is drawn without looking at anything. Here
# is what happened to them.

# %%
from course_lib.worlds import make_correlated, make_null, make_trial

X, recovered = make_trial(200, random_state=0)
recovered.groupby(X["treated"]).agg(["size", "mean"]).round(2)

# %% [markdown]
# The treatment shows. Now a forest, grown as scikit-learn grows it by default: every tree until its leaves are pure.

# %%
from sklearn.ensemble import RandomForestClassifier

from course_lib.measures import mdi, unbiased_mdi

forest = RandomForestClassifier(50, random_state=0).fit(X, recovered)
mdi(forest)

# %% [markdown]
# One trial is one draw of luck. So let us hold it twenty times: new patients, new tickets, a new forest each time.

# %%
predict("02.1")

# %%
import numpy as np

from course_lib.results import Importances

trials = [make_trial(200, seed) for seed in range(100, 120)]
forests = [
    RandomForestClassifier(50, random_state=seed).fit(*trial)
    for seed, trial in enumerate(trials)
]
by_mdi = Importances.from_repeats(map(mdi, forests))
treated, ticket = by_mdi.importances
reveal("02.1", int(np.sum(ticket > treated)))

# %% [markdown]
# Each faint dot below is one trial. The diamonds are the truth, which has a closed form here: in the distribution, the treatment
# removes $0.3^2/2 = 0.045$ of a Gini of 0.5, and the ticket removes nothing.

# %%
from course_lib.plots import picture, plot_comparison, plot_curves, plot_repeats

picture(
    plot_repeats(by_mdi, truth=[0.045, 0.0]),
    alt="In twenty trials the treatment scatters around its true importance of "
    "0.045. The ticket, whose true importance is 0, lies near 0.15 in all of them.",
)

# %% [markdown]
# The treatment gets about what it deserves. The ticket gets nearly three times as much, out of nothing.
#
# ## 2.2 Five kinds of nothing
#
# Take the treatment away. Five columns of noise remain, with 2, 4, 10 and 20 levels and one that never repeats itself, and a
# target that is a coin flip, or a random number. Every importance in the distribution is exactly 0.
# If MDI were fair, it would at least treat all five alike.


# %%
def noise_study(make_forest, target="class", n_repeats=20):
    """MDI on pure noise, as shares of what each forest removed, one column per study."""
    studies = []
    for seed in range(n_repeats):
        X, y = make_null(200, seed, target=target)
        result = mdi(make_forest(random_state=seed).fit(X, y))
        studies.append(result.importances_mean / result.importances_mean.sum())
    names, label = result.feature_names, "share of the impurity removed"
    return Importances(np.transpose(studies), names, label, result.question)


# %% [markdown]
# Perhaps one of the impurities is to blame. We try Gini, entropy and the variance, twenty studies each.

# %%
from functools import partial

from sklearn.ensemble import ExtraTreesClassifier, RandomForestRegressor

classifier = partial(RandomForestClassifier, 20)
regressor = partial(RandomForestRegressor, 20, max_features="sqrt")
studies = {
    "Gini": noise_study(classifier),
    "entropy": noise_study(partial(classifier, criterion="entropy")),
    "variance": noise_study(regressor, target="number"),
}

# %%
picture(
    plot_repeats(studies),
    alt="Under Gini, entropy and variance alike, noise with 2 levels gets about 5 per "
    "cent of the impurity removed, and the share grows with the number of levels up "
    "to nearly 40 per cent for continuous noise.",
)

# %% [markdown]
# No impurity is to blame. All three rank the five noises by how many different values they have, in study after study, and the
# clouds hardly overlap. This is a bias, not bad luck: averaging more studies would only draw it more sharply. It was
# described for forests by Strobl and colleagues in 2007, and for single trees long before.
#
# ## 2.3 The best of many
#
# To see where it comes from, look at one node with $n$ samples and one column of noise, and cut once, at a place fixed beforehand.
# Chance will make the two sides differ a little, so even this blind cut removes some impurity. How much, on average over
# all orders of the targets, has a closed form that holds for Gini and for the variance:
#
# $$E\,[\Delta i(t)] = \frac{i(t)}{n - 1} .$$
#
# A column with two levels offers this one cut. A column with twenty levels offers nineteen, and the tree keeps the best.

# %%
predict("02.2")

# %%
from course_lib.worlds import (
    expected_decrease,
    independence_pvalue,
    simulated_decreases,
)

reveal("02.2", expected_decrease(20))

# %% [markdown]
# In symbols: counted in units of $i(t)/(n-1)$, the decrease at the $j$-th cut is $U_j^2$, in large nodes the square of a standard normal number,
# and the tree takes $\max_j U_j^2$, an order statistic. The expected maximum of 19 *independent* squares would be 4.83. But cut
# 10 and cut 11 differ by one twentieth of the rows, so their decreases are nearly the same number. The library
# integrates over this chain of neighbours without simulation. Those are the lines below; the markers are nodes of 200 coin flips.

# %%
levels, expected, simulated = [2, 4, 10, 20, 50], {}, {}
for split in ("best", "random"):
    label = f"{split} cut"
    expected[label] = [expected_decrease(k, split) for k in levels]
    simulated[label] = [
        simulated_decreases(k, split, random_state=0).mean() for k in levels
    ]

# %%
ax = plot_curves(levels, simulated, expected=expected)
ax.set(
    ylim=(0, 4.8), xlabel="levels of the noise", ylabel="decrease, units of i(t)/(n-1)"
)
picture(
    ax,
    alt="The expected decrease of a cut drawn at random is 1 unit for any number of "
    "levels. That of the best cut grows from 1 unit at 2 levels to more than 4 units "
    "at 50; the simulated means lie close to the lines.",
)

# %% [markdown]
# The lower line is the fair one: a single cut does not know how many others there were. It is the search for the best that
# makes the difference, and the more places there are to search, the larger the prize for finding nothing. (The line is the limit of
# large nodes; with four samples for each of 50 levels the best cut gets a little less.)
#
# ## 2.4 Trees that do not choose
#
# Then trees that never search should be free of the bias. The **totally randomized trees** of Louppe and colleagues are such
# trees: at each node draw a variable blindly, make one child for each of its levels, go on until no variable is left. Nothing is ever compared
# with anything. With infinitely many samples they give an irrelevant variable exactly 0; lesson 05 proves it.

# %%
predict("02.3")

# %%
from course_lib.models import TotallyRandomizedTrees


def blind_study(seed):
    X, y = make_null(200, seed)
    trees = TotallyRandomizedTrees(50, random_state=seed)
    return mdi(trees.fit(X.drop(columns="continuous"), y))


blind = Importances.from_repeats(map(blind_study, range(20)))
ranked_by_levels = np.all(np.diff(blind.importances_mean) > 0)
reveal("02.3", "no, it stays" if ranked_by_levels else "yes, it disappears")

# %%
picture(
    plot_repeats(blind, truth=[0.0] * 4),
    alt="Totally randomized trees on 200 samples of noise: the importance grows from "
    "0.07 bits for 2 levels to 0.4 bits for 20 levels, although the truth is 0 for "
    "all of them.",
)

# %% [markdown]
# The second reason is room to fit. A split into $k$ children estimates $k$ class shares where the parent had one, and every further share
# follows the noise by one more unit: a blind split into $k$ levels removes $(k-1)\, i(t)/(n-1)$ on average, again exactly for Gini. At 20
# levels that is 19 units, more than the best single cut gets by searching.
#
# Blind trees with two children, the Extra-Trees with `max_features=1`, pay a single unit for each cut, whatever the column. But a
# column with two levels is used up after one question on a branch; one with twenty can be asked again and again.

# %%
random_cuts = partial(ExtraTreesClassifier, 20, max_features=1)
noise_study(random_cuts, n_repeats=10).to_frame()[["importance"]].round(2)

# %% [markdown]
# > **What the textbook says.** One reads that the bias towards many levels comes from the greedy choice of the best among many splits. That is one
# > cause. Trees that are not greedy at all have the bias too, as long as the sample is finite: more levels leave more room to fit the noise.
#
# ## 2.5 Depth, leaves, more data
#
# How much does a whole tree pay to noise? A node deep down holds only $n_t$ of the $N$ samples, so its decreases are large,
# about $c\, i(t)/n_t$ with $c$ the factor from above. But MDI weighs it by $n_t/N$, and the $n_t$ cancels:
# every split on noise is paid about $c\, i(t)/N$, at any depth. What counts is how many splits there are.

# %%
predict("02.4")

# %% [markdown]
# Three ways to grow a forest on the five noises, and what all five together are paid, for 100 to 1600 samples:

# %%
sizes = [100, 200, 400, 800, 1600]
ways = {"pure leaves": {}, "leaves of 10": {"min_samples_leaf": 10}}
ways["depth 3"] = {"max_depth": 3}


def paid_to_noise(n, options):
    """Total MDI of a forest on pure noise, mean over four studies."""
    totals = []
    for seed in range(4):
        forest = RandomForestClassifier(10, random_state=seed, **options)
        totals.append(mdi(forest.fit(*make_null(n, seed))).importances_mean.sum())
    return np.mean(totals)


# %%
paid = {way: [paid_to_noise(n, how) for n in sizes] for way, how in ways.items()}
ratio = paid["pure leaves"][-1] / paid["pure leaves"][0]
reveal("02.4", "the same" if ratio > 0.9 else "about a sixteenth")

# %%
ax = plot_curves(sizes, paid, expected={"pure leaves": [0.5] * len(sizes)}, log=True)
ax.set_yticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
ax.set(xlabel="samples", ylabel="Gini paid to noise")
picture(
    ax,
    alt="From 100 to 1600 samples of noise, trees with pure leaves remove all of the "
    "Gini of 0.5, trees with leaves of at least 10 stay near 0.1, and only with depth "
    "3 does the amount fall as the sample grows.",
)

# %% [markdown]
# With a fixed depth the number of splits is fixed too, and the payment falls like $1/N$. With a smallest leaf, or none, the number of
# splits grows along with the sample, and more data buy nothing at all. Shallow trees lessen the bias; they do not
# remove it, and they may not be the forest you wanted to ask about.
#
# ## 2.6 The cure: let other rows judge
#
# All of this happened because one and the same sample chose the splits and then judged them. But each tree of a forest was grown on a
# bootstrap sample, and about 37 rows in 100 were never drawn for it. They are **out of bag**, and they have no stake in its splits.
#
# Let a split send row $i$ from node $t$ to child $c$ and thereby move the prediction from $\bar y_t$ to $\bar y_c$, means of the
# rows in the bag. MDI can be written as the mean of (move) × (target):
#
# $$\mathrm{Imp}(X_m, T) = \frac1n \sum_i \; \sum_{t:\, v(t) = X_m} (\bar y_c - \bar y_t)\, y_i$$
#
# (for classes, $y_i$ and the means are vectors with one entry per class). Sum over the rows in the bag, and it is the MDI of lesson 01. Sum over the rows *outside*, with the moves unchanged, and it is **MDI-oob** (Li and colleagues, 2019).
# If $X_m$ has nothing to do with the target, the moves do not know these $y_i$ and the mean is 0 in expectation. **UFI** (Zhou and Hooker, 2021) mends the
# same fault and weighs the children by the bag. scikit-learn ships neither.

# %%
cured = {"MDI": by_mdi}
for name, method in {"MDI-oob": "mdi-oob", "UFI": "ufi"}.items():
    cured[name] = Importances.from_repeats(
        unbiased_mdi(forest, *trial, method=method)
        for forest, trial in zip(forests, trials, strict=True)
    )
picture(
    plot_repeats(cured, truth=[0.045, 0.0]),
    alt="The same twenty forests by three measures. MDI puts the ticket near 0.15; "
    "MDI-oob and UFI scatter around 0 for the ticket and around the true 0.045 for "
    "the treatment.",
)

# %% [markdown]
# The forests are the same, only the judges have changed. The ticket falls to about 0, and the treatment stays where it belongs.
#
# There is another way to let other rows judge: shuffle a column in data that the forest has never seen and count the additional
# errors. That is permutation importance, the subject of lesson 03. On pure noise its expectation is 0 as well.

# %%
from course_lib.measures import permutation_importance
from course_lib.models import zero_one


def three_judges(seed):
    train, test = make_null(200, seed), make_null(200, 1000 + seed)
    forest = RandomForestClassifier(20, random_state=seed).fit(*train)
    held_out = permutation_importance(
        forest, *test, loss=zero_one, n_repeats=2, random_state=seed
    )
    return mdi(forest), unbiased_mdi(forest, *train), held_out


# %%
judged = [three_judges(seed) for seed in range(20)]
names = ("MDI", "MDI-oob", "held-out permutation")
verdicts = {
    name: Importances.from_repeats(column)
    for name, column in zip(names, zip(*judged, strict=True), strict=True)
}
picture(
    plot_repeats(verdicts, truth=[0.0] * 5),
    alt="On five columns of noise MDI grows with the number of levels. MDI-oob and "
    "permutation importance on held-out data scatter around 0 for all five, on both "
    "sides.",
)

# %% [markdown]
# Both cures scatter around 0, and on both sides of it: a value just below 0 is what an honest estimate of 0 looks like half of the time. The
# scatter still grows with the number of levels. Without bias does not mean without error.
#
# They do not answer the same question. MDI-oob still asks what the *algorithm* made of this sample (Q4); permutation asks what the fitted
# *model* relies on (Q1), here in additional errors per row.
#
# ## 2.7 Turn the knob
#
# The trial again, with all its screws: how many different tickets, how many patients, how deep the trees. Twenty trials
# stand behind every position. First a harmless one.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import noise_explorer

explorer = noise_explorer()
explorer.figure(levels=10, n=800, depth=2)

# %% [markdown]
# Now make the meaningless ticket win, and then cure it without touching the forests. When you have done it once, try to do it with as few tickets
# as possible.

# %%
explorer

# %% [markdown]
# With a ticket that is different for everybody, eight hundred patients are not enough:

# %%
explorer.controls["levels"].value = "all differ"
explorer.controls["depth"].value = "no limit"
print(explorer.readout_text)

# %% [markdown]
# ## 2.8 Who gets the credit?
#
# So far MDI has paid for nothing. It can also pay the wrong person. Here `x1` drives the target most, `x2` a little less, `x3` not at all; the forest
# ranks them in this order. Then somebody joins the table with another one, and `x1` comes in twice.

# %%
predict("02.5")


# %%
def with_a_copy(seed):
    X, y = make_correlated(300, seed, rho=0)
    X, y = X.assign(copy_of_x1=X["x1"]), y + 0.8 * X["x2"]
    return mdi(RandomForestRegressor(30, max_depth=5, random_state=seed).fit(X, y))


copied = Importances.from_repeats(map(with_a_copy, range(20)))
x2_leads = copied.importances_mean.argmax() == 1
reveal("02.5", "x2" if x2_leads else "x1 and its copy")

# %%
picture(
    plot_repeats(copied),
    alt="With a copy of x1 in the table, x1 and its copy get about 0.6 each and x2 "
    "gets about 0.8, so x2 leads in most of twenty repetitions.",
)

# %% [markdown]
# No information came or went, and the best predictor has lost its place. The copy need not be exact: in a second world `x2` has no effect of its own, but a
# correlation of 0.9 with `x1`. It gets more than half of what `x1` gets, mean over ten studies, and the rows out of bag confirm it.

# %%
import pandas as pd


def with_a_proxy(seed):
    X, y = make_correlated(300, seed, rho=0.9)
    forest = RandomForestRegressor(20, max_features=1, max_depth=5, random_state=seed)
    return mdi(forest.fit(X, y)), unbiased_mdi(forest, X, y)


proxies = zip(*map(with_a_proxy, range(10)), strict=True)
inside, outside = (Importances.from_repeats(results).to_frame() for results in proxies)
pd.DataFrame({"MDI": inside["importance"], "MDI-oob": outside["importance"]}).round(2)

# %% [markdown]
# They must: `x2` does tell about the target, and that is no chance effect of the sample. The cure removes the pay for *noise*. It does not decide how variables that know
# the same should share. In a single tree a coin decides it. Six trees, one sample, six seeds:

# %% slideshow={"slide_type": "skip"}
from sklearn.tree import DecisionTreeRegressor

X_pair, y_pair = make_correlated(300, random_state=0, rho=0)
X_pair = X_pair[["x1"]].assign(copy_of_x1=X_pair["x1"])
credit = {
    seed: mdi(DecisionTreeRegressor(max_depth=3, random_state=seed).fit(X_pair, y_pair))
    for seed in range(6)
}
table = pd.DataFrame({s: tree.importances_mean for s, tree in credit.items()}).T
table.columns = X_pair.columns
table.rename_axis("seed").assign(sum=table.sum(axis=1)).round(3)

# %% [markdown]
# The sum is always the same. Whose it is belongs to the seed.
#
# ## 2.9 Find the bug
#
# A published lesson on feature importance wanted to show all this on real data. It added two columns of noise, a binary and a numeric one, and compared.
# Here are its two probes, on the wine data: 178 bottles from three growers, five of the thirteen measurements.

# %%
from sklearn.datasets import load_wine

X_wine, grower = load_wine(return_X_y=True, as_frame=True)
X_wine = X_wine.iloc[:, :5]
rng = np.random.RandomState(0)
published = X_wine.assign(
    random_binary=rng.randint(0, 1, size=len(X_wine)),
    random_number=np.arange(len(X_wine)),
)


# %%
def wine_forest(X):
    return RandomForestClassifier(50, random_state=0).fit(X, grower)


forest = wine_forest(published)
result = {"MDI": mdi(forest), "MDI-oob": unbiased_mdi(forest, published, grower)}
picture(
    plot_comparison(result),
    alt="random_number leads all measurements by MDI and just as much by MDI-oob; "
    "random_binary is at exactly 0.",
)

# %% [markdown]
# Binary noise at the bottom, numeric noise on top: what we have learnt to expect. The published lesson drew its conclusion here. Take a minute
# with the code and with the figure before you agree.

# %%
predict("02.6")

# %% [markdown]
# A probe that is called random should be tested before any forest sees it. Two questions: does it have the law it should have, to begin with as many
# values as it should? And is it independent of the target? For the second we count how often shuffled targets allow a
# split as good as the real ones do; a small p-value means hardly ever.


# %%
def inspect(probes):
    """How many values a probe has, and the p-value of its independence of the grower."""
    p = {x: independence_pvalue(probes[x], grower, random_state=0) for x in probes}
    return pd.DataFrame({"values": probes.nunique(), "p-value": p})


checked = inspect(published[["random_binary", "random_number"]])
checked

# %%
sound = (checked["values"] > 1) & (checked["p-value"] > 0.05)
reveal("02.6", ("neither", "only one", "both")[sound.sum()])

# %% [markdown]
# `randint(0, 1)` excludes its upper end, so the "random" bit is constantly 0. No test of independence can find that: a constant *is* independent of everything. Counting its values
# finds it. The "random" number is the row number, and the bottles are stored grower by grower, so it knows the target better than any measurement. The published
# lesson used houses stored in geographic order; the bug is the same.
#
# The figure had said so. Trees that grow until they are pure would not leave a coin flip at *exactly* 0, and noise does not lead on rows out of bag. The
# conclusion of that lesson was true, and its evidence worthless. Repaired:

# %%
rng = np.random.default_rng(0)
repaired = X_wine.assign(
    random_binary=rng.integers(0, 2, size=len(X_wine)),
    random_number=rng.permutation(len(X_wine)),
)
inspect(repaired[["random_binary", "random_number"]])

# %% [markdown]
# ## 2.10 May I say this?
#
# A forest with the repaired probes, by both measures. The bars are 95 % intervals over the trees of this one forest.

# %%
forest = wine_forest(repaired)
result = {"MDI": mdi(forest), "MDI-oob": unbiased_mdi(forest, repaired, grower)}
picture(
    plot_comparison(result),
    alt="By MDI alcohol leads, and random_number is paid nearly as much as ash. By "
    "MDI-oob both probes are near 0, and all five measurements are above 0.",
)

# %%
may_i_say("02.a")

# %% [markdown]
# ## Keep this
#
# MDI is computed on the sample that chose the splits, so it pays for following the noise, by about $c\,i(t)/N$ for each split: more where more cuts can be tried, more where
# more children can be filled, and in proportion to how many splits there are. **Whoever chose the split must not judge it: on rows out of bag, noise is worth 0 on average.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q4: to a given algorithm on a data set | [MDI-oob or UFI](glossary.md#mdi-oob-or-ufi), `unbiased_mdi(forest, X, y)` | 0, give or take its scatter | copies and correlated variables still share their credit by luck |
#
# What is still wrong: all this is about how the forest was grown. What the finished model relies on, whatever it was grown from, is another question, and lesson 03 asks it.

# %% [markdown]
# ## Practise
#
# The exercise [02_mdi_bias](exercises/02_mdi_bias.ipynb) builds the cure by hand and catches broken probes. Your progress so far:

# %%
from course_lib.learner import progress

progress("02")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Strobl, Boulesteix, Zeileis and Hothorn (2007) for the bias in forests; Louppe, Wehenkel, Sutera and Geurts (2013) for totally randomized trees; Li, Wang, Basu, Kumbier
# and Yu (2019) for MDI-oob; Zhou and Hooker (2021) for UFI; Geurts, Ernst and Wehenkel (2006) for Extra-Trees. The wine data: Forina and colleagues, UCI repository.
#
# *Words of this lesson:* [MDI-oob or UFI](glossary.md#mdi-oob-or-ufi), [bootstrap and out of
# bag](glossary.md#bootstrap-and-out-of-bag), [duplicates](glossary.md#duplicates), [noise with many
# values](glossary.md#noise-with-many-values). All words and symbols are in the [glossary](glossary.md), the works in
# the [references](references.md), and all lessons and measures on the map at the end of [lesson
# 00](00_six_questions.ipynb).
