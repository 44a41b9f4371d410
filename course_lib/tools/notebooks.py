"""Run notebooks and write them so that the bytes do not depend on when or where."""

import os
import re
import sys
import tempfile
from copy import deepcopy
from pathlib import Path

from course_lib.lessons.cells import WRITE_HERE, with_own_blanks
from course_lib.tools.comparing import Comparison
from course_lib.tools.saving import VIEW
from course_lib.tools.sources import METADATA, BuildError, cell_name

MOVING = {  # what differs between machines, and what stands in a stored notebook instead
    re.compile(r"(\S) at 0x[0-9a-fA-F]+"): r"\1",
    re.compile(r"course_lib \d[^<\n]*, scikit-learn \d[\w.]*"): "the versions of your machine",
}
LIBRARIES = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR", "NUMBA")
ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in LIBRARIES}
FIXED = {
    **ONE_THREAD,
    "VECLIB_MAXIMUM_THREADS": "1",
    "LOKY_MAX_CPU_COUNT": "1",
    "COURSE_BUILD": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONUTF8": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    "SOURCE_DATE_EPOCH": "0",
    "TZ": "UTC",
}
UNWANTED = {"MPLBACKEND", "COLUMNS", "LINES", "PYTHONWARNINGS", "PYTHONSTARTUP"}
UNWANTED |= {"NBGRADER_EXECUTION", "COURSE_WORKBOOK"}  # of a learner or grader, not of the build
UNWANTED |= {"PYTHONDONTWRITEBYTECODE"}  # every kernel would compile the library again


def clean_environment(root: Path, folder: Path) -> dict[str, str]:
    """Return the environment in which notebooks run, for the build and for nbval alike.

    One thread, a fixed hash seed, no user configuration of IPython or matplotlib (fresh ones
    are made in `folder`), and COURSE_BUILD=1, which lets a typical guess stand in for the learner.
    """
    settings = folder / "matplotlibrc"
    settings.write_text("svg.hashsalt: course\n", encoding="utf-8")
    kept = {key: value for key, value in os.environ.items() if key not in UNWANTED}
    return {
        **kept,
        **FIXED,
        "PYTHONPATH": str(root),
        "IPYTHONDIR": str(folder / "ipython"),
        "MATPLOTLIBRC": str(settings),
    }


def execute(
    notebook, *, root: Path, path: str, graded=False, ties=(), on_cell=None, timeout: int = 600
):
    """Run a notebook from `read_source` and return a copy with normalised outputs.

    The kernel is the running interpreter, in an empty folder. `on_cell` is called with the
    number of the cell that starts. With `graded`, a failed check raises as it does under nbgrader.
    `ties` holds for each cell what its sentences must agree with; one that does not is refused.
    """
    from jupyter_client.manager import AsyncKernelManager
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    done = deepcopy(notebook)
    started, comparison = [], Comparison(notebook, ties)

    def start(cell, cell_index):
        started.append(cell_index)
        if on_cell:
            on_cell(cell_index + 1)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
        work, settings = Path(temporary, "work"), Path(temporary, "settings")
        work.mkdir()
        settings.mkdir()
        client = NotebookClient(
            done,
            km=AsyncKernelManager(kernel_spec_manager=_this_interpreter()),
            timeout=timeout,
            coalesce_streams=True,
            record_timing=False,
            store_widget_state=False,
            on_cell_start=start,
            on_cell_executed=lambda **executed: comparison.after(client.kc, **executed),
            extra_arguments=["--log-level=ERROR"],
            resources={"metadata": {"path": str(work)}},
        )
        try:
            grading = {"NBGRADER_EXECUTION": "validate"} if graded else {}
            environment = {**clean_environment(root, settings), **grading}
            client.execute(env=environment, cleanup_kc=True)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            number = started[-1] if started else 0
            raise BuildError(
                f"{cell_name(path, number + 1, done.cells[number])}: {_plain(str(error)).strip()}"
            ) from None
        except AssertionError:  # nbclient's, when Ctrl-C has already ended the kernel
            raise KeyboardInterrupt from None
    if problems := comparison.problems(path):
        raise BuildError("\n".join(problems))
    return _with_outputs(notebook, done)


def _this_interpreter():
    """A kernel-spec manager that always gives the running interpreter, never a user's kernel."""
    from ipykernel.kernelspec import RESOURCES, get_kernel_dict
    from jupyter_client.kernelspec import KernelSpec, KernelSpecManager

    class ThisInterpreter(KernelSpecManager):
        def get_kernel_spec(self, kernel_name):
            return KernelSpec(resource_dir=RESOURCES, **get_kernel_dict())

    return ThisInterpreter()


