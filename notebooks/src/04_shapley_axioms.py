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
# A lamp is lit if both of its switches are on. A decision tree has learnt this from ten rows, and it makes no mistakes. We ask three
# programs how much each switch contributed to one of its predictions, "lit". The picture that follows shows what they answer.

# %% jupyter={"source_hidden": true}
import pandas as pd
from sklearn.tree import DecisionTreeRegressor

from course_lib.measures import prediction_game, sage, tree_game, tree_shap
from course_lib.models import shapley_values
from course_lib.plots import picture, plot_comparison, plot_importances
from course_lib.questions import Q3
from course_lib.results import Importances
from course_lib.worlds import make_gate

X10, lamp10 = make_gate("and", counts=(4, 1, 2, 3))
tree = DecisionTreeRegressor(random_state=0).fit(X10, lamp10)
games = {
    "A": tree_game(tree, [1, 1]),
    "B": prediction_game(tree.predict, [1, 1], X10),
    "C": prediction_game(tree.predict, [1, 1], X10, removal="conditional"),
}
switches, answers = ("switch x1", "switch x2"), {}
for name, v in games.items():
    shares = shapley_values(v, 2)[:, None]
    answers[f"program {name}"] = Importances(shares, switches, "contribution", Q3)
picture(
    plot_comparison(answers),
    alt="Contributions of the two switches to one prediction, by three programs. "
    "Program A: x1 0.175, x2 0.525. Program B: 0.3 and 0.4. Program C: 0.275 and 0.425.",
)
#| holds [shapley_values(v, 2).round(3).tolist() for v in games.values()] == [[0.175, 0.525], [0.3, 0.4], [0.275, 0.425]]
#| says One tree, one prediction, three answers. All three are Shapley values, and it is a theorem that only one rule obeys Shapley's axioms. None of the programs has a bug. How can a unique answer come in three versions?

# %% [markdown]
# One tree, one prediction, three answers. All three are Shapley values, and all three obey the same axioms of fairness. It is a theorem that only
# one rule obeys these axioms. None of the programs has a bug. How can a unique answer come in three versions? Write down your explanation
# before you go on; you will need it in half an hour.
#
# *In this lesson: how a joint gain is shared out fairly, what the axioms of Shapley's rule say and which of them each rival rule
# breaks, and what has to be decided before any of it applies to a model. About 60 minutes.*
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
# pair for six euros. The three of them sell a pair together, one glove is left over, and there are {{six euros | gloves({0, 1, 2}) == 6}} on the table.
#
# Nobody earns anything without Ann. But Ann, too, earns nothing alone.

# %%
names = ("Ann", "Ben", "Cem")


def gloves(S):
    """The euros that the players in S earn: Ann is 0, Ben is 1, Cem is 2."""
    return 6.0 if 0 in S and len(S) >= 2 else 0.0


predict("04.1")

# %% [markdown]
# Shapley's proposal, of 1953: let them enter a room one after the other, and give each what the takings rise by
# when they come in. Whoever completes the pair gets the six euros. That depends on the order, so go through all six
# orders, and take the mean. In the table each row is one order, shared out by `arrival`.

# %% tags=["after-04-1"]
from itertools import permutations

from course_lib.models import RULES, arrival, axiomatic_shares, broken_axioms

orders = list(permutations(range(3)))
walks = pd.DataFrame(
    [arrival(gloves, 3, order) for order in orders],
    index=[", ".join(names[i] for i in order) for order in orders],
    columns=names,
)
#| says Each row is one order of coming in, and whoever completes the pair gets the six euros. The mean over the {{six | len(walks) == 6}} orders gives Ann {{4 | walks["Ann"].mean()}} euros, Ben and Cem {{1 | walks["Ben"].mean()}} each.
walks

# %%
reveal("04.1", walks["Ann"].mean())

# %% [markdown]
# ## 4.2 The picture to remember
#
# A **game**, here, is a function $v$ that says what every group $S$ of players, every **coalition**, is worth, with
# $v(\emptyset) = 0$. Three players have eight coalitions. Draw a line wherever one player joins, and write on it what the
# worth rises by, the **marginal contribution**
#
# $$MC_m(S) = v(S \cup \{m\}) - v(S) .$$

# %% tags=["after-04-1"] jupyter={"source_hidden": true}
from course_lib.plots import plot_lattice

picture(
    plot_lattice(gloves, names),
    alt="The eight coalitions of Ann, Ben and Cem. Only Ann with Ben, Ann with Cem, and "
    "all three earn 6. Ann's steps are worth 0, 6, 6 and 6; Ben and Cem have one step "
    "worth 6 each. Means over all orders: 4, 1, 1.",
)
#| holds shapley_values(gloves, 3).round(9).tolist() == [4, 1, 1]

