// SPDX-License-Identifier: Apache-2.0
// mpm.Attention and mpm.AddRows, which read from the map which tokens a merged row stands for.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dnn/layer_inputs.h"
#include "dnn/net_layer.h"
#include "vit/attention.h"
#include "vit/grid_attention.h"
#include "vit/late_restore.h"
#include "vit/normalize.h"
#include "vit/positions.h"

namespace mpm::dnn {
namespace {

using cv::dnn::LayerParams;
using std::to_string;

constexpr const char* kInputs =
    "tokens,rows,map,q_norm_scale,q_norm_shift,k_norm_scale,k_norm_shift,rotary_own,rotary_other,"
    "bias,distance_down,distance_across,outside";

// Holds the grid that an mpm.Attention's rows come from. It has the windows within which they
// attend, and the terms for distances between them.
class AttentionGrid {
 public:
  // Both are [height, width] or empty. Empty grid: none; empty window: as large as the grid.
  AttentionGrid(const LayerIdentity& layer, const std::vector<int>& grid,
                const std::vector<int>& window);

  bool isThere() const { return grid_.height > 0; }
  bool hasDistancesOrOutside() const { return down_.data != nullptr || outside_.data != nullptr; }
  // Reads weights for q, k and v with `width` features each, `d` of a head.
  void readWeights(const LayerInputs& inputs, const TokenShape& shape, int d, int width);
  void packWeights();

  // Returns the positions of live rows with these members. Throws if one has members in two
  // windows. Refers to this and to `members` until the next call.
  vit::GridPositions positions(const vit::Members& members);

 private:
  LayerIdentity layer_;
  vit::WindowGrid grid_;
  ConstRows down_, across_;
  ConstRows outside_;

  bool hasDistances_ = false;
  vit::DistanceTables distances_;
  std::vector<float> packedOutside_;

