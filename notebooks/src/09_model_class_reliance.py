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
# Two gauges measure the same river, one upstream, one downstream. Two engineers each build a model of tomorrow's
# level from the same 200 days. Their errors agree to the last digit.
#
# Scramble the upstream gauge, and the first model's error grows sevenfold; the second model does not notice. Scramble
# the downstream gauge, and it is the other way round. Nobody has made a mistake, and the town wants to know which of
# the two gauges is important. What do you tell it?
#
# *In this lesson: all the models that are about as good as the best one, how little and how much any of them relies
# on a variable, exactly; how to read such a range; what correlation, the class of models and your own tolerance do to
# it; and six answers for one real data set. About 75 minutes.*
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
# Here is the river. `x1` is the gauge upstream, `x2` the one downstream, both in standard units, with a correlation
# of 0.9. Tomorrow's level is $y = x_1 + x_2 + \varepsilon$, and the noise has variance 1. The sample is built so that
# these moments hold in it *exactly*: whatever we find today is no accident of sampling.

# %%
import numpy as np
import pandas as pd
from sklearn.linear_model import LinearRegression

from course_lib.measures import model_reliance
from course_lib.models import squared_error
from course_lib.worlds import make_exact_linear


def river(rho):
    R = [[1, rho], [rho, 1]]
    return make_exact_linear(200, random_state=0, correlation=R, coefficients=[1, 1])


X, y = river(0.9)


# %% [markdown]
# One engineer's model was fitted with the downstream gauge switched off, the other's with the upstream gauge switched
# off; the third row is least squares on both, somewhat better than either. For each model: its mean squared error,
# and its model reliance MR from lesson 03, the factor by which the error grows when one gauge is scrambled. (1 means
# no reliance.)


# %%
def described(models):
    """A table with the error and the two reliances of each model."""
    rows = []
    for f in models.values():
        error = squared_error(y, f.predict(X)).mean()
        rows.append([error, *model_reliance(f, X, y).importances_mean])
    return pd.DataFrame(rows, list(models), ["error", "MR of x1", "MR of x2"]).round(2)


upstream = LinearRegression().fit(X.assign(x2=0.0), y)
downstream = LinearRegression().fit(X.assign(x1=0.0), y)
both = LinearRegression().fit(X, y)
described({"upstream": upstream, "downstream": downstream, "both": both})

# %% [markdown]
# Each number in the table is right. What is wrong is the question: "how important is the upstream gauge?" has no
# answer until one says to which model, and there are at least three to choose from. Breiman called this the **Rashomon
# effect**, after the film in which four witnesses give four accounts of one event.
#
# ## 9.2 All of them at once
#
# So let us not choose. Fix a class of models, here the linear ones $f = b_0 + b_1 x_1 + b_2 x_2$, fix a tolerance
# $\epsilon$, and keep *every* model that is at most $\epsilon$ worse than the best one, $f_{ref}$. That is the **Rashomon set**:
#
# $$R(\epsilon) = \{ f \in \mathcal F : \mathrm{MSE}(f) \le \mathrm{MSE}(f_{ref}) + \epsilon \} .$$
#
# The best error here is 1, so $\epsilon = 0.05$ means "up to 5 % worse". The error is a quadratic function of the
# coefficients. With $\hat b$ those of least squares, and the intercept at its best,
#
# $$\mathrm{MSE}(b) = \mathrm{MSE}(\hat b) + (b - \hat b)^\top G\, (b - \hat b), \qquad G = \text{covariance matrix of the columns},$$
#
# so the good models fill an ellipse, and one can look at it. Each dot is a model, drawn at random from the set. (The
# intercept is a third direction. It only spends tolerance, and the models we are after leave it at its best.)

# %%
from course_lib.measures import LinearRashomonSet
from course_lib.plots import picture, plot_good_models

good = LinearRashomonSet(X, y, epsilon=0.05)
picture(
    plot_good_models(good, models={"good": good.sample(400, random_state=0)}),
    alt="In the plane of the two coefficients the good models fill a narrow ellipse "
    "around (1, 1), stretched from (0.5, 1.5) to (1.5, 0.5).",
)

