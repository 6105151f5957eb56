"""The catalogue: every language has every text, with the same parts; every text is used; answers speak the language."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import elsewise as ew
from elsewise.table.wording import Wording
from elsewise.text.languages import LANGUAGES, plural, say, speaking
from elsewise.text.numbers import number, percent, two_numbers

SOURCE = Path(ew.__file__).parent
# Parts that come in several forms: a language takes the one that its sentence needs.
FORMS = {"decide": "decides", "deciding": "decides", "case": "cases"}


def parts(template):
    return {FORMS.get(name, name) for _, name, _, _ in Formatter().parse(template) if name is not None}


@pytest.mark.parametrize("code", [code for code in LANGUAGES if code != "en"])
def test_a_language_has_every_text_with_the_same_parts(code):
    english, other = LANGUAGES["en"], LANGUAGES[code]
    assert set(other) == set(english)
    different = {key for key in english if parts(english[key]) != parts(other[key])}
    assert not different
    same = {key for key in english if re.search(r"[a-z]{3} [a-z]{3}", english[key]) and english[key] == other[key]}
    assert not same


def test_every_text_is_used():
    files = [path for path in SOURCE.rglob("*.*") if path.suffix in (".py", ".js", ".html")]
    code = "\n".join(path.read_text(encoding="utf-8") for path in files if "languages" not in path.parts)
    begins = {text for text in re.findall(r"""["'`]([\w][\w .,]*)\$?\{""", code) if len(text) > 3}
    marks = ('"{}"', "'{}'", "`{}`", "{{{{{}}}}}", '"*{}"')
    for key in LANGUAGES["en"]:
        if key.split(".")[0] in ("decides", "case of", "cases of", *FORMS):
            continue  # in every form, whichever is used
        name = key.removesuffix(".one").removesuffix(".many").removesuffix(" other")
        is_quoted = any(
            mark.format(each) in code
            for mark in marks
            for each in (name, name.removeprefix("head."), name.split(", ")[0])
        )
        assert is_quoted or any(name.startswith(text) for text in begins), key


def test_numbers_have_the_marks_of_the_language():
    with speaking(Wording(language="de")):
        assert number(1234567.891) == "1.234.568"
        assert number(-4.6597513) == "-4,66"
        assert two_numbers(8914.5, 14782.0) == ("8.914,5", "14.782")
        assert percent(0.999, 1) == "99,9 %"
        assert percent(0.001) == "weniger als 1 %"
    assert number(-4.6597513) == "-4.66"


def test_counts_choose_their_text():
    assert plural("steps", 1) == "1 step"
    assert plural("steps", 2) == "2 steps"
    with speaking(Wording(language="de")):
        assert plural("steps", 1) == "1 Schritt"
        assert say("head.now") == "jetzt"


def test_answers_speak_the_language_of_the_explainer():
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(2.0, 1.0, (60, 3)), rng.normal(4.0, 1.0, (60, 3))]).round(2)
    y = np.repeat(["low", "high"], 60)
    model = LogisticRegression().fit(X, y)
    german = ew.Explainer(model, language="de").fit(X, y)
    english = ew.Explainer(model).fit(X, y)
    answer, same = german.explain_one(X[60], "low"), english.explain_one(X[60], "low")
    assert answer.sentence.startswith("Das Modell sagt „high“ voraus. Es würde „low“ vorhersagen mit: ")
    assert answer.distance == same.distance
    assert same.sentence.startswith('The model predicts "high". It would predict "low" with: ')
    assert "jetzt" in answer._repr_html_()
    assert "Änderungen" in str(german.explain(X[60:63], "low"))
    with pytest.raises(ew.InvalidInputError, match="language: expected one of 'en', 'de', received 'fr'"):
        ew.Explainer(model, language="fr").fit(X, y)
