// SPDX-License-Identifier: Apache-2.0
// Where elements went: each view is compared with what the nodes do to the numbers 0, 1, 2, ...
#include "onnx/recognise/view.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "onnx/facts_case.h"

namespace mpm::test {
namespace {

using onnx::View;

// Nodes one behind the other, from the input "x" on.
class Chain {
 public:
  explicit Chain(const Integers& dims) : proto_(emptyModel()) { addInput(proto_, at_, dims); }

  Chain& reshape(const Integers& dims) {
    const std::string from = std::exchange(at_, next());
    addReshape(proto_, from, dims, at_);
    return *this;
  }
  Chain& transpose(const Integers& perm) {
    const std::string from = std::exchange(at_, next());
    addTranspose(proto_, from, perm, at_);
    return *this;
  }
  Chain& slice(std::int64_t axis, std::int64_t begin, std::int64_t end, std::int64_t step = 1) {
    const std::string from = std::exchange(at_, next());
    addSlice(proto_, from, axis, begin, end, at_, step);
    return *this;
  }
  Chain& gather(std::int64_t axis, const Integers& dims, const Integers& indices) {
    const std::string from = std::exchange(at_, next());
    *proto_.mutable_graph()->add_initializer() = onnx::integerTensor(at_ + "_at", dims, indices);
    onnx::setAttribute(addNode(proto_, "Gather", {from, at_ + "_at"}, {at_}), "axis", axis);
    return *this;
  }
  Chain& split(std::int64_t axis, const Integers& sizes, std::size_t which) {
    const std::string from = std::exchange(at_, next());
    addIntegers(proto_, at_ + "_sizes", sizes);
    Strings parts;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      parts.push_back(i == which ? at_ : at_ + "_other" + std::to_string(i));
    onnx::setAttribute(addNode(proto_, "Split", {from, at_ + "_sizes"}, parts), "axis", axis);
    return *this;
  }
  Chain& repeat(const char* type, const Integers& sizes) {  // Expand, Tile
    const std::string from = std::exchange(at_, next());
    addIntegers(proto_, at_ + "_sizes", sizes);
    addNode(proto_, type, {from, at_ + "_sizes"}, {at_});
    return *this;
  }
  Chain& scalar(const char* type, float value, bool isFirst = false, const Integers& dims = {}) {
    const std::string from = std::exchange(at_, next()), constant = at_ + "_scalar";
    addConstant(proto_, constant, dims, {value});
    addNode(proto_, type, isFirst ? Strings{constant, from} : Strings{from, constant}, {at_});
    return *this;
  }
  Chain& node(const char* type) {
    const std::string from = std::exchange(at_, next());
    addNode(proto_, type, {from}, {at_});
    return *this;
  }

  std::optional<View> view() const { return seen(onnx::viewOf); }
  std::optional<View> places() const { return seen(onnx::placesIn); }
  std::string base() const {
    const auto found = view();
    return found ? found->base : "none";
  }
  std::string placesBase() const {
    const auto found = places();
    return found ? found->base : "none";
  }
  std::string behindRows() const {
    const Looked looked(closed());
    return onnx::behindRowViews(looked.facts(), at_);
  }

 private:
  std::string next() { return "v" + std::to_string(count_++); }
  ModelProto closed() const {
    ModelProto proto = proto_;
    addOutput(proto, at_);
    return proto;
  }
  std::optional<View> seen(std::optional<View> (*see)(const onnx::Facts&,
                                                      const std::string&)) const {
    const Looked looked(closed());
    std::optional<View> view = see(looked.facts(), at_);
    if (view) view->nodes.clear();  // they go with the model
    return view;
  }

