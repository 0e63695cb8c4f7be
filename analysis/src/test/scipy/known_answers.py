"""Values of HodgesLehmannTest, ChangePointsTest, LimitPosteriorTest and SerialCorrelationTest, computed by scipy 1.17.1 and numpy alone: python3 known_answers.py

An end of an interval is found by bisection: the shift at which the exact test of scipy begins to refuse.
"""
import itertools
import math
import numpy
from scipy import stats

PAIRS = [0.021, -0.013, 0.034, 0.007, 0.048, -0.002, 0.015, 0.029, 0.011, -0.021]
FIRST = [10.31, 10.07, 9.88, 10.52, 10.19, 9.95, 10.44, 10.02, 10.63, 9.79]
SECOND = [9.71, 9.46, 9.93, 9.60, 9.29, 9.84, 9.52, 9.66, 9.38, 9.77]


def edge(refused, inside, outside):
    for _ in range(200):
        middle = (inside + outside) / 2
        inside, outside = (inside, middle) if refused(middle) else (middle, outside)
    return inside


def paired(d, alpha):
    d = numpy.array(d)
    centre = numpy.median([(a + b) / 2 for a, b in itertools.combinations_with_replacement(d, 2)])
    refused = lambda s: stats.wilcoxon(d - s, method="exact").pvalue <= alpha
    return centre, edge(refused, centre, d.min() - 1), edge(refused, centre, d.max() + 1)


def shift(x, y, alpha):
    x, y = numpy.array(x), numpy.array(y)
    centre = numpy.median([b - a for a in x for b in y])
    refused = lambda s: stats.mannwhitneyu(x + s, y, method="exact").pvalue <= alpha
    span = numpy.ptp(numpy.concatenate([x, y]))
    return centre, edge(refused, centre, centre - 2 * span), edge(refused, centre, centre + 2 * span)


def energy(z, t, end):
    x, y = z[:t], z[t:end]
    mean = lambda a, b: numpy.mean([abs(p - q) for p in a for q in b])
    within = lambda a: numpy.mean([abs(p - q) for p, q in itertools.combinations(a, 2)])
    return len(x) * len(y) / end * (2 * mean(x, y) - within(x) - within(y))


for n in (6, 10):
    for alpha in (0.05, 0.04):
        print("paired", n, alpha, paired(PAIRS[:n], alpha))
        print("shift", n, alpha, shift(FIRST[:n], SECOND[:n], alpha))
print("shift 10 8", shift(FIRST, SECOND[:8], 0.05))
for n, w in ((6, 0), (6, 1), (10, 8), (10, 9), (20, 52), (30, 137)):
    d = numpy.arange(1, n + 1)
    # A sum of positive ranks of w: take ranks greedily from the top.
    rest, positive = w, set()
    for r in range(n, 0, -1):
        if r <= rest:
            positive.add(r)
            rest -= r
    values = [r if r in positive else -r for r in range(1, n + 1)]
    print("P(V <= %d; %d)" % (w, n), repr(stats.wilcoxon(values, method="exact", alternative="less").pvalue))
for m, n, u in ((6, 6, 5), (10, 10, 23), (20, 20, 127), (8, 12, 22)):
    # The first sample as low as can be, then raised past u of the second.
    y = [float(i + 1) for i in range(n)]
    x, rest = [], u
    for i in range(m):
        above = min(rest, n)
        x.append(above + 0.5 + i / 1000)
        rest -= above
    print("P(U <= %d; %d, %d)" % (u, m, n), repr(stats.mannwhitneyu(x, y, method="exact", alternative="less").pvalue),
          stats.mannwhitneyu(x, y).statistic)
for z, shortest in (([4, 7, 5, 6, 4, 6, 11, 13, 12, 10, 14, 12], 2), ([4, 7, 5, 6, 4, 6, 11, 13, 12, 5, 4, 7, 6, 5, 6], 3)):
    qualities = [(t, end, energy(z, t, end)) for t in range(shortest, len(z)) for end in range(t + shortest, len(z) + 1)]
    print("split", max(qualities, key=lambda q: q[2]))


def posterior(trials, least=100, most=10000, step=0.005, spreads=(0.008, 0.015, 0.03, 0.06, 0.12)):
    """Ends and median of the limit at 98 %, the mean spread, and the probability of a limit of at most 1,003."""
    lowest = math.log(least)
    points = [lowest + i * step for i in range(math.ceil((math.log(most) - lowest) / step) + 1)]
    weights = [[1.0] * len(points) for _ in spreads]
    for load, held, times in trials:
        for s, spread in enumerate(spreads):
            for i, point in enumerate(points):
                p = 0.05 + 0.9 * 0.5 * math.erfc((math.log(load) - point) / spread / math.sqrt(2))
                weights[s][i] *= (p if held else 1 - p) ** times
    total = sum(map(sum, weights))
    density = [sum(row[i] for row in weights) / total for i in range(len(points))]

    def quantile(part):
        below = 0
        for i, d in enumerate(density):
            if below + d >= part:
                return math.exp(points[i] + ((part - below) / d - 0.5) * step)
            below += d

    return [quantile(0.01), quantile(0.5), quantile(0.99), sum(s * sum(row) for s, row in zip(spreads, weights)) / total,
            sum(d for d, point in zip(density, points) if point <= math.log(1003))]


for trials in ([], [(1000, True, 1)], [(900, True, 2), (1000, True, 1), (1000, False, 1), (1100, False, 1), (1200, False, 2)],
               [(800, True, 4), (820, False, 4)], [(300, True, 3), (3000, False, 3)]):
    print("limit", trials, posterior(trials))


def orders(values):
    """The lag-1 autocorrelation, and the share of all orders with one at least as high."""
    values = [v - sum(values) / len(values) for v in values]
    products = lambda order: sum(a * b for a, b in zip(order, order[1:]))
    shares = [products(order) >= products(values) - 1e-12 for order in itertools.permutations(values)]
    return products(values) / sum(v * v for v in values), sum(shares) / len(shares)


for values in ([1, 3, 2, 4, 5, 7, 6], [1, 2, 3, 4, 5, 6, 7], [5, 1, 4, 2, 6, 3, 7]):
    print("orders", values, orders(values))
