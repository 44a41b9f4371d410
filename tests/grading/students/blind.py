"""Answers to nine exercises, written from the task alone, before looking at the solution.

How often two people who do not know of each other write the same is measured with them: the
answers of `lessons/answers` are in other styles on purpose, these are what came first.
"""

ANSWERS = {
    "02.1": """
def best_decrease(x, y):
    thresholds = np.unique(x)[:-1]
    kind = "variance"
    decreases = [impurity_decrease(y, x <= threshold, kind) for threshold in thresholds]
    kept = max(decreases)
    return float(kept)
""",
    "02.2": """
def blind_decrease(y, n_children):
    return (n_children - 1) * np.var(y) / (len(y) - 1)
""",
    "02.3": """
def p_value(observed, chance):
    return (1 + np.sum(chance >= observed)) / (1 + len(chance))
""",
    "02.4": """
def outside_gain(y_in, left_in, y_out, left_out):
    mean = y_in.mean()
    move_left = y_in[left_in].mean() - mean
    move_right = y_in[~left_in].mean() - mean
    moves = np.where(left_out, move_left, move_right)
    return np.mean(moves * (y_out - mean))
""",
    "02.5": """
def mdi_oob(forest, X, y):
    counts = in_bag_counts(forest, X)
    results = []
    for k, tree in enumerate(forest.estimators_):
        out = counts[:, k] == 0
        moves = saabas(tree, X[out])
        results.append(np.mean(moves.values * (y[out] - moves.base)[:, None], axis=0))
    return np.mean(results, axis=0)
""",
    "02.6": """
def broken_probes(probes, p_values):
    broken = set()
    for name in probes.columns:
        if probes[name].nunique() == 1 or p_values[name] <= 0.02:
            broken.add(name)
    return broken
""",
    "03.1": """
def importances(predict, X, y, orders):
    before = np.mean((y - predict(X)) ** 2)
    result = []
    for j in range(X.shape[1]):
        after = []
        for order in orders:
            shuffled = X.copy()
            column = X[order, j]
            shuffled[:, j] = column
            loss = np.mean((y - predict(shuffled)) ** 2)
            after.append(loss)
        increase = np.mean(after) - before
        result.append(increase)
    return np.array(result)
""",
    "03.2": """
def brier_scorer(model, X, y):
    p = model.predict_proba(X)[:, 1]
    return -np.mean((p - y) ** 2)
""",
    "03.3": """
def reliances(predict, X, y):
    n = len(X)
    e_orig = np.mean((y - predict(X)) ** 2)
    result = []
    for j in range(X.shape[1]):
        total = 0
        for i in range(n):
            for k in range(n):
                if i != k:
                    row = X[k].copy()
                    row[j] = X[i, j]
                    total += (y[k] - predict(row[None, :])[0]) ** 2
        e_switch = total / (n * (n - 1))
        result.append(e_switch / e_orig)
    return np.array(result)
""",
    "03.4": """
def population_importances(b, beta, rho):
    first = 2 * b[0] * (beta[0] + (beta[1] - b[1]) * rho)
    second = 2 * b[1] * (beta[1] + (beta[0] - b[0]) * rho)
    return np.array([first, second])
""",
    "03.5": """
def conditional_reliances(predict, X, y, X_hat):
    n = len(X)
    e_orig = np.mean((y - predict(X)) ** 2)
    unique = X - X_hat
    result = []
    for j in range(X.shape[1]):
        losses = []
        for i in range(n):
            chimera = X.copy()
            chimera[:, j] = X_hat[:, j] + unique[i, j]
            loss = (y - predict(chimera)) ** 2
            losses.append(np.delete(loss, i))
        result.append(np.mean(losses) - e_orig)
    return np.array(result)
""",
    "03.6": """
def group_importances(predict, X, y, groups, order):
    before = np.mean((y - predict(X)) ** 2)
    result = []
    for group in groups:
        shuffled = X.copy()
        shuffled[:, group] = X[order][:, group]
        result.append(np.mean((y - predict(shuffled)) ** 2) - before)
    return np.array(result)
""",
    "04.1": """
def arrival_shares(v, order):
    shares = np.zeros(len(order))
    S = set()
    for i in order:
        shares[i] = v(S | {i}) - v(S)
        S.add(i)
    return shares
""",
    "04.2": """
def shapley_by_orders(v, n_players, shares):
    all_orders = permutations(range(n_players))
    orders = list(all_orders)
    total = np.zeros(n_players)
    for order in orders:
        added = shares(v, order)
        total = total + added
    divisor = len(orders)
    return total / divisor
""",
    "04.3": """
def shapley_by_coalitions(v, n_players):
    phi = np.zeros(n_players)
    for m in range(n_players):
        others = [i for i in range(n_players) if i != m]
        for size in range(n_players):
            weight = factorial(size) * factorial(n_players - size - 1) / factorial(n_players)
            for S in combinations(others, size):
                phi[m] += weight * (v(set(S) | {m}) - v(S))
    return phi
""",
    "04.4": """
def estimates(contributions):
    n = contributions.shape[1]
    mean = contributions.mean(axis=1)
    error = contributions.std(axis=1, ddof=1) / np.sqrt(n)
    return np.column_stack([mean, error])
""",
    "04.5": """
def marginal_worths(f, x, background, coalitions):
    worths = []
    for S in coalitions:
        rows = background.copy()
        rows[:, S] = x[S]
        worths.append(f(rows).mean())
    return np.array(worths)
""",
    "04.6": """
def conditional_worth(f, x, background, S):
    rows = background[(background[:, S] == x[S]).all(axis=1)]
    return f(rows).mean()
""",
    "05.1": """
def information(X, y, m, S):
    return entropy_left(X, y, S) - entropy_left(X, y, [*S, m])
""",
    "05.2": """
def degree_part(X, y, m, k, information):
    p = X.shape[1]
    others = [j for j in range(p) if j != m]
    contexts = combinations(others, k)
    weight = 1 / comb(p, k) / (p - k)
    total = 0.0
    for B in contexts:
        added = information(X, y, m, B)
        total += added
    return weight * total
""",
    "05.3": """
def importance(X, y, part):
    p = X.shape[1]
    return np.array([sum(part(X, y, m, k) for k in range(p)) for m in range(p)])
""",
    "05.4": """
def chance(decreases, m, K):
    smaller = sum(d < decreases[m] for d in decreases)
    return comb(smaller, K - 1) / comb(len(decreases), K)
""",
    "05.5": """
def greedy_importance(X, y, information):
    p = X.shape[1]
    result = np.zeros(p)
    gains = [information(X, y, m, []) for m in range(p)]
    best = int(np.argmax(gains))
    if gains[best] < 1e-9:
        return result
    result[best] += gains[best]
    for value in np.unique(X[:, best]):
        rows = X[:, best] == value
        result += rows.mean() * greedy_importance(X[rows], y[rows], information)
    return result
""",
    "05.6": """
def irrelevant(X, y, importance):
    values = importance(X, y)
    return {m for m in range(X.shape[1]) if values[m] < 1e-9}
""",
    "06.1": """
def path_credit(n_features, asked, impurities):
    credit = np.zeros(n_features)
    for k, variable in enumerate(asked):
        before = impurities[k]
        after = impurities[k + 1]
        new_credit = credit[variable] + before - after
        credit[variable] = new_credit
    return credit
""",
    "06.2": """
def tree_local_mdi(tree, x):
    nodes = tree.tree_
    result = np.zeros(len(x))
    t = 0
    while nodes.children_left[t] != -1:
        m = nodes.feature[t]
        if x[m] <= nodes.threshold[t]:
            child = nodes.children_left[t]
        else:
            child = nodes.children_right[t]
        result[m] += nodes.impurity[t] - nodes.impurity[child]
        t = child
    return result
""",
    "06.3": """
def forest_local_mdi(forest, X, one_tree):
    rows = [[one_tree(tree, x) for tree in forest.estimators_] for x in X]
    return np.mean(rows, axis=1)
""",
    "06.5": """
def exact_local_importance(distribution, x):
    result = np.zeros(3)
    orders = list(permutations(range(3)))
    for order in orders:
        for k, m in enumerate(order):
            before = distribution.entropy_at(x, list(order[:k]))
            after = distribution.entropy_at(x, list(order[: k + 1]))
            result[m] += before - after
    return result / len(orders)
""",
    "06.6": """
def agreement_by_row(first, second):
    return np.array([np.corrcoef(abs(a), abs(b))[0, 1] for a, b in zip(first, second)])
""",
    "07.1": """
def confounded(a, c, d):
    slope = a + c * d
    importance = 2 * slope**2
    effect = a
    return np.array([slope, importance, effect], dtype=float)
""",
    "07.2": """
def total_effect(equations, cause, effect):
    if cause == effect:
        return 1.0
    parents = equations.get(effect, {})
    return sum(c * total_effect(equations, cause, parent) for parent, c in parents.items())
""",
    "07.3": """
def arrows_after_do(arrows, name):
    return [arrow for arrow in arrows if arrow[1] != name]
""",
    "07.4": """
def policy_report(model, before, after):
    prediction = model.predict(after[["logins"]]).mean() - model.predict(before[["logins"]]).mean()
    score = after["score"].mean() - before["score"].mean()
    return np.array([prediction, score])
""",
    "07.5": """
def conditional_importance(covariance, j):
    S = covariance[:-1, :-1]
    c = covariance[:-1, -1]
    b = np.linalg.solve(S, c)
    variance = 1 / np.linalg.inv(S)[j, j]
    return 2 * b[j] ** 2 * variance
""",
    "07.6": """
def effect_of_dose(table):
    model = LinearRegression().fit(table[["dose", "age"]], table["recovery"])
    return model.coef_[0]
""",
    "08.1": """
def associative(S, c, b):
    per_unit = S / np.diag(S)
    g = b @ per_unit
    covariance = g * c
    return 2 * covariance
""",
    "08.2": """
def associative_averaged(S, c, b):
    g = b @ S / np.diag(S)
    return 2 * g * c - g**2 * np.diag(S)
""",
    "08.3": """
def direct_from(S, c, b, k):
    rest = b.copy()
    rest[k] = 0
    slope = S[k] / np.diag(S)
    return 2 * b[k] * slope * (c - rest @ S)
""",
    "08.4": """
def via(S, c, b, j):
    g = b * S[:, j] / S[j, j]
    return 2 * g * c[j] - g**2 * S[j, j]
""",
    "08.5": """
def parts_along(w, order):
    parts = np.zeros(3)
    mask = 0
    for i in order:
        parts[i] = w[mask | 1 << i] - w[mask]
        mask |= 1 << i
    return parts
""",
    "08.6": """
def gap_left(S, b, j):
    gaps = 2 * b * S[:, j]
    return gaps.sum() - gaps
""",
    "09.1": """
def good_models(B, X, y, reference, epsilon):
    x, t = X - X.mean(axis=0), y - y.mean()
    reference_error = np.mean((t - x @ reference) ** 2)
    errors = []
    for b in B:
        prediction = x @ b
        residuals = t - prediction
        error = np.mean(residuals**2)
        errors.append(error)
    limit = reference_error + epsilon
    return np.array(errors) <= limit
""",
    "09.2": """
def reliance(b, X, y, j):
    rest = y - np.delete(X, j, axis=1) @ np.delete(b, j)
    cov = np.cov(rest, X[:, j])[0, 1]
    return 1 + 2 * b[j] * cov / mse(b, X, y)
""",
    "09.3": """
def price_of_ignoring(X, y, j):
    rest = np.delete(X, j, axis=1)
    return mse(fit(rest, y), rest, y) - mse(fit(X, y), X, y)
""",
    "09.4": """
def coefficient_range(X, y, j, epsilon):
    b_hat = fit(X, y)
    G = np.cov(X.T, ddof=0)
    reach = np.sqrt(epsilon * np.linalg.inv(G)[j, j])
    return np.array([b_hat[j] - reach, b_hat[j] + reach])
""",
    "09.5": """
def conditional_range(X, y, j, epsilon):
    b_hat = fit(X, y)[j]
    rest = np.delete(X, j, axis=1)
    e = (X[:, j] - X[:, j].mean()) - (rest - rest.mean(axis=0)) @ fit(rest, X[:, j])
    reach = np.sqrt(epsilon / np.var(e))
    ends = 2 * b_hat * np.array([b_hat - reach, b_hat + reach]) * np.var(e, ddof=1)
    return np.sort(ends)
""",
    "09.6": """
def needed_columns(X, y, share):
    best = mse(fit(X, y), X, y)
    needed = []
    for j in range(X.shape[1]):
        rest = np.delete(X, j, axis=1)
        price = mse(fit(rest, y), rest, y) - best
        if price > share * best:
            needed.append(j)
    return needed
""",
    "10.1": """
def to_model(model, X, y):
    increases = []
    for j in range(X.shape[1]):
        errors = []
        for k in range(1, len(X)):
            switched = X.copy()
            column = np.roll(X[:, j], k)
            switched[:, j] = column
            error = mse(model, switched, y)
            errors.append(error)
        increase = np.mean(errors) - mse(model, X, y)
        increases.append(increase)
    return np.array(increases)
""",
    "10.2": """
def unique_to_model(model, X, y):
    return conditional_model_reliance(model, X, y, as_ratio=False).importances_mean
""",
    "10.3": """
def to_prediction(model, X, x):
    return model.coef_ * (x - X.mean(axis=0))
""",
    "10.4": """
def to_algorithm(X, y, folds):
    def error(X):
        total = 0.0
        for fold in folds:
            rest = np.setdiff1d(np.arange(len(y)), fold)
            model = LinearRegression().fit(X[rest], y[rest])
            total += np.sum((y[fold] - model.predict(X[fold])) ** 2)
        return total / len(y)

    return np.array([error(np.delete(X, j, axis=1)) - error(X) for j in range(X.shape[1])])
""",
    "10.5": """
def to_good_models(X, y, j, slack):
    best = mse(LinearRegression().fit(X, y), X, y)
    models = LinearRashomonSet(X, y, epsilon=slack * best)
    found = models.model_class_reliance(j, as_ratio=False)
    return found.low, found.high
""",
    "10.6": """
def unique_to_good_models(X, y, j, slack):
    best = mse(LinearRegression().fit(X, y), X, y)
    models = LinearRashomonSet(X, y, epsilon=slack * best)
    found = models.conditional_model_class_reliance(j, as_ratio=False)
    return found.low, found.high
""",
    "10.7": """
def survives(left, right, a, b):
    return int(((left[a] > left[b]) & (right[b] > right[a])).sum())
""",
}
