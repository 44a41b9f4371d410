# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 09 · Model class reliance
#
# Two gauges measure the same river, one upstream, one downstream. From the same {{200 | len(X)}} days two engineers each build a linear
# model of tomorrow's level. Their mean squared errors are equal.
#
# Scramble the upstream gauge, and the first model's error grows {{sevenfold | round(engineers["first engineer's model"].importances_mean[0]) == 7}}; the second model does not notice. Scramble
# the downstream gauge, and it is the other way round. Nobody has made a mistake, and the town wants to know which of
# the two gauges is important. What do you tell it?
#
# *In this lesson: all the models that are about as good as the best one; how little and how much any of them relies
# on a variable, exactly; how to read such a range; and what correlation and your own tolerance do to it. About 55 minutes, and a further part for those who want more.*

# %% jupyter={"source_hidden": true}
from dataclasses import replace

from sklearn.linear_model import LinearRegression

from course_lib.measures import model_reliance
from course_lib.plots import (
    picture,
    plot_comparison,
    plot_curves,
    plot_good_models,
    plot_ranges,
)
from course_lib.worlds import make_exact_linear

X, y = make_exact_linear(
    200, random_state=0, correlation=[[1, 0.9], [0.9, 1]], coefficients=[1, 1]
)
upstream = LinearRegression().fit(X.assign(x2=0.0), y)
downstream = LinearRegression().fit(X.assign(x1=0.0), y)
engineers = {
    "first engineer's model": model_reliance(upstream, X, y),
    "second engineer's model": model_reliance(downstream, X, y),
}
gauges = ("x1, upstream", "x2, downstream")
ratio = "error with the gauge scrambled / error as it is"
named = {
    who: replace(one, feature_names=gauges, measure=ratio)
    for who, one in engineers.items()
}
picture(
    plot_comparison(named),
    alt="The first engineer's model relies sevenfold on x1, the upstream gauge, and not at all "
    "on x2, the downstream gauge; the second engineer's model relies sevenfold on x2 and not at "
    "all on x1.",
)
#| holds [round(v) for one in engineers.values() for v in one.importances_mean] == [7, 1, 1, 7]
#| says Two models with the same error, each of which relies on one gauge alone: which of the two gauges is important?

# %% [markdown]
# A point at 1 means that the error of a model stays as it is when the gauge is scrambled, a point at {{7 | round(engineers["first engineer's model"].importances_mean[0])}} that it grows sevenfold.
#
# ## Before we start
#
# Three questions on what came before, from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("09")

# %% [markdown]
# ## 9.1 Two good models
#
# In the picture `x1` is the gauge upstream and `x2` the one downstream, both in standard units, with a correlation
# of {{0.9 | X.corr().iloc[0, 1]}}. Tomorrow's level is $y = x_1 + x_2 + \text{noise}$, and the noise has variance 1. The sample is built so that
# these moments hold in it *exactly*: nothing that we find today is an accident of sampling.
#
# One engineer's model was fitted with the downstream gauge switched off, the other's with the upstream gauge switched
# off. The third row below is least squares on both, somewhat better than either. The table shows the model reliance MR
# of lesson 03, $e_{switch} / e_{orig}$: the factor by which a model's mean squared error grows when one gauge is scrambled. (1 means no reliance.)

# %%
import numpy as np
import pandas as pd


def described(models):
    """A table with the two reliances of each model."""
    rows = [model_reliance(f, X, y).importances_mean for f in models.values()]
    return pd.DataFrame(rows, list(models), ["MR of x1", "MR of x2"]).round(2)


both = LinearRegression().fit(X, y)
described({"upstream": upstream, "downstream": downstream, "both": both})
#| says Three linear models, named by the gauges that they use, `x1` upstream and `x2` downstream, whose correlation is {{0.9 | X.corr().iloc[0, 1]}}. MR, model reliance: the factor by which a model's mean squared error grows when one gauge is scrambled. Which gauge is important has no answer until one says to which model.

