# SPDX-License-Identifier: Apache-2.0
"""Mutual Pair Merging in PyTorch: the module of the Python package, which need not be built for it."""

import importlib.util
import pathlib

_FILE = pathlib.Path(__file__).resolve().parents[2] / "python/mpm_dnn/torch.py"
_spec = importlib.util.spec_from_file_location("mpm_dnn_torch", _FILE)
_module = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(_module)

match, clusters, average = _module.match, _module.clusters, _module.average
merge, restore, patch = _module.merge, _module.restore, _module.patch
