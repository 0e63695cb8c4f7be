"""Values of SectionsTest, computed from all samples one by one as the class says it in words: python3 sections.py"""
import bisect
import math

T19 = 2.093024  # the quantile of Student's distribution with 19 degrees of freedom that 2.5 % exceed


def variance(counts, sizes, groups):
    n, ratio = len(counts), sum(counts) / sum(sizes)
    off = []
    for g in range(groups):
        mine = range(g * n // groups, (g + 1) * n // groups)
        off.append(sum(counts[i] - ratio * sizes[i] for i in mine))
    return sum(x * x for x in off) / (groups - 1) * groups / sum(sizes) ** 2


def ratio(counts, sizes):
    return sum(counts) / sum(sizes), max(variance(counts, sizes, 10), variance(counts, sizes, min(20, len(counts))))


def tail(parts, everything, beyond):
    """The relative variance of the share beyond the value whose share is nearest, and whether it is that of independent samples."""
    n = len(everything)
    values = sorted(set(everything))
    share = {v: (n - bisect.bisect_right(everything, v)) / n for v in values}
    share[0] = 1
    value = min([0] + values, key=lambda v: (abs(share[v] - beyond) if share[v] > 0 else math.inf, -v))
    p, var = ratio([sum(1 for x in part if x > value) for part in parts], [len(part) for part in parts])
    least = p * (1 - p) / n
    return (least if var <= 1.5 * least else var) / p ** 2, var <= 1.5 * least


def at(everything, rank):
    return everything[min(len(everything), max(1, math.ceil(rank * len(everything) - 1e-6))) - 1]


def percentile(parts, rank):
    everything = sorted(x for part in parts for x in part)
    relative, independent = tail(parts, everything, 1 - rank)
    if not independent and 2 * (1 - rank) < 0.5:
        relative = max(relative, 2 * tail(parts, everything, 2 * (1 - rank))[0])
    episodes = rank / relative
    if episodes < 14:
        return max(1, episodes)
    if not independent:
        relative *= 1 + 10 / episodes
    odds, off = math.log(rank / (1 - rank)), T19 * math.sqrt(relative) / rank
    return at(everything, 1 / (1 + math.exp(off - odds))), at(everything, 1 / (1 + math.exp(-off - odds))), episodes


def alike(section):
    return [1 + (i * 37 + section * 101) % 997 for i in range(200)]


def levels(section):
    return [1 + (i * 37 + section * 101) % 997 + section * section % 7 * 40 for i in range(100 + section * 3)]


def rare(section):
    return [1 + i % 100 for i in range(300)] + [900 + j for j in range(20 if section % 5 == 2 else 0)]


def halves(section):
    return [1] * (100 + section % 3) + [100] * (100 + section % 3)


for name, source, count in (("alike", alike, 40), ("levels", levels, 37), ("rare", rare, 24), ("fewer", levels, 13), ("ten", levels, 10), ("halves", halves, 12)):
    parts = [source(section) for section in range(count)]
    for one in (0.5, 0.9, 0.99, 0.999):
        print(name, 100 * one, percentile(parts, one))

counts = [1000 + i * i % 17 * 30 for i in range(37)]
value, var = ratio(counts, [1.0] * 37)
print("rate", value, value - T19 * math.sqrt(var), value + T19 * math.sqrt(var))
