# SPDX-License-Identifier: Apache-2.0
"""What is compared: a configuration is a peer, how it merges, and its precision."""

import dataclasses
import json

import environment
import models

REFERENCE = "onnxruntime"
SCHEDULE = (2, 5)
NAMES = {
    "onnxruntime": "ONNX Runtime",
    "openvino": "OpenVINO",
    "torch": "PyTorch",
    "opencv": "OpenCV",
    "ours": "",
}


@dataclasses.dataclass(frozen=True)
class Configuration:
    name: str
    label: str  # {} is the peer's version
    program: str  # a Python peer's, or "ours"
    merging: str = "none"  # none, mpm, tome
    precision: str = "fp32"
    compile: bool = False
    opencv4: bool = False
    calibrated: bool = False  # int8 with scales from pictures, where it could do without

    def unversioned(self):
        return self.label.format(NAMES[self.program] + (" 4" if self.opencv4 else ""))

    def start(self, ours, case, threads, shape, calibration, end=None):
        """Its process, with the model read."""
        name = f"{case.name}-{case.output}-{self.name}"
        if self.program == "ours":
            merge = ",".join(map(str, SCHEDULE)) if self.merging == "mpm" else "none"
            command = [ours, case.file, merge, self.precision, threads]
            return environment.Worker(name, command, threads)
        options = {
            "model": str(case.file),
            "weights": str(case.weights) if case.weights else None,
            "output": case.output,
            "shape": shape,
            "threads": threads,
            "merging": self.merging,
            "precision": self.precision,
            "compile": self.compile,
            "schedule": SCHEDULE,
            "end": end,
            "calibration": str(calibration),
            "calibrated": self.calibrated,
        }
        command = [environment.PYTHON, environment.HERE / "peer.py", self.program, json.dumps(options)]
        return environment.Worker(name, command, threads, environment.OPENCV4 if self.opencv4 else None)


ALL = (
    Configuration("onnxruntime", "{}", "onnxruntime"),
    Configuration("openvino", "{}", "openvino"),
    Configuration("torch", "{}, eager", "torch"),
    Configuration("torch-compile", "{}, compiled", "torch", compile=True),
    Configuration("opencv5", "{}, own layers", "opencv"),
    Configuration("opencv4", "{}, own layers", "opencv", opencv4=True),
    Configuration("ours", "ours", "ours"),
    Configuration("torch-mpm", "{}, MPM", "torch", "mpm"),
    Configuration("torch-tome", "{}, ToMe", "torch", "tome"),
    Configuration("ours-mpm", "ours, MPM", "ours", "mpm"),
    Configuration("openvino-bf16", "{}", "openvino", precision="bf16"),
    Configuration("ours-bf16", "ours", "ours", precision="bf16"),
    Configuration("ours-mpm-bf16", "ours, MPM", "ours", "mpm", "bf16"),
    Configuration("onnxruntime-dynamic", "{}, dynamic", "onnxruntime", precision="int8"),
    Configuration(
        "onnxruntime-static", "{}, calibrated", "onnxruntime", precision="int8", calibrated=True
    ),
    Configuration("openvino-int8", "{}, NNCF", "openvino", precision="int8", calibrated=True),
    Configuration("torch-int8", "{}, dynamic", "torch", precision="int8"),
    Configuration(
        "opencv4-int8", "{}, calibrated", "opencv", precision="int8", opencv4=True, calibrated=True
    ),
    Configuration("ours-int8", "ours", "ours", precision="int8"),
    Configuration("ours-mpm-int8", "ours, MPM", "ours", "mpm", "int8"),
)


@dataclasses.dataclass(frozen=True)
class Case:
    """A model with one of its outputs: full, upsampled to the image; or grid, of the patches."""

    name: str
    output: str
    file: str
    weights: str = None


SIZES = {"T": "tiny", "S": "small", "B": "base"}


def case(name, output, origin):
    """A Segmenter; its files may not be there yet."""
    file, weights = models.files(environment.WORK / "models", SIZES[name], origin, output)
    return Case(name, output, file, weights)
