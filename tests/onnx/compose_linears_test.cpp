// SPDX-License-Identifier: Apache-2.0
// Linear layers beside and behind each other that are one: adapters of low rank, factors, parts.
#include "onnx/simplify.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "onnx/facts_case.h"
#include "onnx/lower_case.h"

namespace mpm::test {
namespace {

constexpr std::int64_t kRows = 3, kIn = 8, kOut = 6, kRank = 2;

// Rows "x" [batch, 3, 8], and "z" of the same dims.
struct Rows {
  ModelProto proto = emptyModel();

  Rows() {
    proto.mutable_opset_import(0)->set_version(17);
    addInput(proto, "x", {-1, kRows, kIn});
    addInput(proto, "z", {-1, kRows, kIn});
    addLinear(proto, "x", kIn, kOut, "own");
  }
  Rows& product(const std::string& from, std::int64_t in, std::int64_t out, const std::string& to) {
    addSome(proto, to + "_weight", {in, out}, 0.7F);
    addNode(proto, "MatMul", {from, to + "_weight"}, {to});
    return *this;
  }
  Rows& adapter(const std::string& from, const std::string& to, std::int64_t out = kOut,
                std::int64_t rank = kRank) {
    return product(from, kIn, rank, to + "_down").product(to + "_down", rank, out, to);
  }
  Rows& node(const std::string& type, const Strings& inputs, const std::string& to) {
    addNode(proto, type, inputs, {to});
    return *this;
  }
  Rows& vector(const std::string& name, std::int64_t count = kOut) {
    addSome(proto, name, {count}, 0.4F);
    return *this;
  }
  ModelProto end(const std::string& output = "y") {
    addOutput(proto, output);
    return proto;
  }
};

// The nodes' types once it was composed, after it gave what the model gives.
Strings typesOfComposed(const ModelProto& proto) {
  const Integers dims{2, kRows, kIn};
  const Model before{ModelProto(proto)};
  Model after{ModelProto(proto)};
  onnx::composeLinears(after, onnx::Values(after, {{"x", dims}, {"z", dims}}));
  expectSameResult(before, after, {dims, dims});
  return typesOf(after);
}

const Strings kOne{"MatMul", "Add"};

TEST(ComposeLinears, AnAdapterOfLowRankBesideALayer) {
  EXPECT_EQ(typesOfComposed(Rows().adapter("x", "low").node("Add", {"own", "low"}, "y").end()),
            kOne);
  Rows scaled;
  addNumber(scaled.proto, "factor", 0.5F);
  scaled.adapter("x", "low").node("Mul", {"low", "factor"}, "half");
  EXPECT_EQ(typesOfComposed(scaled.node("Add", {"half", "own"}, "y").end()), kOne);
  EXPECT_EQ(typesOfComposed(Rows().adapter("x", "low").node("Sub", {"own", "low"}, "y").end()),
            kOne);
}

TEST(ComposeLinears, FactorsAndShiftsOfFeatures) {
  Rows both;
  both.vector("factors").vector("shifts").node("Mul", {"own", "factors"}, "scaled");
  EXPECT_EQ(typesOfComposed(both.node("Add", {"scaled", "shifts"}, "y").end()), kOne);
  EXPECT_EQ(typesOfComposed(Rows().vector("divisors").node("Div", {"own", "divisors"}, "y").end()),
            kOne);
}

// As an adapter of q and v alone is written.
TEST(ComposeLinears, PartsThatAreJoinedAgain) {
  Rows parts;
  addSlice(parts.proto, "own", 2, 0, 2, "first");
  addSlice(parts.proto, "own", 2, 2, kOut, "rest");
  parts.adapter("x", "low", 2, 1).node("Add", {"first", "low"}, "changed");
  addConcat(parts.proto, {"changed", "rest"}, -1, "y");
  EXPECT_EQ(typesOfComposed(parts.end()), kOne);
}

TEST(ComposeLinears, WhatIsNoOneLayerStays) {
  const auto stays = [](ModelProto proto) {
    Strings before;
    for (const auto& node : proto.graph().node()) before.push_back(node.op_type());
    return typesOfComposed(proto) == before;
  };
  EXPECT_TRUE(stays(Rows().adapter("z", "low").node("Add", {"own", "low"}, "y").end()))
      << "of two inputs";
  EXPECT_TRUE(stays(Rows().adapter("x", "y").end())) << "it would have more weights";
  EXPECT_TRUE(stays(Rows().end("own"))) << "one already";
  EXPECT_TRUE(stays(Rows()
                        .vector("factors")
                        .node("Mul", {"own", "factors"}, "scaled")
                        .product("z", kIn, kOut, "stream")
                        .node("Add", {"stream", "scaled"}, "y")
                        .end()))
      << "a LayerScale";
  Rows read;
  addOutput(read.proto, "own");
  EXPECT_TRUE(stays(read.adapter("x", "low").node("Add", {"own", "low"}, "y").end()))
      << "another output reads a part";
}

// A file of a kilobyte would be read for ever: two to the number of sums.
TEST(ComposeLinears, WhatIsAddedToItselfAgainAndAgainCostsLittle) {
  Rows rows;
  std::string last = "own";
  for (int i = 0; i < 60; ++i) {
    const std::string next = "sum" + std::to_string(i);
    rows.node("Add", {last, last}, next);
    last = next;
  }
  const Integers dims{2, kRows, kIn};
  Model model(rows.node("Neg", {last}, "y").end());
  onnx::composeLinears(model, onnx::Values(model, {{"x", dims}, {"z", dims}}));
  const Strings types = typesOf(model);
  EXPECT_GT(std::count(types.begin(), types.end(), "Add"), 40);
}

}  // namespace
}  // namespace mpm::test
