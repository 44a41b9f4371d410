"""The real tables of the capstone, without a known truth: each is declared here and nowhere else.

They come with scikit-learn. To let the capstone speak of other data, declare another table: its
columns, as many as there are, and the one that is predicted.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from sklearn import datasets

from course_lib.validation import check_option


@dataclass(frozen=True)
class Table:
    """A real table: how to read it, which of its columns are used under which names.

    Attributes
    ----------
    read : callable without arguments
        Gives a DataFrame, the response among its columns.
    columns : mapping from the names of the source to those of the course
    response : str
        What is predicted from all the others, unless a caller wants another one.
    formulas : mapping from columns to functions of X
        Of the columns that were computed from others, how; of most tables nobody knows any.
    """

    read: Callable[[], pd.DataFrame]
    columns: Mapping[str, str]
    response: str
    formulas: Mapping[str, Callable] = field(default_factory=dict)

    def load(self, response: str | None = None) -> tuple[pd.DataFrame, pd.Series]:
        """X in the units of the source, and y in standard deviations from its mean."""
        names = tuple(self.columns.values())
        response = self.response if response is None else response
        check_option(response, "response", names)
        table = self.read().rename(columns=self.columns)[[*names]].astype(float)
        y = table.pop(response)
        return table, (y - y.mean()) / y.std(ddof=0)

    def by_formula(self, X: pd.DataFrame) -> pd.DataFrame:
        """What the columns of X with a formula would be by it, if X has all that it needs."""
        found = pd.DataFrame(index=X.index)
        for name in X.columns.intersection([*self.formulas]):
            with suppress(KeyError):  # what the formula needs is the response
                found[name] = self.formulas[name](X)
        return found


PATIENTS = Table(
    lambda: datasets.load_diabetes(as_frame=True, scaled=False).frame,
    {
        "age": "age",
        "sex": "sex",
        "bmi": "bmi",
        "bp": "pressure",
        "s1": "cholesterol",
        "s2": "LDL",
        "s3": "HDL",
        "s4": "ratio",
        "s5": "triglycerides",
        "s6": "glucose",
        "target": "progression",
    },
    "progression",
    {
        "LDL": lambda X: X["cholesterol"] - X["HDL"] - np.exp(X["triglycerides"]) / 5,
        "ratio": lambda X: X["cholesterol"] / X["HDL"],
    },
)
WINES = Table(
    lambda: datasets.load_wine(as_frame=True).data,
    {
        "alcohol": "alcohol",
        "malic_acid": "malic_acid",
        "magnesium": "magnesium",
        "total_phenols": "phenols",
        "flavanoids": "flavanoids",
        "color_intensity": "color",
        "hue": "hue",
        "od280/od315_of_diluted_wines": "dilution",
        "proline": "proline",
    },
    "alcohol",
)


def load_patients(response: str | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """Ten measurements of 442 diabetes patients, and the progression of the disease after a year.

    The table of Efron, Hastie, Johnstone and Tibshirani (2004), as scikit-learn ships it. The
    response has mean 0 and variance 1, so that a difference of squared errors is a share of it.

    Parameters
    ----------
    response : str, default="progression"
        Which of the eleven columns to predict from the other ten.

    Returns
    -------
    X : DataFrame of shape (442, 10), in the units of the source
        `triglycerides` is the natural logarithm of the level, `sex` is coded 1 and 2.
    y : Series of 442 numbers with mean 0 and variance 1

    Examples
    --------
    >>> X, y = load_patients()
    >>> X.shape, y.name, round(float(y.var(ddof=0)), 6)
    ((442, 10), 'progression', 1.0)
    """
    return PATIENTS.load(response)


def patients_by_formula(X: pd.DataFrame) -> pd.DataFrame:
    """What those columns of the patients would be that were computed from other columns.

    Parameters
    ----------
    X : DataFrame
        As `load_patients` gives it.

    Returns
    -------
    by_formula : DataFrame with the rows of X
        A column for each one in X that has a formula, if X has all that the formula needs.

    Examples
    --------
    >>> X, _ = load_patients()
    >>> list(patients_by_formula(X))
    ['LDL', 'ratio']
    """
    return PATIENTS.by_formula(X)


def load_wines(response: str | None = None) -> tuple[pd.DataFrame, pd.Series]:
    """Nine laboratory measurements of 178 wines, one of them as the response.

    The table of Forina and colleagues (UCI wine), as scikit-learn ships it: wines of three grape
    varieties from one region of Italy, stored variety by variety. The response has mean 0 and
    variance 1, so that a difference of squared errors is a share of it.

    Parameters
    ----------
    response : str, default="alcohol"
        Which of the nine columns to predict from the other eight.

    Returns
    -------
    X : DataFrame of shape (178, 8), in the units of the laboratory
    y : Series of 178 numbers with mean 0 and variance 1

    Examples
    --------
    >>> X, y = load_wines("proline")
    >>> X.shape, round(float(y.var(ddof=0)), 6)
    ((178, 8), 1.0)
    """
    return WINES.load(response)
