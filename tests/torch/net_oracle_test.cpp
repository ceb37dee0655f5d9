// SPDX-License-Identifier: Apache-2.0
// Whole models, as the command line reads, merges and runs them, against LibTorch in float64.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

#include "tolerances.h"
#include "torch/net_oracle.h"
#include "torch/net_oracle_program.h"

namespace mpm::test {
namespace {

/// What became of a fixture's images, over all schedules.
struct Tally {
  int images = 0, unclear = 0, excused = 0;
  double error = 0;
};

NetRun oracleOf(const onnx::Model& converted, const Fixture& fixture, const at::Tensor& image) {
  return runNet(converted, {{fixture.input, image}});
}

/// One image's part of a value.
at::Tensor partOf(const NetValues& values, const std::string& name, std::int64_t image) {
  const at::Tensor& value = values.at(name);
  return value.slice(0, image, image + 1);
}

at::Tensor mapOf(const NetValues& values, std::int64_t image) {
  return partOf(values, "mpm_map", image).squeeze(0).to(at::kLong);
}

Schedule scheduleOf(const NetRun& run) {
  std::vector<int> blocks;
  for (const MergeStage& merge : run.merges) blocks.push_back(merge.block);
  return blocks;
}

void compareImage(const Fixture& fixture, const NetRun& oracle, const NetValues& values,
                  std::int64_t image, Tally& tally) {
  const at::Tensor map = mapOf(values, image);
  const auto live = map.max().item<std::int64_t>() + 1;
  const auto special = oracle.outputs.at("mpm_rows").item<double>() -
                       oracle.outputs.at("mpm_map").max().item<double>() - 1;
  EXPECT_EQ(partOf(values, "mpm_rows", image).item<double>(), special + static_cast<double>(live));
  EXPECT_TRUE(mapAgrees(oracle.merges, map));
  ++tally.images;
  tally.unclear += areClear(oracle.merges) ? 0 : 1;
  if (!map.equal(oracle.outputs.at("mpm_map").squeeze(0).to(at::kLong))) {
    ++tally.excused;
    return;
  }
  for (const std::string& output : fixture.outputs) {
    const double error = relativeError(partOf(values, output, image), oracle.outputs.at(output));
    EXPECT_LE(error, kNetScores) << output;
    tally.error = std::max(tally.error, error);
  }
}

void compareSchedule(const Fixture& fixture, const NetProgram& program, const Schedule& schedule,
                     Tally& tally) {
  const onnx::Model converted = program.converted(schedule);
  const NetValues late = program.ran(schedule, "late"), early = program.ran(schedule, "early");
  for (std::int64_t image = 0; image < program.images().size(0); ++image) {
    SCOPED_TRACE(testing::Message() << "image " << image);
    const NetRun oracle = oracleOf(converted, fixture, program.images().slice(0, image, image + 1));
    EXPECT_EQ(scheduleOf(oracle), schedule) << "of the converted file";
    compareImage(fixture, oracle, late, image, tally);
    EXPECT_TRUE(mapOf(early, image).equal(mapOf(late, image))) << "restored early";
    SCOPED_TRACE("restored early");
    Tally again;
    compareImage(fixture, oracle, early, image, again);
    tally.error = std::max(tally.error, again.error);
  }
}

class NetOracle : public testing::TestWithParam<Fixture> {
 protected:
  void SetUp() override { at::set_num_threads(1); }
};

TEST_P(NetOracle, MergesAsThePaper) {
  const std::vector<Schedule> schedules = schedulesOf(GetParam());
  const NetProgram program(GetParam(), schedules);
  Tally tally;
  for (const Schedule& schedule : schedules) {
    SCOPED_TRACE(testing::Message() << "merge before " << testing::PrintToString(schedule));
    compareSchedule(GetParam(), program, schedule, tally);
  }
  std::cout << tally.images << " images, " << tally.unclear << " of them unclear, " << tally.excused
            << " excused; largest error of scores " << tally.error << '\n';
  EXPECT_GT(tally.images, 0);
  EXPECT_LE(2 * tally.excused, tally.images) << "too many images have no clear partners";
}

// Whatever the converted file and the net have in common that is wrong shows here: the exporters
// know neither.
TEST_P(NetOracle, FullTokensGiveWhatWasRecorded) {
  const Fixture& fixture = GetParam();
  const NetProgram program(fixture, {{}});
  const onnx::Model converted = program.converted({});
  const NetValues run = program.ran({}, "late");
  const bool isHalf = fixture.name.find("_half") != std::string::npos;  // recorded in half, too
  for (std::int64_t image = 0; image < program.images().size(0); ++image) {
    const NetRun oracle = oracleOf(converted, fixture, program.images().slice(0, image, image + 1));
    EXPECT_TRUE(oracle.merges.empty());
    EXPECT_TRUE(mapAgrees({}, mapOf(run, image)));
    for (const std::string& output : fixture.outputs) {
      const at::Tensor expected = program.recorded(output).slice(0, image, image + 1);
      EXPECT_LE(relativeError(oracle.outputs.at(output), expected),
                isHalf ? kHalfModelOutput : kModelOutput)
          << "of the oracle, " << output;
      EXPECT_LE(relativeError(partOf(run, output, image), oracle.outputs.at(output)), kModelOutput)
          << "of the program, " << output;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, NetOracle, testing::ValuesIn(mergeableFixtures()),
                         [](const auto& model) { return model.param.name; });

// The comparison would notice.
TEST(NetOracleNotices, AnotherSchedule) {
  const std::vector<Fixture> fixtures = mergeableFixtures();
  const auto fixture = std::find_if(fixtures.begin(), fixtures.end(),
                                    [](const Fixture& entry) { return entry.blocks > 5; });
  ASSERT_NE(fixture, fixtures.end());
  const Schedule right{2, 5};
  const std::vector<Schedule> others{{1, 5}, {2, 4}, {2}, {5}};
  std::vector<Schedule> all = others;
  all.push_back(right);
  const NetProgram program(*fixture, all);
  const NetRun oracle =
      oracleOf(program.converted(right), *fixture, program.images().slice(0, 0, 1));
  for (const Schedule& wrong : others) {
    SCOPED_TRACE(testing::PrintToString(wrong));
    const NetValues run = program.ran(wrong, "late");
    EXPECT_FALSE(mapAgrees(oracle.merges, mapOf(run, 0)));
    const std::string& output = fixture->outputs.at(0);
    EXPECT_GT(relativeError(partOf(run, output, 0), oracle.outputs.at(output)), kNetScores);
  }
}

}  // namespace
}  // namespace mpm::test
