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
# {{Two hundred | len(X) == 200}} patients take part in a trial. Chance decides who is treated, and the treatment works: {{about 65 | 100 * make_trial(10**6, 1)[1].groupby(make_trial(10**6, 1)[0]["treated"]).mean()[1]}} of a hundred patients recover with it, and {{35 | 100 * make_trial(10**6, 1)[1].groupby(make_trial(10**6, 1)[0]["treated"]).mean()[0]}} of a hundred without. On their way in, everybody draws a cloakroom ticket from a drum
# with the {{numbers 1 to 20 | sorted(set(X["ticket"])) == list(range(1, 21))}}. The ticket has nothing to do with anything; we invented this trial, so we know.
#
# A random forest learns who recovers, from {{two columns | X.shape[1]}}: `treated` and `ticket`. Then it is asked which of the two is more
# important. Here is its answer. Was this an unlucky trial, or does a ticket have something that a treatment
# lacks? Write your suspicion down; you will need it in ten minutes.
#
# *In this lesson: why MDI credits noise, which noise it credits most, what depth and more data do about it, and how rows that
# were left out of the bag cure it. About 50 minutes, and a further part for those who want more.*

# %% jupyter={"source_hidden": true}
from sklearn.ensemble import RandomForestClassifier

from course_lib.measures import mdi, unbiased_mdi
from course_lib.plots import picture, plot_importances
from course_lib.worlds import make_null, make_trial

X, recovered = make_trial(200, random_state=0)
forest = RandomForestClassifier(50, random_state=0).fit(X, recovered)
#| holds mdi(forest).importances_mean[1] > 3 * mdi(forest).importances_mean[0]
#| says A random forest of {{fifty | len(forest.estimators_) == 50}} fully grown trees has learnt who recovers, from `treated` and `ticket` (bars: 95 % intervals over its trees). Was this an unlucky trial, or does a ticket have something that a treatment lacks?
picture(
    plot_importances(mdi(forest)),
    alt="MDI of one forest on all patients: the ticket has several times the importance of the "
    "treatment.",
)

# %% [markdown]
# ## Before we start
#
# Three questions on what came before. Answer from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("02")

# %% [markdown]
# ## 2.1 Luck, or law?
#
# The forest of the opening has {{fifty trees | len(forest.estimators_) == 50}} and otherwise scikit-learn's default settings: each tree is grown until its leaves are pure, or cannot be split any more. It saw one trial, and
# a single trial may be luck. So let us repeat it twenty times: new patients, new tickets, a new forest each time.

# %%
predict("02.1")

# %%
import numpy as np

from course_lib.plots import plot_comparison, plot_curves, plot_repeats
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
# In the next figure, each faint dot is one trial. The diamonds are the truth, which has a closed form here: in the distribution, the treatment
# removes ${{0.3 | np.diff(make_trial(10**6, 1)[1].groupby(make_trial(10**6, 1)[0]["treated"]).mean())[0]}}^2/2 = {{0.045 | np.diff(make_trial(10**6, 1)[1].groupby(make_trial(10**6, 1)[0]["treated"]).mean())[0] ** 2 / 2}}$ of a Gini impurity of {{0.5 | 2 * recovered.mean() * (1 - recovered.mean())}}, and the ticket removes nothing.

# %% tags=["after-02-1"] jupyter={"source_hidden": true}
#| says Each faint dot is one trial. The diamonds are the truth: in the distribution, the treatment removes ${{0.3 | np.diff(make_trial(10**6, 1)[1].groupby(make_trial(10**6, 1)[0]["treated"]).mean())[0]}}^2/2 = {{0.045 | np.diff(make_trial(10**6, 1)[1].groupby(make_trial(10**6, 1)[0]["treated"]).mean())[0] ** 2 / 2}}$ of a Gini impurity of {{0.5 | 2 * recovered.mean() * (1 - recovered.mean())}}, and the ticket removes nothing.
#| holds len(trials) == 20
#| holds 0.045 < treated.mean() < 0.06 and 0.12 < ticket.min() and ticket.max() < 0.2
picture(
    plot_repeats(by_mdi, truth=[0.045, 0.0]),
    alt="In twenty trials the treatment scatters a little above its true importance "
    "of 0.045. The ticket, whose true importance is 0, lies near 0.15 in all of them.",
)

