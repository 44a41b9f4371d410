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
# A forest reads {{thirty | X.shape[1] == 30}} measurements of a tumour and is right {{about 97 | 100 * clinic.score(X_test, y_test)}} times in 100, on patients it has never seen. Take any
# one of the thirty, deal its values out again among these patients like cards, and the forest is still right {{about 97 | 100 * (clinic.score(X_test, y_test) - opening.importances_mean[0])}} times in
# 100. Deal out whole records, all thirty columns at once, and it is right {{about half | 0.45 < clinic.score(X_test, y_test) - opening.importances_mean[1] < 0.6}} of the time.
#
# By this score no single column is important to the forest, and yet it is not guessing. Where has the importance gone? Write
# down your explanation before you go on. You will need two: one about the columns, one about the score.
#
# *In this lesson: what scrambling a column measures, with which loss, on which rows, and what it cannot see when columns
# resemble each other. About 60 minutes.*

# %% jupyter={"source_hidden": true}
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

from course_lib.plots import picture, plot_repeats
from course_lib.studies import one_and_all

X_all, y_all = load_breast_cancer(return_X_y=True, as_frame=True)
X, X_test, y, y_test = train_test_split(X_all, y_all, random_state=42)
clinic = RandomForestClassifier(100, random_state=42).fit(X, y)
opening = one_and_all(clinic, X_test, y_test)
#| holds 0.96 < clinic.score(X_test, y_test) < 0.98 and abs(opening.importances[0]).max() < 0.02
#| holds 0.3 < opening.importances[1].min() and opening.importances[1].max() < 0.55
#| holds 0.4 < clinic.score(X_test, y_test) - opening.importances_mean[1] < 0.6
picture(
    plot_repeats({"mean of the dots": opening}),
    alt="Accuracy lost by shuffling. One column at a time: a dot for each of the thirty, all within "
    "0.02 of zero. All thirty at once: a dot for each of 30 shuffles, between 0.3 and 0.55.",
)
#| says One column at a time, a dot is a column; all at once, a dot is a shuffle. Shuffle any one column, and hardly any accuracy is lost; shuffle all thirty, and the forest does little better than a coin. Where has the importance gone?

# %% [markdown]
# ## Before we start
#
# Three questions on what came before, from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("03")

# %% [markdown]
# ## 3.1 What the picture shows
#
# The data are {{569 | len(X_all)}} breast tumours. Ten properties of the cell nuclei were measured, each as its mean, its standard error and the
# mean of its three largest values, called *worst*: thirty columns. The forest `clinic` was fitted to {{three quarters | abs(len(X) / len(X_all) - 0.75) < 0.01}} of the patients.
#
# Shuffle one column among the {{143 | len(X_test)}} patients who were held out, compute the mean loss again, and subtract what it was
# before. That is **permutation importance**. Here the loss is 1 for a wrong answer and 0 for a right one, so the importance is
# the accuracy lost. You will meet it most often in scikit-learn, which takes a *scorer* where this course takes a loss:

# %%
import pandas as pd
from sklearn.inspection import permutation_importance as sklearn_importance

from course_lib.measures import permutation_importance
from course_lib.models import zero_one

settings = {"n_repeats": 10, "random_state": 0}
theirs = sklearn_importance(clinic, X_test, y_test, scoring="accuracy", **settings)
ours = permutation_importance(clinic, X_test, y_test, loss=zero_one, **settings)
lost = {"scikit-learn": theirs.importances_mean, "this course": ours.importances_mean}
#| says Shuffle one column among the {{143 | len(X_test)}} patients who were held out: the accuracy that is lost is its **permutation importance**. These are the smallest and the largest of the thirty, in points of accuracy, by two functions that agree up to the luck of {{ten shuffles | settings["n_repeats"] == 10}}.
(100 * pd.DataFrame(lost, X.columns)).agg(["min", "max"]).round(1)

# %% [markdown]
# These are the smallest and the largest of the thirty importances, in points of accuracy. The two functions agree up to the luck
# of {{ten | theirs.importances.shape[1] == ours.importances.shape[1] == 10}} shuffles. A score is better when it is higher, a loss when it is lower, so
# scikit-learn subtracts the score after shuffling from the score before, and we subtract the other way round. Leave `scoring`
# out, and scikit-learn takes the model's own `score`: accuracy for a classifier, $R^2$ for a regressor.
# Its `importances_std` is the spread over shuffles of these same patients. Other patients would give other numbers, so an honest
# interval draws the patients again: a bootstrap, one of the five intervals in the further part.
#
# Rudin's notes call permutation importance **model reliance**. They define it by a random permutation, and offer a variation without the
# luck: all swaps. Let $e_{orig}$ be the mean loss on the rows as they are, and $e_{switch}$ the mean loss when column $j$ of row $k$
# comes from *another* row $i$, averaged over all such pairs:
#
# $$e_{switch} = \frac{1}{n(n-1)} \sum_{i \neq k} L\big(y_k, f(x_{i,j},\, x_{k,\text{rest}})\big), \qquad MR_{diff} = e_{switch} -
# e_{orig}, \qquad MR_{ratio} = \frac{e_{switch}}{e_{orig}} .$$
#
# The difference is in the unit of the loss, and 0 means "not important". The ratio has no unit, and "not important" is 1. (A
# shuffle leaves one row in its place on average, so shuffles find on average $(n-1)/n$ of $MR_{diff}$.)
#
# ## 3.2 The choice of the loss
#
# Accuracy is one way of counting among several. **Cross-entropy** charges for each patient $-\ln$ of the probability that the
# forest gave to the true diagnosis. The **Brier score** charges the squared distance between the probability and the outcome.
# The forest, the patients and the shuffles stay as they were; only the counting changes.

