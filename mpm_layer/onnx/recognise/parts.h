// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mpm/gelu.h"
#include "onnx/graph/model.h"
#include "onnx/operators/values.h"
#include "onnx/recognise/view.h"

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
  bool isCentred = true;           // LayerNorm; else RMSNorm, which takes no mean off
  std::vector<const Node*> nodes;  // from output to input
};

// Whether its constants are for so many features. What a file says of its values is not relied on.
bool fits(const Model& model, const FoundNormalize& norm, std::int64_t dim);

// Is `output` a LayerNorm or an RMSNorm over the last axis of some value? One node, or whatever
// computes the same of each row. Its scale and shift are not recognised unless each is a constant.
std::optional<FoundNormalize> findNormalize(const AnalysedModel& analysed,
                                            const std::string& output);

// Is `value` some value whose rows along the last axis are each divided by their length? What
// guards against a length of 0 does not count. Gives it as the RMSNorm that it is but for a factor,
// the root of the width.
std::optional<FoundNormalize> findUnit(const AnalysedModel& analysed, const std::string& value);

// Is `value` the softmax of some value along its last axis? Gives its input and nodes.
std::optional<FoundNormalize> findSoftmax(const AnalysedModel& analysed, const std::string& value);

struct FoundGelu {
  Gelu kind = Gelu::erf;
  std::string input;
  std::vector<const Node*> nodes;  // from output to input
};

// Is `output` a GELU of some value of the graph? Element-wise nodes with scalar constants are run
// on points of [-8, 8], and compared with the three functions. Of several answers the one with the
// fewest nodes.
std::optional<FoundGelu> findGelu(const AnalysedModel& analysed, const std::string& output);

// Rotary positions: in each head, whatever its number, feature i of row n becomes
// own[n d + i] x[i] + other[n d + i] x[pair[i]]. Where heads have factors of their own, head h has
// those at (n heads + h) d + i.
struct FoundRotary {
  std::string input;       // of the same dims,
  bool swapsAxes = false;  // but for the middle two of four, which have changed places
  std::vector<float> own, other;
  std::int64_t heads = 1;          // with factors of their own
  Integers pair;                   // each the other's
  std::vector<const Node*> nodes;  // from output to input
};

// Is `output` that of some value, with rows along `rowAxis`, heads along `headAxis` (nothing: they
// are not told apart) and features along the last one?
// Recognised by what is computed, not by how it is written: the nodes between are run on a few
// known inputs.
std::optional<FoundRotary> findRotary(const AnalysedModel& analysed, const std::string& output,
                                      std::size_t rowAxis,
                                      std::optional<std::size_t> headAxis = std::nullopt);

// q, k or v: some of the features of a linear layer; of q and k perhaps normalised, each head's or
// all together, then turned by their position.
struct FoundProjection {
  FoundLinear linear;
  // [heads d]: feature i of head h is the linear layer's features[h d + i]. Heads may share some.
  Integers features;
  std::optional<FoundNormalize> norm;
  // [heads d]: where the norm's constants have those of `features`, if it is one of all heads'
  // features together; else empty.
  Integers joint;
  // [heads d], of what the norm gives, or of what the linear layer gives where there is none; or
  // empty. Then this is added, where there is no norm.
  std::vector<float> scale, shift;
  std::optional<FoundRotary> rotary;
};

// What is added to q k of a query and a key on a grid: q . down[y - y'] + q . across[x - x'].
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
  // Of several images, whose rows lie together: one image's, or those of the same place? Nothing
  // where there is one image.
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

  // Whether q, k and v are nothing but projections, as a TransformerBlock's are.
  bool isPlain() const { return !q.norm && !knowsPlaces() && !distances; }
  // Whether it depends on where rows stand.
  bool knowsPlaces() const { return q.rotary || !bias.empty(); }
};

// A linear layer, some of its features, times a vector, and the GELU of that.
struct FoundRowLinear {
  FoundLinear linear;
  Integers features;  // empty: all
  std::string scale;  // a constant, or empty
  const Gelu* gelu = nullptr;
};

