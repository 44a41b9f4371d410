"""`./course build`: notebooks, exercises and parts of the documents from their text sources."""

import argparse
import hashlib
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from course_lib import lessons as declared
from course_lib.files import write_if_changed
from course_lib.grading.dependencies import data_files, imports_of_code, modules_reached
from course_lib.tools import documents, states
from course_lib.tools.notebooks import execute, refuse_unfit_outputs, release, to_bytes
from course_lib.tools.sources import BuildError, read_source, read_ties, source_text
from course_lib.tools.system import ROOT, need
from course_lib.tools.workbook import without_outputs

SOURCES = "[0-9][0-9]_*.py"
OWN = [
    Path(__file__).with_name(f"{name}.py")
    for name in ("build", "comparing", "notebooks", "sources")
]
TOOLS = ("jupytext", "nbclient", "nbformat", "nbgrader")
FIRST = (
    "Nothing is known here of an earlier build, so all {} notebooks are run: some minutes. Ctrl-C "
    "stops it; what is finished is kept. A single lesson: ./course build 01"
)
FORMS = "course_forms"  # where a notebook's metadata keep the key of the forms that it shows
NO_FORM = {"measures", "models", "worlds", "plots", "studies", "grading", "tools"}


@dataclass(frozen=True)
class Target:
    """One text source and what is built from it."""

    source: Path
    built: Path
    exercise: Path | None = None  # solutions only

    @property
    def files(self) -> list[Path]:
        return [self.built] if self.exercise is None else [self.built, self.exercise]


def targets(root: Path, lessons=()) -> list[Target]:
    """Return what can be built under `root`, for all lessons or those given by number or name."""
    found = [
        Target(source, root / "notebooks" / f"{source.stem}.ipynb")
        for source in sorted((root / "notebooks" / "src").glob(SOURCES))
    ]
    for source in sorted((root / "solutions" / "src").glob(SOURCES)):
        inside = Path(source.stem, f"{source.stem}.ipynb")
        found.append(Target(source, root / "solutions" / inside, root / "exercises" / inside))
    names = sorted({name for t in found for name in (t.source.stem[:2], t.source.stem)})
    if unknown := sorted(set(lessons) - set(names)):
        raise BuildError(
            f"There is no lesson {', '.join(unknown)}. Known are: {', '.join(names) or 'none yet'}."
        )
    return [t for t in found if not lessons or {t.source.stem[:2], t.source.stem} & set(lessons)]


def _relative(path: Path, root: Path) -> str:
    return path.relative_to(root).as_posix()


# ---- building ---------------------------------------------------------------------------


def build(root: Path, lessons=(), *, force: bool = False) -> list[str]:
    """Build what changed since the last build; return one sentence per notebook that failed."""
    from tqdm import tqdm

    declared.available()  # one that makes no sense is refused before anything is written
    states.build(root, lessons, force=force and not lessons)
    notes, problems = root / "build" / "cache.json", []
    cache = _read(notes)
    todo = [
        target
        for target in targets(root, lessons)
        if force or cache.get(_relative(target.source, root)) != state(target, root)
    ]
    if not cache and len(todo) > 2:  # more than the two of one lesson
        print(FIRST.format(len(todo)), flush=True)
    with tqdm(todo, unit="notebook", disable=None, file=sys.stdout) as bar:
        for target in bar:
            name, start = _relative(target.source, root), time.perf_counter()
            try:
                changed = _build_one(target, root, bar)
            except BuildError as error:
                problems.append(str(error))
                bar.write(f"{name:40} FAILED")
                continue
            cache[name] = state(target, root)
            write_if_changed(notes, json.dumps(cache, indent=1, sort_keys=True) + "\n")
            bar.write(f"{name:40} {time.perf_counter() - start:6.1f} s  {changed}")
    documents.write(root)
    return problems


def _build_one(target: Target, root: Path, bar) -> str:
    """Execute one source and write what comes of it, all or nothing; say what changed."""
    path, graded = _relative(target.source, root), target.exercise is not None
    notebook = read_source(target.source, graded=graded)
    total = len(notebook.cells)
    executed = execute(
        notebook,
        root=root,
        path=path,
        graded=graded,
        ties=read_ties(target.source),
        on_cell=lambda k: bar.set_postfix_str(f"{target.source.stem} cell {k}/{total}"),
    )
    refuse_unfit_outputs(executed, root=root, path=path)
    if key := forms_key(target, root):
        executed.metadata[FORMS] = key
    contents = [to_bytes(executed)]
    if graded:
        contents.append(to_bytes(_exercise_of(contents[0], target, path)))
    changed = [write_if_changed(file, c) for file, c in zip(target.files, contents, strict=True)]
    return "changed" if any(changed) else "as before"


def _exercise_of(solution: bytes, target: Target, path: str):
    """Return the exercise; refuse one that still holds an answer."""
    exercise = release(solution, target.source.stem)
    for cell in exercise.cells:
        if "SOLUTION" in cell.source or cell.get("outputs"):
            raise BuildError(f"{path}: the exercise would show part of the solution: {cell.source}")
    return exercise


def state(target: Target, root: Path) -> list[str]:
    """Digests of all that the built files depend on, and of these files."""
    return [
        _digest([*library_files(target, root), *OWN, root / "requirements.lock"]),
        *(_digest([file]) for file in (target.source, *target.files)),
    ]


def library_files(target: Target, root: Path) -> list[Path]:
    """What of the library a notebook can show: what it imports, its lesson, and their data."""
    library, lesson = root / "course_lib", f"course_lib.lessons.lesson_{target.source.stem[:2]}"
    imported = imports_of_code(source_text(target.source), library)
    modules = set(modules_reached(imported | {lesson}, library).values())
    return sorted(modules | data_files(modules))