# %%
predict("03.1")

# %%
from sklearn.metrics import get_scorer

scorers = ["accuracy", "neg_brier_score", "neg_log_loss"]
by_score = sklearn_importance(clinic, X_test, y_test, scoring=scorers, **settings)
before = -get_scorer("neg_log_loss")(clinic, X_test, y_test)
increase = by_score["neg_log_loss"].importances_mean.max()
reveal("03.1", round(1 + increase / before, 1))

# %% tags=["after-03-1"] jupyter={"source_hidden": true}
from course_lib.plots import plot_comparison
from course_lib.studies import loss_ratios

ratios = loss_ratios(by_score, clinic, X_test, y_test)
by_entropy, by_brier, by_count = ratios.values()
#| holds 1.25 < by_entropy.importances_mean.min() and by_entropy.importances_mean.max() < 2.05
#| holds 1.1 < by_brier.importances_mean.min() and by_brier.importances_mean.max() < 1.95
#| holds 0.75 < by_count.importances_mean.min() and by_count.importances_mean.max() < 1.25
#| holds [n for n, (low, high) in zip(by_count.feature_names, by_count.interval()) if low > 1] == ["worst area"]
#| holds [n for n, (low, high) in zip(by_count.feature_names, by_count.interval()) if low == high == 1] == ["worst concavity"]
#| holds [n for n, (low, high) in zip(by_count.feature_names, by_count.interval()) if high < 1] == ["mean concave points"]
ax = plot_comparison(ratios)
ax.figure.set_size_inches(6.4, 5.2)
picture(
    ax,
    alt="Eight columns, three losses. When one of the columns is shuffled, cross-entropy is 1.3 to 2 times "
    "and the Brier score 1.15 to 1.9 times what it was, with short bars that all lie above 1. The number "
    "of wrong answers is 0.8 to 1.2 times what it was, with longer bars, except for worst concavity, which "
    "stays at 1 and has none. Five of these bars contain 1; that of worst area lies above, that of mean "
    "concave points below.",
)
#| says Eight of the thirty columns; *worst* is the mean of the three largest values. The Brier score is the squared distance between probability and outcome. Counted in wrong answers, most bars reach the line at 1; by the other two losses every one of these columns costs something.

# %% [markdown]
# The bars are 95 % intervals of the mean over {{ten shuffles | settings["n_repeats"] == 10}} of these patients; one in twenty of such bars misses the mean over all shuffles. (On other splits of the patients a single column
# costs up to three points of accuracy, and a few columns stand out from the scatter of their shuffles by accuracy as well.)
#
# Why the losses disagree can be counted. We shuffle *worst area* once. How many patients get a probability that differs by more than
# 0.1, and how many one on the other side of one half?

# %%
column = X_test["worst area"].sample(frac=1, random_state=0).to_numpy()
probabilities = clinic.predict_proba(X_test)[:, 1]
moved = clinic.predict_proba(X_test.assign(**{"worst area": column}))[:, 1]
far, other = abs(moved - probabilities) > 0.1, (moved > 0.5) != (probabilities > 0.5)
counted = {"changes by more than 0.1": far, "crosses one half": other}
shares = pd.DataFrame(counted).mean().round(2)
shares.rename_axis("the forest's probability").to_frame("share of the patients")
#| says One shuffle of *worst area* among the {{143 | len(X_test)}} held-out patients: for {{a third | 0.3 < far.mean() < 0.37}} of them the forest's probability changes by more than 0.1, and {{hardly anybody's | other.mean() < 0.03}} diagnosis changes. Accuracy sees only the diagnoses.

# %% [markdown]
# For {{a third | 0.3 < far.mean() < 0.37}} of the patients the forest becomes visibly more or less confident, and {{hardly anybody's | other.mean() < 0.03}} diagnosis changes. Accuracy
# sees only the diagnoses. **This is the first half of the riddle: a loss with a threshold hides every change that does not cross it.**
#
# No loss is without fault. Cross-entropy has no upper limit: on some other splits of these patients the forest gives one
# patient's true diagnosis the probability 0. The loss would be infinite; scikit-learn, and this course, cut it off at 36. That one
# patient then makes up most of the mean loss, and a third or more of the thirty importances come out negative. The Brier score is bounded and
# has no threshold. Choose the loss that matters in your use of the model, name it beside the number, and see whether another
# loss tells the same story.
#
# ## 3.3 On which rows?
#
# To check a measure one needs a world whose truth is known. In ours the target is a number, `x1` plus noise of the same size, while `x2` and
# `x3` are drawn independently of everything. Wherever targets are numbers, our loss is the squared error. A forest of deep trees is fitted to 200 rows. Where do we measure?

