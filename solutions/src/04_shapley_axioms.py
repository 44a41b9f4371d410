# ---
# jupyter:
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Exercise 04 · From one arrival to the games that models play
#
# You will build Shapley values twice, over all orders and over all coalitions, put an error on a sampled one, and then decide what a
# coalition of features is worth. Each task ends with a check. It says *not attempted*, *not yet* or *correct*; it never shows the
# solution, but it knows the usual slips. `hint("04.1")` helps one step at a time.
#
# About 60 minutes. Change only the cells that ask for an answer.
#
# It goes with [lesson 04](../../notebooks/04_shapley_axioms.ipynb).

# %%
from itertools import combinations, permutations
from math import factorial

import numpy as np

from course_lib.learner import check, hint

# %% [markdown]
# ## A worked example: one marginal contribution
#
# A game is a function `v` that takes a collection of players, numbered from 0, and returns what they are worth together. In the gloves,
# player 0 has a left glove, players 1 and 2 have a right one each, and a pair is worth 6. Here the empty set is worth 0. In other games it is
# not: where the players are features, knowing none of them is worth the mean prediction. So ask `v` for the empty set as well.


# %%
def gloves(S):
    return 6.0 if 0 in S and len(set(S)) >= 2 else 0.0


def contribution(v, i, S):
    """What the worth of S rises by when player i joins."""
    return v(set(S) | {i}) - v(set(S))


(
    contribution(gloves, 0, {1}),
    contribution(gloves, 1, {0}),
    contribution(gloves, 2, {0, 1}),
)

# %% [markdown]
# Ann completes a pair with Ben, Ben with Ann, and Cem comes too late. Three cases known by heart, to see that it is right.

# %% [markdown]
# ## 04.1 Shares by order of arrival (2 points)
#
# `order` is a list of all players, such as `[2, 0, 1]`. Each of them is paid what the worth rises by when they come in. Return an
# array with the share of player 0 in place 0, of player 1 in place 1, and so on, whoever came first.


# %% task="04.1"
def arrival_shares(v, order):
    """What each player adds when they arrive in this order, by player."""
    ### BEGIN SOLUTION
    shares = np.zeros(len(order))
    present = set()
    for i in order:
        shares[i] = contribution(v, i, present)
        present.add(i)
    return shares
    ### END SOLUTION


# %% check="04.1"
check("04.1", arrival_shares)

# %% [markdown]
# ## 04.2 The mean over all orders (2 points)
#
# Fill the three blanks. `shares` is a function that does 04.1 for you: `shares(v, order)` gives what each player adds in this order, by
# player. For the gloves the result must be 4, 1, 1.


# %% task="04.2"
def shapley_by_orders(v, n_players, shares):
    """Shapley values: shares by arrival, averaged over all orders."""
    all_orders = ...
    ### BEGIN SOLUTION
    all_orders = permutations(range(n_players))
    ### END SOLUTION
    orders = list(all_orders)
    total = np.zeros(n_players)
    for order in orders:
        added = ...
        ### BEGIN SOLUTION
        added = shares(v, order)
        ### END SOLUTION
        total = total + added
    divisor = ...
    ### BEGIN SOLUTION
    divisor = len(orders)
    ### END SOLUTION
    return total / divisor


# %% check="04.2"
check("04.2", shapley_by_orders)

# %% [markdown]
# ## 04.3 The same by coalitions (3 points)
#
# From the signature alone. With $p$ players,
#
# $$\phi_m = \sum_{S \not\ni m} \frac{|S|!\,(p-|S|-1)!}{p!}\, \big( v(S \cup \{m\}) - v(S) \big) .$$
#
# `combinations(others, size)` lists the coalitions of one size. Ten players have 3,628,800 orders and 1,024 coalitions; that is
# why one would want this form.


# %% task="04.3"
def shapley_by_coalitions(v, n_players):
    """Shapley values as weighted sums over coalitions."""
    ### BEGIN SOLUTION
    phi = np.zeros(n_players)
    for m in range(n_players):
        others = [i for i in range(n_players) if i != m]
        for size in range(n_players):
            weight = (
                factorial(size) * factorial(n_players - size - 1) / factorial(n_players)
            )
            for S in combinations(others, size):
                phi[m] += weight * contribution(v, m, S)
    return phi
    ### END SOLUTION


# %% check="04.3"
check("04.3", shapley_by_coalitions)

# %% [markdown]
# ## 04.4 Too many players (2 points)
#
# With more players one draws orders at random. `contributions` has a row for each player and a column for each order drawn.
# Return an array with one row per player and two columns: the estimate of the Shapley value, and its standard error (take the standard deviation with
# $n - 1$ in the denominator, where $n$ is the number of orders).


# %% task="04.4"
def estimates(contributions):
    """Mean over the orders and its standard error, one row per player."""
    ### BEGIN SOLUTION
    n_orders = contributions.shape[1]
    error = contributions.std(axis=1, ddof=1) / np.sqrt(n_orders)
    return np.column_stack([contributions.mean(axis=1), error])
    ### END SOLUTION


