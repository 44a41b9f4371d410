# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # 05 · MDI is a Shapley value
#
# Think of a seven-segment display, the kind you find on an oven. Two of its segments, lower right (`X6`) and bottom (`X7`), could burn out tonight, and
# every digit would still look different from every other. The segment at the top (`X1`) is another matter: it alone distinguishes a 7 from a 1.

# %% jupyter={"source_hidden": true}
from course_lib.plots import picture, plot_display, plot_panels
from course_lib.worlds import Categorical, load_led_table, make_gauges, make_led

X, y = make_led()
places = "top,upper left,upper right,middle,lower left,lower right,bottom".split(",")
places = dict(zip(X.columns, places, strict=True))
picture(
    plot_panels(
        lambda digit, ax: plot_display(X.loc[digit], labels=X.columns, ax=ax),
        {"a 1": 1, "a 7": 7, "an 8": 8},
        size=(6.4, 3.4),
    ),
    alt="The digits 1, 7 and 8 on a display with segments X1 top, X2 upper left, "
    "X3 upper right, X4 middle, X5 lower left, X6 lower right, X7 bottom. A 7"
    " is a 1 with X1 lit.",
)
#| says A 7 is a 1 with the top segment (`X1`) lit: no other segment distinguishes the two. An 8 lights all seven.
#| holds (X.loc[1] != X.loc[7]).sum() == 1 and X.loc[1, "X1"] != X.loc[7, "X1"] and (X.loc[8] == 1).all()

# %% [markdown]
# Now ask two large forests which matters more, the top or the bottom. Both measure impurity by entropy, and every tree sees all ten digits.
#
# - If its trees split on a variable that is drawn at random, a forest answers: the top.
# - If they look at all seven variables and take the best, it answers: the bottom.
#
# There is no noise in the data, neither forest has made an error, and both have handed out the same total, to the last digit: which of them is right about the display? Write down
# what you think before you go on.
#
# *In this lesson: what infinitely many random trees compute, why it is a Shapley value, how the credit splits by segment, by degree and by
# context, and what is lost when a tree may choose. About 60 minutes.*
#
# ## Before we start
#
# Three questions on lessons 01, 03 and 04, from memory.

# %%
from course_lib.learner import may_i_say, predict, recall, reveal

recall("05")

# %% [markdown]
# ## 5.1 Ten digits, seven switches
#
# $X_1, \dots, X_7$ say which segments are lit, $Y$ is the digit, and all ten digits are equally likely. These ten rows
# are not a sample. They are the whole distribution. First the claim of the opening: how many different pictures do the ten digits give without the last two segments, and how many
# without the top one?

# %%
led = Categorical(X, y)
for lost in (["X6", "X7"], ["X1"]):
    pictures = X.drop(columns=lost).drop_duplicates()
    print(
        "without", " and ".join(lost), "there are", len(pictures), "different pictures"
    )

# %% [markdown]
# {{Ten | len(X.drop(columns=["X6", "X7"]).drop_duplicates())}} without `X6` and `X7`: both are dispensable, even together. {{Nine | len(pictures)}} without `X1`: two digits now look the same.
#
# Lesson 01 credited splits with the impurity that they remove; from here on impurity is entropy, in bits. Forests that go on until the digit is known will
# hand out some number of bits to the seven segments. How many altogether?

# %%
predict("05.1")

# %%
reveal("05.1", led.mutual_information(X.columns))

# %% [markdown]
# ## 5.2 What an answer is worth depends on what came before
#
# Before anything is known, the upper right segment, `X3`, removes {{0.72 bits | led.mutual_information(["X3"])}}. Once the two on the left, `X2` and `X5`, are known, it is worth something else. The
# **conditional mutual information** is what $X_m$ adds about the digit $Y$ when the set $B$ is known: the uncertainty left by $B$, minus that
# left by $B$ and $X_m$,
#
# $$I(X_m; Y \mid B) = H(Y \mid B) - H(Y \mid B, X_m) .$$
#
# Here is one order of asking. Each row of boxes shows which digits are still possible, and on the right how many bits are left on
# average; in blue, what the question in between was worth.

# %% tags=["after-05-1"] jupyter={"source_hidden": true}
from course_lib.plots import plot_branches

picture(
    plot_branches(X, y, ["X2", "X5", "X3"]),
    alt="A tree that asks X2, X5 and X3. Ten digits fall into two groups, then "
    "four, then six; 3.32 bits are left at the top, then 2.35, 1.43 and 0.88,"
    " so the questions were worth 0.97, 0.92 and 0.55 bits.",
)
#| says Asked after `X2` and `X5`, the upper right segment `X3` removes {{0.55 bits | led.conditional_mutual_information("X3", ["X2", "X5"])}}, the last number in blue. On a branch, 1 means that the segment is lit and 0 that it is dark; in a grey box the digit is settled.
#| holds [f"{led.conditional_entropy(['X2', 'X5', 'X3'][:k]):.2f}" for k in range(4)] == ["3.32", "2.35", "1.43", "0.88"]