# %% [markdown]
# The ellipse is long in one direction: take from one gauge, give to the other, and the prediction hardly changes,
# since the gauges say nearly the same. That is the direction in which good models disagree.
#
# ## 9.3 The range
#
# At the centre, least squares has $MR \approx 3$ on `x1`: scrambled, the error triples. Now allow models that are up to 5 %
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

# %% [markdown]
# Where do the ends come from? For a linear model, and with $\mathrm{Cov}$ the sample covariance with $n-1$,
#
# $$MR(b) = 1 + \frac{2\, b_1\, \mathrm{Cov}(y - b_2 x_2,\; x_1)}{\mathrm{MSE}(b)},$$
#
# a quadratic over a quadratic. Its level lines can be drawn over the ellipse, and the two ends are where the ellipse
# meets the lowest and the highest of them.

# %%
extremes = {"relies least": mcr.low_model, "relies most": mcr.high_model}
picture(
    plot_good_models(good, feature="x1", models=extremes),
    alt="Lines of equal reliance on x1 over the ellipse of good models. The model "
    "that relies least sits at its upper left end, near (0.5, 1.5), with a "
    "reliance of 1.5; the one that relies most at the lower right end, near (1.5, "
    "0.5), with 5.2.",
)

# %% [markdown]
# These two are not estimates. Fisher, Rudin and Dominici showed that for such classes both ends are global optima
# that can be computed, and the library hands over the two models. Ask them yourself whether they are good, and how
# much they rely on `x1`:

# %% slideshow={"slide_type": "skip"}
described(extremes)

# %% [markdown]
# Five per cent of slack in the error, and the reliance moves by a factor of more than three. A single model's
# importance is one point of this range. Which one you were shown was decided by an algorithm, by a seed, or by an
# engineer.
#
# ## 9.4 How far until somebody can do without?
#
# At 5 % every good model still uses `x1`. Turn up $\epsilon$ and the ellipse grows, until at some point it touches the
# dashed line $b_1 = 0$, where the models live that ignore `x1`.

# %%
predict("09.2")

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import rashomon_explorer

explorer = rashomon_explorer()
explorer.figure(epsilon=0.05, rho=0.9)

# %% [markdown]
# Left the ellipse over the bands of equal reliance, with its two extreme models; right their two values as $\epsilon$
# grows. Find the smallest $\epsilon$ at which some good model ignores `x1`. Then change the correlation $\rho$, and
# find it again. The arrow keys move a slider one step at a time.

# %%
explorer

# %% [markdown]
# One can also go too far. At half as much error again, good models may even have the wrong sign:

# %%
explorer.controls["epsilon"].value = 0.5
print(explorer.readout_text)

# %% [markdown]
# When you have found yours, compare it with this number, which needs no slider:

# %%
from course_lib.measures import algorithm_reliance

price = algorithm_reliance(LinearRegression(), X, y, as_ratio=False).importances_mean[0]
reveal("09.2", round(100 * price, 6))

# %% [markdown]
# The best model on the line $b_1 = 0$ is least squares without `x1`. So the price of ignoring a variable is the error
# of the best model *without* it minus the error of the best model *with* it, on the same rows. Lesson 03 called that
# **algorithm reliance** (AR), and here is the link between questions 4 and 5: with $u_1^2$ the variance of the part of $x_1$ that
# $x_2$ cannot tell,
#
# $$\epsilon^* = AR_{diff} = \hat b_1^2\, u_1^2 = 1 - \rho^2, \qquad MCR_- > 1 \iff \epsilon < \epsilon^* .$$
#
# Scrambling the gauge triples the error, which sounds like a variable one cannot do without. Leaving it out and
# fitting again costs 19 %. Scrambling leaves the model waiting for a gauge that now talks nonsense; refitting lets
# the other gauge take over.
#
# So what do you tell the town? Every linear model within 19 % of the best needs both gauges. Whoever accepts a little more
# error can close either of them. Nobody can close both: guessing the mean level errs almost five times as much as
# the best model.
#
# ## 9.5 From nothing to everything
#
# What happens to the range along the way, from $\epsilon = 0$ to models that are a hundred times worse?

# %%
from course_lib.plots import plot_curves