# %%
predict("03.2")

# %%
from sklearn.ensemble import RandomForestRegressor

from course_lib.measures import oob_permutation_importance
from course_lib.worlds import make_correlated

X_fit, y_fit = make_correlated(200, random_state=1, rho=0.0)
X_new, y_new = make_correlated(200, random_state=2, rho=0.0)
forest = RandomForestRegressor(100, random_state=0).fit(X_fit, y_fit)
on_training = permutation_importance(forest, X_fit, y_fit, random_state=0)
on_new = permutation_importance(forest, X_new, y_new, random_state=0)
out_of_bag = oob_permutation_importance(forest, X_fit, y_fit, random_state=0)

# %% tags=["after-03-2"] jupyter={"source_hidden": true}
trained, new = (found.importances_mean[1:].mean() for found in (on_training, on_new))
only = trained > 5 * abs(new)
answer = f"well above 0 on {'the training rows only' if only else 'both'}"

# %%
reveal("03.2", answer)

# %% tags=["after-03-2"] jupyter={"source_hidden": true}
by_rows = {"training rows": on_training, "new rows": on_new}
by_rows["out of bag, tree by tree"] = out_of_bag
#| holds 0.3 < on_training.importances_mean[1:].min() and on_training.importances_mean[1:].max() < 0.7
#| holds max(abs(r.importances_mean[1:]).max() for r in (on_new, out_of_bag)) < 0.15
picture(
    plot_comparison(by_rows),
    alt="On training rows the two noise columns have importances of about half a "
    "unit; on new rows and out of bag they are near 0. x1 is far ahead everywhere.",
)
#| says On the rows that the forest has learnt, the two columns of noise have an importance of about 0.5. On new rows and out of bag they are near 0. Bars: 95 % intervals over the shuffles; out of bag, over the trees.

# %% [markdown]
# Beside training rows and new rows the picture shows a third kind, rows out of bag. Permutation importance out of bag, as Rudin's notes and, with `scale = FALSE`, R's `randomForest` compute it, asks each tree about the rows that its own bootstrap sample left
# out, a little more than a third of them. That is an honest answer without a second sample. But it is about single trees, so
# its scale is not that of the forest. (Breiman, in 2001, let the trees vote first, and so stayed on that scale.)
#
# ## 3.4 A model that nobody fitted
#
# So far chance had a hand in every number: in the fit, in the rows, in the shuffles. Now we take it away. The world is a whole population,
# $y = x_1 + x_2$ where the two have correlation 0.9, and the model was not fitted to anything: $f = -0.2\,x_1 + 1.9\,x_2$.

# %%
predict("03.3")

# %% tags=["after-03-3"] jupyter={"source_hidden": true}
rho, b1, b2 = 0.9, -0.2, 1.9
population = 2 * b1 * ((1 + rho) - b2 * rho)  # 2 b1 Cov(y - b2 x2, x1)
answer = "negative" if population < 0 else "positive"

# %%
reveal("03.3", answer)

# %% [markdown]
# Some dots in the opening picture lie below 0 as well: with the column shuffled, the forest is right about a patient or two more. There it is the luck of {{143 | len(X_test)}} patients: for *mean concave points*
# that happens {{in most shuffles | (by_score["accuracy"].importances[list(X_test.columns).index("mean concave points")] < 0).mean() > 0.5}}, and among other patients it need not.
# An unbiased estimate of 0 must sometimes fall below 0, and whoever clips such values turns an average of nothing into an
# average of something.
#
# ## 3.5 Columns that say the same
#
# Now to the columns. The radius of a nucleus, its perimeter and its area belong together, and one often reads that importance
# then *leaks* from one column to another. We try it where we know the answer: `x2` has correlation 0.999 with `x1`, and the model,
# a forest, was fitted to `x1` alone.

# %%
predict("03.4")

# %% tags=["after-03-4"] jupyter={"source_hidden": true}
from course_lib.models import OnColumns

X_near, y_near = make_correlated(300, random_state=0, rho=0.999)
on_x1 = RandomForestRegressor(30, random_state=0).fit(X_near[["x1"]], y_near)
reader = OnColumns(on_x1, "x1")  # takes all three columns, reads one
of_x2 = permutation_importance(reader, X_near, y_near, random_state=0).importances[1]
answer = "exactly 0" if (of_x2 == 0).all() else "small, but above 0"

# %%
reveal("03.4", answer)

# %%
predict("03.5")

# %%
from sklearn.linear_model import LinearRegression, Ridge

from course_lib.measures import conditional_permutation_importance, model_reliance

X_one, y_one = make_correlated(400, random_state=0, rho=1.0)
reliances = []
for columns in (["x1"], ["x1", "x2"]):  # at the correlation 1, x2 is a copy of x1
    ridge = Ridge(1e-6).fit(X_one[columns], y_one)
    reliances.append(model_reliance(ridge, X_one[columns], y_one, as_ratio=False))
alone, shared = (result.importances_mean[0] for result in reliances)
reveal("03.5", round(shared / alone, 3))

