"""Values of HodgesLehmannTest, ChangePointsTest, LimitPosteriorTest, SerialCorrelationTest, ScalingFitTest, WindowModelTest and WindowFitTest, computed
by scipy 1.17.1 and numpy alone: python3 known_answers.py (the windows take some minutes)

An end of an interval is found by bisection: the shift at which the exact test of scipy begins to refuse.
"""
import itertools
import math
import random

import numpy
from scipy import stats
from scipy.optimize import differential_evolution

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


def posterior(trials, least=100, most=10000, step=0.005, spreads=(0.008, 0.015, 0.03, 0.06, 0.12, 0.24, 0.48)):
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


# ---- windows by the likelihood that WindowFit describes, and the borders of what ScalingFit leaves possible ----

T = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145]
FIELDS = {"NOTHING": [], "MESSAGES": ["c", "w"], "BYTES": ["c", "b", "o"], "BOTH": ["c", "w", "b", "o"]}

def names(model): return ["s", "t0", "t1"] + FIELDS[model]

def cost(model, p, rates):
    """Minus the log likelihood of WindowFit's Javadoc, with its priors. p: logarithms by name."""
    v = {k: math.exp(max(-200, min(200, x))) for k, x in p.items()}
    total = 0
    for rt, size, rate, most, seconds, held in rates:
        rnd = rt + v.get("c", 0)
        t = max(v["t0"] + v["t1"] * size, 1 / most)
        if "w" in v: t = max(t, rnd / v["w"])
        if "b" in v: t = max(t, rnd * (size + v["o"]) / v["b"])
        last = max(rt, 1 / rate) / seconds
        above = math.hypot(0.01, last / math.sqrt(12))
        below = math.sqrt(above ** 2 + v["s"] ** 2 + (held / seconds) ** 2 + last ** 2 / 3)
        off = math.log(rate * t)
        e = off / (above if off > 0 else below)
        total += 2.5 * math.log1p(e * e / 4) + math.log((above + below) / 2)
    if "c" in p:
        far = max(r[0] for r in rates)
        total += ((p["c"] - math.log(0.0007)) / 1.5) ** 2 / 2 + 10 * max(0, p["c"] - math.log(far)) ** 2
    if "o" in p: total += 10 * max(0, p["o"] - math.log(2000)) ** 2
    return total + sum(max(0, abs(x) - 40) for x in p.values())

def nm(f, x0, step, it=1500):
    n = len(x0)
    S = [list(x0)] + [[x + (step if i == j else 0) for j, x in enumerate(x0)] for i in range(n)]
    F = [f(s) for s in S]
    for _ in range(it):
        o = sorted(range(n + 1), key=lambda i: F[i]); S = [S[i] for i in o]; F = [F[i] for i in o]
        if F[-1] - F[0] < 1e-11 and max(abs(a - b) for s in S[1:] for a, b in zip(s, S[0])) < 1e-8: break
        c = [sum(s[j] for s in S[:-1]) / n for j in range(n)]
        pt = lambda k: [cj + k * (cj - wj) for cj, wj in zip(c, S[-1])]
        r = pt(1); fr = f(r)
        if fr < F[0]:
            e = pt(2); fe = f(e)
            S[-1], F[-1] = (e, fe) if fe < fr else (r, fr)
        elif fr < F[-2]: S[-1], F[-1] = r, fr
        else:
            k = pt(0.5 if fr < F[-1] else -0.5); fk = f(k)
            if fk < min(fr, F[-1]): S[-1], F[-1] = k, fk
            else:
                for i in range(1, n + 1):
                    S[i] = [(a + b) / 2 for a, b in zip(S[0], S[i])]; F[i] = f(S[i])
    i = min(range(n + 1), key=lambda i: F[i])
    return S[i], F[i]

def best(model, rates, fixed=None, start=None, tries=12, seed=1):
    fixed = fixed or {}
    free = [k for k in names(model) if k not in fixed]
    f = lambda x: cost(model, {**fixed, **dict(zip(free, x))}, rates)
    rnd = random.Random(seed)
    got = None
    for t in range(tries):
        x0 = []
        for k in free:
            base = (start or {}).get(k, {"s": -3.5, "t0": -10, "t1": -17, "c": -8, "w": 4, "b": 12, "o": 5}[k])
            x0.append(base + (rnd.gauss(0, 0.0 if t == 0 else 1.0) if start is None or t else 0))
        x, v = nm(f, x0, 0.5)
        for k in range(4):
            y, w = nm(f, x, 0.3 / (k + 1))
            if w < v: x, v = y, w
        if got is None or v < got[1]: got = (x, v)
    return dict(zip(free, got[0])), got[1]