  ModelProto proto_;
  std::string at_ = "x";
  int count_ = 0;
};

// The places of a view's elements, in its order.
Integers placesOf(const View& view) {
  std::vector<onnx::Run> runs;
  for (const auto& axis : view.axes) runs.insert(runs.end(), axis.begin(), axis.end());
  Integers places{view.offset};
  for (const onnx::Run& run : runs) {
    Integers longer;
    for (const std::int64_t place : places) {
      for (std::int64_t i = 0; i < run.size; ++i) longer.push_back(place + i * run.stride);
    }
    places = std::move(longer);
  }
  return places;
}

TEST(View, JoinsRunsThatContinueEachOther) {
  EXPECT_EQ(onnx::joined({{2, 12}, {3, 4}}), (onnx::Run{6, 4}));
  EXPECT_EQ(onnx::joined({{2, 12}, {3, 4}, {4, 1}}), (onnx::Run{24, 1}));
  EXPECT_EQ(onnx::joined({}), (onnx::Run{1, 0}));
  EXPECT_EQ(onnx::joined({{2, 8}, {3, 4}}), std::nullopt);
  EXPECT_EQ(onnx::joined({{2, 4}, {3, 8}}), std::nullopt);
}

TEST(View, OneSeenThroughAnother) {
  const View inner = *Chain({2, 5, 18}).slice(2, 6, 12).slice(1, 1, 5).view();  // [2, 4, 6]
  const View outers[] = {
      *Chain({2, 4, 6}).reshape({2, 4, 2, 3}).transpose({0, 2, 1, 3}).view(),
      *Chain({2, 4, 6}).slice(1, 1, 3).transpose({2, 0, 1}).view(),
      *Chain({2, 4, 6}).slice(2, 1, 6, 2).slice(0, 1, 2).view(),
  };
  for (const View& outer : outers) {
    const std::optional<View> seen = onnx::seenThrough(outer, inner);
    ASSERT_TRUE(seen);
    const Integers places = placesOf(inner);
    Integers expected;
    for (const std::int64_t place : placesOf(outer))
      expected.push_back(places[static_cast<std::size_t>(place)]);
    EXPECT_EQ(placesOf(*seen), expected);
    EXPECT_EQ(seen->dims(), outer.dims());
  }
  const View across = *Chain({2, 4, 6}).reshape({4, 12}).slice(1, 4, 8).view();
  EXPECT_EQ(onnx::seenThrough(across, inner), std::nullopt) << "from one row into the next";
}

TEST(View, ReshapeSplitsAndJoins) {
  View view = onnx::denseView("x", {4, 6});
  ASSERT_TRUE(view.reshape({2, 2, 3, 2}));
  EXPECT_EQ(view.strides(), (Integers{12, 6, 2, 1}));
  ASSERT_TRUE(view.reshape({24}));
  EXPECT_EQ(view.strides(), (Integers{1}));
  ASSERT_TRUE(view.reshape({1, 24, 1}));
  EXPECT_EQ(view.strides(), (Integers{0, 1, 0}));
}

TEST(View, ReshapeThatNoRunsSayChangesNothing) {
  View view = onnx::denseView("x", {4, 6});
  ASSERT_TRUE(view.reshape({2, 2, 6}));
  std::swap(view.axes[0], view.axes[2]);
  const View before = view;
  for (const Integers& dims : {Integers{4, 6}, Integers{5, 5}, Integers{25}, Integers{23}}) {
    View changed = before;
    EXPECT_FALSE(changed.reshape(dims));
    EXPECT_EQ(changed.axes, before.axes);
  }
}

TEST(View, HeadsOfAPackedProjection) {
  // [B, N, 3 H d], B = 2, N = 5, H = 2, d = 4: the k of both heads.
  const auto view = Chain({-1, 5, 24})
                        .reshape({2, 5, 3, 2, 4})
                        .transpose({2, 0, 3, 1, 4})
                        .gather(0, {}, {1})
                        .view();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->base, "x");
  EXPECT_EQ(view->offset, 8);
  EXPECT_EQ(view->dims(), (Integers{2, 2, 5, 4}));
  EXPECT_EQ(view->strides(), (Integers{120, 4, 24, 1}));
}

TEST(View, BatchAndHeadsInOneAxisBecomeTwoAgain) {
  const Chain merged =
      Chain({2, 5, 8}).reshape({2, 5, 2, 4}).transpose({0, 2, 1, 3}).reshape({4, 5, 4});
  const auto view = merged.view();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->axes[0], (std::vector<onnx::Run>{{2, 40}, {2, 4}}));
  EXPECT_EQ(view->strides(), std::nullopt) << "no single step from one head to the next";
  const auto rows =
      Chain(merged).reshape({2, 2, 5, 4}).transpose({0, 2, 1, 3}).reshape({2, 5, 8}).view();
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->strides(), (Integers{40, 8, 1}));
}

