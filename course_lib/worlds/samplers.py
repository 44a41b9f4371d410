"""Samplers draw some columns given others: they decide what it means to remove a feature.

All of them answer `sample(X, columns, given)` with one drawn row per row of X. Within a row the
columns are drawn jointly; different rows are drawn independently. `MarginalSampler` and
`ForestSampler` draw columns of any kind, missing values included, `GaussianSampler` numbers.
"""

import copy

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestRegressor

from course_lib.tables import Coding
from course_lib.validation import (
    Position,
    are_numbers,
    check_count,
    check_random_state,
    check_X,
    column_names,
    feature_indices,
    refuse_non_finite,
    sklearn_seed,
)
from course_lib.worlds.gaussian import conditional_law

MAX_FORESTS = 64  # kept at a time by a ForestSampler
MAX_LEVELS = 30  # the most frequent values of a column that a ForestSampler tells apart


class _Sampler(BaseEstimator):
    """What all samplers share: the checks, and the names of the columns they were fitted to."""

    _min_rows = 1
    _takes_all_kinds = True
    _coding: Coding | None = None  # of the table it was fitted to, unless that holds numbers alone

    def fit(self, X, y=None):
        """Learn the distribution of the rows of X; y is not used."""
        coding = Coding(X, min_rows=self._min_rows)
        if not (coding.is_complete or self._takes_all_kinds):
            refusal = ValueError if coding.is_numeric else TypeError
            raise refusal(
                f"{type(self).__name__} draws numbers, none of them missing, but X has "
                f"{coding.in_words()}. Use ForestSampler(), which draws columns of any kind."
            )
        self._coding = None if coding.is_complete else coding
        self.feature_names_, self._named = coding.names, isinstance(X, pd.DataFrame)
        self._learn(np.ascontiguousarray(coding.values))
        return self

    def sample(self, X, columns, given, random_state=None) -> np.ndarray:
        """Draw `columns` given the values that X has in the columns `given`.

        Parameters
        ----------
        X : DataFrame or array of shape (n_samples, n_features)
            All the columns the sampler was fitted to. What is drawn depends on those in `given`;
            a ForestSampler also looks whether a row is one that it was fitted to.
        columns, given : features by name or position, one or several
            They must not overlap. With an empty `given`, draws come from the joint marginal.
        random_state : int, Generator or None

        Returns
        -------
        drawn : ndarray of shape (n_samples, len(columns))
            Columns in the order asked for, drawn jointly in each row, independently across rows.
            Numbers, or the values themselves if some drawn column holds anything else.
        """
        self._check_fitted()
        values = np.ascontiguousarray(self._codes(X))
        names = self._names_of(X, values.shape[1])
        columns, given = feature_indices(columns, names), feature_indices(given, names)
        both = [names[j] for j in columns if j in given]
        if both:
            raise ValueError(
                f"{', '.join(both)} cannot be both drawn and given; columns and given must not "
                f"overlap. Leave it out of one of them."
            )
        rng = check_random_state(random_state)
        if not columns:
            return np.empty((len(values), 0))
        drawn = self._draw(values, columns, given, rng)
        return drawn if self._coding is None else self._coding.decode_columns(drawn, columns)

    def _codes(self, X) -> np.ndarray:
        if self._coding is None:
            return check_X(X)
        table = check_X(X, numeric=False, allow_nan=True)
        self._names_of(X, table.shape[1])
        return self._coding.encode(X if isinstance(X, pd.DataFrame) else table)

    def _check_fitted(self) -> None:
        if not hasattr(self, "feature_names_"):
            raise ValueError(
                f"This {type(self).__name__} has not been fitted, so it knows no distribution to "
                f"draw from. Call fit(X) first."
            )

    def _names_of(self, X, n_features: int) -> tuple[str, ...]:
        expected = self.feature_names_
        if n_features != len(expected):
            raise ValueError(
                f"X has {n_features} columns, but the sampler was fitted to {len(expected)}: "
                f"{', '.join(expected)}. Pass all of those, also the ones to be drawn."
            )
        if not isinstance(X, pd.DataFrame):
            return expected
        names = column_names(X)
        if self._named and names != expected:
            raise ValueError(
                f"X has the columns {', '.join(names)}, but the sampler was fitted to "
                f"{', '.join(expected)}. Pass the same columns in the same order."
            )
        return names


