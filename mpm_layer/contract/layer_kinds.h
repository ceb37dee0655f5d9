// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "mpm/step_kind.h"

/// Lists the kinds of layers of mpm/layers.h in one place. The code that registers, describes,
/// times, writes and computes layers takes them from here.
namespace mpm {

enum class LayerKind {
  patchEmbed,
  normalize,
  linear,
  transformerBlock,
  attention,
  addRows,
  mutualPairMerge,
  mergeRestore,
  replaceSpecial,
  maskDecoderHead,
  meanRows,
  convolve,
  upsample,
  subgraph,
  chain
};

struct LayerKindInfo {
  LayerKind kind;
  std::string_view type;  ///< of a layer in a net: "mpm.Linear"
  StepKind step;          ///< of one in the encoder; of a norm or a linear layer, behind it
  bool isInChains;        ///< whether chains on a device have it; a runner need not compute it
};

/// Kinds of layers, in the order of LayerKind.
inline constexpr std::array<LayerKindInfo, 15> kLayerKinds{{
    {LayerKind::patchEmbed, "mpm.PatchEmbed", StepKind::embedding, true},
    {LayerKind::normalize, "mpm.Normalize", StepKind::head, true},
    {LayerKind::linear, "mpm.Linear", StepKind::head, true},
    {LayerKind::transformerBlock, "mpm.TransformerBlock", StepKind::block, true},
    {LayerKind::attention, "mpm.Attention", StepKind::block, true},
    {LayerKind::addRows, "mpm.AddRows", StepKind::block, true},
    {LayerKind::mutualPairMerge, "mpm.MutualPairMerge", StepKind::merge, true},
    {LayerKind::mergeRestore, "mpm.MergeRestore", StepKind::restore, true},
    {LayerKind::replaceSpecial, "mpm.ReplaceSpecial", StepKind::decoder, true},
    {LayerKind::maskDecoderHead, "mpm.MaskDecoderHead", StepKind::head, true},
    {LayerKind::meanRows, "mpm.MeanRows", StepKind::restore, true},
    // Layers of OpenCV come between these and after them, so all values would have to be copied to
    // the host.
    {LayerKind::convolve, "mpm.Convolve", StepKind::head, false},
    {LayerKind::upsample, "mpm.Upsample", StepKind::head, false},
    {LayerKind::subgraph, "mpm.Subgraph", StepKind::rest, false},
    {LayerKind::chain, "mpm.Chain", StepKind::rest, false},
}};

constexpr bool isInOrder(std::size_t row = 0) {
  return row == kLayerKinds.size() ||
         (kLayerKinds[row].kind == static_cast<LayerKind>(row) && isInOrder(row + 1));
}
static_assert(isInOrder());

constexpr const LayerKindInfo& infoOf(LayerKind kind) {
  return kLayerKinds[static_cast<std::size_t>(kind)];
}

/// Returns the type of a layer in a net, terminated by a NUL: "mpm.Linear".
constexpr const char* typeOf(LayerKind kind) { return infoOf(kind).type.data(); }

/// Returns the operator of a node in a file, in ONNX's domain "mpm": "Linear".
constexpr const char* operatorOf(LayerKind kind) { return typeOf(kind) + 4; }

/// Returns std::nullopt for a type that is not this library's.
inline std::optional<LayerKind> kindOf(std::string_view type) {
  for (const LayerKindInfo& info : kLayerKinds) {
    if (info.type == type) return info.kind;
  }
  return std::nullopt;
}

}  // namespace mpm
