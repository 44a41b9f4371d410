# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 03 · Permutation pitfalls
#
# A forest reads thirty measurements of a tumour and is right about 97 times in 100, on patients it has never seen.
# Take its favourite measurement and deal the values out again among the patients, like cards. It stays right about as
# often as before. Put them back, take the next one. All thirty, one after the other: nothing happens.
#
# If no measurement is needed, what is the forest looking at?
#
# *In this lesson: what scrambling a column measures, on which rows, with which error bar, and what it cannot see when
# columns resemble each other; three cures and their price. About 70 minutes.*

# %% [markdown]
# ## Before we start
#
# Three questions on what came before, from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("03")

# %% [markdown]
# ## 3.1 A model that needs nothing
#
# The data are 569 breast tumours. Ten properties of the cell nuclei were measured, each as a mean, as a standard
# error and as the mean of the three worst nuclei: thirty columns. A quarter of the patients is held out.

# %%
import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.model_selection import train_test_split

X_all, y_all = load_breast_cancer(return_X_y=True, as_frame=True)
X, X_test, y, y_test = train_test_split(X_all, y_all, random_state=42)
clinic = RandomForestClassifier(100, random_state=42).fit(X, y)
round(clinic.score(X_test, y_test), 2)

# %% [markdown]
# Shuffle one column among the held-out patients, count the patients that are now classified wrongly, subtract those
# that were wrong before. That is **permutation importance**, here with "wrong or not" as the loss, so that it reads
# as accuracy lost.

# %%
predict("03.1")

# %%
from course_lib.measures import permutation_importance
from course_lib.models import zero_one

single = permutation_importance(
    clinic, X_test, y_test, loss=zero_one, n_repeats=10, random_state=0
)
reveal("03.1", round(100 * single.importances_mean.max(), 1))

# %% [markdown]
# Shuffle all thirty columns together, each patient getting the whole record of another, and the model has nothing
# left to go by:

# %%
strangers = X_test.sample(frac=1, random_state=0)
round(clinic.score(strangers, y_test), 2)

# %% [markdown]
# So the thirty together are worth a great deal, and each of them nothing. Keep your explanation in mind; we need a
# few tools before we can test it, in 3.9.
#
# ## 3.2 What exactly is being measured
#
# Rudin's notes call it **model reliance**. Let $e_{orig}$ be the model's mean loss on the rows as they are, and
# $e_{switch}$ its mean loss when column $j$ of each row $k$ comes from *another* row $i$, averaged over all such
# pairs:
#
# $$e_{switch} = \frac{1}{n(n-1)} \sum_{i \neq k} L\big(y_k, f(x_{i,j},\, x_{k,\text{rest}})\big) ,$$
#
# $$MR_{diff} = e_{switch} - e_{orig}, \qquad MR_{ratio} = \frac{e_{switch}}{e_{orig}} .$$
#
# The difference has the unit of the loss and means "not important" at 0. The ratio has no unit and means it at 1: a
# ratio of 2 says that the error doubles. Five rows and a line fitted to them:

# %%
from sklearn.linear_model import LinearRegression

from course_lib.measures import model_reliance

x = np.array([[1.0], [2.0], [3.0], [5.0], [9.0]])
t = np.array([2.0, 1.0, 4.0, 4.0, 9.0])
line = LinearRegression().fit(x, t)
ways = [(pairs, as_ratio) for pairs in ("all", "halves") for as_ratio in (False, True)]
values = [model_reliance(line, x, t, pairs=p, as_ratio=r) for p, r in ways]
pd.Series([v.importances_mean[0] for v in values], [v.measure for v in values]).round(3)

# %% [markdown]
# With all pairs nothing is left to chance, at the price of $n(n-1)$ predictions. For least squares there is a closed
# form, $MR_{diff} = 2\,\hat b_j^2 s_j^2$, with $s_j^2$ the variance with $n-1$. The halves (Fisher and colleagues'
# $e_{divide}$: each row changes values with one partner in the other half) need only $n$ predictions and show it: one
# pairing out of many.
#
# A random shuffle is the third way, and the one in every library. There are $5! = 120$ shuffles of five rows, few
# enough to try them all.

