// SPDX-License-Identifier: Apache-2.0
// What merged rows have of their members' positions: rotary factors and added rows.
#include "vit/positions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tolerances.h"
#include "vit/poisoned_rows.h"
#include "vit/random_network.h"
#include "vit/references.h"

namespace mpm::vit {
namespace {

using test::OwnedRows;

Members membersOf(const std::vector<std::int32_t>& map, std::size_t special, std::size_t live) {
  Members members;
  members.set(map.data(), map.size(), special, special + live);
  return members;
}

TEST(Members, AreTheTokensOfEachRow) {
  using Rows = std::vector<std::vector<std::int32_t>>;
  const auto all = [](const Members& members) {
    Rows rows;
    for (std::size_t row = 0; row < members.live(); ++row) {
      rows.push_back({members.begin(row), members.end(row)});
      EXPECT_EQ(members.count(row), rows.back().size());
    }
    return rows;
  };
  Members members = membersOf({1, 0, 1, 3}, 2, 4);
  EXPECT_EQ(members.rows(), 6U);
  EXPECT_EQ(all(members), (Rows{{0}, {1}, {3}, {2, 4}, {}, {5}}));
  members.set(nullptr, 0, 1, 3);  // without a map they stand for themselves
  EXPECT_EQ(members.rows(), 3U);
  EXPECT_EQ(all(members), (Rows{{0}, {1}, {2}}));
}

struct PositionsCase {
  std::size_t special, originals, live, heads, d;

  Members members() const { return membersOf(test::randomMap(originals, live, 5), special, live); }
  std::size_t rows() const { return special + originals; }
};

std::ostream& operator<<(std::ostream& out, const PositionsCase& given) {
  return out << given.special << "+" << given.originals << " rows, " << given.live << " live, "
             << given.heads << " heads of " << given.d;
}

const PositionsCase kCases[] = {{0, 1, 1, 1, 2},    {1, 10, 10, 2, 4}, {3, 40, 17, 3, 8},
                                {1, 100, 33, 1, 6}, {5, 64, 1, 2, 32}, {0, 130, 65, 4, 10}};

TEST(Rotate, AgreesWithTheReference) {
  for (const PositionsCase& given : kCases) {
    const std::uint32_t seed = 11;
    SCOPED_TRACE(testing::Message() << given << ", seed " << seed);
    const Members members = given.members();
    const OwnedRows in = test::normalRows(members.live(), given.heads * given.d, seed + 2);
    for (const std::size_t width : {given.d, in.dim}) {  // of all heads, of each
      const OwnedRows own = test::normalRows(given.rows(), width, seed);
      const OwnedRows other = test::normalRows(given.rows(), width, seed + 1);
      const Rotary rotary{own.view(), other.view()};
      OwnedRows expected(in.count, in.dim), actual(in.count, in.dim);
      rotateReference(in.view(), rotary, members, given.heads, expected.view());
      rotateCpu(in.view(), rotary, members, given.heads, actual.view());
      test::expectNear(actual.view(), expected.view(), test::kVitOperation);
    }
  }
}

// By hand: a quarter turn of (1, 2), and a merged row between a quarter turn and none.
TEST(Rotate, TurnsPairsAndTakesTheMeanOfPlaces) {
  const std::vector<float> own{1, 1, 0, 0}, other{0, 0, -1, 1}, in{1, 2};
  std::vector<float> out(2);
  const Rotary rotary{{own.data(), 2, 2}, {other.data(), 2, 2}};
  Members members;
  const std::vector<std::int32_t> second{1, 0};
  members.set(second.data(), 2, 0, 2);
  const std::vector<float> twice{1, 2, 1, 2};
  std::vector<float> both(4);
  rotateCpu({twice.data(), 2, 2}, rotary, members, 1, {both.data(), 2, 2});
  EXPECT_EQ(both, (std::vector<float>{-2, 1, 1, 2})) << "the first live row is the second token";
  members.set(std::vector<std::int32_t>{0, 0}.data(), 2, 0, 1);
  rotateCpu({in.data(), 1, 2}, rotary, members, 1, {out.data(), 1, 2});
  EXPECT_EQ(out, (std::vector<float>{-0.5F, 1.5F}));
}

// The mean over members of the logits that a row's features would have at their places.
TEST(Rotate, LogitsOfMergedRowsAreMeansOfTheirPlaces) {
  const std::size_t d = 8, rows = 6;
  const OwnedRows own = test::normalRows(rows, d, 21), other = test::normalRows(rows, d, 22);
  const OwnedRows q = test::normalRows(1, d, 23), k = test::normalRows(1, d, 24);
  const Rotary rotary{own.view(), other.view()};
  const auto turned = [&](const OwnedRows& x, std::vector<std::int32_t> places) {
    Members members;  // one live row, which stands for these
    std::vector<std::int32_t> map(rows, 1);
    for (const std::int32_t place : places) map[static_cast<std::size_t>(place)] = 0;
    members.set(map.data(), rows, 0, 2);
    OwnedRows two(2, d), out(2, d);
    std::copy_n(x.view().row(0), d, two.row(0));
    rotateCpu(two.view(), rotary, members, 1, out.view());
    return std::vector<float>(out.row(0), out.row(0) + d);
  };
  const auto dot = [](const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
    return sum;
  };
  double mean = 0;
  for (const std::int32_t i : {0, 3}) {
    for (const std::int32_t j : {1, 2, 5}) mean += dot(turned(q, {i}), turned(k, {j})) / 6;
  }
  EXPECT_NEAR(dot(turned(q, {0, 3}), turned(k, {1, 2, 5})), mean, 1e-5);
}

TEST(AddRowsOfMembers, AddsTheMeanOfThePlaces) {
  const std::vector<float> table{1, 2, 3, 4, 5, 6}, in{10, 20, 30, 40};
  std::vector<float> out(4);
  const Members members = membersOf({0, 0}, 1, 1);
  addRowsOfMembers({in.data(), 2, 2}, {table.data(), 3, 2}, members, {out.data(), 2, 2});
  EXPECT_EQ(out, (std::vector<float>{11, 22, 34, 45}));
}

}  // namespace
}  // namespace mpm::vit
