#!/usr/bin/env python3
"""Writes fixtures.json: what other programs compute, for the tests of src/stats.

Python 3.11 with numpy 2.4.6, scipy 1.17.1, statsmodels 0.15.0, scikit-learn 1.9.1, fastdtw 0.3.4 and
dtaidistance 2.5.1, at the root of the repository:
    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0 scikit-learn==1.9.1 fastdtw==0.3.4 \
        dtaidistance==2.5.1
    python src/stats/testdata/make_fixtures.py
"""

import json
import math
import re
import string
from collections import Counter
from pathlib import Path

import fastdtw
import numpy as np
from dtaidistance import dtw
from scipy import stats
from scipy.stats import _resampling
from sklearn import metrics
from statsmodels.stats.multitest import multipletests

RNG = np.random.default_rng()  # main() seeds it for each part, so that no part's cases depend on others
BOOTSTRAP_PURPOSE = 9  # Purpose::kBootstrap in tensor/philox.h


def numbers(values) -> list[float]:
    return [float(v) for v in values]


def mann_whitney() -> list[dict]:
    cases = []
    sizes = [(1, 1), (1, 5), (3, 3), (5, 5), (5, 10), (8, 30), (9, 9), (10, 10), (20, 15), (40, 60)]
    for n_a, n_b in sizes:
        for digits in (None, 1, 0):
            a, b = RNG.normal(0, 1, n_a), RNG.normal(0.7, 1.5, n_b)
            if digits is not None:
                a, b = a.round(digits), b.round(digits)
            tied = len(set(a) | set(b)) < n_a + n_b
            methods = ["auto", "asymptotic"]
            methods += ["permutation"] if min(n_a, n_b) > 1 and math.comb(n_a + n_b, n_a) <= 5000 else []
            methods += [] if tied else ["exact"]
            for method in methods:
                for alternative in ("two-sided", "less", "greater"):
                    how = stats.PermutationMethod(n_resamples=10**6) if method == "permutation" else method
                    result = stats.mannwhitneyu(a, b, method=how, alternative=alternative)
                    cases.append({
                        "a": numbers(a), "b": numbers(b), "method": method, "alternative": alternative,
                        "u": float(result.statistic), "p": float(result.pvalue),
                    })  # fmt: skip
    return cases


def student() -> list[dict]:
    points = [(p, k) for k in (1, 2, 3, 8, 17, 200) for p in (0.5, 0.6, 0.9, 0.975, 0.9995)]
    return [{"p": p, "degrees": k, "t": float(stats.t.ppf(p, k))} for p, k in points]


def corrections() -> list[dict]:
    cases = []
    for n in (1, 2, 7, 30):
        p = RNG.uniform(0, 1, n) ** 3
        p[-1] = p[0]
        case = {"p": numbers(p)}
        for method in ("bonferroni", "holm"):
            case[method] = numbers(multipletests(p, method=method)[1])
        cases.append(case)
    return cases


def effect_sizes() -> list[dict]:
    cases = []
    for n, m, digits in ((2, 2, 1), (5, 5, 3), (10, 6, 0), (7, 20, 1), (5, 10, 3)):
        for shift in (0, 0.6, 9):
            a, b = RNG.normal(shift, 1, n).round(digits), RNG.normal(0, 1, m).round(digits)
            dominance = np.sign(np.subtract.outer(a, b))
            cases.append({"a": numbers(a), "b": numbers(b), "delta": float(dominance.mean())})
    return cases


class Philox:
    """PhiloxStream of tensor/philox.h."""

    def __init__(self, seed: int, purpose: int, index: int):
        self.key, self.index, self.block, self.words = (seed, purpose), index, 0, []

    def next(self) -> int:
        if not self.words:
            c, k = [self.block & 0xFFFFFFFF, self.block >> 32, self.index, 0], list(self.key)
            for _ in range(10):
                first, second = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
                c = [(second >> 32) ^ c[1] ^ k[0], second & 0xFFFFFFFF, (first >> 32) ^ c[3] ^ k[1], first & 0xFFFFFFFF]
                k = [(k[0] + 0x9E3779B9) & 0xFFFFFFFF, (k[1] + 0xBB67AE85) & 0xFFFFFFFF]
            self.words, self.block = c, self.block + 1
        return self.words.pop(0)

    def below(self, bound: int) -> int:
        while (value := self.next()) < (2**32 - bound) % bound:
            pass
        return value % bound


def bootstrap() -> list[dict]:
    """scipy's intervals, from the resamples that crossbind draws."""
    statistics = {
        "mean": lambda a, axis=-1: np.mean(a, axis=axis),
        "median": lambda a, axis=-1: np.median(a, axis=axis),
        "ratio": lambda a, b, axis=-1: np.mean(b, axis=axis) / np.mean(a, axis=axis),
    }
    cases = []
    for name, sizes in (("mean", [12]), ("median", [25]), ("ratio", [9, 6])):
        for kind, confidence in (("percentile", 0.95), ("BCa", 0.95), ("BCa", 0.8)):
            samples = [RNG.lognormal(1, 0.6, n) for n in sizes]
            seed, resamples = 7, 400
            streams = {n: Philox(seed, BOOTSTRAP_PURPOSE, i) for i, n in enumerate(sizes)}

            def resample(sample, n_resamples, rng=None, xp=None, streams=streams):
                stream, n = streams[sample.shape[-1]], sample.shape[-1]
                return sample[..., [[stream.below(n) for _ in range(n)] for _ in range(n_resamples)]]

            original, _resampling._bootstrap_resample = _resampling._bootstrap_resample, resample
            interval = stats.bootstrap(
                samples, statistics[name], n_resamples=resamples, method=kind, confidence_level=confidence
            ).confidence_interval
            _resampling._bootstrap_resample = original
            cases.append({
                "samples": [numbers(s) for s in samples], "statistic": name, "kind": kind, "seed": seed,
                "resamples": resamples, "confidence": confidence,
                "low": float(interval.low), "high": float(interval.high),
            })  # fmt: skip
    return cases