# %%
predict("03.2")

# %%
from itertools import permutations

from course_lib.models import squared_error

orders = np.array(list(permutations(range(5))))
e_orig = squared_error(t, line.predict(x)).mean()
e_shuffle = [squared_error(t, line.predict(x[order])).mean() for order in orders]
all_pairs = 2 * line.coef_[0] ** 2 * x.var(ddof=1)
share = (np.mean(e_shuffle) - e_orig) / all_pairs
reveal("03.2", round(share, 6))

# %% [markdown]
# A shuffle may leave a row with its own value, a fixed point, and that row loses nothing. On average one row in every
# shuffle is a fixed point, whatever $n$, so shuffles find $(n-1)/n$ of what the pairs find: four fifths with five
# rows, all but a thousandth with a thousand.
#
# > **What the textbook says.** The formula for all swaps in Rudin's notes takes variable 1 from row $i$ and the
# > target from row $i$ as well, so that nothing is swapped; and it calls the loss a sum in one place and a mean in
# > another. Row $i$ must give the value and row $k$ the rest, and both losses must be means, or the ratio is off by a
# > factor.

# %% [markdown]
# ## 3.3 Why scramble, and not set to zero?
#
# Because zero is a place like any other, and may be far from where the data live. Here is one temperature, written
# down as the deviation from its mean and in degrees Celsius: the same tree either way, to the leaf. We remove the
# column once by scrambling and once by writing zeros into it.

# %%
from sklearn.tree import DecisionTreeRegressor

from course_lib.worlds import make_correlated

bath, comfort = make_correlated(300, random_state=0, rho=0.0)
rows = {}
for unit, shift in (("deviation from the mean", 0.0), ("degrees Celsius", 20.0)):
    table = bath.assign(x1=bath["x1"] + shift)
    tree = DecisionTreeRegressor(max_depth=3, random_state=0).fit(table, comfort)
    switched = model_reliance(tree, table, comfort, as_ratio=False).importances_mean[0]
    zeroed = squared_error(comfort, tree.predict(table.assign(x1=0.0))).mean()
    rows[unit] = switched, zeroed - squared_error(comfort, tree.predict(table)).mean()
pd.DataFrame(rows, index=["scrambled", "set to 0"]).T.round(2)

# %% [markdown]
# Zero degrees Celsius sends every row down the same branches, to the coldest leaf. Scrambling keeps the column's own
# distribution and breaks only its ties to the other columns and to the target, so it does not care about units. It
# has a price of its own, which is section 3.7.
#
# ## 3.4 On which rows?
#
# In these data `x1` makes the target and `x2`, `x3` are drawn on their own, so for *any* model fixed beforehand a
# scrambled `x2` is as good as a fresh one: the true value is exactly 0. A forest of deep trees is fitted to 200 rows.
# Where do we measure?

# %%
predict("03.3")

# %%
from course_lib.measures import oob_permutation_importance
from course_lib.plots import picture, plot_comparison, plot_curves, plot_repeats

X_fit, y_fit = make_correlated(200, random_state=1, rho=0.0)
X_new, y_new = make_correlated(200, random_state=2, rho=0.0)
forest = RandomForestRegressor(100, random_state=0).fit(X_fit, y_fit)
by_rows = {
    "training rows": permutation_importance(forest, X_fit, y_fit, random_state=0),
    "new rows": permutation_importance(forest, X_new, y_new, random_state=0),
    "out of bag, tree by tree": oob_permutation_importance(
        forest, X_fit, y_fit, random_state=0
    ),
}

# %%
noise = {rows: result.importances_mean[1:].mean() for rows, result in by_rows.items()}
only = noise["training rows"] > 5 * abs(noise["new rows"])
reveal("03.3", f"well above 0 on {'the training rows only' if only else 'both'}")

# %%
picture(
    plot_comparison(by_rows),
    alt="On training rows the two noise columns have importances of about half a "
    "unit; on new rows and out of bag they are near 0. x1 is far ahead everywhere.",
)

