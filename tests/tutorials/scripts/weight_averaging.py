"""Averaged weights: equal (SWA), fading (EMA), and by a function of one's own."""

import torch
from torch import nn
from torch.optim.lr_scheduler import CosineAnnealingLR
from torch.optim.swa_utils import SWALR, AveragedModel, get_ema_multi_avg_fn, update_bn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
x = torch.randn(48, 3)
y = x @ torch.tensor([[1.0], [-2.0], [0.5]]) + 0.3 * torch.randn(48, 1)
loader = DataLoader(TensorDataset(x, y), batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 1))
loss_fn = nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
schedule = CosineAnnealingLR(optimizer, T_max=12)

swa_model = AveragedModel(model)
ema_model = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.9), use_buffers=True)
mine = AveragedModel(model, avg_fn=lambda average, current, count: 0.5 * average + 0.5 * current)
swa_start = 6
swa_schedule = SWALR(optimizer, swa_lr=0.02, anneal_epochs=3, anneal_strategy="linear")
print(swa_model)

for epoch in range(12):
    total = 0.0
    for batch, target in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(batch), target)
        loss.backward()
        optimizer.step()
        ema_model.update_parameters(model)
        total += loss.item()
    if epoch >= swa_start:
        swa_model.update_parameters(model)
        mine.update_parameters(model)
        swa_schedule.step()
    else:
        schedule.step()
    print(f"{epoch} loss {total / len(loader):.3f} rate {optimizer.param_groups[0]['lr']:.4f}")

print(swa_model.n_averaged, ema_model.n_averaged, mine.n_averaged)
before = swa_model.module[1].running_mean.clone()
update_bn(loader, swa_model)
print((swa_model.module[1].running_mean - before).abs().max() > 0, swa_model.module[1].momentum)
print(swa_model.module[1].num_batches_tracked, ema_model.module[1].num_batches_tracked)
for averaged in (swa_model, ema_model, mine):
    averaged.eval()
    print(round(loss_fn(averaged(x), y).item(), 3))
print(list(swa_model.state_dict())[:4])
fresh = AveragedModel(model)
print(fresh.load_state_dict(swa_model.state_dict()), fresh.n_averaged)
print(torch.equal(fresh.module[3].weight, swa_model.module[3].weight))
print({k: v for k, v in swa_schedule.state_dict().items() if k != "base_lrs"})
