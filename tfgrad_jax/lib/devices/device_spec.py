"""`tf.DeviceSpec`: the parts of a device's name."""

from __future__ import annotations

import dataclasses
from typing import Any

from tfgrad_jax.engine.names.export import export


@export("DeviceSpec")
@dataclasses.dataclass(frozen=True, repr=False)
class DeviceSpec:
    """Where an operation runs, perhaps only in part. Mirrors `tf.DeviceSpec`.

    Args:
      job, replica, task: which process.
      device_type: `"CPU"`, `"GPU"` or `"TPU"`.
      device_index: which of its devices.
    """

    job: str | None = None
    replica: int | None = None
    task: int | None = None
    device_type: str | None = None
    device_index: int | None = None

    def __post_init__(self) -> None:
        if str(self.device_type).upper() in ("CPU", "GPU", "TPU"):
            object.__setattr__(self, "device_type", str(self.device_type).upper())

    @classmethod
    def from_string(cls, spec: str | None) -> DeviceSpec:
        """The parts of a name such as `"/job:worker/replica:0/task:0/device:CPU:0"`; none where there is no name.

        Raises:
          ValueError: if the name is not understood.
        """
        found: dict[str, Any] = {}
        for part in filter(None, (spec or "").split("/")):
            key, *values = part.split(":")
            if key == "job" and len(values) == 1:
                found[key] = values[0]
            elif key in ("replica", "task") and len(values) == 1:
                found[key] = int(values[0])
            elif (key == "device" and len(values) == 2) or (key.upper() in ("CPU", "GPU", "TPU") and len(values) < 2):
                kind, index = values if key == "device" else (key, *values, "*")[:2]
                if "device_type" in found:
                    raise ValueError(f"Multiple device types are not allowed while parsing the device spec: {spec}.")
                found.update(device_type=kind, device_index=None if index == "*" else int(index))
            else:
                raise ValueError(f"Unknown attribute {key!r} is encountered while parsing the device spec: {spec!r}.")
        return cls(**found)

    def parse_from_string(self, spec: str | None) -> DeviceSpec:
        """`from_string`, as a method."""
        return self.from_string(spec)

    def to_string(self) -> str:
        """The name, of the parts that are known."""
        parts = [
            f"/{k}:{v}" for k, v in [("job", self.job), ("replica", self.replica), ("task", self.task)] if v is not None
        ]
        if self.device_type is not None:
            parts.append(f"/device:{self.device_type}:{'*' if self.device_index is None else self.device_index}")
        return "".join(parts)

    def replace(self, **kwargs: Any) -> DeviceSpec:
        """The same with other parts."""
        return dataclasses.replace(self, **kwargs)

    def make_merged_spec(self, dev: DeviceSpec) -> DeviceSpec:
        """The parts of `dev`, and for those that it leaves open these."""
        return self.replace(**{k: v for k, v in dataclasses.asdict(dev).items() if v is not None})

    def __repr__(self) -> str:
        return f"<DeviceSpec({', '.join(f'{k}={v}' for k, v in dataclasses.asdict(self).items())})>"
