"""Checkouts of commits, which run no program of the repository and write files as they are stored."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest
from support.git import commit, git

from pytest_crd.discovery import checkouts
from pytest_crd.engine.inputerror import CrdError

pytestmark = pytest.mark.session
TEXT = "kind: CustomResourceDefinition\n# $Id$ $Format:%H$\n"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "a.yaml").write_text(TEXT, encoding="utf-8")
    return folder


def _read(folder: Path, *arguments: str, stdin: str = "") -> str:
    command = ["git", *arguments]
    return subprocess.run(
        command, cwd=folder, check=True, stdout=subprocess.PIPE, input=stdin, encoding="utf-8"
    ).stdout.rstrip("\n")


def _head(folder: Path) -> str:
    return _read(folder, "rev-parse", "HEAD")


@pytest.mark.parametrize(
    ("file", "setting"),
    [
        ("config", '[includeIf "gitdir:**/worktrees/**"]\n path = {}'),
        ("config", '[includeIf "gitdir:**/pytest-crd-*/**"]\n path = {}'),
        ("config", '[includeIf "onbranch:**"]\n path = {}'),
        ("config", '[remote "origin"]\n url = x\n[includeIf "hasconfig:remote.*.url:x"]\n path = {}'),
        ("config.worktree", "[include]\n path = {}"),
    ],
)
def test_no_program_of_conditional_settings_is_run(repository: Path, tmp_path: Path, file: str, setting: str) -> None:
    ran, settings = tmp_path / "ran", tmp_path / "settings"
    commit(repository, tag="v1")
    program = f"sh -c 'echo ran >> {ran}; cat'"
    hook = f'[hook "x"]\n command = {program}\n event = post-index-change\n event = reference-transaction\n'
    settings.write_text(
        f'[core]\n fsmonitor = "{program}"\n[filter "x"]\n smudge = "{program}"\n{hook}', encoding="utf-8"
    )
    (repository / ".git/info").mkdir()
    (repository / ".git/info/attributes").write_text("* filter=x\n", encoding="utf-8")
    git(repository, "config", "extensions.worktreeConfig", "true")
    with (repository / ".git" / file).open("a", encoding="utf-8") as config:
        config.write(setting.format(settings) + "\n")

    with checkouts.check_out(repository, _head(repository), "v1") as checkout:
        subprocess.run(["git", "status"], cwd=checkout.root, check=True, capture_output=True)
        assert (checkout.root / "a.yaml").read_text(encoding="utf-8") == TEXT

    assert not ran.exists()


def test_files_are_written_as_they_are_stored(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    attributes = "*.yaml text eol=crlf ident filter=lfs export-subst working-tree-encoding=UTF-16\nb export-ignore\n"
    (repository / "b").write_bytes(b"\0\r\n")
    commit(repository)
    (repository / ".gitattributes").write_text(attributes, encoding="utf-8")
    git(repository, "add", ".gitattributes")
    git(repository, "commit", "-q", "-m", "attributes")
    users = (("core.autocrlf", "true"), ("filter.lfs.smudge", "echo changed"), ("filter.lfs.required", "true"))
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(users)))
    for number, (key, value) in enumerate(users):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)

    with checkouts.check_out(repository, _head(repository), "v1") as checkout:
        assert (checkout.root / "a.yaml").read_bytes() == TEXT.encode()
        assert (checkout.root / "b").read_bytes() == b"\0\r\n"
        assert _read(checkout.root, "status", "--porcelain") == ""


def test_links_and_programs_stay_what_they_are(repository: Path, tmp_path: Path) -> None:
    (repository / "link").symlink_to(tmp_path)
    (repository / "program").touch(0o755)
    commit(repository)

    with checkouts.check_out(repository, _head(repository), "v1") as checkout:
        assert (checkout.root / "link").readlink() == tmp_path
        assert os.access(checkout.root / "program", os.X_OK)


@pytest.mark.parametrize(
    "entries",
    [
        pytest.param(["100644 blob {blob}\t.."], id="parent"),
        pytest.param(["040000 tree {tree}\t.git"], id="git"),
        pytest.param(["040000 tree {tree}\t.GIT"], id="capital letters"),
        pytest.param(["040000 tree {tree}\tgit~1"], id="short name"),
        pytest.param(["120000 blob {link}\ta", "040000 tree {tree}\ta"], id="link and folder"),
    ],
)
def test_no_file_is_written_outside_or_into_the_repository_of_the_checkout(
    repository: Path, tmp_path: Path, entries: list[str]
) -> None:
    commit(repository)
    outside = tmp_path / "outside"
    outside.mkdir()
    link = _read(repository, "hash-object", "-w", "--stdin", stdin=str(outside))
    blob = _read(repository, "rev-parse", "HEAD:a.yaml")
    inner = _read(repository, "mktree", stdin=f"100644 blob {blob}\tconfig\n")
    raw = b"".join(
        b"%s %s\0%s" % (mode.lstrip("0").encode(), name.encode(), bytes.fromhex(object_id))
        for mode, _, object_id, name in (
            entry.format(blob=blob, link=link, tree=inner).replace("\t", " ").split(" ") for entry in entries
        )
    )
    command = ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"]
    tree = subprocess.run(command, cwd=repository, input=raw, check=True, capture_output=True).stdout.decode().strip()
    hostile = _read(repository, "-c", "user.name=n", "-c", "user.email=e@example.com", "commit-tree", "-m", "x", tree)

    try:
        with checkouts.check_out(repository, hostile, "v1") as checkout:
            assert "fsmonitor" not in (checkout.root / ".git/config").read_text(encoding="utf-8")
            assert TEXT not in (checkout.root / ".git/config").read_text(encoding="utf-8")
            assert {path.name for path in checkout.root.parent.iterdir()} == {"files", "pytest-crd.lock"}
    except CrdError as error:
        assert "git checks out no files: " in str(error)  # noqa: PT017 - git may refuse the commit

    assert [*outside.iterdir()] == []


def test_a_checkout_has_the_history_and_changes_nothing_in_the_repository(repository: Path) -> None:
    commit(repository, tag="v1.0.0")
    git(repository, "commit", "-q", "--allow-empty", "-m", "y")
    before = {path: path.lstat().st_mtime_ns for path in repository.rglob("*")}

    with checkouts.check_out(repository, _head(repository), "x") as checkout:
        assert _read(checkout.root, "describe", "--tags").startswith("v1.0.0-1-g")
        assert _read(checkout.root, "rev-parse", "--show-toplevel") == str(checkout.root)
        assert _read(checkout.root, "remote") == ""
        git(checkout.root, "tag", "own")
        git(checkout.root, "commit", "-q", "--allow-empty", "-m", "own")

    assert {path: path.lstat().st_mtime_ns for path in repository.rglob("*")} == before


def test_a_worktree_of_a_shallow_clone_is_checked_out(repository: Path, tmp_path: Path) -> None:
    commit(repository)
    git(repository, "commit", "-q", "--allow-empty", "-m", "y")
    clone, worktree = tmp_path / "clone", tmp_path / "worktree"
    git(tmp_path, "clone", "-q", "--depth=1", f"file://{repository}", str(clone))
    git(clone, "worktree", "add", "-q", "--detach", str(worktree))

    with checkouts.check_out(worktree, _head(worktree), "x") as checkout:
        assert _read(checkout.root, "rev-list", "--count", "HEAD") == "1"
        assert (checkout.root / "a.yaml").exists()


def test_a_repository_with_long_ids_is_checked_out(repository: Path) -> None:
    git(repository, "init", "-q", "--template=", "--object-format=sha256")
    commit(repository, tag="v1")

    with checkouts.check_out(repository, _head(repository), "v1") as checkout:
        assert len(_read(checkout.root, "rev-parse", "v1")) == 64


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_block_and_removes_the_checkout(repository: Path, number: signal.Signals) -> None:
    commit(repository)
    before = signal.signal(number, signal.SIG_DFL)
    try:
        with (
            pytest.raises(KeyboardInterrupt, match=number.name),
            checkouts.check_out(repository, _head(repository), "x") as checkout,
        ):
            signal.raise_signal(number)

        assert not checkout.root.parent.exists()
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, before)


def test_no_repository_around_the_checkout_is_changed(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(repository, tag="v1")
    (repository / "a.yaml").write_text("of today", encoding="utf-8")
    monkeypatch.setattr(tempfile, "tempdir", str(repository))

    # Without the id of a commit in HEAD, git searches a repository in the folders above.
    with pytest.raises(CrdError, match="not a git repository"), checkouts.check_out(repository, "v1", "v1"):
        pass

    assert (repository / "a.yaml").read_text(encoding="utf-8") == "of today"
