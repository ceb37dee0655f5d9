// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

/// The kinds of layers of mpm/layers.h, listed once: what registers, describes, times, writes and
/// computes them takes them from here.
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
  upsample,
  subgraph
};

/// What a network's time goes to.
enum class StepKind {
  embedding,  ///< of patches; position and special rows included
  block,      ///< of the encoder
  merge,      ///< off ones too: they copy their tokens
  restore,    ///< to original positions, and means over them
  decoder,    ///< a mask decoder's blocks, and the class rows in front of them
  head,       ///< this library's other layers: norms, linear layers, scores, upsampling
  rest        ///< OpenCV's own layers, and what lies between layers
};

struct LayerKindInfo {
  LayerKind kind;
  std::string_view type;  ///< of a layer in a net: "mpm.Linear"
  StepKind step;          ///< of one in the encoder
  bool isForDevices;      ///< whether a runner is asked for it (mpm/runner.h)
};

/// In the order of LayerKind.
inline constexpr std::array<LayerKindInfo, 13> kLayerKinds{{
    {LayerKind::patchEmbed, "mpm.PatchEmbed", StepKind::embedding, true},
    {LayerKind::normalize, "mpm.Normalize", StepKind::head, true},
    {LayerKind::linear, "mpm.Linear", StepKind::head, true},
    {LayerKind::transformerBlock, "mpm.TransformerBlock", StepKind::block, true},
    {LayerKind::attention, "mpm.Attention", StepKind::block, false},
    {LayerKind::addRows, "mpm.AddRows", StepKind::block, false},
    {LayerKind::mutualPairMerge, "mpm.MutualPairMerge", StepKind::merge, true},
    {LayerKind::mergeRestore, "mpm.MergeRestore", StepKind::restore, true},
    {LayerKind::replaceSpecial, "mpm.ReplaceSpecial", StepKind::decoder, true},
    {LayerKind::maskDecoderHead, "mpm.MaskDecoderHead", StepKind::head, true},
    {LayerKind::meanRows, "mpm.MeanRows", StepKind::restore, true},
    // It makes two hundred times what it reads, all of which would have to be copied to the host.
    {LayerKind::upsample, "mpm.Upsample", StepKind::head, false},
    {LayerKind::subgraph, "mpm.Subgraph", StepKind::rest, false},
}};

constexpr bool isInOrder(std::size_t row = 0) {
  return row == kLayerKinds.size() ||
         (kLayerKinds[row].kind == static_cast<LayerKind>(row) && isInOrder(row + 1));
}
static_assert(isInOrder());

constexpr const LayerKindInfo& infoOf(LayerKind kind) {
  return kLayerKinds[static_cast<std::size_t>(kind)];
}

/// The type of a layer in a net, which ends with a NUL: "mpm.Linear".
constexpr const char* typeOf(LayerKind kind) { return infoOf(kind).type.data(); }

/// The operator of a node in a file, in ONNX's domain "mpm": "Linear".
constexpr const char* operatorOf(LayerKind kind) { return typeOf(kind) + 4; }

/// Nothing for a type of somebody else's.
inline std::optional<LayerKind> kindOf(std::string_view type) {
  for (const LayerKindInfo& info : kLayerKinds) {
    if (info.type == type) return info.kind;
  }
  return std::nullopt;
}

}  // namespace mpm