epsilons = [0, 0.01, 0.05, 0.19, 0.5, 1, 3, 10, 30, 100]
sets = [LinearRashomonSet(X, y, epsilon=e) for e in epsilons]
ranges = [these.model_class_reliance("x1") for these in sets]
curves = {"MCR+": [r.high for r in ranges], "MCR-": [r.low for r in ranges]}
ax = plot_curves(np.arange(10), curves)
ax.axhline(1, color="grey", linewidth=1.4)
ax.set_xticks(range(10), epsilons)
ax.set(xlabel="ε (the best error is 1)", ylabel="reliance on x1")
picture(
    ax,
    alt="At epsilon 0 both ends are 3. MCR- falls, reaches 1 at epsilon 0.19 and goes "
    "on to about one half. MCR+ rises to 12 and stays there.",
)

# %% [markdown]
# At $\epsilon = 0$ only the best model is left and the range is a point: that is all a single importance tells. At the
# other end, once really bad models are allowed, the range settles, and what it says is about bad models.
# Nothing in the data tells you where to stop. Choose $\epsilon$ before you look: a loss you would accept for a cheaper
# or fairer model, or the error bar of the best error.
#
# And past $\epsilon^*$ something odd: the lower end drops *below* 1. There are good models that do better with a
# scrambled gauge. They are the ones in the orange region left of the dashed line, which use `x1` with the wrong sign.
# (The second orange region of the widget, at the top, holds models that overdo `x2`. A growing ellipse always
# crosses the dashed line first.)
#
# > **What the textbook says.** Rudin's notes show ranges that begin at 1, such as [1, 2], and read the 1 as "some good
# > models do not depend on it at all". In a linear class $MCR_-$ equals 1 at a single $\epsilon$ only (unless the
# > variable is uncorrelated with everything, as `x4` will be below). As soon as the ellipse reaches across $b_1 = 0$,
# > it also holds models with the wrong sign, to which a scrambled gauge does less harm than a right one, and $MCR_-$ is
# > below 1. So read "the range contains 1", not "begins at 1".
#
# ## 9.6 Reading a range
#
# Four variables, one sample. `x1` is on its own, `x2` and `x3` have a correlation of 0.8, `x4` has nothing to do with
# anything; $y = 0.8\,x_1 + 0.5\,x_2 + 0.5\,x_3 + \varepsilon$, and we tolerate 10 %.

# %%
from course_lib.plots import plot_ranges

correlation = np.eye(4)
correlation[1, 2] = correlation[2, 1] = 0.8
X4, y4 = make_exact_linear(
    200, random_state=0, correlation=correlation, coefficients=[0.8, 0.5, 0.5, 0]
)
tolerant = LinearRashomonSet(X4, y4, epsilon=0.1)
four = [tolerant.model_class_reliance(name) for name in X4]
picture(
    plot_ranges(four, best=model_reliance(tolerant.best_model, X4, y4)),
    alt="x1 from 1.7 to 2.6, well above 1. x2 and x3 both from just below 1 to 2.6. "
    "x4 is a point at 1.",
)

# %% [markdown]
# Rudin's notes give three ranges to practise on, and all three kinds are in the picture: **[1.4, 3]** is `x1`, **[1, 2]** are
# `x2` and `x3`, **[1, 1.001]** is `x4`.

# %%
predict("09.3")

# %%
without = {x: LinearRegression().fit(X4.assign(**{x: 0.0}), y4) for x in X4}
can_go = [name for name, f in without.items() if tolerant.contains(f)]
answer = {("x4",): "[1, 1.001] only", ("x2", "x3", "x4"): "[1, 1.001] and [1, 2]"}
reveal("09.3", answer.get(tuple(can_go), "none of them"))

# %% [markdown]
# Every good model of this class relies on `x1`. Some good models use `x2` or `x3` a lot, some not at all. No good model
# gains anything from `x4`. So it is the lower end that says whether a variable can go: if the range contains 1, some model
# within the tolerance does without. (For linear models that is the result of 9.4. In other classes uses that cancel could
# give a 1 as well.) The upper end says whether anybody would miss it. But one at a time: `x2` can go, and `x3` can go,
# each while the other stays. Without both:

# %%
neither = LinearRegression().fit(X4.assign(x2=0.0, x3=0.0), y4)
error = squared_error(y4, neither.predict(X4)).mean()
tolerant.contains(neither), round(float(error), 2)