# %% [markdown]
# ## 2.2 Five kinds of nothing
#
# Now leave the treatment out. {{Five columns | make_null(200, 0)[0].shape[1]}} of noise remain: four with {{2, 4, 10 and 20 levels | make_null(200, 0)[0].nunique().tolist()[:4] == [2, 4, 10, 20]}}, and one that {{never repeats a value | make_null(200, 0)[0]["continuous"].is_unique}}. The
# target is a coin flip, or a random number. In the distribution every importance is exactly 0, so a fair measure would at
# least treat all five alike. We repeat the experiment {{twenty times | noise_study.__defaults__[-1] == 20}} and report shares of the impurity that each forest removed.


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
# Perhaps one of the impurities is to blame. We try Gini, entropy and the variance.

# %%
from functools import partial

from sklearn.ensemble import RandomForestRegressor

classifier = partial(RandomForestClassifier, 20)
regressor = partial(RandomForestRegressor, 20, max_features="sqrt")
studies = {
    "Gini": noise_study(classifier),
    "entropy": noise_study(partial(classifier, criterion="entropy")),
    "variance": noise_study(regressor, target="number"),
}

# %% jupyter={"source_hidden": true}
#| says The target is chance, and so are all the columns. In full-grown trees {{three | len(studies)}} impurities rank the {{five | len(studies["Gini"].importances)}} noises {{by how many different values they have | all((np.diff(s.importances_mean) > 0).all() for s in studies.values())}}, and the clouds hardly overlap. No impurity is to blame.
#| holds all(0.02 < s.importances_mean[0] < 0.08 for s in studies.values())
#| holds all(0.33 < s.importances_mean[4] < 0.4 for s in studies.values())
#| holds all((np.diff(s.importances_mean) > 0).all() for s in studies.values())
picture(
    plot_repeats(studies),
    alt="Under Gini, entropy and variance alike, noise with 2 levels gets about 5 per "
    "cent of the impurity removed, and the share grows with the number of levels up "
    "to nearly 40 per cent for continuous noise.",
)

# %% [markdown]
# No impurity is to blame. In these full-grown trees all {{three | len(studies)}} rank the {{five | len(studies["Gini"].importances)}} noises {{by how many different values they have | all((np.diff(s.importances_mean) > 0).all() for s in studies.values())}}, and the
# clouds hardly overlap. This is a bias, not bad luck: an average over more studies would only show it more sharply. Strobl and colleagues
# described it for forests in 2007; for single trees it had been known long before.
#
# ## 2.3 The best of many
#
# Where does the credit of noise come from? Take one node with $n$ samples and one column of noise, and cut it once, blindly, at a place fixed beforehand.
# Chance makes the two sides differ a little, so even this cut removes some impurity. The mean of what it removes, over all orders of the
# targets, has a closed form, for Gini and for the variance:
#
# $$E\,[\Delta i(t)] = \frac{i(t)}{n - 1} .$$
#
# A column with two levels offers this one cut. A column with twenty levels offers nineteen, and the tree keeps the best.

# %%
predict("02.2")

# %%
from course_lib.worlds import expected_decrease, simulated_decreases

reveal("02.2", expected_decrease(20))

# %% [markdown]
# The library computes such averages without simulation, for any number of levels, and for a cut drawn at random as well as for the best
# one. Those are the lines of the next figure; the markers are simulated nodes of {{200 | simulated_decreases.__kwdefaults__["n_samples"]}} coin flips.

# %%
levels, expected, simulated = [2, 4, 10, 20, 50], {}, {}
for split in ("best", "random"):
    label = f"{split} cut"
    expected[label] = [expected_decrease(k, split) for k in levels]
    simulated[label] = [
        simulated_decreases(k, split, random_state=0).mean() for k in levels
    ]

# %% tags=["after-02-2"] jupyter={"source_hidden": true}
#| says Lines are expectations, markers means of simulated nodes of {{200 | simulated_decreases.__kwdefaults__["n_samples"]}} samples. A random cut removes {{one unit | np.allclose(expected["random cut"], 1)}}. The upper line is the limit of large nodes: with {{four samples | simulated_decreases.__kwdefaults__["n_samples"] / levels[-1]}} for each of {{50 levels | levels[-1]}}, it is {{a little less | 0.8 < simulated["best cut"][-1] / expected["best cut"][-1] < 1}}.
#| holds abs(expected["best cut"][0] - 1) < 1e-6 and expected["best cut"][-1] > 4
#| holds max(abs(np.subtract(simulated[k], expected[k])).max() for k in expected) < 0.3
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
# The lower line is the fair one: a single cut drawn at random removes {{the same | np.allclose(expected["random cut"], 1)}}, however many others there were. It is the search for the best that
# makes the difference, and the more places there are to search, the more a tree removes by chance alone. (The upper line is the limit of
# large nodes; with {{four samples | simulated_decreases.__kwdefaults__["n_samples"] / levels[-1]}} for each of {{50 levels | levels[-1]}} the best cut removes {{a little less | 0.8 < simulated["best cut"][-1] / expected["best cut"][-1] < 1}}.)
#
# ## 2.4 Trees that do not choose
#
# If the search is to blame, trees that never search should be free of the bias. The **totally randomized trees** of Louppe and colleagues never do:
# at each node they draw a variable blindly, make one child for each of its levels, and go on until no variable is left. Nothing is ever compared
# with anything. With infinitely many samples they give an irrelevant variable exactly 0; lesson 05 proves it. We grow them on a small sample.

