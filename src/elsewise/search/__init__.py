"""The search: covers, cells and boxes, cheapest first, until nothing nearer can be left."""

from .boxes.inside import BoxAnswer, BoxRequest, Inside, OpenSearch, Proposal, RelaxedBox, RowCone
from .branch_and_bound.contradiction import FarkasMultipliers, contradicting
from .branch_and_bound.empty_nodes import SecondLook, is_doubtful
from .branch_and_bound.surroundings import Surroundings
from .cell_search import search_cells
from .cones import Cones
from .cover import Cover, Part, Piece, Reach, Refined
from .domains.clauses import Clauses
from .domains.domain import Domain, Layout
from .domains.earlier_answers import EarlierAnswer, History
from .domains.lattice import Lattice
from .domains.least_moves import LeastMoves
from .domains.special_codes import NumberPieces
from .driver import distinct
from .ledger import Ledger
from .problem import Goal, SearchProblem, compile_problem, pack_cones
from .region import Covered, DividingCover, Exactness, Halfspaces, Region
from .relaxations.black_box import BlackBoxCover
from .relaxations.paths.path_search import FoundPath, PathProblem, search_paths
from .relaxations.paths.sets import Ellipsoids, Ground, Terminal
from .request import SearchRequest
from .space import Space
from .tree_search import search_tree

__all__ = [
    "BlackBoxCover",
    "BoxAnswer",
    "BoxRequest",
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
    "FoundPath",
    "Goal",
    "Ground",
    "Halfspaces",
    "History",
    "Inside",
    "Lattice",
    "Layout",
    "LeastMoves",
    "Ledger",
    "NumberPieces",
    "OpenSearch",
    "Part",
    "PathProblem",
    "Piece",
    "Proposal",
    "Reach",
    "Refined",
    "Region",
    "RelaxedBox",
    "RowCone",
    "SearchProblem",
    "SearchRequest",
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
    "search_paths",
    "search_tree",
]