# %% [markdown]
# One order of arrival is one walk from the bottom to the top. Ann's lowest edge lies on two of the six walks, her middle ones on
# one each, her highest on two. So the mean over the walks is a weighted mean over the edges: with $p$ players,
#
# $$\phi_m = \sum_{S \not\ni m} \frac{|S|!\,(p-|S|-1)!}{p!}\; MC_m(S) ,$$
#
# equation 1 of Sutera and colleagues: the **Shapley value** $\phi_m$ of player $m$. The factorials count walks: there are $|S|!$ orders for
# those who come before $m$, $(p-|S|-1)!$ for those who come after, $p!$ in all. In code it is `shapley_values(gloves, 3)`.
#
# ## 4.3 Rivals
#
# Averaging over orders is one idea. There are others, and you have met some of them under other names. Ann and Ben make
# music in the street. Alone each of them earns {{3 | duo({0})}}, together {{10 | duo({0, 1})}}. Cem stands by and listens.

# %% slideshow={"slide_type": "notes"}
duo_worths = {frozenset({0}): 3, frozenset({1}): 3, frozenset({0, 1}): 10}


def duo(S):
    """What the players in S earn; Cem, player 2, changes nothing."""
    return duo_worths.get(frozenset(S) - {2}, 0)


shared = pd.DataFrame(
    {rule: share(duo, 3) for rule, share in RULES.items()}, index=names
).T
shared.assign(total=shared.sum(axis=1)).round(2)

# %% [markdown]
# *Leave-one-out* gives each player what would be lost without them. You measure it when you drop a variable and look at the damage.
# *Order of arrival* gives each what they add when they arrive, in the fixed order Ann, Ben, Cem, much as a single tree credits its
# variables in the order in which it happens to ask them. *Equal split* needs no explanation. *Proportional* shares by what each earns alone, as
# people do who rank variables by their correlation with the target.
#
# Which of these is fair? Rather than argue about the numbers, let us say what a rule must never do. Such demands are called
# **axioms**:
#
# | axiom | in words |
# |---|---|
# | efficiency | the shares add up to what everybody earns together |
# | symmetry | two players who contribute the same to every coalition get the same |
# | null player | a player who never contributes anything gets nothing |
# | strong monotonicity | if your contributions in one game are nowhere smaller than in another, your share is not smaller either |
# | linearity | playing two games and adding the shares is the same as sharing the sum of the games |
#
# Sutera and colleagues list the first four, the DEDACT paper (appendix B) all five. Now let one afternoon in the street
# put every rule to the test. The last two axioms compare two games, so for them we add a second, small game, a bonus of 1 for every group with Ann in it.

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
#| says Ann and Ben earn {{3 each alone | duo({0}) == duo({1}) == 3}} and {{10 together | duo({0, 1}) == 10}}, and Cem adds {{nothing | all(duo(S | {2}) == duo(S) for S in (set(), {0}, {1}, {0, 1}))}}. Leave-one-out gives what would be lost without a player, order of arrival what each adds if they come in as Ann, Ben, Cem; proportional shares by what each earns alone. Of efficiency, symmetry, null player and linearity, each rival breaks here one that the other three keep.

# %% [markdown]
# This afternoon each rival breaks an axiom that the other three keep, and {{two | sum("strong monotonicity" in broken_axioms(share, duo, 3, names) for share in RULES.values())}} of them break strong monotonicity as well. Leave-one-out hands out {{14 euros | shared.loc["leave-one-out"].sum()}} from a hat that has {{10 | duo({0, 1, 2})}} in it. By order of
# arrival, Ann and Ben would quarrel about who comes last. Equal split pays the listener. And proportional shares are not linear: give Ann a bonus of
# 1, and what she gets depends on whether the bonus is shared out together with the takings or separately. (Proportional shares agree with Shapley's
# this afternoon, and they must: with two equal players and a listener, efficiency, symmetry and null player leave no choice. Make the two players unequal, and the rules
# differ, unless the two earn together just the sum of what each earns alone.) Shapley's rule itself is not in the table.
#
# One afternoon can refute a rule, but no afternoon can prove one: with the gloves, leave-one-out gives {{6, 0, 0 | RULES.get("leave-one-out")(gloves, 3).tolist() == [6, 0, 0]}}, which happens to
# add up. An axiom is about *all* games.
#
# ## 4.4 Why there is no sixth rule
#
# That Shapley's rule keeps the axioms is a short computation. That nothing else does is Young's theorem (1985), and it
# needs only three of them: efficiency, symmetry and strong monotonicity. In plain words: *if your contributions are
# the same in two games, you get the same in both, whatever the others do there. Players who contribute alike get alike shares. Everything is handed
# out. That leaves nothing to choose.*
#
# Watch it happen to the gloves. The game is a sum of three: 6 for whoever has Ann and Ben, plus 6 for whoever has Ann and Cem, minus
# 6 for whoever has all three, since there is no second pair.
#
# Ben contributes nothing to the second part. So his share is what it would be without it, in "6 for Ann and Ben, minus 6 for all
# three". There, Cem takes part in the last term only, so by the same step his share is what it would be in that term alone. There all three are alike and get $-2$ each, so Cem
# gets $-2$. The whole is worth $6 - 6 = 0$, so Ann and Ben, who are alike now, share the remaining $+2$: Ben gets 1. By the same
# argument Cem gets 1. Ann gets what is left: {{4 | shapley_values(gloves, 3)[0]}}.
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
    },
    index=[*names, "Dan"],
).round(4)
#| says A game of four whose coalitions have random worths, shared out in three ways, and the columns {{agree | np.allclose(axiomatic_shares(random_game, 4), shapley_values(random_game, 4))}}. The first uses only efficiency, symmetry and strong monotonicity.

