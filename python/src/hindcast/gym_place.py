"""hindcast/Place-v0: choose the host for the next slot of the task that is placed."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from ._native import Refused
from .configs import Source
from .gym_episodes import Environment, Whole

_MORE_OF_HOSTS, _MORE_OF_TASKS = 3, 4
_MOST = np.float32(3.4e38)


class Place(Environment):
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
    of how many hosts a task may lie on, of the GPUs of one with several slots). `info["invalid"]` counts both.

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
        for key in ("reservations", "changes"):
            if self._work.keys.get(key):
                raise ValueError(f"Place: leave out `{key}`: slots are given host by host, beside no claims")
        if self._work.keys.get("policy"):
            raise ValueError("Place: leave out `policy`: say order and select")
        self.render_mode, self.reward, self.select = render_mode, reward, select
        self._policy = {"use": "outside", "order": order, "asks": ["needs_estimate"]}
        machine = self._machine()
        if machine is None:
            raise ValueError("Place is for cells of hosts: set `cell: {use: hosts, ...}`; Batch has others")
        self.hosts, d = machine[0], len(machine[1])
        self._gpu = machine[1].index("gpu") if "gpu" in machine[1] else None
        self._dealt = np.zeros(self.hosts, np.int32)
        box = spaces.Box
        self.observation_space: Any = spaces.Dict(
            {
                "hosts": box(-1.0, _MOST, (self.hosts, 2 * d + _MORE_OF_HOSTS), np.float32),
                "task": box(-1.0, _MOST, (d + _MORE_OF_TASKS,), np.float32),
                "mask": spaces.MultiBinary(self.hosts + 1),
            }
        )
        self.action_space: Any = spaces.Discrete(self.hosts + 1)
        self._shapes = (self.hosts, 2 * d + _MORE_OF_HOSTS), d + _MORE_OF_TASKS

    def _machine(self) -> tuple[int, tuple[str, ...]] | None:
        first = self._work.begin({"seed": int(self._work.keys.get("seed", 1)), "start": 0}, self._policy)
        decision = first.wait_decision()
        if decision is None:
            raise ValueError("the workload has no task")
        return decision[0].machine()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        of = self._work.draw(self.np_random, options)
        self._info: dict[str, Any] = {**of, "invalid": 0}
        self._over = False
        self._run = self._work.begin(of, self._policy)
        self._go_on()
        return self._seen, dict(self._info)

    # ---- which task ----

    def _go_on(self) -> None:
        """To the next task that can be placed, or to the end."""
        assert self._run is not None
        while (decision := self._run.wait_decision()) is not None:
            self._view, self._plan = decision
            self._left: set[int] = set()
            if self._find():
                return
            self._run.decide()
        self._over = True
        rows, of = self._shapes
        mask = np.zeros(self.hosts + 1, np.int8)
        mask[-1] = 1
        self._seen = {"hosts": np.zeros(rows, np.float32), "task": np.zeros(of, np.float32), "mask": mask}

    def _find(self) -> bool:
        """The next task of this decision that can be placed, if there is one."""
        for task in self._view.queue():
            if task.serial not in self._left and task.fits:
                self._task, self._slots = task, task.slots
                self._dealt[:] = 0
                if self._look():
                    return True
                self._plan.start(task)  # fits, but nowhere slot by slot: by first fit
                self._info["invalid"] += 1
                return self._find()
            if self.select == "blocking":
                return False
        return False

    def _look(self) -> int:
        rows, of = np.empty(self._shapes[0], np.float32), np.empty(self._shapes[1], np.float32)
        mask = np.empty(self.hosts + 1, np.int8)
        mask[-1] = 1
        room = self._view.observe_hosts(self._task, self._dealt, rows, mask[:-1], of)
        if self._gpu is not None and self._task.slots == 1 and self._task.demand(self._gpu) > 0:
            room = self._try(mask)
        self._seen = {"hosts": rows, "task": of, "mask": mask}
        return room

    def _try(self, mask: np.ndarray) -> int:
        """Whether a part of a GPU, or whole ones, are free is not said by their sum: start it there, and take
        that back. @return on how many hosts there is room"""
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
        if self._slots > 0 and self._look():
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

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        if self._run is None or self._over:
            raise RuntimeError("the episode is over: reset()")
        host = int(action)
        settled = True
        if host != self.hosts and self._seen["mask"][host]:
            settled = self._give(host)
        else:
            self._info["invalid"] += host != self.hosts
            self._leave()
        if settled and not self._find():
            self._run.decide()
            self._go_on()
        reward = self._ended(self._run.finish) if self._over else 0.0
        return self._seen, reward, self._over, False, dict(self._info)


__all__ = ["Place"]
