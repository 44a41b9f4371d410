"""Grading a class: what strangers wrote runs in a box, what it is worth is decided outside.

`archives` lists the files of an export in a `limited` process, `owners` knows whose they are by the
names of learning platforms, `sorting` gives them to students and `submissions` chooses what is
graded. `box` starts the fork server in bubblewrap; `inside`, `shell`, `reading` and `confine` are
what runs there, `indoors` stands there for what knows answers, and `canary` tries to break out.
`notebook` makes a schedule of a notebook's cells, `drawing` its secret cases; `running` takes it
through the box, `replies` rebuilds what comes out, `marking` says what it is worth, in `records`.
`engine`, with its `workers`, does so for a class, and again only if something in `dependencies` has
changed. `publishing` writes `tables`, `written` answers, `feedback`, the `classpage` and the
`roster` of the platform, all as a `spreadsheet` can read them; `gradebook` is nbgrader's. Only
plain JSON comes out through the wall of the box (`wire`), and no expected value ever enters.
"""
