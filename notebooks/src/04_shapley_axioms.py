# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 04 · Shapley values and their axioms
#
# A decision tree has learnt from ten rows that a lamp is lit if both of its switches are on. It makes no mistake. We ask
# four programs how much each switch contributed to one prediction, "lit", and they answer:
#
# | program | switch `x1` | switch `x2` |
# |---|---|---|
# | A | 0.400 | 0.300 |
# | B | 0.175 | 0.525 |
# | C | 0.300 | 0.400 |
# | D | 0.275 | 0.425 |
#
# All four print Shapley values. All four obey the same axioms of fairness, and there is a theorem that only one rule in the
# world obeys them. None of the programs has a bug. How can an answer that is unique come in four versions? Write down your
# explanation before you scroll; we shall need it in half an hour.
#
# *In this lesson: how a joint gain is shared out fairly, what the axioms of Shapley's rule say and which of them each rival rule
# breaks, how to compute the shares exactly and by sampling, and what has to be decided before any of it applies to a
# model. About 65 minutes.*
#
# ## Before we start
#
# Three questions on what came before. Answer from memory; looking things up comes later.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("04")

# %% [markdown]
# ## 4.1 A pair of gloves
#
# Forget models for a while. Ann has a left glove. Ben and Cem have a right glove each. A single glove sells for nothing, a
# pair for six euros. The three of them sell a pair together, one glove is left over, and there are six euros on the table.
#
# Nobody earns anything without Ann. But Ann, too, earns nothing alone.

# %%
names = ("Ann", "Ben", "Cem")


def gloves(S):
    """The euros that the players in S earn: Ann is 0, Ben is 1, Cem is 2."""
    return 6.0 if 0 in S and len(S) >= 2 else 0.0


predict("04.1")

# %% [markdown]
# Shapley's proposal, of 1953: let them enter a room one after the other, and pay each for what the takings rise by
# when they come in. Whoever completes the pair gets the six euros. That depends on the order, so go through all six
# orders, and take the mean. In the table each row is one order, paid out by `arrival`.

# %%
from itertools import permutations

import pandas as pd

from course_lib.models import RULES, arrival, axiomatic_shares, broken_axioms

orders = list(permutations(range(3)))
walks = pd.DataFrame(
    [arrival(gloves, 3, order) for order in orders],
    index=[", ".join(names[i] for i in order) for order in orders],
    columns=names,
)
walks

# %%
reveal("04.1", walks["Ann"].mean())

# %% [markdown]
# Ann completes the pair unless she comes first: in four of six orders. Ben completes it only right after Ann, once in
# six; so does Cem. Four euros, one and one, and nothing is left on the table.
#
# ## 4.2 The picture to remember
#
# A **game**, here, is a function $v$ that says what every group $S$ of players, every **coalition**, is worth, with
# $v(\emptyset) = 0$. Three players have eight coalitions. Draw a line wherever one player joins, and write on it what the
# worth rises by, the **marginal contribution**
#
# $$MC_m(S) = v(S \cup \{m\}) - v(S) .$$

# %%
from course_lib.plots import picture, plot_comparison, plot_importances, plot_lattice
from course_lib.widgets import lattice_explorer

picture(
    plot_lattice(gloves, names),
    alt="The eight coalitions of Ann, Ben and Cem. Only Ann with Ben, Ann with Cem, and "
    "all three earn 6. Ann's steps are worth 0, 6, 6 and 6; Ben and Cem have one step "
    "worth 6 each. Means over all orders: 4, 1, 1.",
)

# %% [markdown]
# One order of arrival is one walk from the bottom to the top. Ann's lowest edge lies on two of the six walks, her middle ones on
# one each, her highest on two. So the mean over the walks is a weighted mean over the edges: with $p$ players,
#
# $$\phi_m = \sum_{S \not\ni m} \frac{|S|!\,(p-|S|-1)!}{p!}\; MC_m(S) ,$$
#
# equation 1 of Sutera and colleagues: the **Shapley value** $\phi_m$ of player $m$. The factorials count walks: there are $|S|!$ orders for
# those who come before $m$, $(p-|S|-1)!$ for those who come after, $p!$ in all.