# %% [markdown]
# ## 3.6 Scramble together what belongs together
#
# The clinic's thirty columns are not copies, but relatives. We let them form groups by Ward's method: columns with a high rank correlation
# join first, until five groups are left. Two of them have nine columns each: the *sizes* (radius, perimeter and area) and the *shapes* (compactness, concavity and concave points). (Single, complete
# and average linkage put these two into one group of eighteen or more.) Only the training patients are used for this. Then we shuffle whole groups: every
# patient gets all the columns of a group from one other patient. For comparison we shuffle the same columns one at a time and add up what they
# cost. We count both in wrong answers (their increase is accuracy lost) and in the Brier score. Here are the {{five groups | len(groups)}}, each with its first and its last column:

# %%
from course_lib.studies import column_groups

names = ["two errors", "smoothness and others", "texture", "shapes", "sizes"]
groups = dict(zip(names, column_groups(X, 5), strict=True))
rows = [{"columns": len(g), "first": g[0], "last": g[-1]} for g in groups.values()]
#| holds {n.replace("mean ", "").replace("worst ", "").replace(" error", "") for n in groups["sizes"]} == {"radius", "perimeter", "area"}
#| holds {n.replace("mean ", "").replace("worst ", "").replace(" error", "") for n in groups["shapes"]} == {"compactness", "concavity", "concave points"}
pd.DataFrame(rows, names)
#| says The thirty columns form {{five groups | len(groups) == 5}} by their rank correlations. We shuffle each group together, and then its columns one at a time.


# %%
def lost_together(columns, scorer, rng):
    """How much a score drops when these columns are shuffled together."""
    table = X_test.copy()
    table[columns] = X_test[columns].sample(frac=1, random_state=rng).to_numpy()
    return scorer(clinic, X_test, y_test) - scorer(clinic, table, y_test)


# %% jupyter={"source_hidden": true}
from course_lib.studies import together_and_apart

series = together_and_apart(lost_together, groups, by_score, X.columns)
whole, parts, whole_brier, parts_brier = (r.importances_mean for r in series.values())
#| holds [names[k] for k in whole.argsort()[-2:]] == ["shapes", "sizes"]
#| holds abs(sorted(whole)[-1] - 0.23) < 0.01 and abs(sorted(whole)[-2] - 0.12) < 0.015
#| holds abs(parts).max() < 0.02 and sorted(whole)[-3] < 0.03
ax = plot_comparison(series)
ax.figure.set_size_inches(6.4, 5.0)
picture(
    ax,
    alt="Five groups of columns, by wrong answers and by the Brier score. The nine sizes and the nine "
    "shapes add 0.23 and 0.12 of wrong answers when shuffled together, and next to "
    "nothing when shuffled one by one and added up. In the Brier score the sum over the single columns is "
    "about half of what the group costs. The other three groups cost little either way.",
)

# %% [markdown]
# Shuffled together, the nine sizes or the nine shapes cost a good deal of accuracy; one by one and added up, next to none (bars: 95 % intervals over ten shuffles). That is the second half of the riddle. The forest goes by the size of the nuclei and by how dented they are, and it has nine
# readings of each. Its trees share their splits among the nine. Shuffle one, and on average a patient still ends in the same leaf in more than four trees of five,
# so that the probability moves only part of the way. Accuracy does not see such a part. In the Brier score
# the nine parts add up to {{about half | all(0.4 < parts_brier[k] / whole_brier[k] < 0.6 for k in whole.argsort()[-2:])}} of the whole here. On other splits of the patients they make up a
# seventh to a half for the sizes, and a quarter to three quarters for the shapes.
# **One column at a time measures each reading beside twenty-nine intact ones, eight of them of its own kind.**
#
# It does not follow that eight of the nine can be dropped, nor that they cannot. A shuffled column is still read, by a forest
# that has not learnt to make do without it. To see what happens without some columns, fit again without them. Here one forest
# gets the first column of each group, one the last, and one all thirty:

# %%
kept = {
    "the first column of each group": [group[0] for group in groups.values()],
    "the last column of each group": [group[-1] for group in groups.values()],
    "all thirty columns": list(X),
}
rows = []
for columns in kept.values():
    refitted = RandomForestClassifier(100, random_state=42).fit(X[columns], y)
    wrong = (refitted.predict(X_test[columns]) != y_test).sum()
    brier = -get_scorer("neg_brier_score")(refitted, X_test[columns], y_test)
    rows.append({"wrong answers": wrong, "Brier score": brier})
pd.DataFrame(rows, kept).rename_axis("forest fitted to").round(3)
#| says Three new forests, tested on the {{143 | len(X_test)}} held-out patients. With the first columns the Brier score is {{one and a half times | 1.3 < rows[0]["Brier score"] / rows[2]["Brier score"] < 1.7}} as large as with all thirty, with the last ones {{about the same | abs(rows[1]["Brier score"] / rows[2]["Brier score"] - 1) < 0.15}}. {{Seven | rows[0]["wrong answers"]}} wrong answers against {{five | rows[1]["wrong answers"]}} is luck.

