"""A study carried out by Dask, or by Ray, on a cluster: the same store, to the byte, as by `hindcast study run`.

    python3 examples/python/clusters.py dask|ray [STUDY.yaml]

Both clusters are of two workers on this machine; another one is reached in their usual ways, if its workers
have the package and see the folder of the store. Needs dask and distributed, or ray.
"""

import contextlib
import filecmp
import sys
import tempfile
from concurrent.futures import Executor

import hindcast


@contextlib.contextmanager
def dask():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        yield client.get_executor()


@contextlib.contextmanager
def ray():
    import ray

    class RayExecutor(Executor):
        def submit(self, work, /, *args, **named):
            return ray.remote(work).remote(*args, **named).future()

    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    try:
        yield RayExecutor()
    finally:
        ray.shutdown()


def main(kind, study="examples/studies/backfilling.yaml"):
    with tempfile.TemporaryDirectory() as folder:
        here, there = f"{folder}/here.db", f"{folder}/there.db"
        hindcast.study(study, here)
        with {"dask": dask, "ray": ray}[kind]() as executor:
            points = hindcast.study(study, there, executor=executor).points
        same = filecmp.cmp(here, there, shallow=False)
    print(f"{kind}: {len(points)} points; the store is {'the same, to the byte' if same else 'another one'}")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