// Is `output` that of some value? Of several answers the one with the most in it.
std::optional<FoundRowLinear> findRowLinear(const AnalysedModel& analysed,
                                            const std::string& output);

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

// Is `value` what full attention gives, rows of heads x d features, for so many images? Softmax
// over all keys of q k times a scale plus a bias, times v; q, k and v from one linear layer or from
// several, laid out in any way. Heads are computed together, or some by themselves and joined.
Finding<FoundAttention> findAttention(const AnalysedModel& analysed, const std::string& value,
                                      std::int64_t batch);

// [.., rows, 1, keys]: a product for each row, which is no attention within windows.
inline constexpr const char* kRowByRow = "attention of one row at a time";

// The same, but of heads that are computed together.
Finding<FoundAttention> findHeads(const AnalysedModel& analysed, const std::string& value,
                                  std::int64_t batch);

// Of attention with so many queries, in which `value` is: what its linear layers read that are not
// these rows of one image, in a few words. Empty where they read just these, or nothing is known.
std::string whyOtherRows(const AnalysedModel& analysed, const std::string& value,
                         std::int64_t queries, std::int64_t batch);

// Behind nodes that pass their input on, and products with scalars, whose factor is collected.
// Heads and images may also be one axis and become several, or the other way round.
std::string behindScalars(const AnalysedModel& analysed, const std::string& value, float& factor,
                          std::vector<const Node*>& nodes, bool mayJoin = true);

// Behind a mask of zeros, which exporters write where there is none.
std::string behindEmptyMask(const AnalysedModel& analysed, const std::string& value,
                            std::vector<const Node*>& nodes);

// similarities = q k + a constant: notes its name, and what it was multiplied with since, and gives
// q k, or gives the similarities where they are none of that.
std::string behindBias(const AnalysedModel& analysed, const std::string& value, float factor,
                       FoundAttention& found);

// Whether the bias is [(1 x) 1 or heads x rows x rows], and finite: a mask would have to say which
// of a merged token's places it is for.
bool isBias(const AnalysedModel& analysed, const FoundAttention& found, std::int64_t rows);

// similarities = q k + what is added for distances, times `factor`: notes these and gives q k, or
// gives the similarities where they are none of that.
std::string behindDistances(const AnalysedModel& analysed, const std::string& similarity,
                            float factor, FoundAttention& found);

// Once q and k are known, of which `queries` are the product's: reads the tables of an attention
// with distances, or says what is in the way.
std::string readDistances(const AnalysedModel& analysed, const std::string& queries,
                          std::int64_t batch, FoundAttention& found);

// The node that joins these rows from others, feature by feature; null where none does.
const Node* featureConcat(const AnalysedModel& analysed, const std::string& rows);

// One of the three factors of attention's two products.
struct AttentionFactor {
  std::string value;
  Integers lead;         // the product's sizes, all but the last two; this one's are spread to them
  bool turned = false;   // [.., d, N]
  bool isValue = false;  // v
};

// Fills q, k or v of `attention`, and what all three have in common; else says what is in the way,
// and where.
std::string findProjection(const AnalysedModel& analysed, const AttentionFactor& factor,
                           std::int64_t batch, FoundAttention& attention,
                           FoundProjection& projection, const Node** where);

// Whether `places` are rows of heads x d features, side by side, as findProjection found them, or
// with rows and images swapped.
bool areHeadsSideBySide(const AnalysedModel& analysed, const View& places, std::int64_t batch,
                        FoundAttention& attention, const std::string& value);

// The end of Segmenter's mask transformer.
struct FoundMaskHead {
  std::string patches, classes;  // rows of tokens that are projected
  FoundLinear projPatch, projClasses;
  FoundNormalize norm;  // over the classes
  std::vector<const Node*> nodes;
};

// Is `value` norm(unit(patches A) unit(classes B)T)? unit divides a row by its length.
std::optional<FoundMaskHead> findMaskHead(const AnalysedModel& analysed, const std::string& value);

}  // namespace mpm::onnx
