"""`./course release`: the student edition, as a folder and as a zip."""

import argparse
import sys
from pathlib import Path

from course_lib.tools import build
from course_lib.tools.release.edition import ReleaseError, contents
from course_lib.tools.release.writing import write, write_zip
from course_lib.tools.system import ROOT
from course_lib.tools.workbook import hand_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `./course release`."""
    parser.add_argument(
        "folder", type=Path, help="a new folder, or one that holds an earlier student edition"
    )
    parser.add_argument("--zip", action="store_true", help="also write FOLDER.zip beside it")
    parser.add_argument(
        "--workbook",
        type=Path,
        metavar="OTHER",
        help="also write the notebooks alone, without results, as for a link of nbgitpuller",
    )


def run(args: argparse.Namespace) -> int:
    """Run `./course release`; 0 if the edition is there, 1 if it was refused."""
    folder = args.folder.resolve()
    zipped = folder.with_name(f"{folder.name}.zip")
    try:
        if problems := build.check(ROOT):
            raise ReleaseError(f"What is built is not what the sources give. {problems[0]}")
        files = contents(ROOT)
        write(folder, files)
        if args.zip:
            write_zip(zipped, folder.name, files)
        if args.workbook:
            hand_out(folder, args.workbook.resolve())
    except (ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(map(len, files.values())) / 1e6
    print(f"The student edition is in {folder}: {len(files)} files, {size:.0f} MB.")
    if args.zip:
        print(f"As a zip: {zipped}")
    if args.workbook:
        print(f"The notebooks alone: {args.workbook.resolve()}")
    print("What it knows, and what it does not: solutions/grading.md, The student edition.")
    return 0


def make_edition(folder: Path) -> Path:
    """Write the student edition of this course into a folder, as it is built; the folder."""
    write(folder, contents(ROOT))
    return folder
