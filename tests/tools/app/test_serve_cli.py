"""``elsewise serve`` as a command."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.request

import pytest

import elsewise as ew
from elsewise.tools.cli import main

pytest.importorskip("fastapi", reason="the explorer needs the extra elsewise[serve]")
pytest.importorskip("uvicorn")

from elsewise.tools.app.serving.server import address, hosts_of, listen
from tools.app.running import small_explainer, small_table


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("serve")
    frame, labels = small_table()
    small_explainer(frame, labels).save(folder / "small.ew")
    frame.to_csv(folder / "rows.csv", index=False)
    frame.head(3).astype({"income": object}).assign(income=[1, "much", 2]).to_csv(folder / "odd.csv", index=False)
    return folder


def test_it_serves_a_saved_explainer_until_interrupted(files):
    command = [sys.executable, "-m", "elsewise", "serve", "--explainer", "small.ew", "--data", "rows.csv"]
    before = sorted(files.iterdir())
    server = subprocess.Popen(
        [*command, "--port", "0", "--no-browser"],
        cwd=files, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"},
        # tests in the background of a shell ignore Ctrl-C, and would hand that on
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        assert server.stderr is not None
        said = server.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/", said)
        assert found, said
        with urllib.request.urlopen(found.group() + "api/about", timeout=20) as answer:
            about = answer.read().decode()
        assert '"n_rows":160' in about
        assert '"title":"small"' in about
        with urllib.request.urlopen(found.group(), timeout=20) as answer:
            assert b"<!doctype html>" in answer.read()
    finally:
        server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=20)
    assert server.returncode == 130
    assert "Traceback" not in said
    assert sorted(files.iterdir()) == before  # nothing is written


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--demo", "nothing"], "breast_cancer"),
        (["--demo", "digits", "path"], "german only"),
        (["--demo", "german"], "path"),
        (["--demo", "digits", "--data", "rows.csv"], "brings its own rows"),
        (["--explainer", "rows.csv"], "rows.csv"),
        (["--explainer", "small.ew", "--image", "5x5"], "pixels"),
        (
            ["--explainer", "small.ew", "--data", "odd.csv"],
            "odd.csv: expected numbers in column 'income', received 'much' in row 1",
        ),
    ],
)
def test_wrong_combinations_are_told(files, monkeypatch, capsys, arguments, said):
    monkeypatch.chdir(files)
    assert main(["serve", *arguments, "--no-browser", "--port", "0"]) == 1
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [[], ["--explainer", "no.ew"], ["--demo", "digits", "--port", "70000"],
                                       ["--demo", "digits", "--image", "8"]])  # fmt: skip
def test_wrong_usage_is_told(arguments, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["serve", *arguments])
    assert "elsewise serve" in capsys.readouterr().err


def test_a_port_that_is_taken_is_told():
    with listen("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ew.ElsewiseError, match=rf"127\.0\.0\.1:{port}.*--port"):
            listen("127.0.0.1", port)
        assert address(taken, "127.0.0.1") == f"http://127.0.0.1:{port}/"


def test_a_server_on_localhost_answers_to_local_names_only():
    assert hosts_of("127.0.0.1") == {"127.0.0.1", "localhost", "::1"}
    assert hosts_of("explorer.example") == {"explorer.example"}
    assert hosts_of("0.0.0.0") is None


def test_without_the_extra_the_message_names_it():
    code = (
        "import sys; sys.modules['fastapi'] = None; from elsewise.tools.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "serve", "--demo", "digits", "--no-browser"],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "elsewise[serve]" in done.stderr


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "elsewhere.example"])
def test_other_computers_are_let_in_with_a_token_only(files, monkeypatch, capsys, host):
    monkeypatch.chdir(files)
    assert main(["serve", "--explainer", "small.ew", "--host", host]) == 1
    assert "give a --token" in capsys.readouterr().err


@pytest.mark.parametrize("token", ["short", "with spaces in it, many", "semicolon;semicolon;"])
def test_a_token_that_is_short_or_odd_is_refused(files, monkeypatch, capsys, token):
    monkeypatch.chdir(files)
    with pytest.raises(SystemExit):
        main(["serve", "--explainer", "small.ew", "--token", token])
    assert "expected at least 16 letters" in capsys.readouterr().err


def test_rules_of_a_file_are_joined_with_those_stored(files, monkeypatch, capsys):
    from elsewise.tools.app.serving import server

    frame, labels = small_table()
    small_explainer(frame, labels).with_constraints(ew.Constraints(max_changes=2, immutable=["housing"])).save(
        files / "ruled.ew"
    )
    (files / "rules.toml").write_text("max_changes = 1\n[bounds]\nincome = [0, 90]\n")
    (files / "odd.toml").write_text('immutable = ["incom"]\n')
    served = []
    monkeypatch.setattr(server, "listen", lambda host, port: None)
    monkeypatch.setattr(server, "run", lambda app, *rest, **options: served.append(app))
    serve = ["serve", "--explainer", str(files / "ruled.ew"), "--port", "0", "--no-browser", "--rules"]
    assert main([*serve, str(files / "rules.toml")]) == 0
    route = next(route for route in served[0].routes if route.path == "/api/about")
    body = json.loads(asyncio.run(route.endpoint()).body)
    assert body["rules"] == ["housing stays as it is", "income between 0 and 90", "at most 1 column changes"]
    assert main([*serve, str(files / "odd.toml")]) != 0
    assert "odd.toml: immutable: there is no column 'incom'" in capsys.readouterr().err