# %% [markdown]
# Asked after `X2` and `X5`, the upper right segment `X3` removes {{0.55 bits | led.conditional_mutual_information("X3", ["X2", "X5"])}}, the last number in blue. The table that follows computes it again, from the definition, beside the worth of `X3` as the first question and as the very last. It does the same for `X1` and `X7`:

# %%
import numpy as np
import pandas as pd


def worth(m, known):
    return round(led.conditional_mutual_information(m, known), 3)


pd.DataFrame(
    {
        m: [worth(m, B) for B in ([], ["X2", "X5"], X.columns.drop(m))]
        for m in ("X1", "X3", "X7")
    },
    index=["asked first", "after X2 and X5", "asked last"],
)
#| says There is the puzzle, in bits. Asked first, the bottom segment `X7` is worth {{more | worth("X7", []) > worth("X1", [])}} than the top one, `X1`. After `X2` and `X5` they are worth {{the same | worth("X7", ["X2", "X5"]) == worth("X1", ["X2", "X5"])}}. Asked last, `X7` adds {{nothing | worth("X7", X.columns.drop("X7")) == 0}}, while `X1` still settles whether a 1 is a 7.

# %% [markdown]
# There is the puzzle in one table. Asked first, the bottom segment `X7` is {{worth more | worth("X7", []) > worth("X1", [])}} than the top one. After `X2` and `X5` they are
# worth {{the same | worth("X7", ["X2", "X5"]) == worth("X1", ["X2", "X5"])}}. Asked last, `X7` adds {{nothing | worth("X7", X.columns.drop("X7")) == 0}} to the six others, while `X1` still settles whether a 1 is a 7. Seven segments have $2^6 = 64$ contexts $B$
# each. "The" worth of a segment has to be some average over them, and somebody has to choose the weights.

# %% [markdown] slideshow={"slide_type": "slide"}
# ## 5.3 Trees that do not choose
#
# Take the choice away. In a **totally randomized tree** each node asks a variable drawn at random among those not yet asked on its
# branch and gets one child for each value. The branch goes on until every variable has been asked. In infinitely many
# such trees, grown on infinitely many rows, what is the mean decrease of impurity of $X_m$?

# %% [markdown]
# Louppe and colleagues find it in three steps:
#
# - **Step (i): the decrease at a node is information.** With entropy as impurity, $\Delta i(t)$ at a node $t$ that asks $X_m$ is the
#   information of $X_m$ about $Y$ inside that node.
# - **Step (ii): the nodes of one context add up.** With ever more rows, $p(t)$ becomes the probability $P(B = b)$ of the answers that
#   lead to the node, and the nodes of the same questions together contribute $\sum_b P(B = b)\, I(X_m; Y \mid B = b) = I(X_m; Y \mid B)$.
# - **Step (iii): every context gets its turn.** Down one branch, a totally randomized tree asks the $p$ variables in a random order, all
#   $p!$ orders equally likely. So for every set $B$ of other variables there is a
#   probability that just these have been asked before $X_m$.
#
# The table that follows has the first two steps for the four nodes in the third row of the tree of 5.2, with $X_m$ = `X3`. The sum of step (ii) is that of the last column.

# %%
rows = []
for _, node in X.groupby(["X2", "X5"]):
    p, gain = (
        len(node) / 10,
        Categorical(node, y[node.index]).mutual_information(["X3"]),
    )
    rows.append((", ".join(map(str, node.index)), p, gain, p * gain))
pd.DataFrame(rows, columns=["digits in the node", "p(t)", "Δi(t)", "p(t) Δi(t)"]).round(
    3
)

# %% [markdown]
# These are the four nodes that `X2` and `X5` have made, in which `X3` is asked next. The last column adds up to the {{0.55 bits | sum(row[-1] for row in rows)}} that `X3` removes there.
#
# For step (iii), count. The first $k$ variables of a random order form the set $B$ with probability $1/C_p^k$, where $C_p^k$ is the number of sets of $k$ out of $p$, and the next one is $X_m$ with
# probability $1/(p-k)$. Of all orders of the seven segments, how many begin with `X2` and `X5`, either way round, and go on with `X3`?

# %%
from itertools import combinations, permutations
from math import comb

orders = list(permutations(X.columns))
hits = sum(set(order[:2]) == {"X2", "X5"} and order[2] == "X3" for order in orders)
print(f"{hits} of {len(orders)} orders: one in {len(orders) / hits:g}")
print(f"by the two probabilities: one in {comb(7, 2) * (7 - 2)}")