# %% [markdown]
# With the first columns the Brier score is {{one and a half times | 1.3 < rows[0]["Brier score"] / rows[2]["Brier score"] < 1.7}} as large as with all thirty. With the last ones, most of them called *worst*, it is
# {{about the same | abs(rows[1]["Brier score"] / rows[2]["Brier score"] - 1) < 0.15}}. (On this split the number of wrong answers does not tell the two apart. {{Seven | rows[0]["wrong answers"]}} against {{five | rows[1]["wrong answers"]}} is luck: with other seeds of the forest the first columns and the last ones alike mostly lead to one or two wrong answers more than all thirty do, sometimes to as many.) On average over other splits of the
# patients the first ones are worse too, and the last ones as good. Which columns can go is a question about new fits, and new fits have to answer it.
#
# ## 3.7 Where nobody has been
#
# Scramble the radius of a nucleus and leave its perimeter, and the model is asked about nuclei of radius 10 and perimeter 180.
# Nobody has seen one. What does a model answer where no data have ever corrected it? Here the truth is the plane $x_1 + x_2$, the
# noise has variance 1, and the model is a surface that may bend: least squares with squares and product. The bands of colour are its answers, from blue (low) to yellow (high). The black points are the rows
# as they are, the orange ones the same rows with `x1` scrambled. A plane would have straight bands, all parallel. These bend round at the
# diagonal, where the black points are, and away from it they run the wrong way: along $x_2 = -x_1$, where the truth stays at 0, the surface climbs from band to band.
#
# Drag the correlation until the importance is three times its true value, and watch the two distances in the text of the picture. (In a
# notebook a still picture comes first, and a line of code below the slider moves it almost to the goal.)

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import scramble_explorer

explorer = scramble_explorer()
explorer.figure(rho=0.9)

# %%
explorer

# %%
explorer.controls["rho"].value = 0.92
print(explorer.readout_text)

# %% [markdown]
# At every correlation the surface fits the rows equally well: the first distance does not change by a digit. As the correlation rises, the black points gather along
# the diagonal, and the orange ones lie where the surface is guesswork. The importance of `x1` is larger at the correlation 0.94 than at 0 in this draw, and in about six of seven others. Hooker, Mentch and Zhou put it into
# their title: unrestricted permutation forces extrapolation.
#
# Are forests safe? A forest cannot run away as the surface does: it answers with the mean of the training rows in the leaves that
# contain the point. Still, the same authors report that in forests correlated columns rise in the ranking. Here are ten columns, and a target
# that is linear in them. Five have the coefficient 1, the others 0, 0.5, 0.8, 1.2 and 1.5. The first two of the five, the pair, are correlated. Importances are measured on new rows.

# %% jupyter={"source_hidden": true}
from course_lib.plots import plot_curves
from course_lib.studies import pair_by_correlation

rhos, forest = [0.0, 0.3, 0.6, 0.9], RandomForestRegressor(30, random_state=0)
models = {"forest": forest, "least squares": LinearRegression()}
curves = pair_by_correlation(rhos, models)
ax = plot_curves(rhos, curves)
ax.set(xlabel="correlation of the pair, ρ", ylabel="permutation importance", ylim=0)
picture(
    ax,
    alt="Permutation importance against the correlation of the pair. Least squares: about 2 for the "
    "pair and for the other three at every correlation. Forest: both about 1 at correlation 0; the "
    "pair rises to 2.2, slightly above least squares, and the other three stay just below 1.",
)
#| says Five of ten inputs have the coefficient 1; two of the five, the pair, are correlated. Least squares gives each about {{2 | max(abs(curves[f"least squares: {who}"] - 2).max() for who in ("the pair", "the other three")) < 0.2}}, at every correlation. At 0.9 the forest credits each of the pair with {{more than twice as much | curves["forest: the pair"][-1] > 2 * curves["forest: the other three"][-1]}} as each of the other three.

# %% [markdown]
# In the true model each of the five columns is worth 2, and least squares finds {{about that | max(abs(curves[f"least squares: {who}"] - 2).max() for who in ("the pair", "the other three")) < 0.2}} at every correlation. The forest, at the highest, credits each of
# the pair with {{about 2.2 | 2.15 < curves["forest: the pair"][-1] < 2.3}} and each of the other three with {{less than half of it | 2 * curves["forest: the other three"][-1] < curves["forest: the pair"][-1]}}. To a tree, two columns that rise together are one strong signal: it
# splits on them first, has few rows left for the weaker signals, and does not learn those in full. In forests with other settings, and with up to some thousands of rows, the pair still leads at the
# correlation 0.9, on average by a factor of one and a half or more. With still more rows, deep trees learn the weaker signals too, and the factor falls. Shallow trees, however many rows
# they get, have few splits left for these signals, and there the factor is larger. At the correlation -0.9, where the two cancel each other, each of the pair gets a small fraction of what the others get. **Permutation importance is about the fitted model: equal coefficients need not get equal importance.**
#
# ## 3.8 Two other questions
#
# With groups, somebody must decide by which rule columns are joined, and where to stop. Three measures need no groups, and they answer two other questions.
#
# *What does the model get from this column that the others do not give it?* **Conditional permutation** draws $x_j$ again *given* the other columns, so that the new value fits its row. It needs a sampler, a program that can draw such values.
# **Conditional model reliance** (CMR) needs none. It predicts $x_j$ from the other columns and exchanges only what remains, $x_j - \hat x_j$, between rows. (The mixed rows are called chimeras.)
#
# *What does the algorithm lose without the column?* **Algorithm reliance** (AR) scrambles nothing: it leaves the column out, fits again and compares. Statisticians know it as LOCO, leave one covariate out.
#
# In our world `x1` makes $y$, `x2` has correlation 0.9
# with `x1`, `x3` is pure noise, and the model is least squares. We measure by squared error on the rows that it was fitted to.

