"""Direct and associative importance (`003`, DEDACT), estimated for any model by drawing features.

The columns of X are the variables; the model may read only some of them (`models.OnColumns`).
Direct importance (DI) asks which features the model uses, associative importance (AI) which
variables tell something that helps it, by whatever door. DI from and AI via connect the two: where
does what comes in by this door come from, and by which door does what this variable tells come in?

Each function draws the features `n_repeats` times and returns one column per repeat; both sides of
a difference, and all parts of a decomposition, share their draws. The repeats show the error of the
drawing, not that of having only these rows. `linear_gaussian` has the measures in closed form.
"""

from course_lib.measures.dedact.perturbation import Drawing, Estimates, with_drawing
from course_lib.results import Decomposition, Importances
from course_lib.validation import RandomState
from course_lib.worlds.samplers import MarginalSampler


@with_drawing
def direct_importance(model, X, y, K, *, B=(), marginalize: bool = False, **drawing) -> Importances:
    """Loss saved when features K, noise until then, get their values back: DI(X_K | X_B).

    DI = E L(Y, f | do(X_(D-B) = ~X^0)) - E L(Y, f | do(X_(D-B-K) = ~X^0))       (definition 1)

    ~X^0 is drawn jointly and independently of the data; features B keep their values throughout.
    Nothing but K changes, so DI is 0 for features that the model does not use (proposition 1).
    With B all the rest it is the permutation importance, with B empty and marginalize=True it is
    marginal SAGE's v(K) (table 1).

    Parameters
    ----------
    model : fitted estimator
        A model of all columns of X; wrap one that reads fewer in `models.OnColumns`.
    X : DataFrame or array of shape (n_samples, n_features)
    y : array of shape (n_samples,)
    K, B : features by name or position, one or several, disjoint
    marginalize : bool, default=False
        False evaluates f itself on each draw, (f, f) in the paper. True averages the prediction
        over `n_samples` draws first, (f_B, f_(B+K)). The mean of m draws is too noisy by Var/m;
        for a loss of `predict` a jackknife takes this out (exactly for squared error), for a loss
        of `predict_proba` it remains, a few percent as a rule, and shrinks with n_samples.
    sampler : sampler, default=None
        Makes all draws; here `MarginalSampler` by default: whole rows of X.
    loss : callable, default=None
        Squared error, or cross-entropy for a classifier.
    n_repeats : int, default=10
    n_samples : int, default=25
        Draws per row and repeat that a marginalised prediction averages.
    sample_weight : array-like of shape (n_samples,), default=None
        How much the loss of each row counts; features are drawn from all rows alike.
    n_jobs : int, default=None
        Processes that draw and predict, by joblib, where there are more than 16,000 rows and
        draws; the numbers do not depend on it.
    random_state : int, Generator or None

    Returns
    -------
    result : Importances
        One row, one column per repeat. Costs 2 n_repeats predictions of all rows (times
        n_samples if marginalised), a few calls of the model.

    Examples
    --------
    The model reads the first column only.

    >>> from types import SimpleNamespace
    >>> first = SimpleNamespace(predict=lambda X: X[:, 0])
    >>> X, y = [[0, 5], [1, 7], [2, 6]], [0, 1, 2]
    >>> direct_importance(first, X, y, 1, B=0, n_repeats=3).importances
    array([[0., 0., 0.]])
    """
    return Estimates(
        model, X, y, Drawing(**drawing), lambda _: MarginalSampler()
    ).direct_importance(K, B, marginalize)