# %% [markdown]
# > **What the textbook says.** That with [1, 1.001] it is safe to remove the variable, "since no good models use it".
# > Safe, yes. But good models do use it: a coefficient of 0.3 for `x4` is within our tolerance. Such a model reads
# > `x4` and gains nothing by it, so scrambling costs it nothing. And [1, 2] permits removal as well, at a price of at
# > most $\epsilon$. Two conditions are silent in both cases: one variable at a time, and this class of models.
#
# ## 9.7 When two variables become one
#
# The ellipse of the river was long because the gauges are alike. Its reach along $b_1$ is $\pm\sqrt{\epsilon / (1 -
# \rho^2)}$, which has no limit as $\rho$ goes to 1. With 5 % of tolerance throughout:

# %%
wide = {
    rho: LinearRashomonSet(*river(rho), epsilon=0.05).model_class_reliance("x1")
    for rho in (0, 0.5, 0.9, 0.99, 0.999)
}
names = ["MCR-", "MCR+", "b1 of the extreme model", "its b2"]
table = {rho: [r.low, r.high, *r.high_model.coef_] for rho, r in wide.items()}
pd.DataFrame(table, index=names).T.rename_axis("correlation").round(2)

# %% [markdown]
# Nothing about the river has become more important. The models that rely on `x1` most have learnt to add a lot of one
# gauge and to take away much of the other. Now the last step: the second gauge is an exact copy.

# %%
predict("09.4")

# %%
from textwrap import fill

copied = X.assign(x2=X["x1"])
try:
    LinearRashomonSet(copied, y, epsilon=0.05)
    answer = "the same as for one gauge alone"
except ValueError as refusal:
    print(fill(str(refusal), width=80))
    answer = "there is no largest one"
reveal("09.4", answer)

# %% [markdown]
# The library refuses, and it is right to. Add $t$ to $b_1$ and take $t$ from $b_2$: the predictions stay the same for
# every $t$, so the model with $b_1 = 1000$ is as good as the best. Scramble `x1` alone and its error explodes. The
# "ellipse" is an endless strip, and whoever prints a number for its largest reliance has printed the rounding error
# of a computer.
#
# ## 9.8 Other classes, other answers
#
# One cure is to say which of these models nobody would call reasonable: those with huge coefficients. In the **ridge**
# class a model is judged by $\mathrm{MSE} + \alpha\,|b|^2$, its error plus a price on the squares of its coefficients. Even for
# copies the strip then becomes an ellipse again.

# %%
ridge = {}
for alpha in (0.1, 0.01, 0.001):
    penalised = LinearRashomonSet(copied, y, epsilon=0.05, alpha=alpha)
    ridge[f"alpha {alpha}"] = penalised.model_class_reliance("x1").to_frame().loc["x1"]
pd.DataFrame(ridge).round(1)

# %% [markdown]
# The data are the same in all three columns. The upper end is set by $\alpha$, that is, by us. A ridge range for
# duplicated columns is a statement about the penalty, and a report has to name it.
#
# The class can err in the other direction and be too small. A drug harms when the dose is too low and when it is too
# high, $y = \text{dose}^2 + 0.5\,\text{age} + \text{noise}$, dose from $-1.5$ to $1.5$. (We take the mean of $y$ off, since the
# functions that come next have no intercept.) First, linear models within 5 %:

# %% slideshow={"slide_type": "skip"}
rng = np.random.default_rng(0)
clinic = pd.DataFrame({"dose": np.linspace(-1.5, 1.5, 80), "age": rng.normal(size=80)})
harm = clinic["dose"] ** 2 + 0.5 * clinic["age"] + 0.3 * rng.normal(size=80)
harm = harm - harm.mean()
best_line = LinearRashomonSet(clinic, harm, epsilon=0)
linear = LinearRashomonSet(clinic, harm, epsilon=0.05 * best_line.least_loss)
linear.model_class_reliance("dose").to_frame().round(3)

# %% [markdown]
# That is close to [1, 1]: no good linear model gains much from the dose, and the notes' rule says it is safe to remove.

# %%
predict("09.5")

# %% [markdown]
# Put a bump on every row, and add the bumps up with weights of either sign: such functions can bend. In symbols they are the
# functions of a Gaussian kernel, $f = \sum_i w_i\, k(x_i, \cdot)$. Their errors are quadratic in the weights $w$, so the good ones
# fill an ellipsoid again, in up to 80 dimensions instead of 2, and both ends are still exact. "Good" is judged here by the
# error plus $\alpha\, w^\top K w$, with $K$ the table of all $k(x_i, x_j)$: a penalty on wild functions, without which they could
# learn every row by heart.

