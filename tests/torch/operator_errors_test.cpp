// SPDX-License-Identifier: Apache-2.0
// Every argument that does not fit is a c10::Error of one sentence: what was wrong, and what
// was expected.
#include <ATen/ATen.h>
#include <c10/util/Exception.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "torch/operator_calls.h"

namespace mpm {
namespace {

/// A call that is right but for what `spoil` does to it, and what the message says then.
struct BadMerge {
  const char* name;
  std::function<void(MergeCall&)> spoil;
  const char* message;
};

struct BadRestore {
  const char* name;
  std::function<void(at::Tensor& tokens, at::Tensor& map, std::int64_t& special)> spoil;
  const char* message;
};

at::Tensor longs(std::vector<std::int64_t> values) {
  return at::tensor(at::ArrayRef<std::int64_t>(values), at::kLong);
}

std::string messageOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "no c10::Error";
}

void expectMessage(const char* name, const char* op, const char* part,
                   const std::function<void()>& call) {
  SCOPED_TRACE(name);
  const std::string message = messageOf(call);
  EXPECT_EQ(message.rfind(op, 0), 0U) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message << "\nexpected: " << part;
}

// 2 images of 1 special row and a 2 x 2 grid, of which 4 and 3 image rows live.
MergeCall goodMerge() {
  MergeCall call;
  call.tokens = at::ones({2, 5, 8});
  call.rows = longs({5, 4});
  call.map = longs({0, 1, 2, 3, 0, 1, 1, 2}).view({2, 4});
  call.special = 1;
  call.window = 1;
  call.grid = {2, 2};
  call.regions = at::zeros({2, 4}, at::kLong);
  return call;
}

const BadMerge kBadMerges[] = {
    {"TwoDimensions",
     [](MergeCall& c) {
       c.tokens = at::ones({5, 8});
     },
     "tokens are [5, 8]; expected 3 dimensions"},
    {"Half", [](MergeCall& c) { c.tokens = c.tokens.to(at::kHalf); },
     "tokens are Half; expected Float"},
    {"BFloat16", [](MergeCall& c) { c.tokens = c.tokens.to(at::kBFloat16); },
     "tokens are BFloat16; expected Float"},
    {"Double", [](MergeCall& c) { c.tokens = c.tokens.to(at::kDouble); },
     "tokens are Double; expected Float"},
    {"NoFeatures",
     [](MergeCall& c) {
       c.tokens = at::ones({2, 5, 0});
     },
     "tokens are [2, 5, 0]; expected at least one feature"},
    {"SpecialBeyondRows", [](MergeCall& c) { c.special = 6; },
     "special = 6 of 5 rows; expected 0 or more, and at least one image row"},
    {"SpecialNegative", [](MergeCall& c) { c.special = -1; },
     "special = -1 of 5 rows; expected 0 or more"},
    {"SpecialForgotten", [](MergeCall& c) { c.special = 0; },
     "map has 4 original tokens; expected at least 5"},
    {"RowsOfAnotherBatch",
     [](MergeCall& c) {
       c.rows = longs({5, 4, 5});
     },
     "rows is [3]; expected [2], the batch of tokens"},
    {"RowsFloat", [](MergeCall& c) { c.rows = at::ones({2}); },
     "rows has type Float; expected Long"},
    {"RowsTooMany",
     [](MergeCall& c) {
       c.rows = longs({5, 6});
     },
     "rows[1] = 6; expected 1 to 5"},
    {"RowsTooFew",
     [](MergeCall& c) {
       c.rows = longs({0, 4});
     },
     "rows[0] = 0; expected 1 to 5"},
    {"RowsWithoutMap", [](MergeCall& c) { c.map.reset(); },
     "rows[1] leaves 3 of 4 image rows live; expected all of them, or a map"},
    {"MapOfAnotherBatch", [](MergeCall& c) { c.map = c.map->narrow(0, 0, 1); },
     "map is [1, 4]; expected [2, any], the batch and original tokens"},
    {"MapInt", [](MergeCall& c) { c.map = c.map->to(at::kInt); },
     "map has type Int; expected Long"},
    {"MapOutside",
     [](MergeCall& c) {
       c.map->index_put_({longs({1}), longs({2})}, longs({3}));
     },
     "map[1, 2] = 3; expected 0 to 2, the live image rows"},
    {"MapNegative",
     [](MergeCall& c) {
       c.map->index_put_({longs({0}), longs({0})}, longs({-1}));
     },
     "map[0, 0] = -1; expected 0 to 3, the live image rows"},
    {"MapPastInt32",
     [](MergeCall& c) {
       c.map->index_put_({longs({0}), longs({0})}, longs({4294967296}));
     },
     "map[0, 0] = 4294967296; expected 0 to 3"},
    {"WindowWithoutGrid", [](MergeCall& c) { c.grid.clear(); },
     "window = 1 with grid = []; expected grid = [height, width]"},
    {"WindowNegative", [](MergeCall& c) { c.window = -1; }, "window = -1; expected 0 (no limit)"},
    {"GridOfAnotherSize",
     [](MergeCall& c) {
       c.grid = {2, 3};
     },
     "needs a grid of the 4 original tokens, but the grid is 2 x 3"},
    {"RegionsOfAnotherSize",
     [](MergeCall& c) {
       c.regions = at::zeros({2, 5}, at::kLong);
     },
     "regions is [2, 5]; expected [2, 4] or [1, 4]"},
    {"RegionsPastInt32",
     [](MergeCall& c) {
       c.regions = at::full({2, 4}, std::int64_t{1} << 40, at::kLong);
     },
     "regions[0, 0] = 1099511627776; expected -2147483648 to 2147483647, a label"},
};

TEST(OperatorErrors, MergePairsSaysWhatWasExpected) {
  ASSERT_NO_THROW(callMergePairs(goodMerge()));
  for (const BadMerge& bad : kBadMerges) {
    MergeCall call = goodMerge();
    bad.spoil(call);
    expectMessage(bad.name, "mpm::merge_pairs: ", bad.message, [&] { callMergePairs(call); });
  }
}

const BadRestore kBadRestores[] = {
    {"TwoDimensions",
     [](auto& tokens, auto&, auto&) {
       tokens = at::ones({4, 8});
     },
     "tokens are [4, 8]; expected 3 dimensions"},
    {"Double", [](auto& tokens, auto&, auto&) { tokens = tokens.to(at::kDouble); },
     "tokens are Double; expected Float"},
    {"NoFeatures",
     [](auto& tokens, auto&, auto&) {
       tokens = at::ones({2, 4, 0});
     },
     "expected at least one feature"},
    {"SpecialBeyondRows", [](auto&, auto&, auto& special) { special = 5; },
     "special = 5 of 4 rows; expected"},
    {"MapOfAnotherBatch", [](auto&, auto& map, auto&) { map = map.narrow(0, 0, 1); },
     "map is [1, 4]; expected [2, any]"},
    {"MapFloat", [](auto&, auto& map, auto&) { map = map.to(at::kFloat); },
     "map has type Float; expected Long"},
    {"MapOutside", [](auto&, auto& map, auto&) { map = map + 1; },
     "map[0, 2] = 3; expected 0 to 2, the image rows of tokens"},
};

TEST(OperatorErrors, RestoreSaysWhatWasExpected) {
  const at::Tensor goodMap = longs({0, 1, 2, 2, 0, 1, 1, 0}).view({2, 4});
  ASSERT_NO_THROW(callRestore(at::ones({2, 4, 8}), goodMap, 1));
  for (const BadRestore& bad : kBadRestores) {
    at::Tensor tokens = at::ones({2, 4, 8});
    at::Tensor map = goodMap;
    std::int64_t special = 1;
    bad.spoil(tokens, map, special);
    expectMessage(bad.name, "mpm::restore: ", bad.message,
                  [&] { callRestore(tokens, map, special); });
  }
}

}  // namespace
}  // namespace mpm