# %%
predict("02.3")

# %%
from course_lib.models import TotallyRandomizedTrees


def blind_study(seed, n_samples=200):
    X, y = make_null(n_samples, seed)
    trees = TotallyRandomizedTrees(50, random_state=seed)
    return mdi(trees.fit(X.drop(columns="continuous"), y))


blind = Importances.from_repeats(map(blind_study, range(20)))

# %% jupyter={"source_hidden": true}
steps = np.sign(np.diff(blind.importances_mean)).sum()
ranked = {3: "no, it stays", -3: "it turns round: few levels get more"}
reveal("02.3", ranked.get(steps, "yes, it disappears"))

# %% tags=["after-02-3"] jupyter={"source_hidden": true}
#| holds abs(blind.importances_mean[0] - 0.07) < 0.01 and abs(blind.importances_mean[3] - 0.4) < 0.03
#| says These trees compare nothing, and yet noise with 20 levels gets {{more than five times | blind.importances_mean[3] > 5 * blind.importances_mean[0]}} as much as noise with 2. The diamonds are the truth: 0 for each of them.
picture(
    plot_repeats(blind, truth=[0.0] * 4),
    alt="Totally randomized trees on samples of noise: the importance grows from "
    "0.07 bits for 2 levels to 0.4 bits for 20 levels, although the truth is 0 for "
    "all of them.",
)

# %% [markdown]
# ## 2.5 Depth, leaves, more data
#
# How much does a whole tree credit to noise? A node deep down has only $n_t$ of the $N$ samples, so a split there lowers its impurity by a lot,
# about $a\, i(t)/n_t$. Here $a$ counts the units of 2.3 (with $n_t$ in place of $n_t - 1$, for simplicity): {{1 for | expected_decrease(20, "random")}} a blind cut, {{3.5 for | expected_decrease(20)}} the best of nineteen. But MDI weights the node by $n_t/N$, and the $n_t$ cancels:
# a split on noise is credited with $a\, i(t)/N$. With 200 samples, a Gini of 0.5 and $a = 4$ that is $4 \cdot 0.5/200 = {{0.01 | 4 * 0.5 / 200}}$. For a column with many values, $a$ is about two or three times as large at the root as deep down, where fewer cuts are left; for the ticket, which runs out of values, the difference is larger still. A bootstrap
# sample repeats rows, which makes chance look stronger: it can double $a$. But what matters most is how many splits there are.

# %%
predict("02.4")

# %% [markdown]
# Here are {{three | len(ways)}} ways to grow a forest on the five noises, and the MDI of all five together, for {{100 to 1600 | (min(sizes), max(sizes)) == (100, 1600)}} samples:

# %%
sizes = [100, 200, 400, 800, 1600]
ways = {"pure leaves": {}, "leaves of 10": {"min_samples_leaf": 10}}
ways["depth 3"] = {"max_depth": 3}


def credited_to_noise(n, options):
    """Total MDI of a forest on pure noise, mean over four studies."""
    make_forest = partial(RandomForestClassifier, 10, **options)
    grown = [make_forest(random_state=k).fit(*make_null(n, k)) for k in range(4)]
    return np.mean([mdi(forest).importances_mean.sum() for forest in grown])


credited = {w: [credited_to_noise(n, how) for n in sizes] for w, how in ways.items()}

# %% jupyter={"source_hidden": true}
ratio = credited["pure leaves"][-1] / credited["pure leaves"][0]
near = {1: "the same", 1 / 4: "about a quarter", 1 / 16: "about a sixteenth"}
reveal("02.4", near[min(near, key=lambda guess: abs(np.log(ratio / guess)))])

