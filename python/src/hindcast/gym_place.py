"""hindcast/Place-v0: choose the host for the next slot of the task that is placed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from ._native import Refused
from .configs import Source
from .gym_episodes import Steps, Whole
from .runs import Run

_MORE_OF_HOSTS, _MORE_OF_TASKS = 3, 4
_MOST = np.float32(3.4e38)


class Place(Steps):
    """Choose hosts: where the next slot of the task goes that is placed next, or that it stays queued.

    The task is the first of the queue in its `order`; one that does not fit lets those behind it pass with
    `select="scan"` and not with "blocking". An episode is a run of the configuration, with a seed that
    `reset` draws (or `options={"seed": n}` names); with `episode=n`, n tasks that follow each other in its
    workload, from a place that is drawn (or `options={"start": n}`).

    Observation, of a cell of H hosts with D resources, each by the most that a host has: `hosts` [H, 2 D + 3]
    (what is free of each resource, what the host has of each; speed, tasks on it, log10 of 1 + s until the
    last of them is believed to end), `task` [D + 4] (what a slot needs of each; slots left; log10 of 1 + s
    waited, of the estimate, of 1 + queued tasks), `mask` [H + 1], which actions can be carried out.

    Action h gives a slot to host h; a task of several slots takes as many steps, and starts with the last.
    Action H leaves the task queued until something happens, whatever slots it has been given. One that
    cannot be carried out does so, too. Where nothing runs it is placed by first fit instead, since nothing
    else would happen; and so it is if the cell refuses what was chosen (by rules that the mask does not know:
    of how many hosts a task may lie on, and of one with several slots, GPUs and advance reservations).
    `info["invalid"]` counts both.

    Reward: the negative of the figure `reward` when the episode is over.
    """

    def __init__(
        self,
        source: Source,
        *,
        order: str = "fcfs",
        select: str = "blocking",
        episode: int | None = None,
        reward: str = "bounded_slowdown",
        render_mode: str | None = None,
    ) -> None:
        if select not in ("blocking", "scan"):
            raise ValueError(f"select: blocking or scan, not {select}")
        self._work = Whole(source, episode, reward)
        for key in ("policy", "changes"):
            if self._work.keys.get(key):
                raise ValueError(f"Place: leave out `{key}`: say order and select; the agent places")
        self._claims = bool(self._work.keys.get("reservations"))
        self.render_mode, self.reward, self.select = render_mode, reward, select
        self._policy = {"use": "outside", "order": order, "asks": ["needs_estimate"]}
        machine = self._machine()
        if machine is None:
            raise ValueError("Place is for cells of hosts: set `cell: {use: hosts, ...}`; Batch has others")
        self.hosts, d = machine[0], len(machine[1])
        self._gpu = machine[1].index("gpu") if "gpu" in machine[1] else None
        self._dealt = np.zeros(self.hosts, np.int32)
        box = spaces.Box
        self._parts = {
            "hosts": box(-1.0, _MOST, (self.hosts, 2 * d + _MORE_OF_HOSTS), np.float32),
            "task": box(-1.0, _MOST, (d + _MORE_OF_TASKS,), np.float32),
            "mask": spaces.MultiBinary(self.hosts + 1),
        }
        self.observation_space: Any = spaces.Dict(self._parts)
        self.action_space: Any = spaces.Discrete(self.hosts + 1)

    def _machine(self) -> tuple[int, tuple[str, ...]] | None:
        first = self._work.begin({"seed": int(self._work.keys.get("seed", 1)), "start": 0}, self._policy)
        decision = first.wait_decision()
        if decision is None:
            raise ValueError("the workload has no task")
        return decision[0].machine()

    def _begin(self, options: Mapping[str, Any] | None) -> tuple[Run, dict[str, Any]]:
        of = self._work.draw(self.np_random, options)
        return self._work.begin(of, self._policy), dict(of)

    # ---- which task ----

    def _wants(self) -> bool:
        self._left: set[int] = set()
        return self._find()

    def _find(self) -> bool:
        """The next task of this decision that can be placed, if there is one."""
        for task in self._view.queue():
            if task.serial not in self._left and task.fits:
                self._task, self._slots = task, task.slots
                self._dealt[:] = 0
                if self._observe():
                    return True
                self._plan.start(task)  # fits, but nowhere slot by slot: by first fit
                self._info["invalid"] += 1
                return self._find()
            if self.select == "blocking":
                return False
        return False

    def _observe(self) -> int:
        """@return on how many hosts there is room for a slot"""
        rows, of, mask = (np.zeros(x.shape, x.dtype) for x in self._parts.values())
        mask[-1] = 1
        room = self._view.observe_hosts(self._task, self._dealt, rows, mask[:-1], of)
        parts = self._gpu is not None and self._task.demand(self._gpu) > 0
        if self._task.slots == 1 and (parts or self._claims):
            room = self._try(mask)
        self._observed = {"hosts": rows, "task": of, "mask": mask}
        return room

    def _look(self) -> dict[str, np.ndarray]:
        return self._observed

    def _try(self, mask: np.ndarray) -> int:
        """Whether a part of a GPU is free is not said by their sum, nor whether a host is kept for others by
        what is free there: start it, and take that back. @return on how many hosts there is room"""
        for host in np.flatnonzero(mask[:-1]):
            stands = self._plan.mark()
            self._dealt[host] = 1
            try:
                self._plan.start_dealt(self._task, self._dealt)
            except Refused:
                mask[host] = 0
            self._plan.take_back(stands)
            self._dealt[host] = 0
        return int(mask[:-1].sum())

    # ---- what becomes of it ----

    def _give(self, host: int) -> bool:
        """A slot to a host. @return whether the task has started"""
        self._dealt[host] += 1
        self._slots -= 1
        if self._slots > 0 and self._observe():
            return False
        try:
            if self._slots > 0:
                raise Refused
            self._plan.start_dealt(self._task, self._dealt)
        except Refused:
            self._info["invalid"] += 1
            self._plan.start(self._task)
        return True

    def _leave(self) -> None:
        if self._view.running:
            self._left.add(self._task.serial)
        else:
            self._plan.start(self._task)

    def _act(self, action: int) -> bool:
        if action != self.hosts and self._seen["mask"][action]:
            return not self._give(action) or self._find()
        self._leave()
        return self._find()


__all__ = ["Place"]
