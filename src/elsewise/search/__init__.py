"""The search: covers, cells and boxes, cheapest first, until nothing nearer can be left."""

from .cell_search import search_cells
from .cones import Cones
from .contradiction import FarkasMultipliers, contradicting
from .domain import Domain, Layout
from .driver import distinct
from .earlier_answers import EarlierAnswer
from .found import Found
from .problem import Goal, SearchProblem, compile_problem
from .region import BoxAnswer, Cover, DividingCover, Halfspaces, Inside, Reach, Region, RelaxedBox, RowCone
from .space import Space
from .tree_search import search_tree

__all__ = [
    "BoxAnswer",
    "Cones",
    "Cover",
    "DividingCover",
    "Domain",
    "EarlierAnswer",
    "FarkasMultipliers",
    "Found",
    "Goal",
    "Halfspaces",
    "Inside",
    "Layout",
    "Reach",
    "Region",
    "RelaxedBox",
    "RowCone",
    "SearchProblem",
    "Space",
    "compile_problem",
    "contradicting",
    "distinct",
    "search_cells",
    "search_tree",
]