# %% [markdown]
# Put the three steps together and you have theorem 1 of Louppe et al. (their equation 2): the probability of each
# context, times what $X_m$ is worth in it, added up over all contexts.
#
# $$\mathrm{Imp}(X_m) = \sum_{k=0}^{p-1} \frac{1}{C_p^k} \frac{1}{p-k} \sum_{B \in \mathcal{P}_k(V^{-m})} I(X_m; Y \mid B)$$
#
# From left to right: how likely it is that the first $k$ of the $p$ questions are just those in $B$, how likely that $X_m$ comes next, and what $X_m$ is worth then, for each $B$ in
# $\mathcal{P}_k(V^{-m})$, the sets of $k$ variables other than $X_m$. In code it is the same sentence. Before
# it is computed: which segment will come out on top?


# %%
def theorem_1(law, m):
    names = law.feature_names
    p, others = len(names), [name for name in names if name != m]
    return sum(
        law.conditional_mutual_information(m, B) / (comb(p, k) * (p - k))
        for k in range(p)
        for B in combinations(others, k)
    )


predict("05.2")

# %%
imp = pd.Series({m: theorem_1(led, m) for m in X.columns})
reveal("05.2", f"{imp.idxmax()}, {places[imp.idxmax()]}")

# %% tags=["after-05-2"] jupyter={"source_hidden": true}
picture(
    plot_display(imp),
    alt="The display coloured by importance in bits: X5 lower left 0.66, X2 0.58,"
    " X4 0.54, X3 0.53, X1 0.41, X7 0.37, X6 0.23.",
)
#| holds imp.round(2).tolist() == [0.41, 0.58, 0.53, 0.54, 0.66, 0.23, 0.37]

# %% [markdown]
# The importance of a segment is an average, over *all orders*, of what it adds to those that came before. Lesson 04 had a name for that. Let the segments be
# players, and let a coalition be worth its information about the digit, $v(S) = I(X_S; Y)$. What $X_m$ adds to $S$ is then
# $v(S \cup \{X_m\}) - v(S) = I(X_m; Y \mid S)$, and Shapley's weights $\frac{|S|!\,(p - |S| - 1)!}{p!}$ are
# $\frac{1}{C_p^k}\frac{1}{p-k}$ with $k = |S|$, written differently.

# %% tags=["after-05-2"]
from course_lib.measures import asymptotic_mdi, mdi_by_degree
from course_lib.models import shapley_values

phi = shapley_values(lambda S: led.mutual_information(list(S)), n_players=7)
pd.DataFrame(
    {
        "theorem 1": imp,
        "Shapley value": phi,
        "asymptotic_mdi": asymptotic_mdi(led).importances_mean,
    }
).round(4)
#| says Three ways, {{one number | np.allclose(phi, imp) and np.allclose(asymptotic_mdi(led).importances_mean, imp)}}; the last column is the library's function for infinitely many trees. **MDI of totally randomized trees is the Shapley value of the mutual information** (theorem 1 of Sutera et al., who noticed it eight years later).

# %% [markdown]
# Three ways, {{one number | np.allclose(phi, imp) and np.allclose(asymptotic_mdi(led).importances_mean, imp)}}. **MDI of totally randomized trees is the Shapley value of the mutual information** (theorem 1 of Sutera et
# al., who noticed it eight years later). Random trees are random orders of asking. The lamp of lesson 01, where
# a fair answer needed both orders, was the case $p = 2$, with Gini in place of entropy.
#
# ## 5.4 Three levels in one bar
#
# The formula is a sum of sums, and nothing forces us to add it all up. Level one: the information splits into
# segments. Level two: each segment's share splits by **degree**, the number $k$ of others that were known. Level three: each degree
# splits into its contexts $B$, where we had {{0.55 bits | led.conditional_mutual_information("X3", ["X2", "X5"])}} for one of them. Two levels fit into a picture; the number on a part, where it fits, is its $k$.

# %% tags=["after-05-2"] jupyter={"source_hidden": true}
from course_lib.plots import plot_degrees

picture(
    plot_degrees(mdi_by_degree(led), X.columns),
    alt="Importance of each segment split by degree 0 to 6. X3 and X5 have the widest "
    "parts at degree 6, X6 and X7 have none.",
)
#| says The number on a part says how many other segments had been asked before. With all six others known, lower right (`X6`) and bottom (`X7`) add nothing.