# %% [markdown]
# Three computations, and the columns {{agree | np.allclose(axiomatic_shares(random_game, 4), shapley_values(random_game, 4))}}. The null player axiom was not used: it follows from the others. Linearity was not used
# either. (Shapley's own proof of 1953 takes linearity and null player in the place of strong monotonicity; a list of all five
# merges two theorems.)
#
# ## 4.5 Turn the knob
#
# Here the game is yours. The picture has the lattice of a game, the shares by both rules, and for each axiom whether the rival keeps or breaks it in this
# game. "Kept" means only that this game does not catch the rule breaking the axiom; another game may.

# %% [markdown] slideshow={"slide_type": "skip"}
# Here are the two musicians and their listener.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import lattice_explorer

explorer = lattice_explorer()
explorer.figure(A=3, B=3, AB=10, AC=3, BC=3, ABC=10)

# %% [markdown]
# The explorer begins with the gloves. Leave-one-out stands for a common meaning of "important": whoever would be missed is important. Find a game in which this rule puts
# two players in the opposite order from Shapley's rule. Each button with a name such as *Gloves* sets a game; in a running notebook you can also make your own, with a slider for the worth of each coalition. Then switch the rival rule and
# catch each of the other rivals on its own axiom. (Proportional shares need somebody who earns something alone. In *Gloves* and in *All or nothing* nobody does.)

# %%
explorer

# %% [markdown]
# A control can also be set by a line of code. The gloves, shared out in the order Ann, Ben, Cem:

# %%
explorer.controls["rule"].value = "order of arrival"
print(explorer.readout_text)

# %% [markdown]
# ## 4.6 A prediction is a game
#
# Now the players are features, and what they earn together is one prediction. Back to the lamp of lesson 01, with all four positions
# of the switches equally frequent. The tree predicts 1 where both switches are on. Switch one of them off, and the prediction
# falls to 0.
#
# A game needs a worth for every coalition, also for "only `x1` is known". The model cannot run on half a row. One
# way out: put the known values into every row of a sample of rows, the **background**, leave the rest as it is there, and average
# the predictions.

# %%
X, lamp = make_gate("and")
fair_tree = DecisionTreeRegressor(random_state=0).fit(X, lamp)
predict("04.2")

# %% [markdown]
# Here is the game: the row with both switches on, and the four positions as the background.

# %%
v = prediction_game(fair_tree.predict, [1, 1], X)
reveal("04.2", shapley_values(v, 2)[0])

# %% tags=["after-04-2"] jupyter={"source_hidden": true}
picture(
    plot_lattice(v, ("x1", "x2")),
    alt="Knowing nothing the mean prediction is 0.25, knowing one switch 0.5, knowing "
    "both 1. Each switch adds 0.25 when it comes first and 0.5 when it comes second, on "
    "average 0.375.",
)
#| says In each box: the switches that are known, and the mean prediction then. A line says what it rises by when one more becomes known. The two shares add up to {{0.75 | shapley_values(v, 2).sum()}}, the difference between this prediction and the mean prediction. They are neither probabilities nor percentages.
#| holds [v(S) for S in (set(), {0}, {1}, {0, 1})] == [0.25, 0.5, 0.5, 1]

# %% [markdown]
# ## 4.7 Three games, one theorem
#
# Back to the ten rows of the beginning: {{both switches off four times | (X10.sum(axis=1) == 0).sum() == 4}}, only `x2` on once, only `x1` on twice, {{both on three | (X10.sum(axis=1) == 2).sum() == 3}}
# times. A tree that takes the best split, by squared error as by Gini or entropy, always asks `x2` first here, and so does ours. To get a tree that asks `x1` first, let chance
# choose the switch, with `max_features=1`. Do the two trees make the same predictions?

