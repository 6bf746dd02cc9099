"""Environments for learning agents, as Gymnasium has them: `gymnasium.make("hindcast/Batch-v0", source=...)`.

Importing this module registers them. It needs `gymnasium` and `numpy` from PyPI.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces

from .configs import Source
from .gym_episodes import REWARDS, Environment, Rows
from .gym_place import Place
from .gym_refuse import Refuse
from .gym_spaces import CQGym, DeepRM, IRMaSim, RLScheduler
from .units import SECOND

#: columns of an observation's tasks
COLUMNS = ("waited", "estimate", "share", "fits", "user", "priority")


class Batch(Environment):
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
    such as `power`, are those of each episode. With `dense`, which is for wait alone, it comes step by step:
    minus the time that passed, times the tasks that were queued, over the episode's tasks; all in hours.
    Their sum is the mean wait.
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
        self.observation_space: Any = spaces.Dict(
            {
                "tasks": spaces.Box(-1.0, np.float32(3.4e38), (window, len(COLUMNS)), np.float32),
                "cell": spaces.Box(0.0, np.float32(3.4e38), (2,), np.float32),
                "mask": spaces.MultiBinary(window + 1),
            }
        )
        self.action_space: Any = spaces.Discrete(window + 1)

    # ---- an episode ----

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        super().reset(seed=seed)
        start = self._rows.draw(self.np_random, options)
        self._run = self._rows.begin(start, {"use": "outside", "asks": ["needs_estimate"]})
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
            reward += self._ended(self._run.finish)
        return self._seen, float(reward), self._over, False, dict(self._info)


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