# %% [markdown]
# The deep trees have learnt their rows by heart, noise included, and on those rows the noise is needed to recite
# them. That is a true statement about the model on its training rows. It is no statement about what helps with the
# next row. Breiman's out-of-bag version asks each tree about the third of the rows, or a little more, that its
# bootstrap left out: an honest answer without a second sample. It is about single trees, though, so its scale is not
# that of the forest.
#
# ## 3.5 Below zero
#
# About half of the estimates of a true 0 are negative. That is what an unbiased estimate of 0 has to look like, and
# whoever clips them at 0 turns a mean of nothing into a mean of something. But how far below is still noise? Make
# **twins without signal**: shuffle the column, refit the model with it, measure its importance in the same way, a
# hundred times.
#
# Our model is trained in one hospital and measured in another. `signal` means the same in both, `noise` nothing in
# either, and the device behind `drifted` was wired the other way round in the second.

# %%
from course_lib.measures import permutation_null
from course_lib.questions import Q1
from course_lib.results import Importances

rng = np.random.default_rng(0)


def hospital(sign, n=150):
    X = pd.DataFrame(rng.normal(size=(n, 3)), columns=["signal", "noise", "drifted"])
    return X, 0.3 * X["signal"] + sign * 0.3 * X["drifted"] + 0.7 * rng.normal(size=n)


(X_a, y_a), (X_b, y_b) = hospital(+1), hospital(-1)
model = LinearRegression().fit(X_a, y_a)
measured = permutation_importance(model, X_b, y_b, random_state=0)

# %%
twins = [
    permutation_null(model, X_a, y_a, name, X_test=X_b, y_test=y_b, random_state=0)
    for name in X_a
]
null = Importances(
    np.vstack([twin.importances for twin in twins]), X_a.columns, measured.measure, Q1
)
picture(
    plot_repeats({"twins without signal": null, "measured, ten shuffles": measured}),
    alt="The twins of all three columns lie within 0.05 of 0. Measured: signal far to "
    "the right of its twins, noise among them, drifted far to the left.",
)

# %% [markdown]
# `noise` lies among its twins: nothing to report, whatever its sign. `drifted` lies far below all of them: the model
# would do better without it, here. Clip it to 0 and the most useful finding of the day is gone.
#
# Is a negative value then a sign of overfitting, or of a changed world? Take a model that nobody fitted to anything,
# in a world that does not change: $y = x_1 + x_2$, correlation 0.9, and the formula $f = -0.2\,x_1 + 1.9\,x_2$.

# %%
predict("03.4")

# %%
rho, b = 0.9, np.array([-0.2, 1.9])
cov_with_x1 = np.array([1.0, rho])  # of x1 and x2 with x1
population = 2 * b[0] * ((1 + rho) - b[1] * cov_with_x1[1])
reveal("03.4", "negative" if population < 0 else "positive")

# %% [markdown]
# For a linear model the population value is $2\, b_j\, \mathrm{Cov}(y - \sum_{k \neq j} b_k x_k,\; x_j)$, which here
# is $2 \cdot (-0.2) \cdot (1.9 - 1.71) = -0.076$. The term $1.9\,x_2$ overshoots, $-0.2\,x_1$ is the wrong way to
# repair it, and an `x1` from another row does less damage.
#
# > **What the textbook says.** That a negative permutation importance is a strong sign of overfitting. It can be:
# > that is one of three causes. Noise around 0 is another, and a model that uses a variable the wrong way is the
# > third, with no sample in sight.
#
# ## 3.6 An interval that covers
#
# A value needs an error bar, and two are popular. One is the spread over the shuffles, which is what the bars above
# show. The other takes the $n$ differences of loss, row by row (each averaged over the values it may get), with
# variance $\tau^2$, and claims $\mathrm{Var} = \tau^2/n$. We can count how often they are right, since we know a case
# with a truth: $x$ normal, $y = x + 0.5\,\varepsilon$ and $f(x) = x$, where $MR_{diff} = 2$.