def _plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def _with_outputs(notebook, executed):
    """Return `notebook` with the outputs of `executed`, stripped of what changes between runs."""
    result = deepcopy(notebook)
    for cell, run in zip(result.cells, executed.cells, strict=True):
        if cell.cell_type == "code":
            cell.execution_count = run.execution_count
            cell.outputs = [_stable(output) for output in run.outputs]
    return result


def _stable(output):
    """Remove memory addresses, traceback frames, and widgets, which are dead without a kernel.

    Readers of the stored notebook then see the text that stands beside each widget.
    """
    if output.output_type == "stream":
        output.text = _steady(output.text)
    elif output.output_type == "error":
        output.evalue = _steady(output.evalue)
        output.traceback = [f"{output.ename}: {output.evalue}"]
    else:
        for mime, value in output.data.items():
            if isinstance(value, str) and not mime.startswith("image/png"):
                output.data[mime] = _steady(value)
        output.data.pop(VIEW, None)
    return output


def _steady(text: str) -> str:
    """A text without what another machine would print differently."""
    for pattern, instead in MOVING.items():
        text = pattern.sub(instead, text)
    return text


def _texts(output) -> str:
    if output.output_type == "stream":
        return output.text
    if output.output_type == "error":
        return "\n".join(output.traceback)
    text = "\n".join(str(v) for mime, v in output.data.items() if mime != "image/png")
    return re.sub(r"base64,[A-Za-z0-9+/=]+", "", text)


def refuse_unfit_outputs(notebook, *, root: Path, path: str) -> None:
    """Refuse a cell that did not run in its turn, failed, or shows a path of this machine."""
    folders = {root, Path.home(), Path(sys.prefix), Path(tempfile.gettempdir())}
    folders = {str(f.absolute()) for f in folders if len(f.absolute().parts) > 1}
    own = re.compile("|".join(rf"{re.escape(f)}(?=[/\\])" for f in folders) + r"|ipykernel_\d+")
    count = 0
    for number, cell in enumerate(notebook.cells, start=1):
        if cell.cell_type != "code":
            continue
        where, count = cell_name(path, number, cell), count + 1
        if cell.execution_count != count:
            raise BuildError(f"{where}: executed as number {cell.execution_count}, not {count}.")
        for output in cell.outputs:
            if output.output_type == "error" and "raises-exception" not in cell.metadata.get(
                "tags", ()
            ):
                raise BuildError(f"{where}: stored with {output.ename}: {output.evalue}")
            if found := own.search(_texts(output).replace("\\\\", "\\")):
                raise BuildError(
                    f"{where}: the output shows {found.group()}, a path of this machine. Show the "
                    f"file's name only; if it comes from a warning, deal with the warning's cause."
                )


def to_bytes(notebook) -> bytes:
    """Serialise a notebook: sorted keys, one-space indent, UTF-8, newline at the end."""
    import nbformat

    nbformat.validate(notebook)
    return (nbformat.writes(notebook, version=4).rstrip("\n") + "\n").encode("utf-8")


def nbgrader_config(course: Path, name: str):
    """Return nbgrader's configuration for one assignment of a course kept in `course`."""
    from traitlets.config import Config

    config = Config()
    config.CourseDirectory.root = str(course)
    config.CourseDirectory.source_directory = "solutions"
    config.CourseDirectory.release_directory = "exercises"
    config.CourseDirectory.assignment_id = name
    config.ClearSolutions.code_stub = {"python": "..."}
    config.ClearSolutions.text_stub = WRITE_HERE
    return config


def release(solution: bytes, name: str):
    """Return the exercise notebook that nbgrader's generate_assignment makes of a solution.

    Runs in a temporary course without a database. Solution regions become ``...``, or nothing
    where the line before has it already; written answers become a stub; outputs are removed.
    """
    import nbformat
    from nbgrader.converters import GenerateAssignment, NbGraderException
    from nbgrader.coursedir import CourseDirectory

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as course:
        source = Path(course, "solutions", name, f"{name}.ipynb")
        source.parent.mkdir(parents=True)
        source.write_bytes(solution)
        config = nbgrader_config(course, name)
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False
        try:
            GenerateAssignment(coursedir=CourseDirectory(config=config), config=config).start()
        except NbGraderException as error:
            raise BuildError(f"solutions/{name}: nbgrader made no exercise: {error}") from None
        exercise = nbformat.read(Path(course, "exercises", name, f"{name}.ipynb"), as_version=4)
    exercise.metadata = nbformat.from_dict(METADATA)
    _merge_blanks(exercise)
    return exercise


def _merge_blanks(exercise) -> None:
    """Leave one `...` where a name was given its blank in the line before the region."""
    from nbgrader.utils import compute_checksum

    for cell in exercise.cells:
        if cell.metadata.get("nbgrader", {}).get("solution"):
            cell.source = with_own_blanks(cell.source)
            cell.metadata.nbgrader.checksum = compute_checksum(cell)
