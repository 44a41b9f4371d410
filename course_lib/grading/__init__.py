"""Grading a class: what strangers wrote runs in a box, what it is worth is decided outside.

`submissions` finds notebooks and `notebook` reads them, `box` starts the fork server in bubblewrap,
`inside`, `shell` and `confine` are what runs there, `canary` tries to break out. `running` takes
a submission through the box, `replies` rebuilds what comes out, `marking` says what it is worth, in
`records`; `engine` does so for a class, and again only if something in `dependencies` has changed.
`publishing` writes `tables`, `written` answers, `feedback` and the `classpage`; `gradebook` is
nbgrader's. Only plain JSON crosses the wall of the box (`wire`), and no expected value ever enters.
"""