# %%
from course_lib.measures import algorithm_reliance, conditional_model_reliance

rows = make_correlated(1000, random_state=0, rho=0.9, noise=0.3)
line = LinearRegression().fit(*rows)
results = [
    model_reliance(line, *rows, as_ratio=False),
    conditional_permutation_importance(line, *rows, random_state=0),
    conditional_model_reliance(line, *rows, as_ratio=False),
    algorithm_reliance(line, *rows, as_ratio=False),
]
measures = ["model reliance", "conditional permutation"]
measures += ["conditional model reliance", "algorithm reliance"]
found = {m: r.importances_mean for m, r in zip(measures, results, strict=True)}
pd.DataFrame(found, rows[0].columns).T.round(2)
#| says Increase of the squared error. Least squares fits $y$, which is `x1` plus noise; `x2` has correlation 0.9 with `x1`, and `x3` is noise. The conditional measures keep only the part of `x1` that `x2` cannot predict. Without `x1`, a new fit uses `x2` instead.

# %% [markdown]
# In the population {{these values | all(abs(v[0] / p - 1) < 0.15 for v, p in zip(found.values(), (2, 0.38, 0.38, 0.19)))}} of `x1` are 2, 0.38, 0.38 and 0.19. The first is $2b^2$, where $b = 1$ is the coefficient of `x1`. The second and third keep only the part of
# `x1` that `x2` cannot predict: with $\rho = 0.9$, $2b^2(1-\rho^2) = 0.38$. When the model is fitted again without `x1`, the new fit uses `x2` instead
# and loses only $b^2(1-\rho^2) = 0.19$. (A conditional value of 0 can also mean that the model ignores the column.)
#
# ## 3.9 May I say this?
#
# Look once more at the picture in 3.6: the clinic's forest, its held-out patients, groups shuffled together and columns one by one.

# %%
may_i_say("03.a")

# %% [markdown]
# ## Keep this
#
# Permutation importance says how much worse *this* model does, by *this* loss, on *these* rows, when the values of one column are dealt
# out again. It is exactly 0 for a column that the model does not read, it may be negative, and on training rows it credits what was
# learnt by heart. **A low value says that wrong values in this one column hardly hurt while all the others are intact. It does not
# license dropping the column, and it says nothing about several columns together.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q1: to a given model | [permutation importance](glossary.md#permutation-importance), [model reliance](glossary.md#model-reliance-mr) $MR$ | 0 (difference), 1 (ratio) | the loss decides what is seen; columns that share the work may each get little; the model is asked about rows that do not exist |
# | Q2: its unique information to a given model | [conditional permutation](glossary.md#conditional-permutation-importance), [conditional reliance](glossary.md#conditional-model-reliance-cmr) $CMR$ | 0, 1 | needs a model of the column given the others |
# | Q4: to an algorithm | [algorithm reliance](glossary.md#algorithm-reliance-ar) $AR$ | 0, 1 | $p + 1$ fits, and the new fits use the other columns instead |
#
# What is still wrong: columns that share the work are judged one at a time, always with all the others present. Lesson 04 lets
# them join in every order.

# %% [markdown]
# ## Further: error bars, noise or harm, and what the notes add
#
# Five short sections for those who will report such numbers. Nothing in the exercise depends on them.

# %% [markdown]
# ### How sure is one shuffle?
#
# A textbook's error bar: shuffle once, take the $n$ differences of loss, one for each row, call their variance $\tau^2$, and
# report $\tau^2/n$ as the variance of their mean. How often such an interval is right can be counted in a world with a known truth:
# $x$ is standard normal, $y = x + 0.5\,\varepsilon$ and $f(x) = x$, where $MR_{diff} = 2$. We draw 200 rows again and again.

# %%
predict("03.6")


# %% [markdown]
# Write the increases as a table $D$: row $k$, column $i$ holds what row $k$ loses when it gets its value from row $i$. A shuffle
# picks one entry from each row and each column. Every row of the sample plays two parts in it: as a **body** it receives values,
# as a **head** it gives its own value away. Its mean as a body is that of its row of $D$, its mean as a head that of its column. The
# function asks which of five 95 % intervals contain the 2.


# %%
import numpy as np

from course_lib.studies import shuffle_intervals


def covers(seed, n=200):
    rng = np.random.default_rng(seed)
    x, e = rng.normal(size=(2, n))
    y = x + 0.5 * e
    D = (y[:, None] - x) ** 2 - ((y - x) ** 2)[:, None]
    found = shuffle_intervals(D, rng)
    return abs(found["mean"] - 2) <= 1.96 * found["standard error"]


