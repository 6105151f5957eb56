"""Plain text in aligned columns."""

from __future__ import annotations

from collections.abc import Sequence


def aligned(lines: Sequence[Sequence[str]], *, indent: int = 2, gap: int = 3) -> str:
    """Align cells: the first column to the left, the others to the right.

    Parameters
    ----------
    lines : sequence of sequences of str
        Cells of each line; shorter lines end early.
    indent, gap : int
        Spaces before the first column, and between columns.
    """
    n_columns = max((len(line) for line in lines), default=0)
    widths = [max((len(line[j]) for line in lines if j < len(line)), default=0) for j in range(n_columns)]
    return "\n".join(
        (
            " " * indent
            + (" " * gap).join(
                cell.ljust(width) if j == 0 else cell.rjust(width) for j, (cell, width) in enumerate(zip(line, widths))
            )
        ).rstrip()
        for line in lines
    )