TEST(View, IsWhereTheElementsAre) {
  const std::pair<Chain, Integers> cases[] = {
      {Chain({2, 6}).slice(1, 1, 6, 2), {1, 3, 5, 7, 9, 11}},
      {Chain({2, 6}).slice(-1, -2, kMax), {4, 5, 10, 11}},
      {Chain({2, 6}).slice(0, 1, 2).reshape({6}), {6, 7, 8, 9, 10, 11}},
      {Chain({6}).slice(0, -100, 2), {0, 1}},
      {Chain({2, 3}).gather(1, {}, {-1}), {2, 5}},
      {Chain({2, 5}).gather(1, {2}, {1, 3}), {1, 3, 6, 8}},
      {Chain({6}).gather(0, {2, 3}, {0, 2, 4, 1, 3, 5}), {0, 2, 4, 1, 3, 5}},
      {Chain({2, 4}).gather(1, {2, 2}, {0, 1, 2, 3}).slice(1, 1, 2), {2, 3, 6, 7}},
      {Chain({2, 5}).split(1, {2, 3}, 0), {0, 1, 5, 6}},
      {Chain({2, 5}).split(1, {2, 1, 2}, 2), {3, 4, 8, 9}},
      {Chain({2, 3}).transpose({1, 0}).slice(0, 1, 3), {1, 4, 2, 5}},
      {Chain({2, 1, 3}).node("Squeeze").node("Identity"), {0, 1, 2, 3, 4, 5}},
      {Chain({2, 3}).transpose({1, 0}).reshape({3, 2, 1}).transpose({1, 2, 0}), {0, 1, 2, 3, 4, 5}},
      {Chain({2, 2, 2}).transpose({2, 0, 1}).reshape({2, 4}), {0, 2, 4, 6, 1, 3, 5, 7}},
  };
  int number = 0;
  for (const auto& [chain, places] : cases) {
    SCOPED_TRACE(number++);
    const auto view = chain.view();
    ASSERT_TRUE(view);
    EXPECT_EQ(view->base, "x");
    EXPECT_EQ(placesOf(*view), places);
  }
}

TEST(View, ElementsThatStandSeveralTimes) {
  const std::pair<Chain, Integers> cases[] = {
      {Chain({2, 5}).gather(1, {2}, {1, 1}), {1, 1, 6, 6}},
      {Chain({4}).gather(0, {4}, {1, 1, 3, 3}), {1, 1, 3, 3}},
      {Chain({4}).gather(0, {4}, {1, 2, 1, 2}), {1, 2, 1, 2}},
      {Chain({4}).gather(0, {8}, {0, 0, 2, 2, 0, 0, 2, 2}), {0, 0, 2, 2, 0, 0, 2, 2}},
      {Chain({2, 1}).repeat("Expand", {2, 3}), {0, 0, 0, 1, 1, 1}},
      {Chain({2, 1}).repeat("Expand", {2, 3}).reshape({6}), {0, 0, 0, 1, 1, 1}},
      {Chain({2}).repeat("Expand", {3, 2}), {0, 1, 0, 1, 0, 1}},
      {Chain({2, 2}).repeat("Tile", {1, 2}), {0, 1, 0, 1, 2, 3, 2, 3}},
      {Chain({2, 2}).repeat("Tile", {2, 1}).transpose({1, 0}), {0, 2, 0, 2, 1, 3, 1, 3}},
  };
  int number = 0;
  for (const auto& [chain, places] : cases) {
    SCOPED_TRACE(number++);
    const auto view = chain.view();
    ASSERT_TRUE(view);
    EXPECT_EQ(view->base, "x");
    EXPECT_EQ(placesOf(*view), places);
  }
}