def curve(n: int, digits: int) -> np.ndarray:
    rate, noise = RNG.uniform(2, 30), RNG.uniform(0, 0.03)
    return (1 - np.exp(-np.arange(1, n + 1) / rate) + RNG.normal(0, noise, n)).round(digits)


def warpings() -> list[dict]:
    cases = []
    for n, m in ((1, 1), (1, 6), (2, 3), (3, 3), (4, 5), (7, 7), (15, 16), (30, 30), (31, 45), (64, 64), (200, 200)):
        for digits in (2, 6):
            a, b = curve(n, digits), curve(m, digits)
            case = {"a": numbers(a), "b": numbers(b), "fastdtw": {}, "bands": {}}
            for radius in (1, 2, 5):
                case["fastdtw"][str(radius)] = float(fastdtw.fastdtw(a, b, radius=radius)[0])
            case["absolute"] = float(fastdtw.dtw(a, b)[0])
            case["squared"] = float(dtw.distance(a, b)) ** 2
            # dtaidistance's window counts the diagonal.
            for band in sorted({abs(n - m), abs(n - m) + 2, abs(n - m) + 10}):
                distance = dtw.distance(a, b, window=band + 1, inner_dist="euclidean")
                if n == m:  # with other lengths its band is another one
                    case["bands"][str(band)] = float(distance)
            cases.append(case)
    return cases


def classification() -> list[dict]:
    cases = []
    for n, classes in ((20, 2), (50, 3), (200, 10)):
        actual = np.concatenate([np.arange(classes), RNG.integers(0, classes, n - classes)])
        scores = RNG.dirichlet(np.ones(classes), n) + np.eye(classes)[actual] * 0.3
        scores = (scores / scores.sum(1, keepdims=True)).round(2)
        scores[:, -1] = 1 - scores[:, :-1].sum(1)
        predicted = scores.argmax(1)
        case = {
            "actual": actual.tolist(), "predicted": predicted.tolist(), "classes": classes,
            "scores": numbers(scores.ravel()), "accuracy": float(metrics.accuracy_score(actual, predicted)),
            "macro_f1": float(metrics.f1_score(actual, predicted, average="macro", zero_division=0)),
        }  # fmt: skip
        if classes == 2:
            case["auc"] = float(metrics.roc_auc_score(actual, scores[:, 1]))
        else:
            case["macro_auc"] = float(metrics.roc_auc_score(actual, scores, multi_class="ovr", average="macro"))
        cases.append(case)
    return cases


def answers() -> list[dict]:
    """SQuAD v1.1's measure, written with Python's own notions of letters and spaces."""

    def normalised(text: str) -> str:
        text = "".join(c for c in text.lower() if c not in set(string.punctuation))
        return " ".join(re.sub(r"\b(a|an|the)\b", " ", text).split())

    def f1(prediction: str, right: str) -> float:
        p, r = normalised(prediction).split(), normalised(right).split()
        shared = sum((Counter(p) & Counter(r)).values())
        return 2 * (shared / len(p)) * (shared / len(r)) / (shared / len(p) + shared / len(r)) if shared else 0.0

    texts = [
        "The Denver Broncos", "denver broncos", "Broncos of Denver, the", "a", "", "the the", "U.S.A.", "usa",
        "an apple a day", "theatre", "a\u00a0b", "a\u2013b", "\u00c9cole Normale", "\u00e9cole normale sup\u00e9rieure",
        "na\u00efve a\u00ef", "\u0141\u00f3d\u017a", "\u0142\u00f3d\u017a", "\u041c\u043e\u0441\u043a\u0432\u0430",
        "\u043c\u043e\u0441\u043a\u0432\u0430 the", "\u0391\u03b8\u03ae\u03bd\u03b1", "$5 million (1995)",
        "5 million 1995 1995", "tab\tand\nline", "\u201cthe\u201d end", "\u4e2d\u6587 a \u4e2d", "x\u00b2 a\u00b2 the\u20ac",
        "under_the_score", "\U0001d400 the", "\u0178 \u00ff",
    ]  # fmt: skip
    cases = []
    for i, prediction in enumerate(texts):
        right = [texts[(i + step) % len(texts)] for step in (1, 3)]
        for chosen in (right, [*right, prediction]):
            cases.append({
                "prediction": prediction, "right": chosen, "normalised": normalised(prediction),
                "exact_match": float(max(normalised(prediction) == normalised(r) for r in chosen)),
                "f1": max(f1(prediction, r) for r in chosen),
            })  # fmt: skip
    return cases


def quantiles() -> list[dict]:
    cases = []
    for n in (1, 2, 5, 12):
        sample = RNG.normal(0, 1, n)
        at = [0, 0.025, 0.25, 0.5, 0.9, 1]
        cases.append({"sample": numbers(sample), "at": at, "quantiles": numbers(np.quantile(sample, at)),
                      "median": float(np.median(sample))})  # fmt: skip
    return cases


def main() -> None:
    parts = (mann_whitney, student, corrections, effect_sizes, bootstrap, warpings, classification, answers,
             quantiles)  # fmt: skip
    fixtures = {}
    for part in parts:
        RNG.bit_generator.state = np.random.default_rng([20211101, *part.__name__.encode()]).bit_generator.state
        fixtures[part.__name__] = part()
    path = Path(__file__).resolve().parent / "fixtures.json"
    lines = [f"{json.dumps(name)}: [\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]"
             for name, cases in fixtures.items()]  # fmt: skip
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
