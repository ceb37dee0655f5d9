// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "model.h"

namespace mpm::bench {

using Tensors = std::map<std::string, at::Tensor>;

/// What street_weights.py wrote. Throws std::runtime_error.
Tensors readTensors(const std::string& path);

/// The street model, a ViT-T, at another size. How many tokens merge depends on what a network has
/// learned, and drawn weights merge little; but what a product costs does not depend on its values.
/// So features, heads and classes are the street model's over and over, and each weight is divided
/// by how often its input occurs: each layer computes the same, wider. In a deeper encoder blocks
/// stand twice, with half of what they add.
Model streetModel(const ModelSize& size, const Tensors& weights);

}  // namespace mpm::bench