# %%
from course_lib.models import sampled_shapley_values, shapley_values, worths

shapley_values(gloves, 3)

# %% [markdown]
# ## 4.3 Rivals
#
# Averaging over orders is one idea. There are others, and you have met some of them under other names. Ann and Ben make
# music in the street. Alone each of them earns 3, together 10. Cem stands by and listens.

# %%
duo_worths = {frozenset({0}): 3, frozenset({1}): 3, frozenset({0, 1}): 10}


def duo(S):
    """What the players in S earn; Cem, player 2, changes nothing."""
    return duo_worths.get(frozenset(S) - {2}, 0)


shared = pd.DataFrame(
    {rule: share(duo, 3) for rule, share in RULES.items()}, index=names
).T
shared.assign(total=shared.sum(axis=1)).round(2)

# %% [markdown]
# *Leave-one-out* pays what would be lost without you; it is what you measure when you drop a variable and look at the damage.
# *Order of arrival* pays what you add when you come, in the fixed order Ann, Ben, Cem; much as a single tree credits its
# variables in the order in which it happens to ask them. *Equal split* needs no explanation. *Proportional* shares by what each earns alone, as one does who ranks
# variables by their correlation with the target.
#
# Which of these is fair? Instead of arguing about numbers, argue about what a rule must never do. Those demands are the
# **axioms**:
#
# | axiom | in words |
# |---|---|
# | efficiency | the shares add up to what everybody earns together |
# | symmetry | two players who contribute the same to every coalition get the same |
# | null player | who never contributes anything gets nothing |
# | strong monotonicity | if your contributions in one game are nowhere smaller than in another, your share is not smaller either |
# | linearity | playing two games and adding the shares is the same as sharing the sum of the games |
#
# Sutera and colleagues list the first four, the DEDACT paper (appendix B) all five. Now let one afternoon in the street
# put every rule to the test:

# %%
pd.set_option("display.max_colwidth", None)
pd.DataFrame(
    [
        (rule, axiom, what)
        for rule, share in RULES.items()
        for axiom, what in broken_axioms(share, duo, 3, names).items()
    ],
    columns=["rule", "breaks", "what one sees"],
)

# %% [markdown]
# Each rival is caught on a demand that no other rival fails this afternoon. Leave-one-out pays 14 out of a hat that holds 10. By order of arrival, Ann and Ben
# would quarrel about who comes last. Equal split pays the listener. And proportional shares make Ben's pay depend on
# a present to Ann that has nothing to do with him; that they agree with Shapley's rule this afternoon is luck. Shapley's rule itself is
# not in the table.
#
# One afternoon can refute a rule, and no afternoon can prove one: with the gloves, leave-one-out paid 6, 0, 0, and that happens to
# add up. An axiom speaks of *all* games.
#
# ## 4.4 Why there is no sixth rule
#
# That Shapley's rule keeps the axioms is a short computation. That nothing else does is Young's theorem (1985), and it
# needs only three of them: efficiency, symmetry and strong monotonicity. In plain words: *if your contributions are
# the same in two games, you are paid the same in both, whatever the others do there. Alike players are paid alike. Everything is paid
# out. That leaves nothing to choose.*
#
# Watch it happen to the gloves. The game is a sum of three: 6 for whoever has Ann and Ben, plus 6 for whoever has Ann and Cem, minus
# 6 for whoever has all three, since there is no second pair.
#
# Ben contributes nothing to the second part. So his share is what it would be without it, in "6 for Ann and Ben, minus 6 for all
# three". There, Cem takes part in the last term only, and in that term alone all three are alike: $-2$ each. So Cem
# gets $-2$. The whole is worth $6 - 6 = 0$, so Ann and Ben, who are alike now, share the remaining $+2$: Ben gets 1. By the same
# words Cem gets 1. Ann gets what is left: 4.
#
# No order, no average, no factorial. `axiomatic_shares` does exactly this for any game. Here is one with random worths.