# %% [markdown]
# Three good models rely on the two gauges in three different ways, and each number in the table is right. What is wrong is the question: "how important is the upstream gauge?" has no
# answer until one says to which model, and there are at least three to choose from. Breiman called this the **Rashomon
# effect**, after the film in which four witnesses give four accounts of one event.
#
# ## 9.2 All of them at once
#
# So let us not choose. Fix a class of models, here the linear ones $f = b_0 + b_1 x_1 + b_2 x_2$. Take a reference model $f_{ref}$ that is
# known to be reasonably good, fix a tolerance $\epsilon$, and keep *every* model of the class that is at most $\epsilon$ worse than the reference. That is the **Rashomon set**:
#
# $$R(\epsilon) = \{\, f \in \mathcal F \;:\; \mathrm{MSE}(f) \le \mathrm{MSE}(f_{ref}) + \epsilon \,\} .$$
#
# In this lesson the reference is the best linear model, least squares. Its error here is {{1 | good.least_loss}}, so $\epsilon = 0.05$ means "up to 5 % worse". The error is a quadratic function of the
# coefficients. With $\hat b$ those of least squares, and the intercept at its best,
#
# $$\mathrm{MSE}(b) = \mathrm{MSE}(\hat b) + (b - \hat b)^\top G\, (b - \hat b), \qquad G = \text{covariance matrix of the columns},$$
#
# where the covariances in $G$, like the error, have $n$ in the denominator (not $n-1$). So the good models fill an ellipse, and one can look at it. Each dot is a model, drawn at random from the set. (The
# intercept is a third direction. Moving it only adds error, and the models we are after leave it at its best.)

# %%
from course_lib.measures import LinearRashomonSet

good = LinearRashomonSet(X, y, epsilon=0.05)

# %% jupyter={"source_hidden": true}
picture(
    plot_good_models(good, models={"good": good.sample(400, random_state=0)}),
    alt="In the plane of the two coefficients the good models fill a narrow ellipse "
    "around (1, 1), stretched from (0.5, 1.5) to (1.5, 0.5).",
)
#| holds [round(end, 1) for end in good.coefficient_range("x1")] == [0.5, 1.5]
#| says Each dot is a linear model at most 5 % worse than least squares. The ellipse is long in one direction: take weight from one gauge and give it to the other, and the prediction hardly changes, since the gauges are so alike.

# %% [markdown]
# The ellipse is long in one direction: take weight from one gauge and give it to the other, and the prediction hardly changes,
# since the gauges are so alike. That is the direction in which good models disagree.
#
# ## 9.3 The range
#
# At the centre, least squares has $MR \approx 3$ on `x1`: scrambling `x1` triples the error. Now allow models that are up to 5 %
# worse.

# %%
predict("09.1")

# %% [markdown]
# **Model class reliance** is the least and the most that any model of the set relies on the variable,
#
# $$[\,MCR_-,\, MCR_+\,] = \Big[ \min_{f \in R(\epsilon)} MR(f),\; \max_{f \in R(\epsilon)} MR(f) \Big] .$$

# %%
mcr = good.model_class_reliance("x1")
reveal("09.1", round(mcr.high, 2))

# %% [markdown] slideshow={"slide_type": "notes"}
# Where do the ends come from? For a linear model, with $\mathrm{Cov}$ the sample covariance with $n-1$,
#
# $$MR(b) = 1 + \frac{2\, b_1\, \mathrm{Cov}(y - b_2 x_2,\; x_1)}{\mathrm{MSE}(b)},$$
#
# a quadratic over a quadratic. Its level lines can be drawn over the ellipse, and the two ends are the lowest and the highest
# that it reaches, here both on its border. These are not estimates. For this class Fisher, Rudin and Dominici showed how to reach both ends by a search
# whose every step is solved globally, and the library hands over the two models that attain them.

# %% tags=["after-09-1"] jupyter={"source_hidden": true}
extremes = {"relies least": mcr.low_model, "relies most": mcr.high_model}
picture(
    plot_good_models(good, feature="x1", models=extremes),
    alt="Lines of equal reliance on x1 over the ellipse of good models. The model "
    "that relies least sits at its upper left end, near (0.5, 1.5), with a "
    "reliance of 1.5; the one that relies most at the lower right end, near (1.5, "
    "0.5), with 5.2.",
)
#| holds round(mcr.low, 1) == 1.5 and round(mcr.high, 1) == 5.2
#| says Along each line the models rely on `x1` equally. Within 5 % of the best error the reliance goes from {{1.5 | mcr.low}} to {{5.2 | mcr.high}}. A single model's importance is one point of this range.

