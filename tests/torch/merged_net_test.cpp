// SPDX-License-Identifier: Apache-2.0
// Whole models, as the command line reads, merges and runs them, against LibTorch in float64.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "cli/mpm.h"
#include "cli/npy.h"
#include "cli/npy_files.h"
#include "in_project.h"
#include "mpm/schedule.h"
#include "onnx/graph/file.h"
#include "tolerances.h"
#include "torch/merged_net_oracle.h"

namespace mpm::test {
namespace {

namespace fs = std::filesystem;

/// Two best similarities closer than this may be told apart either way by a net in float32.
constexpr double kNetGap = 1e-5;
/// Scores of a whole net in float32, relative to the largest.
constexpr double kNetScores = 1e-3;

/// One of each kind: rows of tokens, a class token, a mean of all, Segmenter's two decoders, rotary
/// positions with and without a gated MLP, positions that are added in each block.
constexpr const char* kFixtures[] = {"timm_vit_tokens", "timm_vit",         "timm_vit_avg",
                                     "segmenter_mask",  "segmenter_linear", "hf_dinov3",
                                     "hf_dinov3_gated", "hf_yolos"};

bool isClear(const MergeStage& merge) { return merge.gap.gt(kNetGap).all().item<bool>(); }

/// [N, N]: whether two tokens share a row.
at::Tensor together(const at::Tensor& map) { return map.unsqueeze(0) == map.unsqueeze(1); }

bool areClear(const std::vector<MergeStage>& merges) {
  return std::all_of(merges.begin(), merges.end(), isClear);
}

testing::AssertionResult mapAgrees(const std::vector<MergeStage>& merges, const at::Tensor& map) {
  const at::Tensor expected = merges.empty() ? at::arange(map.size(0)) : merges.back().map;
  if (map.sizes() != expected.sizes())
    return testing::AssertionFailure() << "the map has " << map.size(0) << " entries";
  if (map.equal(expected)) return testing::AssertionSuccess();

  const auto unclear = std::find_if_not(merges.begin(), merges.end(), isClear);
  if (unclear == merges.end()) {
    return testing::AssertionFailure() << map.ne(expected).sum().item<int>() << " of "
                                       << map.size(0) << " entries of the map differ";
  }
  const at::Tensor rows =
      unclear == merges.begin() ? at::arange(map.size(0), at::kLong) : (unclear - 1)->map;
  const at::Tensor clear = unclear->gap > kNetGap;
  const at::Tensor sure = clear.logical_and(clear.index_select(0, unclear->best));
  const at::Tensor sureTokens = sure.index_select(0, rows).unsqueeze(1);
  const at::Tensor wanted = together(unclear->map), given = together(map);
  const bool isLast = unclear + 1 == merges.end();
  const at::Tensor wrong = isLast ? wanted.ne(given) : wanted.logical_and(given.logical_not());
  if (!wrong.logical_and(sureTokens).any().item<bool>()) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "tokens that are clear at the merge before block "
                                     << unclear->block << " are not merged as they should be";
}

double relativeError(const at::Tensor& values, const at::Tensor& expected) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (values.sizes() != expected.sizes() || !values.isfinite().all().item<bool>() ||
      !expected.isfinite().all().item<bool>())
    return kInfinity;
  const double largest = expected.abs().max().item<double>();
  const double error = (values.to(at::kDouble) - expected).abs().max().item<double>();
  return error == 0 ? 0 : error / largest;
}

/// A model of tests/models, from its list.
struct Fixture {
  std::string name, images, input;
  std::vector<std::string> outputs;
  int blocks = 0;
};

void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.name; }

std::string modelFile(const std::string& name) { return inProject("tests/models/" + name); }

at::Tensor readArray(const fs::path& path) {
  cli::Array array = cli::readNpy(path);
  const std::vector<std::int64_t> shape(array.shape.begin(), array.shape.end());
  return at::from_blob(array.values.data(), shape, at::kFloat).to(at::kDouble);
}

std::vector<Fixture> fixtures() {
  std::ifstream list(modelFile("models.json"));
  std::vector<Fixture> found;
  for (const auto& entry : nlohmann::json::parse(list)) {
    if (std::find(std::begin(kFixtures), std::end(kFixtures), entry.at("name")) ==
        std::end(kFixtures))
      continue;
    found.push_back({entry.at("name"), entry.at("input"), entry.at("input_name"),
                     entry.at("outputs"), entry.at("blocks")});
  }
  return found;
}

/// The ones that every model is tried with, as far as it has the blocks; each once.
std::vector<Schedule> schedulesOf(const Fixture& fixture) {
  std::vector<Schedule> schedules;
  for (const std::vector<int>& wanted : {std::vector<int>{2, 5}, {0}, {2}, {5}, {1, 3, 5, 7}}) {
    std::vector<int> blocks;  // those that the encoder has
    std::copy_if(wanted.begin(), wanted.end(), std::back_inserter(blocks),
                 [&](int block) { return block < fixture.blocks; });
    const Schedule schedule = blocks;
    if (schedule.empty()) continue;
    if (std::find(schedules.begin(), schedules.end(), schedule) == schedules.end())
      schedules.push_back(schedule);
  }
  return schedules;
}