# %%
from course_lib.measures import KernelRashomonSet

options = {"gamma": 0.5, "alpha": 0.001}
best_kernel = KernelRashomonSet(clinic, harm, epsilon=0, **options)
kernel = KernelRashomonSet(
    clinic, harm, epsilon=0.05 * best_kernel.least_loss, **options
)
bent = kernel.model_class_reliance("dose")
reveal("09.5", round(bent.low, 1))

# %% [markdown]
# In this class no good model survives without the dose. Both ranges are exact, on the same rows. The linear "best" was
# several times worse than the bent one, and a Rashomon set around a poor reference is a club of poor models.
# $MCR$ says *any good model of the class*; it is as good as the class is rich.
#
# ## 9.9 What only this variable knows
#
# Scientists often want something else: not what a good model could use, but what it could learn nowhere else. Let only the upstream gauge make the level, $y = x_1 + \varepsilon$, and
# let the downstream gauge be an onlooker with a correlation of 0.9. We tolerate 20 %.

# %% slideshow={"slide_type": "skip"}
X_look, y_look = make_exact_linear(
    200, random_state=0, correlation=[[1, 0.9], [0.9, 1]], coefficients=[1, 0]
)
look = LinearRashomonSet(X_look, y_look, epsilon=0.2)
look.model_class_reliance("x2").to_frame().round(2)

# %% [markdown]
# Some good models rely on the onlooker heavily. They may: it knows most of what `x1` knows. Lesson 03 had a tool for
# this, conditional model reliance, CMR: leave in place what the other columns tell about $x_j$, and scramble only the
# rest, $x_j - \hat x_j$, the **unique information**. (The guess $\hat x_j$ comes from an *imputer*, here least squares on the
# other columns.) Its range over the good models is **conditional model class reliance**, CMCR.

# %%
predict("09.6")

# %%
cmcr = look.conditional_model_class_reliance("x2")
reveal("09.6", round(cmcr.high, 6))

# %%
onlookers = {
    "the gauge (MCR)": [look.model_class_reliance(x) for x in X_look],
    "what only it knows (CMCR)": [
        look.conditional_model_class_reliance(x) for x in X_look
    ],
}
picture(
    plot_ranges(onlookers),
    alt="MCR of x1 from 1.0 to 7.4 and of the onlooker x2 from 0.9 to 2.5. CMCR of x1 "
    "from 1.0 to 1.6; of x2 a single point at 1.",
)

# %% [markdown]
# A point. Not one of the good models, however it uses `x2`, loses anything when the part of `x2` that is not `x1` is
# scrambled. For linear models the conditional increase is *linear* in the coefficient, $CMR_{diff}(b) = 2\, b_j \hat
# b_j\, s_e^2$ with $s_e^2$ the variance (with $n-1$) of the unique part, and the range falls out in one line:
#
# $$CMCR_{diff} = \frac{2n}{n-1} \Big( \epsilon^* \pm \sqrt{\epsilon\, \epsilon^*} \Big), \qquad \epsilon^* = AR_{diff} .$$
#
# Three questions in one formula. In the middle is the price of leaving the variable out (Q4), times two; the best
# model has exactly that (Q2); the width says how far good models depart from it (Q6). If a variable has nothing of its
# own to say about $y$, then $\epsilon^* = 0$, and the range is a point, whatever $\epsilon$ and however wide the MCR.
# It has become a property of the data and the class, no longer of a model.
#
# > **What the textbook says.** That a CMR of 1 means the variable has no unique information. For one model it may only
# > mean that the model ignores the variable: CMR of the downstream model is 1 for `x1` in 9.1, and yet leaving
# > out `x1` costs 19 %. It takes the whole range [1, 1] to say it, and then for the class and the imputer that were used.
#
# The price is in the word *unique*. Of two gauges that are copies, neither has anything of its own. CMCR would call
# both unimportant, and a town that closes both is flooded. MCR and CMCR answer different questions; report both.
#
# ## 9.10 A column that should not count
#
# In the census world of lesson 08 (invented; every arrow is ours) income depends on race directly, and on marital
# status and occupation, which depend on race; all of them are numbers with variance 1. May a lender leave the column out? We tolerate 10 %.

