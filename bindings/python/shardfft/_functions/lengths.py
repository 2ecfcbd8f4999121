"""Lengths that are fast."""

from __future__ import annotations

import functools
import operator

_PRIMES = (2, 3, 5, 7, 11, 13)  # with code of their own


def next_fast_len(target: int, real: bool = False) -> int:
    """The shortest length from `target` on whose prime factors are at most 13, so that padding to it pays. `real` is
    taken for scipy.fft's sake: lengths of reals are fast where those of complex numbers are."""
    del real
    target = operator.index(target)
    if target < 0:
        raise ValueError(f"Target cannot be negative; got {target}")
    return _smooth_from(target)


@functools.lru_cache(maxsize=1024)
def _smooth_from(target: int) -> int:
    if target <= 6:
        return target
    best = 1 << (target - 1).bit_length()

    def search(product: int, primes: tuple[int, ...]) -> None:
        nonlocal best
        if not primes:
            return
        while product < best:
            if product >= target:
                best = product
                return
            # powers of two fill what is left
            rest = -(-target // product)
            filled = product << (rest - 1).bit_length() if rest > 1 else product
            if target <= filled < best:
                best = filled
            search(product, primes[1:])
            product *= primes[0]

    search(1, _PRIMES[1:])
    return best