# %% tags=["after-02-4"] jupyter={"source_hidden": true}
#| says With pure leaves the five noises are credited with {{all of the Gini | 0.48 < min(credited["pure leaves"])}} of about 0.5, on {{100 samples as on 1600 | (min(sizes), max(sizes)) == (100, 1600)}}. Of these three ways to grow a forest, only a fixed depth makes the credit of noise {{fall | (np.diff(credited["depth 3"]) < 0).all()}} with the size of the sample.
#| holds min(credited["pure leaves"]) > 0.48 and 0.07 < min(credited["leaves of 10"]) and max(credited["leaves of 10"]) < 0.12
#| holds (np.diff(credited["depth 3"]) < 0).all()
limit = {"pure leaves": [0.5] * len(sizes)}
ax = plot_curves(sizes, credited, expected=limit, log=True)
ax.set_yticks([0.01, 0.03, 0.1, 0.3], ["0.01", "0.03", "0.1", "0.3"])
ax.set(xlabel="samples", ylabel="Gini credited to noise")
picture(
    ax,
    alt="From 100 to 1600 samples of the five noises, trees with pure leaves remove all of the "
    "Gini of 0.5, trees with leaves of at least 10 stay near 0.1, and only with depth "
    "3 does the amount fall as the sample grows.",
)

# %% [markdown]
# Shallow trees credit noise with less, which helps a signal such as the treatment to come out ahead. They do not remove the bias: of what noise gets, the columns with
# many values have about as large a share as in deep trees. And a shallow forest may not be the one you wanted to ask about.
#
# ## 2.6 The cure: let other rows judge
#
# All of this happened because the same rows made a tree and then judged it. They chose its splits, or, in the blind trees, at least filled its children. How they judge can be written row by row.
#
# Each tree was grown on a bootstrap sample, rows drawn with replacement, its **bag** $B$. A split of node $t$ sends row $i$ to a child $c$ and *moves* its prediction from $\bar y_t$ to $\bar y_c$, means of targets in the bag. MDI by the variance is the mean of (move) × (target − root mean) over the bag:
#
# $$\mathrm{Imp}(X_m, T) = \frac1{|B|} \sum_{i \in B} \; \sum_{t \ni i:\, v(t) = X_m} (\bar y_c - \bar y_t)\,(y_i - \bar y_0)$$
#
# Here $\bar y_0$ is the mean at the root, and the inner sum runs over the nodes $t$ that row $i$ reaches and whose variable $v(t)$ is $X_m$. A row with target 1 that goes from a node of mean 0.5 to a child of mean 0.7 has moved by {{0.2 | 0.7 - 0.5}}, towards its own target.
#
# But for each tree, {{about 37 | 100 * np.mean([1 - len(set(rows)) / len(rows) for f in forests for rows in f.estimators_samples_])}} rows in 100 were never drawn. They are **out of bag**, and they had no part in making it. There are two ways to let them judge:
#
# - **MDI-oob** (Li and colleagues, 2019) keeps the moves, and takes the mean over the rows *outside* the bag.
# - **UFI** (Zhou and Hooker, 2021) keeps the mean over the bag, and measures the *moves* on the rows outside.
#
# If $X_m$ has nothing to do with the target, the moves and the targets that they are multiplied with now come from different rows: they are unrelated, and the mean is close to 0 in expectation. The further part has UFI's
# formula, and shows what becomes of both for classes, where the impurity is Gini. scikit-learn (1.9) offers neither; `unbiased_mdi` computes both.

# %%
cured = {"MDI": by_mdi}
for name, method in {"MDI-oob": "mdi-oob", "UFI": "ufi"}.items():
    cured[name] = Importances.from_repeats(
        unbiased_mdi(forest, *trial, method=method)
        for forest, trial in zip(forests, trials, strict=True)
    )

# %% jupyter={"source_hidden": true}
#| holds all(abs(cured[k].importances_mean[1]) < 0.01 for k in ("MDI-oob", "UFI"))
#| holds all(abs(cured[k].importances_mean[0] - 0.045) < 0.015 for k in ("MDI-oob", "UFI"))
picture(
    plot_repeats(cured, truth=[0.045, 0.0]),
    alt="The same twenty forests by three measures. MDI puts the ticket near 0.15; "
    "MDI-oob and UFI scatter around 0 for the ticket and around the true 0.045 for "
    "the treatment.",
)