# %%
contain = pd.DataFrame([covers(seed) for seed in range(1000)])
covered = contain.mean()
reveal("03.6", round(100 * covered["one shuffle, tau² / n"]))

# %% [markdown]
# Here are all five intervals, with the share of the {{1,000 | len(contain) == 1000}} samples in which they contain the truth. (The second is $\pm 1.96$ times
# scikit-learn's `importances_std`.)

# %% tags=["after-03-6"]
covered.round(2).to_frame("contains the truth")

# %% [markdown]
# ### Noise or harm?
#
# How far from 0 can a column with nothing to say get? Make **twins without signal**: shuffle a column, fit the model again with it, measure its
# importance in the same way, and do this {{a hundred times | {t.importances.shape[1] for t in twins} == {100}}}. (PIMP, by Altmann and colleagues, shuffles the *target* instead and so gets a null
# distribution for all columns from the same fits; scikit-learn's `permutation_test_score` does that for a model's score.) Our model is fitted
# in one hospital and measured in another. `signal` means the same in both, `noise` means nothing in either, and the device that records
# `drifted` is wired the other way round in the second.

# %%
from course_lib.measures import permutation_null

rng, columns = np.random.default_rng(0), ["signal", "noise", "drifted"]
X_a, X_b = (pd.DataFrame(rng.normal(size=(150, 3)), columns=columns) for _ in range(2))
y_a = X_a @ [0.3, 0, 0.3] + 0.7 * rng.normal(size=150)
y_b = X_b @ [0.3, 0, -0.3] + 0.7 * rng.normal(size=150)  # the other way round
model = LinearRegression().fit(X_a, y_a)
measured = permutation_importance(model, X_b, y_b, random_state=0)
at = {"X_test": X_b, "y_test": y_b, "random_state": 0}
twins = [permutation_null(model, X_a, y_a, name, **at) for name in columns]

# %% jupyter={"source_hidden": true}
from course_lib.questions import Q1
from course_lib.results import Importances

values = [twin.importances[0] for twin in twins]
null = Importances(values, columns, measured.measure, Q1)
#| holds abs(null.importances).max() < 0.05
#| holds measured.importances_mean[0] > max(values[0]) and measured.importances_mean[2] < min(values[2])
picture(
    plot_repeats({"twins without signal": null, "measured, ten shuffles": measured}),
    alt="The twins of all three columns lie within 0.05 of 0. Measured: signal far to "
    "the right of its twins, noise among them, drifted far to the left.",
)

# %% [markdown]
# `noise` lies among its twins: there is nothing to report, whatever its sign. `drifted` lies far below all of its own: on these rows the model
# does better with wrong values in it.
#
# Would it do so on other rows, too? The twins cannot say. A model that is fitted with a twin gives it a coefficient near 0, so the importances of twins hardly scatter. A column that the model relies on
# scatters more from one sample of rows to the next: had `drifted` meant nothing in the second hospital, it would still lie below all of its hundred twins in one sample
# of four or five. How far other rows would move a value, an interval has to say. Here is the table $D$ of the last section for `drifted`, and the bootstrap of rows:

# %%
x, b = X_b["drifted"].to_numpy(), model.coef_[2]
left = (y_b - model.predict(X_b)).to_numpy()[:, None]
D = (left + b * (x[:, None] - x)) ** 2 - left**2
of_drifted = shuffle_intervals(D, rng).loc[["all pairs, bootstrap of rows"]]
of_drifted.round(2)

# %% [markdown]
# The value lies {{more than four | (of_drifted["mean"] / of_drifted["standard error"]).item() < -4}} standard errors below 0: in the second hospital `drifted` misleads this model. Clip it to 0, and the most
# useful finding of the day is gone.
#
# ### What conditional reliance assumes
#
# CMR gives row $k$ its own prediction $\hat x_k$ plus the remainder of row $i$: Rudin's notes call the result a **chimera**, with the
# body of $k$ and the head of $i$. They add that this assumes *homogeneous residuals*: the remainder must scatter in the same way whatever the
# other columns are. Here it does not. `x2` is uniform between 0 and 2, and `x1` is always between half and one and a half times
# `x2`. How many of the rows that plain scrambling makes are impossible, and how many chimeras?

# %%
rng = np.random.default_rng(0)
x2 = rng.uniform(0, 2, size=1000)
x1 = x2 * rng.uniform(0.5, 1.5, size=1000)
body = LinearRegression().fit(x2[:, None], x1).predict(x2[:, None])
made = {"scrambled": x1, "chimeras": body[:, None] + (x1 - body)}
impossible = {name: abs(new / x2[:, None] - 1) > 0.5 for name, new in made.items()}
shares = {name: [rows.mean().round(2)] for name, rows in impossible.items()}
pd.DataFrame(shares, ["share of impossible rows"])

