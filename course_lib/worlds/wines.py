"""The wines of the capstone: real measurements, without a known truth."""

import pandas as pd

from course_lib.validation import check_option

WINE_COLUMNS = {  # the names of scikit-learn's table, and the shorter ones of the course
    "alcohol": "alcohol",
    "malic_acid": "malic_acid",
    "magnesium": "magnesium",
    "total_phenols": "phenols",
    "flavanoids": "flavanoids",
    "color_intensity": "color",
    "hue": "hue",
    "od280/od315_of_diluted_wines": "dilution",
    "proline": "proline",
}


def load_wines(response: str = "proline") -> tuple[pd.DataFrame, pd.Series]:
    """Nine laboratory measurements of 178 wines, one of them as the response (capstone).

    The table is the one that scikit-learn ships (Forina et al., UCI wine): wines of three growers
    of one region of Italy, stored grower by grower. The response is given in standard deviations
    from its mean, so that its variance is 1 and a difference of squared errors is a share of it.

    Parameters
    ----------
    response : str, default="proline"
        Which of the nine to predict from the other eight.

    Returns
    -------
    X : DataFrame of shape (178, 8), in the units of the laboratory
    y : Series of 178 numbers with mean 0 and variance 1

    Examples
    --------
    >>> X, y = load_wines("alcohol")
    >>> X.shape, round(float(y.var(ddof=0)), 6)
    ((178, 8), 1.0)
    """
    from sklearn.datasets import load_wine

    check_option(response, "response", tuple(WINE_COLUMNS.values()))
    wines = load_wine(as_frame=True).data.rename(columns=WINE_COLUMNS)[[*WINE_COLUMNS.values()]]
    y = wines.pop(response)
    return wines, (y - y.mean()) / y.std(ddof=0)
