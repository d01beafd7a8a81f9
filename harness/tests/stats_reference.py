#!/usr/bin/env python3
"""Reference values for test_stats.c, worked out by other means than stats.c.

Exact fractions and enumeration instead of log-gamma, counting recursions and
Monte Carlo. Prints the rows of stats_reference.h:

    python3 harness/tests/stats_reference.py > harness/tests/stats_reference.h
"""
from fractions import Fraction
from itertools import combinations, product
from math import comb, erfc, sqrt
from statistics import median


def mcnemar(b, c):
    n, k = b + c, min(b, c)
    p = 2 * Fraction(sum(comb(n, i) for i in range(k + 1)), 2**n)
    return float(min(p, 1))


def wilson(k, n):
    # The two roots of (share - p)^2 = z^2 p (1 - p) / n, by bisection.
    z2 = 1.959963984540054**2
    gap = lambda p: (k / n - p) ** 2 - z2 * p * (1 - p) / n
    def root(a, b):
        for _ in range(200):
            m = (a + b) / 2
            if (gap(a) > 0) == (gap(m) > 0):
                a = m
            else:
                b = m
        return a
    return (root(0, k / n) if k else 0.0, root(k / n, 1) if k < n else 1.0)


def u_statistic(a, b):
    return sum((x > y) + 0.5 * (x == y) for x in a for y in b)


def mann_whitney_exact(a, b):
    """Every split of the pooled values into groups of these sizes."""
    pool, na = a + b, len(a)
    low = min(u_statistic(a, b), len(a) * len(b) - u_statistic(a, b))
    hit = total = 0
    for pick in combinations(range(len(pool)), na):
        x = [pool[i] for i in pick]
        y = [pool[i] for i in range(len(pool)) if i not in pick]
        total += 1
        hit += u_statistic(x, y) <= low
    return min(1.0, 2 * hit / total)


def mann_whitney_normal(a, b):
    n, na, nb = len(a) + len(b), len(a), len(b)
    pool = sorted(a + b)
    ties = sum(pool.count(v) ** 3 - pool.count(v) for v in set(pool))
    variance = na * nb / 12 * (n + 1 - ties / (n * (n - 1)))
    u = max(u_statistic(a, b), na * nb - u_statistic(a, b))
    return min(1.0, erfc((u - na * nb / 2 - 0.5) / sqrt(variance) / sqrt(2)))


def bootstrap(effect, a, b, cluster):
    """The exact bootstrap distribution: every sequence of clusters."""
    ids = sorted(set(cluster))
    draws = []
    for pick in product(ids, repeat=len(ids)):
        x = [a[i] for c in pick for i in range(len(a)) if cluster[i] == c]
        y = [b[i] for c in pick for i in range(len(b)) if cluster[i] == c]
        if effect == "RK_EFFECT_MEAN":
            draws.append(sum(x) / len(x))
        elif effect == "RK_EFFECT_MEAN_DIFF":
            draws.append(sum(x) / len(x) - sum(y) / len(y))
        elif effect == "RK_EFFECT_RATIO_MEANS":
            draws.append(sum(x) / sum(y))
        elif effect == "RK_EFFECT_MEDIAN":
            draws.append(median(x))
        else:
            draws.append(median(x) / median(y))
    draws.sort()
    tail = int(0.025 * len(draws))
    return draws[tail], draws[len(draws) - 1 - tail]


A = [12.0, 15.5, 9.25, 20.0, 14.0, 13.5, 11.0, 18.0, 16.0]
B = [7.0, 9.0, 6.5, 9.5, 8.0, 7.5, 6.0, 10.0, 9.0]
CLUSTER = [0, 0, 1, 2, 3, 3, 3, 4, 5]

print("/* made by stats_reference.py; do not edit */")
print("static const struct { int64_t gained, lost; double p; } mcnemar_rows[] = {")
for b, c in [(0, 0), (1, 0), (5, 0), (6, 0), (1, 9), (9, 1), (10, 25), (40, 60), (300, 200)]:
    print(f"    {{{b}, {c}, {mcnemar(b, c)!r}}},")
print("};")
print("static const struct { int64_t k, n; double lo, hi; } wilson_rows[] = {")
for k, n in [(0, 5), (3, 5), (4, 5), (5, 5), (12, 100), (50, 100), (999, 1000)]:
    lo, hi = wilson(k, n)
    print(f"    {{{k}, {n}, {lo!r}, {hi!r}}},")
print("};")
print("static const struct { int64_t na, nb; double a[12], b[12], p; } mann_whitney_rows[] = {")
cases = [
    ([1, 2, 3], [4, 5, 6], mann_whitney_exact),
    ([1, 4, 2, 8], [3, 5, 7, 9, 10], mann_whitney_exact),
    ([1.5, 9.5, 4.5, 7.5, 8.5], [2, 3, 5, 6, 10, 11], mann_whitney_exact),
    ([1, 1, 2, 2, 3], [2, 3, 3, 4, 4, 5], mann_whitney_normal),
    ([5, 5, 5], [5, 5, 5, 5, 6], mann_whitney_normal),
]
for a, b, how in cases:
    one = ", ".join(map(str, a))
    two = ", ".join(map(str, b))
    print(f"    {{{len(a)}, {len(b)}, {{{one}}}, {{{two}}}, {how(a, b)!r}}},")
print("};")
print(f"static const double boot_a[] = {{{', '.join(map(str, A))}}};")
print(f"static const double boot_b[] = {{{', '.join(map(str, B))}}};")
print(f"static const int64_t boot_cluster[] = {{{', '.join(map(str, CLUSTER))}}};")
print("/* 2.5 % and 97.5 % points of the exact distribution over all 6^6 draws */")
print("static const struct { rk_effect effect; double lo, hi; } boot_rows[] = {")
for effect in ["RK_EFFECT_MEAN", "RK_EFFECT_MEDIAN", "RK_EFFECT_MEAN_DIFF",
               "RK_EFFECT_RATIO_MEANS", "RK_EFFECT_RATIO_MEDIANS"]:
    lo, hi = bootstrap(effect, A, B, CLUSTER)
    print(f"    {{{effect}, {lo!r}, {hi!r}}},")
print("};")