# %% [markdown]
# From the one end to the other `x1` gains about one unit of weight and `x2` loses one, the predictions change little, and the reliance on `x1` more than triples.
# A single model's importance is one point of this range. Which point you are shown was decided by an algorithm, by a
# seed, or by an engineer.
#
# ## 9.4 How far until some model can do without?
#
# At 5 % every good model still uses `x1`. Let $\epsilon$ grow, and the ellipse grows with it, until it touches the
# line $b_1 = 0$ of the models that ignore `x1`.

# %%
predict("09.2")

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import rashomon_explorer

explorer = rashomon_explorer()
explorer.figure(epsilon=0.05, rho=0.9)

# %% [markdown]
# The ellipse lies over bands of equal reliance, with its two extreme models; the dashed line is $b_1 = 0$, and the ring marks the good model with the least $b_1$. (At this correlation there is a second border at which the reliance is 1, the horizontal one near $b_2 = 2.1$: there `x2` has so much weight that nothing is left for `x1` to add.) The curves of the other panel show
# how much the two extreme models rely on `x1` as the tolerance grows. Find the smallest $\epsilon$ at which some good model ignores `x1`. Then change the correlation of the gauges and
# find it again. The arrow keys move a slider one step at a time.

# %% tags=["after-09-2"]
explorer

# %% [markdown]
# When you have found yours, compare it with this number, which needs no slider:

# %%
from course_lib.measures import algorithm_reliance

price = algorithm_reliance(LinearRegression(), X, y, as_ratio=False).importances_mean[0]
reveal("09.2", round(100 * price, 6))

# %% [markdown]
# ## 9.5 Every tolerance in one picture
#
# Each good model has two numbers, its error and its reliance, and is one dot in the plane of the two. The curves are the exact ends of the range for every error that one may be
# willing to accept. To read off a range, choose an error on the horizontal axis: the two curves above it are the ends for all models with this error or less.

# %% tags=["after-09-2"] jupyter={"source_hidden": true}
from course_lib.models import squared_error
from course_lib.plots import plot_reliance_by_loss

epsilons = np.linspace(0, 1, 26) ** 2
sets = [LinearRashomonSet(X, y, epsilon=e) for e in epsilons]
some = sets[-1].sample(400, random_state=0)
errors = [squared_error(y, f.predict(X)).mean() for f in some]
first, second = (one.importances_mean[0] for one in engineers.values())
ax = plot_reliance_by_loss(
    1 + epsilons,
    [these.model_class_reliance("x1") for these in sets],
    drawn=(errors, sets[-1].reliance_at([f.coef_ for f in some], "x1")),
    models={
        "first engineer's model": (1.19, first),
        "second engineer's model": (1.19, second),
    },
)
ax.set(xlabel="mean squared error of the model (best: 1)", xticks=[1, 1.19, 1.5, 2])
picture(
    ax,
    alt="Reliance on x1 against error. From the best model, at error 1 and reliance 3, "
    "two curves open: the upper one rises to almost 11 at error 2, the lower one falls and crosses "
    "1 at error 1.19. Random models are dots between them; two markers at error 1.19 are the "
    "engineers' models, one at a reliance of 7, one at 1.",
)
#| holds [round(squared_error(y, f.predict(X)).mean(), 2) for f in (upstream, downstream)] == [1.19, 1.19]
#| holds 10.5 < sets[-1].model_class_reliance("x1").high < 11
#| says Each dot is a linear model. Choose an error on the horizontal axis: the two curves above it are the ends of the range for all models with this error or less. At the far left only the best model remains, and the range is a point.

