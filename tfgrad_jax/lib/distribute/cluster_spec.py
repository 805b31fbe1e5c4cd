"""`tf.train.ClusterSpec`: which processes there are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tfgrad_jax.engine.names.export import export


@export("train.ClusterSpec")
class ClusterSpec:
    """The addresses of processes by job and number. Mirrors `tf.train.ClusterSpec`.

    Args:
      cluster: by job a list of addresses, or a dictionary of them by number; or another spec.

    Raises:
      TypeError: if it is something else.
    """

    def __init__(self, cluster: Any) -> None:
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_dict()
        if not isinstance(cluster, Mapping):
            raise TypeError(
                "`cluster` must be a dictionary mapping one or more job names to lists of network addresses, or a `ClusterDef` "
                "protocol buffer"
            )
        for job in cluster:
            if not isinstance(job, (str, bytes)):
                raise TypeError(f"Job name {job!r} must be bytes or unicode")
        names = {job: job.decode() if isinstance(job, bytes) else job for job in cluster}
        self._jobs = {names[job]: _tasks(job, tasks) for job, tasks in cluster.items()}

    @property
    def jobs(self) -> list[str]:
        """The names of the jobs."""
        return list(self._jobs)

    def as_dict(self) -> dict[str, Any]:
        """By job a list of addresses, or a dictionary where numbers are left out."""
        return {job: list(t.values()) if list(t) == list(range(len(t))) else dict(t) for job, t in self._jobs.items()}

    def num_tasks(self, job_name: str) -> int:
        """How many processes a job has.

        Raises:
          ValueError: if there is no such job.
        """
        return len(self._job(job_name))

    def task_indices(self, job_name: str) -> list[int]:
        """The numbers of a job's processes; raises as `num_tasks`."""
        return sorted(self._job(job_name))

    def task_address(self, job_name: str, task_index: int) -> str:
        """The address of a process.

        Raises:
          ValueError: if there is no such job or process.
        """
        tasks = self._job(job_name)
        if task_index not in tasks:
            raise ValueError(f"No task with index {task_index!r} in job {job_name!r}")
        return tasks[task_index]

    def job_tasks(self, job_name: str) -> list[str | None]:
        """The addresses of a job by number, None where one is left out; raises as `num_tasks`."""
        tasks = self._job(job_name)
        return [tasks.get(i) for i in range(max(tasks, default=-1) + 1)]

    def _job(self, name: str) -> dict[int, str]:
        if name not in self._jobs:
            raise ValueError(f"No such job in cluster: {name!r}")
        return self._jobs[name]

    def __bool__(self) -> bool:
        return bool(self._jobs)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ClusterSpec) and self._jobs == other._jobs

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        found = self.as_dict()
        return f"ClusterSpec({{{', '.join(f'{job!r}: {found[job]!r}' for job in sorted(found))}}})"


def _tasks(job: Any, tasks: Any) -> dict[int, str]:
    if isinstance(tasks, (list, tuple)):
        tasks = dict(enumerate(tasks))
    if not isinstance(tasks, Mapping):
        raise TypeError(f"The tasks for job {job!r} must be a list or a dictionary from integers to strings.")
    found = {}
    for number, address in sorted(tasks.items()):
        if not isinstance(address, (str, bytes)):
            raise TypeError(f"Task address {address!r} must be bytes or unicode")
        found[int(number)] = address.decode() if isinstance(address, bytes) else address
    return found
