"""Components that are classes of Python: what a class says of itself, and what it is asked.

Policies get the same views and make the same plans as those in C, with the same checks
(docs/policy-interface.md), and a class stands in a configuration where any other component would:

    class Narrowest(hindcast.Policy):
        "the narrowest task that fits, again and again"
        asks = ("ignores_time",)

        def decide(self, view, plan):
            for task in sorted(view.queue(), key=lambda t: t.units):
                if task.fits:
                    plan.start(task)

    hindcast.run("run.yaml", policy=Narrowest)
"""

from __future__ import annotations

import enum
import inspect
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ._native import Changing, Columns, Host, Offer, Ordered, Plan, View


class Why(enum.IntFlag):
    """Why a policy is called: `view.why & Why.END`."""

    ARRIVAL = 1
    END = 2
    CELL = 4
    TIMER = 8
    PERIOD = 16
    HEARTBEAT = 32
    OFFER = 64
    CONFLICT = 128
    LAST_CALL = 256


@dataclass(frozen=True)
class Param:
    """A parameter of a component: an argument by name of its class, and a key of the configuration.

    `default` is spelt as in a run file ("90s", "64MiB", "0.5"); times reach the class in ns, sizes in bytes.
    `least` and `most` bound numbers, times in seconds; both 0: any.
    """

    default: Any
    help: str
    type: Literal["int", "real", "time", "size", "bool", "text"] | None = None
    least: float = 0
    most: float = 0
    unit: str | None = None

    def row(self, name: str) -> tuple[Any, ...]:
        kinds = {bool: "bool", int: "int", float: "real", str: "text"}
        kind = self.type or kinds.get(type(self.default))
        if kind is None:
            raise TypeError(f"{name}: say its type, one of int, real, time, size, bool, text")
        default = None if self.default is None else str(self.default)
        if isinstance(self.default, bool):
            default = "true" if self.default else "false"
        return name, kind, default, float(self.least), float(self.most), self.unit, self.help


class Component:
    """What all components say of themselves."""

    kind: ClassVar[str]
    #: as written in a configuration; by default the class's name, `MyPolicy` as my_policy
    name: ClassVar[str]
    #: one line for lists; by default the first of the class's description
    summary: ClassVar[str]
    #: formula and semantics; by default the rest of the description
    detail: ClassVar[str | None] = None
    #: the publication or program that it follows
    source: ClassVar[str | None] = None
    #: what is kept to answer with depends on what it asks (hindcast/view.h): needs_estimate, needs_timeline,
    #: makes_reservations, asks_harmless, may_preempt, varies ...; what is asked beyond is an error
    asks: ClassVar[tuple[str, ...]] = ()
    #: its parameters by name
    params: ClassVar[dict[str, Param]] = {}

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        words = inspect.cleandoc(cls.__dict__.get("__doc__") or cls.__name__).split("\n", 1)
        own = cls.__dict__
        if "name" not in own:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower().strip("_")
        if "summary" not in own:
            cls.summary = words[0].strip().rstrip(".") or cls.__name__
        if "detail" not in own and len(words) > 1:
            cls.detail = words[1].strip() or None

    @classmethod
    def _figures(cls) -> list[str]:
        return []

    @classmethod
    def _params(cls) -> list[tuple[Any, ...]]:
        return [p.row(name) for name, p in cls.params.items()]


class Policy(Component):
    """Decides which queued tasks run next. One object is born with each run.

    A run may be saved and forked while it goes on: the object's attributes are its state, and have to be
    what `pickle` can write.
    """

    kind = "policy"
    #: called as on_task(event, view, task, amounts) when a task has joined or left the queue ("queued",
    #: "dequeued") or taken or given back what it holds ("allocated", "released"); None: not called
    on_task: ClassVar[Any] = None

    def decide(self, view: View, plan: Plan) -> None:
        """Make a plan. Both are of use during the call."""
        raise NotImplementedError(f"{type(self).__name__} has no method decide(self, view, plan)")


class Order(Component):
    """Sorts a queue: lower keys first, ties by submission."""

    kind = "order"

    def key(self, task: Ordered) -> int | float:
        """The key of a task: an int of 64 bits, or a float."""
        raise NotImplementedError(f"{type(self).__name__} has no method key(self, task)")