class MarginalSampler(_Sampler):
    """Draws whole rows of the fitted data: the columns jointly, independent of the given ones.

    `given` is ignored: that is what removing a feature marginally means. The link between the
    drawn columns and the given ones is broken, the links among the drawn columns are kept.

    Examples
    --------
    >>> pairs = [[0, 0], [1, 10]]
    >>> drawn = MarginalSampler().fit(pairs).sample(pairs, [0, 1], [], random_state=0)
    >>> bool((drawn[:, 1] == 10 * drawn[:, 0]).all())
    True
    """

    @property
    def table_(self):
        """The fitted rows as they were given."""
        return self.rows_ if self._coding is None else self._coding.decode(self.rows_)

    def _learn(self, values: np.ndarray) -> None:
        self.rows_ = values

    def _draw(self, X, columns, given, rng) -> np.ndarray:
        return self.rows_[np.ix_(rng.integers(len(self.rows_), size=len(X)), columns)]


class GaussianSampler(_Sampler):
    """Draws from the normal distribution with the mean and covariance of the fitted data.

    X_C | X_G = x_G  ~  N(mu_C + B (x_G - mu_G),  Sigma_CC - B Sigma_GC),  B = Sigma_CG Sigma_GG^-1

    The inverse is a pseudo-inverse and eigenvalues below rounding count as zero, so that
    duplicated, collinear and constant columns are drawn as what they are. B and a root of the
    covariance are computed once for each pair (columns, given).

    Examples
    --------
    A duplicate is known for certain once its twin is given.

    >>> twins = np.array([[0.0, 0.0], [1.0, 1.0], [3.0, 3.0]])
    >>> GaussianSampler().fit(twins).sample(twins, 1, 0, random_state=0).round(6).ravel()
    array([0., 1., 3.])
    """

    _min_rows = 2
    _takes_all_kinds = False

    @classmethod
    def from_moments(cls, mean, covariance, feature_names=None) -> "GaussianSampler":
        """A fitted sampler of a known world: no estimation, exact conditionals.

        `mean` and `covariance` are arrays, or a Series and a DataFrame (whose names are taken).
        """
        if feature_names is None and isinstance(covariance, pd.DataFrame):
            feature_names = covariance.columns
        sigma = check_X(covariance)
        mu = check_X(np.reshape(mean, (1, -1)))[0]
        if sigma.shape != (len(mu), len(mu)):
            raise ValueError(
                f"covariance must have shape {(len(mu), len(mu))}, one row and column per mean, "
                f"got {sigma.shape}. Pass the moments of the same features."
            )
        scale = np.abs(sigma).max()
        symmetric = np.allclose(sigma, sigma.T, rtol=0, atol=1e-8 * scale)
        if not symmetric or np.linalg.eigvalsh(sigma)[0] < -1e-8 * scale:
            raise ValueError(
                "covariance must be symmetric without negative eigenvalues, and this one is not. "
                "Compute it with np.cov(X, rowvar=False), say."
            )
        names = column_names(sigma) if feature_names is None else tuple(map(str, feature_names))
        if len(names) != len(mu) or len(set(names)) != len(names):
            raise ValueError(
                f"feature_names must be {len(mu)} different names, one per mean, got "
                f"{', '.join(names)}. Pass one for each."
            )
        sampler = cls()
        sampler.feature_names_, sampler._named = names, feature_names is not None
        sampler._set_moments(mu, sigma)
        return sampler

    def _learn(self, values: np.ndarray) -> None:
        with np.errstate(over="ignore", invalid="ignore"):
            covariance = np.atleast_2d(np.cov(values, rowvar=False))
        if not np.isfinite(covariance).all():
            raise ValueError(
                "X has values so large that their variance is infinite. Rescale its columns, for "
                "example to a standard deviation of 1."
            )
        constant = np.ptp(values, axis=0) == 0  # the rounding of their mean is no variance
        covariance[constant], covariance[:, constant] = 0.0, 0.0
        self._set_moments(values.mean(axis=0), covariance)

    def _set_moments(self, mean: np.ndarray, covariance: np.ndarray) -> None:
        self.mean_, self.covariance_ = mean, covariance
        self._conditionals = {}

    def _conditional(self, C, G) -> tuple[np.ndarray, np.ndarray]:
        """B and a root R of the conditional covariance, R R' = Sigma_CC - B Sigma_GC."""
        if (C, G) not in self._conditionals:
            self._conditionals[C, G] = conditional_law(self.covariance_, C, G)
        return self._conditionals[C, G]

    def _draw(self, X, columns, given, rng) -> np.ndarray:
        B, root = self._conditional(columns, given)
        mean = self.mean_[list(columns)] + (X[:, given] - self.mean_[list(given)]) @ B.T
        return mean + rng.standard_normal((len(X), len(columns))) @ root.T