# %% [markdown]
# At the far left only the best model remains, and the range is a point: that is all a single importance can say. To the right the range opens, here at both ends, and the further right, the worse the models it covers.
# The two engineers' models stand at an error of {{1.19 | squared_error(y, upstream.predict(X)).mean()}}, nearly as far apart as models of that error can be. The picture does not say where to stop. Choose the tolerance before you look: a loss that you would accept for a cheaper
# or fairer model, or the uncertainty of the best error.
#
# Beyond an error of {{1.19 | ((y - downstream.predict(X)) ** 2).mean()}} something odd happens: the lower end drops *below* 1. Some models within such a tolerance do better with a
# scrambled gauge, because their coefficient of `x1` points the wrong way, given what they do with the other gauge.
#
# ## 9.6 Ten measurements
#
# Now to real data: {{442 | len(X_d)}} diabetes patients, ten measurements, and how far the disease had progressed a year later. `bmi`
# and `bp` are body mass index and blood pressure; `s1` to `s6` are blood values, and `s1`, total cholesterol, is
# made of parts of which some are listed too. We tolerate 5 % more error than least squares has on these patients.

# %%
from sklearn.datasets import load_diabetes

X_d, y_d = load_diabetes(return_X_y=True, as_frame=True)
ols = LinearRegression().fit(X_d, y_d)
epsilon = 0.05 * squared_error(y_d, ols.predict(X_d)).mean()
within = LinearRashomonSet(X_d, y_d, epsilon=epsilon)
mcrs = [within.model_class_reliance(name) for name in X_d]

# %%
predict("09.3")

# %%
needed = [r.feature for r in mcrs if r.low > 1]
reveal("09.3", len(needed))

# %% [markdown]
# Here are all ten ranges. The dot is least squares, one model among many.

# %% tags=["after-09-3"] jupyter={"source_hidden": true}
picture(
    plot_ranges(mcrs, best=model_reliance(ols, X_d, y_d), log=True),
    alt="Reliance on ten measurements, logarithmic axis: bmi and bp lie wholly above "
    "1; s1 reaches from just below 1 to 12, s2 to 7, s5 to 4.5; age and s6 stay "
    "near 1.",
)
#| holds [round(mcrs[k].high) for k in (4, 5)] == [12, 7] and round(mcrs[8].high, 1) == 4.5
#| holds needed == ["bmi", "bp"] and 0.9 < mcrs[4].low < 1
#| says `bmi` is body mass index, `bp` blood pressure, `s1` total cholesterol. Least squares, the dot, relies on `s1` most: scrambling it {{doubles | 1.9 < model_reliance(ols, X_d, y_d).importances_mean[4] < 2.1}} the error. Among linear models at most 5 % worse, the reliance on it goes from {{none at all to twelvefold | mcrs[4].low < 1 and 11.5 < mcrs[4].high < 12.5}}.

# %% [markdown]
# Least squares relies on `s1` most: scrambling it {{doubles | 1.9 < model_reliance(ols, X_d, y_d).importances_mean[4] < 2.1}} the error. Among the models that are at most 5 % worse, the reliance on `s1` goes from {{none at all to twelvefold | mcrs[4].low < 1 and 11.5 < mcrs[4].high < 12.5}}.
#
# Rudin's notes give three ranges to practise on, and the picture has a relative of each. The relative of **[1.4, 3]** is `bmi`, with [{{1.13 | mcrs[2].low}}, {{1.82 | mcrs[2].high}}]; that of **[1, 2]** is
# `s4`, with [{{0.98 | mcrs[7].low}}, {{2.21 | mcrs[7].high}}]. The nearest to **[1, 1.001]** is `age`, with [{{0.985 | mcrs[0].low}}, {{1.040 | mcrs[0].high}}]: scrambling it costs a good model about {{4 % | 100 * (mcrs[0].high - 1)}} of its error at most.

# %%
predict("09.4")

# %% jupyter={"source_hidden": true}
without = {
    x: LinearRegression().fit(X_d.assign(**{x: 0.0}), y_d) for x in ("age", "s4", "bmi")
}
can_go = tuple(within.contains(f) for f in without.values())
kinds = {
    (False, False, False): "none of them",
    (True, False, False): "[1, 1.001] only",
    (True, True, False): "[1, 1.001] and [1, 2]",
    (True, True, True): "all three",
}
reveal("09.4", kinds[can_go])

# %% [markdown]
# That was one variable at a time. Now take all six blood values away together. How much larger is the error of the best linear model without them?

# %%
rest = X_d.drop(columns=[f"s{k}" for k in range(1, 7)])
alone = LinearRegression().fit(rest, y_d)
print(f"{squared_error(y_d, alone.predict(rest)).mean() / within.least_loss - 1:.0%}")