def fit(rates):
    models = ["NOTHING", "MESSAGES", "BYTES", "BOTH"]
    n = len(rates)
    fits = {m: best(m, rates, tries=25) for m in models}
    crit = {m: 2 * v + len(names(m)) * math.log(n) + (2 * math.log(100) if m == "BOTH" else 0) for m, (p, v) in fits.items()}
    lo = min(crit.values())
    w = {m: math.exp((lo - c) / 2) for m, c in crit.items()}; s = sum(w.values())
    order = sorted(crit, key=crit.get)
    for m in order[:2]:
        p, v = fits[m]
        print(m, "prob %.6f cost %.6f" % (w[m] / s, v), {k: round(math.exp(x), 10) for k, x in p.items()})
        free = max(3, n - len(p)); t = T[free - 1]
        allowed = v + n / 2 * math.log1p(t * t / free)
        for k in ("w", "b"):
            if k in p:
                ends = []
                for d in (-1, 1):
                    inside, outside = 0, 0.005
                    prof = lambda o: best(m, rates, fixed={k: p[k] + d * o}, start={**p, "s": max(p["s"], -4.6)}, tries=12)[1]
                    while prof(outside) <= allowed and outside < 8: inside, outside = outside, outside * 2
                    for _ in range(14):
                        mid = (inside + outside) / 2
                        inside, outside = (mid, outside) if prof(mid) <= allowed else (inside, mid)
                    ends.append(math.exp(p[k] + d * outside))
                print("   ", k, "low %.6g high %.6g" % tuple(ends))


INF = math.inf


def rows(table, most=INF, seconds=3, held=0):
    trips = (0, 0.01, 0.03, 0.1)
    return [(trip, size, float(rate), most, seconds, held) for size, line in zip((256, 2048, 16384), table) for trip, rate in zip(trips, line)]


def at(s, k, n): return n / (1 + s * (n - 1) + k * n * (n - 1))

def scaling(n, rates, spreads):
    """The fit, and the ends of all intervals from the border of the region that the rates leave possible."""
    w = [1 / x ** 2 for x in spreads]
    logs = [math.log(r) for r in rates]
    def factor(s, k): return sum(a * (l - math.log(at(s, k, m))) for a, l, m in zip(w, logs, n)) / sum(w)
    def dist(s, k, f=None):
        f = factor(s, k) if f is None else f
        return sum(a * (l - f - math.log(at(s, k, m))) ** 2 for a, l, m in zip(w, logs, n))
    g = lambda x: dist(math.exp(min(0, x[0])), math.exp(min(2.3, x[1])))
    x, v = min((nm(g, [a, b], 0.5, 3000) for a in (-1, -3, -5) for b in (-3, -6, -9)), key=lambda r: r[1])
    s, k = math.exp(x[0]), math.exp(x[1])
    scatter = max(1, math.sqrt(v / (len(n) - 3))) if len(n) > 3 else 1
    limit = v + 3.8415 * scatter ** 2
    def pays(s, k):
        lo, hi = 0.0, math.log(1e9)
        if at(s, k, 2) < 1.1 * at(s, k, 1): return 1
        if at(s, k, 2e9) >= 1.1 * at(s, k, 1e9): return math.inf
        for _ in range(100):
            mid = (lo + hi) / 2
            lo, hi = (mid, hi) if at(s, k, 2 * math.exp(mid)) >= 1.1 * at(s, k, math.exp(mid)) else (lo, mid)
        return math.exp(hi)
    hurts = lambda s, k: max(1, math.sqrt((1 - s) / k)) if k > 0 else math.inf
    border = [(s, k)]
    for i in range(4000):
        a = 2 * math.pi * i / 4000
        inside, outside = 0, 0.01
        p = lambda r: (math.exp(min(0, x[0] + r * math.cos(a))), math.exp(x[1] + r * math.sin(a)))
        while dist(*p(outside)) <= limit and outside < 30: inside, outside = outside, 2 * outside
        for _ in range(40):
            mid = (inside + outside) / 2
            inside, outside = (mid, outside) if dist(*p(mid)) <= limit else (inside, mid)
        border.append(p(inside))
        border += [p(inside * j / 20) for j in range(1, 20)]
    fs = []
    for q in border:
        off = math.sqrt(max(0, limit - dist(*q)) / sum(w))
        fs += [factor(*q) - off, factor(*q) + off]
    print("scatter", scatter, "alone", math.exp(factor(s, k)), math.exp(min(fs)), math.exp(max(fs)))
    for name, h in (("s", lambda s, k: s), ("k", lambda s, k: k), ("pays", pays), ("hurts", hurts)):
        print(name, h(s, k), min(h(*q) for q in border), max(h(*q) for q in border))


