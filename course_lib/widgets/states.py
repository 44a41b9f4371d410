"""The states of an explorer, computed once and stored: of each its picture, its text, its goal.

What differs between states is small, so every layer and every text is stored once, in a pool, and
a state is a list of places in it. `./course build` writes the files; a page unpacks them.
"""

import gzip
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from itertools import product
from math import prod

from course_lib.widgets.controls import kind_of
from course_lib.widgets.frames import MovingPicture

FOLDER, NARROW = "stored", "-narrow"  # where the states lie, and how those of a phone are called
VERSION = 1
PER_STATE = ("layers", "texts", "alts", "attained")
MOST = 5000  # states of a grid that is stored as a whole


class States:
    """What a page needs to show every state of an explorer without a kernel.

    Parameters
    ----------
    packed : bytes
        As `packed_states` made them.
    """

    def __init__(self, packed: bytes):
        self.packed = packed
        self._content = json.loads(gzip.decompress(packed))
        if self._content["version"] != VERSION:
            raise ValueError(f"states of version {self._content['version']}, not {VERSION}")
        self.grid = self._content["grid"]
        listed = self._content["places"]
        self._numbers = listed and {tuple(place): k for k, place in enumerate(listed)}

    @property
    def key(self) -> str:
        """What the states were computed from, as a digest."""
        return self._content["key"]

    @property
    def is_listed(self) -> bool:
        """Whether only some states are stored, and not the whole grid."""
        return self._numbers is not None

    @property
    def still(self) -> dict:
        """Size and background, which all states share."""
        return {name: self._content[name] for name in ("size", "background")}

    def number(self, place: Sequence) -> int | None:
        """The number of the state at this place of the controls; None if it is not stored."""
        if self._numbers is not None:
            return self._numbers.get(tuple(place))
        number = 0
        for at, size in zip(place, self.grid, strict=True):
            number = number * size + at
        return number

    def shown(self, number: int) -> dict:
        """Layers, text, alternative text and goal of a state."""
        content = self._content
        pool = content["pool"]
        return {
            "layers": [pool[k] for k in content["layers"][number]],
            "text": pool[content["texts"][number]],
            "alt": pool[content["alts"][number]],
            "attained": content["attained"][number],
        }

    def part(self, numbers: Sequence[int], grid: Sequence[int]) -> bytes:
        """The states with these numbers, compressed, as all states of fewer controls."""
        content, pool = self._content, {}
        kept = {name: [content[name][k] for k in numbers] for name in PER_STATE}
        for name in ("texts", "alts"):
            kept[name] = [_pooled(pool, content["pool"][k]) for k in kept[name]]
        kept["layers"] = [
            [_pooled(pool, content["pool"][k]) for k in layers] for layers in kept["layers"]
        ]
        kept["handles"] = {
            name: [places[k] for k in numbers] for name, places in content["handles"].items()
        }
        kept |= {"grid": list(grid), "places": None, "pool": list(pool)}
        return gzip.compress(as_json(content | kept).encode(), mtime=0)

    def __len__(self) -> int:
        return len(self._content["layers"])


def packed_states(explorer, places: Iterable[Sequence[int]] | None = None, key: str = "") -> bytes:
    """All states of an explorer, or those at these places, drawn and compressed.

    Parameters
    ----------
    explorer : Explorer
        With a `Scene`.
    places : iterable of sequences of int, default=None
        Where the controls stand; the whole grid if None.
    key : str, default=""
        What the states were computed from.
    """
    grid = [len(values) for values in explorer.grids.values()]
    listed = None if places is None else [list(place) for place in places]
    pool: dict[str, int] = {}
    content = {"version": VERSION, "key": key, "grid": grid, "places": listed}
    content |= {"size": explorer.moving.size, "background": explorer.moving.background}
    content |= {"layers": [], "texts": [], "alts": [], "attained": [], "handles": {}}
    for place in product(*map(range, grid)) if listed is None else listed:
        shown = explorer.drawn(explorer.state_at(place))
        content["layers"].append([_pooled(pool, layer) for layer in shown["layers"]])
        content["texts"].append(_pooled(pool, shown["text"]))
        content["alts"].append(_pooled(pool, shown["alt"]))
        content["attained"].append(shown["attained"])
        for name, at in shown["handles"].items():
            content["handles"].setdefault(name, []).append(at)
    content["pool"] = list(pool)
    return gzip.compress(as_json(content).encode(), mtime=0)


def narrow_states(explorer, places: Iterable[Sequence[int]] | None = None, key: str = "") -> bytes:
    """The same in the drawing for a phone; the explorer draws this one from now on."""
    explorer.moving = MovingPicture(explorer.frame, explorer.state, narrow=True)
    return packed_states(explorer, places, key)


def listed_places(explorer) -> list[list[int]] | None:
    """The places to store: None for the whole grid or, where that is too large, the named states.

    A named state is stored for every option of the controls that are no sliders.
    """
    if is_small(explorer.grids, MOST):
        return None
    places = []
    for state in explorer.named.values():
        choices = [
            range(len(explorer.grids[name])) if kind_of(control) in ("choice", "list") else [at]
            for (name, control), at in zip(
                explorer.controls.items(),
                explorer.place_of(explorer.state | state).values(),
                strict=True,
            )
        ]
        places += map(list, product(*choices))
    return places


def as_json(content) -> str:
    """The shortest form, the same every time."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def _pooled(pool: dict[str, int], text: str) -> int:
    return pool.setdefault(text, len(pool))


@lru_cache
def stored_states(name: str) -> States | None:
    """The stored states of an explorer of the lessons; None if they are missing or damaged."""
    path = files("course_lib.widgets") / FOLDER / f"{name}.gz"
    return readable_states(path.read_bytes()) if path.is_file() else None


def readable_states(packed: bytes) -> States | None:
    """The states in a file; None if it is damaged, or of another version."""
    try:
        return States(packed)
    except (OSError, EOFError, ValueError, KeyError, TypeError, zlib.error):
        return None


def fits(states: States | None, grids: Mapping[str, tuple]) -> bool:
    """Whether these states are those of controls with these values."""
    return states is not None and states.grid == [len(values) for values in grids.values()]


def is_small(grids: Mapping[str, tuple], most: int) -> bool:
    """Whether the controls have at most so many states altogether."""
    return all(grids.values()) and prod(map(len, grids.values())) <= most