# %% [markdown]
# ## 9.7 What no other column offers
#
# Scientists often want something else: not what a good model could use, but what it could find nowhere else. Lesson 03 had a tool for
# this, conditional model reliance, CMR: leave in place what the other columns predict of $x_j$, and scramble only the
# rest, $x_j - \hat x_j$, the **unique information**. (The guess $\hat x_j$ comes from an *imputer*, here least squares on the
# other columns.) Its range over the good models is **conditional model class reliance**, CMCR. We compute it for the same set: linear models, squared error, 5 %.

# %%
predict("09.5")

# %%
cmcrs = [within.conditional_model_class_reliance(name) for name in X_d]
reveal("09.5", round(cmcrs[4].high, 2))

# %% tags=["after-09-5"] jupyter={"source_hidden": true}
both_ranges = {"the column (MCR)": mcrs, "its unique part (CMCR)": cmcrs}
ax = plot_ranges(both_ranges, best=model_reliance(ols, X_d, y_d), log=True)
ax.figure.set_size_inches(6.4, 5.4)
picture(
    ax,
    alt="Ten measurements on a logarithmic axis. MCR: bmi and bp lie wholly above "
    "1; s1 reaches from just below 1 to 12, s2 to 7, s5 to 4.5; age and s6 stay "
    "near 1. CMCR: bmi from 1.11 to 1.43; bp, s5 and sex up to 1.21, 1.17 and 1.15; all "
    "others within 6 per cent of 1.",
)
#| holds (round(cmcrs[2].low, 2), round(cmcrs[2].high, 2)) == (1.11, 1.43)
#| holds all(abs(cmcrs[k].high - top) < 0.006 for k, top in ((3, 1.21), (8, 1.17), (1, 1.15)))
#| holds all(0.94 < cmcrs[k].low and cmcrs[k].high < 1.06 for k in (0, 4, 5, 6, 7, 9))

# %% [markdown]
# Where the upper bar is long, and the lower one short and touching the line, good models may rely on the measurement a lot, but other columns can stand in for it. (If the lower one
# stays above the line, as for `bmi`, they cannot replace it well enough.)
#
# The catch is in the word *unique*. Of two gauges that are nearly copies, neither has much of its own. CMCR calls
# both unimportant, and a town that closes both is flooded. MCR and CMCR answer different questions; report both.
#
# ## 9.8 May I say this?
#
# Look once more at the picture of the ten measurements: 442 patients, linear models, squared error, 5 %.

# %%
may_i_say("09.a")

# %% [markdown]
# ## Keep this
#
# A single importance belongs to a single model, and other models are as good. Model class reliance reports the least
# and the most that any good model of a class relies on a variable, with the two models that do. **If the range lies
# above 1, every good model of the class relies on the variable. If it contains 1, then among linear models with squared error some good one does without it. The wider
# the range, the less a single model can tell you.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q5: to any good model of a class | [model class reliance](glossary.md#model-class-reliance-mcr) $[MCR_-, MCR_+]$ | linear models: 1 in the range, not needed; close to [1, 1], no good model relies on it | belongs to a class, a loss and an $\epsilon$; wide where other columns can stand in; one variable at a time |
# | Q6: its unique information to any good model | [its conditional form](glossary.md#conditional-model-class-reliance-cmcr) $[CMCR_-, CMCR_+]$ | linear models: [1, 1], its own part does not help; 1 in the range, as in [{{0.987 | cmcrs[1].low}}, {{1.149 | cmcrs[1].high}}] for `sex`, it helps some good models and is not needed | copies have nothing of their own; belongs to a class, a loss, an $\epsilon$ and a way to guess the column from the others (an imputer) |
#
# What is still wrong: the range is exact for these rows, and other rows would give another one. And a variable that is not needed may still shape the predictions through columns that are correlated with it:
# see lesson 08, and the first piece of the further part. Lesson 10 puts all six answers into one report.

# %% [markdown]
# ## Further: other worlds, other classes, other losses
#
# Short pieces, in any order. Half of them leave the river and the patients, and nothing later depends on any of them.