# %% [markdown]
# The forests are the same, only the judges have changed. **The ticket falls to {{about 0 | all(abs(cured[k].importances_mean[1]) < 0.01 for k in ("MDI-oob", "UFI"))}}, and the treatment stays {{near its true value | all(abs(cured[k].importances_mean[0] - 0.045) < 0.015 for k in ("MDI-oob", "UFI"))}}.** The ticket
# scatters on both sides of 0, as an unbiased estimate of 0 must: in single trials it can come out {{negative | all((cured[k].importances[1] < 0).any() for k in ("MDI-oob", "UFI"))}}, and now and then even {{above the treatment | all(0 < (cured[k].importances[1] > cured[k].importances[0]).sum() < 7 for k in ("MDI-oob", "UFI"))}}. Unbiased does not mean free of error.
#
# ## 2.7 Turn the knob
#
# Here is the trial again, with all its knobs: how many different tickets, how many patients, how deep the trees. Each setting
# shows twenty trials. First a harmless one.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import noise_explorer

explorer = noise_explorer()
explorer.figure(levels=10, n=800, depth=2)

# %% [markdown]
# Now make the meaningless ticket win, and then cure the ranking without touching the forests, by the last control, *importance by*. When you have done it once, try to do it with as few different
# tickets as possible.

# %%
explorer

# %% [markdown]
# If everybody gets a different ticket and the trees grow as far as they can, not even {{eight hundred | explorer.controls["n"].value == 800}} patients make it lose:

# %%
explorer.controls["levels"].value = "all differ"
explorer.controls["depth"].value = "no limit"
print(explorer.readout_text)

# %% [markdown]
# ## 2.8 May I say this?
#
# The trial of the opening once more, but now everybody has also tossed a `coin`, as meaningless as the ticket. Here is a new forest by both measures; the bars are 95 % intervals over its
# {{fifty trees | len(forest.estimators_) == 50}}, for these patients.

# %%
X, recovered = make_trial(len(recovered), random_state=0)
X = X.assign(coin=np.random.default_rng(500).integers(0, 2, size=len(X)))
forest = RandomForestClassifier(50, random_state=0).fit(X, recovered)

# %% jupyter={"source_hidden": true}
both = {"MDI": mdi(forest), "MDI-oob": unbiased_mdi(forest, X, recovered)}
#| says In the trial of the opening everybody has now also tossed a `coin`, as meaningless as the ticket. This is a new forest by both measures; the bars are 95 % intervals over its {{fifty trees | len(forest.estimators_) == 50}}, for these patients.
#| holds list(both["MDI"].importances_mean.argsort()) == [2, 0, 1] and both["MDI-oob"].importances_mean.argmax() == 0
#| holds abs(both["MDI-oob"].importances_mean[1:]).max() < 0.02
picture(
    plot_comparison(both),
    alt="By MDI the ticket leads by far, then comes treated, then the coin just above 0. By "
    "MDI-oob treated leads, and ticket and coin lie close to 0.",
)

# %%
may_i_say("02.a")

# %% [markdown]
# ## Keep this
#
# MDI is computed on the rows that made the tree, so it credits noise. Each split on noise gets a few times $i(t)/N$, more where there are more cuts to try or more children to
# fill; and the more splits there are, the more noise gets in total. **Whoever made the split must not judge it: on rows out of bag, noise is worth about 0 on average.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q4: to a given algorithm on a data set | [MDI-oob or UFI](glossary.md#mdi-oob-or-ufi), `unbiased_mdi(forest, X, y)` | 0, give or take its scatter | copies and correlated variables still share their credit, in a way that depends on how the forest is grown |
#
# That MDI and its cures stand under question 4 is a convention of this course. Where the variance is the impurity, the MDI of all columns of a tree adds up to its $R^2$ on its bag, times the variance of $y$ there. So MDI does look at how well the tree fits: it divides that fit among
# the columns. But it is the fit to the rows that made the tree, and we read it as a report on what the *algorithm* did with its sample.
#
# What is still wrong: all this is about how the forest was grown. What the finished model relies on, whatever it was grown from, is another question, and lesson 03 asks it.

# %% [markdown]
# ## Further: a bug, UFI, copies, random cuts and other packages
#
# Short pieces, half of them on other data. No later lesson depends on them.

# %% [markdown]
# ### Find the bug
#
# One version of a notebook in the scikit-learn MOOC set out to show the bias on real data. It added two columns of noise, a binary and a numeric one, and compared.
# Here are its two probes, on other data: {{178 | len(X_wine)}} bottles of wine from {{three | variety.nunique()}} grape varieties, {{five | X_wine.shape[1]}} of the {{thirteen | load_wine().data.shape[1] == 13}} measurements.