# %% [markdown]
# The parts at $k = 6$ are what a segment is worth as the last question asked, divided by seven. Upper right (`X3`) and lower left (`X5`) have the widest: each of them is the only
# difference in two pairs of digits (5 and 9, 6 and 8; 5 and 6, 8 and 9). Lower right (`X6`) and bottom (`X7`) have none. So a Shapley value of {{0.37 bits | imp["X7"]}} does
# not say that {{0.37 bits | imp["X7"]}} would be lost without the bottom segment. Nothing would be lost. It says how much the segment adds, on average, when its turn comes at
# random.
#
# ## 5.5 Zero means irrelevant
#
# A variable is **irrelevant** if it adds nothing in any context: $I(X_m; Y \mid B) = 0$ for every $B$. Otherwise it is relevant: **strongly**, if it still adds something when
# all the others are known, as $X_1$ to $X_5$ do here, and **weakly**, if it does not, as $X_6$ and $X_7$ (Kohavi and John, 1997). Every weight in theorem 1 is
# positive and no term is negative, so $\mathrm{Imp}(X_m) = 0$ exactly when every term is 0. Not only does irrelevant imply zero,
# zero implies irrelevant (theorem 3 of Louppe and colleagues).
#
# Now attach three coins to the display, and flip them anew for every reading.

# %%
predict("05.3")


# %%
def with_coins(X, y, n_coins):
    """The same law beside fair coins: every row once for each way the coins can fall."""
    for c in range(1, n_coins + 1):
        X = pd.concat([X.assign(**{f"coin {c}": side}) for side in (0, 1)])
        y = pd.concat([y, y])
    return Categorical(X, y)


beside = asymptotic_mdi(with_coins(X, y, 3)).to_frame()["importance"]

# %% tags=["after-05-3"] jupyter={"source_hidden": true}
unchanged = np.allclose(beside[X.columns], imp)
answer = "they stay exactly as they were" if unchanged else "they shrink"

# %%
reveal("05.3", answer)

# %% [markdown]
# ## 5.6 Now let the tree choose
#
# Real forests do not ask at random. They draw $K$ variables in every node and take the one with the largest decrease; scikit-learn
# calls $K$ `max_features`. Here the $K$ are drawn among the variables not yet used on the branch, and ties are broken by a coin. The
# limit of infinitely many such trees can be computed, too: no longer as one formula, but by following the probability of every
# node down from the root. The lines are exact, and the markers are what Louppe and colleagues printed, from simulated trees.

# %% jupyter={"source_hidden": true}
from course_lib.plots import plot_candidates

columns = {f"K={K}": asymptotic_mdi(led, K).importances_mean for K in range(1, 8)}
exact = pd.DataFrame(columns, index=X.columns)
printed = load_led_table()[exact.columns]
picture(
    plot_candidates({"": printed}, expected=exact, ylabel="importance in bits"),
    alt="From K = 1 to 7, X2 and X5 rise from 0.58 and 0.66 to 0.80 and 0.84; X7 "
    "ends barely above its start; X1, X3, X4 and X6 end lower than they began. X7 crosses X1 between 1 and "
    "2, and X3 crosses X4 between 2 and 3. Printed simulations lie on the exact lines.",
)
#| holds exact.loc[["X2", "X5"], ["K=1", "K=7"]].round(2).values.tolist() == [[0.58, 0.80], [0.66, 0.84]]
#| says Each node draws $K$ of the variables not yet asked on its branch, and asks the best of them. The sum stays, and lines cross: from {{$K = 2$ | [k for k in range(1, 8) if exact.loc["X7", f"K={k}"] > exact.loc["X1", f"K={k}"]] == [2, 3, 4, 5, 6, 7]}} on the bottom (`X7`) is ahead of the top (`X1`).

# %% [markdown]
# Whatever the choices, a fully developed tree has found the digit in the end, so the seven values add up to {{3.3219 bits | exact.sum().max()}} for every $K$ (theorem 2). What the two on the left, `X2` and `X5`, gain
# is lost by `X1`, `X3`, `X4` and `X6`; the bottom, `X7`, {{first gains a little, then gives most of it back | 0.01 < exact.loc["X7"].max() - exact.loc["X7", "K=1"] < 0.03 and exact.loc["X7", "K=7"] - exact.loc["X7", "K=1"] < 0.5 * (exact.loc["X7"].max() - exact.loc["X7", "K=1"])}}. Better questions create no information. They move the credit.
#
# ## 5.7 Turn the knob
#
# At $K = 7$, the number of variables, the tree always asks the best question. The segments on the left are brighter than at $K = 1$, and the bars have lost all their
# late degrees: after at most four good questions the digit is known.

# %% slideshow={"slide_type": "skip"}
from course_lib.widgets import display_explorer

explorer = display_explorer()
explorer.figure(K=7)

# %% [markdown]
# Start at $K = 1$ and go up. Somewhere on the way the upper right segment, `X3`, overtakes the middle one, `X4`, although choosing
# hurts them both. Find the place, and then watch the degrees of these two bars. (In a notebook, a line of code below the explorer sets it to a state on the way.)

# %%
explorer

# %%
explorer.controls["K"].value = 2
print(explorer.readout_text)

