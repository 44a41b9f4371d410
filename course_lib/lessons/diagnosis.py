"""What is wrong with a value before its numbers are looked at: kind, size, keys, spelling.

A diagnosis tells how far an answer is from the expected one, and never what that is: it may say
that four of six values agree, but not which.
"""

from collections.abc import Callable

import numpy as np

from course_lib.lessons.blanks import open_places
from course_lib.lessons.sealing import spelling, unsealed
from course_lib.lessons.values import Other, brief

Agree = Callable[[object, object], bool]
KINDS = {  # by the type of the expected value: what it is called
    bool: "True or False",
    str: "a text",
    int: "a number",
    float: "a number",
    dict: "a dictionary",
    frozenset: "a set",
    np.ndarray: "an array",
    list: "a list",
    tuple: "a tuple",
}
SEQUENCES = (list, tuple, np.ndarray)
ACCEPTED = {frozenset: (frozenset, list, tuple)} | dict.fromkeys(SEQUENCES, SEQUENCES)


def diagnosis(value, wanted, agree: Agree) -> str:
    """What is wrong with a plain value, as a sentence; empty if there is nothing but its number.

    Parameters
    ----------
    value : a plain value
    wanted : a plain value, or one that is sealed
    agree : callable
        ``agree(part, wanted part)`` says whether two parts are the same.
    """
    wanted = unsealed(wanted)
    if places := open_places(value):
        return f"{counted(places, 'place')} of your answer {is_are(places)} still `...`."
    if value is None:
        return f"The answer is None; {kind_of(wanted)} is expected. Is a `return` missing?"
    if wrong := _wrong_kind(value, wanted):
        return wrong
    look = next((look for kind, look in LOOKS.items() if isinstance(wanted, kind)), None)
    try:
        return look(value, wanted, agree) if look else ""
    except (TypeError, ValueError):  # nonsense inside of the right container
        return ""


def kind_of(value) -> str:
    """What a value is called in a sentence."""
    return KINDS.get(type(value), "something else")


def counted(number: int, word: str) -> str:
    """A number and its noun.

    >>> counted(1, "key"), counted(2, "entry")
    ('1 key', '2 entries')
    """
    return f"{number} {word if number == 1 else plural(word)}"


def plural(word: str) -> str:
    """A noun for several things."""
    return f"{word[:-1]}ies" if word.endswith("y") and word != "key" else f"{word}s"


def is_are(number: int) -> str:
    """The verb that goes with a number."""
    return "is" if number == 1 else "are"


def _wrong_kind(value, wanted) -> str:
    number = type(wanted) in (int, float)
    accepted = (int, float) if number else ACCEPTED.get(type(wanted), (type(wanted),))
    if type(value) in accepted:
        return ""
    if number and isinstance(value, np.ndarray) and value.ndim == 0:
        return ""
    found = value.text if isinstance(value, Other) else kind_of(value)
    sentence = f"{kind_of(wanted).capitalize()} is expected, and this is {found}."
    return f"{sentence} {_as_letters(value, wanted)}".rstrip()


def _as_letters(value, wanted) -> str:
    """How to write "abd" where a set of single letters is asked for."""
    letters = isinstance(wanted, frozenset) and all(
        isinstance(w, str) and len(w) == 1 for w in wanted
    )
    given = frozenset(value) - set(" ,;{}\"'") if isinstance(value, str) else frozenset()
    return f"Write each letter by itself: {brief(given)}." if letters and given else ""


def _look_at_dict(value: dict, wanted: dict, agree: Agree) -> str:
    missing = [key for key in wanted if key not in value]
    unknown = [key for key in value if key not in wanted]
    if missing or unknown:
        parts = [
            f"{'no entry' if len(missing) == 1 else 'no entries'} for {_listed(missing)}",
            f"{'an entry' if len(unknown) == 1 else 'entries'} for {_listed(unknown)}, which "
            f"{is_are(len(unknown))} not asked for",
        ]
        shown = (part for part, keys in zip(parts, (missing, unknown), strict=True) if keys)
        return f"Your dictionary has {' and '.join(shown)}."
    values, right = list(value.values()), list(map(unsealed, wanted.values()))
    if strange := _strange(values, right):
        return strange
    return share([agree(value[key], wanted[key]) for key in wanted], "value")