# %% [markdown]
# Chimeras stay closer to the data than scrambled rows, as the notes say, but not all of them are possible. All draws of a sampler that knew
# the whole conditional distribution would be. The notes conclude from $CMR = 1$ that a variable has no unique information; one must add: or that
# the model does not read it.
#
# ### Other ways to remove a column
#
# *Why not set it to zero?* Zero is a value like any other. Write a body temperature in degrees Celsius instead of as the deviation from
# its mean: a tree makes the same splits and scrambling gives the same number, but zeros now send every row down the coldest branch of every split on the temperature.
#
# *Scaled coefficients.* For a linear model the notes offer a still simpler answer to question 1: the size of the coefficient, once
# every variable has been scaled to the range from 0 to 1. That is $|b_j|$ times the range, and the range depends on two rows. Take the
# standard deviation in its place, and for least squares on its own sample, by squared error, $|b_j| s_j = \sqrt{MR_{diff}/2}$: reliance is a scaled
# coefficient that exists for other models as well.
#
# *Necessity.* The notes value AR because it speaks of necessity: an AR well above 1 says that this algorithm, on these data, needed
# the variable. It compares two models and describes neither of them. Give least squares a copy of the
# variable, and it needs neither of the two.
#
# ### Losses of classes, and a bound
#
# With a zero-one loss $MR_{ratio}$ divides two counts: if the model is wrong about three patients before, each further one adds a third, and a model
# without error has no ratio at all. But with a loss that lies between 0 and $B$ there is a guarantee for $e_{switch}$. The mean over all pairs is what
# statisticians call a U-statistic, and Hoeffding's inequality bounds its distance from the population value: with a probability of at least 95 % it is at most
# $B\sqrt{\ln 40 / (2\lfloor n/2 \rfloor)}$ off, whatever the model, as long as it was fixed before these independent rows were drawn. Fisher, Rudin and Dominici build their finite-sample
# bounds on such inequalities. The terms of $MR_{diff}$ lie between $-B$ and $B$, so its bound is twice as wide. For zero-one loss and for the
# Brier score $B = 1$. Cross-entropy has no bound; cut off at 36 it has $B = 36$, which promises nothing of use. For $e_{switch}$ in the clinic:

# %%
bound = np.sqrt(np.log(40) / (2 * (len(X_test) // 2)))
print(f"at most {bound:.2f} off")

# %% [markdown]
# That is wide, since it must hold for every model and every population; with four times as many patients it is half as wide.
#
# What the measures cost, with $n$ rows, $p$ columns and $r$ repeats, beside $n$ predictions for $e_{orig}$:
#
# | measure | question | rows predicted | models fitted |
# |---|---|---|---|
# | permutation importance | Q1: to a given model | $r\,n\,p$ | none |
# | MR, all pairs | Q1: to a given model | about $n^2 p$ | none |
# | conditional permutation | Q2: its unique information | $r\,n\,p$ | a sampler of each column given the others |
# | CMR, all pairs | Q2: its unique information | about $n^2 p$ | $p$ imputers |
# | AR | Q4: to an algorithm | $n\,p$ | the model, $p + 1$ times |
#
# > **What the notes say.** In the printed formula for all swaps the value, the rest and the target all carry the index $i$, so that
# > nothing is swapped, and the loss is a sum in one place and a mean in another. Row $i$ gives the value and row $k$ the rest, as in 3.1, and
# > both losses are means.

# %%
may_i_say("03.b")

# %% [markdown]
# ## Practise
#
# The exercise [03_permutation_pitfalls](../exercises/03_permutation_pitfalls/03_permutation_pitfalls.ipynb) builds the measures of this lesson from a table and a
# `predict`, and a scorer for scikit-learn's function. Your progress so far:

# %%
from course_lib.learner import progress

progress("03")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Rudin's course notes (questions 1, 2 and 4) and Fisher, Rudin and Dominici (2019) for the reliances;
# Breiman (2001) for the idea, out of bag; Hooker, Mentch and Zhou (2021) for extrapolation; Strobl and colleagues
# (2008) for conditional permutation; Lei and colleagues (2018) for LOCO; Altmann and colleagues (2010) for PIMP; Hoeffding (1963) for
# the bound; the clustering of columns follows an example in scikit-learn's gallery; Street, Wolberg and Mangasarian (1993) for the tumours.
#
# *Words of this lesson:* [permutation importance](glossary.md#permutation-importance), [model reliance
# MR](glossary.md#model-reliance-mr), [out-of-bag permutation
# importance](glossary.md#out-of-bag-permutation-importance), [conditional permutation
# importance](glossary.md#conditional-permutation-importance), [conditional model reliance
# CMR](glossary.md#conditional-model-reliance-cmr), [algorithm reliance AR](glossary.md#algorithm-reliance-ar),
# [bootstrap and out of bag](glossary.md#bootstrap-and-out-of-bag), [chimera](glossary.md#chimera),
# [duplicates](glossary.md#duplicates), [extrapolation](glossary.md#extrapolation), [interval](glossary.md#interval),
# [loss](glossary.md#loss), [null distribution](glossary.md#null-distribution), [sampler](glossary.md#sampler), [scorer](glossary.md#scorer), [unique
# information](glossary.md#unique-information). All words and symbols are in the [glossary](glossary.md), the works in
# the [references](references.md), and all lessons and measures on the map at the end of [lesson
# 00](00_six_questions.ipynb).
