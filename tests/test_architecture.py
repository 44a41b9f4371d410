"""The picture of who may import whom, the promised names, and a tidy tree, held to be true."""

import ast
import fnmatch
import re
import subprocess
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from course_lib.measures.catalogue import MEASURES
from course_lib.tools.system import ROOT

# The walk of the data. A package imports from itself or from rows above it.
ROWS = (
    {"questions", "display", "results", "validation", "tables", "files", "patience"},
    {"worlds"},
    {"models"},
    {"measures"},
    {"studies"},
    {"plots"},
    {"widgets"},
    {"lessons"},
    {"learner"},
    {"grading"},
    {"tools"},
    {"__main__"},
)
ROW = {package: number for number, row in enumerate(ROWS) for package in row}
HEAVY = {"shap", "nbgrader", "playwright", "matplotlib"}
DRAWING = {"plots", "widgets"}
WORKSHOP = {"tools", "grading", "__main__"}

# What the contract promises, by the package that keeps the promise.
GAMES = {"shapley_values", "sampled_shapley_values", "null_players", "symmetric_players"}
GAMES |= {"is_monotonic"}
CONTRACT = {
    "questions": {"Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "DISTRIBUTION"},
    "results": {"Importances", "LocalImportances", "RelianceRange", "Decomposition"},
    "worlds": {"Categorical", "LinearSCM", "MarginalSampler", "GaussianSampler", "ForestSampler"},
    "models": {"TotallyRandomizedTrees", "OnColumns"}
    | {"absolute_error", "cross_entropy", "squared_error", "zero_one"}
    | GAMES,
    "measures": {"asymptotic_mdi", "asymptotic_local_mdi", "mdi_by_degree"}
    | {"mdi", "local_mdi", "unbiased_mdi", "saabas"}
    | {"prediction_game", "tree_game", "tree_shap", "sage"}
    | {"permutation_importance", "oob_permutation_importance", "permutation_null"}
    | {"conditional_permutation_importance"}
    | {"model_reliance", "conditional_model_reliance", "algorithm_reliance"}
    | {"LinearRashomonSet", "KernelRashomonSet"}
    | {"direct_importance", "direct_importance_from", "decompose_direct"}
    | {"associative_importance", "associative_importance_via", "decompose_associative"}
    | {"decompose_sage", "linear_gaussian"}
    | GAMES,
    "learner": {"predict", "reveal", "may_i_say", "recall", "check", "hint", "progress", "ask"},
}
EXPORTING = ("worlds", "models", "measures", "studies", "plots", "widgets", "learner")
OWN = {"widgets": {"Explorer", "Scene"}}  # for a learner's own pictures with sliders


def files() -> dict[Path, str]:
    """Every file of the library and the package, or module, of the picture it belongs to."""
    library = ROOT / "course_lib"
    found = {path: path.relative_to(library).parts[0] for path in sorted(library.rglob("*.py"))}
    return {path: Path(part).stem for path, part in found.items() if part != "__init__.py"}


@cache
def syntax(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imports(path: Path) -> frozenset[str]:
    """Full names of what a file imports of the library, also inside functions."""
    names = set()
    for node in ast.walk(syntax(path)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import; write course_lib.x"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return frozenset(name for name in names if name.startswith("course_lib."))


def imported(path: Path) -> set[str]:
    """Packages of the picture that a file imports."""
    return {name.split(".")[1] for name in imports(path)} - {"__version__", "exports"}


def packages(*, without=frozenset()) -> list[str]:
    return sorted(set(files().values()) - set(without))


@pytest.mark.parametrize("package", packages())
def test_each_package_has_a_row_in_the_picture(package):
    assert package in ROW, f"{package} is in no row: put it into ROWS, as high as its imports allow"


def upward_imports(package: str) -> set[str]:
    """Packages of the same or of lower rows that a package imports, which the picture forbids."""
    own = [path for path, name in files().items() if name == package]
    below = {other for other in packages() if ROW.get(other, 0) >= ROW.get(package, len(ROWS))}
    ground = ROWS[0] if package in ROWS[0] else set()
    return {other for path in own for other in imported(path)} & below - {package} - ground


@pytest.mark.parametrize("package", packages())
def test_a_package_imports_only_from_itself_or_rows_above(package):
    assert upward_imports(package) == set()


def test_an_import_that_breaks_the_picture_is_noticed(tmp_path):
    probe = tmp_path / "probe.py"
    probe.write_text(
        "def f():\n    from course_lib.plots import picture\n    import course_lib.measures.reports"
    )
    assert imported(probe) == {"plots", "measures"}


def test_no_module_imports_itself_through_others():
    graph = {name_of(path): set() for path in files()}
    for path in files():
        mine = {name if name in graph else name.rpartition(".")[0] for name in imports(path)}
        graph[name_of(path)] = mine & graph.keys() - {name_of(path)}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"A circle of imports: {' -> '.join(error.args[1])}")


def name_of(path: Path) -> str:
    """The full name of the module in a file."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


# ---- what is private --------------------------------------------------------------------


def foreign_private_names(path: Path) -> set[str]:
    """Names with a leading underscore that a file takes from elsewhere: imported, or by a dot."""
    nodes = list(ast.walk(syntax(path)))
    taken = {
        alias.name
        for node in nodes
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
        for part in [*(getattr(node, "module", "") or "").split("."), *alias.name.split(".")]
        if is_private(part)
    }
    own = {node.name for node in nodes if isinstance(node, DEFINITIONS)}
    own |= {node.attr for node in nodes if is_set_on_self(node)}
    own |= {node.id for node in nodes if isinstance(node, ast.Name)}
    used = {
        node.attr for node in nodes if isinstance(node, ast.Attribute) and is_private(node.attr)
    }
    return taken | (used - own - HOOKS)


DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
HOOKS = {"_repr_html_", "_repr_mimebundle_", "_repr_markdown_", "_exit"}  # protocols, not insides


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def is_set_on_self(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_file_reaches_a_private_name_of_another(path):
    assert foreign_private_names(path) == set()


def test_reaching_for_a_private_name_is_noticed(tmp_path):
    probe = tmp_path / "probe.py"
    probe.write_text("from course_lib.worlds.scm import _order\nx.control._options\nself._own = 1")
    assert foreign_private_names(probe) == {"_order", "_options"}


# ---- light --------------------------------------------------------------------------------


def loaded_by(names, among=HEAVY) -> set[str]:
    """Heavy packages that are loaded after importing `names` in a fresh interpreter."""
    code = f"import sys, {', '.join(names)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return among & set(done.stdout.split())


def test_importing_the_library_and_its_packages_is_light():
    assert loaded_by(["course_lib", *(f"course_lib.{name}" for name in EXPORTING)]) == set()


def test_importing_any_module_but_plots_and_widgets_is_light():
    light = [path for path, package in files().items() if package not in DRAWING | WORKSHOP]
    assert loaded_by([name_of(path) for path in light]) == set()


def test_the_command_that_grades_starts_without_what_only_its_workers_need():
    start = [f"course_lib.grading.{name}" for name in ("engine", "publishing", "roster")]
    assert loaded_by(start, among={"pandas", "scipy", "sklearn"}) == set()


def test_the_check_for_heavy_packages_sees_one():
    assert loaded_by(["matplotlib"]) == {"matplotlib"}


# ---- promises -----------------------------------------------------------------------------


def taught() -> dict[str, set[str]]:
    """What lessons, exercises and the answers of `ask()` import, by package."""
    sources = [*ROOT.glob("notebooks/src/*.py"), *ROOT.glob("solutions/src/*.py")]
    names = {name for path in sources for name in imports(path)}
    names |= {name for measure in MEASURES.values() for name in measure.imports}
    return {
        package: {name.split(".")[2] for name in names if name.startswith(f"course_lib.{package}.")}
        for package in EXPORTING
    }


@pytest.mark.parametrize("package", CONTRACT)
def test_the_names_of_the_contract_are_there(package):
    found = import_module(f"course_lib.{package}")
    assert {name for name in CONTRACT[package] if not hasattr(found, name)} == set()


@pytest.mark.parametrize("package", EXPORTING)
def test_a_package_promises_what_the_contract_or_a_lesson_uses_and_nothing_else(package):
    promised = set(import_module(f"course_lib.{package}").__all__)
    assert promised == taught()[package] | CONTRACT.get(package, set()) | OWN.get(package, set())


@pytest.mark.parametrize("package", EXPORTING)
def test_each_promised_name_is_found_and_no_module_stands_in_its_place(package):
    module = import_module(f"course_lib.{package}")
    modules = {path.stem for path in (ROOT / "course_lib" / package).iterdir()}
    assert set(module.__all__) & modules == set()
    assert all(getattr(module, name) is getattr(module, name) for name in module.__all__)
    assert set(module.__all__) <= set(dir(module))


def test_the_library_itself_gives_ask_and_its_packages():
    library = import_module("course_lib")
    assert set(library.__all__) == {"ask", *EXPORTING} == set(dir(library)) - {"__version__"}
    assert library.worlds is import_module("course_lib.worlds") and callable(library.ask)


def test_a_name_that_nobody_promised_is_an_ordinary_attribute_error():
    with pytest.raises(AttributeError, match="'course_lib.measures' has no attribute 'mdii'"):
        _ = import_module("course_lib.measures").mdii


@pytest.mark.parametrize("folder", ["notebooks", "solutions"])
def test_lessons_and_exercises_import_from_packages_not_from_modules(folder):
    deep = {
        name
        for path in (ROOT / folder / "src").glob("*.py")
        for name in imports(path)
        if name.count(".") > 2
    }
    assert deep == set()


def test_the_tests_mirror_the_packages():
    folders = {path.name for path in (ROOT / "tests").iterdir() if any(path.glob("test_*.py"))}
    assert folders - {"claims"} <= set(packages())


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_file_says_in_a_sentence_what_it_is(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring and docstring.split("\n\n")[0].endswith((".", "!", "?", ":"))


def deep_addresses(path: Path) -> set[str]:
    """Modules below a package that a file's sentences and examples send a reader to."""
    texts = [node.value for node in ast.walk(syntax(path)) if isinstance(node, ast.Constant)]
    named = set(re.findall(r"course_lib\.\w+\.\w+", " ".join(map(str, texts))))
    modules = {".".join(name_of(module).split(".")[:3]) for module in files()}
    return {name for name in named & modules if name.count(".") == 2}


@pytest.mark.parametrize("package", EXPORTING[:-1])
def test_sentences_and_examples_name_packages_not_modules(package):
    own = [path for path, name in files().items() if name == package]
    named = {path.name: deep_addresses(path) for path in own if path.name != "__init__.py"}
    assert {name: deep for name, deep in named.items() if deep} == {}


def test_a_sentence_that_names_a_module_is_noticed(tmp_path):
    probe = tmp_path / "probe.py"
    probe.write_text("x = 'see course_lib.worlds.scm.LinearSCM, not course_lib.worlds.LinearSCM'")
    assert deep_addresses(probe) == {"course_lib.worlds.scm"}


# ---- the tree ---------------------------------------------------------------------------

TOP = {
    *(".ci", ".github", ".gitattributes", ".gitignore", ".pre-commit-config.yaml"),
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "LICENSE-LESSONS", "README.md"),
    *("course", "course_lib", "environment.yml", "exercises", "notebooks", "pyproject.toml"),
    *("requirements.lock", "solutions", "tests"),
    *("MANIFEST.in", "setup.py"),  # for a wheel with the lessons in it
    *(".devcontainer", "postBuild", "start"),  # for a container, and for Binder
}
JUNK = ("Untitled*", "*.pyc", "*.orig", "*.rej", "*.bak", "*~", "*.swp", "* (new*", "*-checkpoint*")
LARGEST = 3_000_000  # bytes


def git(*arguments) -> list[str]:
    if not (ROOT / ".git").exists():
        pytest.skip(
            "this copy of the course has no history; the tree is checked where there is one"
        )
    command = ["git", "-c", f"safe.directory={ROOT}", *arguments, "-z"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.split("\0")[:-1]


def test_the_top_level_has_exactly_the_expected_entries():
    assert {name.split("/")[0] for name in git("ls-files")} == TOP


def test_nothing_is_kept_that_git_should_ignore():
    assert git("ls-files", "--cached", "--ignored", "--exclude-standard") == []


def test_there_is_no_junk_in_the_tree():
    tracked = git("ls-files")
    names = [(name, name.split("/")[-1]) for name in tracked]
    assert [name for name, last in names for p in JUNK if fnmatch.fnmatch(last, p)] == []


def test_no_file_is_huge():
    sizes = {
        name: (ROOT / name).stat().st_size for name in git("ls-files") if (ROOT / name).exists()
    }
    assert {name: size for name, size in sizes.items() if size > LARGEST} == {}


def test_what_must_run_is_executable():
    modes = {line.split("\t")[1]: line.split()[0] for line in git("ls-files", "--stage")}
    programs = ("course", ".ci/run", "postBuild", "start")
    assert {modes[name] for name in programs} == {"100755"}