# %% [markdown]
# ### A column that should not count
#
# The notes' own example is a model that predicts who will re-offend. Criminal history may have a range such as [1.4, 3]: every good model relies on it. Race may have a range such as [1, 2]. It is correlated with age and criminal history,
# for reasons that lie in how a society treats people and not in race itself, so some good models use it a lot and others do without it. Fisher and colleagues studied the reliance on sex and race in this way, with criminal records from Broward County, Florida. May one leave the column out, then, and call the model fair?
#
# Here is an invented world of a lender. Two groups of equal size, coded −1 and 1, differ in occupation and marital status, and income depends on all three. We tolerate 10 %.

# %%
rng = np.random.default_rng(0)
group = np.repeat([-1.0, 1.0], 2000)
occupation = 0.8 * group + 0.6 * rng.normal(size=4000)
marital = 0.6 * group + 0.8 * rng.normal(size=4000)
X_c = pd.DataFrame({"group": group, "occupation": occupation, "marital": marital})
income = 0.5 * group + occupation + 0.5 * marital + rng.normal(size=4000)
fit = LinearRegression().fit(X_c, income)
lenders = LinearRashomonSet(
    X_c, income, epsilon=0.1 * np.var(income - fit.predict(X_c))
)
lenders.model_class_reliance("group").to_frame().round(2)

# %% [markdown]
# The range contains 1, so some good linear model never looks at the column. Take the best of them:

# %%
blind = LinearRegression().fit(X_c.assign(group=0.0), income)
print("at most 10 % worse than the best:", "yes" if lenders.contains(blind) else "no")
model_reliance(blind, X_c, income).to_frame()[["importance"]].round(2)

# %% [markdown]
# It is in the set, and its reliance on the group is exactly 1. The board is pleased.

# %%
predict("09.6")


# %%
def gap(model):
    """How much higher the mean prediction of group 1 is than that of group -1."""
    predicted = model.predict(X_c)
    return predicted[group == 1].mean() - predicted[group == -1].mean()


reveal("09.6", round(100 * gap(blind) / gap(fit), 0))

# %% [markdown]
# ### The two ends of a range, more closely
#
# Back to the ten measurements of 9.6. A range close to [1, 1] does not mean that the coefficients are close to 0. Some linear model within 5 % there has a coefficient of `age` {{more than twenty times | 20 < max(map(abs, within.coefficient_range("age"))) / abs(ols.coef_[0]) < 40}} as large as that of least
# squares, and yet scrambling `age` costs neither this model nor any other of the set more than about {{4 % | 100 * (mcrs[0].high - 1)}} of its error.
#
# The ranges of the notes begin at 1, those of `s4` and `age` {{a little below it | 0.95 < min(mcrs[0].low, mcrs[7].low) < max(mcrs[0].low, mcrs[7].low) < 1}}. With linear models and squared error $MCR_-$ equals exactly 1 at a single $\epsilon$ only (unless the
# variable is uncorrelated with the target and with every other variable): as soon as the ellipse reaches across $b_j = 0$,
# it contains models whose coefficient has the opposite sign, and $MCR_-$ is below 1. The program of Fisher and colleagues does not look
# further down than 1, since all values up to 1 mean no reliance; ours does.

# %% [markdown]
# ### When two variables become one
#
# The ellipse of the river was long because the gauges are alike. Let them become more and more alike, always with a
# tolerance of 5 %:

# %%
table = {}
for rho in (0, 0.5, 0.9, 0.99, 0.999):
    river = make_exact_linear(
        200, random_state=0, correlation=[[1, rho], [rho, 1]], coefficients=[1, 1]
    )
    r = LinearRashomonSet(*river, epsilon=0.05).model_class_reliance("x1")
    table[rho] = [r.low, r.high, *r.high_model.coef_]
names = ["MCR−", "MCR+", "b1 of the model that relies most", "its b2"]
pd.DataFrame(table, index=names).T.rename_axis("correlation").round(2)

# %% [markdown]
# Nothing about the river has become more important. From a correlation of 0.99 on, the models that rely on `x1` most add a lot of one
# gauge and take away {{much of the other | all(table[r][3] < 0 < table[r][2] for r in (0.99, 0.999)) and table[0.9][3] > 0}}. Now the last step: the second gauge is an exact copy.

# %%
predict("09.7")

