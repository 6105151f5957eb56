"""Questions to one explainer as tools of the Model Context Protocol.

Requests are those of the HTTP service (:mod:`elsewise.tools.app.schemas`), checked in full before anything is computed;
every tool only reads, and ends in bounded time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from ... import __version__
from ...arrays import JsonObject, UserData
from ...errors import ElsewiseError, MissingDependencyError
from ...explainer import Explainer
from ..app.application import PROOF_SHARE, SEVERAL_QUESTIONS, TIME_LIMIT
from ..app.constants import MOST_WAITING, N_THREADS
from ..app.schemas import QuestionBody, RowsQuery, Value
from ..app.service import ExplorerService
from ..app.serving.workers import Overloaded, Overtime, Workers
from .questions import levers, reasons, verified

if TYPE_CHECKING:
    from mcp.server import MCPServer

INSTRUCTIONS = (
    "Ask about one fitted model. Call `about` first: it names the columns, their levels and ranges, and the classes. "
    "Every other tool takes a question: a row with a value for every column, the target, and rules the answer keeps. "
    "A status 'optimal' is proven; 'feasible' is valid with a stated gap; 'infeasible' is proven to have no answer."
)


def create_server(
    explainer: Explainer, rows: UserData = None, *, title: str = "elsewise", time_limit: float = TIME_LIMIT
) -> MCPServer[Any]:
    """Make a server whose tools ask one explainer.

    Parameters
    ----------
    explainer : Explainer
        Fitted.
    rows : data frame or array of shape (n_rows, n_columns), optional
        Rows to pick from: the tool ``known_rows`` lists them.
    title : str
        What the model is about.
    time_limit : float, default=4.0
        Seconds after which a question is ended; half of it is for proofs.

    Returns
    -------
    mcp.server.MCPServer
        ``server.run()`` speaks over standard input and output.
    """
    try:
        from mcp.server import MCPServer
        from mcp.server.mcpserver.exceptions import ToolError
        from mcp_types import ToolAnnotations
    except ImportError as error:
        raise MissingDependencyError(
            "The MCP server needs the SDK of the Model Context Protocol. Install it with: pip install 'elsewise[mcp]'"
        ) from error

    service = ExplorerService(explainer, rows, title=title, time_limit=time_limit * PROOF_SHARE)
    workers = Workers(N_THREADS, MOST_WAITING)
    server: MCPServer[Any] = MCPServer("elsewise", title=title, version=__version__, instructions=INSTRUCTIONS)

    async def answered(call: Callable[[], JsonObject], seconds: float) -> JsonObject:
        try:
            found: JsonObject = await workers.run(call, seconds)
        except Overtime:
            raise ToolError(
                f"No answer was found within {seconds:g} seconds, nor a proof that there is none."
            ) from None
        except (ElsewiseError, Overloaded) as error:
            raise ToolError(str(error)) from error
        return found

    for ask in _tools(service, answered, time_limit):
        server.add_tool(ask, annotations=ToolAnnotations(read_only_hint=True, open_world_hint=False))
    return server


Answered = Callable[[Callable[[], JsonObject], float], Awaitable[JsonObject]]


def _tools(service: ExplorerService, answered: Answered, time_limit: float) -> list[Callable[..., Any]]:
    """Return the tools; those that ask the engine several times have more time."""
    longer = SEVERAL_QUESTIONS * time_limit

    async def about() -> JsonObject:
        """Say what can be asked: columns with kinds, levels and ranges, classes, and the rules that always hold."""
        return service.about()

    async def known_rows(asked: RowsQuery) -> JsonObject:
        """List rows to pick from, with what the model predicts for them."""
        return await answered(lambda: service.known_rows(asked), time_limit)

    async def explain(question: QuestionBody) -> JsonObject:
        """Find the nearest plausible row for which the model decides as wanted, with its proof."""
        return await answered(lambda: service.explain(question), time_limit)

    async def why_not(question: QuestionBody) -> JsonObject:
        """Find out why there is no answer: which rules contradict each other, and what would help."""
        return await answered(lambda: service.why_not(question), longer)

    async def find_levers(question: QuestionBody, max_size: int = 2) -> JsonObject:
        """Find every set of at most max_size columns whose change alone is enough; of the others, what is proven."""
        return await answered(lambda: levers(service, question, min(max(max_size, 1), 3)), longer)

    async def principal_reasons(question: QuestionBody, at_most: int = 4) -> JsonObject:
        """Find the fewest columns one of which every counterfactual changes: the reasons of the decision."""
        return await answered(lambda: reasons(service, question, min(max(at_most, 1), 10)), longer)

    async def verify(question: QuestionBody, counterfactual: dict[str, Value]) -> JsonObject:
        """Judge a row that somebody proposes: the model's prediction, whether it is typical enough, rules it breaks."""
        return await answered(lambda: verified(service, question, counterfactual), time_limit)

    for tool, name in ((find_levers, "levers"), (principal_reasons, "reasons")):
        tool.__name__ = name
    return [about, known_rows, explain, why_not, find_levers, principal_reasons, verify]
