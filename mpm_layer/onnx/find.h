// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mpm/gelu.h"
#include "onnx/model.h"
#include "onnx/values.h"

namespace mpm::onnx {

// The parts of a transformer, each found behind the value that it ends at.

struct FoundLinear {
  std::string input;
  std::string weight;              // a constant matrix
  bool outByIn = false;            // the matrix is [out x in], else [in x out]
  std::string bias;                // a constant of `out` elements, or empty
  std::vector<const Node*> nodes;  // from output to input
};

std::int64_t inFeatures(const Model& model, const FoundLinear& linear);
std::int64_t outFeatures(const Model& model, const FoundLinear& linear);

// Is `output` a linear layer of some value: MatMul with a constant matrix, with a constant added
// or not, or a Gemm?
std::optional<FoundLinear> findLinear(const Model& model, const std::string& output);

struct FoundNormalize {
  std::string input;
  std::string scale, shift;  // constants of as many elements as there are features; or empty
  float eps = 1e-5F;
  std::vector<const Node*> nodes;  // from output to input
};

// Whether its constants are for so many features. What a file says of its values is not relied on.
bool fits(const Model& model, const FoundNormalize& norm, std::int64_t dim);

// Is `output` a LayerNorm over the last axis of some value? One node LayerNormalization, or the
// mean, difference, square, mean, root and quotient that exporters wrote before ONNX 17, with a
// product and a sum behind them or not. Weights that are no constants are not recognised.
std::optional<FoundNormalize> findNormalize(const Model& model, const std::string& output);

struct FoundGelu {
  Gelu kind = Gelu::erf;
  std::string input;
  std::vector<const Node*> nodes;  // from input to output
};

// Is `output` a GELU of some value of the graph? Recognised by what is computed, not by how it is
// written: the element-wise nodes with scalar constants behind `output` are evaluated at points of
// [-8, 8], and compared with the three functions. One node Gelu (ONNX 20, ONNX Runtime's) is the
// simplest case. Of several answers the one with the fewest nodes.
std::optional<FoundGelu> findGelu(const Model& model, const std::string& output);

// q, k or v: some of the features of a linear layer.
struct FoundProjection {
  FoundLinear linear;
  Integers features;  // [heads d]: feature i of head h is the linear layer's features[h d + i]
};

struct FoundAttention {
  std::string input;  // tokens, from which q, k and v are made
  FoundProjection q, k, v;
  std::int64_t heads = 0, headDim = 0;
  float scale = 1;  // of q k
  // Of several images, whose rows lie together: one image's, or those of the same place? Nothing
  // where there is one image.
  std::optional<bool> rowsFirst;
  std::vector<const Node*> nodes;
};

// What was found, or what kept it from being found: a few words, empty where there is nothing of
// the kind.
template <class Found>
struct Finding {
  std::optional<Found> found;
  std::string obstacle;
  const Node* where = nullptr;  // the obstacle

  static Finding blocked(std::string what, const Node* node) {
    return {std::nullopt, std::move(what), node};
  }
};

// Is `value` what full self-attention gives, rows of heads x d features, for so many images?
// Softmax over all tokens of q k times a scale, times v; q, k and v from one linear layer or from
// several, laid out in any way.
Finding<FoundAttention> findAttention(const Facts& facts, const std::string& value,
                                      std::int64_t batch);

// What both halves of a pre-norm block are: input + layerScale * last(...(norm(input))).
struct FoundHalf {
  std::string input;  // the residual stream in front
  FoundNormalize norm;
  FoundLinear last;        // proj, fc2
  std::string layerScale;  // a constant vector, or empty
  std::vector<const Node*> nodes;
};

struct FoundAttentionHalf : FoundHalf {
  FoundAttention attention;
};

struct FoundMlpHalf : FoundHalf {
  FoundLinear fc1;
  FoundGelu gelu;
};

// Whether all constants of a half have the shapes that a stream of so many features needs.
bool fits(const Model& model, const FoundAttentionHalf& half, std::int64_t dim);
bool fits(const Model& model, const FoundMlpHalf& half, std::int64_t dim);

// Is `value` the residual stream behind attention, for so many images, or behind an MLP?
Finding<FoundAttentionHalf> findAttentionHalf(const Facts& facts, const std::string& value,
                                              std::int64_t batch);
Finding<FoundMlpHalf> findMlpHalf(const Facts& facts, const std::string& value);

// The end of Segmenter's mask transformer.
struct FoundMaskHead {
  std::string patches, classes;  // rows of tokens that are projected
  FoundLinear projPatch, projClasses;
  FoundNormalize norm;  // over the classes
  std::vector<const Node*> nodes;
};

// Is `value` norm(unit(patches A) unit(classes B)T)? unit divides a row by its length.
std::optional<FoundMaskHead> findMaskHead(const Facts& facts, const std::string& value);

}  // namespace mpm::onnx