def forms_key(target: Target, root: Path) -> str:
    """Digest of what words the forms of a notebook; nothing if it has none.

    That is what it imports from the learner's package, what this imports of the lessons, and the
    lesson's toml, without docstrings and comments of the code. It is stored in the notebook, so
    that a check, which runs nothing, knows of forms that would now read otherwise.
    """
    library, number = root / "course_lib", target.source.stem[:2]
    imported = imports_of_code(source_text(target.source), library)
    shown = {name for name in imported if name.startswith("course_lib.learner")}
    found = modules_reached(shown, library, left_out=NO_FORM)
    if not found:
        return ""
    asked = ["pretest"] if "course_lib.learner.before_and_after" in found else []
    tomls = {library / "lessons" / f"{name}.toml" for name in (f"lesson_{number}", *asked)}
    total = hashlib.sha256()
    for path in sorted({*found.values(), *(toml for toml in tomls if toml.exists())}):
        total.update(path.relative_to(library).as_posix().encode() + states.meaning(path))
    return total.hexdigest()[:16]


def _digest(files: list[Path]) -> str:
    """Hash of the contents of files, which may be missing, and of the interpreter."""
    total = hashlib.sha256(sys.version.encode())
    for file in files:
        total.update(hashlib.sha256(file.read_bytes()).digest() if file.exists() else b"missing")
    return total.hexdigest()[:16]


def _read(path: Path) -> dict:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


# ---- checking ---------------------------------------------------------------------------


def check(root: Path, lessons=()) -> list[str]:
    """Compare what is built with what the sources give now; return one sentence per drift.

    Nothing is executed: a notebook must have the cells, ids and metadata of its source, have run
    from top to bottom without error and have the key of the forms that the library words now; an
    exercise must be what its solution gives. Whether
    the numbers are still right is for nbval, which does not compare pictures.
    """
    declared.available()
    problems = []
    for target in targets(root, lessons):
        try:
            problems += _drift(target, root)
        except BuildError as error:
            problems.append(str(error))
    if not lessons:
        problems += _orphans(root)
    return problems + states.stale(root) + documents.stale(root)


def _drift(target: Target, root: Path) -> list[str]:
    import nbformat

    advice = f"Run ./course build {target.source.stem[:2]}"
    name, source = _relative(target.built, root), _relative(target.source, root)
    if missing := [_relative(file, root) for file in target.files if not file.exists()]:
        return [f"{file} has not been built from {source}. {advice}." for file in missing]
    content = target.built.read_bytes()
    try:
        built = nbformat.reads(content.decode("utf-8"), as_version=4)
    except Exception as error:
        return [f"{name} cannot be read as a notebook ({type(error).__name__}). {advice} --force."]
    key = built.metadata.pop(FORMS, "")
    expected = read_source(target.source, graded=target.exercise is not None)
    if difference := _difference(expected, nbformat.from_dict(without_outputs(built))):
        return [f"{name} is not what {source} gives: {difference}. {advice}."]
    if key != forms_key(target, root):
        return [f"{name} shows forms as another version of the course words them. {advice}."]
    if key:
        built.metadata[FORMS] = key
    if to_bytes(built) != content:
        return [f"{name} was written by something else than the build. {advice} --force."]
    refuse_unfit_outputs(built, root=root, path=name)
    if target.exercise is None:
        return []
    if to_bytes(_exercise_of(content, target, source)) != target.exercise.read_bytes():
        exercise = _relative(target.exercise, root)
        return [f"{exercise} is not what {name} gives. {advice} --force."]
    return []


def _difference(expected, built) -> str:
    """Say where two unexecuted notebooks part, or nothing."""
    for number, (new, old) in enumerate(zip(expected.cells, built.cells, strict=False), start=1):
        if new != old:
            first = new.source.partition("\n")[0]
            what = "text" if new.source != old.source else "metadata"
            return f"the {what} of cell {number} ({first[:60]!r}) differs"
    if len(expected.cells) != len(built.cells):
        return f"it has {len(built.cells)} cells, not {len(expected.cells)}"
    return "" if expected == built else "the notebook's metadata differ"


def _orphans(root: Path) -> list[str]:
    """Name built notebooks whose source is gone."""
    expected = {file for target in targets(root) for file in target.files}
    folders = [("notebooks", "*.ipynb"), ("solutions", "*/*.ipynb"), ("exercises", "*/*.ipynb")]
    found = [file for folder, pattern in folders for file in sorted((root / folder).glob(pattern))]
    return [f"{_relative(f, root)} has no source. Delete it." for f in found if f not in expected]


# ---- the command ------------------------------------------------------------------------


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course build`."""
    parser.add_argument("lessons", nargs="*", metavar="NN", help="only these lessons, e.g. 01")
    parser.add_argument(
        "--check", action="store_true", help="build nothing; fail if sources and notebooks differ"
    )
    parser.add_argument("--force", action="store_true", help="build even what has not changed")


def run(args: argparse.Namespace) -> int:
    """Run `./course build`; return 0 if all is well, 1 if not."""
    need(*TOOLS)
    try:
        if args.check:
            problems = check(ROOT, args.lessons)
        else:
            problems = build(ROOT, args.lessons, force=args.force)
            for left in [] if args.lessons else _orphans(ROOT):
                print(left)
    except ValueError as error:  # a BuildError, or a toml that makes no sense
        problems = [str(error)]
    except KeyboardInterrupt:
        problems = ["Stopped. What was finished is kept; the same command goes on from there."]
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("Sources and notebooks agree." if args.check else "All notebooks are built.")
    return 1 if problems else 0
