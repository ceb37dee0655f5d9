# SPDX-License-Identifier: Apache-2.0
"""PyTorch as a peer: eager or compiled; full tokens, with MPM as in its paper, or with ToMe; int8 of
linear layers, quantised dynamically."""

import serving


class Peer:
    def __init__(self, options):
        import models
        import mpm_torch
        import tome_torch
        import torch

        self.torch = torch
        self.version = f"PyTorch {torch.__version__.partition('+')[0]}"
        torch.set_num_threads(options["threads"])
        torch.set_num_interop_threads(1)
        if not options.get("weights"):
            raise RuntimeError("PyTorch needs the model's weights, and a file has it in ONNX alone")
        self.model = models.load(options["weights"], options["output"] == "full")
        self.merging = None
        mpm_torch.use_fused_attention(self.model)
        if options["merging"] == "mpm":
            self.merging = mpm_torch.MergingEncoder(self.model.encoder, options["schedule"])
        elif options["merging"] == "tome":
            self.merging = tome_torch.MergingEncoder(self.model.encoder, options["end"])
        if self.merging:
            self.model.encoder = self.merging
        if options["precision"] == "int8":
            quantise = torch.ao.quantization.quantize_dynamic
            self.model = quantise(self.model, {torch.nn.Linear}, torch.qint8)
        if options.get("compile"):
            self.model = torch.compile(self.model)

    def load(self, image):
        self.image = self.torch.from_numpy(image)

    def forward(self):
        with self.torch.inference_mode():
            self.result = self.model(self.image)

    def output(self):
        return self.result.numpy()

    def rows(self):
        return self.merging.rows if self.merging else []

    def map(self):
        return self.merging.map.numpy() if self.merging else None


if __name__ == "__main__":
    serving.serve(Peer)
