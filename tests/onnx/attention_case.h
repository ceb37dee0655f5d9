// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"
#include "onnx/recognise/parts.h"

namespace mpm::test::attention {

inline constexpr std::int64_t kRows = 4, kDim = 6, kHeads = 2, kWidth = 3;

enum class Layout { packed, interleaved, separate, sliced };

// Attention over "x" whose parts can be spoiled one at a time.
struct Case {
  Layout layout = Layout::packed;
  bool rowsFirst = false, rankThree = false, headsFirst = false;
  float scaleQ = 1, scaleK = 1, scaleProduct = 1, scaleV = 1;
  const char* productScale = "Mul";
  std::optional<float> mask = std::nullopt;
  std::int64_t softmaxAxis = -1;
  Integers outPerm = {};  // of [B, H, N, d]; empty: the right one
  std::string keysFrom = "x", valuesFrom = "x";
  bool swapsQueriesAndKeys = false, normalisesQueries = false, normalisesKeys = false,
       addsProducts = false, turnsValues = false, scalesByHead = false, areUnits = false,
       areGrouped = false, scalesQueries = false, swapsResult = false, convolvesQueries = false,
       normalisesTogether = false, takesLargestOff = false, mixesHeads = false, gatesHeads = false,
       addsOneToMask = false, shiftsQueries = false, scalesValues = false;
  Integers lengthPerm = {};  // of lengths, which were taken before the turn of their rows
  const char* gate = "";     // what stands beside the softmax: places, or another picture's
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
  std::string folded(std::string value, const Integers& dims) {
    if (part_.headsFirst) {
      addTranspose(proto_, value, {1, 0, 2, 3}, value + "_in_front");
      value += "_in_front";
    }
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
    const bool isTurned = !part_.lengthPerm.empty();
    const std::string rows = isTurned ? from + "_heads" : from;
    auto& length = addNode(proto_, "ReduceL2", {rows}, {name + "_length"});
    onnx::setAttribute(length, "axes", Integers{-1});
    if (isTurned) addTranspose(proto_, name + "_length", part_.lengthPerm, name + "_turned_length");
    addNode(proto_, "Div", {from, name + (isTurned ? "_turned_length" : "_length")}, {to});
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
    if (part_.shiftsQueries) {
      addConstant(proto_, "beta", {kHeads, 1, 1}, std::vector<float>{10, 20});
      addNode(proto_, "Add", {"beta", std::exchange(q, "shifted_queries")}, {"shifted_queries"});
      q = scaled(q, 0.5F);
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
      if (part_.addsOneToMask) {
        addConstant(proto_, "ones", {1, 1, kRows, 1}, std::vector<float>(kRows, 1));
        addNode(proto_, "Add", {"mask", "ones"}, {"more"});
      }
      const std::string mask = part_.addsOneToMask ? "more" : "mask";
      addNode(proto_, "Add", {std::exchange(weights, "masked"), mask}, {"masked"});
    }
    if (part_.takesLargestOff) weights = lessLargest(weights);
    onnx::setAttribute(addNode(proto_, "Softmax", {weights}, {"softmax"}), "axis",
                       part_.softmaxAxis);
    std::string v = scaled(folded(names_[2], {-1, kRows, kWidth}), part_.scaleV);
    if (part_.scalesValues) {
      addConstant(proto_, "by_feature", {kWidth}, std::vector<float>{2, 3, 4});
      addNode(proto_, "Mul", {std::exchange(v, "scaled_values"), "by_feature"}, {"scaled_values"});
    }
    if (part_.addsProducts || part_.turnsValues) v = sumOfProducts(v);
    std::string attends = "softmax";
    if (*part_.gate != 0) attends = gated(attends);
    if (part_.mixesHeads) attends = headsMixed(attends, "weights");
    addNode(proto_, "MatMul", {attends, v}, {part_.gatesHeads ? "ungated" : "mixed"});
    if (part_.gatesHeads) addNode(proto_, "Mul", {"ungated", v}, {"mixed"});
    const std::int64_t images = part_.headsFirst ? 1 : 0;
    Integers sizes{-1, kHeads, kRows, kWidth};
    if (part_.headsFirst) std::swap(sizes[0], sizes[1]);
    if (part_.rankThree) addReshape(proto_, "mixed", sizes, "heads");
    const std::string heads = part_.rankThree ? "heads" : "mixed";
    const Integers right =
        part_.rowsFirst ? Integers{2, images, 1 - images, 3} : Integers{images, 2, 1 - images, 3};
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

inline onnx::Finding<onnx::FoundAttention> find(const Case& part, std::int64_t batch = 2) {
  const Looked looked(Builder(part).build(), batch);
  auto finding = onnx::findAttention(looked.facts(), "y", batch);
  if (finding.found) finding.found->nodes.clear();  // they go with the model
  finding.where = nullptr;
  return finding;
}

inline std::string obstacle(const Case& part) {
  const auto finding = find(part);
  return finding.found ? "found" : finding.obstacle;
}

}  // namespace mpm::test::attention