# %%
from course_lib.worlds import make_census_world

census = make_census_world().sample(4000, random_state=0)
X_c, income = census.drop(columns="income"), census["income"]
fit = LinearRegression().fit(X_c, income)
epsilon = 0.1 * squared_error(income, fit.predict(X_c)).mean()
lenders = LinearRashomonSet(X_c, income, epsilon=epsilon)
picture(
    plot_ranges([lenders.model_class_reliance(name) for name in X_c]),
    alt="Race from just below 1 to 2.9; age, sex and relationship also contain 1. The "
    "others lie above 1; occupation, from 1.6 to 4.9, and education number reach "
    "highest.",
)

# %% [markdown]
# The range for race contains 1, so there is a good model that never looks at the column. Take the best of them.

# %%
blind = LinearRegression().fit(X_c.assign(race=0.0), income)
reliance = model_reliance(blind, X_c, income).to_frame()["importance"]
lenders.contains(blind), round(float(reliance["race"]), 6)

# %% [markdown]
# It is in the set, and its reliance on race is exactly 1. The board is pleased.

# %%
predict("09.7")


# %%
def slope(model):
    """How much the prediction rises for each unit of race, in this sample."""
    return np.polyfit(X_c["race"], model.predict(X_c), 1)[0]


reveal("09.7", round(100 * slope(blind) / slope(fit), 0))

# %% [markdown]
# The gap is nearly all there. The blind model has moved the weight to occupation and marital status, which know most of
# what race knows: here nine tenths remain. In closed form it is $1 - 0.5\, u^2 / 1.6 = 0.91$, with 1.6 the slope of the full model, 0.5
# what race itself adds to income, and $u^2 = 0.30$ the unique variance of race. $MCR_- \le 1$ licenses one sentence: *the column is not needed*. It does not license "the model is
# fair" or "race plays no role". Through which doors the rest comes in is the question of lesson 08.
#
# ## 9.11 Six questions, one data set
#
# Now with real data. 442 diabetes patients, ten measurements, and how far the disease had progressed a year later. `bmi`
# and `bp` are body mass and blood pressure; `s1` to `s6` come from one blood sample, and `s1`, total cholesterol, is
# made of parts that are listed too. All ten columns, all six questions:

# %%
from sklearn.datasets import load_diabetes

X_d, y_d = load_diabetes(return_X_y=True, as_frame=True)
ols = LinearRegression().fit(X_d, y_d)
epsilon = 0.05 * squared_error(y_d, ols.predict(X_d)).mean()
within = LinearRashomonSet(X_d, y_d, epsilon=epsilon)
mcrs = [within.model_class_reliance(name) for name in X_d]
cmcrs = [within.conditional_model_class_reliance(name) for name in X_d]

# %%
predict("09.8")

# %% [markdown]
# Q1 and Q2 ask the least squares model, Q3 its prediction for the first patient (in units of progression), Q4 the
# algorithm, Q5 and Q6 every linear model within 5 %.

# %%
from course_lib.measures import conditional_model_reliance, prediction_game
from course_lib.models import shapley_values

first = prediction_game(ols.predict, X_d.iloc[0], X_d)
six = pd.DataFrame(index=X_d.columns)
six["Q1 MR"] = model_reliance(ols, X_d, y_d).importances_mean
six["Q2 CMR"] = conditional_model_reliance(ols, X_d, y_d).importances_mean
six["Q3 Shapley"] = shapley_values(first, 10).round(1)
six["Q4 AR"] = algorithm_reliance(LinearRegression(), X_d, y_d).importances_mean
six["Q5 MCR"] = [f"[{r.low:.3f}, {r.high:.2f}]" for r in mcrs]
six["Q6 CMCR"] = [f"[{r.low:.3f}, {r.high:.2f}]" for r in cmcrs]
six.round(3)

# %%
needed = [r.feature for r in mcrs if r.low > 1]
reveal("09.8", len(needed))

# %% [markdown]
# Ask least squares, and `s1` comes first: scrambling it doubles the error, and it moves the first patient's prediction
# most. Ask the algorithm, and `s1` is worth less than one per cent. Ask all good models, and they answer everything from
# nothing to twelvefold. Ask for what only `s1` knows, and there is next to nothing. None of these contradicts another.
#
# Only `bmi` and `bp` are needed by every good linear model, and the AR column had said so: $MCR_- > 1$ exactly where
# $AR > 1.05$. Here are the last two columns as a picture, with the best model as a dot.