@with_drawing
def associative_importance(
    model, X, y, J, *, C=(), marginalize: bool = False, **drawing
) -> Importances:
    """Loss saved when all features are drawn given X_J too, not given X_C alone: AI(X_J | X_C).

    AI = E L(Y, f | do(X_(D-C) = ~X^C)) - E L(Y, f | do(X_(D-C-J) = ~X^(C+J)))    (definition 2)

    ~X^S is drawn given X_S and otherwise independently of the data. AI(f, f) is 0 if X_J tells
    nothing about Y that X_C does not (proposition 2), and need not be 0 for a variable that the
    model never reads. With C all the rest it is conditional feature importance (Q2), with C empty
    and marginalize=True it is conditional SAGE's v(J) (table 1).

    Parameters
    ----------
    model, X, y, loss, n_repeats, n_samples, sample_weight, n_jobs, random_state
        As in `direct_importance`.
    J, C : variables by name or position, one or several, disjoint
    marginalize : bool, default=False
        As in `direct_importance`; the averages are f_C and f_(C+J).
    sampler : sampler, default=None
        Makes all draws, also those given nothing; `GaussianSampler` by default.

    Returns
    -------
    result : Importances
        One row, one column per repeat.

    Examples
    --------
    The model reads a copy; the original gets the same credit.

    >>> from types import SimpleNamespace
    >>> second = SimpleNamespace(predict=lambda X: X[:, 1])
    >>> X, y = [[0, 0], [1, 1], [2, 2]], [0, 1, 2]
    >>> original, copy = (
    ...     associative_importance(second, X, y, j, random_state=0).importances_mean[0]
    ...     for j in (0, 1)
    ... )
    >>> bool(original > 0), bool(abs(original - copy) < 1e-9)
    (True, True)
    """
    return Estimates(model, X, y, Drawing(**drawing)).associative_importance(J, C, marginalize)


@with_drawing
def direct_importance_from(
    model, X, y, K, J, *, B=None, marginalize: bool = False, **drawing
) -> Importances:
    """The part of the direct importance of features K that X_J can explain: DI(X_K | X_B <- X_J).

    Like DI, but K is not given back: it is drawn from what X_J tells about it, ~X_K^J, and
    independently of the other draws (definition 3). Equals DI(X_K | X_B) if J contains K. With
    J empty it is 0 if B is all the rest; otherwise it need not be, since the new draw of K no
    longer fits the draws of the remaining features.

    Parameters
    ----------
    model, X, y, sampler, loss, n_repeats, n_samples, sample_weight, n_jobs, random_state
        As in `associative_importance`.
    K, J : features and variables by name or position, one or several; they may overlap
    B : features, default=None
        Those that keep their values; None for all but K, which splits permutation importance.
    marginalize : bool, default=False
        True averages the prediction over all draws, given X_B and X_J.

    Returns
    -------
    result : Importances
        One row, one column per repeat.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> first = SimpleNamespace(predict=lambda X: X[:, 0])
    >>> X, y = [[0, 5], [1, 7], [2, 6]], [0, 1, 2]
    >>> direct_importance_from(first, X, y, K=0, J=(), n_repeats=2).importances
    array([[0., 0.]])
    """
    return Estimates(model, X, y, Drawing(**drawing)).direct_importance_from(K, J, B, marginalize)


@with_drawing
def associative_importance_via(
    model, X, y, J, K, *, C=(), marginalize: bool = False, **drawing
) -> Importances:
    """The part of the associative importance of X_J that enters by K: AI(X_J | X_C -> X_K).

    Like AI, but only K is drawn given X_J too; all other features stay drawn given X_C, and
    independently of K (definition 4). Equals AI(X_J | X_C) if K is all features, and 0 for
    features that the model does not use. With the plain model it need not be 0 for a variable
    that tells nothing: K no longer fits the draws of the others.

    Parameters
    ----------
    model, X, y, sampler, loss, n_repeats, n_samples, sample_weight, n_jobs, random_state
        As in `associative_importance`.
    J, K : variables and features by name or position, one or several; they may overlap
    C : variables disjoint from J
    marginalize : bool, default=False
        True averages the prediction over all draws, given X_C and X_J.

    Returns
    -------
    result : Importances
        One row, one column per repeat.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> first = SimpleNamespace(predict=lambda X: X[:, 0])
    >>> X, y = [[0, 5], [1, 7], [2, 6]], [0, 1, 2]
    >>> associative_importance_via(first, X, y, J=0, K=1, n_repeats=2).importances
    array([[0., 0.]])
    """
    return Estimates(model, X, y, Drawing(**drawing)).associative_importance_via(
        J, K, C, marginalize
    )


