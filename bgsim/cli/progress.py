"""Progress on stderr: a bar on a terminal, a plain line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

PLAIN_SECONDS = 10.0  # between two plain lines


class Shown(Protocol):
    """Something that is told how a run goes."""

    def start(self, total: int, done: int) -> None: ...

    def advance(self, units: int) -> None: ...


class Silent:
    """Shows nothing."""

    def start(self, total: int, done: int) -> None:
        """Told the units in all and those finished before."""

    def advance(self, units: int) -> None:
        """Told the units of a finished task."""


class PlainLines:
    """A line every ten seconds, for logs."""

    def __init__(self, unit: str) -> None:
        self._unit = unit
        self._total = self._done = self._before = 0
        self._began = self._said = time.monotonic()

    def start(self, total: int, done: int) -> None:
        """Told the units in all and those finished before."""
        self._total, self._done, self._before = total, done, done
        self._began = self._said = time.monotonic()

    def advance(self, units: int) -> None:
        """Told the units of a finished task."""
        self._done += units
        now = time.monotonic()
        if now - self._said < PLAIN_SECONDS or self._done == self._before:
            return
        self._said = now
        rate = (self._done - self._before) / (now - self._began)
        left = (self._total - self._done) / rate
        print(
            f"{self._done:,} of {self._total:,} {self._unit}, {rate:,.0f} a second, {left:.0f} s left",
            file=sys.stderr,
            flush=True,
        )


@contextmanager
def progress(quiet: bool, doing: str = "rolling out", unit: str = "trials") -> Iterator[Shown]:
    """What shows the progress of a run, counted in some unit; nothing when quiet."""
    if quiet:
        yield Silent()
    elif not sys.stderr.isatty():
        yield PlainLines(unit)
    else:
        with bar(doing, unit) as shown:
            yield shown


@contextmanager
def bar(doing: str, unit: str) -> Iterator[Shown]:
    """A bar with units a second and the time left."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
    from rich.table import Column
    from rich.text import Text

    class Count(ProgressColumn):
        def render(self, task: Task) -> Text:
            known = task.total is not None  # not before the workers are ready
            return Text(f"{task.completed:,.0f} of {task.total:,.0f} {unit}" if known else "getting ready")

    class Speed(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(f"{task.finished_speed or task.speed or 0:,.0f} {unit}/s")

    columns = (
        TextColumn(doing),
        BarColumn(bar_width=None, table_column=Column(ratio=1)),  # what the figures leave of the line
        Count(table_column=Column(no_wrap=True)),
        Speed(table_column=Column(no_wrap=True)),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, expand=True) as shown:
        task = shown.add_task(doing, start=False, total=None)

        class Bar:
            def start(self, total: int, done: int) -> None:
                shown.reset(task, total=total, completed=done)  # what an earlier run did is not our speed

            def advance(self, units: int) -> None:
                shown.update(task, advance=units)

        yield Bar()
