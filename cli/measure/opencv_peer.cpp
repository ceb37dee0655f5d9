// SPDX-License-Identifier: Apache-2.0
#include "cli/measure/opencv_peer.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <limits>

namespace mpm::cli {
namespace {

constexpr double kTolerance = 1e-3;

std::string inPercent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g%%", share * 100);
  return text;
}

bool hasOurLayers(cv::dnn::Net& net) {
  const std::vector<cv::String> names = net.getLayerNames();
  return std::any_of(names.begin(), names.end(), [&](const cv::String& name) {
    return net.getLayer(name)->type.starts_with("mpm.");
  });
}

}  // namespace

double largestDifference(const cv::Mat& given, const cv::Mat& expected) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  if (given.total() != expected.total() || given.type() != expected.type()) return kNone;
  const cv::Mat ours = expected.reshape(1, 1), theirs = given.reshape(1, 1);
  if (!cv::checkRange(theirs)) return kNone;
  const double largest = cv::norm(ours, cv::NORM_INF);
  const double difference = cv::norm(theirs, ours, cv::NORM_INF);
  return difference == 0 ? 0 : difference / largest;
}

OpenCvPeer readOpenCvPeer(const std::string& path, const cv::Mat& blob, const Description& model,
                          const std::vector<cv::Mat>& expected) {
  std::shared_ptr<LoadedNet> net;
  try {
    net = std::make_shared<LoadedNet>(cv::dnn::readNetFromONNX(path), blob, model);
  } catch (const cv::Exception&) {
    return {nullptr, "does not load it"};
  }
  if (hasOurLayers(net->net)) return {nullptr, "needs this library's layers: it is converted"};
  try {
    const std::vector<cv::Mat> outputs = net->forward();
    double worst = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
      worst = std::max(worst, largestDifference(outputs.at(i), expected[i]));
    if (worst <= kTolerance) return {net, ""};
    if (worst == std::numeric_limits<double>::infinity())
      return {nullptr, "computes it wrongly (another shape, or values that are not finite)"};
    return {nullptr, "computes it wrongly (largest difference " + inPercent(worst) +
                         " of the largest value)"};
  } catch (const cv::Exception&) {
    return {nullptr, "loads it, and cannot run it"};
  }
}

}  // namespace mpm::cli