class ForestSampler(_Sampler):
    """Draws rows of the fitted data that a random forest finds alike: no shape is assumed.

    For each pair (columns, given) a forest learns the drawn columns from the given ones. A draw
    for x picks one tree at random, then one fitted row at random among those in x's leaf, and
    copies that row's columns. So draws are joint and never leave the support of the data, and
    columns may be of any kind: numbers, some of them missing, text, categories, dates.

    A row that was fitted neither draws itself nor is drawn for by a tree that has learnt from it:
    the tree is picked among those that left it out of their bag. Otherwise draws would resemble
    what they replace. (It is known by its values; of equal rows, each stands for one of them.)

    Parameters
    ----------
    n_estimators : int, default=30
    min_samples_leaf : int, default=10
        Rows to draw from: few follow the given values closely, many vary more.
    random_state : int or Generator, default=0
        Of the forests. The draws have their own, in `sample`.

    Examples
    --------
    Codes of categories stay codes.

    >>> codes = np.repeat([[0, 7], [1, 9]], 20, axis=0)
    >>> ForestSampler().fit(codes).sample(codes[[0, -1]], 1, 0, random_state=0).ravel()
    array([7., 9.])
    """

    def __init__(self, n_estimators=30, min_samples_leaf=10, random_state=0):
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state

    def _learn(self, values: np.ndarray) -> None:
        check_count(self.n_estimators, "n_estimators")
        check_count(self.min_samples_leaf, "min_samples_leaf")
        self.rows_ = values
        self._seed = sklearn_seed(check_random_state(self.random_state))
        self._forests, self._unseen = {}, None

    def _forest(self, columns, given) -> list:
        """One (tree, fitted rows sorted by leaf, first place and number of each leaf) per tree."""
        if (columns, given) not in self._forests:
            at = self.rows_[:, given]
            target = np.column_stack([self._target(j) for j in columns])
            forest = RandomForestRegressor(
                n_estimators=self.n_estimators,
                min_samples_leaf=self.min_samples_leaf,
                random_state=self._seed,
            )
            forest.fit(at, target if target.shape[1] > 1 else target.ravel())
            if len(self._forests) == MAX_FORESTS:
                self._forests.pop(next(iter(self._forests)))
            self._forests[columns, given] = [_rows_by_leaf(tree, at) for tree in forest]
            if self._unseen is None:  # forests of one seed have the same bags
                self._unseen = _by_who_left_it_out(forest.estimators_samples_, len(at))
        return self._forests[columns, given]

    def _target(self, j: int) -> np.ndarray:
        """What the forest has to predict of a column: numbers in their standard deviations and
        whether they are missing, of anything else which of the frequent values it is."""
        x = self.rows_[:, j]
        if self._coding is not None and self._coding.is_nominal[j]:
            codes, counts = np.unique(x, return_counts=True)
            return x[:, np.newaxis] == codes[np.argsort(-counts, kind="stable")][:MAX_LEVELS]
        gaps = np.isnan(x)
        spread = x[~gaps].std() if not gaps.all() else 0.0
        scaled = x / (spread if spread > 0 else 1.0)
        if not gaps.any():
            return scaled
        return np.column_stack(
            [np.where(gaps, np.nanmean(scaled) if spread > 0 else 0, scaled), gaps]
        )

    def _draw(self, X, columns, given, rng) -> np.ndarray:
        row = rng.integers(len(self.rows_), size=len(X))
        if given:
            forest, both = self._forest(columns, given), [*columns, *given]
            own = _place_among(self.rows_[:, both], X[:, both])
            uniform, choice = rng.random(len(X)), self._trees(own, len(forest), rng)
            for t, tree in enumerate(forest):
                mine = np.flatnonzero(choice == t)
                if len(mine):
                    row[mine] = _mates(tree, X[np.ix_(mine, given)], own[mine], uniform[mine])
        return self.rows_[np.ix_(row, columns)]

    def _trees(self, own: np.ndarray, n_trees: int, rng) -> np.ndarray:
        """A tree for each row, if it was fitted one of those that left it out."""
        trees, n_unseen = self._unseen
        n = np.where(own < 0, n_trees, n_unseen[own])
        picked = (rng.random(len(own)) * n).astype(int)
        return np.where(own < 0, picked, trees[own, picked])