# %% [markdown]
# As a first question the upper right segment (`X3`) is poor ({{0.72 bits | led.mutual_information(["X3"])}} against {{0.88 | led.mutual_information(["X4"])}} for the middle one, `X4`), so as $K$ grows `X3` loses its early turns sooner than `X4`: from $K = 4$ on `X3` is never asked first; `X4` still is, now and then, up to $K = 5$. But `X3` is
# the only segment that distinguishes 5 from 9 and 6 from 8: two digits that differ in one segment stay together until that segment is asked, whatever was chosen before. What the middle
# one says, others mostly say as well; only 0 and 8 need it. Choosing well gives the winner the credit for what the losers could have said in its place. That is called **masking**.
#
# Masking answers the question of the opening. Look once more at the bars for $K = 7$: the bottom, `X7`, says nothing that the others could not say,
# but it is a good second question (its widest part is the one with $k = 1$), and trees that choose ask it early. The top, `X1`, a poor question, comes
# third or fourth.
#
# What does choosing cost? Two of the four axioms survive: the values still add up to what there is to know, and an irrelevant variable still gets 0. What becomes of the other two is the first
# question of the further part. And a zero no longer means irrelevant. Give the trees the digit itself as an eighth input, and let them choose among all eight:

# %%
leaked = Categorical(X.assign(digit=y), y)
pd.DataFrame(
    {f"K={K}": asymptotic_mdi(leaked, K).importances_mean for K in (1, 2, 8)},
    index=leaked.feature_names,
).round(4).abs()  # abs, so that a rounded 0 is not printed as -0.0

# %% [markdown]
# With the digit itself among the inputs, the seven segments have, at $K = 8$, {{exactly nothing | abs(asymptotic_mdi(leaked, 8).importances_mean[:7]).max() < 1e-12}}. Masked completely, they look like coins, although they are relevant. That can happen to weakly relevant variables only, and beside the digit all segments are weakly relevant. A
# strongly relevant variable keeps an importance above 0 for every $K$ (Sutera and colleagues, 2018), though it may be a tiny one.
#
# ## 5.8 May I say this?
#
# Both displays are exact. At $K = 1$ the trees ask at random, at $K = 7$ they ask the best question.

# %% jupyter={"source_hidden": true}
picture(
    plot_panels(
        plot_display,
        {"K = 1": asymptotic_mdi(led), "K = 7": asymptotic_mdi(led, K=7)},
        limit=0.84,
        size=(4.8, 3.6),
    ),
    alt="Two displays in bits, X1 to X7. K = 1: 0.41, 0.58, 0.53, 0.54, 0.66, "
    "0.23, 0.37. K = 7: 0.31, 0.80, 0.48, 0.41, 0.84, 0.12, 0.38.",
)
#| holds exact["K=7"].round(2).tolist() == [0.31, 0.80, 0.48, 0.41, 0.84, 0.12, 0.38]

# %%
may_i_say("05.a")

# %% [markdown]
# ## Keep this
#
# When infinitely many trees ask at random, the mean decrease of impurity of a variable is what it adds, averaged over all orders of asking.
# **MDI of totally randomized trees is the Shapley value of the mutual information; if the trees may choose, the credit moves, and the sum stays.** The theorem needs entropy as impurity, categorical inputs with one branch
# per value, fully developed trees with $K = 1$, and infinitely many trees and rows.
#
# | question | measure | value that means "not important" | caveat |
# |---|---|---|---|
# | to the data distribution itself | [asymptotic MDI](glossary.md#asymptotic-mdi-shapley-values-of-information), `asymptotic_mdi(law)`, with $K = 1$ | 0, and only for irrelevant variables | not what would be lost without it; $K > 1$ masks; in a sample even noise is nearly always above 0 |
#
# So both forests of the opening describe the display, one of them through choices of its own. What is still missing: the bottom
# segment has one number for all ten digits, lit or dark. Lesson 06 asks each digit separately.

# %% [markdown]
# ## Further: two gauges, SAGE and figure 1, another game, the printed table, finite forests
#
# ### Two gauges
#
# A weather station has two gauges. In summer, gauge `A` always shows the right weather; in winter it might as well flip a coin.
# Gauge `B` works on every second day, all year round, and is blank on the others. `season` is the calendar. The target is the season together with the
# weather. The information in each gauge, before and after the season is known:

# %%
X_gauges, weather = make_gauges()
station = Categorical(X_gauges, weather)
pd.DataFrame(
    {
        gauge: [
            station.conditional_mutual_information(gauge, B) for B in ([], ["season"])
        ]
        for gauge in "AB"
    },
    index=["alone", "given the season"],
)

# %% [markdown]
# {{Half a bit each | np.allclose([station.conditional_mutual_information(g, B) for g in "AB" for B in ([], ["season"])], 0.5)}}, whether or not the season is known. So in the game of mutual information the two gauges are symmetric players.
# Now let trees take the best of all three questions.

# %%
predict("05.4")

