"""The picture of who may import whom, the public names, and a tidy tree, held to be true."""

import ast
import fnmatch
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from importlib import import_module
from pathlib import Path

import pytest

from course_lib.tools.system import ROOT

# A module imports from its own row or from rows above it.
ROWS = (
    {"questions", "results", "validation", "losses", "catalogue", "files"},
    {"datasets", "scm", "samplers", "information", "impurity", "chance", "wines"},
    {"games", "rules", "trees", "models"},
    {"mdi", "asymptotic", "permutation", "reliance", "attribution", "rashomon", "dedact"}
    | {"branches", "closed_forms", "ellipsoids", "pathways", "perturbation", "quadratic", "sage"}
    | {"causes", "reports", "scrambling", "tree_games"},
    {"plots"},
    {"widgets"},
    {"which", "lessons", "checks", "quiz", "progress", "ready"},
    {"grading"},
    {"tools"},
    {"__main__"},
)
ROW = {module: number for number, row in enumerate(ROWS) for module in row}
HEAVY = {"shap", "nbgrader", "playwright", "matplotlib"}
DRAWING = {"plots", "widgets"}
WORKSHOP = {"tools", "grading", "__main__"}

# What the contract promises, by the module that keeps the promise.
CONTRACT = {
    "questions": {"Q1", "Q2", "Q3", "Q4", "Q5", "Q6", "DISTRIBUTION"},
    "results": {"Importances", "LocalImportances", "RelianceRange", "Decomposition"},
    "information": {"Categorical"},
    "asymptotic": {"asymptotic_mdi", "asymptotic_local_mdi", "mdi_by_degree"},
    "trees": {"TotallyRandomizedTrees"},
    "mdi": {"mdi", "local_mdi", "unbiased_mdi", "saabas"},
    "games": {"shapley_values", "sampled_shapley_values"}
    | {"null_players", "symmetric_players", "is_monotonic"},
    "attribution": {"prediction_game", "tree_game", "tree_shap", "sage"},
    "permutation": {"permutation_importance", "oob_permutation_importance", "permutation_null"}
    | {"conditional_permutation_importance"},
    "reliance": {"model_reliance", "conditional_model_reliance", "algorithm_reliance"},
    "samplers": {"MarginalSampler", "GaussianSampler", "ForestSampler"},
    "rashomon": {"LinearRashomonSet", "KernelRashomonSet"},
    "scm": {"LinearSCM"},
    "models": {"OnColumns"},
    "dedact": {"direct_importance", "direct_importance_from", "decompose_direct"}
    | {"associative_importance", "associative_importance_via", "decompose_associative"}
    | {"decompose_sage", "linear_gaussian"},
    "checks": {"check", "hint"},
    "quiz": {"predict", "reveal", "may_i_say"},
    "progress": {"progress"},
}

# What is public beyond the contract. A new public name is a promise: add it here on purpose.
FURTHER = {
    "files": {"write_atomically"},
    "questions": {"QUESTIONS", "Question"},
    "catalogue": {"MEASURES", "Measure", "Option", "STEPS", "Step"},
    "which": {"ask"},
    "wines": {"load_wines"},
    "reports": {"MEASURES", "Report", "six_answers"},
    "losses": {"absolute_error", "cross_entropy", "squared_error", "zero_one"},
    "datasets": {"load_node", "load_rank_swap", "make_correlated", "make_gate", "make_led"}
    | {"make_biomarker_world", "make_census_world", "make_null", "make_rare", "make_trial"}
    | {"load_led_table", "make_gauges"}
    | {"make_exact_linear", "make_logins_world"},
    "samplers": {"fitted"},
    "impurity": {"impurity", "impurity_decrease"},
    "chance": {"expected_decrease", "independence_pvalue", "simulated_decreases"},
    "games": {"BatchGame", "worths"},
    "rules": {"AXIOMS", "RULES", "arrival", "axiomatic_shares", "broken_axioms", "dividends"}
    | {"equal_split", "leave_one_out", "proportional"},
    "trees": {"NodeTable"},
    "models": {"bootstrap_counts", "explained_columns", "is_forest", "linear_coefficients"},
    "mdi": {"in_bag_counts"},
    "permutation": {"refitted"},
    "reliance": {"linear_increase", "unique_part"},
    "plots": {"Picture", "picture", "plot_comparison", "plot_importances", "plot_split"}
    | {"plot_curves", "plot_repeats", "map_text", "plot_map", "plot_gain", "plot_graph"}
    | {"plot_graphs", "plot_numbers", "plot_selection", "agreed_pairs", "plot_rankings", "ranked"}
    | {"door_flows", "plot_doors", "plot_good_models", "plot_ranges", "plot_agreement"}
    | {"plot_displays", "plot_pixels", "plot_branches", "plot_degrees", "plot_display"}
    | {"plot_panels"},
    "ready": {"ready"},
    "causes": {"NUMBERS", "estimated_numbers", "three_numbers"},
    "widgets": {"EXPLORERS", "Explorer", "Scene", "threshold_explorer"}
    | {"noise_explorer", "rashomon_explorer", "report_explorer"}
    | {"display_explorer", "doors_explorer"}
    | {"confounding_explorer", "lattice_explorer", "local_explorer", "scramble_explorer"},
    "checks": {"points"},
    "quiz": {"recall", "pre_test", "post_test", "gain", "calibration"},
}