// Slices of "x" [2, 6] along its second axis, each from one place to another, joined again.
std::optional<View> joinedSlices(const std::vector<std::pair<std::int64_t, std::int64_t>>& parts,
                                 std::int64_t axis = 1, const std::string& other = "x",
                                 std::optional<View> (*see)(const onnx::Facts&,
                                                            const std::string&) = onnx::viewOf) {
  auto proto = emptyModel();
  addInput(proto, "x", {2, 6});
  addInput(proto, "other", {2, 6});
  Strings names;
  for (const auto& [begin, end] : parts) {
    names.push_back("part" + std::to_string(names.size()));
    addSlice(proto, names.size() == 2 ? other : "x", 1, begin, end, names.back());
  }
  addConcat(proto, names, axis, "y");
  addOutput(proto, "y");
  const Looked looked(proto);
  std::optional<View> view = see(looked.facts(), "y");
  if (view) view->nodes.clear();
  return view;
}

TEST(View, PartsOfOneValueThatAreJoined) {
  const std::pair<std::optional<View>, Integers> cases[] = {
      {joinedSlices({{0, 2}, {2, 4}, {4, 6}}), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
      {joinedSlices({{0, 1}, {1, 4}, {4, 6}}), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}},
      {joinedSlices({{0, 1}, {3, 4}}), {0, 3, 6, 9}},
      {joinedSlices({{1, 3}, {1, 3}}), {1, 2, 1, 2, 7, 8, 7, 8}},
      {joinedSlices({{0, 1}, {3, 4}}, 0), {0, 6, 3, 9}},
      {joinedSlices({{0, 1}, {1, 2}, {4, 5}, {5, 6}}, 0), {0, 6, 1, 7, 4, 10, 5, 11}},
  };
  int number = 0;
  for (const auto& [view, places] : cases) {
    SCOPED_TRACE(number++);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->base, "x");
    EXPECT_EQ(placesOf(*view), places);
  }
}

TEST(View, OtherPartsAreAValueOfTheirOwn) {
  for (const auto& view :
       {joinedSlices({{0, 2}, {2, 4}}, 1, "other"), joinedSlices({{2, 4}, {0, 2}}),
        joinedSlices({{0, 1}, {2, 5}}), joinedSlices({{0, 1}, {1, 2}, {3, 4}})}) {
    ASSERT_TRUE(view);
    EXPECT_EQ(view->base, "y");
  }
}

TEST(View, CollectsScalars) {
  const auto view = Chain({2, 3})
                        .scalar("Mul", 3)
                        .transpose({1, 0})
                        .scalar("Div", 2, false, {1})
                        .scalar("Mul", 5, true)
                        .view();
  ASSERT_TRUE(view);
  EXPECT_EQ(view->base, "x");
  EXPECT_FLOAT_EQ(view->factor, 7.5F);
}

TEST(View, StopsAtWhatComputes) {
  EXPECT_EQ(Chain({2, 3}).node("Relu").reshape({6}).base(), "v0");
  EXPECT_EQ(Chain({2, 3}).scalar("Div", 2, true).base(), "v0") << "2 / x";
  EXPECT_EQ(Chain({2, 3}).scalar("Div", 0).base(), "v0");
  EXPECT_EQ(Chain({2, 3}).scalar("Add", 2).base(), "v0");
  EXPECT_EQ(Chain({3}).scalar("Mul", 2, false, {1, 1}).base(), "v0") << "a new dimension";
}