# %%
gauges = pd.DataFrame(
    {f"K={K}": asymptotic_mdi(station, K).importances_mean for K in (1, 2, 3)},
    index=X_gauges.columns,
)

# %% tags=["after-05-4"] jupyter={"source_hidden": true}
names = {"A": "A, perfect in summer only", "B": "B, half good all year"}
answer = names[gauges["K=3"][["A", "B"]].idxmax()]

# %%
reveal("05.4", answer)

# %% tags=["after-05-4"]
gauges.round(4)

# %% [markdown]
# Now exchange the gauges, so that `A` is the steady one. The game $v$ is the same, every coalition is worth what it was. And one more turn: in the
# first world, with the fickle `A`, let every fifth record of season and weather be lost; the target then reads "lost". The information in `A` in each context, and its importance when the best question is asked:

# %% tags=["after-05-4"]
exchanged = Categorical(X_gauges.rename(columns={"A": "B", "B": "A"}), weather)
lossy = Categorical(pd.concat([X_gauges] * 5), [*weather] * 4 + ["lost"] * 16)


def worths_and_importance(law):
    """The information in A in each context, and its importance when K = 3."""
    contexts = ([], ["B"], ["season"], ["B", "season"])
    worths = [law.conditional_mutual_information("A", B) for B in contexts]
    return [*worths, asymptotic_mdi(law, K=3).to_frame()["importance"]["A"]]


columns = {"A fickle, lossy": lossy, "A steady": exchanged}
pd.DataFrame(
    {name: worths_and_importance(law) for name, law in columns.items()},
    index=["alone", "given B", "given season", "given both", "Imp(A) at K = 3"],
).round(3)

# %% [markdown]
# After the exchange the game is the same, but the importance of `A` at $K = 3$ has fallen from {{0.5 | worths_and_importance(Categorical(X_gauges, weather))[-1]}} to {{0.25 | worths_and_importance(exchanged)[-1]}}. So for $K > 1$ importance is not even a function of the game.
#
# And `A` steady is worth {{a quarter more | np.allclose(0.8 * np.array(worths_and_importance(exchanged)[:4]), worths_and_importance(lossy)[:4])}} in every context than `A` fickle and lossy, and still it {{gets less | worths_and_importance(exchanged)[-1] < worths_and_importance(lossy)[-1]}}. **Strong monotonicity** says that this must not happen, and for Shapley values
# it cannot. So of the four axioms, choosing trees keep two. The two they lose are among the three that Young's theorem needs, and there is no uniqueness left to appeal to.
#
# ### The same numbers from SAGE, and figure 1
#
# SAGE (lesson 04) asks how much loss a set of features saves a *model*. Take the best model there is, the Bayes classifier, which predicts the true probabilities of the digits; let it use only the segments in $S$, again
# as well as possible, $P(Y \mid X_S)$; and measure the loss by cross-entropy in bits. Then the loss is $H(Y \mid X_S)$, the loss saved is $I(X_S; Y)$, and SAGE plays the very game of
# theorem 1. Covert and colleagues (2020) noticed that the population version of SAGE is then identical to it. Check it without any entropy formula, from the predicted probabilities alone:


# %%
def bayes_loss(S):
    """Mean cross-entropy in bits of the best prediction from the segments in S."""
    alike = [(X.iloc[:, list(S)] == X.iloc[i, list(S)]).all(axis=1) for i in range(10)]
    probability_of_the_digit = [1 / rows.sum() for rows in alike]
    return -np.log2(probability_of_the_digit).mean()


sage_values = shapley_values(lambda S: bayes_loss([]) - bayes_loss(sorted(S)), 7)
np.allclose(sage_values, imp)

# %% [markdown]
# Figure 1 of Sutera and colleagues puts the two side by side for forests of 1000 Extra-Trees on the display, with $K = 1$ to $7$. Here is the same figure from such forests of our own. One panel has the MDI of each forest, the other its SAGE, with cross-entropy and the
# marginal game that SAGE's own program plays. Both are divided by their sum.

# %% jupyter={"source_hidden": true}
from course_lib.studies import shares_by_candidates

shares = shares_by_candidates()
picture(
    plot_candidates(shares, ylabel="share of the sum"),
    alt="Shares of the seven segments for K = 1 to 7, by MDI and by SAGE. The two panels "
    "look alike: X2 and X5 lead from K = 2 on and gain most, and X7 passes X1.",
)
#| holds all(set(t[K].nlargest(2).index) == {"X2", "X5"} for t in shares.values() for K in range(2, 8))
#| holds all(set((t[7] - t[1]).nlargest(2).index) == {"X2", "X5"} for t in shares.values())

