"""Environments for learning agents, as Gymnasium has them: `gymnasium.make("hindcast/Batch-v0", source=...)`.

Importing this module registers them. It needs `gymnasium` and `numpy` from PyPI.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from .components import Source as Jobs
from .configs import Source
from .runs import Run, run
from .units import SECOND

#: columns of an observation's tasks
COLUMNS = ("waited", "estimate", "share", "fits", "user", "priority")

#: rewards, by the figure of the summary that they are the negative of
REWARDS = {
    "wait": "wait_mean",
    "response": "response_mean",
    "slowdown": "slowdown_mean",
    "bounded_slowdown": "bounded_slowdown_mean",
    "makespan": "makespan",
}


class _Episode(Jobs):
    """the jobs of an episode"""

    rows: Any = ()

    def jobs(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.rows)


class Batch(gymnasium.Env[dict[str, np.ndarray], int]):
    """Choose the next of a batch queue: which task starts, or that none does until something happens.

    An episode is `episode` tasks that follow each other in a workload, from a place that `reset` draws (or
    `options={"start": n}` names), on its machine, which is empty at first.

    Observation: `tasks`, a row for each of the first `window` queued tasks (waited, estimate: log10 of 1 + s;
    share of the machine; fits; user; priority), `cell` (the free share of the machine, log10 of 1 + queued
    tasks) and `mask`, which actions can be carried out. Action k starts the k-th queued task; action `window`
    waits for the next arrival or end. One that cannot be carried out waits, too (`info["invalid"]` counts
    them). On an idle machine waiting starts the first task that fits, since nothing else would happen.

    Reward: the negative of a mean over the episode's tasks (wait, response, slowdown, bounded_slowdown) or of
    the makespan, when it is over. With `dense`, which is for wait alone, it comes step by step: minus the
    time that passed, times the tasks that were queued, over the episode's tasks; all in hours. Their sum is
    the mean wait.
    """

    metadata = {"render_modes": ["ansi"]}

    def __init__(
        self,
        source: Source,
        *,
        window: int = 64,
        episode: int = 256,
        reward: str = "bounded_slowdown",
        dense: bool = False,
        render_mode: str | None = None,
    ) -> None:
        if reward not in REWARDS:
            raise ValueError(f"reward: one of {', '.join(REWARDS)}, not {reward}")
        if dense and reward != "wait":
            raise ValueError("dense: only the wait comes step by step")
        self.render_mode = render_mode
        self.window, self.episode, self.reward, self.dense = window, episode, reward, dense
        whole = run(source, policy="fcfs")
        if whole.machine["core_units"] != 1:
            raise ValueError("Batch is for machines that count processors: leave out `cell: {use: hosts}`")
        self._processors = int(whole.machine["capacity"])
        self._jobs = self._read(whole.tasks)
        if len(self._jobs) < episode:
            raise ValueError(f"the workload has {len(self._jobs)} tasks, and an episode {episode}")
        self.observation_space: Any = spaces.Dict(
            {
                "tasks": spaces.Box(-1.0, np.float32(3.4e38), (window, len(COLUMNS)), np.float32),
                "cell": spaces.Box(0.0, np.float32(3.4e38), (2,), np.float32),
                "mask": spaces.MultiBinary(window + 1),
            }
        )
        self.action_space: Any = spaces.Discrete(window + 1)
        self._run: Run | None = None

    @staticmethod
    def _read(tasks: Any) -> list[dict[str, Any]]:
        names = ("submit", "run", "limit", "processors", "user", "queue")
        columns = [tasks.list(name) for name in names]
        jobs = [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
        jobs = [job for job in jobs if job["run"] is not None]
        for job in jobs:
            job["processors"] = int(job["processors"])
        return sorted(jobs, key=lambda job: job["submit"])

    # ---- an episode ----

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        last = len(self._jobs) - self.episode
        start = int((options or {}).get("start", self.np_random.integers(last + 1)))
        if not 0 <= start <= last:
            raise ValueError(f"start: from 0 to {last}")
        rows = self._jobs[start : start + self.episode]
        first = rows[0]["submit"]
        jobs = type(
            "_Jobs",
            (_Episode,),
            {
                "rows": [{**row, "submit": row["submit"] - first} for row in rows],
                "processors": self._processors,
            },
        )
        self._run = Run({"source": jobs}, policy={"use": "outside", "asks": ["needs_estimate"]})
        self._info: dict[str, Any] = {"start": start, "invalid": 0}
        self._passed = 0.0
        self._at = 0
        self._queued = 0
        self._go_on()
        return self._seen, dict(self._info)

    def _go_on(self) -> None:
        """To the next decision in which there is a choice, or to the end."""
        assert self._run is not None
        while (decision := self._run.wait_decision()) is not None:
            self._view, self._plan = decision
            now = self._view.now
            self._passed += self._queued * (now - self._at)
            self._at, self._queued = now, self._view.queued
            if self._queued > 0:
                self._look()
                return
            self._run.decide()
        self._over = True
        self._seen: dict[str, np.ndarray] = {
            "tasks": np.zeros((self.window, len(COLUMNS)), np.float32),
            "cell": np.zeros(2, np.float32),
            "mask": np.append(np.zeros(self.window, np.int8), np.int8(1)),
        }

    def _look(self) -> None:
        tasks = np.empty((self.window, len(COLUMNS)), np.float32)
        mask, cell = np.empty(self.window + 1, np.int8), np.empty(2, np.float32)
        self._first = self._view.observe(tasks, mask, cell)
        self._seen, self._over = {"tasks": tasks, "cell": cell, "mask": mask}, False

    def action_masks(self) -> np.ndarray:
        """Which actions can be carried out now, as sb3-contrib asks."""
        return self._seen["mask"].astype(bool)

    def step(self, action: int) -> tuple[dict[str, np.ndarray], float, bool, bool, dict[str, Any]]:
        if self._run is None or self._over:
            raise RuntimeError("the episode is over: reset()")
        k, before = int(action), self._passed
        chosen = k if k != self.window and self._seen["mask"][k] else None
        if chosen is None:
            self._info["invalid"] += k != self.window
            if self._first is not None and self._view.free_units == self._processors:
                chosen = self._first
        if chosen is not None:
            task = self._view.queued_at(chosen)
            assert task is not None
            self._plan.start(task)
            self._queued = self._view.queued
            if self._queued > 0:
                self._look()
        if chosen is None or self._queued == 0:
            self._run.decide()
            self._go_on()
        reward = (before - self._passed) / self.episode / SECOND / 3600 if self.dense else 0.0
        if self._over:
            result = self._run.finish()
            self._info["figures"] = result.figures
            self._info["schedule_digest"] = result.schedule_digest
            if not self.dense:
                reward = -result.figures[REWARDS[self.reward]]
        return self._seen, float(reward), self._over, False, dict(self._info)

    def render(self) -> str | None:
        if self.render_mode != "ansi" or self._run is None:
            return None
        p = self._run.progress
        free = self._processors if self._over else self._view.free_units
        state = f"{p['waiting']} queued, {p['running']} running, {free} of {self._processors} free"
        return f"t={p['now']} ns: {state}"


def register() -> None:
    """Make the environments known to gymnasium.make."""
    if "hindcast/Batch-v0" not in gymnasium.registry:
        gymnasium.register("hindcast/Batch-v0", entry_point="hindcast.gym:Batch")


register()

__all__ = ["COLUMNS", "REWARDS", "Batch", "register"]
