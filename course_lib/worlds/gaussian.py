"""How some Gaussian variables follow from others, also if some are duplicated or constant.

Inverses are pseudo-inverses on the scale of correlations, so that neither units nor collinear and
constant variables do harm.
"""

import numpy as np

SINGULAR = 1e-10  # a share of variance below this counts as none


def regression(covariance: np.ndarray, columns, given) -> np.ndarray:
    """Coefficients B = Sigma_CG Sigma_GG^-1 of the columns on the given, one row per column."""
    C, G = list(columns), list(given)
    P, unit = _correlations(covariance)
    return unit[C, np.newaxis] * _coefficients(P, C, G) / unit[G]


def conditional_law(covariance: np.ndarray, columns, given) -> tuple[np.ndarray, np.ndarray]:
    """The coefficients B, and a root R of the conditional covariance: R R' = Sigma_CC - B Sigma_GC.

    Eigenvalues below rounding count as zero.
    """
    C, G = list(columns), list(given)
    P, unit = _correlations(covariance)
    B = _coefficients(P, C, G)
    eigenvalues, vectors = np.linalg.eigh(P[np.ix_(C, C)] - B @ P[np.ix_(G, C)])
    eigenvalues = np.where(eigenvalues > SINGULAR, eigenvalues, 0.0)
    to_C = unit[C, np.newaxis]
    return to_C * B / unit[G], to_C * vectors * np.sqrt(eigenvalues)


def _correlations(covariance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The correlations, and what was divided by: the standard deviations, 1 for a constant."""
    scale = np.sqrt(np.diag(covariance))
    unit = np.where(scale > 0, scale, 1.0)
    return covariance / np.outer(unit, unit), unit


def _coefficients(P: np.ndarray, C: list[int], G: list[int]) -> np.ndarray:
    return P[np.ix_(C, G)] @ np.linalg.pinv(P[np.ix_(G, G)], rcond=SINGULAR, hermitian=True)
