// SPDX-License-Identifier: Apache-2.0
// With merging: what map and rows promise, and that it does not matter where tokens are restored.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

class Merging : public FixtureTest {
 protected:
  /// Calls test(schedule, outputs) for each of the fixture's schedules.
  template <class Test>
  void forEachSchedule(Test test, Restore restore = Restore::late) {
    for (const Schedule& schedule : schedulesOf(GetParam())) {
      SCOPED_TRACE("merge before " + schedule.text());
      test(schedule, outputsOf(GetParam(), schedule, restore));
    }
  }
};

// At least the closest two rows are a pair, and at most all rows are in one.
TEST_P(Merging, EachMergeTakesAtLeastOnePairAndAtMostHalf) {
  forEachSchedule([&](const Schedule& schedule, const Outputs& outputs) {
    const int special = GetParam().special, tokens = GetParam().grid.area();
    int fewest = tokens;
    for (std::size_t i = 0; i < schedule.size(); ++i) fewest = (fewest + 1) / 2;
    const cv::Mat& rows = outputs.at("mpm_rows");
    for (int b = 0; b < rows.size[0]; ++b) {
      const float live = rows.at<float>(b, 0);
      EXPECT_EQ(live, std::round(live));
      EXPECT_GE(live, special + fewest);
      EXPECT_LE(live, special + tokens - static_cast<int>(schedule.size()));
    }
  });
}

TEST_P(Merging, TheMapNamesEachLiveRow) {
  forEachSchedule([&](const Schedule&, const Outputs& outputs) {
    const cv::Mat &map = outputs.at("mpm_map"), &rows = outputs.at("mpm_rows");
    ASSERT_EQ(map.size[0], GetParam().images().size[0]);
    ASSERT_EQ(map.size[1], GetParam().grid.area());
    for (int b = 0; b < map.size[0]; ++b) {
      const float* begin = map.ptr<float>(b);
      const std::set<float> named(begin, begin + map.size[1]);
      std::set<float> live;
      for (int i = 0; i < static_cast<int>(rows.at<float>(b, 0)) - GetParam().special; ++i)
        live.insert(static_cast<float>(i));
      EXPECT_EQ(named, live);
    }
  });
}

TEST_P(Merging, OutputsHaveTheirShapesAndAreFinite) {
  forEachSchedule([&](const Schedule&, const Outputs& outputs) {
    for (const std::string& name : GetParam().outputs) {
      EXPECT_EQ(outputs.at(name).size, GetParam().stored(name).size) << name;
      EXPECT_TRUE(cv::checkRange(outputs.at(name).reshape(1, 1))) << name;
    }
  });
}

/// The values of image token `token` in `output`, if it has each token by itself: rows [B, S+N, D]
/// or scores [B, K, height, width] on the grid. Otherwise none.
std::vector<float> valuesOf(const Fixture& fixture, const cv::Mat& output, int b, int token) {
  const cv::Size grid = fixture.grid;
  std::vector<float> values;
  if (output.dims == 3 && output.size[1] == fixture.special + grid.area()) {
    const float* row = output.ptr<float>(b, fixture.special + token);
    values.assign(row, row + output.size[2]);
  } else if (output.dims == 4 && fixture.family == "segmenter" && output.size[2] == grid.height &&
             output.size[3] == grid.width) {
    for (int k = 0; k < output.size[1]; ++k) values.push_back(output.ptr<float>(b, k)[token]);
  }
  return values;
}

TEST_P(Merging, TokensOfAGroupHaveTheSameValues) {
  forEachSchedule([&](const Schedule&, const Outputs& outputs) {
    const cv::Mat& map = outputs.at("mpm_map");
    for (const std::string& name : GetParam().outputs) {
      const cv::Mat& output = outputs.at(name);
      for (int b = 0; b < map.size[0]; ++b) {
        for (int i = 0; i < map.size[1]; ++i) {
          const float* group = map.ptr<float>(b);
          const int first = static_cast<int>(std::find(group, group + i, group[i]) - group);
          EXPECT_EQ(valuesOf(GetParam(), output, b, i), valuesOf(GetParam(), output, b, first))
              << name << ": tokens " << first << " and " << i << " of image " << b;
        }
      }
    }
  });
}

TEST_P(Merging, RestoringEarlyOrLateGivesTheSame) {
  forEachSchedule([&](const Schedule& schedule, const Outputs& late) {
    const Outputs& early = outputsOf(GetParam(), schedule, Restore::early);
    EXPECT_TRUE(isSame(late.at("mpm_map"), early.at("mpm_map")));
    EXPECT_TRUE(isSame(late.at("mpm_rows"), early.at("mpm_rows")));
    for (const std::string& name : GetParam().outputs)
      EXPECT_LE(relativeError(late.at(name), early.at(name)), kModelOutput) << name;
  });
}

// Otherwise the tests above would hold of a net that never merges.
TEST_P(Merging, ChangesTheOutputs) {
  const Outputs &without = outputsOf(GetParam(), {}), &with = outputsOf(GetParam(), {0});
  for (const std::string& name : GetParam().outputs)
    EXPECT_FALSE(isSame(without.at(name), with.at(name))) << name;
}

MPM_FOR_FIXTURES(Merging, mergeableFixtures());

// The weights of hard_unfused in other words.
class InOtherWords : public testing::TestWithParam<std::string> {};

TEST_P(InOtherWords, TheSameTokensMerge) {
  const Fixture plain = fixtureNamed("hard_unfused"), spelled = fixtureNamed("hard_" + GetParam());
  for (const Schedule& schedule : schedulesOf(plain)) {
    SCOPED_TRACE("merge before " + schedule.text());
    const Outputs &expected = outputsOf(plain, schedule), &found = outputsOf(spelled, schedule);
    for (const char* output : {"mpm_rows", "mpm_map"})
      EXPECT_TRUE(isSame(found.at(output), expected.at(output))) << output;
    EXPECT_LE(relativeError(found.at("tokens"), expected.at("tokens")), 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(, InOtherWords,
                         testing::Values("head_by_head", "sliced", "keys_first", "columns",
                                         "unfolded", "looped", "folded", "below"),
                         [](const auto& each) { return each.param; });

}  // namespace
}  // namespace mpm::test
