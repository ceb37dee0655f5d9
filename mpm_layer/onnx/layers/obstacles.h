// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

#include "onnx/layers/blocks.h"
#include "onnx/layers/standing.h"

namespace mpm::onnx {

// Why a model has no encoder that the layers compute.
std::string whyNoEncoder(const Facts& facts, const Blocks& blocks);

// Why a sum behind the last block is not one more, where it would be one if it were supported; else
// nothing.
std::string whyNotTheNextBlock(const Facts& facts, Standing& standing, const Blocks& blocks);

// The same of attention on the encoder's tokens that stays for OpenCV: it belongs to the encoder,
// whatever stands between, and half of an encoder is not converted.
std::string whyNotTheRest(const Facts& facts, const Encoder& encoder,
                          const std::unordered_set<const Node*>& kept);

// Whether all attention among these nodes is that of one block, over the encoder's tokens.
bool isOneBlock(const Facts& facts, const Encoder& encoder,
                const std::unordered_set<const Node*>& nodes);

// Why attention within windows that blocks deal out is not planned with the encoder; empty where
// all of it is. `loose` may be null.
std::string whyNotWithinWindows(const LooseBlocks* loose, const Encoder& encoder,
                                const std::unordered_set<const Node*>& kept);

}  // namespace mpm::onnx
