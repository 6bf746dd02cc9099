"""hindcast/Batch-v0 many times over: a step of all environments is one call of C, in as many threads as asked."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from . import _native
from .configs import Collected, Source
from .gym_episodes import EARNED, Rows

_COLUMNS = ("submit", "run", "limit", "processors", "user", "group", "executable", "queue")
_UNKNOWN = np.iinfo(np.int64).min


class Batches(VectorEnv[dict[str, np.ndarray], np.ndarray, np.ndarray]):
    """`num_envs` environments of Batch side by side, with its arguments, observations, actions and rewards:
    each does what one of its own does, to the bit.

    `gymnasium.make_vec("hindcast/Batch-v0", num_envs=64, vectorization_mode="vector_entry_point",
    vector_kwargs={"source": ..., "threads": 2})`. Seeds are those of Gymnasium's own vectors: environment i
    is that of seed + i. The step after the last of an episode begins the next one (NEXT_STEP): its action
    does not matter, and it earns nothing. `infos` are arrays: `start`, and `invalid` at the end of an
    episode; figures are not told, so that of the configuration's `metrics` none but the reward's is counted.
    With `copy=False` the arrays are the same at each step.
    """

    def __init__(
        self,
        num_envs: int = 1,
        *,
        source: Source,
        threads: int = 1,
        window: int = 64,
        episode: int = 256,
        reward: str = "bounded_slowdown",
        dense: bool = False,
        copy: bool = True,
        render_mode: str | None = None,
    ) -> None:
        if dense and reward != "wait":
            raise ValueError("dense: only the wait comes step by step")
        if render_mode is not None:
            raise ValueError("render_mode: many at once are not drawn; make one environment")
        self.metadata = {"autoreset_mode": AutoresetMode.NEXT_STEP}
        self.render_mode, self.copy, self.num_envs = None, copy, num_envs
        self._rows = Rows(source, episode, reward)
        keys = {**self._rows.keys, "metrics": [EARNED[reward][0]]}
        registry = Collected()
        table = np.array(
            [[_UNKNOWN if job[c] is None else job[c] for c in _COLUMNS] for job in self._rows.jobs], np.int64
        )
        self._native = _native.Batches(
            registry.registry,
            json.dumps(registry.plain(keys)),
            table,
            self._rows.processors,
            window,
            episode,
            num_envs,
            threads,
            EARNED[reward][1],
            dense,
        )
        most = np.float32(3.4e38)
        single = {
            "tasks": spaces.Box(-1.0, most, (window, 6), np.float32),
            "cell": spaces.Box(0.0, most, (2,), np.float32),
            "mask": spaces.MultiBinary(window + 1),
        }
        self.single_observation_space: Any = spaces.Dict(single)
        self.single_action_space: Any = spaces.Discrete(window + 1)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._randoms: list[np.random.Generator] = []
        self._tasks = np.zeros((num_envs, window, 6), np.float32)
        self._cells = np.zeros((num_envs, 2), np.float32)
        self._masks = np.zeros((num_envs, window + 1), np.int8)
        self._rewards = np.zeros(num_envs)
        self._over = np.zeros(num_envs, np.int8)
        self._starts = np.full(num_envs, -1, np.int64)
        self._begun = np.zeros(num_envs, np.int64)

    def _step(self, actions: np.ndarray) -> None:
        self._native.step(
            actions, self._starts, self._tasks, self._cells, self._masks, self._rewards, self._over
        )

    def _seen(self) -> dict[str, np.ndarray]:
        seen: dict[str, np.ndarray] = {"tasks": self._tasks, "cell": self._cells, "mask": self._masks}
        if self.copy:
            seen = {name: np.array(array) for name, array in seen.items()}
        return seen

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        seeds: list[int | None] = [None] * self.num_envs
        if isinstance(seed, int):
            seeds = [seed + i for i in range(self.num_envs)]
        elif seed is not None:
            seeds = list(seed)
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {self.num_envs} of them are wanted")
        for i, s in enumerate(seeds):
            if s is not None or len(self._randoms) <= i:
                self._randoms[i : i + 1] = [seeding.np_random(s)[0]]
        for i, random in enumerate(self._randoms):
            self._starts[i] = self._rows.draw(random, options)
        self._begun[:] = self._starts
        self._step(np.zeros(self.num_envs, np.int64))
        return self._seen(), {"start": self._begun.copy()}

    def step(
        self, actions: Any
    ) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        if not self._randoms:
            raise RuntimeError("no episode has begun: reset()")
        self._starts[:] = -1
        for i in np.flatnonzero(self._over):
            self._starts[i] = self._begun[i] = self._rows.draw(self._randoms[i], None)
        self._step(np.ascontiguousarray(actions, np.int64))
        over = self._over.astype(bool)
        infos: dict[str, Any] = {"start": self._begun.copy()}
        if over.any():
            infos["invalid"] = np.array(self._native.invalid())
        rewards = self._rewards.copy() if self.copy else self._rewards
        return self._seen(), rewards, over, np.zeros(self.num_envs, bool), infos

    def action_masks(self) -> np.ndarray:
        """Which actions of each can be carried out now."""
        return self._masks.astype(bool)


__all__ = ["Batches"]