# %% jupyter={"source_hidden": true}
copied = X.assign(x2=X["x1"])
one = LinearRashomonSet(X[["x1"]], y, epsilon=0.05).model_class_reliance("x1").high
try:
    two = LinearRashomonSet(copied, y, epsilon=0.05).model_class_reliance("x1").high
    same = two < 1.5 * one
    reply = f"The largest reliance is {two:.2f}."
    answer = "the same as for one gauge alone" if same else "about twice that"
except ValueError as refusal:
    reply, answer = str(refusal), "there is no largest one"
reveal("09.7", answer)

# %% [markdown]
# And this is what the library says when it is asked:

# %% tags=["after-09-7"] jupyter={"source_hidden": true}
from textwrap import fill

print(fill(reply, width=80))

# %% [markdown]
# One way out is to exclude models that nobody would call reasonable, those with huge coefficients: limit $|b|^2$, or charge for it as ridge regression does (`LinearRashomonSet(..., alpha=0.01)`). Then the set
# is bounded even for copies. But its upper end is set by the limit, that is, by us, and a report has to name it.
#
# ### Functions that bend
#
# A class can also be too small. A drug harms when the dose is too low and when it is too high: $y = \text{dose}^2 + 0.5\,\text{age} +
# \text{noise}$, with doses from 1.5 below to 1.5 above the usual one. (The mean of $y$ is taken off, since the functions that come next have no
# intercept.) First, linear models within 5 %:

# %%
rng = np.random.default_rng(0)
clinic = pd.DataFrame({"dose": np.linspace(-1.5, 1.5, 80), "age": rng.normal(size=80)})
harm = clinic["dose"] ** 2 + 0.5 * clinic["age"] + 0.3 * rng.normal(size=80)
harm = harm - harm.mean()
best_line = LinearRashomonSet(clinic, harm, epsilon=0)
linear = LinearRashomonSet(clinic, harm, epsilon=0.05 * best_line.least_loss)
linear.model_class_reliance("dose").to_frame().round(3)

# %% [markdown]
# That is close to [1, 1]: no good linear model gains much from the dose, and one might think it safe to remove.

# %% [markdown]
# The next step uses kernels. If they are new to you, it is enough to know that there is a class of functions that can bend, and a penalty that restrains them.
#
# Put a bump on every row, and add the bumps up with weights of either sign: such functions can bend. In symbols they are the
# functions of a Gaussian kernel, $f = \sum_i w_i\, k(x_i, \cdot)$. Without a limit they could learn every row by heart, so something has to restrain them. Fisher and colleagues
# limit the norm, $w^\top K w \le r$ with $K$ the table of all $k(x_i, x_j)$, and call a function good by its plain loss. Our library charges for the norm instead: good means
# that the *penalised* loss, $\mathrm{MSE} + \alpha\, w^\top K w$, is at most 5 % above its minimum. Then the good functions
# fill an ellipsoid again, in up to 80 dimensions instead of 2, and both ends are exact. (Our bumps sit on the rows on which the loss is measured; those of Fisher and colleagues sit on reference rows of their own.)
#
# A bump is $k(x, x') = \exp(-\gamma\, |x - x'|^2)$. We take $\gamma = 0.5$ and $\alpha = 0.001$.

# %%
predict("09.8")

# %%
from course_lib.measures import KernelRashomonSet

options = {"gamma": 0.5, "alpha": 0.001}
best_kernel = KernelRashomonSet(clinic, harm, epsilon=0, **options)
epsilon = 0.05 * best_kernel.least_loss
bending = KernelRashomonSet(clinic, harm, epsilon=epsilon, **options)
bent = bending.model_class_reliance("dose")
kinds = {0: "about 1, below 1.5", 1: "between 1.5 and 5", 2: "above 5"}
reveal("09.8", kinds[int(np.searchsorted([1.5, 5], bent.low))])

# %% tags=["after-09-8"]
bent.to_frame().round(1)

# %% [markdown]
# Plain and penalised loss do not allow the same functions. By its penalised loss the function that relies least is at most 5 % worse than the best, but it pays for a smaller norm with error. Its plain mean squared error, divided by that of the best:

