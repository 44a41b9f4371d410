"""Grading a class: what strangers wrote runs in a box, what it is worth is decided outside.

`submissions` finds and reads notebooks, `box` starts the fork server in bubblewrap, `inside` and
`confine` are what runs there, `canary` tries to break out, `marking` grades one submission,
`engine` a whole class, `tables`, `written`, `feedback`, `classpage` and `gradebook` write what
comes out. Only plain JSON crosses the wall of the box (`wire`), and no expected value ever enters.
"""