class Placement(Component):
    """Chooses hosts: a slot goes to the host that fits and scores highest, of equal ones to the lowest.

    Where processors are only counted, or have names alone, it takes the lowest that are free.
    """

    kind = "place"

    def score(self, host: Host) -> float:
        """How good a host is for a slot; higher is better."""
        raise NotImplementedError(f"{type(self).__name__} has no method score(self, host)")


class Accept(Component):
    """Takes or refuses a host that a policy which shares offers: `policy={"use": "fair", "accept": Mine}`.

    `noted(offer, started)`, if there is such a method, hears what became of each offer (refused; or the task
    has started, `offer.forced` without having been asked), and `forget(member)` that a member has no task
    left.
    """

    kind = "accept"
    noted: ClassVar[Any] = None
    forget: ClassVar[Any] = None

    def accepts(self, offer: Offer) -> bool:
        """Whether the offer is taken. It is of use during the call."""
        raise NotImplementedError(f"{type(self).__name__} has no method accepts(self, offer)")


@dataclass(frozen=True)
class Figure:
    """A figure that a metric finds: its unit, which direction is better, and what it is."""

    unit: str
    better: Literal["higher", "lower", "none"]
    text: str


class Metric(Component):
    """Counts. `tasks(table)`, if there is such a method, hears of the tasks that have ended, in blocks."""

    kind = "metric"
    #: what it finds, by name; also in its tables
    figures: ClassVar[dict[str, Figure]] = {}
    #: called with a Table that has the columns of Result.tasks; None: not called
    tasks: ClassVar[Any] = None

    def finish(self) -> Mapping[str, float]:
        """The figures, by name. Ints are exact."""
        raise NotImplementedError(f"{type(self).__name__} has no method finish(self)")

    def tables(self) -> Mapping[str, Mapping[int, Mapping[str, float]]]:
        """Figures by name for each key of a table."""
        return {}

    @classmethod
    def _figures(cls) -> list[str]:
        return [f"{name}|{f.unit}|{f.better}|{f.text}" for name, f in cls.figures.items()]

    def _unit(self, name: str) -> str:
        if name not in self.figures:
            raise KeyError(f"{name}: declare it in `figures`")
        return self.figures[name].unit

    def _hear_tasks(self, columns: Columns) -> None:
        from .results import Table

        self.tasks(Table(columns))

    def _found(self) -> list[tuple[Any, ...]]:
        out: list[tuple[Any, ...]] = [
            (name, self._unit(name), value) for name, value in self.finish().items()
        ]
        for table, rows in self.tables().items():
            for key, figures in rows.items():
                out += [(table, key, name, self._unit(name), value) for name, value in figures.items()]
        return out


class Source(Component):
    """Jobs that arrive: `jobs()` yields a dict for each, in order of submission.

    Keys: `submit` and `run` (ns), and, as far as they are known, `limit`, `wait`, `not_before` (ns),
    `processors`, `id`, `user`, `group`, `executable`, `queue`, `partition` (numbers, or texts, which are
    names), `priority`, `job`; on hosts `hosts` (how many slots) and of each `cpu` and `gpu` (cores, GPUs;
    fractions too), `memory` and `disk` (bytes). It has to yield the same each time.
    """

    kind = "source"
    #: processors of the machine that it is of; None: the configuration says it
    processors: Any = None
    #: Unix time of its time 0, s; None: it has no dates
    unix_start: Any = None

    def jobs(self) -> Iterable[Mapping[str, Any]]:
        """The jobs."""
        raise NotImplementedError(f"{type(self).__name__} has no method jobs(self)")

    def _number(self, kind: int, name: str) -> int:
        names: dict[str, int] = self.__dict__.setdefault("_names", {}).setdefault(kind, {})
        return names.setdefault(name, len(names) + 1)


class Transform(Component):
    """Changes the tasks of a workload, or leaves some out, on their way to the engine."""

    kind = "transform"

    def apply(self, task: Changing) -> bool | None:
        """Change a task in place. False: it is left out."""
        raise NotImplementedError(f"{type(self).__name__} has no method apply(self, task)")


def is_component(x: Any) -> bool:
    return inspect.isclass(x) and issubclass(x, Component)


__all__ = [
    "Accept",
    "Component",
    "Figure",
    "Metric",
    "Order",
    "Param",
    "Placement",
    "Policy",
    "Source",
    "Transform",
    "Why",
]