# %%
of = [
    squared_error(harm, f.predict(clinic)).mean()
    for f in (bent.low_model, best_kernel.best_model)
]
round(float(of[0] / of[1]), 2)

# %% [markdown]
# So here "5 %" means 5 % of the penalised loss, and a report that leaves out the word says something false.

# %% [markdown]
# ### Every model we tried
#
# Could one not draw a few hundred good models at random and look? Compare, for three of the measurements of 9.6:

# %%
some = within.sample(300, random_state=0)
drawn = np.array([model_reliance(f, X_d, y_d).importances_mean for f in some])
compared = pd.DataFrame({"drawn, least": drawn.min(axis=0)}, index=X_d.columns)
compared["MCR−"] = [r.low for r in mcrs]
compared["drawn, most"] = drawn.max(axis=0)
compared["MCR+"] = [r.high for r in mcrs]
compared.loc[["bmi", "s1", "s5"]].round(3)

# %% [markdown]
# All three hundred models rely on `s5`, and yet there is a good one that does not. In ten dimensions random draws hardly
# come near the ends. "Every model we tried uses it" is not "every good model uses it".
#
# ### Classes, and new rows
#
# **Classification.** Nothing in the definition needs squared error: MR is a ratio of mean losses, for any loss that is not negative, and MCR is its range. What squared error buys is the computation, since both losses are then quadratic in the coefficients. With another convex loss, such as
# the hinge or the logistic loss, the set of good linear models is still convex. But the *most* reliant model maximises a scrambled loss that is convex, and no general method is sure to find the top; Fisher and colleagues give a search that bounds the ends. With zero-one loss
# the set itself may fall into pieces, and a scrambled column is noticed only where a prediction changes sides (lesson 03).
#
# **Forests.** Smith, Mansilla and Goulding (2020) extend the idea to random forests, for classification and regression, where nothing like an ellipse is at hand. They take one forest and replace its trees by others that predict the same on these rows and rely on the variable as little, or as much, as possible. So they stay with models of equal performance, $\epsilon = 0$, and what they get is an estimate, not an exact range.
#
# **New rows.** The ends are exact for the sample at hand. Fisher and colleagues also bound the ends in the population. If the reference is fixed beforehand, losses are bounded and the mean loss stays away from 0, then with probability $1 - \delta$ the population's $MCR_+(\epsilon)$ is at most
# the sample's $MCR_+(\epsilon')$ plus a margin, where both the margin and $\epsilon' - \epsilon$ are of the order $\sqrt{\log(1/\delta)/n}$, and likewise below. The argument follows one single model, the one that relies most in the population: on the sample it is nearly as good and relies nearly as much. So it does not matter
# how rich the class is. The richness matters only if one asks the opposite: by how much these bounds may be too wide.
#
# A question to end with: your range is [0.99, 1.4] on 150 rows. Which sentence would you still sign on 150 other rows, and what would you compute to find out?

# %% [markdown]
# ## Practise
#
# The exercise [09_model_class_reliance](../exercises/09_model_class_reliance/09_model_class_reliance.ipynb) goes from "is this model good?" to the
# columns that every good model needs, on data you have not seen. Your progress so far:

# %%
from course_lib.learner import progress

progress("09")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Fisher, Rudin and Dominici (2019), *All models are wrong, but many are useful*, for MR, MCR and their
# computation; Rudin's course notes for the six questions, CMCR, the ranges to practise on and the re-offending example; Breiman (2001), *Statistical
# modeling: the two cultures*, for the Rashomon effect; Smith, Mansilla and Goulding (2020) for random forests; Efron, Hastie, Johnstone and Tibshirani (2004) for the diabetes data.
# The formula for CMCR and the link between $MCR_- = 1$ and algorithm reliance hold for least squares with squared error;
# both are tested in this course.
#
# *Words of this lesson:* [model class reliance MCR](glossary.md#model-class-reliance-mcr), [conditional model class
# reliance CMCR](glossary.md#conditional-model-class-reliance-cmcr), [duplicates](glossary.md#duplicates), [Rashomon
# set](glossary.md#rashomon-set), [unique information](glossary.md#unique-information). All words and symbols are in the
# [glossary](glossary.md), the works in the [references](references.md), and all lessons and measures on the map at the
# end of [lesson 00](00_six_questions.ipynb).
