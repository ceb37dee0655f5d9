# SPDX-License-Identifier: Apache-2.0
"""What training keeps: the state to go on from, the running mean of the weights, the result."""

import copy
import os

import exported
import torch
from google.protobuf.message import DecodeError

WEIGHT_DECAY, BETAS = 0.05, (0.9, 0.98)


class Unfit(RuntimeError):
    pass


class RunningMean:
    """The mean of the last few hundred steps' weights judges better than the last step's."""

    DECAY = 0.998

    def __init__(self, model):
        self.model = copy.deepcopy(model).eval().requires_grad_(False)

    def follow(self, model, step):
        share = 1 - min(self.DECAY, (1 + step) / (10 + step))
        with torch.no_grad():
            ours, theirs = list(self.model.parameters()), list(model.parameters())
            torch._foreach_lerp_(ours, theirs, share)


class Optimiser:
    """Muon for the blocks' matrices, which is known to need fewer steps; AdamW for the rest.
    Matrices decay, vectors and embeddings don't."""

    def __init__(self, model):
        matrices, decayed, kept = [], [], []
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and ".blocks." in name:
                matrices.append(parameter)
            elif parameter.ndim < 2 or name.endswith(("pos_embed", "cls_token", "cls_emb")):
                kept.append(parameter)
            else:
                decayed.append(parameter)
        groups = [
            {"params": decayed, "weight_decay": WEIGHT_DECAY},
            {"params": kept, "weight_decay": 0},
        ]
        self.parts = {
            "muon": torch.optim.Muon(
                matrices, weight_decay=WEIGHT_DECAY, adjust_lr_fn="match_rms_adamw"
            ),
            "adamw": torch.optim.AdamW(groups, betas=BETAS, fused=True),
        }

    def step(self, rate):
        for part in self.parts.values():
            for group in part.param_groups:
                group["lr"] = rate
            part.step()
            part.zero_grad(set_to_none=True)

    def state_dict(self):
        return {name: part.state_dict() for name, part in self.parts.items()}

    def load_state_dict(self, state):
        for name, part in self.parts.items():
            part.load_state_dict(state[name])


def write(data, path):
    """A stop while writing leaves the file that was there."""
    partial = path.with_suffix(".partial")
    torch.save(data, partial)
    os.replace(partial, path)


def save(trainer, folder):
    state = {
        "step": trainer.step,
        "frames_used": trainer.frames_used,
        "seed": trainer.arguments.seed,
        "size": trainer.arguments.size,
        "model": trainer.model.state_dict(),
        "mean": trainer.mean.model.state_dict(),
        "optimiser": trainer.optimiser.state_dict(),
        "shares": trainer.weights.shares,
        "overlap": trainer.overlap.sums,
        "losses": trainer.losses,
    }
    write(state, folder / "state.pth")


def restore(trainer, folder):
    path = folder / "state.pth"
    if not path.exists():
        return
    state = torch.load(path, map_location=trainer.device, weights_only=True)
    for key in ("seed", "size"):
        if state[key] != getattr(trainer.arguments, key):
            raise Unfit(f"{path} was begun with --{key} {state[key]}; go on with that, or elsewhere")
    trainer.step, trainer.frames_used = state["step"], state["frames_used"]
    trainer.losses = state["losses"]
    trainer.model.load_state_dict(state["model"])
    trainer.mean.model.load_state_dict(state["mean"])
    trainer.optimiser.load_state_dict(state["optimiser"])
    trainer.weights.shares = state["shares"].cpu()
    trainer.overlap.sums = state["overlap"].cpu()


def begin_with(model, path):
    try:
        model.load_state_dict(exported.weights_of(path))
    except (RuntimeError, DecodeError) as error:
        said = str(error).splitlines()[0]
        raise Unfit(f"{path} is not a street model of this size and these classes: {said}")


def export(trainer, folder):
    model = {name: value.cpu() for name, value in trainer.mean.model.state_dict().items()}
    write({"model": model}, folder / "checkpoint.pth")
