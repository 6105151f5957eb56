"""What can go wrong, one root for all of it.

Infeasible problems and time limits are not errors: they are statuses of an answer.
"""


class ElsewiseError(Exception):
    """Root of every exception this library raises on purpose."""


class InvalidInputError(ElsewiseError, ValueError):
    """Data, targets or parameters do not fit: the message says what was expected and what was received."""


class InvalidRulesError(InvalidInputError):
    """Rules that are to be stored do not fit the columns."""


class UnsupportedModelError(ElsewiseError, TypeError):
    """The type of the model, transformer or density is not known."""


class UnsupportedSettingError(ElsewiseError, ValueError):
    """The type is known, but one of its settings has no exact convex description."""


class MissingDependencyError(ElsewiseError, ImportError):
    """An optional library is needed: the message names the feature and the extra that installs it."""


class VerificationError(ElsewiseError, RuntimeError):
    """A point could not be confirmed by the model's own ``predict``; nothing unverified is returned."""


class InternalError(ElsewiseError, RuntimeError):
    """The library contradicts itself: nothing that it computed can be trusted."""


# What to do about names of columns that are whole numbers, or tuples of a MultiIndex.
NAMES_ARE_TEXT = (
    "Names are text; a frame's columns whose names are not, such as 0 or ('a', 'b'), are called x0, x1, ... by their "
    "position. Rename them with X.columns = X.columns.map(str), and fit the model on them, to use names of your own."
)