N = (1, 2, 4, 8, 16, 32)
for rates, spreads in (([10000 * at(0.1, 0.001, n) for n in N], [0.03] * 6),
                       ([10000 * at(0.1, 0.001, n) for n in N], [0.01, 0.02, 0.03, 0.03, 0.02, 0.01]),
                       ((9700, 17900, 31500, 46000, 57000, 51000), [0.01] * 6)):
    scaling(N, rates, spreads)
for rates in (rows([(21800, 5700, 1930, 590), (12000, 5610, 1975, 575), (2650, 2600, 1900, 596)]),
              rows([(21500, 14200, 5000, 1480), (12100, 2860, 965, 290), (2680, 384, 128, 39.2)]),
              rows([(21800, 9600, 3270, 985), (12100, 9500, 3300, 992), (2690, 1540, 525, 157)]),
              rows([(21800, 5400, 1750, 590), (11000, 5610, 1990, 520), (2650, 2380, 1660, 596)], most=20000, seconds=2, held=0.02)):
    fit(rates)

FEW = [(0, 256, 9000.0, INF, 3, 0), (0.01, 2048, 900.0, 1000, 2, 0.1), (0.1, 2048, 80.0, INF, 1, 0), (0.1, 16384, 30.0, INF, 3, 0.3)]
for model, at in (("NOTHING", (-2.9957, -9.2103, -16.1181)), ("NOTHING", (-2.9957, -3.912, -16.1181)), ("NOTHING", (-43, -9.2103, -41)),
                  ("MESSAGES", (-2.9957, -9.2103, -16.1181, -7.6009, 2.3026)), ("MESSAGES", (-2.9957, -9.2103, -16.1181, -1.204, 2.3026)),
                  ("BYTES", (-1.6094, -9.2103, -16.1181, -6.2146, 9.9035, 5.2983)),
                  ("BYTES", (-1.6094, -9.2103, -16.1181, -6.2146, 10.8198, 8.5172)),
                  ("BOTH", (-2.3026, -9.2103, -16.1181, -6.2146, 2.3026, 10.5966, 5.2983)),
                  ("BOTH", (-2.3026, -9.2103, -16.1181, -6.2146, 1.7918, 13.8155, 2.9957)),
                  ("BOTH", (-2.3026, -9.2103, -16.1181, -6.2146, 42, 41, 5.2983))):
    print(model, at, "%.9f" % cost(model, dict(zip(names(model), at)), FEW))
FIVE = [(0, 256, 20000.0, INF, 3, 0), (0.01, 256, 5700.0, INF, 3, 0), (0.03, 2048, 1930.0, INF, 3, 0), (0.1, 2048, 590.0, INF, 3, 0),
        (0.1, 16384, 575.0, INF, 3, 0)]
fit(FIVE)
BOUNDS = {"s": (-8, 1), "t0": (-14, -4), "t1": (-25, -9), "c": (-14, 2), "b": (6, 20), "o": (-6, 9)}
for model in ("NOTHING", "BYTES"):
    f = lambda x: cost(model, dict(zip(names(model), x)), FIVE)
    print(model, nm(f, list(differential_evolution(f, [BOUNDS[k] for k in names(model)], seed=1, maxiter=3000, tol=1e-12).x), 0.01)[1])
for window in (50, 70):
    print("MESSAGES", window, best("MESSAGES", FIVE, fixed={"w": math.log(window)}, start=best("MESSAGES", FIVE, tries=20)[0], tries=8)[1])
