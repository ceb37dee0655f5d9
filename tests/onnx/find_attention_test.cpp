// SPDX-License-Identifier: Apache-2.0
// Self-attention in the layouts that exporters write, and near misses that are something else.
#include "onnx/find.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"

namespace mpm::test {
namespace {

using onnx::FoundAttention;

constexpr std::int64_t kRows = 4, kDim = 6, kHeads = 2, kWidth = 3;

enum class Layout { packed, interleaved, separate, sliced };

// Attention over "x" whose parts can be spoiled one at a time.
struct Case {
  Layout layout = Layout::packed;
  bool rowsFirst = false, rankThree = false;
  float scaleQ = 1, scaleK = 1, scaleProduct = 1, scaleV = 1;
  const char* productScale = "Mul";
  std::optional<float> mask = std::nullopt;
  std::int64_t softmaxAxis = -1;
  Integers outPerm = {};  // of [B, H, N, d]; empty: the right one
  std::string keysFrom = "x", valuesFrom = "x";
  bool swapsQueriesAndKeys = false, normalisesQueries = false, normalisesKeys = false,
       addsProducts = false, turnsValues = false, scalesByHead = false, areUnits = false,
       areGrouped = false, scalesQueries = false, swapsResult = false, convolvesQueries = false,
       normalisesTogether = false, takesLargestOff = false, mixesScores = false, mixesHeads = false,
       mixesByConvolution = false, gatesHeads = false;
  const char* gate = "";  // what stands beside the softmax: places, or another picture's
};

class Builder {
 public:
  explicit Builder(const Case& part) : part_(part), proto_(emptyModel()) {
    const Integers dims = part.rowsFirst ? Integers{kRows, -1, kDim} : Integers{-1, kRows, kDim};
    for (const char* name : {"x", "other"}) addInput(proto_, name, dims);
    if (part_.layout == Layout::sliced) addLinear(proto_, "x", kDim, 3 * kHeads * kWidth, "qkv");
    if (part_.layout == Layout::separate || part_.layout == Layout::sliced) {
      project("q", "x");
      project("k", part_.keysFrom);
      project("v", part_.valuesFrom);
    } else {
      unpack();
    }
    if (part_.swapsQueriesAndKeys) std::swap(names_[0], names_[1]);
    attend();
  }

  ModelProto build() { return std::move(proto_); }