# %%
import numpy as np

rng = np.random.default_rng(0)
random_game = np.array([0, *rng.normal(size=15)])  # four players, 16 coalitions
pd.DataFrame(
    {
        "forced by the axioms": axiomatic_shares(random_game, 4),
        "mean over 24 orders": np.mean(
            [arrival(random_game, 4, order) for order in permutations(range(4))], axis=0
        ),
        "weighted edges": shapley_values(random_game, 4),
    }
).round(6)

# %% [markdown]
# Three roads, one column. The null player axiom was not used: it follows from the others. Linearity was not used
# either. (Shapley's own proof of 1953 takes linearity and null player in the place of strong monotonicity; a list of all five is
# two theorems poured together.)
#
# ## 4.5 Turn the knob
#
# Here the game is yours. Each slider is the worth of one coalition; the right side shows the shares by both rules, and which
# axioms this game catches the rival breaking. Here are the two musicians and their listener; a dash only means that this game does
# not show it.

# %% slideshow={"slide_type": "skip"}
explorer = lattice_explorer()
explorer.figure(A=3, B=3, AB=10, AC=3, BC=3, ABC=10)

# %% [markdown]
# Below, the sliders stand at the gloves. Leave-one-out is a common meaning of "important": it would be missed. Find a game in which it puts
# two players in the opposite order from Shapley's rule. Then switch to the other rivals and catch each of them on its own axiom.

# %%
explorer

# %% [markdown]
# A control can also be set by a line of code. The gloves, shared out in the order Ann, Ben, Cem:

# %%
explorer.controls["rule"].value = "order of arrival"
print(explorer.readout_text)

# %% [markdown]
# ## 4.6 When there are too many orders
#
# Ten friends take one taxi home along the same road; the fare of a group is the fare of whoever lives farthest. Ten
# players have 1,024 coalitions, which is little for a computer, and 3,628,800 orders. With thirty players even the coalitions are a
# billion. So one draws orders at random.

# %%
stops = np.array([4, 6, 9, 12, 14, 18, 23, 27, 34, 42])


def taxi(S):
    """The fare of the group S, in euros."""
    return max((stops[i] for i in S), default=0)


exact = shapley_values(taxi, 10)
drawn = sampled_shapley_values(taxi, 10, n_orders=400, random_state=0)

# %% [markdown]
# Every column of `drawn` is one order. The columns are independent, so their mean comes with an honest standard error: the
# standard deviation between the columns, divided by the square root of their number. About 95 % of the intervals of $\pm 2$ standard errors
# contain the exact share.

# %%
shares = {"exact": exact}
for n in (100, 400):
    first = drawn[:, :n]
    shares[f"{n} orders"] = first.mean(axis=1)
    shares[f"± with {n}"] = 2 * first.std(axis=1, ddof=1) / np.sqrt(n)
pd.DataFrame(shares, index=pd.Index(stops, name="fare alone")).round(2)

# %% [markdown]
# How many orders does one need? Four times as many for half the error, whatever the number of players: compare the two columns with
# ±. And what is to be paid depends on everybody: whoever lives farthest has a share far below the fare alone.
#
# ## 4.7 A prediction is a game
#
# Now the players are features, and what they earn together is one prediction. Back to the lamp of lesson 01, with all four positions
# of the switches equally frequent. The tree predicts 1 where both switches are on. Switch one of them off, and the prediction
# falls to 0.
#
# A game needs a worth for every coalition, also for "only `x1` is known". The model cannot run on half a row. One
# way out: put the known values into every row of a sample of rows, the **background**, leave the rest as it is there, and average
# the predictions.