@with_drawing
def decompose_direct(
    model,
    X,
    y,
    k,
    *,
    B=None,
    marginalize: bool = False,
    how: str = "fast",
    n_orders: int | None = None,
    **drawing,
) -> Decomposition:
    """The permutation importance of feature k, split over the variables it comes from.

    beta_k = DI(X_k | X_(D-k)),  beta_kj = DI(X_k | X_(D-k) <- X_j)                (section 5.1)

    Parameters
    ----------
    model, X, y, sampler, loss, n_repeats, n_samples, sample_weight, n_jobs, random_state
        As in `associative_importance`.
    k : feature by name or position
    B, marginalize
        As in `direct_importance_from`. With another B than all the rest, nobody's worth w(empty)
        is not 0; it is subtracted from the total and from every part.
    how : {"fast", "shapley"}, default="fast"
        "fast": what each variable explains alone; variables that share information each get all
        of it, so the parts need not add up. "shapley": the Shapley values of
        w(J) = DI(X_k | X_B <- X_J), which add up (section 5.2).
    n_orders : int, default=None
        Only for "shapley". None takes all 2**n_features sets of variables, with n_repeats; a
        number takes that many random orders (each with its reverse and its own draws) instead.

    Returns
    -------
    result : Decomposition
        One part per variable.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> first = SimpleNamespace(predict=lambda X: X[:, 0])
    >>> X, y = [[0, 5], [1, 7], [2, 6]], [0, 1, 2]
    >>> decompose_direct(first, X, y, 0, how="shapley", random_state=0).additive
    True
    """
    return Estimates(model, X, y, Drawing(**drawing)).decompose_direct(
        k, B, marginalize, how, n_orders
    )


@with_drawing
def decompose_associative(
    model,
    X,
    y,
    j,
    *,
    C=(),
    marginalize: bool = False,
    how: str = "fast",
    n_orders: int | None = None,
    **drawing,
) -> Decomposition:
    """The associative importance of X_j, split over the features by which it enters the model.

    alpha_j = AI(X_j | X_C),  alpha_jk = alpha_j - AI(X_j | X_C -> X_(D-k))        (section 5.1)

    Parameters
    ----------
    model, X, y, C, marginalize, sampler, loss, n_repeats, n_samples, sample_weight, n_jobs
    random_state
        As in `associative_importance`.
    j : variable by name or position
    how : {"fast", "shapley"}, default="fast"
        "fast": what is lost when only this door is closed; features that interact each get the
        interaction, so the parts need not add up. "shapley": the Shapley values of
        w(K) = AI(X_j | X_C -> X_K), which add up (section 5.2).
    n_orders : int, default=None
        As in `decompose_direct`, with features in the place of variables.

    Returns
    -------
    result : Decomposition
        One part per feature.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> first = SimpleNamespace(predict=lambda X: X[:, 0])
    >>> X, y = [[0, 5], [1, 7], [2, 6]], [0, 1, 2]
    >>> float(decompose_associative(first, X, y, 1, n_repeats=2).parts.importance["x1"])
    0.0
    """
    return Estimates(model, X, y, Drawing(**drawing)).decompose_associative(
        j, C, marginalize, how, n_orders
    )


def decompose_sage(
    model,
    X,
    y,
    j,
    *,
    how: str = "fast",
    n_orders: int = 50,
    sampler=None,
    loss=None,
    n_samples: int = Drawing.n_samples,
    sample_weight=None,
    n_jobs=None,
    random_state: RandomState = None,
) -> Decomposition:
    """The conditional SAGE value of X_j, split over the features by which it enters the model.

    In each of `n_orders` random orders of the variables, with C those before j, the gain
    AI(X_j | X_C; f_C, f_(C+j)) is split as in `decompose_associative` (sections 5.1 and 5.2).

    Parameters
    ----------
    model, X, y, sampler, loss, n_samples, sample_weight, n_jobs, random_state
        As in `associative_importance`. With a `MarginalSampler` it is marginal SAGE (Q1), all of
        which enters by the variable's own feature.
    j : variable by name or position
    how : {"fast", "shapley"}, default="fast"
        "shapley" follows one random order of the features, and its reverse, for each order of the
        variables; the parts then add up.
    n_orders : int, default=50
        Each order has its own draws; the standard errors are over the orders.

    Returns
    -------
    result : Decomposition
        One part per feature.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> first = SimpleNamespace(predict=lambda X: X[:, 0])
    >>> X, y = [[0, 5], [1, 7], [2, 6]], [0, 1, 2]
    >>> decompose_sage(first, X, y, 1, how="shapley", n_orders=4, random_state=0).additive
    True
    """
    drawing = Drawing(sampler, loss, 1, n_samples, sample_weight, n_jobs, random_state)
    return Estimates(model, X, y, drawing).decompose_sage(j, how, n_orders)
