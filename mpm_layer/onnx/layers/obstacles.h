// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_set>

#include "onnx/layers/blocks.h"
#include "onnx/layers/token_values.h"
#include "onnx/layers/translate.h"

namespace mpm::onnx {

// Why a model has no encoder that the layers compute.
std::string whyNoEncoder(const AnalysedModel& analysed, const TokenValues& tokenValues,
                         const Blocks& blocks);

// Why a sum behind the last block of an encoder is not one more, where it would be one if it were
// supported; else nothing.
std::string whyNotTheNextBlock(const AnalysedModel& analysed, TokenValues& tokenValues,
                               const Blocks& blocks, const Encoder& encoder);

// The same of attention on the encoder's tokens that stays for OpenCV: it belongs to the encoder,
// whatever stands between, and half of an encoder is not converted.
std::string whyNotTheRest(const AnalysedModel& analysed, const Encoder& encoder,
                          const std::unordered_set<const Node*>& kept);

// Why the weights of a block's attention are not to be had: they are those of merged rows. The last
// of several blocks is computed once more, from restored rows.
std::string whyNotFromInside(TokenValues& tokenValues, const Blocks& blocks, const Encoder& encoder,
                             const std::unordered_set<const Node*>& kept);

// Whether all attention among these nodes is that of one block, over the encoder's tokens.
bool isOneBlock(const AnalysedModel& analysed, const Encoder& encoder,
                const std::unordered_set<const Node*>& nodes);

// Why attention within windows, of rows as wide as the encoder's, is not planned with it; empty
// where all of it is.
std::string whyNotWithinWindows(const AnalysedModel& analysed, const Blocks& blocks,
                                const Encoder& encoder,
                                const std::unordered_set<const Node*>& kept);

}  // namespace mpm::onnx