# %%
predict("03.5")


# %% [markdown]
# Write the increases as a table $D$: in row $k$ and column $i$ stands what row $k$ loses when it gets its value from
# row $i$. Its mean off the diagonal is $MR_{diff}$. A row of the sample appears in it twice: as a **body**, which
# receives values, and as a **head**, which gives them away. The function asks which of four 95 % intervals around the
# estimate contain the 2.


# %%
def covers(seed, n=200):
    rng = np.random.default_rng(seed)
    x, e = rng.normal(size=(2, n))
    y = x + 0.5 * e
    D = (y[:, None] - x) ** 2 - ((y - x) ** 2)[:, None]
    body, head = D.sum(axis=1) / (n - 1), D.sum(axis=0) / (n - 1)
    shuffles = [D[np.arange(n), rng.permutation(n)].mean() for _ in range(50)]
    W = rng.multinomial(n, np.full(n, 1 / n), size=200)  # 200 bootstrap samples
    errors = {
        "spread of 50 shuffles": np.std(shuffles) / 50**0.5,
        "tau² / n": body.std() / n**0.5,
        "body and head": (body + head).std() / n**0.5,
        "bootstrap of rows": ((W @ D) * W).sum(axis=1).std() / n**2,
    }
    return {name: abs(body.mean() - 2) <= 1.96 * se for name, se in errors.items()}


# %%
covered = pd.DataFrame([covers(seed) for seed in range(400)]).mean()
reveal("03.5", round(100 * covered["tau² / n"], 1))

# %%
covered.round(2)

# %% [markdown]
# The shuffles say how well this sample was shuffled. They know nothing of other samples, so their interval shrinks to
# a point as one shuffles more. And $\tau^2/n$ counts each row once, where each row works twice: an extreme $x$ makes
# a large loss as a body *and* hands out large losses as a head. Adding both parts before taking the variance gives an
# interval that nearly keeps its promise (what is missing comes from skewness, and goes as $n$ grows); so does a
# bootstrap that draws rows and lets each carry both of its roles. Here the variances can be worked out: $(2 +
# 4\sigma^2)/n$ for the bodies alone, $(8 + 4\sigma^2)/n$ in truth, three times as much at $\sigma = 0.5$.
#
# > **What the textbook says.** That $\mathrm{Var}(\hat I_j) = \tau_j^2/n$ if the differences are i.i.d. They are not:
# > two differences that share a row move together.
#
# ## 3.7 Where the scrambled points are
#
# Back to our forest's thirty columns. The radius of a nucleus and its perimeter go together; scramble one, and we ask
# the model about nuclei of radius 10 and perimeter 180. Nobody has seen one. What does a model answer where it has
# never been corrected? Here the truth is the plane $x_1 + x_2$, the noise has variance 1, and the model is a surface
# that may bend: least squares with squares and product.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import scramble_explorer

explorer = scramble_explorer()
explorer.figure(rho=0.9)

# %% [markdown]
# Black are the rows as they are, orange the same rows with `x1` scrambled. A plane would have straight bands; these
# are bent, and bent most where no black point could object. Drag the correlation until the importance is three times
# its true value, and watch the two distances below the picture. (The cell after it moves the slider by a line of
# code, not quite far enough.)

# %%
explorer

# %%
explorer.controls["rho"].value = 0.92
print(explorer.readout_text)

# %% [markdown]
# At every correlation the surface fits the rows equally well: the first distance does not move by a digit. Only the
# orange points move, off to where the surface is guesswork, and the importance of `x1` grows with the guesses. Hooker
# and Mentch put it in one sentence: permutation forces models to extrapolate. How fast does it grow, and is a forest
# better? The horizontal axis is $1/(1-\rho)$, for $\rho$ = 0, 0.5, 0.8, 0.9, 0.95.


# %%
from course_lib.studies import extrapolation_error, surface_fit


