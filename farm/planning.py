"""How a range of units is cut into shards."""

import math

from farm.run_directory import Segment

TARGET_SHARD_SECONDS = 5.0
MINIMUM_SHARD_SECONDS = 0.5
DRIVER_SECONDS = 0.0025
"""That a driver is busy with a shard, by tests/benchmarks/farm_scale.py."""
DRIVER_LOAD = 0.4
"""Of a driver's time: a cluster so large that it would be busier has longer shards."""
SHARDS_PER_CPU = 8


def suitable_size(taken_up: int, units: int, seconds: float, cpus: int) -> int:
    """Units for a shard of TARGET_SHARD_SECONDS, or fewer so that every CPU gets several.

    But not so few that a shard would be done in less than MINIMUM_SHARD_SECONDS; and more where so
    many CPUs would keep the driver busier than DRIVER_LOAD.
    taken_up: of these units, those that are still open. seconds: for each of them.
    """
    target = max(TARGET_SHARD_SECONDS, cpus * DRIVER_SECONDS / DRIVER_LOAD)
    for_all = taken_up / (SHARDS_PER_CPU * cpus)
    wanted = min(target / seconds, max(for_all, MINIMUM_SHARD_SECONDS / seconds))
    return round_figure(wanted * units / taken_up)


def tapered(start: int, stop: int, size: int) -> list[Segment]:
    """Segments whose shards become smaller towards the end: nobody waits long for the last one."""
    segments = []
    for share, factor in ((0.75, 1), (0.75, 4), (1.0, 16)):
        shard = max(1, size // factor)
        length = math.ceil((stop - start) * share / shard) * shard
        end = min(stop, start + length)
        if end > start:
            segments.append(Segment(start=start, stop=end, size=shard))
        start = end
    return segments


def round_figure(size: float) -> int:
    """The largest of 1, 2, 5, 10, 20, 50, ... that is not above the size; at least 1."""
    power = int(10 ** math.floor(math.log10(max(1.0, size))))
    return max(figure * power for figure in (1, 2, 5) if figure == 1 or figure * power <= size)