 private:
  std::string scaled(const std::string& value, float factor, const char* type = "Mul") {
    if (factor == 1) return value;
    addNumber(proto_, value + "_factor", factor);
    addNode(proto_, type, {value, value + "_factor"}, {value + "_scaled"});
    return value + "_scaled";
  }
  void turn(const std::string& from, const Integers& batchFirst, const Integers& rowsFirst,
            const std::string& to) {
    addTranspose(proto_, from, part_.rowsFirst ? rowsFirst : batchFirst, to);
  }
  void project(const std::string& name, const std::string& from) {
    std::string rows = name + "_rows";
    if (part_.layout == Layout::sliced) {
      const auto first = kHeads * kWidth * static_cast<std::int64_t>(names_.size());
      addSlice(proto_, "qkv", 2, first, first + kHeads * kWidth, rows);
    } else {
      addLinear(proto_, from, kDim, kHeads * kWidth, rows);
    }
    if (part_.normalisesTogether && name != "v")
      addNorm(proto_, std::exchange(rows, name + "_unit"), kHeads * kWidth, name + "_unit");
    if (part_.convolvesQueries && name == "q") rows = convolved(rows);
    addReshape(proto_, rows, {0, 0, kHeads, kWidth}, name + "_heads");
    turn(name + "_heads", {0, 2, 1, 3}, {1, 2, 0, 3}, name);
    names_.push_back(name);
  }
  void unpack() {
    const bool isPacked = part_.layout == Layout::packed;
    addLinear(proto_, "x", kDim, 3 * kHeads * kWidth, "qkv");
    addReshape(proto_, "qkv",
               isPacked ? Integers{0, 0, 3, kHeads, kWidth} : Integers{0, 0, kHeads, 3, kWidth},
               "parts");
    isPacked ? turn("parts", {2, 0, 3, 1, 4}, {2, 1, 3, 0, 4}, "turned")
             : turn("parts", {3, 0, 2, 1, 4}, {3, 1, 2, 0, 4}, "turned");
    for (const std::int64_t i : {0, 1, 2}) {
      const std::string name(1, "qkv"[i]);
      *proto_.mutable_graph()->add_initializer() = onnx::integerTensor(name + "_at", {}, {i});
      addNode(proto_, "Gather", {"turned", name + "_at"}, {name});
      names_.push_back(name);
    }
  }
  std::string folded(const std::string& value, const Integers& dims) {
    if (!part_.rankThree) return value;
    addReshape(proto_, value, dims, value + "_folded");
    return value + "_folded";
  }
  // v v + v v, or v v + (-v) v
  std::string sumOfProducts(const std::string& v) {
    addNode(proto_, part_.turnsValues ? "Neg" : "Identity", {v}, {"turned_v"});
    addNode(proto_, "Mul", {v, v}, {"first_product"});
    addNode(proto_, "Mul", {"turned_v", v}, {"second_product"});
    addNode(proto_, "Add", {"first_product", "second_product"}, {"products"});
    return "products";
  }
  // v / |v|, perhaps of all features as one group
  std::string unit(const std::string& v, const std::string& name) {
    const std::string from = part_.areGrouped ? name + "_groups" : v;
    const std::string to = part_.areGrouped ? name + "_units" : name;
    if (part_.areGrouped) addReshape(proto_, v, {-1, kHeads, kRows, 1, kWidth}, from);
    auto& length = addNode(proto_, "ReduceL2", {from}, {name + "_length"});
    onnx::setAttribute(length, "axes", Integers{-1});
    addNode(proto_, "Div", {from, name + "_length"}, {to});
    if (part_.areGrouped) addReshape(proto_, to, {-1, kHeads, kRows, kWidth}, name);
    return name;
  }
  // The first row, and the others as a picture of one line.
  std::string convolved(const std::string& rows) {
    addSlice(proto_, rows, 1, 0, 1, "first_row");
    addSlice(proto_, rows, 1, 1, kRows, "other_rows");
    addTranspose(proto_, "other_rows", {0, 2, 1}, "columns");
    addReshape(proto_, "columns", {0, 0, 1, kRows - 1}, "planes");
    addSome(proto_, "kernel", {kDim, 1, 1, 1});
    auto& conv = addNode(proto_, "Conv", {"planes", "kernel"}, {"seen"});
    onnx::setAttribute(conv, "group", kDim);
    addReshape(proto_, "seen", {0, 0, kRows - 1}, "seen_columns");
    addTranspose(proto_, "seen_columns", {0, 2, 1}, "seen_rows");
    addConcat(proto_, {"first_row", "seen_rows"}, 1, "all_rows");
    return "all_rows";
  }
  // (w / 4 - max(w / 4)) 4
  std::string lessLargest(const std::string& weights) {
    const std::string small = scaled(weights, 0.25F);
    auto& largest = addNode(proto_, "ReduceMax", {small}, {"largest"});
    onnx::setAttribute(largest, "axes", Integers{-1});
    onnx::setAttribute(largest, "keepdims", std::int64_t{0});
    addIntegers(proto_, "last", {-1});
    addNode(proto_, "Unsqueeze", {"largest", "last"}, {"by_row"});
    addNode(proto_, "Sub", {small, "by_row"}, {"less"});
    return scaled("less", 4);
  }
  // (0.75 softmax + 0.5 places) / its rows' sums, the places of two heads and four rows.
  std::string gated(const std::string& weights) {
    std::vector<float> places;
    for (int row = 0; row < kHeads * kRows; ++row) {
      for (const float share : {0.05F, 0.1F, 0.15F, 0.2F}) places.push_back(share);
    }
    if (std::string(part_.gate) == "uneven") places.back() = 0.3F;
    if (std::string(part_.gate) == "far") {
      places[0] = 0;
      places[1] = 0.15F;
    }
    addConstant(proto_, "places", {1, kHeads, kRows, kRows}, places);
    addConstant(proto_, "share", {1, kHeads, 1, 1}, std::vector<float>{0.75F, 0.5F});
    addNode(proto_, "Mul", {"share", weights}, {"shared"});
    addNode(proto_, "Add", {"shared", "places"}, {"both"});
    addIntegers(proto_, "along", {-1});
    addNode(proto_, "ReduceSum", {"both", "along"}, {"sums"});
    addNode(proto_, "Div", {"both", "sums"}, {"gated"});
    return "gated";
  }
  std::string headsMixed(const std::string& weights, const std::string& name) {
    if (part_.mixesByConvolution) {
      addSome(proto_, name + "_kernel", {kHeads, kHeads, 1, 1});
      addNode(proto_, "Conv", {weights, name + "_kernel"}, {name + "_mixed"});
      return name + "_mixed";
    }
    addTranspose(proto_, weights, {0, 2, 3, 1}, name + "_heads_last");
    addLinear(proto_, name + "_heads_last", kHeads, kHeads, name + "_mixed");
    addTranspose(proto_, name + "_mixed", {0, 3, 1, 2}, name + "_heads_first");
    return name + "_heads_first";
  }
  void attend() {
    std::string q = scaled(folded(names_[0], {-1, kRows, kWidth}), part_.scaleQ);
    std::string k = scaled(folded(names_[1], {-1, kRows, kWidth}), part_.scaleK);
    if (part_.areUnits) {
      q = unit(q, "unit_q");
      k = unit(k, "unit_k");
    }
    if (part_.scalesQueries) {
      addConstant(proto_, "gamma", {kHeads, 1, kWidth}, std::vector<float>{1, 2, 3, 4, 5, 6});
      addNode(proto_, "Mul", {std::exchange(q, "scaled_queries"), "gamma"}, {"scaled_queries"});
    }
    if (part_.normalisesQueries) addNorm(proto_, std::exchange(q, "unit"), kWidth, "unit");
    if (part_.normalisesKeys) addNorm(proto_, std::exchange(k, "unit_k"), kWidth, "unit_k");
    addTranspose(proto_, k, part_.rankThree ? Integers{0, 2, 1} : Integers{0, 1, 3, 2}, "kt");
    addNode(proto_, "MatMul", {q, "kt"}, {"qk"});
    std::string weights = scaled("qk", part_.scaleProduct, part_.productScale);
    if (part_.scalesByHead) {
      addConstant(proto_, "by_head", {kHeads, 1, 1}, std::vector<float>{2, 3});
      addNode(proto_, "Mul", {std::exchange(weights, "scaled_heads"), "by_head"}, {"scaled_heads"});
    }
    if (part_.mask) {
      addConstant(proto_, "mask", {kRows, kRows},
                  std::vector<float>(static_cast<std::size_t>(kRows * kRows), *part_.mask));
      addNode(proto_, "Add", {std::exchange(weights, "masked"), "mask"}, {"masked"});
    }
    if (part_.mixesScores) weights = headsMixed(weights, "scores");
    if (part_.takesLargestOff) weights = lessLargest(weights);
    onnx::setAttribute(addNode(proto_, "Softmax", {weights}, {"softmax"}), "axis",
                       part_.softmaxAxis);
    std::string v = scaled(folded(names_[2], {-1, kRows, kWidth}), part_.scaleV);
    if (part_.addsProducts || part_.turnsValues) v = sumOfProducts(v);
    std::string attends = "softmax";
    if (*part_.gate != 0) attends = gated(attends);
    if (part_.mixesHeads) attends = headsMixed(attends, "weights");
    addNode(proto_, "MatMul", {attends, v}, {part_.gatesHeads ? "ungated" : "mixed"});
    if (part_.gatesHeads) addNode(proto_, "Mul", {"ungated", v}, {"mixed"});
    if (part_.rankThree) addReshape(proto_, "mixed", {-1, kHeads, kRows, kWidth}, "heads");
    const std::string heads = part_.rankThree ? "heads" : "mixed";
    const Integers right = part_.rowsFirst ? Integers{2, 0, 1, 3} : Integers{0, 2, 1, 3};
    addTranspose(proto_, heads, part_.outPerm.empty() ? right : part_.outPerm, "back");
    addReshape(proto_, "back",
               part_.rowsFirst != part_.swapsResult ? Integers{kRows, -1, kDim}
                                                    : Integers{-1, kRows, kDim},
               "y");
    addOutput(proto_, "y");
  }