/// What the command line makes of one fixture, in processes of its own: LibTorch cannot share one
/// with OpenCV everywhere, as Debian 12's brings OpenCV's highgui along. std::runtime_error, with
/// what the program said, where it fails.
class NetProgram {
 public:
  explicit NetProgram(const Fixture& fixture)
      : fixture_(fixture),
        file_(modelFile(fixture.name + ".onnx")),
        images_(readArray(modelFile(fixture.images))) {
    const std::vector<onnx::Dim> dims = onnx::readModel(file_).inputs().at(0).dims;
    if (dims.at(0).isKnown()) images_ = images_.slice(0, 0, dims[0].size);
    const at::Tensor values = images_.to(at::kFloat).contiguous();
    writeNpyFile(folder_.at("images.npy"), {values.sizes().begin(), values.sizes().end()},
                 values.data_ptr<float>());
  }

  /// [B, C, H, W], as many as the model takes at a time.
  const at::Tensor& images() const { return images_; }

  /// What `mpm convert` writes.
  onnx::Model converted(const Schedule& schedule) const {
    const std::string made = folder_.at("converted-" + schedule.text() + ".onnx");
    run({"convert", file_, "-o", made, "--merge-before", schedule.text()});
    return onnx::readModel(made);
  }

  /// What `mpm run` gives for all images: outputs by name.
  NetValues ran(const Schedule& schedule, const std::string& restore) const {
    const std::string outputs = folder_.at(restore + "-" + schedule.text());
    run({"run", file_, "--input", fixture_.input + "=" + folder_.at("images.npy"), "--out", outputs,
         "--restore", restore, "--merge-before", schedule.text()});
    NetValues values;
    for (const auto& file : fs::directory_iterator(outputs))
      values[file.path().stem().string()] = readArray(file.path());
    return values;
  }

  /// An output of all images as the exporter recorded it.
  at::Tensor recorded(const std::string& output) const {
    return readArray(modelFile(fixture_.name + "." + output + ".npy"));
  }

 private:
  void run(std::vector<std::string> words) const {
    words.insert(words.begin(), MPM_PROGRAM);
    // Threads cost such small models more than they gain.
    const Ended ended = runProgram(words, {{"OMP_NUM_THREADS", "1"}});
    if (ended.status != 0) throw std::runtime_error(fixture_.name + ": " + ended.err);
  }

  Fixture fixture_;
  std::string file_;
  Folder folder_;
  at::Tensor images_;
};

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
  const NetProgram program(GetParam());
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
  const NetProgram program(fixture);
  const onnx::Model converted = program.converted({});
  const NetValues run = program.ran({}, "late");
  for (std::int64_t image = 0; image < program.images().size(0); ++image) {
    const NetRun oracle = oracleOf(converted, fixture, program.images().slice(0, image, image + 1));
    EXPECT_TRUE(oracle.merges.empty());
    EXPECT_TRUE(mapAgrees({}, mapOf(run, image)));
    for (const std::string& output : fixture.outputs) {
      const at::Tensor expected = program.recorded(output).slice(0, image, image + 1);
      EXPECT_LE(relativeError(oracle.outputs.at(output), expected), kModelOutput)
          << "of the oracle, " << output;
      EXPECT_LE(relativeError(partOf(run, output, image), oracle.outputs.at(output)), kModelOutput)
          << "of the program, " << output;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, NetOracle, testing::ValuesIn(fixtures()),
                         [](const auto& model) { return model.param.name; });

// The comparison would notice.
TEST(NetOracleNotices, AnotherSchedule) {
  const std::vector<Fixture> all = fixtures();
  const auto fixture =
      std::find_if(all.begin(), all.end(), [](const Fixture& entry) { return entry.blocks > 5; });
  ASSERT_NE(fixture, all.end());
  const Schedule right{2, 5};
  const NetProgram program(*fixture);
  const NetRun oracle =
      oracleOf(program.converted(right), *fixture, program.images().slice(0, 0, 1));
  for (const Schedule& wrong : {Schedule{1, 5}, Schedule{2, 4}, Schedule{2}, Schedule{5}}) {
    SCOPED_TRACE(testing::PrintToString(wrong));
    const NetValues run = program.ran(wrong, "late");
    EXPECT_FALSE(mapAgrees(oracle.merges, mapOf(run, 0)));
    const std::string& output = fixture->outputs.at(0);
    EXPECT_GT(relativeError(partOf(run, output, 0), oracle.outputs.at(output)), kNetScores);
  }
}

}  // namespace
}  // namespace mpm::test
