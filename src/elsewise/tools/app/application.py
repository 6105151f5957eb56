"""The application: the page, its JSON interface, and the description of it."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from html import escape
from pathlib import Path
from typing import Annotated, Any

from ...errors import ElsewiseError, MissingDependencyError
from ...explainer import Explainer
from ...text.languages import language, say, speaking
from ...text.numbers import number

try:
    from fastapi import FastAPI, Query, Request
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import FileResponse, Response
    from starlette.exceptions import HTTPException
    from starlette.staticfiles import StaticFiles
except ImportError as error:
    raise MissingDependencyError(
        "The explorer needs FastAPI and uvicorn. Install them with: pip install 'elsewise[serve]'"
    ) from error

from ... import __version__
from ..files.answers import shown_fields
from . import downloads, schemas
from .constants import BODY_SECONDS, LOCAL_HOSTS, MOST_BYTES, MOST_WAITING, N_THREADS
from .service import ExplorerService
from .serving.guard import Guard
from .serving.workers import Overloaded, Overtime, Workers

# Seconds after which a question is ended: longer than anyone waits for a page.
TIME_LIMIT = 4.0
# Share of these seconds that is for the proof, so that an answer that is found but not proven is still given in time.
PROOF_SHARE = 0.5
# How many times as long a frontier, and the search for rules that stand in the way, may take: they ask several times.
SEVERAL_QUESTIONS = 2.0
# Characters of a message to a client: what it names was sent by the client and may be of any length.
LONGEST_MESSAGE = 2000
_STATIC = Path(__file__).parent / "static"
# The place of a text in a page: {{its key in the catalogue}}.
_TEXT = re.compile(r"\{\{([^}]+)\}\}")

_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": schemas.ProblemBody, "description": "The body is no JSON."},
    403: {"model": schemas.ProblemBody, "description": "The request comes from the page of another site."},
    408: {"model": schemas.ProblemBody, "description": "The body did not come to an end in time."},
    413: {"model": schemas.ProblemBody, "description": "The body is too large."},
    421: {"model": schemas.ProblemBody, "description": "The server does not answer to this name."},
    422: {"model": schemas.ProblemBody, "description": "The question makes no sense: the message says what and why."},
    503: {"model": schemas.ProblemBody, "description": "Too many questions are waiting; ask again."},
}


def create_app(
    explainer: Explainer,
    rows: Any = None,
    *,
    rows_name: str = "rows",
    time_limit: float = TIME_LIMIT,
    title: str = "elsewise",
    image_shape: tuple[int, int] | None = None,
    hosts: frozenset[str] | None = LOCAL_HOSTS,
    token: str | None = None,
    most_bytes: int = MOST_BYTES,
    body_time: float = BODY_SECONDS,
    target: Any = None,
    n_threads: int = N_THREADS,
    most_waiting: int = MOST_WAITING,
) -> FastAPI:
    """Make the web application that explores one explainer.

    Parameters
    ----------
    explainer : Explainer
        Fitted.
    rows : data frame or array of shape (n_rows, n_columns), optional
        Rows to pick from; without any, people type theirs.
    rows_name : str
        What errors call them.
    time_limit : float, default=4.0
        Seconds after which a question is ended. Half of it is for proofs, so that an answer that is found but not
        proven optimal in time is still given, with its gap.
    title : str
        What the page is about.
    image_shape : (height, width), optional
        The columns are the pixels of an image, line by line.
    hosts : set of str or None
        Names this server may be called by, without a port; None for any.
    token : str, optional
        What programs and browsers must show to ask anything.
    most_bytes : int
        Largest request.
    body_time : float
        Seconds for a request to come in full.
    target : label, optional
        What the page asks for first; by default the class that is predicted most rarely.
    n_threads, most_waiting : int
        Questions answered at a time, and those that may wait before more are refused.

    Returns
    -------
    FastAPI application
        ``/`` is the page, ``/api/reference`` the description of the JSON interface, ``/api/openapi.json`` the same
        for machines.
    """
    service = ExplorerService(
        explainer,
        rows,
        rows_name=rows_name,
        title=title,
        image_shape=image_shape,
        time_limit=time_limit * PROOF_SHARE,
        target=target,
    )
    workers = Workers(n_threads, most_waiting)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        workers.close()

    app = FastAPI(
        title=f"elsewise: {title}" if title != "elsewise" else title,
        version=__version__,
        description="Nearest plausible counterfactuals of one fitted model. All requests and answers are JSON; every "
        "request ends within a bounded time.",
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
    )
    asking = page_text("token.html", service)
    app.add_middleware(Guard, hosts=hosts, most_bytes=most_bytes, seconds=body_time, token=token, asking=asking)
    app.exception_handler(RequestValidationError)(_malformed)
    app.exception_handler(ElsewiseError)(_senseless)
    app.exception_handler(HTTPException)(_plain_error)
    app.exception_handler(Overloaded)(_overloaded)
    app.exception_handler(Exception)(_unexpected)

    _add_table(app, service)
    _add_answers(app, service, workers, time_limit)
    _add_downloads(app, service, workers, time_limit)
    _add_pages(app, service)
    return app


def _add_table(app: FastAPI, service: ExplorerService) -> None:
    """Add what tells of the table: its columns, rows and distributions."""
    about = _json(service.about())

    @app.get("/api/about", response_model=schemas.AboutBody, responses={421: _REFUSALS[421]}, tags=["table"])
    async def get_about() -> Response:
        """Describe what can be asked: columns with kinds, levels and ranges, classes, whether columns are pixels."""
        return Response(about, media_type="application/json")

    @app.get("/api/rows", response_model=schemas.RowsBody, responses=_some(421, 422), tags=["table"])
    async def get_rows(asked: Annotated[schemas.RowsQuery, Query()]) -> Response:
        """List rows to pick from, with what the model predicts for them."""
        return Response(_json(service.known_rows(asked)), media_type="application/json")

    @app.get("/api/profiles", response_model=schemas.ProfilesBody, responses=_some(421, 422), tags=["table"])
    async def get_profiles(
        target: Annotated[
            int | None, Query(ge=0, le=10**6, description="Position of a class; none for all rows.")
        ] = None,
    ) -> Response:
        """Return the distributions of all columns among the training rows of a class."""
        return Response(_json(service.profiles(target)), media_type="application/json")


def _add_answers(app: FastAPI, service: ExplorerService, workers: Workers, time_limit: float) -> None:
    """Add the questions; those that ask the engine several times have more time."""
    longer = SEVERAL_QUESTIONS * time_limit

    async def answered(call: Callable[[], bytes], late: dict[str, Any], seconds: float = time_limit) -> Response:
        try:
            return Response(await workers.run(call, seconds), media_type="application/json")
        except Overtime:
            return Response(_json(late), media_type="application/json")

    @app.post("/api/explain", response_model=schemas.AnswerBody, responses=_REFUSALS, tags=["answers"])
    async def explain(question: schemas.QuestionBody) -> Response:
        """Find the nearest plausible row for which the model decides as wanted."""
        return await answered(lambda: _json(service.explain(question)), _late_answer(service, question, time_limit))

    @app.post("/api/answers", response_model=schemas.AnswersBody, responses=_REFUSALS, tags=["answers"])
    async def answers(question: schemas.SeveralQuestionBody) -> Response:
        """Find several answers, best first: each changes a set of columns that contains no earlier one."""
        late = {"answers": [_late_answer(service, question, longer)]}
        return await answered(lambda: _json(service.answers(question)), late, longer)

    @app.post("/api/frontier", response_model=schemas.FrontierAnswerBody, responses=_REFUSALS, tags=["answers"])
    async def frontier(question: schemas.FrontierQuestionBody) -> Response:
        """Find the nearest answers at several quantiles: how far one has to go for how plausible an answer."""
        late = [
            {"quantile": quantile, "status": "timeout", "distance": None, "n_changes": None}
            for quantile in sorted(set(question.quantiles))
        ]
        return await answered(lambda: _json(service.frontier(question)), {"points": late}, longer)

    @app.post("/api/plan", response_model=schemas.PlanBody, responses=_REFUSALS, tags=["answers"])
    async def plan(question: schemas.QuestionBody) -> Response:
        """Find the order in which to make the changes of the answer: the one whose sparsest stage is densest."""
        sentence = _late(service, "order", longer)
        late: dict[str, Any] = {"status": "timeout", "sentence": sentence, "remark": "", "turn": None, "steps": []}
        return await answered(lambda: _json(service.plan(question)), late, longer)

    @app.post("/api/path", response_model=schemas.PathBody, responses=_REFUSALS, tags=["answers"])
    async def path(question: schemas.QuestionBody) -> Response:
        """Find the shortest way to an answer that stays in dense data all along; for tables of numbers."""
        late: dict[str, Any] = {
            "status": "timeout",
            "sentence": _late(service, "way", longer),
            "length": None,
        }
        late |= {
            "level": None,
            "enters": False,
            "steps": [],
            "positions": [],
            "shares": [],
            "probabilities": None,
            "rows": [],
        }
        return await answered(lambda: _json(service.path(question)), late, longer)

    @app.post("/api/levers", response_model=schemas.LeversBody, responses=_REFUSALS, tags=["answers"])
    async def levers(question: schemas.QuestionBody) -> Response:
        """Find which sets of at most two columns are enough by themselves."""
        late = {"sentence": _late(service, "levers", longer), "levers": [], "n_not_enough": 0, "n_unknown": 0}
        return await answered(lambda: _json(service.levers(question)), late, longer)

    @app.post("/api/ladder", response_model=schemas.LadderBody, responses=_REFUSALS, tags=["answers"])
    async def ladder(question: schemas.LadderQuestionBody) -> Response:
        """Find what each better band of outcomes takes."""
        late: dict[str, Any] = {"sentence": _late(service, "bands", longer), "current": None, "steps": []}
        return await answered(lambda: _json(service.ladder(question)), late, longer)

    @app.post("/api/map", response_model=schemas.MapBody, responses=_REFUSALS, tags=["answers"])
    async def map_of_two_columns(question: schemas.MapQuestionBody) -> Response:
        """Draw the plane of two columns: where the model decides as wanted, and which rows are realistic."""
        late: dict[str, Any] = {"columns": [], "across": [], "up": [], "lines": [], "now": [], "then": []}
        return await answered(lambda: _json(service.map(question)), late | {"n_other_changes": 0}, longer)

    @app.post("/api/why-not", response_model=schemas.WhyNotBody, responses=_REFUSALS, tags=["answers"])
    async def why_not(question: schemas.QuestionBody) -> Response:
        """Find out why there is no answer: which rules contradict each other, and what would help."""
        late: dict[str, Any] = {
            "reason": "timeout",
            "sentence": _late(service, "reason", longer),
            "conflict": [],
            "highest_quantile": None,
            "reliefs": [],
        }
        return await answered(lambda: _json(service.why_not(question)), late, longer)


def _add_downloads(app: FastAPI, service: ExplorerService, workers: Workers, time_limit: float) -> None:
    """Add answers as files."""
    csv_answer: dict[int | str, dict[str, Any]] = {
        200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "A line a column."}
    }

    async def downloaded(call: Callable[[], bytes], kind: str, name: str, late: bytes | None = None) -> Response:
        seconds = time_limit if late is not None else SEVERAL_QUESTIONS * time_limit  # a report asks more than once
        try:
            content = await workers.run(call, seconds)
        except Overtime:
            if late is None:
                raise Overloaded from None
            content = late
        return Response(content, media_type=kind, headers={"content-disposition": f'attachment; filename="{name}"'})

    @app.post("/api/answer.csv", response_class=Response, responses={**_REFUSALS, **csv_answer}, tags=["to take away"])
    async def answer_csv(question: schemas.ChosenQuestionBody) -> Response:
        """Answer as CSV: a line a column, before and after."""
        late = downloads.csv_of_answer(_late_answer(service, question, time_limit), question.row)
        call = partial(downloads.csv_of_question, service, question)
        return await downloaded(call, "text/csv; charset=utf-8", "answer.csv", late)

    gz_answer: dict[int | str, dict[str, Any]] = {
        200: {
            "content": {"application/gzip": {"schema": {"type": "string", "format": "binary"}}},
            "description": "A certificate, which the separate program has checked.",
        }
    }

    @app.post("/api/proof", response_class=Response, responses={**_REFUSALS, **gz_answer}, tags=["to take away"])
    async def proof(question: schemas.ChosenQuestionBody) -> Response:
        """Proof of the answer, for ``python -m elsewise_check``."""
        call = partial(downloads.proof_of_question, service, question)
        return await downloaded(call, "application/gzip", "proof.jsonl.gz")

    if downloads.has_report():
        html_answer: dict[int | str, dict[str, Any]] = {
            200: {"content": {"text/html": {"schema": {"type": "string"}}}, "description": "One self-contained page."}
        }

        @app.post("/api/report", response_class=Response, responses={**_REFUSALS, **html_answer}, tags=["to take away"])
        async def report(question: schemas.ChosenQuestionBody) -> Response:
            """Answer as a report: one HTML file that opens anywhere."""
            return await downloaded(
                partial(downloads.report_of_question, service, question), "text/html; charset=utf-8", "report.html"
            )


def page_text(name: str, service: ExplorerService) -> bytes:
    """Return a page with its texts in the language of the explainer."""
    with speaking(service.wording):
        text = (_STATIC / name).read_text(encoding="utf-8").replace("{{language}}", language())
        return _TEXT.sub(lambda found: escape(say(found[1])), text).encode()


def _add_pages(app: FastAPI, service: ExplorerService) -> None:
    """Add the page, the description of the interface, and what they are made of."""
    explorer = page_text("index.html", service)

    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return Response(explorer, media_type="text/html; charset=utf-8")

    @app.get("/api/reference", include_in_schema=False)
    async def reference() -> Response:
        return FileResponse(_STATIC / "reference.html")

    app.mount("/static", StaticFiles(directory=_STATIC), name="static")


def _some(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: _REFUSALS[status] for status in statuses}


def _json(content: Any) -> bytes:
    # ASCII: half of a surrogate pair, which JSON can hold, has no UTF-8.
    return json.dumps(content, ensure_ascii=True, allow_nan=False, separators=(",", ":")).encode("ascii")


def _problem(status: int, detail: str, headers: dict[str, str] | None = None) -> Response:
    return Response(_json({"detail": detail}), status_code=status, media_type="application/json", headers=headers)


def _malformed(_: Request, error: Exception) -> Response:
    """Describe what does not fit, without echoing it: what was sent may be huge, or no JSON at all."""
    assert isinstance(error, RequestValidationError)
    said = []
    for item in error.errors()[:3]:
        where = ".".join(str(part)[:80] for part in item["loc"] if part != "body")
        said.append(f"{where}: {item['msg']}" if where else str(item["msg"]))
    return _problem(422, "; ".join(said)[:LONGEST_MESSAGE])


def _senseless(_: Request, error: Exception) -> Response:
    return _problem(422, str(error)[:LONGEST_MESSAGE])


def _plain_error(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _problem(
        error.status_code, str(error.detail)[:LONGEST_MESSAGE], dict(error.headers) if error.headers else None
    )


def _overloaded(_: Request, error: Exception) -> Response:
    return _problem(503, str(error), {"retry-after": "1"})


def _unexpected(_: Request, error: Exception) -> Response:
    return _problem(500, "Something went wrong here; the server's log says what.")


def _late(service: ExplorerService, what: str, seconds: float) -> str:
    with speaking(service.wording):
        return say(f"app.late {what}", seconds=number(seconds))


def _late_answer(service: ExplorerService, question: schemas.QuestionBody, seconds: float) -> dict[str, Any]:
    wanted = question.target
    reason = _late(service, "answer", seconds)
    return {
        **dict.fromkeys(shown_fields()),
        "status": "timeout",
        "target": [wanted.low, wanted.high] if isinstance(wanted, schemas.IntervalBody) else wanted,
        "sentence": reason,
        "reason": reason,
        "model_free": False,
        "probability_before": None,
        "probability_after": None,
        "changes": [],
        "counterfactual": None,
        "positions": {},
    }