  Case part_;
  ModelProto proto_;
  Strings names_;
};

onnx::Finding<FoundAttention> find(const Case& part, std::int64_t batch = 2) {
  const Looked looked(Builder(part).build(), batch);
  auto finding = onnx::findAttention(looked.facts(), "y", batch);
  if (finding.found) finding.found->nodes.clear();  // they go with the model
  finding.where = nullptr;
  return finding;
}

std::string obstacle(const Case& part) {
  const auto finding = find(part);
  return finding.found ? "found" : finding.obstacle;
}

TEST(FindAttention, AnyLayoutOfQueriesKeysAndValues) {
  const std::pair<Layout, std::vector<Integers>> cases[] = {
      {Layout::packed, {{0, 1, 2, 3, 4, 5}, {6, 7, 8, 9, 10, 11}, {12, 13, 14, 15, 16, 17}}},
      {Layout::interleaved, {{0, 1, 2, 9, 10, 11}, {3, 4, 5, 12, 13, 14}, {6, 7, 8, 15, 16, 17}}},
      {Layout::separate, {{0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}, {0, 1, 2, 3, 4, 5}}}};
  for (const auto& [layout, features] : cases) {
    for (const bool rowsFirst : {false, true}) {
      for (const bool rankThree : {false, true}) {
        SCOPED_TRACE(testing::Message() << static_cast<int>(layout) << rowsFirst << rankThree);
        const auto finding =
            find({.layout = layout, .rowsFirst = rowsFirst, .rankThree = rankThree});
        ASSERT_TRUE(finding.found) << finding.obstacle;
        const FoundAttention& found = *finding.found;
        EXPECT_EQ(found.input, "x");
        EXPECT_EQ(found.heads, kHeads);
        EXPECT_EQ(found.headDim, kWidth);
        EXPECT_EQ(found.rowsFirst, rowsFirst);
        EXPECT_EQ(found.q.features, features[0]);
        EXPECT_EQ(found.k.features, features[1]);
        EXPECT_EQ(found.v.features, features[2]);
        EXPECT_FLOAT_EQ(found.scale, 1);
      }
    }
  }
}

TEST(FindAttention, TakesQueriesAndKeysAsTheProductHasThem) {
  const auto finding = find({.swapsQueriesAndKeys = true});
  ASSERT_TRUE(finding.found);
  EXPECT_EQ(finding.found->q.features.front(), 6);
  EXPECT_EQ(finding.found->k.features.front(), 0);
}

TEST(FindAttention, CollectsTheScale) {
  EXPECT_FLOAT_EQ(find({.scaleProduct = 0.25F}).found->scale, 0.25F);
  EXPECT_FLOAT_EQ(find({.scaleProduct = 4, .productScale = "Div"}).found->scale, 0.25F);
  EXPECT_FLOAT_EQ(find({.scaleQ = 0.5F}).found->scale, 0.5F);
  EXPECT_FLOAT_EQ(find({.scaleQ = 0.5F, .scaleK = 0.25F, .scaleProduct = 3}).found->scale, 0.375F);
}

TEST(FindAttention, AMaskOfZerosIsNone) {
  EXPECT_TRUE(find({.mask = 0.0F}).found);
  const auto finding = find({.scaleProduct = 0.5F, .mask = 0.0F});
  ASSERT_TRUE(finding.found);
  EXPECT_EQ(finding.found->bias, "");
  EXPECT_TRUE(finding.found->isPlain());
}

TEST(FindAttention, ABiasOfTheSimilarities) {
  const auto finding = find({.scaleProduct = 0.5F, .mask = -1.0F});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_EQ(finding.found->bias, "mask");
  EXPECT_EQ(finding.found->biasScale, 1);
  EXPECT_EQ(finding.found->scale, 0.5F);
  EXPECT_FALSE(finding.found->isPlain());
  const std::string masked = "an attention mask, or a bias of its similarities that is not known";
  EXPECT_EQ(obstacle({.mask = -std::numeric_limits<float>::infinity()}), masked);
  EXPECT_EQ(obstacle({.mask = std::numeric_limits<float>::lowest()}), masked);
}

TEST(FindAttention, NormsOfEachHead) {
  for (const bool rankThree : {false, true}) {
    const auto finding =
        find({.rankThree = rankThree, .normalisesQueries = true, .normalisesKeys = true});
    ASSERT_TRUE(finding.found) << finding.obstacle;
    EXPECT_TRUE(finding.found->q.norm && finding.found->k.norm);
    EXPECT_EQ(finding.found->q.features, (Integers{0, 1, 2, 3, 4, 5}));
    EXPECT_FALSE(finding.found->isPlain());
  }
  EXPECT_EQ(obstacle({.scaleQ = 2, .normalisesQueries = true, .normalisesKeys = true}),
            "normalised q, k or v")
      << "a norm undoes a scale in front";
}

// As InternViT of 6 billion weights has it, and others from q, k and v side by side.
TEST(FindAttention, NormsOfAllHeadsTogether) {
  for (const Layout layout : {Layout::separate, Layout::sliced}) {
    const auto finding = find({.layout = layout, .normalisesTogether = true});
    ASSERT_TRUE(finding.found) << finding.obstacle;
    const onnx::FoundProjection& k = finding.found->k;
    EXPECT_TRUE(finding.found->q.norm && k.norm);
    EXPECT_EQ(k.joint, (Integers{0, 1, 2, 3, 4, 5}));
    EXPECT_EQ(k.features.front(), layout == Layout::sliced ? 6 : 0);
    EXPECT_EQ(k.linear.input, "x");
    EXPECT_FALSE(finding.found->isPlain());
  }
  EXPECT_EQ(
      obstacle({.layout = Layout::separate, .normalisesQueries = true, .normalisesTogether = true}),
      "normalised q, k or v")
      << "one norm behind another";
}

// As CogView and LayoutLMv3 keep half precision from overflowing.
TEST(FindAttention, SimilaritiesLessTheLargestOfEachRow) {
  const auto finding = find({.scaleProduct = 0.5F, .takesLargestOff = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_FLOAT_EQ(finding.found->scale, 0.5F);
  EXPECT_TRUE(finding.found->isPlain());
}

// As ConViT has it.
TEST(FindAttention, ASoftmaxOfPlacesBesideThatOfScores) {
  const auto finding = find({.gate = "places"});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  const FoundAttention& found = *finding.found;
  ASSERT_EQ(found.shares.size(), 4U);
  const float expected[] = {0.6F, 0.5F, 0.4F, 0.5F};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(found.shares[i], expected[i], 1e-5);
  ASSERT_EQ(found.places->size(), static_cast<std::size_t>(kHeads * kRows * kRows));
  EXPECT_FLOAT_EQ((*found.places)[3] - (*found.places)[0], std::log(4.0F));
  EXPECT_FALSE(found.isPlain());
  const auto far = find({.gate = "far"});
  ASSERT_TRUE(far.found) << "a place without a weight: " << far.obstacle;
  EXPECT_LT((*far.found->places)[0], -80);
  EXPECT_EQ(obstacle({.gate = "uneven"}), "attention weights that are more than one softmax")
      << "rows of different sums have no share";
}

// As CaiT has it.
TEST(FindAttention, HeadsThatMixTheirScoresAndWeights) {
  const auto finding = find({.mixesScores = true, .mixesHeads = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  const FoundAttention& found = *finding.found;
  const std::vector<float> inByOut = someValues({kHeads, kHeads});
  const std::vector<float> turned{inByOut[0], inByOut[2], inByOut[1], inByOut[3]};
  EXPECT_EQ(found.mixScores, turned);
  EXPECT_EQ(found.mixWeights, turned);
  EXPECT_EQ(found.mixBias, someValues({kHeads}));
  EXPECT_FALSE(found.isPlain());
  EXPECT_EQ(obstacle({.mask = 1.0F, .mixesScores = true}),
            "an attention mask, or a bias of its similarities that is not known")
      << "a bias in front of a mix";
  EXPECT_EQ(obstacle({.mixesHeads = true, .mixesByConvolution = true}),
            "attention weights that heads mix with each other's (talking heads)");
}

TEST(FindAttention, SaysThatHeadsAreGated) {
  EXPECT_EQ(obstacle({.gatesHeads = true}),
            "its result is multiplied with a gate before heads are joined");
}

TEST(FindAttention, NearMisses) {
  EXPECT_EQ(obstacle({.softmaxAxis = 2}), "") << "over the queries: nothing of the kind";
  EXPECT_EQ(obstacle({.softmaxAxis = 3}), "found");
  EXPECT_EQ(obstacle({.scaleV = 2}), "v is scaled");
  EXPECT_EQ(obstacle({.layout = Layout::separate, .keysFrom = "other"}),
            "q, k and v are made from different values");
  EXPECT_EQ(obstacle({.layout = Layout::separate, .valuesFrom = "other"}),
            "q, k and v are made from different values");
  EXPECT_EQ(obstacle({.layout = Layout::separate, .keysFrom = "other", .valuesFrom = "other"}),
            "q, k and v are made from different values")
      << "cross attention";
  EXPECT_EQ(obstacle({.normalisesQueries = true}),
            "q and k that are normalised or turned by their position differently");
}

// Values that are mixed with those of another block are products that are added, too.
TEST(FindAttention, TellsRotaryPositionsFromOtherSums) {
  EXPECT_EQ(obstacle({.addsProducts = true}), "not made by a linear layer");
  EXPECT_EQ(obstacle({.turnsValues = true}), "rotary positions");
}

// As SimpleViT with normalised q and k, and as the second Swin, have it.
TEST(FindAttention, RowsOfLengthOneThatAreScaledByHead) {
  const auto finding = find({.areUnits = true, .scalesQueries = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_TRUE(finding.found->q.norm && !finding.found->q.norm->isCentred);
  EXPECT_TRUE(finding.found->k.norm && finding.found->k.scale.empty());
  EXPECT_EQ(finding.found->q.scale, (std::vector<float>{1, 2, 3, 4, 5, 6}));
  EXPECT_FLOAT_EQ(finding.found->scale, 1.0F / kWidth) << "an RMSNorm's rows are longer";
  const auto scores = find({.scaleProduct = 2, .scalesByHead = true, .areUnits = true});
  ASSERT_TRUE(scores.found) << scores.obstacle;
  EXPECT_EQ(scores.found->q.scale, (std::vector<float>{2, 2, 2, 3, 3, 3}));
  EXPECT_FLOAT_EQ(scores.found->scale, 2.0F / kWidth);
}

// As x-transformers has it, which normalises in groups, usually one.
TEST(FindAttention, RowsOfLengthOneInOneGroup) {
  const auto finding = find({.areUnits = true, .areGrouped = true, .scalesQueries = true});
  ASSERT_TRUE(finding.found) << finding.obstacle;
  EXPECT_TRUE(finding.found->q.norm && finding.found->k.norm);
  EXPECT_EQ(finding.found->q.features, (Integers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(finding.found->q.scale, (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

TEST(FindAttention, QueriesThatAreConvolved) {
  EXPECT_EQ(obstacle({.layout = Layout::separate, .convolvesQueries = true}),
            "made by a convolution of its tokens");
}

TEST(FindAttention, TellsAScaleForEachHeadOfWhatIsNotNormalised) {
  EXPECT_EQ(obstacle({.scalesByHead = true}),
            "its similarities are scaled by more than one number");
  EXPECT_EQ(obstacle({.scalesQueries = true}), "q or k times a vector for each head");
}

// A layer takes 0 for "the usual scale".
TEST(FindAttention, AScaleOfNothing) {
  EXPECT_EQ(obstacle({.scaleProduct = 0}), "a scale of q k that is 0 or not finite");
}

TEST(FindAttention, HeadsHaveToStandSideBySide) {
  const std::string obstacleOfLayout = "the layout of its result is not understood";
  EXPECT_EQ(obstacle({.outPerm = {0, 1, 2, 3}}), obstacleOfLayout) << "heads never brought back";
  EXPECT_EQ(obstacle({.outPerm = {0, 2, 3, 1}}), obstacleOfLayout) << "features in front of heads";
}

// [N, B, H d] read as [B, N, H d]: with one image nothing is wrong with it.
TEST(FindAttention, SeesOnlyWithTwoImagesThatTheyAreMixed) {
  const Case mixed{.outPerm = {2, 0, 1, 3}};
  EXPECT_EQ(obstacle(mixed), "the layout of its result is not understood");
  EXPECT_TRUE(find(mixed, 1).found);
  EXPECT_EQ(obstacle({.rowsFirst = true, .outPerm = {0, 2, 1, 3}}),
            "the layout of its result is not understood");
}

// As transformers' MLCD has it.
TEST(FindAttention, AResultWithRowsAndImagesSwapped) {
  for (const std::int64_t batch : {1, 2}) {
    const auto finding = find({.outPerm = {2, 0, 1, 3}, .swapsResult = true}, batch);
    ASSERT_TRUE(finding.found) << finding.obstacle;
    EXPECT_TRUE(finding.found->swapsResult);
  }
  EXPECT_TRUE(find({.rowsFirst = true, .outPerm = {0, 2, 1, 3}, .swapsResult = true}).found);
}

// Heads of keys and values, each of which serves several of queries; `way`: how they are repeated.
struct SharedKeys {
  const char* way = "Expand";
  std::int64_t groups = 2;
  std::int64_t axis = 1;  // of [B, groups, N, d] that is repeated
};

constexpr std::int64_t kShared = 4;  // heads of queries

std::string repeated(ModelProto& proto, const std::string& value, const SharedKeys& part) {
  const std::string way = part.way, made = value + "_all";
  const std::int64_t times = kShared / part.groups;
  if (way == "Expand") {
    addReshape(proto, value, {-1, part.groups, 1, kRows, kWidth}, value + "_apart");
    addIntegers(proto, made + "_sizes", {1, 1, times, 1, 1});
    addNode(proto, "Expand", {value + "_apart", made + "_sizes"}, {value + "_spread"});
    addReshape(proto, value + "_spread", {-1, kShared, kRows, kWidth}, made);
  } else if (way == "Tile") {
    addIntegers(proto, made + "_sizes", {1, times, 1, 1});
    addNode(proto, "Tile", {value, made + "_sizes"}, {made});
  } else if (way == "Gather") {
    Integers order;
    for (std::int64_t i = 0; i < kShared; ++i) order.push_back(part.axis == 2 ? i / 2 : i / times);
    addIntegers(proto, made + "_order", order);
    onnx::setAttribute(addNode(proto, "Gather", {value, made + "_order"}, {made}), "axis",
                       part.axis);
  } else {
    return value;  // a product spreads it
  }
  return made;
}

ModelProto sharedKeys(const SharedKeys& part) {
  auto proto = emptyModel();
  addInput(proto, "x", {-1, kRows, kDim});
  addLinear(proto, "x", kDim, kShared * kWidth, "q_rows");
  addReshape(proto, "q_rows", {0, 0, kShared, kWidth}, "q_heads");
  addTranspose(proto, "q_heads", {0, 2, 1, 3}, "q");
  for (const std::string name : {"k", "v"}) {
    addLinear(proto, "x", kDim, part.groups * kWidth, name + "_rows");
    addReshape(proto, name + "_rows", {0, 0, part.groups, kWidth}, name + "_heads");
    addTranspose(proto, name + "_heads", {0, 2, 1, 3}, name);
  }
  addTranspose(proto, repeated(proto, "k", part), {0, 1, 3, 2}, "kt");
  addNode(proto, "MatMul", {"q", "kt"}, {"qk"});
  addNode(proto, "Softmax", {"qk"}, {"softmax"});
  addNode(proto, "MatMul", {"softmax", repeated(proto, "v", part)}, {"mixed"});
  addTranspose(proto, "mixed", {0, 2, 1, 3}, "back");
  addReshape(proto, "back", {0, 0, kShared * kWidth}, "y");
  addOutput(proto, "y");
  return proto;
}

// The first feature of each head's keys, or what was in the way.
Integers firstKeys(const SharedKeys& part, std::string* obstacle = nullptr) {
  const Looked looked(sharedKeys(part));
  const auto finding = onnx::findAttention(looked.facts(), "y", 2);
  if (obstacle != nullptr) *obstacle = finding.obstacle;
  Integers first;
  for (std::size_t h = 0; finding.found && h < kShared; ++h)
    first.push_back(finding.found->k.features[h * kWidth]);
  return first;
}

TEST(FindAttention, HeadsOfKeysThatServeSeveralOfQueries) {
  EXPECT_EQ(firstKeys({"Expand"}), (Integers{0, 0, 3, 3}));
  EXPECT_EQ(firstKeys({"Gather"}), (Integers{0, 0, 3, 3}));
  EXPECT_EQ(firstKeys({"Tile"}), (Integers{0, 3, 0, 3}));
  for (const char* way : {"Expand", "Gather", "Tile", "none"})
    EXPECT_EQ(firstKeys({way, 1}), (Integers{0, 0, 0, 0})) << way;
}

TEST(FindAttention, RepeatedRowsAreNoHeads) {
  std::string obstacle;
  EXPECT_EQ(firstKeys({"Gather", kShared, 2}, &obstacle), Integers{});
  EXPECT_EQ(obstacle, "attention within windows") << "each row of keys twice, others not at all";
}

// Two images side by side are windows of one, to attention.
ModelProto windowed() {
  auto proto = emptyModel();
  addInput(proto, "x", {1, 8, kDim});
  addReshape(proto, "x", {2, 4, kDim}, "windows");
  addLinear(proto, "windows", kDim, 3 * kDim, "qkv");
  addReshape(proto, "qkv", {2, 4, 3, kHeads, kWidth}, "parts");
  addTranspose(proto, "parts", {2, 0, 3, 1, 4}, "turned");
  for (const std::int64_t i : {0, 1, 2}) {
    const std::string name(1, "qkv"[i]);
    *proto.mutable_graph()->add_initializer() = onnx::integerTensor(name + "_at", {}, {i});
    addNode(proto, "Gather", {"turned", name + "_at"}, {name});
  }
  addTranspose(proto, "k", {0, 1, 3, 2}, "kt");
  addNode(proto, "MatMul", {"q", "kt"}, {"qk"});
  addNode(proto, "Softmax", {"qk"}, {"softmax"});
  addNode(proto, "MatMul", {"softmax", "v"}, {"mixed"});
  addTranspose(proto, "mixed", {0, 2, 1, 3}, "back");
  addReshape(proto, "back", {1, 8, kDim}, "y");
  addOutput(proto, "y");
  return proto;
}

TEST(FindAttention, Windows) {
  const Looked looked(windowed());
  const auto finding = onnx::findAttention(looked.facts(), "y", 1);
  EXPECT_FALSE(finding.found);
  EXPECT_EQ(finding.obstacle, "attention within windows");
}

}  // namespace
}  // namespace mpm::test