def _place_among(rows: np.ndarray, X: np.ndarray) -> np.ndarray:
    """For each row of X the position of an equal one of `rows`, by turns if several are, or -1."""
    fitted, new = (
        pd.util.hash_pandas_object(pd.DataFrame(of + 0.0), index=False).to_numpy()
        for of in (rows, X)  # + 0.0: no minus before a zero
    )
    order = np.argsort(fitted, kind="stable")
    first, end = (np.searchsorted(fitted[order], new, side) for side in ("left", "right"))
    turn = pd.Series(new).groupby(new).cumcount().to_numpy() % np.maximum(end - first, 1)
    return np.where(end > first, order[np.minimum(first + turn, len(rows) - 1)], -1)


def _by_who_left_it_out(bags, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """For each row the trees, those first that left it out of their bag, and how many did so.

    A row that is in all bags counts as left out of all: it must be drawn for by some tree.
    """
    left_out = np.ones((n_rows, len(bags)), dtype=bool)
    for t, bag in enumerate(bags):
        left_out[bag, t] = False
    left_out[~left_out.any(axis=1)] = True
    return np.argsort(~left_out, axis=1, kind="stable"), left_out.sum(axis=1)


def _mates(grown: tuple, at: np.ndarray, own: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """Fitted rows from the leaves that `at` falls into; not its own, unless it is alone there."""
    tree, order, start, count = grown
    leaf, place = tree.apply(at), np.empty(len(order), dtype=int)
    place[order] = np.arange(len(order))
    first, n = start[leaf], count[leaf]
    itself = (own >= 0) & (n > 1)
    drawn = (uniform * (n - itself)).astype(int)
    return order[first + drawn + (itself & (first + drawn >= place[own]))]


def _rows_by_leaf(tree, at) -> tuple:
    leaf = tree.apply(at)
    count = np.bincount(leaf, minlength=tree.tree_.node_count)
    return tree, np.argsort(leaf, kind="stable"), np.cumsum(count) - count, count


def conditional_sampler(coding: Coding):
    """The sampler for draws given other columns: normal for numbers, by forests for all else."""
    return GaussianSampler() if coding.is_complete else ForestSampler()


def draw_codes(sampler, coding: Coding, values: np.ndarray, columns, given, rng) -> np.ndarray:
    """The codes of drawn columns, for rows that are given by their codes."""
    places = (tuple(map(Position, features)) for features in (columns, given))
    if not isinstance(sampler, _Sampler):  # somebody else's may work in place
        values = values.copy()
    drawn = np.asarray(sampler.sample(coding.decode(values), *places, random_state=rng))
    if drawn.ndim == 1 and len(columns) == 1:
        drawn = drawn[:, np.newaxis]
    if drawn.shape != (len(values), len(columns)):
        raise ValueError(
            f"The sampler gave an array of shape {drawn.shape}; one row per row of X and one "
            f"column per drawn feature would be {(len(values), len(columns))}. Mend its `sample`."
        )
    if coding.is_numeric and not (drawn.dtype.kind in "biuf" or are_numbers(drawn)):
        raise TypeError(
            f"The sampler gave values that are no numbers ({drawn.dtype}) for columns that hold "
            f"numbers. Mend its `sample`."
        )
    codes = coding.encode_columns(drawn, columns)
    refuse_non_finite(codes, "The sampler's draw", allow_nan=not coding.is_complete)
    return codes


def fitted_sampler(sampler, X):
    """`sampler` as it is if it has been fitted, else a copy of it fitted to X.

    As in scikit-learn, what fitting has learnt ends in an underscore; a sampler without `fit` has
    nothing to learn.
    """
    if isinstance(sampler, type) or not callable(getattr(sampler, "sample", None)):
        raise TypeError(
            f"sampler must be an object with fit(X) and sample(X, columns, given), got "
            f"{sampler!r}. Pass for example GaussianSampler()."
        )
    learnt = any(name.endswith("_") and name[0] != "_" for name in getattr(sampler, "__dict__", ()))
    if learnt or not callable(getattr(sampler, "fit", None)):
        return sampler
    unfitted = clone(sampler) if hasattr(sampler, "get_params") else copy.deepcopy(sampler)
    return unfitted.fit(X)