# %%
others = [
    DecisionTreeRegressor(max_features=1, random_state=seed).fit(X10, lamp10)
    for seed in range(10)
]
second_tree = next(other for other in others if other.tree_.feature[0] == 0)
bool((tree.predict(X) == second_tree.predict(X)).all())

# %% [markdown]
# They do, in all four positions of the switches. Program A was tree SHAP, the best-known program for trees, without a background sample. Where it does not know
# the feature that a node asks about, it goes down both branches, and weights them by the training rows that went there.

# %%
predict("04.3")

# %% tags=["after-04-3"] jupyter={"source_hidden": true}
games["A again"] = tree_game(second_tree, [1, 1])
differ = not np.allclose(
    shapley_values(games["A"], 2), shapley_values(games["A again"], 2)
)
answer = "yes, they may" if differ else "only by rounding"

# %%
reveal("04.3", answer)

# %% tags=["after-04-3"] jupyter={"source_hidden": true}
from course_lib.plots import plot_games

titles = {
    "A": "A  path-dependent,\nx2 asked first",
    "A again": "A  path-dependent,\nx1 asked first",
    "B": "B  marginal,\neither tree",
    "C": "C  conditional,\neither tree",
}
picture(
    plot_games({title: games[key] for key, title in titles.items()}, ("x1", "x2")),
    alt="Four lattices with the same bottom, 0.3, and the same top, 1. Knowing x1 alone "
    "is worth 0.4, 0.6, 0.4, 0.6; knowing x2 alone 0.75, 0.5, 0.5, 0.75. The Shapley "
    "values are (0.175, 0.525), (0.4, 0.3), (0.3, 0.4), (0.275, 0.425).",
)
#| says The ten rows: {{both switches off four times | (X10.sum(axis=1) == 0).sum() == 4}}, only `x2` on once, only `x1` on twice, {{both on three times | (X10.sum(axis=1) == 2).sum() == 3}}. The programs differ in the middle boxes: what is predicted while a switch is not known.
#| holds [round(games.get(g)({j}), 3) for j in (0, 1) for g in titles] == [0.4, 0.6, 0.4, 0.6, 0.75, 0.5, 0.5, 0.75]
#| holds shapley_values(games["A again"], 2).round(3).tolist() == [0.4, 0.3]

# %% [markdown]
# What a coalition is worth while a switch is not known is a decision about *removal*, made before any axiom is applied. Three ways are common:
#
# - *marginal* (also called interventional), program B: the missing switch is drawn as if it had nothing to do with the known one. This asks
#   what the **model** does with its inputs.
# - *conditional*, program C: the missing switch is drawn from the rows that agree with what is known. If `x1` is on, `x2` is on in {{three rows of five | X10[X10["x1"] == 1]["x2"].tolist().count(1) == 3 and (X10["x1"] == 1).sum() == 5}}, not in {{four of ten | (X10["x2"] == 1).sum() == 4 and len(X10) == 10}}. This also lets in how the inputs are associated in the **data**.
# - *path-dependent*, program A: the missing switch is averaged over the branches of the tree, by the training rows that went there. This also depends on how
#   the tree was **grown**.
#
# > **What the textbook says.** Kernel SHAP is said to estimate the conditional expectation, and tree SHAP to rest on an interventional
# > one. There is something to both: Kernel SHAP is derived from the conditional expectation, and then takes the features as independent; tree SHAP has an interventional
# > version, for those who bring a background. What does the shap package compute?

# %%
import shap

row = X10.tail(1)  # both switches on
kernel = shap.KernelExplainer(tree.predict, X10.to_numpy())
programs = {
    "Kernel SHAP": kernel.shap_values(row.to_numpy(), silent=True)[0],
    "tree SHAP without data": tree_shap(tree, row).values[0],
    "tree SHAP with background": tree_shap(tree, row, background=X10).values[0],
}
pd.DataFrame(programs, index=["x1", "x2"]).T.round(3)

# %% [markdown]
# Kernel SHAP fills in background rows: {{the marginal game | np.allclose(programs["Kernel SHAP"], shapley_values(games["B"], 2))}}, program B. Tree SHAP
# plays it only if it is given background data. Without data it is path-dependent. Asked for `interventional` without data, shap 0.51 falls back to
# path-dependent as well, and warns that a later version will raise an error. None of them plays the conditional game, which needs the distribution of the data.
#
# ## 4.8 Twins
#
# What becomes of two copies of one variable? Let the second column repeat the first, a switch that is on or off. A single tree needs only one
# split, so it reads only one of the copies. Least squares has many equally good solutions here; scikit-learn takes the one with the smallest coefficients, which uses both alike.

# %%
from sklearn.linear_model import LinearRegression