  // Scratch memory of a forward.
  std::vector<std::int32_t> windowOfLive_;
  vit::RowWindows windows_;
};

AttentionGrid::AttentionGrid(const LayerIdentity& layer, const std::vector<int>& grid,
                             const std::vector<int>& window)
    : layer_(layer) {
  const auto isPair = [](const std::vector<int>& sizes) {
    return sizes.size() == 2 && sizes[0] >= 1 && sizes[1] >= 1;
  };
  if (grid.empty() && window.empty()) return;
  if (!isPair(grid))
    refuseLayer(layer_, "grid is no [height, width]; expected two numbers of 1 or more");
  constexpr int kLongest = 1 << 10;
  if (!window.empty() && (!isPair(window) || window[0] > kLongest || window[1] > kLongest)) {
    refuseLayer(layer_, "window is no [height, width]; expected two numbers from 1 to " +
                            to_string(kLongest));
  }
  const std::vector<int>& cells = window.empty() ? grid : window;
  grid_ = {static_cast<std::size_t>(grid[0]), static_cast<std::size_t>(grid[1]),
           static_cast<std::size_t>(cells[0]), static_cast<std::size_t>(cells[1])};
}

void AttentionGrid::readWeights(const LayerInputs& inputs, const TokenShape& shape, int d,
                                int width) {
  down_ = across_ = outside_ = {};
  const bool hasDown = inputs.find("distance_down") != nullptr;
  if (hasDown != (inputs.find("distance_across") != nullptr)) {
    refuseLayer(layer_, "has one of distance_down and distance_across; expected both, or neither");
  }
  const bool hasOutside = inputs.find("outside") != nullptr;
  if (!isThere()) {
    if (hasDown || hasOutside)
      refuseLayer(layer_, "has distances or cells outside; expected a grid with them");
    return;
  }
  if (shape.special != 0 || static_cast<std::size_t>(shape.image) != grid_.height * grid_.width) {
    refuseLayer(layer_, "has " + to_string(shape.special) + " special and " +
                            to_string(shape.image) + " image rows; expected none and " +
                            to_string(grid_.height * grid_.width) + ", those of its grid");
  }
  if (hasOutside != grid_.reachesOver()) {
    refuseLayer(layer_, hasOutside ? "has cells outside, but its windows do not reach over its grid"
                                   : "has windows that reach over its grid; expected outside with "
                                     "them: q, k and v of a cell there");
  }
  if (hasOutside) outside_ = ConstRows(inputs.vector("outside", 3 * width), 1, 3 * width);
  if (!hasDown) return;
  down_ = inputs.matrix("distance_down", 2 * static_cast<int>(grid_.windowHeight) - 1, d);
  across_ = inputs.matrix("distance_across", 2 * static_cast<int>(grid_.windowWidth) - 1, d);
}

void AttentionGrid::packWeights() {
  packedOutside_.assign(outside_.data, outside_.data + outside_.dim);
  hasDistances_ = down_.data != nullptr;
  if (hasDistances_) distances_ = {down_, across_};
}

vit::GridPositions AttentionGrid::positions(const vit::Members& members) {
  windowOfLive_.assign(members.live(), 0);
  for (std::size_t row = 0; row < members.live(); ++row) {
    const std::int32_t *first = members.begin(row), *end = members.end(row);
    if (first == end)
      refuseInput(layer_, "map", "leaves out a live row; expected a token for each");
    const auto windowOf = [&](std::int32_t token) {
      return grid_.windowOf(static_cast<std::size_t>(token));
    };
    const auto other = std::find_if(
        first, end, [&](std::int32_t token) { return windowOf(token) != windowOf(*first); });
    if (other != end) {
      refuseInput(layer_, "map",
                  "merges token " + to_string(*other) + " of window " +
                      to_string(windowOf(*other)) + " with one of window " +
                      to_string(windowOf(*first)) +
                      "; expected merges within windows, by their input regions");
    }
    windowOfLive_[row] = static_cast<std::int32_t>(windowOf(*first));
  }
  windows_.set(windowOfLive_, grid_.windows());
  return {grid_, &members, &windows_, hasDistances_ ? &distances_ : nullptr,
          packedOutside_.empty() ? nullptr : packedOutside_.data()};
}

// Says which tokens of the unmerged network each live row of an image stands for.
struct Positions {
  vit::Members members;
  std::vector<std::int32_t> map;

  // isNeeded: refuses rows that are not all live without a map, since it cannot tell them apart.
  void read(const LayerIdentity& layer, const TokenShape& shape, std::size_t live,
            const float* given, bool isNeeded) {
    if (isNeeded && given == nullptr && live != static_cast<std::size_t>(shape.full())) {
      refuseLayer(layer,
                  "has positions and rows but no map, so it cannot know whose positions "
                  "merged rows have; expected a map with rows");
    }
    const auto special = static_cast<std::size_t>(shape.special);
    if (given != nullptr) {
      readIntegers(layer, "map", given, shape.image,
                   {0, static_cast<int>(live - special) - 1, "the live image rows"}, map);
    }
    members.set(given == nullptr ? nullptr : map.data(), map.size(), special, live);
  }
};

class AddRows final : public TokenLayer {
 public:
  explicit AddRows(const LayerParams& params)
      : TokenLayer(LayerKind::addRows, params, "tokens,rows,map,added") {}

 private:
  Shape outputShape(const TokenShape& shape, const InputShapes&) const override {
    return Shape{shape.batch, shape.capacity(), shape.dim};
  }
  void readWeights(const LayerInputs& inputs) override {
    added_ = inputs.matrix("added", shape().full(), shape().dim);
  }
  void packWeights() override {
    packed_.assign(added_.data, added_.data + added_.count * added_.dim);
  }
  void forwardImage(const Image& image) override {
    positions_.read(identity_, shape(), image.tokens.count, image.map, true);
    vit::addRowsOfMembers(image.tokens,
                          {packed_.data(), positions_.members.rows(), image.tokens.dim},
                          positions_.members, {image.out, image.tokens.count, image.tokens.dim});
  }

