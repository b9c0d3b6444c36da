"""The data tutorial: a dataset of one's own, loaders, samplers, collating, and files written on the way."""

import csv
import tempfile
from pathlib import Path

import numpy as np
import torch
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    WeightedRandomSampler,
    random_split,
)


class FaceLandmarksDataset(Dataset):
    """Face landmarks, read from a csv file; a sample is a dictionary."""

    def __init__(self, csv_file, transform=None):
        with open(csv_file, newline="") as file:
            self.rows = list(csv.reader(file))[1:]
        self.transform = transform

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, idx):
        if torch.is_tensor(idx):
            idx = idx.tolist()
        name, *numbers = self.rows[idx]
        landmarks = np.array([numbers], dtype=float).reshape(-1, 2)
        image = np.full((4, 4, 3), idx, dtype=np.uint8)
        sample = {"image": image, "landmarks": landmarks, "name": name}
        return self.transform(sample) if self.transform else sample


class ToTensor:
    """Turn the arrays of a sample into tensors, channels first."""

    def __call__(self, sample):
        image = sample["image"].transpose((2, 0, 1))
        return {
            **sample,
            "image": torch.from_numpy(image),
            "landmarks": torch.from_numpy(sample["landmarks"]),
        }


with tempfile.TemporaryDirectory() as folder:
    table = Path(folder, "faces.csv")
    with open(table, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["name", "x0", "y0", "x1", "y1"])
        writer.writerows([[f"face{i}.jpg", i, i + 1, i + 2, i + 3] for i in range(10)])
    faces = FaceLandmarksDataset(table, transform=ToTensor())

for i, sample in enumerate(faces):
    print(i, sample["image"].size(), sample["landmarks"].size(), sample["landmarks"].dtype)
    if i == 3:
        break

torch.manual_seed(0)
dataloader = DataLoader(faces, batch_size=4, shuffle=True, num_workers=0)
for i_batch, batch in enumerate(dataloader):
    print(i_batch, batch["image"].size(), batch["landmarks"][:, 0, 0], batch["name"])

training, validation = random_split(faces, [0.7, 0.3], generator=torch.Generator().manual_seed(42))
print(len(training), len(validation), training.indices, validation.indices)
print(len(ConcatDataset([training, validation])), Subset(faces, [1, 5])[1]["name"])

inputs = torch.arange(20, dtype=torch.float32).reshape(10, 2)
targets = torch.tensor([0, 0, 0, 0, 0, 0, 0, 0, 1, 1])
train_ds = TensorDataset(inputs, targets)
for xb, yb in DataLoader(train_ds, batch_size=3, drop_last=True):
    print(xb.tolist(), yb)

weights = 1.0 / torch.bincount(targets)[targets].double()
sampler = WeightedRandomSampler(weights, num_samples=12, replacement=True)
balanced = DataLoader(train_ds, batch_size=6, sampler=sampler)
print([yb.tolist() for _, yb in balanced])


def pad_collate(batch):
    """Pad sequences to the longest of the batch."""
    lengths = torch.tensor([len(x) for x in batch])
    return torch.nn.utils.rnn.pad_sequence(batch, batch_first=True, padding_value=-1), lengths


sequences = [torch.arange(n) for n in (3, 1, 4, 1, 5)]
for padded, lengths in DataLoader(sequences, batch_size=2, collate_fn=pad_collate):
    print(padded, lengths)


class Countdown(IterableDataset):
    def __init__(self, start):
        self.start = start

    def __iter__(self):
        info = torch.utils.data.get_worker_info()
        step, first = (1, 0) if info is None else (info.num_workers, info.id)
        return iter(range(self.start - first, 0, -step))


print([b.tolist() for b in DataLoader(Countdown(7), batch_size=3)])
print([b.tolist() for b in DataLoader(Countdown(7), batch_size=2, num_workers=2)])


class Noisy(Dataset):
    def __len__(self):
        return 4

    def __getitem__(self, i):
        return i, torch.rand(1)


torch.manual_seed(3)
for i, noise in DataLoader(Noisy(), batch_size=2, num_workers=2):
    print(i, noise)


class Broken(Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return torch.ones(i + 1)


try:
    next(iter(DataLoader(Broken(), batch_size=3)))
except RuntimeError as e:
    print(e)
