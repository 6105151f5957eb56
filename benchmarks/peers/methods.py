"""Who takes part: every method with its name, where it runs, and what it promises."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Method:
    """One line of the tables.

    Attributes
    ----------
    key : str
        Short name for the command line and the results.
    label : str
    environment : str or None
        Environment of the peer; None runs here.
    variant : str
        Which of the peer's methods.
    imports : str
        What to import to use it, for the import time.
    seeks : "plausible", "closest" or "any"
        What it is after: a dense point, the nearest point, or just a valid one.
    trees_only : bool
    """

    key: str
    label: str
    environment: str | None
    variant: str
    imports: str
    seeks: str
    trees_only: bool = False


METHODS = (
    Method("elsewise", "elsewise", None, "plausible", "elsewise", "plausible"),
    Method("elsewise-all", "elsewise, all test rows", None, "plausible", "elsewise", "plausible"),
    Method("elsewise-closest", "elsewise, density=None", None, "closest", "elsewise", "closest"),
    Method("clarabel", "Clarabel, direct", None, "clarabel", "clarabel, scipy.sparse", "plausible"),
    Method("scs", "cvxpy + SCS, as published", None, "scs", "cvxpy", "plausible"),
    Method("ceml", "CEML, plausible", "ceml", "plausible", "ceml.sklearn", "plausible"),
    Method("ceml-closest", "CEML, closest", "ceml", "closest", "ceml.sklearn", "closest"),
    Method("ocean", "OCEAN (CP)", "ocean", "cp", "ocean", "closest", trees_only=True),
    Method("dice-random", "DiCE, random", "dice", "random", "dice_ml", "any"),
    Method("dice-genetic", "DiCE, genetic", "dice", "genetic", "dice_ml", "any"),
    Method("dice-kdtree", "DiCE, kdtree", "dice", "kdtree", "dice_ml", "any"),
    Method("penalised", "loss plus penalty (Definition 1)", None, "penalised", "scipy.optimize", "closest"),
    Method("nearest-row", "nearest training row", None, "nearest-row", "numpy", "any"),
    Method("paths", "density-weighted path (FACE's idea)", None, "paths", "scipy.sparse.csgraph", "plausible"),
)