# %% check="04.4"
check("04.4", estimates)

# %% [markdown]
# ## 04.5 What is a coalition of features worth? (2 points)
#
# Now the players are features. `f` takes a table and gives one prediction per row, `x` is the row to explain, `background` a table of
# other rows. The marginal game of a coalition $S$: put $x_S$ into every background row, predict, average. `coalitions` is a list of
# coalitions, such as `[[0], [1, 2], []]`; return the worth of each, in an array. Leave `background` itself as it was.


# %% task="04.5"
def marginal_worths(f, x, background, coalitions):
    """For each coalition S the mean prediction when only the features in S are known."""
    ### BEGIN SOLUTION
    worths = []
    for S in coalitions:
        rows = background.copy()
        rows[:, S] = x[S]
        worths.append(f(rows).mean())
    return np.array(worths)
    ### END SOLUTION


# %% check="04.5"
check("04.5", marginal_worths)

# %% [markdown]
# ## 04.6 The other answer (2 points)
#
# The conditional game changes no row. For a coalition $S$ it keeps the background rows that agree with `x` in every column of $S$, and averages their
# predictions. Some background row always agrees here. Again, return the worth of each coalition in the list.


# %% task="04.6"
def conditional_worths(f, x, background, coalitions):
    """For each coalition S the mean prediction over the background rows that equal x on S."""
    ### BEGIN SOLUTION
    worths = []
    for S in coalitions:
        alike = (background[:, S] == x[S]).all(axis=1)
        worths.append(f(background[alike]).mean())
    return np.array(worths)
    ### END SOLUTION


# %% check="04.6"
check("04.6", conditional_worths)

# %% [markdown]
# Now use both on data you have not seen: a lamp that is lit if `x0` or `x1` is on, and a third switch `x2` that is wired to nothing
# but usually stands as `x0` does. The model reads `x0` and `x1` only. Run the cell; there is nothing to fill in.

# %%
counts = {
    (0, 0, 0): 4,
    (0, 0, 1): 1,
    (1, 0, 0): 1,
    (1, 0, 1): 4,
    (0, 1, 0): 2,
    (1, 1, 1): 2,
}
background = np.repeat(list(counts), list(counts.values()), axis=0)
x = np.array([1, 0, 1])


def either(rows):
    return np.maximum(rows[:, 0], rows[:, 1])


def shares(worths_of):
    """Shapley values of the three switches; 0 where a task is still open."""

    def v(S):
        worths = worths_of(either, x, background, [sorted(S)])
        return 0.0 if worths is None else worths[0]

    values = shapley_by_coalitions(v, 3)
    return np.zeros(3) if values is None else np.round(values, 3)


for name, worths_of in {
    "marginal": marginal_worths,
    "conditional": conditional_worths,
}.items():
    print(name, *shares(worths_of))

# %% [markdown]
# Both lists add up to the same difference, and both are Shapley values. In the first, the switch that is wired to nothing gets nothing. In the
# second it gets a share, because `x0` usually stands as it does. Neither is wrong; they answer different questions about
# the same prediction.

# %% [markdown]
# ## 04.7 Credit without being read (1 point)
#
# A feature is strongly correlated with the inputs of a model, but the model does not read it. Which of these, computed exactly and without sampling error,
# can differ from 0 for it?
#
# a) permutation importance b) Kernel SHAP as in the shap package, over all coalitions c) tree SHAP
# without background data d) Shapley values of the conditional game e) marginal SAGE f) conditional SAGE
#
# Answer with a set of letters, such as `{"a", "c"}`.

# %% task="04.7"
credited = ...
### BEGIN SOLUTION
credited = {"d", "f"}
### END SOLUTION

# %% check="04.7"
check("04.7", credited)

# %% [markdown]
# ## 04.w In your own words (5 points, read by a person)
#
# A letter to a loan applicant says: *"Your debt has a SHAP value of -0.12. Without your debt, the probability of repayment
# would be 12 % higher. SHAP is the only fair method, as has been proved, so no other program could come to another result."* In one paragraph: say what
# the -0.12 is a share of and from which starting point it is counted, why it is not what would happen without the debt, what has been
# proved and what has not, what must be named so that the number can be checked, and one sentence that the letter may contain instead.
#
# One point each: what it is a share of, and from where · not a removal, not a percentage · what the theorem covers · what has to be
# reported · a sentence that the number licenses, without causes.

# %% [markdown] written="04.w"
# ### BEGIN SOLUTION
# {{answer}}
# ### END SOLUTION

# %% [markdown]
# ## Compare and go on
#
# When your own paragraph stands above, compare it here with the points that a reader looks for and, if your edition of the course has one, with a model answer.

# %%
from course_lib.learner import model_answer, progress

model_answer("04.w")

# %% [markdown]
# {{onward}}

# %%
progress("04")
