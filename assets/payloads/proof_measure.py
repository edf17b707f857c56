"""Comparing and timing, so that a number means something.

Timing: events of the card itself, after a warm-up, with the L2 cache overwritten before every run. How often
something runs follows from a budget in milliseconds, so that a small card and a large one take the same time.
Implementations that are compared take turns, so that a card that grows warm slows all of them alike.
"""

import statistics

import proof_conditions
import proof_events
import torch

WARM_UP_MS = 60.0
BUDGET_MS = 240.0
ROUNDS = 4
LEAST_RUNS, MOST_RUNS = 6, 300


def relative_error(result, reference):
    """||result - reference|| / ||reference|| in float64; NaN and infinity give infinity."""
    result, reference = result.double(), reference.double()
    error = (torch.linalg.vector_norm(result - reference) / torch.linalg.vector_norm(reference)).item()
    return error if error == error else float("inf")


def poisoned(*shape, dtype, device):
    """An output filled with NaN: an element that no program writes cannot pass."""
    return torch.full(shape, float("nan"), dtype=dtype, device=device)


def poison_free_memory(like):
    """Fills a free block of this size with NaN: the next output of that size, allocated by a library, starts poisoned.

    Without it the block may still hold the right result of an earlier run, and a kernel that writes nothing would pass.
    """
    torch.full_like(like, float("nan"))


class Timer:
    """Times functions on the card. Keeps one buffer, twice as large as the L2 cache, to overwrite the cache with.

    `conditions` holds clocks, power and temperature for each function that was compared, read under its load.
    """

    def __init__(self, l2_bytes):
        self.conditions = {}
        self._flush = torch.empty(max(32 << 20, 2 * (l2_bytes or 0)), dtype=torch.int8, device="cuda")

    def compare(self, runs, budget_ms=BUDGET_MS):
        """Milliseconds of each run of each function: {name: [ms, ...]}; `runs` is {name: function}."""
        counts = {name: self._count(run, budget_ms) for name, run in runs.items()}
        times = {name: [] for name in runs}
        order = list(runs)
        for turn in range(ROUNDS):
            # Another one begins in each round: what runs after a hot neighbour starts with lower clocks.
            begin = turn * len(order) // ROUNDS
            for name in order[begin:] + order[:begin]:
                times[name] += self._time(runs[name], counts[name], name)
        return times

    def _count(self, run, budget_ms):
        run()
        torch.cuda.synchronize()
        one = max(statistics.median(self._time(run, 3)), 1e-3)
        for _ in range(min(MOST_RUNS, int(WARM_UP_MS / one) + 1)):
            run()
        torch.cuda.synchronize()
        return max(LEAST_RUNS // ROUNDS, min(MOST_RUNS, int(budget_ms / one)) // ROUNDS)

    def _time(self, run, count, name=None):
        pairs = []
        for _ in range(count):
            self._flush.zero_()
            began, ended = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            began.record()
            run()
            ended.record()
            pairs.append((began, ended))
        if name is not None:
            # Everything is queued and the card still works on it: a moment later its clocks would fall.
            self.conditions[name] = proof_conditions.now()
        torch.cuda.synchronize()
        return [began.elapsed_time(ended) for began, ended in pairs]


def spread(times):
    """Median, 20th and 80th percentile."""
    ordered = sorted(times)
    at = lambda share: ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]  # noqa: E731
    return statistics.median(ordered), at(0.2), at(0.8)


def report(kernel, shape, dtype, times, work, unit, reference, errors, error_limit, conditions, silent=()):
    """Says one benchmark line for each implementation in `times`.

    `times`, `conditions`: of each implementation, from a Timer. `work`: bytes moved or operations done by one run.
    `reference`: the implementation that ratios refer to. `errors`: relative error of each implementation, none where
    nothing can be wrong. `silent`: not said, only referred to.
    """
    medians = {name: spread(values)[0] for name, values in times.items()}
    for name, values in times.items():
        if name in silent:
            continue
        median, p20, p80 = spread(values)
        proof_events.say(
            "benchmark", kernel=kernel, implementation=name, shape=shape, dtype=dtype, median_ms=median, p20_ms=p20, p80_ms=p80,
            value=work / median / (1e6 if unit == "GB/s" else 1e9), unit=unit, error=errors.get(name),
            error_limit=error_limit if errors.get(name) is not None else None, reference=reference,
            ratio_to_reference=medians[reference] / median, conditions={**conditions.get(name, {}), "runs": len(values)},
        )  # fmt: skip
