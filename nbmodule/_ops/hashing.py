"""Random numbers without a state: a hash of a key and of the number of each element.

The Mersenne Twister goes from one state to the next, so that one processor has to draw all numbers in turn. On a
GPU each element finds its own: SplitMix64 (Steele, Lea, Flood 2014) stirs ``key + i * step`` until no trace of the
order is left. The key comes from the generator on the CPU, whose seed and state so decide these numbers too.
"""

STEP = 0x9E37_79B9_7F4A_7C15
"""2**64 divided by the golden ratio: the multiples of no other number lie further apart."""


def bits(xp, key: int, count: int):
    """Return `count` words of 64 random bits."""
    word = xp.uint64
    z = xp.arange(count, dtype="u8")
    z *= word(STEP)
    z += word(key)
    for shift, factor in ((30, 0xBF58_476D_1CE4_E5B9), (27, 0x94D0_49BB_1331_11EB)):
        z ^= z >> word(shift)
        z *= word(factor)
    z ^= z >> word(31)
    return z


def chosen(xp, key: int, count: int, p: float):
    """Return `count` bools, each True with probability `p`."""
    return (bits(xp, key, count) >> xp.uint64(11)) < xp.uint64(round(p * 2**53))