# %%
from sklearn.tree import DecisionTreeRegressor

from course_lib.measures import prediction_game, sage, tree_game, tree_shap
from course_lib.worlds import make_gate

X, lamp = make_gate("and")
tree = DecisionTreeRegressor(random_state=0).fit(X, lamp)
predict("04.2")

# %% [markdown]
# Here is the game. Its bottom is not 0: where nothing is known, the worth is the mean prediction. To keep to the definition of 4.2 one would
# subtract it from every box, and no edge would change.

# %%
v = prediction_game(tree.predict, [1, 1], X)
picture(
    plot_lattice(v, ("x1", "x2")),
    alt="Knowing nothing the mean prediction is 0.25, knowing one switch 0.5, knowing "
    "both 1. Each switch adds 0.25 when it comes first and 0.5 when it comes second, on "
    "average 0.375.",
)

# %%
reveal("04.2", shapley_values(v, 2)[0])

# %% [markdown]
# So a Shapley value of a prediction is a share of a *difference*: of what is predicted for this row, less what is
# predicted on average. It is not what happens when the feature is removed (that would be 0.5, leave-one-out, and the two 0.5s would
# add up to more than there is). It is not what happens when the switch is turned off (that would be 1). It is not a
# probability, though the prediction is one, nor a percentage: shares may be negative, and they add up to the difference, not to 100.
#
# ## 4.8 Four games, one theorem
#
# The ten rows of the beginning: both switches off four times, only `x2` on once, only `x1` on twice, both on three
# times. A tree may ask `x1` first or `x2` first. Both trees compute the same function.

# %%
X10, lamp10 = make_gate("and", counts=(4, 1, 2, 3))
trees = {}
for seed in range(10):  # with max_features=1 chance decides what is asked first
    grown = DecisionTreeRegressor(max_features=1, random_state=seed).fit(X10, lamp10)
    trees.setdefault(X10.columns[grown.tree_.feature[0]], grown)
same = (trees["x1"].predict(X10) == trees["x2"].predict(X10)).all()
sorted(trees), bool(same)

# %% [markdown]
# The best-known program for trees, tree SHAP, can do without a background sample: where a feature is not known it goes down
# both branches, and weights them by the training rows that went there.

# %%
predict("04.3")

# %%
path_x1, path_x2 = (tree_game(trees[root], [1, 1]) for root in ("x1", "x2"))
differ = not np.allclose(shapley_values(path_x1, 2), shapley_values(path_x2, 2))
reveal("04.3", "yes, they may" if differ else "only by rounding")

# %% [markdown]
# Here are the four programs of the beginning. Look at the boxes in the middle row.

# %%
from course_lib.plots import plot_games

f = trees["x1"].predict
games = {
    "A  path-dependent,\nx1 asked first": path_x1,
    "B  path-dependent,\nx2 asked first": path_x2,
    "C  marginal": prediction_game(f, [1, 1], X10),
    "D  conditional": prediction_game(f, [1, 1], X10, removal="conditional"),
}
picture(
    plot_games(games, ("x1", "x2")),
    alt="Four lattices with the same bottom, 0.3, and the same top, 1. Knowing x1 alone "
    "is worth 0.6, 0.4, 0.4, 0.6; knowing x2 alone 0.5, 0.75, 0.5, 0.75. The Shapley "
    "values are (0.4, 0.3), (0.175, 0.525), (0.3, 0.4), (0.275, 0.425).",
)