  ConstRows added_;
  std::vector<float> packed_;
  Positions positions_;  // nothing in it outlives a forward
};

using HeadNorms = std::vector<vit::OwnedNorm>;  // one for each head, or for all

class Attention final : public TokenLayer {
 public:
  explicit Attention(const LayerParams& params);

 private:
  Shape outputShape(const TokenShape& shape, const InputShapes&) const override {
    checkWidth(shape);
    return Shape{shape.batch, shape.capacity(), shape.dim / 3};
  }
  void readWeights(const LayerInputs& inputs) override;
  void packWeights() override;
  void forwardImage(const Image& image) override;

  void checkWidth(const TokenShape& shape) const;
  void readNorms(const LayerInputs& inputs);
  void readRotary(const LayerInputs& inputs);
  void readBias(const LayerInputs& inputs);
  void readMap(const Image& image);
  // Returns q or k, normalised and turned, in `room`, or `rows` if neither is due.
  ConstRows prepared(ConstRows rows, const HeadNorms& norms, std::vector<float>& room);
  void turn(ConstRows rows, Rows out) const;
  ConstRows onGrid(ConstRows qkv);  // side by side, q and k turned
  // Reads a head norm's scales or shifts: one vector for all heads, or one for each. A joint norm
  // has as many values as all heads have features. Sets `step` from one head's vector to the next.
  const float* readByHead(const LayerInputs& inputs, const std::string& input, std::size_t& step);

  std::size_t heads() const { return attention_.heads; }
  std::size_t headFeatures() const { return static_cast<std::size_t>(shape().dim) / 3 / heads(); }
  std::size_t normFeatures() const { return isJoint_ ? heads() * headFeatures() : headFeatures(); }

  vit::Attention attention_;
  float scale_;  // 0: 1 / sqrt(head's features)
  bool hasNorm_ = false, isJoint_, counts_;
  // Norms of q and k, and the steps from one head's vector to the next.
  vit::NormWeights norms_[2];
  std::size_t scaleSteps_[2] = {}, shiftSteps_[2] = {};
  ConstRows own_, other_, bias_;
  AttentionGrid grid_;

  HeadNorms packedNorms_[2];
  std::vector<float> packedOwn_, packedOther_;
  vit::PackedBias packedBias_;
  vit::Precision packedPrecision_ = vit::Precision::fp32;

