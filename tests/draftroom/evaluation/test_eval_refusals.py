"""What `draftroom eval` cannot use: its exit code and one sentence, before a model is asked or a file is written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from state.errors import ErrorKind
from tests.draftroom.conftest import Command
from tests.draftroom.evaluation.conftest import BEANS, Runs
from tests.draftroom.refusing import assert_refused
from tests.support.corpus_files import write_lines

PAIR = json.dumps({"id": "a", "source": "Aspirin was given.", "target": "They took aspirin."})


@pytest.mark.parametrize(
    ("content", "kind", "said"),
    [
        (None, "missing_file", "pairs.jsonl cannot be read"),
        (b"", "empty_input", "pairs.jsonl is empty"),
        (f"{PAIR}\nnonsense\n".encode(), "bad_request", "Line 2 of"),
        (b'{"id": "a", "text": "x"}\n', "bad_request", "first record has the fields id, text"),
        (f'{PAIR}\n{{"id": "b", "source": "x"}}\n'.encode(), "bad_request", "`target`: field required"),
        (f"{PAIR}\n{PAIR}\n".encode(), "bad_request", "have the id 'a'"),
        (PAIR.replace("They", "Männer").encode("latin-1"), "not_utf8", "save it as UTF-8"),
        (PAIR.replace("}", ', "split": "train"}').encode(), "bad_request", "only of train"),
    ],
)
def test_data_that_cannot_be_used(
    draftroom: Command, tmp_path: Path, content: bytes | None, kind: ErrorKind, said: str
) -> None:
    data, out = tmp_path / "pairs.jsonl", tmp_path / "out"
    if content is not None:
        data.write_bytes(content)
    result = draftroom("eval", "medical_simplification", data, "--out", out)
    assert_refused(draftroom, result, kind, said)
    assert "pairs.jsonl" in result.stderr
    assert not out.exists()


@pytest.mark.parametrize("task", ["science_journalism", "medical_simplification", "focused_feedback"])
def test_a_folder_that_is_no_corpus(draftroom: Command, tmp_path: Path, task: str) -> None:
    result = draftroom("eval", task, tmp_path, "--out", tmp_path / "out")
    assert_refused(draftroom, result, "bad_request", f"{tmp_path} is none of the formats")


@pytest.mark.parametrize(
    ("flags", "kind", "said"),
    [
        (["--rows", "single,nonsense"], "bad_settings", "There is no row 'nonsense'; choose from source, reference"),
        (["--rows", ""], "bad_settings", "There is no row ''; choose from"),
        (["--rows", "all,single"], "bad_settings", "or `all` without others"),
        (["--preset", "nonsense"], "bad_settings", "There is no preset 'nonsense'"),
    ],
)
def test_choices_that_there_are_not(
    draftroom: Command, tmp_path: Path, flags: list[str], kind: ErrorKind, said: str
) -> None:
    result = draftroom("eval", "medical_simplification", "--out", tmp_path / "out", *flags)
    assert_refused(draftroom, result, kind, said)
    assert not (tmp_path / "out").exists()


def test_a_split_that_there_is_not(draftroom: Command, runs: Runs, tmp_path: Path) -> None:
    flags = ("--split", "nonsense", "--out", tmp_path / "out")
    result = draftroom("eval", "science_journalism", runs.beans, *flags)
    assert_refused(draftroom, result, "bad_request", "There is no split 'nonsense'; choose one of")


@pytest.mark.parametrize(
    "flags", [["--limit", "0"], ["--concurrency", "0"], ["--concurrency", "1025"], ["--seed", "x"], ["--nonsense"]]
)
def test_a_flag_that_cannot_be_used(draftroom: Command, tmp_path: Path, flags: list[str]) -> None:
    result = draftroom("eval", "medical_simplification", "--out", tmp_path / "out", *flags)
    assert result.exit_code == 2
    assert flags[0] in result.stderr
    assert draftroom.endpoint.requests == []
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_place_where_no_run_can_be_kept(draftroom: Command, tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    result = draftroom("eval", "medical_simplification", "--out", tmp_path / name)
    assert_refused(draftroom, result, "output_unwritable", "choose another folder with --out")


@pytest.mark.parametrize(
    ("flags", "variables", "differing"),
    [
        (["--limit", "1"], {}, "limit"),
        (["--seed", "3"], {}, "seed"),
        (["--model", "small", "--limit", "1"], {}, "limit and models.model"),
        (["--concurrency", "3"], {}, "models.concurrency"),
        ([], {"DRAFTROOM_MODELS__EDITOR__TEMPERATURE": "0.5"}, "models.temperature"),
        ([], {"DRAFTROOM_JOURNALISM__ROUNDS": "2"}, "settings.rounds"),
    ],
)
def test_a_folder_with_another_run_says_what_differs(
    draftroom: Command, runs: Runs, flags: list[str], variables: dict[str, str], differing: str
) -> None:
    before = (runs.journalism / "config.json").read_bytes()
    address = json.loads(before)["models"]["editor"]["base_url"]
    command = ("eval", "science_journalism", runs.beans, "--out", runs.journalism, "--base-url", address)
    result = draftroom.with_variables(variables)(*command, *flags)
    assert_refused(draftroom, result, "bad_settings", f"holds a run with other {differing}: choose another folder")
    assert (runs.journalism / "config.json").read_bytes() == before


def test_a_folder_with_a_run_of_other_data_or_of_another_task(draftroom: Command, runs: Runs, tmp_path: Path) -> None:
    address = json.loads((runs.journalism / "config.json").read_bytes())["models"]["editor"]["base_url"]
    flags = ("--out", runs.journalism, "--base-url", address)
    fewer = write_lines(tmp_path / "beans.jsonl", BEANS[:1])
    result = draftroom("eval", "science_journalism", fewer, *flags)
    assert_refused(draftroom, result, "bad_settings", "with other corpora:")
    result = draftroom("eval", "medical_simplification", *flags)
    assert_refused(draftroom, result, "bad_settings", "with other task:")


# Commands on a run

ON_A_RUN = [
    ["report", "RUN"],
    ["resume", "RUN"],
    ["blind", "RUN", "--out", "never"],
    ["compare", "RUN", "RUN"],
]


@pytest.mark.parametrize("command", ON_A_RUN, ids=lambda command: command[0])
def test_a_folder_without_a_run(draftroom: Command, tmp_path: Path, command: list[str]) -> None:
    result = draftroom("eval", *(str(tmp_path) if word == "RUN" else word for word in command))
    assert_refused(draftroom, result, "missing_file", f"{tmp_path / 'config.json'} cannot be read")


def test_the_second_of_two_runs_is_looked_for_too(draftroom: Command, runs: Runs, tmp_path: Path) -> None:
    result = draftroom("eval", "compare", runs.journalism, tmp_path / "missing")
    assert_refused(draftroom, result, "missing_file", "name a folder that holds an evaluation")


def test_runs_of_different_tasks_are_not_compared(draftroom: Command, runs: Runs) -> None:
    result = draftroom("eval", "compare", runs.journalism, runs.simplification)
    assert_refused(draftroom, result, "bad_settings", "different tasks, science_journalism and medical_simplification")


@pytest.mark.parametrize(
    ("file", "before", "after", "said"),
    [
        ("config.json", '"task"', '"tasks"', "config.json is damaged, or of another version"),
        ("config.json", "science_journalism", "gardening", "use Draftroom"),
        ("config.json", '"summaries"', '"weeds"', "use Draftroom"),
        ("samples.jsonl", '{"id"', "{id", "double quotes: line 1 column 2 (char 1)); put the file back as it was"),
        (
            "samples.jsonl",
            "\n",
            '\n{"id": "x"}\n',
            "samples.jsonl has 4 samples instead of 2; put the file back as it was",
        ),
    ],
)
def test_a_run_that_was_damaged_or_is_of_another_version(
    draftroom: Command, runs: Runs, file: str, before: str, after: str, said: str
) -> None:
    path = runs.journalism / file
    path.write_text(path.read_text(encoding="utf-8").replace(before, after), encoding="utf-8")
    for command in ("report", "resume"):
        assert_refused(draftroom, draftroom("eval", command, runs.journalism), "bad_request", said)


def test_a_run_without_its_samples(draftroom: Command, runs: Runs) -> None:
    (runs.journalism / "samples.jsonl").unlink()
    result = draftroom("eval", "resume", runs.journalism)
    assert_refused(draftroom, result, "missing_file", "No such file or directory); put the file back as it was")


def test_reports_that_cannot_be_written(draftroom: Command, runs: Runs) -> None:
    (runs.journalism / "report.md").unlink()
    (runs.journalism / "report.md").mkdir()
    result = draftroom("eval", "report", runs.journalism)
    assert_refused(draftroom, result, "output_unwritable", "report.md")
