"""The search: covers, cells and boxes, cheapest first, until nothing nearer can be left."""

from .black_box import BlackBoxCover
from .cell_search import search_cells
from .chain_search import FoundChain, search_chains
from .chain_sets import Ellipsoids, Ground, Terminal
from .clauses import Clauses
from .cones import Cones
from .contradiction import FarkasMultipliers, contradicting
from .cover import Cover, Part, Piece, Reach, Refined
from .domain import Domain, Layout
from .driver import distinct
from .earlier_answers import EarlierAnswer
from .found import Found
from .inside import BoxAnswer, Inside, RelaxedBox, RowCone
from .lattice import Lattice
from .least_moves import LeastMoves
from .pieces import NumberPieces
from .problem import Goal, SearchProblem, compile_problem, pack_cones
from .region import Covered, DividingCover, Exactness, Halfspaces, Region
from .second_look import SecondLook, is_doubtful
from .space import Space
from .surroundings import Surroundings
from .tree_search import search_tree

__all__ = [
    "BlackBoxCover",
    "BoxAnswer",
    "Clauses",
    "Cones",
    "Cover",
    "Covered",
    "DividingCover",
    "Domain",
    "EarlierAnswer",
    "Ellipsoids",
    "Exactness",
    "FarkasMultipliers",
    "Found",
    "FoundChain",
    "Goal",
    "Ground",
    "Halfspaces",
    "Inside",
    "Lattice",
    "Layout",
    "LeastMoves",
    "NumberPieces",
    "Part",
    "Piece",
    "Reach",
    "Refined",
    "Region",
    "RelaxedBox",
    "RowCone",
    "SearchProblem",
    "SecondLook",
    "Space",
    "Surroundings",
    "Terminal",
    "compile_problem",
    "contradicting",
    "distinct",
    "is_doubtful",
    "pack_cones",
    "search_cells",
    "search_chains",
    "search_tree",
]
