#!/usr/bin/env python3
"""One LeNet-5 training step of PyTorch in float32, batch 128, one thread: the best of many, in ms.

Exits with 3 when the interpreter has no PyTorch.
"""

import sys
import time

try:
    import torch
    from torch import nn
except ImportError:
    sys.exit(3)

STEPS = 60


def main() -> None:
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.ZeroPad2d(2),
        nn.Conv2d(1, 6, 5), nn.Tanh(), nn.MaxPool2d(2),
        nn.Conv2d(6, 16, 5), nn.Tanh(), nn.MaxPool2d(2),
        nn.Conv2d(16, 120, 5), nn.Tanh(), nn.Flatten(),
        nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, 10),
    )  # fmt: skip
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    images = torch.rand(128, 1, 28, 28)
    labels = torch.randint(0, 10, (128,))
    times = []
    for _ in range(STEPS):
        begin = time.perf_counter()
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()
        times.append(time.perf_counter() - begin)
    print(f"{min(times) * 1e3:.3f}")


if __name__ == "__main__":
    main()
