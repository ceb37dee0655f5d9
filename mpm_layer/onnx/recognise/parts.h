// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "contract/gelu.h"
#include "onnx/graph/model.h"
#include "onnx/operators/values.h"
#include "onnx/recognise/view.h"

namespace mpm::onnx {

// Parts of a transformer, each found from the value that it ends at.

struct FoundLinear {
  std::string input;
  std::string weight;              // a constant matrix
  bool outByIn = false;            // the matrix is [out x in], else [in x out]
  std::string bias;                // a constant of `out` elements, or empty
  std::vector<const Node*> nodes;  // from output to input
};

std::int64_t inFeatures(const Model& model, const FoundLinear& linear);
std::int64_t outFeatures(const Model& model, const FoundLinear& linear);

// Recognises a linear layer that ends at `output`: a MatMul with a constant matrix, with or without
// a constant added, or a Gemm.
std::optional<FoundLinear> findLinear(const Model& model, const std::string& output);

struct FoundNormalize {
  std::string input;
  std::string scale, shift;  // constants of as many elements as there are features; or empty
  float eps = 1e-5F;
  bool isCentred = true;           // LayerNorm; else RMSNorm, which takes no mean off
  std::vector<const Node*> nodes;  // from output to input
};

// Tells whether its constants are for so many features, whatever dims the file states.
bool fits(const Model& model, const FoundNormalize& norm, std::int64_t dim);

// Recognises a LayerNorm or an RMSNorm over the last axis: one node, or any that compute the same
// of each row. Its scale and shift have to be constants.
std::optional<FoundNormalize> findNormalize(const AnalysedModel& analysed,
                                            const std::string& output);

// Recognises rows along the last axis that are each divided by their length, with or without a
// guard against 0. Returns it as an RMSNorm, which differs by a factor, the root of the width.
std::optional<FoundNormalize> findUnit(const AnalysedModel& analysed, const std::string& value);

// Recognises a softmax along the last axis. Returns its input and nodes.
std::optional<FoundNormalize> findSoftmax(const AnalysedModel& analysed, const std::string& value);

struct FoundGelu {
  Gelu kind = Gelu::erf;
  std::string input;
  std::vector<const Node*> nodes;  // from output to input
};

// Recognises a GELU. Runs element-wise nodes with scalar constants on points of [-8, 8], and
// compares them with the three functions. Of several regions that match, returns the one with the
// fewest nodes.
std::optional<FoundGelu> findGelu(const AnalysedModel& analysed, const std::string& output);

// Rotary positions: in each head, feature i of row n becomes own[n d + i] x[i] + other[n d + i]
// x[pair[i]]. If heads have factors of their own, head h has those at (n heads + h) d + i.
struct FoundRotary {
  std::string input;       // of the same dims,
  bool swapsAxes = false;  // but for the middle two of four, which have changed places
  std::vector<float> own, other;
  std::int64_t heads = 1;          // with factors of their own
  Integers pair;                   // each the other's
  std::vector<const Node*> nodes;  // from output to input
};

// Recognises rotary positions, with rows along `rowAxis`, heads along `headAxis` and features along
// the last axis. Without `headAxis` heads are not distinguished. Runs the nodes on a few known
// inputs, so their form does not matter.
std::optional<FoundRotary> findRotary(const AnalysedModel& analysed, const std::string& output,
                                      std::size_t rowAxis,
                                      std::optional<std::size_t> headAxis = std::nullopt);

// q, k or v: some features of a linear layer. q and k may then be normalised, by head or jointly,
// and rotated by their position.
struct FoundProjection {
  FoundLinear linear;
  // [heads d]: feature i of head h is the linear layer's features[h d + i]. Heads may share some.
  Integers features;
  std::optional<FoundNormalize> norm;
  // [heads d]: indices of the features in the norm's constants, for a norm of all heads together;
  // else empty.
  Integers joint;
  // [heads d], or empty: factors after the norm, or after the linear layer without a norm. Without
  // a norm, shifts are added after them.
  std::vector<float> scale, shift;
  std::optional<FoundRotary> rotary;
};

// Terms added to q k of a query and a key on a grid: q . down[y - y'] + q . across[x - x'].
struct FoundDistances {
  struct Direction {
    std::string queries;       // [.., height, width, d]
    std::string constant;      // [places, places, d]: of a query and a key
    std::vector<float> table;  // [2 places - 1, d]: of query less key
  };
  Direction down, across;
  std::int64_t height = 0, width = 0;
  float scale = 1;
};

struct FoundAttention {
  std::string input;  // tokens, from which q, k and v are made
  FoundProjection q, k, v;
  std::int64_t heads = 0, headDim = 0;
  float scale = 1;                // of q k
  std::vector<float> headScales;  // for each head another factor of q k, or empty
  // Order of rows of several images: rows of one place together, or of one image. std::nullopt if
  // there is one image.
  std::optional<bool> rowsFirst;
  bool swapsResult = false;  // it is the other way round in what attention gives
  bool headsFirst = false;   // its products are [heads, B, N, d], or the first two as one
  std::string bias;  // a constant that is added to q k, or empty: broadcast to [heads, rows, rows]
  float biasScale = 1;
  const Node* biasSum = nullptr;
  std::optional<FoundDistances> distances;
  std::int64_t windows = 0;   // those of an image, within which it attends; 0: over all rows
  const Node* mix = nullptr;  // softmax times v, or what joins several of these
  std::vector<const Node*> nodes;