# %% [markdown]
# The bottom is the same, the top is the same, and the theorem is the same. What differs is the worth of knowing one
# switch, and that is a decision about *removal*, made before any axiom is applied:
#
# - *marginal* (also called interventional): the missing switch is drawn as if it had nothing to do with the known one. Asks
#   what the **model** does with its inputs.
# - *conditional*: the missing switch is drawn from the rows that agree with what is known. If `x1` is on, `x2` is on in three rows
#   of five, not in four of ten. Asks also what the **data** tell.
# - *path-dependent*: a mixture. A switch that is asked below is averaged given what is known above it; a switch that is asked above is
#   averaged as if nothing below were known. So it matters which question the tree asks first.
#
# Young's theorem says how to share $v$ out. It says nothing about which $v$ to take. That is where the four answers come from; compare
# it with what you wrote down at the beginning.
#
# > **What the textbook says.** "Kernel SHAP estimates the conditional expectation; tree SHAP is based on an interventional
# > one." As implemented in the shap package it is the other way round for the first, and half true for the second. Run them:

# %%
import shap

row = X10.tail(1)  # both switches on
path_dependent = tree_shap(trees["x1"], row)
interventional = tree_shap(trees["x1"], row, background=X10)
kernel = shap.KernelExplainer(trees["x1"].predict, X10.to_numpy())
programs = {
    "Kernel SHAP": kernel.shap_values(row.to_numpy(), silent=True)[0],
    "tree SHAP without data": path_dependent.values[0],
    "tree SHAP with background": interventional.values[0],
}
pd.DataFrame(programs, index=["x1", "x2"]).T.round(3)

# %% [markdown]
# Kernel SHAP fills in background rows: game C, marginal, though one often reads that it is game D. Tree SHAP
# plays C only if it is given background data. Its default is game A, or B, whichever tree it meets; asked for
# `interventional` without data, shap falls back to path-dependent. None of them plays D: that needs the distribution of the data.
#
# And "for an AND gate, tree SHAP finds the symmetric contributions" holds where the four positions are equally frequent, as in 4.7. A and B
# are the same gate.
#
# ## 4.9 Twins, XOR, and a zero that hides a quarrel
#
# Three small games that settle three common beliefs. First, twins: the second column is a copy of the first, and the tree reads only one
# of them, while least squares uses both alike.

# %%
from sklearn.linear_model import LinearRegression

twins = pd.DataFrame({"x": [0, 0, 1, 1], "copy": [0, 0, 1, 1]})
models = {
    "tree": DecisionTreeRegressor(random_state=0),
    "least squares": LinearRegression(),
}
shares = {}
for name, reader in models.items():
    f = reader.fit(twins, [0, 0, 1, 1]).predict
    for removal in ("marginal", "conditional"):
        v = prediction_game(f, [1, 1], twins, removal=removal)
        shares[name, removal] = shapley_values(v, 2)
pd.DataFrame(shares, index=twins.columns).T.round(3)

# %% [markdown]
# > **What the textbook says.** "Tree SHAP gives duplicated features exactly half of the importance each." Only if the model uses both alike. A
# > tree that reads one copy gives the other 0 in the marginal game, and in path-dependent tree SHAP. The *conditional* game
# > gives halves whatever the model does, since either copy tells the same.
# >
# > "A model that never uses a feature can give it a large permutation importance" is wrong for the same reason: shuffle a column
# > that is not read, and no prediction moves. What leaks to an unread relative is the conditional game.
#
# Second and third: XOR, where neither input says anything alone; and a drug `x1` that raises a score by 3, unless it is taken together with
# another drug `x2`, when it lowers the score by 1. We explain the patient who takes both. The background is the same for both games: all four
# combinations, equally frequent.


# %%
def score(rows):
    """What the model predicts for patients who take drug x1, drug x2, both or none."""
    return 3 * rows[:, 0] - 4 * rows[:, 0] * rows[:, 1]


def xor(rows):
    return (rows[:, 0] != rows[:, 1]).astype(float)


# %%
two_games = {
    "XOR at (1, 1)": prediction_game(xor, [1, 1], X.to_numpy()),
    "two drugs": prediction_game(score, [1, 1], X.to_numpy()),
}
picture(
    plot_games(two_games, ("x1", "x2")),
    alt="XOR: each input adds 0 first and -0.5 second, on average -0.25. Two drugs: x1 "
    "adds 0.5 first and takes 0.5 away second, on average 0; x2 gets -1.5.",
)

