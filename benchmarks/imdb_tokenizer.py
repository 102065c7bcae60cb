"""The IMDb reviews to word indices in pure Python, the way the Keras Tokenizer does it.

usage: imdb_tokenizer.py DIRECTORY TOKENS_FILE [--ascii]

Reads the unpacked aclImdb tree into memory, then splits, counts, ranks, encodes and pads, and prints
the seconds of that second part. Writes the indices, training reviews first, sorted by label and file
name, as little-endian int64. With --ascii only A-Z are lower-cased, as crossbind does; without,
str.lower() as Keras does.
"""

import array
import collections
import os
import sys
import time

FILTERS = '!"#$%&()*+,-./:;<=>?@[\\]^_`{|}~\t\n'
PADDING, START, UNKNOWN, INDEX_FROM = 0, 1, 2, 3
WORD_INDICES = 10_000
LENGTH = 300

SEPARATE = str.maketrans(FILTERS, " " * len(FILTERS))
ASCII_LOWER = str.maketrans({chr(c): chr(c + 32) for c in range(ord("A"), ord("Z") + 1)})


def read_reviews(root, split):
    texts = []
    for label in ("neg", "pos"):
        folder = os.path.join(root, split, label)
        for name in sorted(os.listdir(folder)):
            with open(os.path.join(folder, name), encoding="utf-8", errors="surrogateescape", newline="") as file:
                texts.append(file.read())
    return texts


def words_of(text, ascii_only):
    text = text.translate(ASCII_LOWER) if ascii_only else text.lower()
    return [word for word in text.translate(SEPARATE).split(" ") if word]


def rank(texts, ascii_only):
    counts = collections.OrderedDict()
    for text in texts:
        for word in words_of(text, ascii_only):
            if word in counts:
                counts[word] += 1
            else:
                counts[word] = 1
    ordered = sorted(counts.items(), key=lambda item: item[1], reverse=True)
    return {word: number + 1 for number, (word, _) in enumerate(ordered)}


def encode(text, ranks, ascii_only):
    indices = [START]
    for word in words_of(text, ascii_only):
        number = ranks.get(word)
        index = UNKNOWN if number is None else number + INDEX_FROM
        indices.append(index if index < WORD_INDICES else UNKNOWN)
    indices = indices[-LENGTH:]
    return [PADDING] * (LENGTH - len(indices)) + indices


def main():
    root, output = sys.argv[1:3]
    ascii_only = "--ascii" in sys.argv[3:]
    train, test = read_reviews(root, "train"), read_reviews(root, "test")
    begin = time.perf_counter()
    ranks = rank(train, ascii_only)
    rows = [encode(text, ranks, ascii_only) for text in train + test]
    print(f"{time.perf_counter() - begin:.6f}")
    with open(output, "wb") as file:
        for row in rows:
            array.array("q", row).tofile(file)


if __name__ == "__main__":
    main()
