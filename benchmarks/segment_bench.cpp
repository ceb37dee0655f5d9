// SPDX-License-Identifier: Apache-2.0
// mpm-segment-bench: frames to blobs and scores to labels, each against what a
// program would do with OpenCV. Results are compared before anything is timed.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <opencv2/imgproc.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "paired.h"
#include "processor/pool.h"
#include "processor/simd.h"
#include "report.h"
#include "segment/labels.h"
#include "segment/prepare.h"

namespace {

using mpm::bench::Report;
using mpm::segment::LabelImage;
using mpm::segment::Labeller;
using mpm::segment::Preparer;
using mpm::segment::Scores;

constexpr int kClasses = 150, kGrid = 32, kPlaces = kGrid * kGrid;

// Scores of a frame: smooth hills, one for each class, and noise. Half of the patches share a row
// with a neighbour, as after two merges.
struct Sample {
  std::vector<float> rows;
  std::vector<std::int32_t> map;
  std::vector<float> planes;  // restored, for the peer
  Scores scores;
};

Sample makeSample(cv::Size frame, float hills, float noise) {
  Sample sample;
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, noise);
  std::uniform_real_distribution<float> turn(0, 6.28F), speed(0.05F, 0.4F);
  sample.map.resize(kPlaces);
  int live = 0;
  for (int place = 0; place < kPlaces; ++place) {
    const bool shares = place % kGrid > 0 && random() % 2 == 0;
    sample.map[place] = shares ? sample.map[place - 1] : live++;
  }
  sample.rows.resize(static_cast<std::size_t>(live) * kClasses);
  for (int k = 0; k < kClasses; ++k) {
    const float a = speed(random), b = speed(random), c = turn(random);
    for (int place = kPlaces - 1; place >= 0; --place) {
      const auto y = static_cast<float>(place / kGrid), x = static_cast<float>(place % kGrid);
      sample.rows[sample.map[place] * kClasses + k] =
          hills * std::sin(a * y + c) * std::cos(b * x + 2 * c) + normal(random);
    }
  }
  sample.planes.resize(static_cast<std::size_t>(kPlaces) * kClasses);
  for (int place = 0; place < kPlaces; ++place) {
    for (int k = 0; k < kClasses; ++k) {
      sample.planes[k * kPlaces + place] = sample.rows[sample.map[place] * kClasses + k];
    }
  }
  sample.scores = {
      kClasses,
      kGrid,
      kGrid,
      {{0, static_cast<double>(frame.width)}},
      {{0, static_cast<double>(frame.height)}},
      {{sample.rows.data(), mpm::segment::ScoreGrid::Layout::rows, sample.map.data()}}};
  return sample;
}

// Upscales one plane after the other, so that little more than the result has to stay in the cache.
// It uses OpenCV's own loops on all of its threads.
class OpenCvLabels {
 public:
  void label(const Sample& sample, cv::Size frame, cv::Mat& labels) {
    best_.create(frame, CV_32F);
    labels.create(frame, CV_8U);
    best_.setTo(-1e30F);
    for (int k = 0; k < kClasses; ++k) {
      const cv::Mat plane(kGrid, kGrid, CV_32F,
                          const_cast<float*>(sample.planes.data()) + k * kPlaces);
      cv::resize(plane, resized_, frame, 0, 0, cv::INTER_LINEAR);
      cv::compare(resized_, best_, better_, cv::CMP_GT);
      cv::max(resized_, best_, best_);
      labels.setTo(k, better_);
    }
  }
  // Also computes the label's softmax probability.
  void confidence(const Sample& sample, cv::Size frame, cv::Mat& confidence) {
    confidence.create(frame, CV_32F);
    confidence.setTo(0);
    for (int k = 0; k < kClasses; ++k) {
      const cv::Mat plane(kGrid, kGrid, CV_32F,
                          const_cast<float*>(sample.planes.data()) + k * kPlaces);
      cv::resize(plane, resized_, frame, 0, 0, cv::INTER_LINEAR);
      cv::subtract(resized_, best_, resized_);
      cv::exp(resized_, resized_);
      cv::add(confidence, resized_, confidence);
    }
    cv::divide(1.0, confidence, confidence);
  }

