"""Git runs no program of a repository's settings, and contacts no remote."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from support.git import commit, git

from pytest_crd.discovery import checkouts, filetrees, projectfiles, releases, tags
from pytest_crd.discovery import git as asked
from pytest_crd.engine.inputerror import CrdError

pytestmark = pytest.mark.session
PROGRAM = """\
#!/bin/sh
echo "$0" >> '{}'
cat
"""
KIND = "kind: CustomResourceDefinition\n"
HOOKS = ("post-index-change", "post-checkout", "pre-auto-gc", "reference-transaction")


@pytest.fixture
def ran(tmp_path: Path) -> Path:
    """The file that the programs of the repository write."""
    return tmp_path / "ran"


@pytest.fixture
def repository(tmp_path: Path, ran: Path) -> Path:
    """A repository with settings that name a program wherever git allows one."""
    folder, program = tmp_path / "repository", tmp_path / "program"
    folder.mkdir()
    program.write_text(PROGRAM.format(ran), encoding="utf-8")
    program.chmod(0o755)
    (folder / "gardens.yaml").write_text(KIND, encoding="utf-8")
    (folder / ".gitattributes").write_text("*.yaml filter=own diff=own\n*.json filter=a=b\n", encoding="utf-8")
    commit(folder, tag="v1.0.0")
    git(folder, "commit", "-q", "--allow-empty", "-m", "y")
    _sign(folder)
    git(folder, "tag", "v1.1.0")
    (folder / ".git/hooks").mkdir()
    for name in HOOKS:
        shutil.copy(program, folder / ".git" / "hooks" / name)
    for key in (
        *("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.gitProxy"),
        *("diff.external", "diff.own.command", "diff.own.textconv", "gpg.program", "credential.helper", "pager.log"),
        *("filter.own.clean", "filter.own.smudge", "filter.own.process", "filter.a=b.clean"),
    ):
        git(folder, "config", key, str(program))
    git(folder, "config", "filter.own.required", "true")
    git(folder, "config", "log.showSignature", "true")
    # git compares a file by content if its time has changed.
    (folder / "gardens.yaml").write_text(KIND, encoding="utf-8")
    ran.unlink(missing_ok=True)
    return folder


def _sign(folder: Path) -> None:
    """Put a signature into the current commit."""
    whole = subprocess.run(["git", "cat-file", "commit", "HEAD"], cwd=folder, check=True, capture_output=True).stdout
    head, _, message = whole.partition(b"\n\n")
    signed = head + b"\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n" + message
    command = ["git", "hash-object", "-t", "commit", "-w", "--stdin"]
    created = subprocess.run(command, cwd=folder, check=True, capture_output=True, input=signed).stdout
    git(folder, "reset", "-q", "--hard", created.decode().strip())


def test_the_programs_are_run_by_git_itself(repository: Path, ran: Path) -> None:
    for command in (("diff", "HEAD"), ("log", "-1"), ("ls-files", "--others")):
        subprocess.run(["git", *command], cwd=repository, check=False, capture_output=True)
        assert ran.exists()
        ran.unlink()
        (repository / "gardens.yaml").touch()


def test_no_program_of_a_repository_is_run(repository: Path, ran: Path) -> None:
    assert projectfiles.repository(repository) == repository
    assert projectfiles.files(repository) == [repository / "gardens.yaml"]
    assert projectfiles.ignored(repository) == ()
    assert tags.find_releases(repository).last.name == "v1.0.0"
    commit = releases.find_commit(repository, "latest-tag")
    assert releases.find_commit(repository, "HEAD").note.startswith("of 2")
    tree = filetrees.of_commit(repository, commit.id, ref="v1.0.0", folder="")
    assert tree.read(["gardens.yaml"]) == {"gardens.yaml": KIND.encode()}
    assert asked.run(repository, "grep", "--quiet", "Definition", commit.id, "--", "*.yaml").succeeded

    assert not ran.exists()


def test_a_changed_file_is_noticed_without_the_filters_of_the_repository(repository: Path, ran: Path) -> None:
    assert not asked.has_changes(repository)

    for name in ("gardens.yaml", "others.json"):
        (repository / name).write_text(f"{KIND}# changed\n", encoding="utf-8")
    git(repository, "add", "--intent-to-add", "others.json")
    ran.unlink(missing_ok=True)

    assert asked.has_changes(repository)
    assert tags.find_releases(repository).last.name == "v1.1.0"
    assert not ran.exists()


def test_a_checkout_runs_no_filter_and_hook_of_the_repository(repository: Path, ran: Path) -> None:
    commit = releases.find_commit(repository, "v1.0.0")

    with checkouts.check_out(repository, commit.id, "v1.0.0") as checkout:
        assert (checkout.root / "gardens.yaml").read_text(encoding="utf-8") == KIND

    assert not ran.exists()
    assert not checkout.root.parent.exists()


def test_a_checkout_is_refused_if_git_cannot_list_its_settings(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: nowhere\n", encoding="utf-8")

    with (
        pytest.raises(CrdError, match="git:v1: git checks out no files: fatal: not a git repository"),
        checkouts.check_out(tmp_path, "v1", "v1"),
    ):
        pass


def test_the_filters_of_the_user_count(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "gitconfig"
    own.write_text('[filter "own"]\n  clean = echo changed\n', encoding="utf-8")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(own))
    assert not asked.has_changes(repository)

    for key in ("clean", "smudge", "process", "required"):
        git(repository, "config", "--unset", f"filter.own.{key}")
    assert asked.has_changes(repository)


def test_changes_are_assumed_if_git_cannot_list_its_settings(tmp_path: Path) -> None:
    (tmp_path / ".git").write_text("gitdir: nowhere\n", encoding="utf-8")
    assert asked.has_changes(tmp_path)


def test_a_partial_clone_asks_no_remote_for_files(repository: Path, tmp_path: Path, ran: Path) -> None:
    for key in ("uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"):
        git(repository, "config", key, "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repository}", str(clone))
    git(clone, "config", "remote.origin.uploadpack", str(tmp_path / "program"))
    ran.unlink(missing_ok=True)

    commit = releases.find_commit(clone, "v1.0.0")
    tree = filetrees.of_commit(clone, commit.id, ref="v1.0.0", folder="")
    with pytest.raises(CrdError, match="fetch it whole, without a filter"):
        tree.read(["gardens.yaml"])
    with (
        pytest.raises(CrdError, match=r"git:v1\.0\.0: git checks out no files: "),
        checkouts.check_out(clone, commit.id, "v1.0.0"),
    ):
        pass
    assert not ran.exists()


def test_no_file_of_a_repository_is_written(repository: Path) -> None:
    git(repository, "config", "--unset", "core.fsmonitor")
    (repository / "gardens.yaml").touch()  # git diff would refresh the index, which is an event for hooks
    before = (repository / ".git/index").read_bytes()

    assert not asked.has_changes(repository)

    assert (repository / ".git/index").read_bytes() == before


def test_a_bare_repository_among_the_files_is_none(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", str(tmp_path / "files"))

    assert not asked.run(tmp_path / "files", "rev-parse", "--git-dir").succeeded
