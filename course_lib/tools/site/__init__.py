"""`./course site`: the course as pages to read, in a folder that needs neither server nor network.

The pages are written by sphinx and myst-nb from the stored notebooks; nothing is run. What they
say is put together in pages.py.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from course_lib.learner.ways import call, install, is_windows
from course_lib.tools.site.access import mend
from course_lib.tools.site.alive import SiteError, write_static
from course_lib.tools.site.pages import TITLE, licence, write_pages
from course_lib.tools.system import ROOT

NEEDED = ("sphinx", "myst_nb", "furo", "latex2mathml")
MARK = ".buildinfo"  # sphinx leaves it in each folder it has written
SETTINGS = {
    "project": TITLE,
    "html_title": TITLE,
    "language": "en",
    "highlight_language": "text",
    "extensions": ["myst_nb", "course_lib.tools.site.formulas"],
    "exclude_patterns": ["exercises", "downloads"],
    "nb_execution_mode": "off",
    "nb_ipywidgets_js": {},
    "nb_code_prompt_show": "Show the code",
    "nb_code_prompt_hide": "Hide the code",
    "myst_enable_extensions": ["amsmath", "dollarmath"],
    "myst_heading_anchors": 4,
    "html_math_renderer": "mathml",
    "html_theme": "furo",
    "html_static_path": ["static"],
    "html_css_files": ["surface.css", "site.css"],
    "html_js_files": ["surface.js"],
    "html_copy_source": False,
    "html_show_sphinx": False,
    "pygments_dark_style": "a11y-high-contrast-dark",
    "html_domain_indices": False,
    "html_use_index": False,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course site`."""
    parser.add_argument(
        "--out",
        type=Path,
        default=ROOT / "build" / "site",
        metavar="FOLDER",
        help="where the pages go: a new folder, an empty one, or an earlier site (build/site)",
    )
    parser.add_argument(
        "--address",
        default="",
        metavar="URL",
        help="where visitors get the course, which the pages then link to: where you have put the "
        "student edition (`./course release --zip`), or a repository",
    )


def run(args: argparse.Namespace) -> int:
    """Build the site and say how to look at it; 1 and a sentence if that fails."""
    try:
        pages = build(ROOT, args.out, args.address)
    except SiteError as trouble:
        print(f"The site was not built. {trouble}", file=sys.stderr)
        return 1
    out = _short(args.out.resolve())
    print(f"{pages} pages are in {out}. To look at them, open {out / 'index.html'} in a browser,")
    print(f"or serve them on this machine: {_python()} -m http.server --bind 127.0.0.1 -d {out}")
    return 0


def build(root: Path, out: Path, address: str = "") -> int:
    """Write the site of the course in `root` to `out`, whole or not at all; the number of pages."""
    _refuse_missing()
    _refuse_folder(out)
    _refuse_address(address)
    with TemporaryDirectory(prefix="course-site-") as name:
        source, made = Path(name, "source"), Path(name, "site")
        try:
            write_pages(root, source, address)
        except FileNotFoundError as error:
            missing = f"{error.filename} is missing. To make it: {call('build')}"
            raise SiteError(missing) from error
        write_static(source / "static")
        _write_settings(source / "conf.py", SETTINGS | {"copyright": licence(root)})
        _sphinx(source, made, Path(name, "doctrees"))
        mend(made)
        if out.exists():
            shutil.rmtree(out)
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(made, out)
    return len(list(out.glob("*.html")))


def _sphinx(source: Path, made: Path, doctrees: Path) -> None:
    """Let sphinx write the pages, in a process of its own; a warning of it is our trouble."""
    options = ["--quiet", "--no-color", "--fail-on-warning", "--builder", "html"]
    command = [sys.executable, "-m", "sphinx", *options, "--doctree-dir", doctrees, source, made]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        complaints = done.stderr.replace(f"{source}{os.sep}", "").strip()
        raise SiteError(f"Mend what sphinx complains of:\n{complaints}")


def _write_settings(path: Path, settings: dict) -> None:
    lines = (f"{name} = {value!r}\n" for name, value in settings.items())
    path.write_text("".join(lines), encoding="utf-8")


def _refuse_missing() -> None:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise SiteError(
            f"It needs packages that are not installed: {', '.join(missing)}. To install them: "
            f"{install(missing, 'site', 'site')}"
        )


def _refuse_folder(out: Path) -> None:
    """Only an earlier site may be replaced."""
    if out.is_file():
        raise SiteError(f"{out} is a file, and a folder is needed. Name another with --out FOLDER.")
    if out.exists() and any(out.iterdir()) and not (out / MARK).exists():
        raise SiteError(
            f"The folder {out} holds something other than an earlier site, which would be lost. "
            f"Name a new or an empty folder with --out FOLDER."
        )


def _refuse_address(address: str) -> None:
    if address and not re.fullmatch(r"https?://[^\s()<>`\"*]+", address):
        raise SiteError(
            f"--address must begin with https:// or http:// and have no blank, bracket or quote, "
            f"got {address!r}. An example: --address https://example.edu/course.zip"
        )


def _short(path: Path) -> Path:
    """The path as seen from here, if it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _python() -> str:
    return "py" if is_windows() else "python3"
