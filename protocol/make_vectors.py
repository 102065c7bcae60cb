"""Writes vectors.json: Philox, shuffles and batch orders, computed from their definition alone.

The C++ core must give the same (src/data/batch_order_test.cc asserts it). Usage: make_vectors.py > vectors.json
"""

import json

MASK = 0xFFFFFFFF
BATCH_ORDER = 2  # the purpose


def philox(counter: list[int], key: list[int]) -> list[int]:
    c, k = list(counter), list(key)
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(p1 >> 32) ^ c[1] ^ k[0], p1 & MASK, (p0 >> 32) ^ c[3] ^ k[1], p0 & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def words(seed: int, purpose: int, index: int):
    block = 0
    while True:
        yield from philox([block & MASK, block >> 32, index, 0], [seed, purpose])
        block += 1


def below(stream, bound: int) -> int:
    threshold = (2**32 - bound) % bound  # below it, some results would be likelier than others
    while (value := next(stream)) < threshold:
        pass
    return value % bound


def shuffled(count: int, seed: int, epoch: int) -> list[int]:
    stream, items = words(seed, BATCH_ORDER, epoch), list(range(count))
    for i in range(count, 1, -1):
        j = below(stream, i)
        items[i - 1], items[j] = items[j], items[i - 1]
    return items


def main() -> None:
    blocks = [
        {"counter": counter, "key": key, "words": philox(counter, key)}
        for counter, key in [
            ([0, 0, 0, 0], [0, 0]),
            ([MASK] * 4, [MASK] * 2),
            ([1, 0, 7, 3], [42, BATCH_ORDER]),
        ]
    ]
    orders = [
        {"seed": seed, "epoch": epoch, "samples": samples, "batch_size": batch, "order": shuffled(samples, seed, epoch)}
        for seed, epoch, samples, batch in [(0, 1, 10, 4), (1, 1, 10, 4), (1, 2, 10, 4), (4294967295, 3, 37, 8)]
    ]
    print(json.dumps({"philox": blocks, "orders": orders}, indent=1))


main()
