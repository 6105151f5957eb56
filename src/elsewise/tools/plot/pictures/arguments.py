"""What the pictures take: checked in one place, so that each says the same about what does not fit.

Names, values and outcomes as short texts that any figure can take.

How they are worded is decided in :mod:`elsewise.text`; they are only made shorter, for there is little room. Texts come
from the user's data, so drawing functions pass them with ``parse_math=False``: a dollar sign is a dollar sign.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ....answers import Explanation, Explanations
from ....arrays import FloatArray, UserTarget, UserValue
from ....errors import InvalidInputError
from ....explainer import Explainer
from ....table import Column, Table
from ....text.sentence import cases_words
from ....text.words import Word, clean, column_word, is_missing, label_word, shortened, value_words

# Characters of a name or level beside the axes, of an outcome in a title, of a level inside of axes, and of a change
# (before and after together) before it takes two lines.
LONGEST_NAME, LONGEST_OUTCOME, LONGEST_LEVEL, LONGEST_CHANGE = 32, 24, 25, 36
# Significant digits of costs and differences beside bars: their size is what counts.
DIGITS = 3
# Names listed in a message before the others are counted.
MOST_NAMES = 12

# In the comparison of several answers: points a side of the plane, and of a curve.
GRID_POINTS, CURVE_POINTS = 160, 160


def short(name: object, longest: int = LONGEST_NAME) -> str:
    """Text of a name or level on one line; of a long one the beginning and the end."""
    return shortened(clean(str(name)), longest) or "(empty)"


def named(column: str, longest: int = LONGEST_NAME) -> str:
    """Text of a column's name, as people call it."""
    return short(column_word(column).text, longest)


def level_text(column: str, level: UserValue, longest: int) -> str:
    """Text of a level, as people call it."""
    return pair_texts(level, level, is_level=True, longest=longest, column=column)[0]


def pair_texts(
    before: UserValue, after: UserValue, *, is_level: bool, longest: int = LONGEST_NAME, column: str | None = None
) -> tuple[str, str]:
    """Texts of two values, numbers with as many digits as it takes to tell them apart."""
    words = value_words(before, after, is_level=is_level and not is_missing(before), column=column)
    return short(words[0].text, longest), short(words[1].text, longest)


def outcome(target: UserTarget, longest: int = LONGEST_OUTCOME) -> str:
    """Text of a label, or of the range a regressor shall reach."""
    return short(label_word(target).text, longest)


def rows_of_target(target: UserTarget) -> str:
    """Name the training rows an answer is held against."""
    return in_a_line(cases_words(target))


def in_a_line(words: Iterable[Word]) -> str:
    """Join words; figures set labels apart by nothing but their place."""
    return "".join(short(word.text, LONGEST_OUTCOME) if word.kind == "label" else word.text for word in words)


def wrapped(sentence: str, width: int, most_lines: int = 4) -> str:
    """Break a sentence into lines; what does not fit ends in an ellipsis."""
    return "\n".join(textwrap.wrap(clean(sentence), width, max_lines=most_lines, placeholder=" …"))


def answered(explanation: object) -> Explanation:
    """Return one explanation that has a counterfactual, or say why there is nothing to draw."""
    if isinstance(explanation, Explanations):
        raise InvalidInputError(
            f"explanation: expected one Explanation, received {len(explanation)} of them. Pass explanations[0]; "
            "elsewise.plot.summary draws many."
        )
    if not isinstance(explanation, Explanation):
        raise InvalidInputError(
            f"explanation: expected what explain_one returns, received {type(explanation).__name__}."
        )
    if not explanation.found:
        raise InvalidInputError(f"There is no counterfactual to draw: the row has no answer. {explanation.reason}")
    return explanation


def fitted(explainer: object) -> Explainer:
    """Return an explainer that is one, and fitted."""
    if not isinstance(explainer, Explainer):
        raise InvalidInputError(f"explainer: expected a fitted Explainer, received {type(explainer).__name__}.")
    explainer.require_fitted()
    return explainer


def same_columns(explainer: Explainer, table: Table) -> None:
    """Refuse an explanation of another table than the explainer's."""
    names, others = ([column.name for column in each.columns] for each in (explainer.table_, table))
    if names != others:
        raise InvalidInputError(
            f"The explanation is about other columns than the explainer: {_some(others)} against {_some(names)}. Pass "
            "the explainer that made it."
        )


def places(table: Table, columns: object, *, argument: str = "columns") -> list[int]:
    """Return positions in the table of columns that are given by name, each once."""
    if isinstance(columns, str) or not isinstance(columns, Sequence):
        raise InvalidInputError(f"{argument}: expected a list of column names, received {columns!r}.")
    names = [column.name for column in table.columns]
    found = []
    for name in columns:
        if name not in names:
            unused = " It is in the data, but the model does not use it." if name in table.unused else ""
            raise InvalidInputError(f"{argument}: there is no column {name!r}.{unused} There are {_some(names)}.")
        found.append(names.index(name))
    if len(set(found)) < len(found):
        raise InvalidInputError(f"{argument}: expected each column once, received {list(columns)!r}.")
    return found


def plain_label(target: UserTarget) -> Any:
    """Return a label as a Python object, as which it is a key of densities and profiles."""
    return target.item() if isinstance(target, np.generic) else target


def label_held_against(explainer: Explainer, target: UserTarget) -> Any:
    """Return the label whose training rows answers with a target are held against; None for all rows."""
    label = plain_label(target)
    return None if isinstance(label, tuple) or label not in explainer.profiles_ else label


def positive(value: object, name: str) -> int:
    """Return a whole number of at least 1."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInputError(f"{name}: expected a whole number of at least 1, received {value!r}.")
    return value


def is_numeric(column: Column) -> bool:
    """Whether a column's values are numbers on a scale."""
    return column.kind in ("number", "integer")


def row_and_points(answers: Mapping[str, Explanation]) -> tuple[FloatArray, FloatArray]:
    """Return the row, of shape (n_columns,), and its counterfactuals, of shape (n_answers, n_columns)."""
    explanations = list(answers.values())
    if not explanations or any(not each.found for each in explanations):
        raise InvalidInputError("Expected at least one explanation, all of them with a counterfactual to draw.")
    _check_numbers(explanations[0].table)
    row = np.asarray(explanations[0].x, dtype=np.float64)
    return row, np.array([each.counterfactual for each in explanations], dtype=np.float64)


def _check_numbers(table: Table) -> None:
    if table.is_identity:
        return
    for column in table.columns:
        if column.kind in ("category", "ordinal"):
            kind = "a category" if column.kind == "category" else "an ordinal"
            raise InvalidInputError(
                f"These pictures are of numbers, but column {column.name!r} is {kind}. Use explanation.changes or "
                "explanation.to_frame() instead."
            )
    raise InvalidInputError(
        "These pictures are of numbers that the model uses, none of them missing. "
        + (f"It does not use {table.unused[0]!r}." if table.unused else "Impute before the pipeline.")
    )


def _some(names: Sequence[str]) -> str:
    listed = ", ".join(repr(short(name)) for name in names[:MOST_NAMES])
    return listed if len(names) <= MOST_NAMES else f"{listed} and {len(names) - MOST_NAMES} more"