def forest_error(state):
    """Squared distance of a forest from the true plane, on scrambled rows."""
    rows = np.column_stack([state.x1, state.x2])
    forest = RandomForestRegressor(30, random_state=0).fit(rows, state.y)
    rows[:, 0] = state.x1[state.order]
    return np.mean((forest.predict(rows) - rows.sum(axis=1)) ** 2)


# %%
rhos = np.array([0, 0.5, 0.8, 0.9, 0.95])
worlds = [[surface_fit(rho, random_state=seed) for seed in range(100)] for rho in rhos]
errors = {
    "scrambled": [np.mean([state.far for state in states]) for states in worlds],
    "as they are": [np.mean([state.near for state in states]) for states in worlds],
    "forest,\n  scrambled": [
        np.mean([forest_error(s) for s in states[:6]]) for states in worlds
    ],
}
closed = {
    "scrambled": extrapolation_error(rhos),
    "as they are": extrapolation_error(rhos, scramble=False),
}

# %%
ax = plot_curves(1 / (1 - rhos), errors, expected=closed, log=True)
ax.set(xlabel="1 / (1 − ρ)", ylabel="squared distance from truth")
picture(
    ax,
    alt="On scrambled rows the error of the bent surface grows with the square of "
    "1/(1 - rho), a hundredfold from rho 0 to 0.95, as its closed form says; on the rows "
    "as they are it stays at 0.06. The forest's error on scrambled rows hardly grows.",
)

# %% [markdown]
# The bent surface pays with the square of $1/(1-\rho)$. The forest cannot bend: far from its rows it answers with the
# value of the nearest leaf, so its error hardly grows. Different models guess differently, and the guess becomes part
# of the number.
#
# ## 3.8 What correlation cannot do, and what it can
#
# `x2` has correlation 0.999 with `x1`. The model reads `x1` only.

# %%
predict("03.6")

# %%
from course_lib.models import OnColumns

X_near, y_near = make_correlated(300, random_state=0, rho=0.999)
on_x1 = RandomForestRegressor(30, random_state=0).fit(X_near[["x1"]], y_near)
reader = OnColumns(on_x1, "x1")
of_x2 = permutation_importance(reader, X_near, y_near, random_state=0).importances[1]
reveal("03.6", "exactly 0" if (of_x2 == 0).all() else "small, but above 0")

# %% [markdown]
# > **What the textbook says.** That importance can leak by permutation to a correlated variable which the model never
# > uses. It cannot: predictions that do not read a column do not change when it changes, so the increase is 0 in
# > every shuffle, to the last bit, on whatever rows. (Rudin's notes say *around* 0; it is exact.) What can reach an
# > unused variable are measures that draw the *other* columns given this one; lessons 04 and 08 meet them.
#
# Correlation does harm in the other direction: it hides what is used. Give a ridge regression one good column, then
# the same column twice.

# %%
predict("03.7")

# %%
from sklearn.linear_model import Ridge

X_one, y_one = make_correlated(400, random_state=0, rho=1.0)
once = X_one[["x1"]].to_numpy()
twice = np.repeat(once, 2, axis=1)
before, each = (
    model_reliance(
        Ridge(1e-6).fit(C, y_one), C, y_one, as_ratio=False
    ).importances_mean[0]
    for C in (once, twice)
)
reveal("03.7", round(each / before, 3))

# %% [markdown]
# The coefficient is halved, the loss is squared: a quarter each, half together. With $m$ copies each keeps $1/m^2$
# and all of them add up to $1/m$: five good columns, 4 % each. Add enough copies, and an accurate model needs
# nothing. Does that remind you of a clinic?
#
# ## 3.9 Scramble together what belongs together
#
# We let the thirty columns form groups: columns with a high rank correlation first, until five groups are left. Only
# the training rows are used. Then we shuffle whole groups, every patient getting all the columns of the group from
# one other patient.

# %%
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from scipy.stats import spearmanr

distance = 1 - abs(spearmanr(X).statistic)
links = hierarchy.ward(squareform(distance, checks=False))
cluster = hierarchy.fcluster(links, 5, "maxclust")
groups = [list(X.columns[cluster == c]) for c in range(1, 6)]
[f"{len(group)}: {', '.join(group[:3])} ..." for group in groups]