twins = pd.DataFrame({"x": [0, 0, 1, 1], "copy": [0, 0, 1, 1]})
readers = {"tree": DecisionTreeRegressor(random_state=0)}
readers["least squares"] = LinearRegression()
shares = {}
for name, reader in readers.items():
    f = reader.fit(twins, [0, 0, 1, 1]).predict
    for removal in ("marginal", "conditional"):
        v = prediction_game(f, [1, 1], twins, removal=removal)
        shares[name, removal] = shapley_values(v, 2)
pd.DataFrame(shares, index=twins.columns).T.round(3)
#| says The second column is a copy of the first. These are their Shapley values for a row with both on, in two games. The tree reads only {{one of the two columns | len(set(readers["tree"].tree_.feature) - {-2}) == 1}}; least squares uses {{both alike | np.ptp(readers["least squares"].coef_) < 1e-9}}.

# %% [markdown]
# > **What the textbook says.** Tree SHAP is said to give two duplicated features exactly half of the importance each. It does, if the model uses both copies alike, and comes near to it in a large
# > forest whose trees pick one or the other by chance. A single tree that reads one copy gives the other {{exactly 0 | shares["tree", "marginal"].min() == 0}}, in the marginal game and in path-dependent tree SHAP. The
# > *conditional* game gives halves whatever the model does, since knowing either copy is knowing both.
#
# So in the conditional game a column that the model never reads can get credit. In the other two it cannot.
#
# ## 4.9 May I say this?
#
# A forest on the diabetes data, one patient, {{sixty | len(background) == 60}} other patients as background: the marginal game with ten players. With thirty features there would be a billion
# coalitions, so one draws orders at random instead. (The further part turns such draws into intervals: the mean plus or minus 2 standard errors. With as few as 16 orders one takes {{2.13 | __import__("scipy.stats").stats.t.ppf(0.975, drawn.shape[1] - 1)}} instead of 2, from Student's $t$.) Here the diamonds are exact,
# from all {{1,024 | len(table)}} coalitions; the dots are means over {{16 | drawn.shape[1]}} orders, and the bars are intervals of about 95 % for what all orders would give.

# %%
from sklearn.datasets import load_diabetes
from sklearn.ensemble import RandomForestRegressor

from course_lib.models import sampled_shapley_values, worths

X_d, progression = load_diabetes(return_X_y=True, as_frame=True)
forest = RandomForestRegressor(30, max_depth=5, random_state=0).fit(X_d, progression)
patient, background = X_d.iloc[9], X_d.iloc[100:160]
table = worths(prediction_game(forest.predict, patient, background), 10)
drawn = sampled_shapley_values(table, 10, n_orders=16, random_state=0)

# %% jupyter={"source_hidden": true}
sampled = Importances(drawn, X_d.columns, "Shapley value, marginal game", Q3)
ax = plot_importances(sampled, truth=shapley_values(table, 10))
ax.set_xlabel("Shapley value, marginal game\n(line at 0: no share)")
ax.get_legend().get_texts()[-1].set_text("exact, from all coalitions")
picture(
    ax,
    alt="Ten values for one patient: s5 far above zero, bmi second, bp and s6 below "
    "zero, s4 next to zero. The exact values lie in or near the intervals.",
)
#| says A forest on the diabetes data of lesson 01, one patient, {{sixty | len(background) == 60}} others as background. The diamonds are exact, from all {{1,024 | len(table)}} coalitions; the dots are means over {{16 | drawn.shape[1]}} orders, and the bars are intervals of about 95 % for what all orders would give.
#| holds [X_d.columns[k] for k in np.argsort(-shapley_values(table, 10))[:2]] == ["s5", "bmi"]
#| holds max(shapley_values(table, 10)[[3, 9]]) < -1 and abs(shapley_values(table, 10)[7]) < 1

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
# | Q3: to one prediction of a given model | [Shapley value](glossary.md#shapley-values-of-the-marginal-game-interventional), `shapley_values(prediction_game(...))`, `tree_shap`; for a linear model [linear contributions](glossary.md#linear-contributions) | 0 | depends on removal and background; 0 may be contributions that cancel |
# | Q1: to a given model | [marginal SAGE](glossary.md#marginal-sage), `sage(model, X, y)` (further part) | 0 | holds for this model, this loss and this removal |
# | to the data distribution, *if the model is the best predictor* | [conditional SAGE](glossary.md#conditional-sage), `sage(..., sampler=...)` | 0 | for any other model it measures what a feature contributes through that model; it can also credit features that the model does not read |
#
# What is still wrong: every further feature doubles the number of coalitions, and the marginal game may ask the model about rows that
# never occur. Lesson 05 finds a game that a forest of a certain kind solves while it grows. And a single choice of removal still decides whether credit is given for what the
# model *uses* or also for what is *associated* with it; lesson 08 separates the two.