# %%
from sklearn.datasets import load_wine

X_wine, variety = load_wine(return_X_y=True, as_frame=True)
X_wine = X_wine.iloc[:, :5]
rng = np.random.RandomState(0)
published = X_wine.assign(
    random_binary=rng.randint(0, 1, size=len(X_wine)),
    random_number=np.arange(len(X_wine)),
)
forest = RandomForestClassifier(50, random_state=0).fit(published, variety)

# %% jupyter={"source_hidden": true}
#| holds mdi(forest).importances_mean.argmax() == unbiased_mdi(forest, published, variety).importances_mean.argmax() == 6
#| holds mdi(forest).importances_mean[5] == unbiased_mdi(forest, published, variety).importances_mean[5] == 0
picture(
    plot_comparison(
        {"MDI": mdi(forest), "MDI-oob": unbiased_mdi(forest, published, variety)}
    ),
    alt="random_number leads all measurements by MDI and just as much by MDI-oob; "
    "random_binary is at exactly 0.",
)

# %% [markdown]
# Numeric noise far above binary noise: that is what we have learnt to expect, and the notebook drew its conclusion here. Take a minute
# with the code and with the figure before you answer.

# %%
predict("02.5")

# %% [markdown]
# A probe that is called random should be tested before any forest sees it. Two questions: does it have as many
# values as it should? And is it independent of the target? For the second we count how often shuffled targets allow a
# split as good as the real ones do; a small p-value means hardly ever.

# %%
import pandas as pd

from course_lib.worlds import independence_pvalue


def inspect(probes):
    """How many values a probe has, and the p-value of its independence of the variety."""
    p = {x: independence_pvalue(probes[x], variety, random_state=0) for x in probes}
    return pd.DataFrame({"values": probes.nunique(), "p-value": p})


# %% tags=["after-02-5"]
checked = inspect(published[["random_binary", "random_number"]])
checked

# %% jupyter={"source_hidden": true}
sound = (checked["values"] > 1) & (checked["p-value"] > 0.02)
reveal("02.5", ("neither", "only one", "both")[sound.sum()])

# %% [markdown]
# Folded away below is how sound probes are made, a bit and a number. The same inspection says of them:

# %% tags=["after-02-5"] jupyter={"source_hidden": true}
rng = np.random.default_rng(0)
repaired = X_wine.assign(
    random_binary=rng.integers(0, 2, size=len(X_wine)),
    random_number=rng.permutation(len(X_wine)),
)
inspect(repaired[["random_binary", "random_number"]])

# %% [markdown]
# ### The formulas of UFI, and of both cures for classes
#
# UFI lets the rows outside the bag say how far the means really move, and weights each child by its in-bag share $p(c)$:
#
# $$\mathrm{UFI}(X_m, T) = \sum_{t:\, v(t) = X_m} \sum_{c} p(c)\, (\bar y_c - \bar y_0)\,(\bar y'_c - \bar y'_t), \qquad \bar y' = \text{mean of the rows outside.}$$
#
# A child that no row outside reaches counts 0. For classes, $y_i$ and the means are vectors with one entry per class, and products are inner products. Over the bag the formula of 2.6 then gives MDI by Gini. In both cures $\bar y_0$ is left out
# for classes: the zero of a number is arbitrary, but a class share has a zero of its own.

# %% [markdown]
# ### Who gets the credit?
#
# So far the question was what MDI gives to noise. Now to columns that predict the target. Below, the target depends most on `x1`, a little less on `x2` and not at all on `x3`, and a forest
# that may compare all columns at every split (scikit-learn's default for regression) ranks them {{in this order | list(alone.importances_mean.argsort()) == [2, 1, 0]}}, on average over {{twenty | alone.importances.shape[1] == 20}} samples:

# %%
from course_lib.worlds import make_correlated


def credit(seed, copied, max_features=1.0):
    X, y = make_correlated(300, seed, rho=0)
    y = y + 0.8 * X["x2"]
    X = X.assign(copy_of_x1=X["x1"]) if copied else X
    options = {"max_depth": 5, "max_features": max_features, "random_state": seed}
    return mdi(RandomForestRegressor(30, **options).fit(X, y))


alone = Importances.from_repeats(credit(seed, copied=False) for seed in range(20))
alone.to_frame()[["importance"]].round(1)

# %% [markdown]
# Then somebody joins the table with another one, and `x1` comes in twice.