# %% [markdown]
# At $K = 1$ the two panels {{nearly agree | abs(shares["MDI"] - shares["SAGE"])[1].max() < 0.006}}, and for larger $K$ both show the same masking in favour of the two segments on the left (the paper counts from 0 and calls them $X_1$ and $X_4$). In both the top (`X1`) is ahead of the bottom (`X7`) at $K = 1$ and
# {{behind it at $K = 7$ | all(t.loc["X1", 1] > t.loc["X7", 1] and t.loc["X1", 7] < t.loc["X7", 7] for t in shares.values())}}, though in SAGE barely: with 300 trees instead of 1000, chance sometimes reverses these two. That the panels look alike is an
# observation about this display, not a theorem: only the panel of MDI tends to the Shapley values of the mutual information, and only at $K = 1$; that of SAGE depends on how well the forest predicts and on the marginal
# game.
#
# ### Unique, for one game
#
# At $K = 1$ all four axioms hold, and Young's theorem says that only one rule satisfies them. It does not say which game to play. Count
# impurity in Gini instead of entropy, and the same argument gives the Shapley value of another game on the same display:

# %%
pd.DataFrame(
    {
        f"{kind}, K={K}": asymptotic_mdi(led, K, impurity=kind).importances_mean
        for kind in ("entropy", "gini")
        for K in (1, 7)
    },
    index=X.columns,
).round(4)

# %% [markdown]
# With Gini, the upper two (`X2`, `X3`) and the middle one (`X4`) are worth {{exactly the same | np.ptp(asymptotic_mdi(led, impurity="gini").importances_mean[1:4]) < 1e-12}}, and $K$ changes {{nothing at all | np.allclose(asymptotic_mdi(led, impurity="gini").importances_mean, asymptotic_mdi(led, 7, impurity="gini").importances_mean)}}. With $n$ equally likely digits left in a node its
# Gini is $1 - \frac1n$, and every question that divides them, evenly or not, removes exactly one tenth overall. All questions that divide tie. Same
# data, same axioms, same theorem, other numbers: the axioms fix the division, and the game is your choice.
#
# > **What people make of it.** One hears that random forest importances are Shapley values. Sutera and colleagues, who proved it, name the conditions: the values are those of the mutual information, the impurity is
# > entropy, the inputs are categorical with one branch per value, the trees are fully developed with $K = 1$, and there are infinitely many of them.
# > Take another impurity, and they are Shapley values of another game. Drop any of the other conditions, and the sentence is no longer true in general. With finitely many rows it is true of the sample, not of the world.
#
# ### The printed table
#
# Here is the table of Louppe and colleagues, with the exact values below each of its rows. The last column is ours: the sum of the seven values to its left.


# %%
def as_text(table, digits):
    total = {"sum of these": table.sum()}
    return table.T.assign(**total).map(f"{{:.{digits}f}}".format)


pd.concat(
    {"exact": as_text(exact, 4), "printed": as_text(printed, 3)}
).swaplevel().sort_index(ascending=[True, False])

# %% [markdown]
# The printed values come from simulated trees, and they are good: no entry is {{off by more than 0.005 | not (abs(exact - printed) > 0.005).any().any()}}. The paper itself prints 3.321 as the sum of every column; the printed digits
# add up to {{3.317 | printed.sum().min()}} to {{3.319 | printed.sum().max()}}. Every column falls short by {{0.003 to 0.005 | [0.005, 0.003] == [round(np.log2(10) - total, 3) for total in (printed.sum().min(), printed.sum().max())]}}. Seven numbers lose about as much together, 0.0035 on average, when their further digits are cut off instead of rounded.
#
# > **What the paper says.** For theorem 1 itself the same table gives 0.412, 0.581, 0.656 and the sum 3.321. These digits are cut off, not
# > rounded: the exact values, those at $K = 1$ above, begin {{0.41269 | exact.loc["X1", "K=1"]}}, {{0.58154 | exact.loc["X2", "K=1"]}}, {{0.65658 | exact.loc["X5", "K=1"]}}, and $\log_2 10 = 3.3219\ldots$ is 3.322 to three decimals.
# > Its columns $K = 6$ and $K = 7$ differ a little, too; the exact ones are equal. The two on the left, `X2` and `X5`, tie for the best first question, any six of
# > the seven contain one of them, and further down no more than six are left.
#
# ### From infinity to your laptop
#
# We took two limits, in the number of trees and in the number of rows. With finitely many trees, the values scatter around the limit. Below are 4000 of our trees with
# $K = 4$ and as many trees of scikit-learn with `max_features=4`; beside each value stands its distance from the exact limit, in standard
# errors. Both see the ten rows, which are the whole distribution, and neither draws a bootstrap sample.

# %%
from sklearn.ensemble import RandomForestClassifier

from course_lib.measures import mdi
from course_lib.models import TotallyRandomizedTrees

ours = TotallyRandomizedTrees(4000, K=4, random_state=0)
theirs = RandomForestClassifier(
    4000, criterion="entropy", max_features=4, bootstrap=False, random_state=0
)