# %% [markdown]
# ## Further: a whole model, and the plots you will meet
#
# Five additions, each of which can be read alone: SAGE, which plays the game about the loss of a whole model; sampling, when there are too many
# orders; zeros that hide something; a model without interactions; and the plots of the shap package, with what each of them lets you say.
#
# ### From one prediction to the whole model: SAGE
#
# **SAGE** (Covert and colleagues, 2020) plays the same game about the loss instead of a prediction. A coalition is worth the loss that
# knowing its features saves, on average over the data:
#
# $$v(S) = \mathbb{E}\,[\mathrm{loss}(y, f_\emptyset)] - \mathbb{E}\,[\mathrm{loss}(y, f_S(x_S))] ,$$
#
# where $f_S$ averages the predictions over the features that are not known. Here the loss is the squared error. Removal has to be decided here too.
#
# In the world below, $y = x_0 - x_1$ plus a little noise, and the two inputs have correlation {{0.9 | X_world.corr().iloc[0, 1]}}. Is `x1` of any use? Fit once with it and
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
given = sage(model, X_world, y_world, sampler=GaussianSampler(), random_state=0)
estimated = {
    "marginal": sage(model, X_world, y_world, random_state=0),
    "conditional": given,
}

# %% tags=["after-04-4"] jupyter={"source_hidden": true}
negative = estimated["marginal"].importances_mean[1] < 0
answer = "negative" if negative else "positive, but small"

# %%
reveal("04.4", answer)

# %% [markdown]
# Both games, estimated and exact. (The bars show how much the drawn orders scatter, not the rows.)

# %% tags=["after-04-4"] jupyter={"source_hidden": true}
pictured = {}
for removal, result in estimated.items():
    pictured |= {removal: result, f"{removal}, exact": truth.sage(removal)}
picture(
    plot_comparison(pictured),
    alt="Marginal SAGE gives x0 2.2 and x1 minus 0.8; conditional SAGE gives x0 0.985 "
    "and x1 0.415. Estimates and exact values agree.",
)
#| holds truth.sage("marginal").importances_mean.round(3).tolist() == [2.2, -0.8]
#| holds truth.sage("conditional").importances_mean.round(3).tolist() == [0.985, 0.415]

# %% [markdown]
# Conditional SAGE is sometimes said to describe the data and not the model. It does, if the model is the best predictor there is, here the true regression
# $x_0 - x_1$. Put two other models into the same world, one that always predicts the mean and one with the wrong signs:

# %%
models = {"best": (1, -1), "constant": (0, 0), "wrong signs": (-1, 1)}
pd.DataFrame(
    {
        name: linear_gaussian(world, "y", dict(zip(("x0", "x1"), b, strict=True)))
        .sage("conditional")
        .importances_mean
        for name, b in models.items()
    },
    index=["x0", "x1"],
).round(3)

# %% [markdown]
# Same data, three answers: conditional SAGE measures what the features contribute *through the model it is given*. If that model is the best predictor, it is a property of the
# distribution. Lesson 05 comes back to that case.
#
# ### When there are too many orders
#
# Ten friends take one taxi home along the same road; the fare of a group is the fare of whoever lives farthest. Ten
# players have {{1,024 | 2 ** len(stops)}} coalitions, which is little for a computer, and {{3,628,800 | __import__("math").factorial(len(stops))}} orders.

# %%
stops = np.array([4, 6, 9, 12, 14, 18, 23, 27, 34, 42])


def taxi(S):
    """The fare of the group S, in euros."""
    return max((stops[i] for i in S), default=0)


drawn = sampled_shapley_values(taxi, 10, n_orders=400, random_state=0)
columns = {"exact": shapley_values(taxi, 10)}
for n in (100, 400):
    first = drawn[:, :n]
    columns[f"{n} orders"] = first.mean(axis=1)
    columns[f"± with {n}"] = 2 * first.std(axis=1, ddof=1) / np.sqrt(n)
pd.DataFrame(columns, index=pd.Index(stops, name="fare alone")).round(2)

# %% [markdown]
# Every column of `drawn` is one order, drawn independently of the others. So the standard error of the mean is the
# standard deviation between the columns, divided by the square root of their number, and with as many orders as here about 95 % of the intervals of $\pm 2$ standard errors
# contain the exact share. (With few orders, fewer do: a player who seldom counts may not have counted once.) Four times as many orders {{halve | abs(columns["± with 400"].sum() / columns["± with 100"].sum() - 0.5) < 0.1}} the error, whatever the number of players: compare the two columns with ±.
#
# ### Zeros that hide something
#
# Two models this time. One computes XOR, where neither input says anything alone. The other predicts a score: drug `x1` raises it by {{3 | score(np.array([[1, 0]]))[0]}}, but lowers
# it by {{1 | score(np.array([[0, 1]]))[0] - score(np.array([[1, 1]]))[0]}} if drug `x2` is taken as well. We explain the patient who takes both. The background is the same for both: all four combinations, equally
# frequent.


