"""Load on the explorer's interface over loopback: requests at a steady rate, each a question of its own.

    python -m benchmarks.load_test [--rate 200] [--seconds 20]

The server is a process of its own, ``elsewise serve --demo breast_cancer``; requests leave on a fixed schedule whether
or not earlier ones have come back, and a request's latency counts from when it was due. Rows, targets, quantiles and
locked columns vary. The server keeps no answers, but what it compiles once for each class and quantile: so all
questions are asked once before the clock starts. The run ends by itself after the given time, and fails if a request
got lost, an answer is not 200, the 99th percentile is above 100 ms, or the server's memory has grown.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

_START, _DRAIN = 60.0, 15.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=float, default=200.0, help="requests a second")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--connections", type=int, default=32)
    parser.add_argument("--locked", type=float, default=0.0, help="share of requests that lock a column")
    parser.add_argument("--p99", type=float, default=100.0, help="milliseconds allowed")
    arguments = parser.parse_args()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = ["serve", "--demo", "breast_cancer", "--no-browser", "--port", str(port)]
    server = subprocess.Popen([sys.executable, "-m", "elsewise", *command], env=environment, stderr=subprocess.DEVNULL)
    try:
        wait_for(port)
        result = asyncio.run(_load(port, server.pid, arguments))
    finally:
        server.terminate()
        server.wait(timeout=10)
    print(json.dumps(result, indent=2))
    lost = result["sent"] - result["statuses"].get("200", 0)
    grown = result["memory_end_mib"] - result["memory_middle_mib"]
    return 1 if lost or result["p99_ms"] > arguments.p99 or grown > 8 else 0


def wait_for(port: int) -> None:
    """Wait until something listens on a port of loopback."""
    ends = time.monotonic() + _START
    while time.monotonic() < ends:
        try:
            socket.create_connection(("127.0.0.1", port), 0.5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit("The server did not start.")


async def _load(port: int, pid: int, arguments: argparse.Namespace) -> dict[str, object]:
    connections: asyncio.Queue[_Connection] = asyncio.Queue()
    for _ in range(arguments.connections):
        connections.put_nowait(_Connection(port))
    first = await connections.get()
    about = json.loads((await first.send("GET", "/api/about"))[1])
    rows = json.loads((await first.send("GET", "/api/rows?limit=500"))[1])["rows"]
    connections.put_nowait(first)
    names = [column["name"] for column in about["columns"]]
    rng = random.Random(0)
    bodies = [_question(rng, rows, about["classes"], names, arguments.locked) for _ in range(500)]
    for body in bodies:  # each quantile of each class is compiled when it is first asked for
        connection = await connections.get()
        await connection.send("POST", "/api/explain", body)
        connections.put_nowait(connection)
    n = int(arguments.rate * arguments.seconds)
    latencies: list[float] = []
    statuses: Counter[str] = Counter()
    memory: list[float] = []

    async def one(due: float, place: int) -> None:
        connection = await connections.get()
        try:
            status, _ = await connection.send("POST", "/api/explain", bodies[place % len(bodies)])
            statuses[str(status)] += 1
            latencies.append(time.perf_counter() - due)
        except (OSError, asyncio.IncompleteReadError, ValueError) as error:
            statuses[type(error).__name__] += 1
            connection.drop()
        finally:
            connections.put_nowait(connection)

    started, tasks, used = time.perf_counter(), [], _processor(pid)
    for place in range(n):
        due = started + place / arguments.rate
        wait = due - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        tasks.append(asyncio.create_task(one(due, place)))
        if place % max(n // 20, 1) == 0:
            memory.append(_memory(pid))
    _, pending = await asyncio.wait(tasks, timeout=_DRAIN)
    for task in pending:
        task.cancel()
    seconds = time.perf_counter() - started
    ordered = sorted(latencies)
    return {
        "sent": n,
        "statuses": dict(statuses),
        "requests_a_second": round(len(latencies) / seconds, 1),
        **{
            f"p{100 * share:g}_ms": round(1e3 * ordered[min(int(share * len(ordered)), len(ordered) - 1)], 2)
            for share in (0.5, 0.9, 0.99, 0.999)
        },
        "max_ms": round(1e3 * ordered[-1], 2),
        "server_cpu_ms_a_request": round(1e3 * (_processor(pid) - used) / n, 2),
        "memory_start_mib": memory[0],
        "memory_middle_mib": memory[len(memory) // 2],
        "memory_end_mib": _memory(pid),
    }


def _question(
    rng: random.Random, rows: list[dict[str, object]], classes: list[object], names: list[str], locked: float
) -> bytes:
    known = rng.choice(rows)
    target = rng.choice([label for label in classes if label != known["prediction"]])
    body = {"row": known["row"], "target": target, "quantile": round(rng.uniform(0.05, 0.95), 2)}
    if rng.random() < locked:
        body["rules"] = {"locked": [rng.choice(names)]}
    return json.dumps(body).encode()


class _Connection:
    """One kept-alive connection; small and without a library, for the client shares the cores with the server."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    def drop(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
        self.streams = None

    async def send(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        writer.write(f"{head}\r\n".encode() + body)
        answer = await reader.readuntil(b"\r\n\r\n")
        lines = answer.decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        return int(lines[0].split()[1]), await reader.readexactly(int(headers["content-length"]))


def _processor(pid: int) -> float:
    """Processor time of a process in seconds; 0 where the system does not tell."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> float:
    """Resident memory of a process in MiB; 0 where the system does not tell."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


if __name__ == "__main__":
    sys.exit(main())