 private:
  cv::Mat best_, resized_, better_;
};

void check(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(std::string("our result is wrong: ") + what);
}

void benchLabels(Report& report, cv::Size frame, const std::string& what, float hills, float noise,
                 double goal) {
  const Sample sample = makeSample(frame, hills, noise);
  cv::Mat labels(frame, CV_8U), confidence(frame, CV_32F), theirs, theirConfidence;
  const LabelImage plain = {frame.width, frame.height, labels.data, nullptr, nullptr};
  const LabelImage full = {frame.width, frame.height, labels.data, nullptr,
                           confidence.ptr<float>()};
  Labeller labeller;
  OpenCvLabels peer;
  peer.label(sample, frame, theirs);
  peer.confidence(sample, frame, theirConfidence);
  labeller.label(sample.scores, full);
  check(cv::countNonZero(labels != theirs) < frame.area() / 1000, "labels");
  check(cv::norm(confidence, theirConfidence, cv::NORM_INF) < Labeller::kConfidenceError,
        "confidence");

  const auto add = [&](const std::string& name, const auto& ours, const auto& their) {
    const auto paired = mpm::bench::measurePaired(ours, their, 51, 6000);
    report.rows.push_back(
        mpm::bench::speedRow(name, "cv::resize of each class, compared", paired, goal));
  };
  add(
      "labels, " + what, [&] { labeller.label(sample.scores, plain); },
      [&] { peer.label(sample, frame, theirs); });
  add(
      "labels and confidence, " + what, [&] { labeller.label(sample.scores, full); },
      [&] {
        peer.label(sample, frame, theirs);
        peer.confidence(sample, frame, theirConfidence);
      });
}

void benchPrepare(Report& report, cv::Size frame, cv::Size input) {
  cv::Mat picture(frame, CV_8UC3);
  cv::RNG(5).fill(picture, cv::RNG::UNIFORM, 0, 256);
  cv::GaussianBlur(picture, picture, {5, 5}, 2);
  std::vector<float> planes(static_cast<std::size_t>(3) * input.area());
  cv::Mat blob;
  Preparer preparer;
  const auto ours = [&] {
    preparer.prepare({picture.data, picture.step[0], frame.width, frame.height, 3},
                     {input.width, input.height, 0, 0, input.width, input.height}, {},
                     planes.data());
  };
  const auto theirs = [&] {
    cv::dnn::blobFromImage(picture, blob, 1 / 127.5, input, cv::Scalar::all(127.5), true);
  };
  ours(), theirs();
  const cv::Mat found(1, static_cast<int>(planes.size()), CV_32F, planes.data());
  check(cv::norm(found, blob.reshape(1, 1), cv::NORM_INF) < 1 / 127.5, "blob");
  const auto paired = mpm::bench::measurePaired(ours, theirs);
  report.rows.push_back(
      mpm::bench::speedRow(cv::format("frame %d x %d to blob %d x %d", frame.width, frame.height,
                                      input.width, input.height),
                           "cv::dnn::blobFromImage", paired));
}

}  // namespace

int main(int argc, char** argv) {
  const auto measure = [](Report& report, int /*number*/) {
    report.kernels = mpm::processor::simdChoice().level;
    report.threads = mpm::processor::threadCount();
    for (const cv::Size& frame : {cv::Size(640, 480), cv::Size(1920, 1080)}) {
      benchPrepare(report, frame, {512, 512});
      const std::string size = std::to_string(frame.width) + " x " + std::to_string(frame.height);
      benchLabels(report, frame, size + ", hills", 4, 0.3F, 8);
      benchLabels(report, frame, size + ", noise", 0, 1, 8);
    }
  };
  return mpm::bench::runBenchmark(
      argc, argv,
      {"mpm-segment-bench", "Times what stands in front of a net and behind it.", nullptr},
      measure);
}
