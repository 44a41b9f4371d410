"""Answers to four exercises, written from the task alone, before looking at the solution.

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
    "03.8": """
def brier_scorer(model, X, y):
    p = model.predict_proba(X)[:, 1]
    return -np.mean((p - y) ** 2)
""",
    "03.2": """
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
}
