"""`./course site`: where the pages go, and what is said when they cannot be made."""

import re
from argparse import Namespace
from pathlib import Path

import pytest

from course_lib.tools import cli, site
from course_lib.tools.site.pages import SiteError, how_to_start, section, write_pages
from course_lib.tools.system import ROOT


def said(out: Path, capsys, code: int, address: str = "") -> str:
    assert site.run(Namespace(out=out, address=address)) == code
    printed = capsys.readouterr()
    return printed.err if code else printed.out


@pytest.fixture
def one_page(monkeypatch):
    """A site of one page, written without sphinx, and a function to change its text."""
    monkeypatch.setattr(site, "write_pages", lambda root, folder, address: folder.mkdir())

    def write(text):
        def pretend(source, made, doctrees):
            made.mkdir()
            (made / "index.html").write_text(text)
            (made / site.MARK).touch()

        monkeypatch.setattr(site, "_sphinx", pretend)

    write("first")
    return write


def test_a_built_site_says_where_it_is_and_how_to_look_at_it(one_page, tmp_path, capsys):
    out = tmp_path / "site"
    told = said(out, capsys, 0)
    assert f"open {out / 'index.html'}" in told
    assert f"-m http.server --bind 127.0.0.1 -d {out}" in told


def test_an_earlier_site_and_an_empty_folder_are_replaced(one_page, tmp_path, capsys):
    said(tmp_path, capsys, 0)
    (tmp_path / "old.html").touch()
    one_page("second")
    said(tmp_path, capsys, 0)
    assert (tmp_path / "index.html").read_text() == "second"
    assert not (tmp_path / "old.html").exists()


def test_a_folder_with_other_files_is_refused_and_left_alone(one_page, tmp_path, capsys):
    (tmp_path / "thesis.txt").touch()
    assert "would be lost" in said(tmp_path, capsys, 1)
    assert "is a file" in said(tmp_path / "thesis.txt", capsys, 1)
    assert list(tmp_path.iterdir()) == [tmp_path / "thesis.txt"]


def test_what_sphinx_complains_of_is_said_and_the_earlier_site_is_left(
    tmp_path, capsys, monkeypatch
):
    def write_pages(root, folder, address):
        folder.mkdir()
        (folder / "index.md").write_text("# Title\n\n[nowhere](gone.md)\n")

    (tmp_path / site.MARK).touch()
    monkeypatch.setattr(site, "write_pages", write_pages)
    told = said(tmp_path, capsys, 1)
    assert re.search(r"not built\. .*\nindex\.md:3: WARNING: .*'gone\.md'", told)
    assert list(tmp_path.iterdir()) == [tmp_path / site.MARK]


def test_missing_packages_are_named_with_the_line_that_installs_them(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(site, "NEEDED", ("sphinx", "sphynx"))
    told = said(tmp_path / "site", capsys, 1)
    assert "sphynx" in told and "./course site" in told


def test_a_missing_notebook_is_named_with_the_line_that_makes_it(tmp_path):
    (tmp_path / "README.md").write_bytes((ROOT / "README.md").read_bytes())
    with pytest.raises(SiteError, match=r"00_six_questions\.ipynb is missing.*\./course build"):
        site.build(tmp_path, tmp_path / "site")


def test_a_readme_without_the_way_to_start_is_refused():
    with pytest.raises(SiteError, match="no section 'Two commands'"):
        section("# Title\n\n## Other\n", "Two commands")


def test_the_site_goes_to_the_folder_that_git_ignores():
    parser, module = cli._parser(["site"])
    assert module is site
    assert parser.parse_args(["site"]).out == ROOT / "build" / "site"


@pytest.mark.parametrize("address", ["course.zip", "ftp://a.b", "https://a b", "https://a)[x](y"])
def test_an_address_that_is_no_link_is_refused(one_page, tmp_path, capsys, address):
    told = said(tmp_path / "site", capsys, 1, address)
    assert repr(address) in told and "--address https://" in told
    assert not (tmp_path / "site").exists()


def test_visitors_are_told_where_to_get_the_course(tmp_path):
    address = "https://example.edu/course.zip"
    write_pages(ROOT, tmp_path / "told", address)
    write_pages(ROOT, tmp_path / "untold")
    for name in ("index.md", "downloads/01_mdi.ipynb", "exercises/01_mdi.ipynb"):
        told, untold = ((tmp_path / way / name).read_text() for way in ("told", "untold"))
        assert f"Get the course from <{address}>" in told
        assert "Get the course from whoever gave you this page" in untold
        assert "Clone or download" not in told + untold


def test_a_readme_that_does_not_say_how_to_get_the_course_is_refused():
    with pytest.raises(SiteError, match="does not say 'Clone or download the course'"):
        how_to_start("## Two commands\n\nType:", "")