# %%
predict("02.6")

# %% jupyter={"source_hidden": true}
copied = Importances.from_repeats(credit(seed, copied=True) for seed in range(20))
of_x1, of_x2, _, of_copy = copied.importances_mean
pair = "x1 and its copy" if of_copy > 0 else "x1 alone, its copy gets nothing"
reveal("02.6", "x2" if of_x2 > max(of_x1, of_copy) else pair)

# %% tags=["after-02-6"] jupyter={"source_hidden": true}
#| holds abs(of_x1 - 0.6) < 0.08 and abs(of_copy - 0.6) < 0.08 and abs(of_x2 - 0.8) < 0.08
#| holds (copied.importances[1] > copied.importances[[0, 3]].max(axis=0)).mean() > 0.5
picture(
    plot_repeats(copied),
    alt="With a copy of x1 in the table, x1 and its copy get about 0.6 each and x2 "
    "gets about 0.8, so x2 leads in most of twenty repetitions.",
)

# %% [markdown]
# How the pair shares, and how much it gets together, depends on how the forest is grown. In the same world with `max_features=1`, where one column is drawn
# for each split and nothing competes, a pair of copies is drawn twice as often as any other column, and together the two get {{more | drawn["x1 and a copy"][["x1", "copy_of_x1"]].sum() > 1.1 * drawn["x1 once"]["x1"]}} than `x1` alone gets in such a forest:

# %% tags=["after-02-6"]
drawn = {}
for name, twice in {"x1 once": False, "x1 and a copy": True}.items():
    repeats = [credit(seed, twice, max_features=1) for seed in range(20)]
    drawn[name] = Importances.from_repeats(repeats).to_frame()["importance"]
pd.DataFrame(drawn).round(2).astype(object).fillna("none")

# %% [markdown]
# ### Relatives that are no copies
#
# Columns that resemble each other without being equal share credit, too. In another world the target depends only on `x1`, and `x2` has a correlation of {{0.9 | make_correlated(10**5, 0, rho=0.9)[0].corr().iloc[0, 1]}} with it. With `max_features=1`, `x2` gets {{more than half | 0.5 < shares["max_features=1"][0]}} of what
# `x1` gets; where all three columns compete for every split, {{much less, but not nothing | 0 < shares["max_features=1.0"][0] < shares["max_features=1"][0] / 1.5}}. The rows out of bag {{agree | all(abs(np.subtract(*pair)) < 0.15 for pair in shares.values())}} (means over {{ten | share_of_the_proxy.__defaults__ == (10,)}} samples):


# %%
def share_of_the_proxy(max_features, n_samples=10):
    rows = []
    for seed in range(n_samples):
        X, y = make_correlated(300, seed, rho=0.9)
        options = {"max_depth": 5, "max_features": max_features, "random_state": seed}
        forest = RandomForestRegressor(20, **options).fit(X, y)
        results = mdi(forest), unbiased_mdi(forest, X, y)
        rows.append([result.importances_mean[:2] for result in results])
    of_x1, of_x2 = np.mean(rows, axis=0).T
    return (of_x2 / of_x1).round(1)


shares = {f"max_features={k}": share_of_the_proxy(k) for k in (1, 1.0)}
pd.DataFrame(shares, index=["MDI of x2 / MDI of x1", "the same by MDI-oob"]).T

# %% [markdown]
# They should agree: `x2` does predict the target, in every sample and not by chance. The cure removes the credit for *noise*. It does not settle how variables that carry
# the same information should share it. In a single tree, chance decides. Here are {{six trees | len(table)}} with six seeds, grown on one sample with `x1` and its copy:

# %%
from sklearn.tree import DecisionTreeRegressor

X_pair, y_pair = make_correlated(300, random_state=0, rho=0)
X_pair = X_pair[["x1"]].assign(copy_of_x1=X_pair["x1"])
table = pd.DataFrame(
    [
        mdi(
            DecisionTreeRegressor(max_depth=3, random_state=s).fit(X_pair, y_pair)
        ).importances_mean
        for s in range(6)
    ],
    columns=X_pair.columns,
)
table.rename_axis("seed").assign(sum=table.sum(axis=1)).round(3)

