"""Environments for learning agents, as Gymnasium has them: `gymnasium.make("hindcast/Batch-v0", source=...)`.

Importing this module registers them. It needs `gymnasium` and `numpy` from PyPI.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from .configs import Source
from .gym_episodes import REWARDS, Rows, Steps
from .gym_place import Place
from .gym_refuse import Refuse
from .gym_spaces import CQGym, DeepRM, IRMaSim, RLScheduler
from .runs import Run
from .units import SECOND

#: columns of an observation's tasks
COLUMNS = ("waited", "estimate", "share", "fits", "user", "priority")


class Batch(Steps):
    """Choose the next of a batch queue: which task starts, or that none does until something happens.

    An episode is `episode` tasks that follow each other in a workload, from a place that `reset` draws (or
    `options={"start": n}` names), on its machine, which is empty at first.

    Observation: `tasks`, a row for each of the first `window` queued tasks (waited, estimate: log10 of 1 + s;
    share of the machine; fits; user; priority), `cell` (the free share of the machine, log10 of 1 + queued
    tasks) and `mask`, which actions can be carried out. Action k starts the k-th queued task; action `window`
    waits for the next arrival or end. One that cannot be carried out waits, too (`info["invalid"]` counts
    them). On an idle machine waiting starts the first task that fits, since nothing else would happen.

    Reward: the negative of a mean over the episode's tasks (wait, response, slowdown, bounded_slowdown), of
    the makespan, the energy, or energy times time (`edp`), when it is over. Other keys of the configuration,
    such as `power`, are those of each episode if it is a dict; its policy is the agent. With `dense`, which
    is for wait alone, it comes step by step: minus the time that passed, times the tasks that were queued,
    over the episode's tasks; all in hours. Their sum is the mean wait.
    """

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
        if dense and reward != "wait":
            raise ValueError("dense: only the wait comes step by step")
        self.render_mode = render_mode
        self.window, self.episode, self.reward, self.dense = window, episode, reward, dense
        self._rows = Rows(source, episode, reward)
        self._processors, self._jobs = self._rows.processors, self._rows.jobs
        self._parts = {
            "tasks": spaces.Box(-1.0, np.float32(3.4e38), (window, len(COLUMNS)), np.float32),
            "cell": spaces.Box(0.0, np.float32(3.4e38), (2,), np.float32),
            "mask": spaces.MultiBinary(window + 1),
        }
        self.observation_space: Any = spaces.Dict(self._parts)
        self.action_space: Any = spaces.Discrete(window + 1)

    @property
    def job_count(self) -> int:
        """How many jobs the workload has, of which an episode begins with one: `reset(options={"start": 17})`."""
        return len(self._jobs)

    # ---- an episode ----

    def _begin(self, options: Mapping[str, Any] | None) -> tuple[Run, dict[str, Any]]:
        start = self._rows.draw(self.np_random, options)
        self._passed = self._before = 0.0
        self._at = self._queued = 0
        return self._rows.begin(start, {"use": "outside", "asks": ["needs_estimate"]}), {"start": start}

    def _wants(self) -> bool:
        now = self._view.now
        self._passed += self._queued * (now - self._at)
        self._at, self._queued = now, self._view.queued
        return self._queued > 0

    def _look(self) -> dict[str, np.ndarray]:
        tasks = np.empty((self.window, len(COLUMNS)), np.float32)
        mask, cell = np.empty(self.window + 1, np.int8), np.empty(2, np.float32)
        self._first = self._view.observe(tasks, mask, cell)
        return {"tasks": tasks, "cell": cell, "mask": mask}

    def _act(self, action: int) -> bool:
        self._before = self._passed
        chosen: int | None = action
        if action == self.window or not self._seen["mask"][action]:
            idle = self._view.free_units == self._processors
            chosen = self._first if idle else None
        if chosen is None:
            return False
        task = self._view.queued_at(chosen)
        assert task is not None
        self._plan.start(task)
        self._queued = self._view.queued
        return self._queued > 0

    def _on_the_way(self) -> float:
        return (self._before - self._passed) / self.episode / SECOND / 3600 if self.dense else 0.0

    def render(self) -> str | None:
        if self.render_mode != "ansi" or self._run is None:
            return None
        p = self._run.progress
        free = self._processors if self._over else self._view.free_units
        state = f"{p['waiting']} queued, {p['running']} running, {free} of {self._processors} free"
        return f"t={p['now']} ns: {state}"


#: what is registered, by name
ENVIRONMENTS = {
    "Batch-v0": "hindcast.gym:Batch",
    "Place-v0": "hindcast.gym_place:Place",
    "Refuse-v0": "hindcast.gym_refuse:Refuse",
    "DeepRM-v0": "hindcast.gym_spaces:DeepRM",
    "RLScheduler-v0": "hindcast.gym_spaces:RLScheduler",
    "CQGym-v0": "hindcast.gym_spaces:CQGym",
    "IRMaSim-v0": "hindcast.gym_spaces:IRMaSim",
}


def register() -> None:
    """Make the environments known to gymnasium.make."""
    for name, entry in ENVIRONMENTS.items():
        if f"hindcast/{name}" not in gymnasium.registry:
            vector = "hindcast.gym_vector:Batches" if name == "Batch-v0" else None
            gymnasium.register(f"hindcast/{name}", entry_point=entry, vector_entry_point=vector)


register()

__all__ = [
    "COLUMNS",
    "REWARDS",
    "Batch",
    "CQGym",
    "DeepRM",
    "IRMaSim",
    "Place",
    "RLScheduler",
    "Refuse",
    "register",
]
