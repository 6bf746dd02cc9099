"""What agents of other systems see and do, over runs of this one: DeepRM, RLScheduler, CQGym, IRMaSim.

Spaces and meanings of actions are theirs, as published and as their programs have them; time, queue and
machine are the run's: what happens at one instant is one decision. Rewards are those of Batch.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from gymnasium import spaces

from ._native import Refused
from .configs import Source
from .gym_episodes import Rows, Steps, Whole
from .runs import Run, run
from .units import SECOND

if TYPE_CHECKING:
    from ._native import Task

_NEARLY = 1 - 1e-5


class _Counted(Steps):
    """On a machine of counted processors."""

    asks: Sequence[str] = ("needs_estimate",)

    def __init__(self, source: Source, episode: int, reward: str, render_mode: str | None) -> None:
        self._rows = Rows(source, episode, reward)
        if self._rows.keys.get("architecture"):
            name = type(self).__name__
            raise ValueError(
                f"{name}: leave out `architecture`: its one scheduler decides at once, and at each event"
            )
        self.processors = self._rows.processors
        self.render_mode, self.reward, self.episode = render_mode, reward, episode

    def _begin(self, options: Mapping[str, Any] | None) -> tuple[Run, dict[str, Any]]:
        start = self._rows.draw(self.np_random, options)
        self._start = start
        return self._rows.begin(start, {"use": "outside", "asks": list(self.asks)}), {"start": start}

    def _row(self, task: Task) -> dict[str, Any]:
        """A task as the log has it."""
        return self._rows.jobs[self._start + task.serial]


class RLScheduler(_Counted):
    """RLScheduler's: of the first 128 of the queue choose the one that starts next.

    Observation `jobs` [window x 8], a row each: waited, by 12 hours; estimate, by the log's longest;
    processors, by the machine; memory, which is not known here (1); user, group and executable, by the log's
    highest (1: not known); whether it can start now. Rows without a job are 0 1 1 1 1 1 1 0; numbers are
    below 1 by 1e-5 at least. Action k: that job starts, and if it does not fit, time goes by until it does,
    and nothing else is chosen meanwhile. With `backfill`, others start in order of arrival if they end before
    the earliest start of the chosen one, which is computed once. A row without a job: nothing, until
    something happens. Where more than 128 are queued the program shows a mixture, and this the first.

    Source: Zhang, Dai, He, Bao and Xie, RLScheduler: an automated HPC batch job scheduler using reinforcement
    learning, SC 2020; HPCSimPickJobs.py of its program, github.com/DIR-LAB/deep-batch-scheduler.
    """

    FEATURES = 8

    def __init__(
        self,
        source: Source,
        *,
        window: int = 128,
        backfill: bool = False,
        episode: int = 256,
        reward: str = "bounded_slowdown",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(source, episode, reward, render_mode)
        self.window, self.backfill = window, backfill
        jobs = self._rows.jobs
        self._longest = max(max(job["limit"] or job["run"] for job in jobs), 1)
        self._highest = {
            name: max((job[name] for job in jobs if job[name] is not None), default=1) or 1
            for name in ("user", "group", "executable")
        }
        box = spaces.Box(0.0, 1.0, (window * self.FEATURES,), np.float32)
        self._parts = {"jobs": box, "mask": spaces.MultiBinary(window)}
        self.observation_space: Any = spaces.Dict(self._parts)
        self.action_space: Any = spaces.Discrete(window)

    def _begin(self, options: Mapping[str, Any] | None) -> tuple[Run, dict[str, Any]]:
        self._chosen: int | None = None
        self._earliest = 0
        return super()._begin(options)

    def _look(self) -> dict[str, np.ndarray]:
        rows = np.ones((self.window, self.FEATURES), np.float32)
        rows[:, [0, -1]] = 0
        mask = np.zeros(self.window, np.int8)
        for k, task in zip(range(self.window), self._view.queue(), strict=False):
            job, row = self._row(task), rows[k]
            row[0] = min((self._view.now - task.submitted) / (12 * 3600 * SECOND), _NEARLY)
            row[1] = min((task.estimate or 0) / self._longest, _NEARLY)
            row[2] = min(task.units / self.processors, _NEARLY)
            for i, name in enumerate(("user", "group", "executable")):
                if job[name] is not None:
                    row[4 + i] = min(job[name] / self._highest[name], _NEARLY)
            row[7] = _NEARLY if task.fits else 1e-5
            mask[k] = 1
        return {"jobs": rows.reshape(-1), "mask": mask}

    def _earliest_start(self, task: Task) -> int:
        free, at = self._view.free_units, self._view.now
        ends = [(t.started or 0) + (t.estimate or 0) for t in self._view.running]
        for at, t in sorted(zip(ends, self._view.running, strict=True), key=lambda x: x[0]):
            free += t.units
            if free >= task.units:
                break
        return at

    def _start_chosen(self) -> bool:
        """@return whether it has started"""
        task = self._view.find(self._chosen) if self._chosen is not None else None
        if task is None:
            return True
        if task.fits:
            self._plan.start(task)
            self._chosen = None
            return True
        if self.backfill:
            for other in self._fitting():
                if self._view.now + (other.estimate or 0) < self._earliest and other.serial != self._chosen:
                    self._plan.start(other)
        return False

    def _wants(self) -> bool:
        return self._start_chosen() and self._view.queued > 0

    def _act(self, action: int) -> bool:
        task = self._view.queued_at(action)
        if task is None or action >= self.window:
            self._never_idle(self.processors)
            return False
        self._chosen, self._earliest = task.serial, 0
        if not task.fits:
            self._earliest = self._earliest_start(task)
        return self._wants()


class CQGym(_Counted):
    """CQGym's: choose the job at the head of the queue, then those that are backfilled around it.

    Observation `state` [1, 2 window + N, 2]: of each job that can be chosen the rows (processors, estimate)
    and (0, waited), in s; of each of N processors (1, 0) if it is free, and (0, s until its task is believed
    to end) if not. Processors are given from the lowest on. Action k: the k-th job is the head. It starts, or
    if it does not fit it is reserved; then those that can start without delaying it are shown, and chosen
    one by one, until there is none. At the next event the head is chosen anew.

    Source: CQGym, github.com/SPEAR-UIC/CQGym (Gym.py, GymState.py, Backfill.py); Fan, Lan, Childers, Rich,
    Allcock and Papka, Deep reinforcement agent for scheduling in HPC, IPDPS 2021.
    """

    asks = ("needs_estimate", "needs_timeline")

    def __init__(
        self,
        source: Source,
        *,
        window: int = 50,
        episode: int = 256,
        reward: str = "wait",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(source, episode, reward, render_mode)
        self.window = window
        box = spaces.Box(0.0, np.float32(3.4e38), (1, 2 * window + self.processors, 2), np.float32)
        self._parts = {"state": box, "mask": spaces.MultiBinary(window)}
        self.observation_space: Any = spaces.Dict(self._parts)
        self.action_space: Any = spaces.Discrete(window)

    def _begin(self, options: Mapping[str, Any] | None) -> tuple[Run, dict[str, Any]]:
        self._held: dict[int, list[int]] = {}
        self._free = list(range(self.processors))
        return super()._begin(options)

    def _wants(self) -> bool:
        self._head: Task | None = None
        if self._held:
            there = {task.serial for task in self._view.running}
            for serial in [s for s in self._held if s not in there]:
                self._free += self._held.pop(serial)
            self._free.sort()
        return self._show()

    def _show(self) -> bool:
        """What can be chosen now. @return whether there is anything"""
        if self._head is None:
            shown = zip(range(self.window), self._view.queue(), strict=False)
            self._shown = [task for _, task in shown]
            return bool(self._shown)
        slot = self._view.earliest(self._head)
        now = self._view.now
        self._shown = []
        for task in self._fitting():
            if slot is None or len(self._shown) == self.window:
                break
            ends = task.estimate is not None and now + task.estimate <= slot[0]
            if task != self._head and (ends or task.units <= slot[1]):
                self._shown.append(task)
        return bool(self._shown)

    def _look(self) -> dict[str, np.ndarray]:
        state = np.zeros((1, 2 * self.window + self.processors, 2), np.float32)
        mask = np.zeros(self.window, np.int8)
        now = self._view.now
        for k, task in enumerate(self._shown):
            state[0, 2 * k] = task.units, (task.estimate or 0) / SECOND
            state[0, 2 * k + 1, 1] = (now - task.submitted) // SECOND
            mask[k] = 1
        nodes = state[0, 2 * self.window :]
        nodes[:, 0] = 1
        for task in self._view.running:
            left = ((task.started or 0) + (task.estimate or 0) - now) / SECOND
            nodes[self._held[task.serial]] = 0, max(left, 0)
        return {"state": state, "mask": mask}

    def _start_task(self, task: Task) -> None:
        self._held[task.serial], self._free = self._free[: task.units], self._free[task.units :]
        self._plan.start(task)

    def _never_idle(self, processors: int) -> None:
        if not self._held and self._head is None:
            for task in self._fitting():
                self._start_task(task)
                return

    def _act(self, action: int) -> bool:
        if action >= len(self._shown):
            self._never_idle(self.processors)
            return False
        task = self._shown[action]
        if self._head is not None or task.fits:
            self._start_task(task)
        else:
            self._head = task
        return self._show()


class IRMaSim(Steps):
    """IRMaSim's: which rule chooses jobs and which rule nodes, 6 x 6 of them, or neither.

    Action 6 j + n: queued tasks are sorted by rule j (random, first, shortest, smallest, low_mem,
    low_mem_ops) and start, slot by slot on the hosts as rule n sorts them (random, high_gflops, high_cores,
    high_mem, high_mem_bw, low_power), until one does not fit; action 36 starts none. What a run knows nothing
    of is masked: operations on memory and bandwidth, and what a host draws. Observation `state` [21]: least,
    quartiles and most of what queued tasks ask for, of time, cores and memory, by the longest estimate and by
    the cell, and zeros for operations on memory; and how the queue's length has changed, from 0 to 1, with
    `queue_sensitivity` as the change, up or down, that counts as most. It is IRMaSim's minimal observation.

    Source: Herrera, Ibáñez, Stafford and Bosque, A simulator for intelligent workload managers in
    heterogeneous clusters, CCGrid 2021, hdl:10902/25098; Environment.py and Policy.py of its program.
    """

    JOBS = ("random", "first", "shortest", "smallest", "low_mem", "low_mem_ops")
    NODES = ("random", "high_gflops", "high_cores", "high_mem", "high_mem_bw", "low_power")

    def __init__(
        self,
        source: Source,
        *,
        episode: int | None = None,
        queue_sensitivity: float = 0.05,
        reward: str = "makespan",
        render_mode: str | None = None,
    ) -> None:
        if not queue_sensitivity > 0:
            raise ValueError("queue_sensitivity: more than 0")
        self._work = Whole(source, episode, reward)
        for key in ("reservations", "changes", "policy"):
            if self._work.keys.get(key):
                raise ValueError(f"IRMaSim: leave out `{key}`: its rules say what starts, and where")
        self.render_mode, self.reward, self.sensitivity = render_mode, reward, queue_sensitivity
        self._policy = {"use": "outside", "asks": ["needs_estimate"]}
        first = self._work.begin({"seed": int(self._work.keys.get("seed", 1)), "start": 0}, self._policy)
        decision = first.wait_decision()
        machine = decision[0].machine() if decision else None
        if decision is None or machine is None:
            raise ValueError("IRMaSim is for workloads on cells of hosts: set `cell: {use: hosts, ...}`")
        self.hosts, names = machine
        self._d = len(names)
        self._cpu = names.index("cpu") if "cpu" in names else 0
        self._memory = names.index("memory") if "memory" in names else None
        self._of = [max(decision[0].capacity(d), 1) for d in range(self._d)]
        tasks = run(source, policy="fcfs").tasks
        self._longest = max(x for x in tasks.list("estimate") if x is not None)
        mask = np.zeros(37, np.int8)
        mask[36] = 1
        for j in range(6):
            for n in range(6):
                mask[6 * j + n] = not (
                    self.JOBS[j] == "low_mem_ops"
                    or self.NODES[n] in ("high_mem_bw", "low_power")
                    or (self._memory is None and "mem" in self.JOBS[j] + self.NODES[n])
                )
        self._mask = mask
        box = spaces.Box(0.0, np.float32(3.4e38), (21,), np.float32)
        self._parts = {"state": box, "mask": spaces.MultiBinary(37)}
        self.observation_space: Any = spaces.Dict(self._parts)
        self.action_space: Any = spaces.Discrete(37)

    def _begin(self, options: Mapping[str, Any] | None) -> tuple[Run, dict[str, Any]]:
        of = self._work.draw(self.np_random, options)
        self._last = 0
        return self._work.begin(of, self._policy), of

    def _look(self) -> dict[str, np.ndarray]:
        tasks = list(self._view.queue())
        state = np.zeros(21, np.float32)
        asked = [[(t.estimate or 0) / self._longest for t in tasks]]
        for d in (self._cpu, self._memory):
            if d is not None:
                asked.append([t.demand(d) * t.slots / self._of[d] for t in tasks])
        for i, of in enumerate(asked):
            state[5 * i : 5 * i + 5] = np.percentile(of, [0, 25, 50, 75, 100])
        least = min(len(tasks), self._last)
        change = (len(tasks) - self._last) / least if least else math.inf
        state[20] = min(max((change + self.sensitivity) / (2 * self.sensitivity), 0), 1) if least else 1
        self._last = len(tasks)
        return {"state": state, "mask": self._mask.copy()}

    def _sorted(self, rule: str) -> list[Task]:
        tasks = list(self._view.queue())
        if rule == "random":
            self.np_random.shuffle(tasks)
        elif rule == "shortest":
            tasks.sort(key=lambda t: t.estimate or 0)
        elif rule == "smallest":
            tasks.sort(key=lambda t: t.units)
        elif rule == "low_mem":
            memory = self._memory or 0
            tasks.sort(key=lambda t: t.demand(memory) * t.slots)
        return tasks

    def _place(self, task: Task, rule: str) -> None:
        dealt, mask = np.zeros(self.hosts, np.int32), np.zeros(self.hosts, np.int8)
        rows, of = np.empty((self.hosts, 2 * self._d + 3), np.float32), np.empty(self._d + 4, np.float32)
        self._view.observe_hosts(task, dealt, rows, mask, of)
        if rule == "random":
            ranks = self.np_random.permutation(self.hosts)
        else:
            key = {"high_gflops": 2 * self._d, "high_cores": self._cpu, "high_mem": self._memory or 0}[rule]
            ranks = np.argsort(-rows[:, key], kind="stable")
        for _ in range(task.slots):
            room = ranks[mask[ranks] > 0]
            if len(room) == 0:
                break
            dealt[room[0]] += 1
            self._view.observe_hosts(task, dealt, rows, mask, of)
        try:
            if dealt.sum() < task.slots:
                raise Refused
            self._plan.start_dealt(task, dealt)
        except Refused:  # by a rule that amounts do not know, such as parts of GPUs: by first fit
            self._plan.start(task)

    def _act(self, action: int) -> bool:
        if action < 36 and self._mask[action]:
            for task in self._sorted(self.JOBS[action // 6]):
                if not task.fits:
                    break
                self._place(task, self.NODES[action % 6])
        elif not self._view.running:
            for task in self._fitting():
                self._plan.start(task)
                break
        return False


class DeepRM(_Counted):
    """DeepRM's: an image of the machine and of the first M jobs; which of these is allocated, or time goes by.

    Time is cut into steps of `step` s, the machine into `columns`. Observation `image`
    [horizon, columns (1 + M) + backlog + 1]: what the machine's tasks are believed to take in each step from
    now on; of each of M slots a block of its estimate by its processors; jobs that are queued beyond the
    slots, counted row by row; steps since the last arrival, by `horizon`, at most 1. Action k allocates the
    job in slot k at the earliest time within the horizon, and the next queued job takes its slot; action M,
    an empty slot, and a job that ends beyond the horizon let one step go by. It has one resource,
    processors, and one shade of what is taken; DeepRM has two, and one of each job.

    Source: Mao, Alizadeh, Menache and Kandula, Resource management with deep reinforcement learning, HotNets
    2016, doi:10.1145/3005745.3005750; environment.py of its program.
    """

    asks = ("needs_estimate", "needs_timeline", "makes_reservations")

    def __init__(
        self,
        source: Source,
        *,
        slots: int = 10,
        horizon: int = 20,
        columns: int = 10,
        backlog: int = 60,
        step: float = 600,
        episode: int = 256,
        reward: str = "slowdown",
        render_mode: str | None = None,
    ) -> None:
        super().__init__(source, episode, reward, render_mode)
        if min(slots, horizon, columns, backlog) < 1 or not step > 0:
            raise ValueError("slots, horizon, columns, backlog: at least 1; step: more than 0 s")
        self.slots, self.horizon, self.columns = slots, horizon, columns
        self.tick, self._backlog = int(step * SECOND), math.ceil(backlog / horizon)
        width = columns * (1 + slots) + self._backlog + 1
        box = spaces.Box(0.0, 1.0, (horizon, width), np.float32)
        self._parts = {"image": box, "mask": spaces.MultiBinary(slots + 1)}
        self.observation_space: Any = spaces.Dict(self._parts)
        self.action_space: Any = spaces.Discrete(slots + 1)

    def _begin(self, options: Mapping[str, Any] | None) -> tuple[Run, dict[str, Any]]:
        self._slots: list[int | None] = [None] * self.slots
        self._due: dict[int, int] = {}  # when allocated tasks start, by serial
        self._until = self._newest = 0
        return super()._begin(options)

    def _wants(self) -> bool:
        now = self._view.now
        for serial, at in sorted(self._due.items(), key=lambda x: (x[1], x[0])):
            task = self._view.find(serial)
            if at <= now and task is not None and task.fits:
                self._plan.start(task)
                del self._due[serial]
        if now < self._until:
            return False
        self._fill()
        return any(s is not None for s in self._slots)

    def _fill(self) -> None:
        """The first queued tasks that are not allocated take free slots."""
        waiting = [t.serial for t in self._view.queue() if t.serial not in self._due]
        others = iter([s for s in waiting if s not in self._slots])
        self._slots = [s if s in waiting else next(others, None) for s in self._slots]
        self._beyond = sum(1 for _ in others)
        if waiting:
            self._newest = max(self._newest, self._find(waiting[-1]).submitted)

    def _columns(self, units: int) -> int:
        return math.ceil(units * self.columns / self.processors)

    def _length(self, task: Task) -> int:
        return max(math.ceil((task.estimate or 0) / self.tick), 1)

    def _look(self) -> dict[str, np.ndarray]:
        image = np.zeros(self._parts["image"].shape, np.float32)
        mask = np.zeros(self.slots + 1, np.int8)
        mask[-1] = 1
        now, taken = self._view.now, np.zeros(self.horizon, np.int64)
        for task in self._view.running:
            left = max((task.started or 0) + (task.estimate or 0) - now, 1)
            taken[: math.ceil(left / self.tick)] += task.units
        for serial, at in self._due.items():
            task = self._find(serial)
            first = (at - now) // self.tick
            taken[first : first + self._length(task)] += task.units
        for row, units in zip(image, taken, strict=True):
            row[: self._columns(int(units))] = 1
        for k, s in enumerate(self._slots):
            if s is not None:
                task, left = self._find(s), self.columns * (k + 1)
                image[: self._length(task), left : left + self._columns(task.units)] = 1
                mask[k] = self._when(task) is not None
        left = self.columns * (1 + self.slots)
        full, rest = divmod(self._beyond, self._backlog)
        image[:full, left : left + self._backlog] = 1
        image[full : full + 1, left : left + rest] = 1
        image[:, -1] = min((now - self._newest) / self.tick / self.horizon, 1)
        return {"image": image, "mask": mask}

    def _find(self, serial: int) -> Task:
        task = self._view.find(serial)
        assert task is not None
        return task

    def _when(self, task: Task) -> int | None:
        """The earliest start, if it is believed to end within the horizon."""
        slot = self._view.earliest(task)
        ends = self._view.now + self.horizon * self.tick
        return slot[0] if slot and slot[0] + (task.estimate or 0) <= ends else None

    def _act(self, action: int) -> bool:
        now = self._view.now
        serial = self._slots[action] if action < self.slots else None
        at = self._when(self._find(serial)) if serial is not None else None
        if serial is None or at is None:
            if not self._view.running and not self._due:
                self._never_idle(self.processors)
            self._until = now + self.tick
            self._plan.wake(self._until)
            return False
        if at > now:
            self._plan.reserve(self._find(serial), at)
            self._plan.wake(at)
            self._due[serial] = at
        else:
            self._plan.start(self._find(serial))
        self._slots[action] = None
        self._fill()
        return any(s is not None for s in self._slots)


__all__ = ["CQGym", "DeepRM", "IRMaSim", "RLScheduler"]