def _look_at_set(value, wanted: frozenset, _agree: Agree) -> str:
    """Only by size: a count of what belongs there would tell it of each single element.

    Of texts, such as the letters of what one has chosen, not even that: with five or six of them
    the size and one more attempt would be enough.
    """
    elements = frozenset(value)
    if strange := _strange(elements, wanted):
        return strange
    if all(isinstance(w, str) for w in wanted):
        return "Something in the set does not belong there, or something is missing."
    if len(elements) == len(wanted):
        return "The set has the right size, but not the right elements."
    return f"The set has too {'few' if len(elements) < len(wanted) else 'many'} elements."


def _look_at_sequence(value, wanted, agree: Agree) -> str:
    value = value.tolist() if isinstance(value, np.ndarray) else value
    if len(value) != len(wanted):
        found = f"There {is_are(len(value))} {counted(len(value), 'entry')}"
        return f"{found}, and {len(wanted)} {is_are(len(wanted))} expected."
    if strange := _strange(value, wanted):
        return strange
    if all(isinstance(part, str) for part in wanted) and sorted(value) == sorted(wanted):
        return "These are the right entries, but not in the right order."
    return share([agree(v, w) for v, w in zip(value, wanted, strict=True)], "entry")


def _look_at_array(value, wanted: np.ndarray, agree: Agree) -> str:
    try:
        value = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        return "The entries should be numbers."
    if value.shape != wanted.shape:
        return f"The shape is {value.shape}, and {wanted.shape} is expected."
    if (lost := int(np.isnan(value).sum())) and not np.isnan(wanted.astype(float)).any():
        return f"Of the {counted(value.size, 'entry')}, {lost} {is_are(lost)} nan."
    pairs = zip(value.ravel().tolist(), wanted.ravel().astype(float).tolist(), strict=True)
    return share([agree(v, w) for v, w in pairs], "entry")


def _look_at_number(value, wanted, _agree: Agree) -> str:
    if np.isnan(value) and not np.isnan(wanted):
        return "The answer is nan: somewhere 0 was divided by 0, or the logarithm of 0 taken."
    if value in {round(float(wanted), digits) for digits in (2, 3, 4, 5)}:
        return "The answer looks rounded. Return it with all its digits."
    return ""


def _look_at_text(value: str, wanted: str, _agree: Agree) -> str:
    return _strange([value], [wanted])


LOOKS = {
    dict: _look_at_dict,
    frozenset: _look_at_set,
    np.ndarray: _look_at_array,
    (list, tuple): _look_at_sequence,
    str: _look_at_text,
    bool: lambda *_: "",
    (int, float): _look_at_number,
}


def _strange(values, wanted) -> str:
    """What is wrong with texts whatever their place, judged by their form alone.

    By its form, "q1" is no "Q1", and neither is "first". Which of the texts with the right form is
    the right one plays no part here: else one could ask for them one by one.
    """
    if not all(isinstance(w, str) for w in wanted):
        return ""
    if odd := [v for v in values if not isinstance(v, str)]:
        return f"Texts in quotation marks are expected, and {brief(odd[0])} is none."
    forms = {spelling(w) for w in wanted}
    if odd := sorted(v for v in values if spelling(v) not in forms):
        if spelling(odd[0]).casefold() in {form.casefold() for form in forms}:
            return (
                f"Capital and small letters count: {brief(odd[0])} is not written as in the task."
            )
        if _squeezed(odd[0]) in map(_squeezed, wanted):
            return f"Spaces and hyphens count: {brief(odd[0])} is not written as in the task."
        return (
            f"{brief(odd[0])} does not look like what the task asks for." if len(forms) == 1 else ""
        )
    return ""


def _squeezed(text: str) -> str:
    """The form of a text without its spaces and hyphens, in small letters.

    >>> _squeezed("AI-via ") == _squeezed("DI out")
    True
    """
    return "".join(letter for letter in spelling(text) if letter.isalnum()).casefold()


def share(right: list[bool], word: str) -> str:
    """How many agree; of a single one there is nothing to count."""
    if len(right) < 2:
        return ""
    number = sum(right)
    verb = "agrees" if number < 2 else "agree"
    return f"{number or 'None'} of the {len(right)} {plural(word)} {verb}."


def _listed(values: list) -> str:
    shown = ", ".join(brief(value) for value in values[:6])
    return shown + (" and others" if len(values) > 6 else "")
