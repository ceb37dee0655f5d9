// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "fixture_list.h"
#include "mpm/net.h"

namespace mpm::test {

using Outputs = std::map<std::string, cv::Mat>;

/// How to read the fixture for its images: an open size is theirs.
ReadOptions optionsOf(const Fixture& fixture);

/// The fixture as a net that merges before these blocks.
cv::dnn::Net netOf(const Fixture& fixture, const Schedule& schedule,
                   Restore restore = Restore::late);

/// What a net that was just read makes of the fixture's images. Reading takes most of the time of
/// these tests, so a program does it once for each fixture, schedule and restore.
const Outputs& outputsOf(const Fixture& fixture, const Schedule& schedule,
                         Restore restore = Restore::late);

/// What a net makes of images: the model's outputs, mpm_map and mpm_rows where it has them.
/// `input`: what they are called, where it is not the only one.
Outputs run(cv::dnn::Net& net, const cv::Mat& images, const std::string& input = "");

/// The largest difference, relative to the largest expected value; infinite where shapes differ or
/// a value is not finite.
double relativeError(const cv::Mat& is, const cv::Mat& expected);

/// The same shape and the same bits.
bool isSame(const cv::Mat& a, const cv::Mat& b);

/// Expects the same outputs, each the same to the bit.
void expectSame(const Outputs& is, const Outputs& expected);

/// Expects what models.json says of the encoder; its grid where the input has a fixed size.
void expectDescribed(const Description& description, const Fixture& fixture);

/// Expects `what` to be one sentence: some words, in one line.
void expectSentence(const std::string& what);

}  // namespace mpm::test