# %%
def accuracy_lost(columns, rng):
    """What the clinic's accuracy loses when these columns are shuffled together."""
    table = X_test.copy()
    table[columns] = X_test[columns].sample(frac=1, random_state=rng).to_numpy()
    return clinic.score(X_test, y_test) - clinic.score(table, y_test)


rng = np.random.default_rng(0)
lost = [[accuracy_lost(group, rng) for _ in range(10)] for group in groups]
added = [single.importances[cluster == c].sum(axis=0) for c in range(1, 6)]
names = [f"{group[0]} + {len(group) - 1}" for group in groups]
together, one_by_one = (
    Importances(v, names, "accuracy lost", Q1) for v in (lost, added)
)

# %%
picture(
    plot_comparison(
        {"shuffled together": together, "one by one, added up": one_by_one}
    ),
    alt="Two groups of nine columns, one of sizes and one of shapes, lose a good part "
    "of the accuracy when shuffled together; shuffled one by one, nothing in total.",
)

# %% [markdown]
# There it is. The forest looks at the size of the nuclei and at how dented they are, and it has nine readings of
# each. Take one reading away and the other eight stand in; take all nine, and it stumbles. Thirty low values were
# never a licence to drop thirty columns. They were a licence to drop any one of nine, as long as a relative stays.
# Five columns, the first of each group, and the forest fitted again:

# %%
keep = [group[0] for group in groups]
small = RandomForestClassifier(100, random_state=42).fit(X[keep], y)
round(small.score(X_test[keep], y_test), 2)

# %% [markdown]
# ## 3.10 Three more answers, and their price
#
# Groups need a person who decides where to cut. Three measures deal with correlation without cutting. Each changes
# the question.
#
# **Conditional permutation** (CPI) draws $x_j$ again *given* the other columns, instead of shuffling it: the new
# value fits its row. **Conditional model reliance** (CMR) does this without a sampler. Predict $\hat x_j$ from the
# other columns; what remains, $x_j - \hat x_j$, is the information that column $j$ has for itself. Put the remainder
# of row $i$ on the prediction of row $k$, a **chimera** with the head of $i$ on the body of $k$:

# %%
from course_lib.measures import (
    algorithm_reliance,
    conditional_model_reliance,
    conditional_permutation_importance,
)

X_cor, y_cor = make_correlated(1000, random_state=0, rho=0.9, noise=0.3)
x1 = X_cor["x1"].to_numpy()
others = X_cor[["x2", "x3"]]
body = LinearRegression().fit(others, x1).predict(others)
chimeras = body[:, None] + (x1 - body)  # row k, column i
round(float(np.corrcoef(chimeras.ravel(), np.repeat(X_cor["x2"], 1000))[0, 1]), 2)

# %% [markdown]
# All these chimeras, a million of them, keep the correlation with `x2` that plain scrambling destroys. **Algorithm
# reliance** (AR) scrambles nothing: leave the column out, fit again, compare. Here `x1` makes `y`, `x2` has
# correlation 0.9 with `x1`, and `x3` is alone; the model is least squares.

# %%
ols = LinearRegression().fit(X_cor, y_cor)
sample = (X_cor, y_cor)
measures = {
    "MR": model_reliance(ols, *sample, as_ratio=False),
    "CPI": conditional_permutation_importance(ols, *sample, random_state=0),
    "CMR": conditional_model_reliance(ols, *sample, as_ratio=False),
    "AR": algorithm_reliance(LinearRegression(), *sample, as_ratio=False),
}
values = {name: measure.importances_mean for name, measure in measures.items()}
table = pd.DataFrame(values, index=X_cor.columns).T
table.assign(**{"x1, exact": [2, 0.38, 0.38, 0.19]}).round(2)

