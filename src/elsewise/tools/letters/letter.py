"""One letter: what was asked, what it says, and the versions it was made with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from os import PathLike
from pathlib import Path
from typing import Any

from ...answers import Explanation, PrincipalReasons
from ...arrays import JsonObject, ReadObject
from ...errors import InvalidInputError
from ...fitted import FittedModel
from ...questions import Options
from ...questions.recourse.presented import find_principal_reasons
from ...questions.targets import outcome_of_target
from ...rules import Constraints
from ...table.wording import PLAIN
from ...text.languages import check_language, speaking
from ...text.sentence import already_as_wanted, asks_for_probability
from ..files.explainers import installed_versions, replacing
from ..files.trail.fingerprints import fingerprint
from ..files.trail.records import rules_sha256
from ..files.values import rules_as_json
from .facts import Subject, values_of
from .rendering import html_of_letter, text_of_letter
from .seals import footer_of, seal_of, sealed
from .templates import SUFFIXES, LetterTemplate, read_template

# Principal reasons that a letter names: more are not helpful (12 CFR 1002.9, comment 9(b)(2)-1).
MOST_REASONS = 4


@dataclass(frozen=True, slots=True, eq=False)
class Letter:
    """A letter about one decision.

    Attributes
    ----------
    text : str
        As plain text; empty where the template is an HTML page.
    html : str
        As an HTML page that loads nothing.
    template : str
        Name of the template.
    language : str
    versions : dict of str to str
        SHA-256 of the model, the explainer, the rules and the template.
    reasons : PrincipalReasons or None
        The reasons that it names, if it names any.
    """

    text: str
    html: str
    template: str
    language: str
    versions: Mapping[str, str]
    reasons: PrincipalReasons | None

    def save(self, path: str | PathLike[str]) -> None:
        """Write the letter to a file, ``.txt`` or ``.html``, which ``elsewise verify`` checks."""
        path = Path(path)
        document = {".txt": self.text, ".html": self.html}.get(path.suffix.lower())
        if not document:
            raise InvalidInputError(
                f"{path}: expected a file ending in {' or '.join(SUFFIXES)}; a letter from an HTML template is .html."
            )
        with replacing(path) as file:
            file.write(document.encode())

    def to_mapping(self) -> JsonObject:
        """Return what an audit trail tells of the letter."""
        seals = {"text": seal_of(self.text), "html": seal_of(self.html)}
        return {
            "template": self.template,
            "language": self.language,
            "sha256": {name: seal for name, seal in seals.items() if seal is not None},
            "versions": dict(self.versions),
        }

    def __str__(self) -> str:
        return self.text or self.html

    def _repr_html_(self) -> str:
        return self.html


@dataclass(frozen=True, slots=True, eq=False)
class LetterRequest:
    """What is asked of letters, checked before any work.

    Attributes
    ----------
    template : LetterTemplate
    language : str
    fields : dict of str to str
        Values of the template's own placeholders.
    codes : mapping of (column, direction) to code, optional
    options : Options
        Rules, least probability and time limit of the question about reasons.
    day : date
    """

    template: LetterTemplate
    language: str
    fields: Mapping[str, str] = field(default_factory=dict)
    codes: Mapping[tuple[str, str], Any] | None = None
    options: Options = field(default_factory=Options)
    day: date = field(default_factory=lambda: datetime.now(UTC).date())

    @classmethod
    def of(
        cls, template: str | PathLike[str], language: str, fields: ReadObject | None, **others: Any
    ) -> LetterRequest:
        """Read the template and check the fields.

        Raises
        ------
        InvalidInputError
            A template or language that does not exist, a placeholder without a value, a field without a placeholder.
        """
        check_language(language)
        found = read_template(template, language)
        texts = {str(name): str(value) for name, value in (fields or {}).items() if name != "reference"}
        found.check_fields(texts)
        reference = {"reference": str(fields["reference"])} if fields and "reference" in fields else {}
        return cls(found, language, {**texts, **reference}, **others)


def write_letter(
    fitted: FittedModel, explanation: Explanation, request: LetterRequest, versions: Mapping[str, str] | None = None
) -> Letter:
    """Write a letter about an answer; see :meth:`elsewise.Explainer.letter`.

    ``versions`` are those of :func:`versions_of`, if they are known already.
    """
    _check_subject(explanation)
    subject = _subject(fitted, explanation, request)
    if versions is None:
        versions = versions_of(fitted)
    versions = {**versions, "rules": _sha256_of_rules(fitted, explanation, request.options.constraints)}
    versions = {**versions, "template": request.template.sha256}
    reference = request.fields.get("reference", str(explanation.row + 1))
    values = {**values_of(subject, request.language, request.day, reference), **request.fields}
    footer = footer_of(versions, installed_versions()["elsewise"])
    text = "" if request.template.is_html else sealed(text_of_letter(request.template, values, footer))
    with speaking(replace(PLAIN, language=request.language)):
        html = html_of_letter(request.template, values, footer)
    return Letter(text, sealed(html), request.template.name, request.language, versions, subject.reasons)


def _sha256_of_rules(fitted: FittedModel, explanation: Explanation, constraints: Constraints | None) -> str:
    """Return the SHA-256 of rules (None: those that are stored, for the target of the explanation)."""
    target = explanation.target
    outcome = None if target is None else outcome_of_target(target, fitted.classes)
    return rules_sha256(rules_as_json(fitted.constraints_of(constraints, outcome)))


def versions_of(fitted: FittedModel) -> dict[str, str]:
    """Return the SHA-256 of a model and of all that was learned with it."""
    learned = (
        fitted.table,
        fitted.distance,
        fitted.densities,
        fitted.regularities,
        fitted.references,
        fitted.condition_on_fixed,
        fitted.facts if fitted.follows_directions else (),
    )
    model = fingerprint(fitted.model)
    return {
        "model": model,
        "explainer": fingerprint((model, *learned)),
    }


def _check_subject(explanation: Explanation) -> None:
    if explanation.status in ("error", "unknown"):
        raise InvalidInputError(
            f"The answer has the status {explanation.status!r}: there is nothing certain to write. {explanation.reason}"
        )
    if already_as_wanted(explanation) and not asks_for_probability(explanation):
        raise InvalidInputError(
            "The model decides for the target already: a letter explains a decision against it. Leave the row out."
        )


def _subject(fitted: FittedModel, explanation: Explanation, request: LetterRequest) -> Subject:
    """Find the reasons, if the template names them; without the rules where nothing that they allow is enough."""
    if "reasons" not in request.template.placeholders:
        return Subject(explanation, None)
    least = explanation.min_probability
    asked = replace(request.options, min_probability=None if least != least else least)
    x, target, codes = explanation.x, explanation.target, request.codes
    found = find_principal_reasons(fitted, x, target, MOST_REASONS, codes, asked)
    if found.status != "no recourse":
        return Subject(explanation, _proven(found))
    freely = replace(asked, constraints=Constraints())
    found = _proven(find_principal_reasons(fitted, x, target, MOST_REASONS, None, freely))
    coded = [replace(one, code=(codes or {}).get((one.column, one.direction))) for one in found]
    return Subject(explanation, replace(found, reasons=tuple(coded)), has_recourse=False)


def _proven(reasons: PrincipalReasons) -> PrincipalReasons:
    if reasons.status != "proven":
        raise InvalidInputError(
            f"The reasons have the status {reasons.status!r}: none can be named. Give more time, ask for less typical "
            "answers (threshold), or use a template without $reasons."
        )
    return reasons
