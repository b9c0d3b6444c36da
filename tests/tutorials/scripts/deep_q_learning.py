"""Deep Q-learning on an invented environment: a memory, a second network that follows slowly."""

import math
import random
from collections import deque, namedtuple
from itertools import count

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

random.seed(0)
torch.manual_seed(0)
rng = np.random.default_rng(0)
Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class ReplayMemory:
    def __init__(self, capacity):
        self.memory = deque(maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        return random.sample(self.memory, n)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n, a):
        super().__init__()
        self.layer1 = nn.Linear(n, 32)
        self.layer2 = nn.Linear(32, 32)
        self.layer3 = nn.Linear(32, a)

    def forward(self, x):
        return self.layer3(F.relu(self.layer2(F.relu(self.layer1(x)))))


class Env:
    def reset(self):
        self.s = rng.uniform(-0.05, 0.05, 4).astype(np.float32)
        self.t = 0
        return self.s, {}

    def step(self, a):
        self.s = (self.s * 1.02 + np.float32([0.01, 0.02, -0.01, 0.03]) * (1 if a else -1)).astype(
            np.float32
        )
        self.t += 1
        return self.s, 1.0, bool(abs(self.s[3]) > 0.3), self.t > 12, {}


device = torch.device(
    "cuda" if torch.cuda.is_available() else "mps" if torch.backends.mps.is_available() else "cpu"
)
BATCH, GAMMA, TAU = 8, 0.99, 0.005
env = Env()
policy_net, target_net = DQN(4, 2).to(device), DQN(4, 2).to(device)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=3e-4, amsgrad=True)
memory = ReplayMemory(100)
steps = 0
out = []


def select_action(state):
    global steps
    eps = 0.01 + 0.9 * math.exp(-1.0 * steps / 50)
    steps += 1
    if random.random() > eps:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(2)]], device=device, dtype=torch.long)


def optimize_model():
    if len(memory) < BATCH:
        return
    batch = Transition(*zip(*memory.sample(BATCH), strict=True))
    mask = torch.tensor(
        tuple(s is not None for s in batch.next_state), device=device, dtype=torch.bool
    )
    non_final = torch.cat([s for s in batch.next_state if s is not None])
    state, action, reward = torch.cat(batch.state), torch.cat(batch.action), torch.cat(batch.reward)
    q = policy_net(state).gather(1, action)
    nxt = torch.zeros(BATCH, device=device)
    with torch.no_grad():
        nxt[mask] = target_net(non_final).max(1).values
    loss = nn.SmoothL1Loss()(q, ((nxt * GAMMA) + reward).unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()
    out.append(loss.item())


for ep in range(4):
    state, info = env.reset()
    state = torch.tensor(state, dtype=torch.float32, device=device).unsqueeze(0)
    for t in count():
        action = select_action(state)
        ob, reward, terminated, truncated, _ = env.step(action.item())
        reward = torch.tensor([reward], device=device)
        next_state = (
            None
            if terminated
            else torch.tensor(ob, dtype=torch.float32, device=device).unsqueeze(0)
        )
        memory.push(state, action, next_state, reward)
        state = next_state
        optimize_model()
        tsd, psd = target_net.state_dict(), policy_net.state_dict()
        for key in psd:
            tsd[key] = psd[key] * TAU + tsd[key] * (1 - TAU)
        target_net.load_state_dict(tsd)
        if terminated or truncated:
            print(ep, t + 1)
            break
print(out[:3], out[-3:])