# %% [markdown]
# In XOR the two inputs share what only both together know, half and half; leave-one-out would pay each the whole, and a look
# at single inputs would pay nothing.
#
# The drug `x1` gets exactly 0. It is not unused: known first it raises the expected score, known second it lowers it by as much, and the
# mean hides the quarrel. Nor is 0 what happens if this patient stops taking it: the score would rise by 1, from $-1$ to 0.
#
# > **What the textbook says.** A permutation importance near zero suggests that the feature was not used. There as here it may also be
# > contributions that cancel. Look at the edges, not only at their mean.
#
# ## 4.10 From one prediction to the whole model
#
# **SAGE** (Covert and colleagues, 2020) plays the same game about the loss instead of a prediction. A coalition is worth the loss that
# knowing its features saves, on average over the data:
#
# $$v(S) = \mathbb{E}\,[\mathrm{loss}(y, f_\emptyset)] - \mathbb{E}\,[\mathrm{loss}(y, f_S(x_S))] ,$$
#
# where $f_S$ averages the predictions over the features that are not known. Removal has to be decided here too.
#
# In the world below, $y = x_0 - x_1$ plus a little noise, and the two inputs have correlation 0.9. Is `x1` of any use? Fit once with it and
# once without. The cell shows by what factor the mean squared error grows without it.

# %%
from course_lib.worlds import LinearSCM

world = LinearSCM(
    {"x1": {"x0": 0.45}, "y": {"x0": 1.0, "x1": -1.0}},
    noise={"x0": 2.0, "x1": np.sqrt(0.19), "y": 0.3},
)
rows = world.sample(20_000, random_state=0)
X_world, y_world = rows[["x0", "x1"]], rows["y"]
model = LinearRegression().fit(X_world, y_world)
alone = LinearRegression().fit(X_world[["x0"]], y_world)
unexplained = 1 - model.score(X_world, y_world)
round((1 - alone.score(X_world[["x0"]], y_world)) / unexplained, 1)

# %%
predict("04.4")

# %%
from course_lib.measures import linear_gaussian
from course_lib.worlds import GaussianSampler

truth = linear_gaussian(world, "y", {"x0": 1.0, "x1": -1.0})
estimated = {
    "marginal": sage(model, X_world, y_world, random_state=0),
    "conditional": sage(
        model, X_world, y_world, sampler=GaussianSampler(), random_state=0
    ),
}
negative = estimated["marginal"].importances_mean[1] < 0
reveal("04.4", "negative" if negative else "positive, but small")

# %%
pictured = {}
for removal, result in estimated.items():
    pictured |= {removal: result, f"{removal}, exact": truth.sage(removal)}
picture(
    plot_comparison(pictured),
    alt="Marginal SAGE gives x0 2.2 and x1 minus 0.8; conditional SAGE gives x0 0.985 "
    "and x1 0.415. Estimates and exact values agree.",
)

# %% [markdown]
# The same model and the same data, and `x1` is worth less than nothing in one game, 0.415 in the other. Tell the model `x1` alone, with `x0`
# drawn from anywhere, and it predicts $-x_1$ where $y$ in fact *grows* with `x1`: worse than knowing nothing. At a linear
# least-squares fit marginal SAGE is $b_j \,\mathrm{Cov}(x_j, y)$, with $b_j$ the coefficient, here $-1 \cdot 0.8$. The conditional game lets
# `x1` also speak for the `x0` that goes with it. Both pairs of exact values add up to 1.4, the variance of $x_0 - x_1$, which is what
# the model saves. A negative value is not an error to be clipped, and it does not say that the feature is useless. (The bars
# speak of the orders drawn, not of the rows.)
#
# ## 4.11 May I say this?
#
# A forest on the diabetes data, one patient, sixty other patients as background: the marginal game with ten players. The dots are
# means over 16 random orders with their 95 % intervals, the diamonds the exact values from all 1,024 coalitions.