TEST(View, Refuses) {
  EXPECT_FALSE(Chain({2, 6}).slice(1, 5, 0, -1).view()) << "backwards";
  EXPECT_FALSE(Chain({2, 5}).gather(1, {2}, {1, 0}).view()) << "backwards";
  EXPECT_FALSE(Chain({2, 5}).gather(1, {3}, {0, 0, 1}).view()) << "one row twice, another once";
  EXPECT_FALSE(Chain({2, 5}).gather(1, {4}, {0, 1, 0, 2}).view()) << "others the second time";
  EXPECT_FALSE(Chain({2, 5}).gather(1, {4}, {1, 1, 0, 0}).view()) << "backwards, twice each";
  EXPECT_FALSE(Chain({2, 5}).gather(1, {3}, {0, 1, 3}).view()) << "unequal distances";
  EXPECT_FALSE(Chain({2, 5}).gather(1, {2, 2}, {0, 1, 1, 3}).view()) << "others in the second row";
  EXPECT_FALSE(Chain({2, 3, 5}).transpose({0, 2, 1}).reshape({2, 3, 5}).view()) << "no run of 3";
  EXPECT_FALSE(Chain({3, 4}).transpose({1, 0}).reshape({12}).slice(0, 1, 5).view())
      << "a slice of an axis that has no step";
}

TEST(View, PlacesAreTheSameSeenFromTheOtherEnd) {
  // Heads back into rows: element (b, h, n, i) of the attention stands at row n, feature h d + i.
  const auto places = Chain({2, 3, 5, 4}).transpose({0, 2, 1, 3}).reshape({2, 5, 12}).places();
  ASSERT_TRUE(places);
  EXPECT_EQ(places->base, "x");
  EXPECT_EQ(places->dims(), (Integers{2, 3, 5, 4}));
  EXPECT_EQ(places->strides(), (Integers{60, 4, 12, 1}));
  const auto turned = Chain({2, 3, 5}).transpose({2, 0, 1}).places();
  ASSERT_TRUE(turned);
  EXPECT_EQ(turned->strides(), (Integers{3, 1, 6}));
}

// Heads one below the other, and side by side again.
TEST(View, PlacesInPartsThatAreJoined) {
  const auto places = joinedSlices({{0, 2}, {2, 4}, {4, 6}}, 0, "x", onnx::placesIn);
  ASSERT_TRUE(places);
  EXPECT_EQ(places->base, "x");
  EXPECT_EQ(placesOf(*places), (Integers{0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11}));
  for (const auto& view : {joinedSlices({{0, 2}, {2, 4}}, 0, "x", onnx::placesIn),
                           joinedSlices({{1, 3}, {1, 3}}, 0, "x", onnx::placesIn),
                           joinedSlices({{0, 2}, {2, 4}, {4, 6}}, 0, "other", onnx::placesIn)}) {
    ASSERT_TRUE(view);
    EXPECT_EQ(view->base, "y");
  }
}

TEST(View, PlacesKeepEveryElement) {
  EXPECT_EQ(Chain({2, 6}).slice(1, 0, 3).placesBase(), "v0");
  EXPECT_EQ(Chain({2, 6}).scalar("Mul", 2).placesBase(), "v0");
}

TEST(View, RowsStayRowsWhereTheLastDimensionStays) {
  EXPECT_EQ(Chain({2, 5, 4}).reshape({10, 4}).node("Identity").reshape({5, 2, 4}).behindRows(),
            "x");
  EXPECT_EQ(Chain({2, 6, 4}).reshape({2, 3, 8}).behindRows(), "v0");
  EXPECT_EQ(Chain({2, 5, 4}).transpose({1, 0, 2}).behindRows(), "v0");
}

}  // namespace
}  // namespace mpm::test