  // Scratch memory of a forward.
  vit::AttentionOperands operands_;
  vit::GridScratch gridScratch_;
  Positions positions_;
  std::vector<float> q_, k_, keyWeights_;
};

Attention::Attention(const LayerParams& params)
    : TokenLayer(LayerKind::attention, params, kInputs),
      scale_(params.get<float>("scale", 0)),
      isJoint_(params.get<int>("joint", 0) != 0),
      counts_(params.get<int>("counts", 0) != 0),
      grid_(identity_, numbers("grid"), numbers("window")) {
  const int heads = params.get<int>("heads", 1);
  if (heads < 1) refuseLayer(identity_, "heads = " + to_string(heads) + "; expected 1 or more");
  attention_.heads = static_cast<std::size_t>(heads);
  const std::string norm = params.get<cv::String>("norm", "");
  hasNorm_ = !norm.empty();
  if (hasNorm_ && norm != "layer" && norm != "rms")
    refuseLayer(identity_, "norm = " + norm + "; expected layer or rms");
  for (vit::NormWeights& each : norms_) {
    each.isCentred = norm != "rms";
    each.eps = params.get<float>("eps", each.eps);
  }
  if (grid_.isThere() && (hasNorm_ || counts_))
    refuseLayer(identity_, "has a grid with norm or counts; expected a grid without them");
}

void Attention::checkWidth(const TokenShape& shape) const {
  const int parts = 3 * static_cast<int>(heads());
  if (shape.dim % parts != 0) {
    refuseInput(identity_, "tokens",
                "has " + to_string(shape.dim) + " features; expected a multiple of " +
                    to_string(parts) + ", for q, k and v of heads = " + to_string(heads()));
  }
}

const float* Attention::readByHead(const LayerInputs& inputs, const std::string& input,
                                   std::size_t& step) {
  const std::size_t d = normFeatures(), all = heads() * headFeatures();
  const cv::Mat* given = inputs.find(input);
  step = given != nullptr && given->total() == all ? d : 0;
  return inputs.vector(input, static_cast<int>(step == 0 ? d : all));
}

void Attention::readWeights(const LayerInputs& inputs) {
  checkWidth(shape());
  readNorms(inputs);
  readRotary(inputs);
  readBias(inputs);
  if (grid_.isThere() && bias_.data != nullptr)
    refuseLayer(identity_, "has a grid with a bias; expected a grid without it");
  const int d = static_cast<int>(headFeatures());
  grid_.readWeights(inputs, shape(), d, shape().dim / 3);
  if (own_.data != nullptr && grid_.hasDistancesOrOutside()) {
    refuseLayer(identity_,
                "has rotary positions with distances or cells outside; expected a grid without "
                "them");
  }
  attention_.scale = scale_ != 0 ? scale_ : 1 / std::sqrt(static_cast<float>(d));
}

void Attention::readNorms(const LayerInputs& inputs) {
  const char* const names[] = {"q_norm_", "k_norm_"};
  for (int i = 0; i < 2; ++i) {
    norms_[i].scale = readByHead(inputs, std::string(names[i]) + "scale", scaleSteps_[i]);
    norms_[i].shift = readByHead(inputs, std::string(names[i]) + "shift", shiftSteps_[i]);
    if (!hasNorm_ && (norms_[i].scale != nullptr || norms_[i].shift != nullptr))
      refuseLayer(identity_, "has constants of norms; expected norm = layer or rms with them");
  }
}

void Attention::readRotary(const LayerInputs& inputs) {
  own_ = other_ = {};
  if ((inputs.find("rotary_own") == nullptr) != (inputs.find("rotary_other") == nullptr))
    refuseLayer(identity_, "has one of rotary_own and rotary_other; expected both, or neither");
  if (inputs.find("rotary_own") == nullptr) return;
  const int d = static_cast<int>(headFeatures()), rows = shape().full();
  if (d % 2 != 0) {
    refuseLayer(identity_, "has rotary positions for " + to_string(d) +
                               " features of a head; expected an even number");
  }
  // Factors are shared by all heads, or each head has its own.
  const std::size_t shared = static_cast<std::size_t>(rows) * headFeatures();
  const bool isByHead = inputs.find("rotary_own")->total() == heads() * shared;
  const int width = isByHead ? static_cast<int>(heads()) * d : d;
  own_ = inputs.matrix("rotary_own", rows, width);
  other_ = inputs.matrix("rotary_other", rows, width);
}

void Attention::readBias(const LayerInputs& inputs) {
  const int count = static_cast<int>(heads()), rows = shape().full();
  bias_ = {};
  if (inputs.find("bias") != nullptr) bias_ = inputs.matrix("bias", count * rows, rows);
}

void Attention::packWeights() {
  packedPrecision_ = precision();
  vit::kernels(packedPrecision_);  // throws for one that the processor lacks
  for (int i = 0; i < 2; ++i) {
    packedNorms_[i].clear();
    vit::NormWeights norm = norms_[i];
    for (std::size_t first = 0; first < heads() * headFeatures(); first += normFeatures()) {
      packedNorms_[i].emplace_back(norm, normFeatures());
      if (norm.scale != nullptr) norm.scale += scaleSteps_[i];
      if (norm.shift != nullptr) norm.shift += shiftSteps_[i];
    }
  }
  const auto copy = [](ConstRows from) {
    return std::vector<float>(from.data, from.data + from.count * from.dim);
  };
  packedOwn_ = copy(own_);
  packedOther_ = copy(other_);
  packedBias_.pack(bias_, bias_.data == nullptr ? 0 : heads(),
                   static_cast<std::size_t>(shape().special));
  grid_.packWeights();
}

void Attention::readMap(const Image& image) {
  const auto special = static_cast<std::size_t>(shape().special);
  positions_.read(identity_, shape(), image.tokens.count, image.map,
                  grid_.isThere() || !(packedOwn_.empty() && packedBias_.isEmpty()));
  attention_.keyWeights = nullptr;
  if (image.map == nullptr || !counts_) return;
  const std::size_t live = image.tokens.count;
  const std::vector<std::int32_t>& map = positions_.map;
  keyWeights_.assign(live, 0);  // a special row stands for itself alone
  vit::keyWeights(map.data(), map.size(), keyWeights_.data() + special, live - special);
  attention_.keyWeights = keyWeights_.data();
}

ConstRows Attention::prepared(ConstRows rows, const HeadNorms& norms, std::vector<float>& room) {
  const std::size_t size = rows.count * rows.dim;
  if (!hasNorm_ && packedOwn_.empty()) return rows;
  room.resize(2 * size);
  Rows at(room.data(), rows.count, rows.dim);
  if (hasNorm_) {
    const std::size_t width = normFeatures();
    for (std::size_t i = 0; i < norms.size(); ++i) {
      vit::normalizeCpu({rows.data + i * width, rows.count, width, rows.stride}, norms[i].view(),
                        {at.data + i * width, rows.count, width, at.stride});
    }
    rows = at;
    at.data += size;
  }
  if (packedOwn_.empty()) return rows;
  turn(rows, at);
  return at;
}

void Attention::turn(ConstRows rows, Rows out) const {
  const auto full = static_cast<std::size_t>(shape().full());
  const std::size_t width = packedOwn_.size() / full;
  const vit::Rotary rotary{{packedOwn_.data(), full, width}, {packedOther_.data(), full, width}};
  vit::rotateCpu(rows, rotary, positions_.members, heads(), out);
}

ConstRows Attention::onGrid(ConstRows qkv) {
  if (packedOwn_.empty()) return qkv;
  const std::size_t width = qkv.dim / 3;
  q_.resize(qkv.count * qkv.dim);
  const Rows turned(q_.data(), qkv.count, qkv.dim);
  for (const std::size_t first : {std::size_t{0}, width})
    turn({qkv.data + first, qkv.count, width, qkv.stride},
         {turned.data + first, turned.count, width, turned.stride});
  for (std::size_t row = 0; row < qkv.count; ++row)
    std::copy_n(qkv.row(row) + 2 * width, width, turned.row(row) + 2 * width);
  return turned;
}

void Attention::forwardImage(const Image& image) {
  readMap(image);
  const std::size_t live = image.tokens.count, width = heads() * headFeatures();
  if (grid_.isThere()) {
    return vit::gridAttentionCpu(onGrid(image.tokens), attention_,
                                 grid_.positions(positions_.members), packedPrecision_,
                                 gridScratch_, {image.out, live, width});
  }
  const auto part = [&](std::size_t i) {
    return ConstRows(image.tokens.data + i * width, live, width, image.tokens.stride);
  };
  const ConstRows q = prepared(part(0), packedNorms_[0], q_);
  const ConstRows k = prepared(part(1), packedNorms_[1], k_);
  vit::AttentionBias bias{&packedBias_};
  attention_.bias = packedBias_.isEmpty() ? nullptr : &bias;
  if (!positions_.members.isEachItself()) bias.members = &positions_.members;
  const Rows out(image.out, live, width);
  vit::attentionCpu(q, k, part(2), attention_, packedPrecision_, operands_, out);
  attention_.bias = nullptr;
}

}  // namespace

LayerPtr makeAddRows(const LayerParams& params) { return cv::makePtr<AddRows>(params); }
LayerPtr makeAttention(const LayerParams& params) { return cv::makePtr<Attention>(params); }

}  // namespace mpm::dnn