def files() -> dict[Path, str]:
    """Every file of the library and the name of the module, or package, it belongs to."""
    library = ROOT / "course_lib"
    found = {path: path.relative_to(library).parts[0] for path in sorted(library.rglob("*.py"))}
    return {path: Path(part).stem for path, part in found.items() if part != "__init__.py"}


def imported(path: Path) -> set[str]:
    """Modules of the library that a file imports, also inside functions."""
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name} has a relative import; write course_lib.x"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    ours = {name.split(".")[1] for name in names if name.startswith("course_lib.")}
    return ours - {"__version__"}


def modules(*, without=frozenset()) -> list[str]:
    return sorted(set(files().values()) - set(without))


@pytest.mark.parametrize("module", modules())
def test_each_module_has_a_row_in_the_picture(module):
    assert module in ROW, f"{module} is in no row: put it into ROWS, as high as its imports allow"


def upward_imports(module: str) -> set[str]:
    """Modules of lower rows that a module imports, which the picture forbids."""
    own = [path for path, name in files().items() if name == module]
    below = {other for other in modules() if ROW.get(other, 0) > ROW.get(module, len(ROWS))}
    return {other for path in own for other in imported(path)} & below


@pytest.mark.parametrize("module", modules())
def test_a_module_imports_only_from_its_own_row_or_rows_above(module):
    assert upward_imports(module) == set()


def test_an_import_that_breaks_the_picture_is_noticed(tmp_path):
    probe = tmp_path / "probe.py"
    probe.write_text(
        "def f():\n    from course_lib.plots import picture\n    import course_lib.mdi\n"
    )
    assert imported(probe) == {"plots", "mdi"}


def test_only_the_entry_point_imports_the_workshop():
    importers = {name for path, name in files().items() if "tools" in imported(path)}
    assert importers <= {"tools", "__main__"}


def test_no_module_imports_itself_through_others():
    graph = {module: set() for module in modules()}
    for path, module in files().items():
        graph[module] |= imported(path) - {module}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(f"A circle of imports: {' -> '.join(error.args[1])}")


def loaded_by(names) -> set[str]:
    """Heavy packages that are loaded after importing `names` in a fresh interpreter."""
    code = f"import sys, {', '.join(names)}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return HEAVY & set(done.stdout.split())


def test_importing_the_library_is_light():
    assert loaded_by(["course_lib"]) == set()


def test_importing_any_module_but_plots_and_widgets_is_light():
    light = modules(without=DRAWING | WORKSHOP)
    assert loaded_by([f"course_lib.{module}" for module in light]) == set()


def test_the_check_for_heavy_packages_sees_one():
    assert loaded_by(["matplotlib"]) == {"matplotlib"}


def public_names(module: str) -> set[str]:
    return set(getattr(import_module(f"course_lib.{module}"), "__all__", ()))


@pytest.mark.parametrize("module", CONTRACT)
def test_the_names_of_the_contract_are_there(module):
    found = import_module(f"course_lib.{module}")
    assert {name for name in CONTRACT[module] if not hasattr(found, name)} == set()


@pytest.mark.parametrize("module", sorted(CONTRACT.keys() | FURTHER.keys()))
def test_the_public_names_are_exactly_those_promised(module):
    promised = CONTRACT.get(module, set()) | FURTHER.get(module, set())
    assert public_names(module) == promised, "a public name came or went: was it on purpose?"


@pytest.mark.parametrize("path", files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_each_file_says_in_a_sentence_what_it_is(path):
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring and docstring.split("\n\n")[0].endswith((".", "!", "?", ":"))


# ---- the tree ---------------------------------------------------------------------------

TOP = {
    *(".ci", ".github", ".gitattributes", ".gitignore", ".pre-commit-config.yaml"),
    *("CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "LICENSE-LESSONS", "README.md"),
    *("course", "course_lib", "environment.yml", "exercises", "notebooks", "pyproject.toml"),
    *("requirements.lock", "solutions", "tests"),
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
    assert modes["course"] == modes[".ci/run"] == "100755"