  // Tells whether q, k and v are plain projections, as in a TransformerBlock.
  bool isPlain() const { return !q.norm && !knowsPlaces() && !distances; }
  // Tells whether it depends on the positions of rows.
  bool knowsPlaces() const { return q.rotary || !bias.empty(); }
};

// A linear layer, some of its features, times a vector, and the GELU of that.
struct FoundRowLinear {
  FoundLinear linear;
  Integers features;  // empty: all
  std::string scale;  // a constant, or empty
  const Gelu* gelu = nullptr;
};

// Recognises a linear layer with these additions. Of several, the one with most parts wins.
std::optional<FoundRowLinear> findRowLinear(const AnalysedModel& analysed,
                                            const std::string& output);

// A part that was found, or a few words on the obstacle; empty if there is nothing of the kind.
template <class Found>
struct Finding {
  std::optional<Found> found;
  std::string obstacle;
  const Node* where = nullptr;  // the obstacle

  static Finding blocked(std::string what, const Node* node) {
    return {std::nullopt, std::move(what), node};
  }
};

// Recognises the result of full attention, rows of heads x d features, for so many images. It is a
// softmax over all keys of q k times a scale plus a bias, times v. q, k and v come from one linear
// layer or several, in any layout. Heads may be computed together, or separately and then joined.
Finding<FoundAttention> findAttention(const AnalysedModel& analysed, const std::string& value,
                                      std::int64_t batch);

// [.., rows, 1, keys]: a product for each row, which is not attention within windows.
inline constexpr const char* kRowByRow = "attention of one row at a time";

// Recognises attention with heads that are computed together.
Finding<FoundAttention> findHeads(const AnalysedModel& analysed, const std::string& value,
                                  std::int64_t batch);

// Says in a few words which rows the linear layers before `value` read, if not the rows of one
// image. They belong to attention with so many queries. Empty if they read just these, or nothing
// is known.
std::string whyOtherRows(const AnalysedModel& analysed, const std::string& value,
                         std::int64_t queries, std::int64_t batch);

// Walks back through nodes that pass their input on, and products with scalars. Collects their
// factor. Heads and images may also be joined into one axis, or split.
std::string behindScalars(const AnalysedModel& analysed, const std::string& value, float& factor,
                          std::vector<const Node*>& nodes, bool mayJoin = true);

// Walks back through a mask of zeros, which exporters write for no mask.
std::string behindEmptyMask(const AnalysedModel& analysed, const std::string& value,
                            std::vector<const Node*>& nodes);

// Walks back from similarities = q k + a constant. Notes the constant's name and the factor after
// it, and returns q k. Returns `value` if it is no such sum.
std::string behindBias(const AnalysedModel& analysed, const std::string& value, float factor,
                       FoundAttention& found);

// Tells whether the bias is [(1 x) 1 or heads x rows x rows], and finite. Masks are refused, since
// a merged token has several places.
bool isBias(const AnalysedModel& analysed, const FoundAttention& found, std::int64_t rows);

// Walks back from similarities = q k + terms for distances, times `factor`. Notes the terms and
// returns q k. Returns `similarity` if it is no such sum.
std::string behindDistances(const AnalysedModel& analysed, const std::string& similarity,
                            float factor, FoundAttention& found);

// Reads the tables of an attention with distances once q and k are known; `queries` is the
// product's input. Returns the obstacle, or empty.
std::string readDistances(const AnalysedModel& analysed, const std::string& queries,
                          std::int64_t batch, FoundAttention& found);

// Returns the node that joins these rows with others, feature by feature; null if none does.
const Node* featureConcat(const AnalysedModel& analysed, const std::string& rows);

// One of the three factors of attention's two products.
struct AttentionFactor {
  std::string value;
  Integers lead;         // the product's sizes, all but the last two; this one's are spread to them
  bool turned = false;   // [.., d, N]
  bool isValue = false;  // v
};

// Fills q, k or v of `attention`, and their common facts. Returns the obstacle, or empty, and sets
// where it is.
std::string findProjection(const AnalysedModel& analysed, const AttentionFactor& factor,
                           std::int64_t batch, FoundAttention& attention,
                           FoundProjection& projection, const Node** where);

// Tells whether `places` are rows with the heads' features in sequence, in findProjection's order
// or with rows and images swapped.
bool areHeadsSideBySide(const AnalysedModel& analysed, const View& places, std::int64_t batch,
                        FoundAttention& attention, const std::string& value);

// The end of Segmenter's mask transformer.
struct FoundMaskHead {
  std::string patches, classes;  // rows of tokens that are projected
  FoundLinear projPatch, projClasses;
  FoundNormalize norm;  // over the classes
  std::vector<const Node*> nodes;
};

// Recognises norm(unit(patches A) unit(classes B)T); unit divides a row by its length.
std::optional<FoundMaskHead> findMaskHead(const AnalysedModel& analysed, const std::string& value);

}  // namespace mpm::onnx
