// SPDX-License-Identifier: Apache-2.0
// Nets in bfloat16 and int8 beside the same nets in float32, and what a forward tells of live rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "mpm/net.h"
#include "net_run.h"
#include "tolerances.h"

namespace mpm::test {
namespace {

ReadOptions inPrecision(const Fixture& fixture, const std::string& precision,
                        const Schedule& schedule) {
  ReadOptions options = optionsOf(fixture);
  options.schedule = schedule;
  options.precision = precision;
  return options;
}

Outputs outputsIn(const Fixture& fixture, const std::string& precision,
                  const Schedule& schedule = {}) {
  cv::dnn::Net net = readNet(fixture.path(), inPrecision(fixture, precision, schedule));
  return run(net, fixture.images());
}

// The best class is ahead by so much of the largest score: where it is not, which one is best goes
// by whatever rounds. Of two models half of all pixels are such. The least share of the others with
// the same label: 0.99 to 1 was measured in bfloat16, 0.958 to 1 in int8.
constexpr double kClearLabel = 0.05, kClearLabels = 0.97, kInt8ClearLabels = 0.92;

struct Short {
  std::string precision;
  double output, labels;  // tolerances
};

std::vector<Short> shortPrecisions() {
  std::vector<Short> all = {{"int8", kInt8ModelOutput, kInt8ClearLabels}};
  if (hasPrecision("bf16")) all.push_back({"bf16", kBf16ModelOutput, kClearLabels});
  if (hasPrecision("fp16")) all.push_back({"fp16", kFp16ModelOutput, kClearLabels});
  return all;
}

class ShortModel : public FixtureTest {};

TEST_P(ShortModel, GivesTheOutputsOfFloat32) {
  const Outputs fp32 = outputsIn(GetParam(), "fp32");
  for (const Short& one : shortPrecisions()) {
    SCOPED_TRACE(one.precision);
    const Outputs outputs = outputsIn(GetParam(), one.precision);
    for (const std::string& name : GetParam().outputs) {
      const double error = relativeError(outputs.at(name), fp32.at(name));
      EXPECT_LE(error, one.output) << name;
      EXPECT_GT(error, kModelOutput) << name << ": it did not compute it";
      testing::Test::RecordProperty(one.precision + "_" + name, cv::format("%.1e", error));
    }
  }
}

MPM_FOR_FIXTURES(ShortModel, shareOf(mergeableFixtures(), 5));

std::vector<Fixture> segmentingFixtures() {
  std::vector<Fixture> all = mergeableFixtures();
  std::erase_if(all,
                [](const Fixture& f) { return f.outputs != std::vector<std::string>{"masks"}; });
  return all;
}

// Of each pixel of scores [B, K, H, W]: the best class, and by how much of the largest score it is.
struct Label {
  int best = 0;
  double ahead = 0;
};
std::vector<Label> labels(const cv::Mat& scores) {
  const int classes = scores.size[1], pixels = scores.size[2] * scores.size[3];
  const double largest = cv::norm(scores.reshape(1, 1), cv::NORM_INF);
  std::vector<Label> found;
  std::vector<std::pair<float, int>> ranked(static_cast<std::size_t>(classes));
  for (int i = 0; i < scores.size[0] * pixels; ++i) {
    const float* values = scores.ptr<float>(i / pixels) + i % pixels;
    for (int k = 0; k < classes; ++k)
      ranked[static_cast<std::size_t>(k)] = {-values[k * pixels], k};
    std::partial_sort(ranked.begin(), ranked.begin() + 2, ranked.end());
    found.push_back({ranked[0].second, (ranked[1].first - ranked[0].first) / largest});
  }
  return found;
}

class ShortLabels : public FixtureTest {};

TEST_P(ShortLabels, AreNearlyThoseOfFloat32) {
  const std::vector<Label> fp32 = labels(outputsIn(GetParam(), "fp32").at("masks"));
  ASSERT_TRUE(std::any_of(fp32.begin(), fp32.end(), [](const Label& one) { return one.best > 0; }));
  for (const Short& one : shortPrecisions()) {
    SCOPED_TRACE(one.precision);
    const std::vector<Label> found = labels(outputsIn(GetParam(), one.precision).at("masks"));
    std::size_t clear = 0, same = 0;
    for (std::size_t i = 0; i < fp32.size(); ++i) {
      if (fp32[i].ahead < kClearLabel) continue;
      ++clear;
      if (fp32[i].best == found[i].best) ++same;
    }
    ASSERT_GT(clear, fp32.size() / 2);
    const double share = static_cast<double>(same) / static_cast<double>(clear);
    EXPECT_GE(share, one.labels);
    testing::Test::RecordProperty(one.precision + "_same", cv::format("%.4f", share));
  }
}

MPM_FOR_FIXTURES(ShortLabels, segmentingFixtures());

const char* kSmall = "segmenter_mask_small";

struct ScopedPrecision {
  explicit ScopedPrecision(const char* name) { setenv("MPM_PRECISION", name, 1); }
  ~ScopedPrecision() { unsetenv("MPM_PRECISION"); }
};

TEST(ModelPrecision, IsTheOptionsThenTheEnvironmentsThenFp32) {
  const Fixture fixture = fixtureNamed(kSmall);
  const Outputs fp32 = outputsIn(fixture, "fp32");
  expectSame(outputsIn(fixture, ""), fp32);
  const ScopedPrecision other(hasPrecision("bf16") ? "bf16" : "int4");
  expectSame(outputsIn(fixture, "fp32"), fp32);
  if (!hasPrecision("bf16")) GTEST_SKIP() << "this processor has no bfloat16 products";
  const Outputs bf16 = outputsIn(fixture, "");
  EXPECT_FALSE(isSame(bf16.at("masks"), fp32.at("masks")));
  unsetenv("MPM_PRECISION");
  expectSame(outputsIn(fixture, "bf16"), bf16);
}

std::string refusal(const std::string& precision) {
  try {
    outputsIn(fixtureNamed(kSmall), precision);
  } catch (const std::invalid_argument& error) {
    expectSentence(error.what());
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ModelPrecision, AnUnknownOneIsRefusedInASentence) {
  EXPECT_EQ(refusal("int4"), "precision int4: expected fp32, bf16, fp16 or int8");
  EXPECT_EQ(refusal("BF16"), "precision BF16: expected fp32, bf16, fp16 or int8");
  const ScopedPrecision environment("double");
  EXPECT_EQ(refusal(""), "MPM_PRECISION=double: expected fp32, bf16, fp16 or int8");
  EXPECT_EQ(refusal("fp32"), "nothing was thrown");
}

class LiveRows : public FixtureTest {};

TEST_P(LiveRows, AreThoseBehindEachMergeThatIsOn) {
  const Fixture& fixture = GetParam();
  const auto all = static_cast<int>(fixture.special + fixture.grid.area());
  for (const Schedule& schedule : schedulesOf(fixture)) {
    SCOPED_TRACE(schedule.text());
    cv::dnn::Net net = netOf(fixture, schedule);
    EXPECT_TRUE(liveRows(net).empty()) << "before the first forward";
    const Outputs outputs = run(net, fixture.images());
    const std::vector<std::vector<int>> rows = liveRows(net);
    ASSERT_EQ(rows.size(), schedule.size());
    const cv::Mat& last = outputs.at("mpm_rows");
    for (int b = 0; b < last.size[0]; ++b) {
      int before = all;
      for (const std::vector<int>& merge : rows) {
        ASSERT_EQ(merge.size(), static_cast<std::size_t>(last.size[0]));
        const int live = merge[static_cast<std::size_t>(b)];
        EXPECT_LT(live, before) << "some pair always merges";
        EXPECT_GT(live, fixture.special);
        before = live;
      }
      EXPECT_EQ(last.at<float>(b, 0), static_cast<float>(before));
    }
    setSchedule(net, {});
    EXPECT_TRUE(liveRows(net).empty()) << "no merge is on";
  }
}

MPM_FOR_FIXTURES(LiveRows, shareOf(mergeableFixtures(), 1));

TEST(LiveRowsOf, ANetThatCannotMergeAreNone) {
  cv::dnn::Net net = readNet(fixtureNamed("refused_cnn").path());
  run(net, fixtureNamed("refused_cnn").images());
  EXPECT_TRUE(liveRows(net).empty());
}

}  // namespace
}  // namespace mpm::test
