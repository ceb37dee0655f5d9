// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

#include "onnx/layers/blocks.h"
#include "onnx/layers/token_values.h"
#include "onnx/layers/translate.h"

namespace mpm::onnx {

// Says why a model has no encoder that the layers compute.
std::string whyNoEncoder(const AnalysedModel& analysed, const TokenValues& tokenValues,
                         const Blocks& blocks);

// Says why a sum after an encoder's last block is not one more block, if only support is missing;
// else empty.
std::string whyNotTheNextBlock(const AnalysedModel& analysed, TokenValues& tokenValues,
                               const Blocks& blocks, const Encoder& encoder);

// Says why attention on the encoder's tokens stays for OpenCV. It belongs to the encoder, whatever
// comes between, and half of an encoder is not converted.
std::string whyNotTheRest(const AnalysedModel& analysed, const Encoder& encoder,
                          const std::unordered_set<const Node*>& kept);

// Says why the weights of a block's attention cannot be returned: they are those of merged rows.
// The last of several blocks is computed a second time, from restored rows.
std::string whyNotFromInside(TokenValues& tokenValues, const Blocks& blocks, const Encoder& encoder,
                             const std::unordered_set<const Node*>& kept);

// Tells whether all attention among these nodes is that of one block, over the encoder's tokens.
bool isOneBlock(const AnalysedModel& analysed, const Encoder& encoder,
                const std::unordered_set<const Node*>& nodes);

// Says why attention within windows, with rows of the encoder's width, is not planned with it.
// Empty if all of it is.
std::string whyNotWithinWindows(const AnalysedModel& analysed, const Blocks& blocks,
                                const Encoder& encoder,
                                const std::unordered_set<const Node*>& kept);

}  // namespace mpm::onnx
