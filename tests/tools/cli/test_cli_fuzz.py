"""Wrong files and wrong words on the command line: always a sentence, never a traceback."""

from __future__ import annotations

import contextlib
import io
import re
from itertools import pairwise

import joblib
import numpy as np
import pytest
from sklearn.compose import make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

pandas = pytest.importorskip("pandas")

from elsewise.tools.cli.main import main, parser  # noqa: E402
from elsewise.tools.cli.parsing import EXAMPLES  # noqa: E402

ROWS = "a,b,c\n0.5,1,x\n-0.5,2,y\n"
FILES = {
    "rows.csv": ROWS,
    "text.csv": ROWS.replace("0.5", "tall"),
    "level.csv": ROWS.replace("x", "never seen"),
    "empty.csv": "",
    "head.csv": "a,b,c\n",
    "missing.csv": "a,b,c\n,,\n",
    "columns.csv": "a,b\n1,2\n",
    "twice.csv": "a,a,b,c\n1,1,2,x\n",
    "ragged.csv": "a,b,c\n1,2\n1,2,x,4\n",
    "huge.csv": "a,b,c\n1e308,-1e308,x\ninf,nan,y\n",
    "binary.csv": "\x00\x01\x02",
    "quotes.csv": 'a,b,c\n"1,2,x\n',
}
SETTINGS = {
    "rules.toml": 'immutable = ["nothing"]\n',
    "broken.toml": "immutable = [",
    "kinds.toml": "bounds = 3\nmax_changes = 'x'\n",
    "labels.csv": "a,b,c,y\n1,2,x,1\n",
    "notes.ew": "no explainer",
}
WRONG = [
    "explain --explainer m.ew --data rows.csv --target maybe --out o.csv",
    "explain --explainer m.ew --data rows.csv --target 1:2 --out o.csv",
    "explain --explainer m.ew --data rows.csv --rules rules.toml --out o.csv",
    "explain --explainer m.ew --data rows.csv --rules broken.toml --out o.csv",
    "explain --explainer m.ew --data rows.csv --rules kinds.toml --out o.csv",
    "explain --explainer notes.ew --data rows.csv --out o.csv",
    "explain --explainer rows.csv --data rows.csv --out o.csv",
    "explain --model train.csv --train train.csv --label y --data rows.csv --out o.csv",
    "explain --model model.joblib --train rows.csv --label y --data rows.csv --out o.csv",
    "explain --model model.joblib --train labels.csv --label y --data rows.csv --out o.csv",
    "explain --explainer m.ew --data rows.csv --time-limit -1 --out o.csv",
    "explain --explainer m.ew --data rows.csv --n-counterfactuals 0 --out o.csv",
    "explain --explainer m.ew --data rows.csv --language fr --out o.csv",
    "fit --model m.ew --data train.csv --label y --out f.ew",
    "fit --model model.joblib --data train.csv --label z --out f.ew",
    "fit --model model.joblib --data head.csv --label c --out f.ew",
    "serve --explainer notes.ew",
    "serve --explainer m.ew --target maybe --no-browser --port 0",
    "report --explainer m.ew --data rows.csv --image-shape 8x8 --out r.html",
    "report --explainer m.ew --data rows.csv --answers rows.csv --out r.html",
    "audit rows.csv --by c",
    "verify rows.csv --explainer m.ew",
    "monitor --explainer m.ew --data rows.csv",
    "expalin --data rows.csv",
    "explain --taget True",
    "",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("fuzz")
    rng = np.random.default_rng(0)
    train = pandas.DataFrame({"a": rng.normal(size=80), "b": rng.integers(0, 5, 80), "c": rng.choice(["x", "y"], 80)})
    encode = make_column_transformer((OneHotEncoder(), ["c"]), remainder="passthrough")
    model = make_pipeline(encode, RandomForestClassifier(3, max_depth=2, random_state=0))
    joblib.dump(model.fit(train, train["a"] > 0), place / "model.joblib")
    train.assign(y=train["a"] > 0).to_csv(place / "train.csv", index=False)
    for name, text in {**FILES, **SETTINGS}.items():
        (place / name).write_text(text, encoding="latin-1")
    fit = "fit --model model.joblib --data train.csv --label y --density none --quiet --out m.ew"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        assert main(in_folder(place, fit)) == 0
    return place


def in_folder(folder, line):
    return [str(folder / word) if "." in word and not word.startswith("-") else word for word in line.split()]


def run(folder, line, capsys):
    """Run a command; return its exit code and what it says on stderr. An exception fails the test."""
    try:
        code = main(in_folder(folder, line))
    except SystemExit as wrong:
        code = wrong.code
    return code, capsys.readouterr().err


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("command", ["explain", "report"])
def test_rows_that_are_wrong_are_told(folder, name, command, capsys):
    out = f"{command}-{name}.{'csv' if command == 'explain' else 'html'}"
    line = f"{command} --explainer m.ew --data {name} --target True --out {out} --quiet --time-limit 1"
    code, said = run(folder, line, capsys)
    assert code in (0, 1, 2, 3)
    assert "Traceback" not in said
    if code in (1, 2):
        assert said.strip().splitlines()[-1].startswith(("elsewise", "Try: "))


@pytest.mark.parametrize("line", WRONG)
def test_wrong_words_get_a_sentence(folder, line, capsys):
    code, said = run(folder, line, capsys)
    assert code in (1, 2)
    assert any(each.startswith("elsewise") for each in said.splitlines())
    assert "Traceback" not in said


VALUES = (
    *FILES, *SETTINGS, "model.joblib", "m.ew", "train.csv", "nothing.csv", ".", "", "0", "-1", "1", "2", "nan", "inf",
    "1e400", "x", "a", "b", "y", "True", "maybe", "1:2", ":", "2:1", "8x8", "0x3", "columns", "none", "de", "fr",
    "\x00", "\N{SNOWMAN}", "'*.csv'", "q" * 300,
)  # fmt: skip
BASES = (
    "fit --model model.joblib --data train.csv --label y --density none --out f.ew --overwrite --quiet",
    "explain --explainer m.ew --data rows.csv --target True --out o.csv --fresh --time-limit 1 --quiet",
    "explain --explainer m.ew --data rows.csv --target True --out o.jsonl --fresh --time-limit 1 --ranges",
    "explain --model model.joblib --train train.csv --label y --density none --data rows.csv --out p.csv --fresh",
    "report --explainer m.ew --data rows.csv --target True --out r.html --time-limit 1 --why 1 --plans 1",
    "levers --explainer m.ew --data rows.csv --row 1 --target True --time-limit 1",
    "reasons --explainer m.ew --data rows.csv --row 1 --target True --time-limit 1 --json",
    "ladder --explainer m.ew --data rows.csv --row 1 --target True --bands B=0.5 A=0.8 --time-limit 1",
    "letter --explainer m.ew --data rows.csv --row 1 --target True --out l.html --time-limit 1",
    "letters --explainer m.ew --data rows.csv --target True --out letters --fresh --time-limit 1",
    "audit o.csv --data rows.csv --by c",
    "verify o.jsonl --explainer m.ew --data rows.csv --search 1",
    "monitor --explainer m.ew --data rows.csv --set-baseline b.ew --overwrite --target True --time-limit 1",
    "rules suggest --explainer m.ew --target True --out s.toml --overwrite",
)
N_LINES = 120


def _lines(seed):
    """Commands that are right, with one to three words changed, left out, or put in at random."""
    rng = np.random.default_rng(seed)
    commands = next(action for action in parser()._actions if action.choices).choices
    for place in range(N_LINES):
        words = BASES[place % len(BASES)].split()
        for _ in range(rng.integers(1, 4)):
            at, what = int(rng.integers(1, len(words))), rng.random()
            if what < 0.5:
                words[at] = str(rng.choice(VALUES))
            elif what < 0.6 and len(words) > 2:
                del words[at]
            else:
                options = [action for action in commands[words[0]]._actions if action.option_strings]
                action = options[int(rng.integers(len(options)))]
                words += [action.option_strings[0], *([] if action.nargs == 0 else [str(rng.choice(VALUES))])]
        yield words


def test_no_line_ends_in_a_traceback(folder, capsys, monkeypatch):
    """Options and values at random: an exit code and a sentence, whatever they are."""
    monkeypatch.chdir(folder)
    for words in _lines(7):
        try:
            code = main(words)
        except SystemExit as wrong:
            code = wrong.code
        except Exception as error:
            pytest.fail(f"{words}: {error!r}")
        said = capsys.readouterr().err
        assert code in (0, 1, 2, 3, 4), words
        assert "Traceback" not in said, words
        assert code != 1 or "verify" in words or any(line.startswith("elsewise") for line in said.splitlines()), words


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("expalin", "explain"),
        ("explain --data rows.csv --out o.csv --taget x", "--target"),
        ("explain --dta rows.csv --out o.csv", "--data"),
    ],
)
def test_what_may_have_been_meant_is_suggested(folder, line, meant, capsys):
    code, said = run(folder, line, capsys)
    assert (code, f"Did you mean {meant}?" in said) == (2, True)


def test_every_command_has_examples(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["--help"])
    commands = capsys.readouterr().out.split("COMMAND\n")[-1].split("\n\n")[0]
    listed = re.findall(r"^ {4}([a-z]+)", commands, re.M)
    assert len(listed) > 10
    assert set(listed) <= set(EXAMPLES)


@pytest.mark.parametrize("command", EXAMPLES)
def test_every_command_has_examples_that_parse(command, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "letters").mkdir()
    for line in EXAMPLES[command]:
        words = line.split()[1:]
        for option, word in pairwise(words):
            if "." in word and option != "--out":
                (tmp_path / word).touch()
        assert parser().parse_args(words).run
        names = words[:2] if words[0] == "rules" else words[:1]
        with pytest.raises(SystemExit, match="0"):
            main([*names, "--help"])
        assert line in capsys.readouterr().out