# %%
table = exact[["K=4"]].round(3)
for name, forest in {"multiway": ours, "scikit-learn": theirs}.items():
    result = mdi(forest.fit(X, y))
    off = result.importances_mean - exact["K=4"]
    table[name] = result.importances_mean.round(3)
    table[f"{name}, off by"] = (off / (result.importances_std / 4000**0.5)).round(1)
table

# %% [markdown]
# Ours scatter around the limit by a standard error or two. scikit-learn's have another limit: the top (`X1`) gets {{more | table.loc["X1", "scikit-learn, off by"] > 2}} than at our $K = 4$, the lower left (`X5`)
# {{less | table.loc["X5", "scikit-learn, off by"] < -2}}. (Not every large number in the last column would come again: the {{-4.0 | table.loc["X2", "scikit-learn, off by"]}} of `X2` is mostly the luck of this seed.) The word is the same, but scikit-learn counts differently. It draws its four among *all* seven variables, and those already used on the branch count although they can no
# longer split. Deep in the tree four draws offer fewer real candidates, so `max_features=4` leaves less to choose from than $K = 4$ does. At 1 and at 7 the
# two agree.
#
# The other limit is the sample. On $n$ readings, infinitely many trees compute the Shapley values of the *sample*, in
# which even a coin seems informative. In a context that leaves $d_1, d_2, \dots$ digits possible in its nodes, a coin seems to say $\sum_i (d_i - 1) / (2 n \ln 2)$ bits, on average and for large $n$. Weighted and added up over all
# contexts that makes $3.2 / n$ bits, the line below. Each marker is the mean of forty samples.


# %%
def coin_credit(n, seed):
    rng = np.random.default_rng(seed)
    readings, digits = make_led(n, random_state=rng)
    sample = Categorical(readings.assign(coin=rng.integers(2, size=n)), digits)
    return asymptotic_mdi(sample).importances_mean[-1]


sizes = np.array([50, 100, 200, 400, 800, 1600])
credit = {"coin": [np.mean([coin_credit(n, s) for s in range(40)]) for n in sizes]}

# %% jupyter={"source_hidden": true}
from course_lib.plots import plot_curves

ax = plot_curves(sizes, credit, expected={"coin": 3.198 / sizes}, log=True)
ax.set(xlabel="readings n", ylabel="importance of the coin, bits")
ax.set_yticks([0.002, 0.01, 0.05], ["0.002", "0.01", "0.05"])
picture(
    ax,
    alt="The importance of a coin in samples of n readings falls from about 0.08 "
    "bits at 50 to 0.002 at 1600: above the line 3.2/n at 50, near it from 100 on (a"
    " little below at 200, by chance).",
)
#| holds abs(credit["coin"][0] - 0.08) < 0.005 and abs(credit["coin"][-1] - 0.002) < 0.0005
#| holds credit["coin"][0] * 50 / 3.198 > 1.05 and 0.8 < credit["coin"][2] * 200 / 3.198 < 1

# %% [markdown]
# In the distribution, zero means irrelevant. In a sample of ten rows or more even a coin is nearly always credited with something, and on average with less the more rows there are. That is
# lesson 02 again, now for trees that choose nothing.

# %% [markdown]
# ## Practise
#
# The exercise [05_mdi_is_shapley](../exercises/05_mdi_is_shapley/05_mdi_is_shapley.ipynb) builds theorem 1 from counts, then lets a tree choose. Your progress so far:

# %%
from course_lib.learner import progress

progress("05")

# %% [markdown]
# ---
# {{times}}
#
# *Sources.* Louppe, Wehenkel, Sutera and Geurts (2013), theorems 1, 2, 3 and 5 and the table of the display; Sutera, Louppe, Huynh-Thu, Wehenkel and Geurts (2021),
# sections 2, 3 and 5 and figure 1; Sutera, Châtel, Louppe, Wehenkel and Geurts (2018) for strongly relevant variables; Covert, Lundberg and Lee (2020) for SAGE; Young (1985) for uniqueness; Kohavi and John (1997) for relevance; Breiman and others (1984) for the display.
#
# *Words of this lesson:* [asymptotic MDI (Shapley values of
# information)](glossary.md#asymptotic-mdi-shapley-values-of-information), [axioms](glossary.md#axioms), [conditional
# mutual information](glossary.md#conditional-mutual-information), [degree](glossary.md#degree),
# [masking](glossary.md#masking), [multiway tree](glossary.md#multiway-tree), [relevance](glossary.md#relevance),
# [totally randomized trees](glossary.md#totally-randomized-trees). All words and symbols are in the
# [glossary](glossary.md), the works in the [references](references.md), and all lessons and measures on the map at the
# end of [lesson 00](00_six_questions.ipynb).