# %% [markdown]
# The sum is {{always the same | np.ptp(table.sum(axis=1)) < 1e-9}}. Which copy gets it is up to the seed.
#
# ### Random cuts into two
#
# Section 2.4 had blind trees with many children. There are blind trees with two, as well: Extra-Trees with `max_features=1` draw a column and a place to cut, and compare nothing.
# A blind cut removes {{a single unit | expected_decrease(20, "random") == 1}}, whatever the column. The bias comes from what happens further down the branch. Here are the shares of the five noises, means over {{ten | cuts.importances.shape[1] == 10}} studies:

# %%
from sklearn.ensemble import ExtraTreesClassifier

random_cuts = partial(ExtraTreesClassifier, 20, max_features=1)
cuts = noise_study(random_cuts, n_repeats=10)
cuts.to_frame()[["importance"]].round(2)

# %% [markdown]
# A column with two levels is used up after one question on a branch; one with twenty can be asked again and again, and each further split is credited.
#
# ### XGBoost and LightGBM
#
# The two packages that most people boost with print importances of their own, under names that do not say what they count.
# **Weight** (XGBoost) and **split** (LightGBM, its default) count how many splits use a column. **Total gain** (XGBoost; LightGBM calls it **gain**) adds up how much those splits lowered the training loss: the closest
# relative of MDI. **Gain** in XGBoost, the default of its `feature_importances_`, is the *mean* per split, and **cover** the mean number of rows that reach such a split (weighted by the curvature of the loss).
# `booster_importances(model, kind=...)` of our library reads them from a fitted model, under names that say what is counted.
# Here they are on the five noises and, in the last column, how often the ticket beats the treatment in {{twenty | trial["XGBoost gain"].importances.shape[1] == 20}} trials; both packages with their defaults, {{200 rows | int(trial["XGBoost gain"].sample.split()[0])}}.

# %%
from course_lib.studies import boosted_importances

noise, trial = boosted_importances("noise"), boosted_importances("trial")
boosted = pd.DataFrame({k: r.importances_mean for k, r in noise.items()}).T.round(2)
boosted.columns = noise["XGBoost gain"].feature_names
wins = {k: int(np.sum(r.importances[1] > r.importances[0])) for k, r in trial.items()}
boosted.assign(**{"ticket first, of 20": pd.Series(wins)})

# %% [markdown]
# (The shares were computed by the packages themselves and are stored with the course, so that this cell runs without them.)
#
# The counts and the sums repeat the bias of MDI, and for the same reasons: more values, more splits, more credit. XGBoost's mean gain comes {{out level | np.ptp(boosted.loc["XGBoost gain"]) < 0.1}}, because
# with the defaults every split had to beat the best cuts of all five columns, and so the winner's gain is about the same whichever column it is on. If one column is drawn for each split (`colsample_bynode=0.2`), the mean gain ranks the noises by their levels again; cover ranks them the other way round. And a mean
# forgets how often a column was used. A column that a model splits on once, with luck, can come out ahead of one that it needs a hundred times. All {{six | len(boosted)}} are read from the training rows, so none of them can say what a column is worth on new ones.
#
# Which of the six would you put into a report, and which sentence would you write beside it?

# %% [markdown]
# ## Practise
#
# The exercise [02_mdi_bias](../exercises/02_mdi_bias/02_mdi_bias.ipynb) builds the cure by hand and catches broken probes. Your progress so far:

# %%
from course_lib.learner import progress

progress("02")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Strobl, Boulesteix, Zeileis and Hothorn (2007) for the bias in forests; Louppe, Wehenkel, Sutera and Geurts (2013) for totally randomized trees; Li, Wang, Basu, Kumbier
# and Yu (2019) for MDI-oob; Zhou and Hooker (2021) for UFI (both papers have no $\bar y_0$, which makes no difference in the bag; outside, for numbers, it makes the result independent of the zero of $y$); Geurts, Ernst and Wehenkel (2006) for Extra-Trees; Chen and Guestrin (2016) for XGBoost; Ke and colleagues (2017) for LightGBM; the scikit-learn
# MOOC of INRIA, one version of its `dev_features_importance.py`, for the two probes. The wine data: Forina and colleagues, UCI repository.
#
# *Words of this lesson:* [MDI-oob or UFI](glossary.md#mdi-oob-or-ufi), [total gain of boosted trees](glossary.md#total-gain-of-boosted-trees), [bootstrap and out of
# bag](glossary.md#bootstrap-and-out-of-bag), [duplicates](glossary.md#duplicates), [noise with many
# values](glossary.md#noise-with-many-values). All words and symbols are in the [glossary](glossary.md), the works in
# the [references](references.md), and all lessons and measures on the map at the end of [lesson
# 00](00_six_questions.ipynb).
