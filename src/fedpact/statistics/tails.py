"""How likely the worse is not behind: the tail of a walk, as a sum of products over its steps.

Sample number n adds +1 to a walk S with probability a_n, -1 with c_n and else 0, where c_n / a_n = rho^2 < 1 for
all n. With q_n = a_n + c_n and

    g_n(theta) = 1 - q_n + 2 sqrt(a_n c_n) cos(theta),
    K(theta) = (1 - rho cos(theta)) / (1 - 2 rho cos(theta) + rho^2),

Pr[S = s] = rho^(-s) v_s, where v_s = v_(-s) >= 0 are the Fourier coefficients of G = prod_n g_n: one step weighed
by rho^s is symmetric. So Pr[S <= 0] = sum over s >= 0 of rho^s v_s is the mean of G K, as K = sum over s >= 0 of
rho^s cos(s theta). All coefficients of G K are non-negative. A mean over T equally spaced theta adds to the one at
0 those at multiples of T, so

    Pr[S <= 0]  <=  (1 / T) sum over t of K(theta_t) prod_n |g_n(theta_t)|,

for any T; what it adds is of order T rho^T. The right side falls with every step, which the left need not (an even
number can tie), and is convex in how often each kind of step is made. Its largest product, at theta = 0, is prod_n
(1 - (sqrt(a_n) - sqrt(c_n))^2), the Chernoff bound.
"""

from __future__ import annotations

import numpy as np

from fedpact.describe.arrays import Floats

_ADDED = 1e-9
_MOST = 2048


def choose_cosines(rho: float) -> tuple[Floats, Floats]:
    """(N,) cosines of T equally spaced angles, from 0 to pi, and how many angles have each, over T.

    T is so large for ``rho`` that next to nothing is added.

    Examples
    --------
    >>> cosines, shares = choose_cosines(0.0)
    >>> cosines.round(3).tolist(), shares.tolist()
    ([1.0, 0.0, -1.0], [0.25, 0.5, 0.25])
    """
    T = 4
    while T < _MOST and (T + 1) * rho**T > _ADDED:
        T += 4
    shares = np.full(T // 2 + 1, 2 / T)
    shares[[0, -1]] = 1 / T
    return np.cos(np.pi * np.arange(len(shares)) / (T // 2)), shares


def weigh(rho: Floats, cosines: Floats) -> Floats:
    """K at these cosines.

    Examples
    --------
    >>> a, c = 0.6, 0.3
    >>> rho = np.sqrt(c / a)
    >>> cosines, shares = choose_cosines(rho)
    >>> found = shares * weigh(rho, cosines) @ (1 - a - c + 2 * np.sqrt(a * c) * cosines) ** 2
    >>> round(float(found), 6)  # all but two of the first, or one and a step of 0
    0.52
    """
    return np.asarray((1 - rho * cosines) / (1 - 2 * rho * cosines + rho**2))