# %%
both_ranges = {"as it is (MCR)": mcrs, "what only it knows (CMCR)": cmcrs}
picture(
    plot_ranges(both_ranges, best=model_reliance(ols, X_d, y_d), log=True),
    alt="MCR of ten measurements on a logarithmic axis: bmi and bp lie wholly above "
    "1; s1 reaches from just below 1 to 12, s2 to 7, s5 to 4.5; age and s6 stay "
    "near 1. CMCR: bmi from 1.11 to 1.43; bp, sex and s5 up to 1.2; all others "
    "within a few per cent of 1.",
)

# %% [markdown]
# A long blue bar over a short orange one: good models may use this measurement a lot, and others can stand in for it.
#
# Could we not have drawn a few hundred good models at random and looked? Compare:

# %% slideshow={"slide_type": "skip"}
some = within.sample(300, random_state=0)
drawn = np.array([model_reliance(f, X_d, y_d).importances_mean for f in some])
compared = pd.DataFrame({"drawn, least": drawn.min(axis=0)}, index=X_d.columns)
compared["MCR-"] = [r.low for r in mcrs]
compared["drawn, most"] = drawn.max(axis=0)
compared["MCR+"] = [r.high for r in mcrs]
compared.loc[["bmi", "s1", "s5"]].round(3)

# %% [markdown]
# Three hundred good models all rely on `s5`, and yet there is one that does not. In ten dimensions random draws hardly
# come near the ends. "Every model we tried uses it" is not "every good model uses it".
#
# ## 9.12 May I say this?
#
# Look once more at the picture of the ten ranges: 442 patients, linear models, 5 %.

# %%
may_i_say("09.a")

# %% [markdown]
# ## Keep this
#
# A single importance belongs to a single model, and other models are as good. Model class reliance reports the least
# and the most that any good model of a class relies on a variable, with the two models that do. **If the range lies
# above 1, every good model needs the variable; if it contains 1, some good model does without it; how wide it is says
# how little one model can tell.**
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q5: to any good model of a class | [model class reliance](glossary.md#model-class-reliance-mcr) $[MCR_-, MCR_+]$ | 1 in the range: not needed; range within a hair of 1: of no use | belongs to a class and an $\epsilon$; grows with correlation, without bound for copies; one variable at a time |
# | Q6: its unique information to any good model | [its conditional form](glossary.md#conditional-model-class-reliance-cmcr) $[CMCR_-, CMCR_+]$ | [1, 1] | copies have nothing of their own; needs an imputer |
#
# What is still wrong: the range is exact for these rows, and other rows would give another one; Fisher and colleagues
# give bounds for that. And a variable that no model needs may still rule the predictions through its correlates:
# lesson 08. Lesson 10 puts all six answers into one report.
#
# ## Practise
#
# The exercise [09_model_class_reliance](exercises/09_model_class_reliance.ipynb) goes from "is this model good?" to the
# columns that every good model needs, on data you have not seen. Your progress so far:

# %%
from course_lib.learner import progress

progress("09")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Fisher, Rudin and Dominici (2019), *All models are wrong, but many are useful*, for MR, MCR and their
# computation; Rudin's course notes for the six questions, CMCR and the ranges to practise on; Breiman (2001), *Statistical
# modeling: the two cultures*, for the Rashomon effect; Efron, Hastie, Johnstone and Tibshirani (2004) for the diabetes data.
# The formula for CMCR and the link between $MCR_- = 1$ and algorithm reliance hold for least squares with squared error;
# both are tested in this course.
#
# *Words of this lesson:* [model class reliance MCR](glossary.md#model-class-reliance-mcr), [conditional model class
# reliance CMCR](glossary.md#conditional-model-class-reliance-cmcr), [duplicates](glossary.md#duplicates), [Rashomon
# set](glossary.md#rashomon-set), [unique information](glossary.md#unique-information). All words and symbols are in the
# [glossary](glossary.md), the works in the [references](references.md), and all lessons and measures on the map at the
# end of [lesson 00](00_six_questions.ipynb).
