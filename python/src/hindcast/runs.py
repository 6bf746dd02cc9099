"""Runs: carried out at once (`run`), or as values that are advanced, saved and forked (`Run`)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from . import _native
from .components import Component
from .configs import Source, configure
from .results import Result

if TYPE_CHECKING:
    from ._native import Plan, View


def run(
    source: Source,
    /,
    *,
    output: str | os.PathLike[str] | None = None,
    components: Iterable[type[Component]] = (),
    explain: Iterable[int] = (),
    **overrides: Any,
) -> Result:
    """Carry a configuration out, to the end.

    `source` is a dict, or the path of a run file. Further arguments are keys of the configuration that win
    over it; `policy__select__depth=2` is policy.select.depth. A class of yours may stand wherever a component
    does.
    `output` names the file of the result; without one it stays in memory. `components`: classes that the run
    file calls by their names. `explain`: serials of tasks whose stories are kept for `Result.why`.
    """
    r = Run(source, output=output, components=components, explain=explain, **overrides)
    r.advance()
    return r.finish()


class Run:
    """A simulation as a value.

    >>> r = Run({"source": {"use": "lublin", "tasks": 50}, "policy": "easy", "seed": 1})
    >>> r.advance(instants=40)      # there is more to do
    True
    >>> other = r.fork()
    >>> other.digest() == r.digest()
    True
    >>> r.advance(), other.advance()
    (False, False)
    >>> r.finish().digest == other.finish().digest
    True
    """

    def __init__(
        self,
        source: Source,
        /,
        *,
        output: str | os.PathLike[str] | None = None,
        components: Iterable[type[Component]] = (),
        explain: Iterable[int] = (),
        **overrides: Any,
    ) -> None:
        self._registry, self._config = configure(source, tuple(components), overrides)
        self._begin(None if output is None else os.fspath(output), None)
        for serial in explain:
            self._stories[serial] = []
            self._native.explain(serial, self._stories[serial])

    def _begin(self, path: str | None, snapshot: bytes | None) -> None:
        self._path = path
        self._native = _native.Run(self._config, path=path, snapshot=snapshot)
        self._stories: dict[int, list[tuple[int, str]]] = {}
        self._result: Result | None = None
        self._more = True

    def advance(self, until: int | None = None, instants: int = 0) -> bool:
        """Go on until a time (ns, all of it included), for so many instants, or to the end.

        Returns whether there is more to do. ^C stops it where it is.
        """
        bounds = {"instants": instants} if until is None else {"instants": instants, "until": until}
        self._more = self._native.advance(**bounds)
        return self._more

    def step(self) -> bool:
        """One instant. Returns whether there is more to do."""
        return self.advance(instants=1)

    def wait_decision(self) -> tuple[View, Plan] | None:
        """Go on until a policy would be asked, and stop there instead. None: the run is over.

        Returns what the policy would be given. The policy `outside` makes no plan of its own:
        `policy={"use": "outside", "asks": ["needs_estimate"]}`. Hand the plan in by `decide`.
        """
        d = self._native.wait_decision()
        if isinstance(d, bool):
            self._more = d
            return None
        return d

    def decide(self) -> None:
        """Hand the plan in, empty or not."""
        self._native.decide()

    def decide_by_policy(self) -> None:
        """Let the run's own policy decide this once."""
        self._native.decide_by_policy()

    @property
    def now(self) -> int:
        """The time, ns from the run's origin."""
        return int(self._native.progress()["now"])

    @property
    def progress(self) -> dict[str, int | None]:
        """How far it has come: now, submitted, started, ended, waiting, running, instants, decisions ..."""
        return self._native.progress()

    def cancel(self) -> None:
        """Stop it, from any thread: the advance that is under way raises Error."""
        self._native.cancel()

    def digest(self) -> str:
        """Checksum of the state: two runs with the same go on alike."""
        return self._native.digest()

    def snapshot(self) -> bytes:
        """The whole state. `restore` makes a run of it, in this process."""
        return self._native.snapshot()

    def restore(self, snapshot: bytes, *, output: str | os.PathLike[str] | None = None) -> Run:
        """A run of the same configuration in the state of a snapshot."""
        other = Run.__new__(Run)
        other._registry, other._config = self._registry, self._config
        other._begin(None if output is None else os.fspath(output), snapshot)
        return other

    def fork(self, *, output: str | os.PathLike[str] | None = None) -> Run:
        """A second run in the same state."""
        return self.restore(self.snapshot(), output=output)

    def finish(self) -> Result:
        """Close the ledgers of a run that is at its end: its result, and its file, if it has one."""
        if self._more:
            raise RuntimeError("the run is not at its end: advance() until that says False")
        if self._result is None:
            self._native.finish()
            if self._path is None:
                result = self._native.result()
            else:
                self._native.commit()
                result = _native.Result(self._registry, self._path)
            self._result = Result(result, self._path, self._stories)
        return self._result
