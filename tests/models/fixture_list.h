// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "mpm/schedule.h"

namespace mpm::test {

/// A model of this folder, and what models.json says of it.
struct Fixture {
  std::string name, family, tool;
  std::string input, inputName;  ///< the file of its images, and the model's name for them
  std::string otherInput;        ///< the file of images of another size, or empty
  std::vector<std::string> outputs;
  bool hasOpenBatch = false;
  bool hasOpenSize = false;  ///< height and width too
  bool keepsSize = false;    ///< something in it is for its own size alone
  bool adapts = false;       ///< its graph itself says what it computes at other sizes
  bool isMergeable = false;
  std::vector<std::string> reasons;  ///< parts of the sentence that says why not; any will do

  int blocks = 0, dim = 0, heads = 0, special = 0, patch = 0;
  cv::Size grid;
  std::string gelu;

  std::string path() const;  ///< of the model
  bool isHalf() const;       ///< float16 inside
  bool isQuantised() const;  ///< whole numbers inside
  /// Closed, or told by square positions; otherwise only its images tell.
  bool tellsSize() const;
  cv::Mat images() const;                           ///< [B, 3, H, W], as many as it takes at once
  cv::Size imageSize() const;                       ///< of each
  cv::Mat stored(const std::string& output) const;  ///< what ONNX Runtime made of the images
  /// Of another size, for which the same weights were exported as well, and what came of that.
  cv::Mat otherImages() const;
  cv::Mat storedOfOther(const std::string& output) const;
};

std::ostream& operator<<(std::ostream& stream, const Fixture& fixture);

const std::vector<Fixture>& fixtures();
std::vector<Fixture> mergeableFixtures();
std::vector<Fixture> refusedFixtures();
std::vector<Fixture> openBatchFixtures();  ///< mergeable ones
std::vector<Fixture> sizedFixtures();      ///< mergeable ones that tell their own input size
/// Under sanitizers, which take ten times as long, a sixth of them, another for each number from 0
/// to 5; all of them else. Equality and Merging run all.
std::vector<Fixture> shareOf(std::vector<Fixture> list, std::size_t number);
Fixture fixtureNamed(const std::string& name);
/// One that models.json leaves out, since it is for tests that name it; of pictures of 64 x 48.
Fixture unlistedFixture(const std::string& name, const std::vector<std::string>& outputs);

/// The schedules to try on a fixture: these blocks, as far as its encoder has them, each once.
std::vector<Schedule> schedulesOf(const Fixture& fixture);

/// Image `b` of a blob [B, ...] alone, as [1, ...].
cv::Mat imageOf(const cv::Mat& blob, int b);

/// Tests with the fixtures as their parameters.
using FixtureTest = testing::TestWithParam<Fixture>;
inline std::string nameOfFixture(const testing::TestParamInfo<Fixture>& info) {
  return info.param.name;
}

}  // namespace mpm::test

/// Runs every test of `suite` once for each of `list`, under the fixture's name.
#define MPM_FOR_FIXTURES(suite, list) \
  INSTANTIATE_TEST_SUITE_P(, suite, testing::ValuesIn(list), nameOfFixture)