# %%
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

from course_lib.questions import Q3
from course_lib.results import Importances

X_d, progression = load_diabetes(return_X_y=True, as_frame=True)
forest = RandomForestRegressor(30, max_depth=5, random_state=0).fit(X_d, progression)
patient, background = X_d.iloc[9], X_d.iloc[100:160]
table = worths(prediction_game(forest.predict, patient, background), 10)

# %%
drawn = sampled_shapley_values(table, 10, n_orders=16, random_state=0)
result = Importances(drawn, X_d.columns, "Shapley value, marginal game", Q3)
picture(
    plot_importances(result, truth=shapley_values(table, 10)),
    alt="Ten values for one patient: s5 far above zero, bmi second, bp and s6 below "
    "zero, s4 next to zero. The exact values lie in or near the intervals.",
)

# %%
may_i_say("04.a")

# %% [markdown]
# ## Keep this
#
# A Shapley value is a player's marginal contribution, averaged over all orders of arrival, and no other rule is efficient, symmetric and
# strongly monotonic. **The axioms say how a game is to be shared out. They do not say which game to play**, and for a model that is the
# question of how a feature is removed.
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | Q3: to one prediction of a given model | [Shapley value](glossary.md#shapley-values-of-the-marginal-game-interventional), `shapley_values(prediction_game(...))`, `tree_shap` | 0 | depends on removal and background; 0 may be contributions that cancel |
# | Q1: to a given model | [marginal SAGE](glossary.md#marginal-sage), `sage(model, X, y)` | 0 | may be negative for a useful feature |
# | to the data distribution | [conditional SAGE](glossary.md#conditional-sage), `sage(..., sampler=...)` | 0 | credits what the model does not read |
#
# What is still wrong: every further feature doubles the number of coalitions, and the marginal game asks the model about rows that
# never occur. Lesson 05 finds a game that a forest of a certain kind solves while it grows. And "the model uses it" is still one choice of
# removal away from "it tells about what the model uses"; lesson 08 takes the two apart.
#
# ## Practise
#
# The exercise [04_shapley_axioms](exercises/04_shapley_axioms.ipynb) builds all of this from one marginal contribution to the games that models
# play. Your progress so far:

# %%
from course_lib.learner import progress

progress("04")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Shapley (1953); Young (1985); Sutera, Louppe, Huynh-Thu, Wehenkel and Geurts (2021), section 2, for games and the four axioms;
# the DEDACT paper, appendix B, for the five; Lundberg and Lee (2017) and Lundberg and colleagues (2020) for Kernel and tree SHAP; Covert, Lundberg
# and Lee (2020) for SAGE; Littlechild and Owen (1973) for the shared fare.
#
# *Words of this lesson:* [marginal SAGE](glossary.md#marginal-sage), [Shapley values of the marginal game
# (interventional)](glossary.md#shapley-values-of-the-marginal-game-interventional), [Shapley values of the conditional
# game](glossary.md#shapley-values-of-the-conditional-game), [tree SHAP,
# path-dependent](glossary.md#tree-shap-path-dependent), [linear contributions](glossary.md#linear-contributions),
# [conditional SAGE](glossary.md#conditional-sage), [axioms](glossary.md#axioms), [background](glossary.md#background),
# [game](glossary.md#game), [interval](glossary.md#interval), [marginal
# contribution](glossary.md#marginal-contribution), [removal](glossary.md#removal), [Shapley
# value](glossary.md#shapley-value). All words and symbols are in the [glossary](glossary.md), the works in the
# [references](references.md), and all lessons and measures on the map at the end of [lesson
# 00](00_six_questions.ipynb).
