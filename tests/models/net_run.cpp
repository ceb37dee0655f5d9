// SPDX-License-Identifier: Apache-2.0
#include "net_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace mpm::test {

ReadOptions optionsOf(const Fixture& fixture) {
  ReadOptions options;
  if (fixture.hasOpenSize) options.inputSize = fixture.imageSize();
  return options;
}

cv::dnn::Net netOf(const Fixture& fixture, const Schedule& schedule, Restore restore) {
  ReadOptions options = optionsOf(fixture);
  options.schedule = schedule;
  options.restore = restore;
  return readNet(fixture.path(), options);
}

const Outputs& outputsOf(const Fixture& fixture, const Schedule& schedule, Restore restore) {
  static std::map<std::tuple<std::string, std::vector<int>, Restore>, Outputs> known;
  const auto [entry, isNew] = known.try_emplace({fixture.path(), schedule.blocks(), restore});
  if (isNew) {
    cv::dnn::Net net = netOf(fixture, schedule, restore);
    entry->second = run(net, fixture.images());
  }
  return entry->second;
}

Outputs run(cv::dnn::Net& net, const cv::Mat& images, const std::string& input) {
  const std::vector<cv::String> names = net.getUnconnectedOutLayersNames();
  std::vector<cv::Mat> blobs;
  net.setInput(images, input);
  net.forward(blobs, names);
  Outputs outputs;
  // The blobs are the net's own, and change with its next forward.
  for (std::size_t i = 0; i < names.size(); ++i) outputs[names[i]] = blobs[i].clone();
  return outputs;
}

double relativeError(const cv::Mat& is, const cv::Mat& expected) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  if (is.size != expected.size || is.type() != CV_32F) return kInfinite;
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < is.total(); ++i) {
    const double a = is.ptr<float>()[i], b = expected.ptr<float>()[i];
    if (!std::isfinite(a)) return kInfinite;
    difference = std::max(difference, std::abs(a - b));
    largest = std::max(largest, std::abs(b));
  }
  return difference / largest;
}

bool isSame(const cv::Mat& a, const cv::Mat& b) {
  return a.size == b.size && a.type() == b.type() &&
         std::memcmp(a.data, b.data, a.total() * a.elemSize()) == 0;
}

void expectSame(const Outputs& is, const Outputs& expected) {
  EXPECT_EQ(is.size(), expected.size());
  for (const auto& [name, blob] : expected) {
    ASSERT_TRUE(is.contains(name)) << name;
    EXPECT_TRUE(isSame(is.at(name), blob))
        << name << " is " << relativeError(is.at(name), blob) << " off";
  }
}

void expectDescribed(const Description& description, const Fixture& fixture) {
  EXPECT_TRUE(description.mergeable);
  EXPECT_EQ(description.reason, "");
  EXPECT_EQ(description.depth, fixture.blocks);
  EXPECT_EQ(description.embedDim, fixture.dim);
  EXPECT_EQ(description.numHeads, fixture.heads);
  EXPECT_EQ(description.numPrefixTokens, fixture.special);
  EXPECT_EQ(description.patchSize, fixture.patch);
  EXPECT_EQ(description.gelu, fixture.gelu);
  if (!fixture.hasOpenSize) {
    EXPECT_EQ(description.gridSize, fixture.grid);
  }
}

void expectSentence(const std::string& what) {
  EXPECT_NE(what.find(' '), std::string::npos) << "no sentence: " << what;
  EXPECT_EQ(what.find('\n'), std::string::npos) << "more than a line: " << what;
}

}  // namespace mpm::test