# %% [markdown]
# One model, one sample, and `x1` is worth 2, 0.38 or 0.19, all of them right. In the population the first is $2 b^2$;
# the second and third keep only the part of `x1` that `x2` does not know, $2 b^2 (1 - \rho^2) = 0.38$; and when `x1`
# is left out, `x2` steps in for all but $b^2(1-\rho^2) = 0.19$. (On the training sample the third is $2n/(n-1)$ times
# the fourth, exactly. A conditional value of 0 can also mean that the model ignores the column.) What they cost, with
# $n$ rows, $p$ columns and $r$ repeats:
#
# | measure | question | rows predicted | models fitted |
# |---|---|---|---|
# | permutation importance | Q1 | $r\,n\,p$ | none |
# | MR, all pairs | Q1 | $n^2 p$ | none |
# | CPI | Q2 | $r\,n\,p$ | a sampler ($p$ forests for the `ForestSampler`) |
# | CMR | Q2 | $n(n-1)\,p$ | $p$ imputers |
# | AR | Q4 | $n(p+1)$ | the full model $p + 1$ times |
#
# (And $n$ more rows for $e_{orig}$. For linear models and forests the library skips predictions that it can work out;
# the numbers are the same.)
#
# ## 3.11 May I say this?
#
# Look once more at the picture in 3.9: the clinic's forest, its held-out patients, accuracy lost.

# %%
may_i_say("03.a")

# %% [markdown]
# ## Keep this
#
# Permutation importance says how much worse *this* model does, on *these* rows, when a column is dealt out anew. It
# is exact about what the model reads, it needs rows the model has not learnt by heart and an error bar that counts
# each row twice, and it may be negative. **A low value says that the model can do without this column while it has
# all the others; it says nothing about doing without them all.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1: to a given model | [model reliance](glossary.md#model-reliance-mr) $MR$, [permutation importance](glossary.md#permutation-importance) | 0 (difference), 1 (ratio) | correlated columns hide each other, and the model is asked about rows that do not exist |
# | Q2: its unique information | [conditional permutation](glossary.md#conditional-permutation-importance), [conditional reliance](glossary.md#conditional-model-reliance-cmr) $CMR$ | 0, 1 | needs a model of the column given the others |
# | Q4: to an algorithm | [algorithm reliance](glossary.md#algorithm-reliance-ar) $AR$ | 0, 1 | $p + 1$ fits; other columns step in |
#
# What is still wrong: columns that share the work are judged one at a time, always with all the others present.
# Lesson 04 lets them join in every order.

# %% [markdown]
# ## Practise
#
# The exercise [03_permutation_pitfalls](exercises/03_permutation_pitfalls.ipynb) builds the measures of this lesson
# from a table and a `predict`. Your progress so far:

# %%
from course_lib.learner import progress

progress("03")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Rudin's course notes (questions 1, 2 and 4) and Fisher, Rudin and Dominici (2019) for the reliances;
# Breiman (2001) for the out-of-bag version; Hooker, Mentch and Zhou (2021) for extrapolation; Strobl and colleagues
# (2008) for conditional permutation; the clustering of columns follows an example in scikit-learn's gallery; Street,
# Wolberg and Mangasarian (1993) for the tumours.
#
# *Words of this lesson:* [permutation importance](glossary.md#permutation-importance), [model reliance
# MR](glossary.md#model-reliance-mr), [out-of-bag permutation
# importance](glossary.md#out-of-bag-permutation-importance), [conditional permutation
# importance](glossary.md#conditional-permutation-importance), [conditional model reliance
# CMR](glossary.md#conditional-model-reliance-cmr), [algorithm reliance AR](glossary.md#algorithm-reliance-ar),
# [bootstrap and out of bag](glossary.md#bootstrap-and-out-of-bag), [chimera](glossary.md#chimera),
# [duplicates](glossary.md#duplicates), [extrapolation](glossary.md#extrapolation), [interval](glossary.md#interval),
# [loss](glossary.md#loss), [null distribution](glossary.md#null-distribution), [sampler](glossary.md#sampler), [unique
# information](glossary.md#unique-information). All words and symbols are in the [glossary](glossary.md), the works in
# the [references](references.md), and all lessons and measures on the map at the end of [lesson
# 00](00_six_questions.ipynb).
