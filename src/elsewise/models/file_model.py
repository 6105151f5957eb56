"""Models from files: fitted already, and never fitted again."""

from __future__ import annotations

from typing import Any, NoReturn

from ..arrays import UserData
from ..errors import UnsupportedSettingError


class FileModel:
    """What a model from a file is to scikit-learn, whose pipelines ask for ``fit`` and whether it was called."""

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: UserData, y: Any = None) -> NoReturn:
        """Raise: the file holds a fitted model, not how to train one."""
        raise UnsupportedSettingError(
            f"{type(self).__name__} was read from a file and cannot be trained. Expected a model that is trained in "
            "Python; train it there, and read or pass the result."
        )