# %%
def score(rows):
    """What the model predicts for patients who take drug x1, drug x2, both or none."""
    return 3 * rows[:, 0] - 4 * rows[:, 0] * rows[:, 1]


def xor(rows):
    return (rows[:, 0] != rows[:, 1]).astype(float)


two_games = {
    "XOR at (1, 1)": prediction_game(xor, [1, 1], X.to_numpy()),
    "two drugs": prediction_game(score, [1, 1], X.to_numpy()),
}

# %% jupyter={"source_hidden": true}
picture(
    plot_games(two_games, ("x1", "x2")),
    alt="XOR: each input adds 0 first and -0.5 second, on average -0.25. Two drugs: x1 "
    "adds 0.5 first and takes 0.5 away second, on average 0; x2 gets -1.5.",
)
#| holds [shapley_values(g, 2).tolist() for g in two_games.values()] == [[-0.25, -0.25], [0, -1.5]]

# %% [markdown]
# In XOR the two inputs share, half and half, what only both together determine; leave-one-out would give each the whole, and a look
# at single inputs would give nothing.
#
# The drug `x1` gets {{exactly 0 | shapley_values(two_games["two drugs"], 2)[0] == 0}}. It is not unused: known first it raises the expected score, known second it lowers it by as much, and the
# mean hides that the two cancel. Nor is 0 what happens to this model's prediction if `x1` is set to 0: it would rise by {{1 | score(np.array([[0, 1]]))[0] - score(np.array([[1, 1]]))[0]}}, from {{$-1$ to 0 | [score(np.array([[k, 1]]))[0] for k in (1, 0)] == [-1, 0]}}.
#
# > **What the textbook says.** A permutation importance near zero suggests that the feature was not used. There too, gains and losses may
# > cancel: some rows are predicted worse after the shuffling, others better. Look at the parts, not only at their mean.
#
# ### A model without interactions
#
# For a linear model the marginal game has a short answer. What a feature adds does not depend on which others are known, so all orders agree: its Shapley value
# is its coefficient times the distance of its value from the background's mean. These are called **linear contributions**. Least squares and the
# patient of 4.9, against all {{1,024 | len(worths(v, 10))}} coalitions:

# %%
from course_lib.models import linear_coefficients

least_squares = LinearRegression().fit(X_d, progression)
contributions = linear_coefficients(least_squares) * (patient - background.mean())
v = prediction_game(least_squares.predict, patient, background)
np.allclose(contributions, shapley_values(worths(v, 10), 10))

# %% [markdown]
# In the conditional game this is no longer so where the features are associated: there a feature also gets credit for other features that it helps to predict.
#
# ### The plots of shap
#
# The shap package has three plots that you will meet in reports. First the **waterfall**: one prediction, from the mean over the background at the bottom to the prediction
# at the top. Here is the patient of 4.9 again.

# %% jupyter={"source_hidden": true}
from course_lib.plots import plot_shap

same = X_d.loc[[patient.name]]
explained = tree_shap(forest, same, background=background)
picture(
    plot_shap("waterfall", explained, same),
    alt="A waterfall, read from below: it starts at the background's mean prediction, "
    "170, and one bar for each feature leads to the forest's 202 for this patient. The "
    "longest bars are at the top: s5, about plus 30, then bp, about minus 10, and bmi, "
    "about plus 10.",
)
#| holds [round(float(explained.base[0])), round(float(forest.predict(same)[0]))] == [170, 202]
#| holds abs(explained.values[0][[8, 3, 2]] - [30, -10, 10]).max() < 1

# %% [markdown]
# The bars are sorted by size. The figure looks like a sequence, but the forest does not use the features in this order. And if you stop reading halfway
# up, you have not seen what the forest would predict from fewer features.
#
# The **summary plot** (shap calls it *beeswarm*) shows many predictions at once: a dot for each patient and feature, placed by its Shapley value and coloured by the value of the
# feature. The **dependence plot** takes one feature out of it and shows its values on the horizontal axis; the grey steps count the patients.

# %% jupyter={"source_hidden": true}
hundred = X_d.iloc[160:260]
many = tree_shap(forest, hundred, background=background)
picture(
    plot_shap("summary", many, hundred),
    alt="A summary plot of 100 patients: bmi and s5 spread widest, with high values of "
    "the feature to the right; bp comes next; the other seven stay nearer to zero.",
)

# %% jupyter={"source_hidden": true}
picture(
    plot_shap("dependence", many, hundred, feature="bmi"),
    alt="The Shapley values of bmi against bmi: about minus 40 where bmi is low, then a "
    "rise to about plus 70, and a spread of up to about 20 units between patients with "
    "nearly the same bmi. Grey steps at the bottom count the patients.",
)
#| holds -46 < np.median(many.values[(hundred["bmi"] < hundred["bmi"].quantile(1 / 3)).to_numpy(), 2]) < -30
#| holds 60 < many.values[:, 2].max() < 80
#| holds 15 < pd.Series(many.values[:, 2]).groupby(hundred["bmi"].round(6).to_numpy()).agg(np.ptp).max() < 25

