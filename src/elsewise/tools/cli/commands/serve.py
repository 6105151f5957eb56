"""``elsewise serve``: a page on this computer to explore a saved explainer."""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....errors import InvalidInputError
from ....explainer import Explainer
from ...files.explainers import load
from ...files.settings import SUFFIXES as SETTINGS
from ...files.settings import read_rules, target_from_text
from ...files.tables import read_rows
from ...files.values import errors_about
from ..arguments import ALL_ANSWERED, Commands, exit_codes, file_to_read, image_shape, seconds, whole
from ..sources import add_language, in_words_asked_for

if TYPE_CHECKING:
    from ...app.serving.demos import Demo

# Characters of the shortest token that is taken: fewer are guessed.
SHORTEST_TOKEN = 16


def add_to(commands: Commands) -> None:
    """Add the parser of ``elsewise serve``."""
    command = commands.add_parser(
        "serve",
        help="explore answers in the browser",
        description="Open a page on this computer: choose or type a row and the outcome that you want, lock columns, "
        "say how typical an answer has to be, and see what would have to change. Reading a saved explainer can run any "
        "code: open only files that you trust.",
        epilog=exit_codes(),
    )
    source = command.add_mutually_exclusive_group(required=True)
    source.add_argument("--explainer", type=file_to_read(), metavar="FILE", help="saved by `elsewise fit`")
    source.add_argument("--demo", nargs="+", metavar=("NAME", "PATH"),
                        help="one of breast_cancer, digits, german; german takes the path of its CSV file")  # fmt: skip
    command.add_argument("--data", type=file_to_read(), metavar="FILE", help="rows to choose from (.csv, .parquet)")
    command.add_argument("--rules", type=file_to_read(*SETTINGS), metavar="FILE",
                         help="TOML: rules that every answer keeps, beside those stored in the explainer; the page can "
                         "add others, and undo none of them")  # fmt: skip
    command.add_argument("--image", type=image_shape, metavar="HxW", help="the columns are pixels, line by line: 28x28")
    command.add_argument("--target", metavar="LABEL",
                         help="outcome to ask for first (default: the class predicted least often)")  # fmt: skip
    add_language(command)
    command.add_argument("--title", help="heading of the page (default: name of the explainer's file)")
    command.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1, this computer)")
    command.add_argument("--port", type=whole(0, 65535), default=8321, help="port; 0 for any free one (default: 8321)")
    command.add_argument("--time-limit", type=seconds, default=4.0, metavar="SECONDS",
                         help="longest time for a question (default: 4)")  # fmt: skip
    command.add_argument("--token", type=_token, metavar="TEXT",
                         help="what programs (Authorization: Bearer TEXT) and browsers (/?token=TEXT, once) have to "
                         "show; needed for a --host other than this computer")  # fmt: skip
    command.add_argument("--no-browser", action="store_true", help="do not open the page")
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from ...app import create_app
    from ...app.rules import joined_with
    from ...app.serving import server

    hosts = server.hosts_of(arguments.host)
    if arguments.token is None and not server.is_this_computer(arguments.host):
        raise InvalidInputError(
            f"--host {arguments.host} is reached from other computers: give a --token that askers have to show, "
            "or stay on 127.0.0.1."
        )
    chosen = _chosen(arguments)
    explainer = in_words_asked_for(chosen.explainer, arguments)
    if arguments.rules is not None:
        with errors_about(arguments.rules):
            rules = joined_with(explainer.constraints, read_rules(arguments.rules), explainer.table_)
            explainer = explainer.with_constraints(rules)
    app = create_app(
        explainer,
        chosen.rows,
        rows_name="rows" if arguments.data is None else str(arguments.data),
        title=arguments.title or chosen.title,
        image_shape=arguments.image or chosen.image_shape,
        time_limit=arguments.time_limit,
        hosts=hosts,
        token=arguments.token,
        target=chosen.target if arguments.target is None else _target(arguments.target, explainer),
    )
    sock = server.listen(arguments.host, arguments.port)
    server.run(app, sock, arguments.host, browser=not arguments.no_browser, token=arguments.token)
    return ALL_ANSWERED


def _target(text: str, explainer: Explainer) -> Any:
    """Return the label that a text names."""
    if explainer.classes_ is None:
        raise InvalidInputError("--target: the model predicts numbers; the range is chosen on the page.")
    return target_from_text(text, explainer.classes_.tolist())


def _token(text: str) -> str:
    """Take a token that is long enough and fits a header and a cookie as it is."""
    if len(text) < SHORTEST_TOKEN or not re.fullmatch(r"[A-Za-z0-9._~-]+", text):
        raise argparse.ArgumentTypeError(
            f"expected at least {SHORTEST_TOKEN} letters, digits or ._~-, received {len(text)} characters; "
            "python -c 'import secrets; print(secrets.token_urlsafe())' makes one"
        )
    return text


def _chosen(arguments: argparse.Namespace) -> Demo:
    """Make the demo, or load the explainer and rows to pick from."""
    from ...app.serving import demos

    if arguments.demo is not None:
        name, *paths = arguments.demo
        if name not in demos.NAMES or len(paths) > 1 or (paths and name != "german"):
            raise InvalidInputError(f"--demo: expected one of {', '.join(demos.NAMES)}, and a path after german only.")
        if arguments.data is not None:
            raise InvalidInputError("--data goes with --explainer: a demo brings its own rows.")
        return demos.load(name, Path(paths[0]) if paths else None)
    explainer = load(arguments.explainer)
    rows = None if arguments.data is None else read_rows(arguments.data, explainer.table_).columns
    return demos.Demo(arguments.explainer.stem, explainer, rows)