# %% [markdown]
# Two patients with the same bmi may get different values for it: their other features differ, and the forest has interactions. For a model without interactions the dots of
# the marginal game lie on a curve.
#
# > **If you run shap 0.51 itself** on this forest with this background, its values are a little off. It keeps the thresholds of the trees in single precision, so that patients whose values lie next to a threshold take the wrong branch.
# > If a sum is off by more than 1 %, as happens among the hundred patients above, shap stops with an error; otherwise it says nothing. `tree_shap` rounds the thresholds so that nobody changes sides, and then calls shap.
#
# The mean of the absolute values is often printed as *the* importance of a feature, the **mean |SHAP|**. The textbook presents it as the global version. Which question
# does it answer? Grow two forests on 300 patients, one of them on a *shuffled* target, and measure two things on the other patients: permutation importance and,
# on {{fifty of them with sixty of the 300 as background | (__import__("course_lib.studies.targets", fromlist=[""]).N_EXPLAINED, __import__("course_lib.studies.targets", fromlist=[""]).N_BACKGROUND) == (50, 60)}}, mean |SHAP|. Each is added up over the ten features.

# %%
from course_lib.studies import moves_and_use

moves = moves_and_use(X_d, progression, random_state=0)
moves.round(-1).astype(int)

# %% [markdown]
# The forest on the shuffled target has nothing to learn, and still its features move the predictions a good deal, {{more than half as far as in the other forest | 0.5 < moves.iloc[0, 1] / moves.iloc[0, 0] < 0.9}}. Mean |SHAP| says how far a feature moves the
# predictions of this model (question Q1, to a given model). It never looks at the target, so it cannot say whether the moves are of any use; permutation importance and SAGE look at the loss. (With nothing
# to learn, the permutation importance depends mostly on chance: another shuffle of the target gives another number, often some hundreds away from zero, sometimes more than a thousand. It falls below zero more often than above, because the
# features are correlated: shuffled rows lie away from the data, and there this forest's predictions vary less. Predictions that have nothing to do with the target err less when they vary less.)
#
# | plot | lets you say | does not let you say |
# |---|---|---|
# | waterfall | how one prediction differs from the mean over this background, and the share of each feature | what would happen without a feature, or if its value were changed |
# | summary | for which features the shares spread widely over these rows, and whether high values go with high shares | that the feature matters to the target; that the direction is causal |
# | dependence | how the share changes with the feature's own value; a vertical spread shows interactions (marginal game) | what the outcome would do if the feature were moved |
# | mean absolute SHAP value | how far, on average, the feature moves predictions of this model | that the moves make the predictions better |

# %%
may_i_say("04.b")

# %% [markdown]
# ## Practise
#
# The exercise [04_shapley_axioms](../exercises/04_shapley_axioms/04_shapley_axioms.ipynb) builds all of this from one marginal contribution to the games that models
# play. Your progress so far:

# %%
from course_lib.learner import progress

progress("04")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Shapley (1953); Young (1985); Sutera, Louppe, Huynh-Thu, Wehenkel and Geurts (2021), section 2, for games and the four axioms;
# the DEDACT paper, appendix B, for the five; Lundberg and Lee (2017) and Lundberg and colleagues (2020) for Kernel and tree SHAP and the plots; Covert, Lundberg
# and Lee (2020) for SAGE; Littlechild and Owen (1973) for the shared fare; Efron, Hastie, Johnstone and Tibshirani (2004) for the diabetes data.
#
# *Words of this lesson:* [marginal SAGE](glossary.md#marginal-sage), [Shapley values of the marginal game
# (interventional)](glossary.md#shapley-values-of-the-marginal-game-interventional), [Shapley values of the conditional
# game](glossary.md#shapley-values-of-the-conditional-game), [tree SHAP,
# path-dependent](glossary.md#tree-shap-path-dependent), [linear contributions](glossary.md#linear-contributions),
# [conditional SAGE](glossary.md#conditional-sage), [axioms](glossary.md#axioms), [background](glossary.md#background),
# [game](glossary.md#game), [interval](glossary.md#interval), [marginal
# contribution](glossary.md#marginal-contribution), [mean absolute SHAP
# value](glossary.md#mean-absolute-shap-value), [removal](glossary.md#removal), [Shapley
# value](glossary.md#shapley-value). All words and symbols are in the [glossary](glossary.md), the works in the
# [references](references.md), and all lessons and measures on the map at the end of [lesson
# 00](00_six_questions.ipynb).
