// SPDX-License-Identifier: Apache-2.0
// Approximates a loss's curvature before the first step.
#include <algorithm>

#include "teach/head.h"

namespace mpm::teach {
namespace {

constexpr int kMostRows = 8192;  // that it is judged by
// The loss of a probability p curves by p (1 - p), which is small where a head is certain.
constexpr double kUncertain = 0.05;
constexpr double kOfBias = 1e-6;  // nothing holds biases back

// Samples places of all frames evenly, and appends a feature that is 1.
cv::Mat someRows(const Examples& examples) {
  int all = 0;
  for (const Example* example : examples) all += example->features.rows;
  const int between = std::max(1, (all + kMostRows - 1) / kMostRows);
  const int dim = examples.front()->features.cols;
  cv::Mat rows((all + between - 1) / between, dim + 1, CV_32F, cv::Scalar(1));
  int to = 0, before = 0;
  for (const Example* example : examples) {
    for (int row = (between - before % between) % between; row < example->features.rows;
         row += between)
      example->features.row(row).copyTo(rows.row(to++).colRange(0, dim));
    before += example->features.rows;
  }
  return rows.rowRange(0, to);
}

}  // namespace

Curvature::Curvature(const Examples& examples) {
  const cv::Mat rows = someRows(examples);
  timesSlopes(rows, rows).convertTo(products_, CV_64F, kUncertain / rows.rows);
}

Preconditioner Curvature::preconditionerOf(const Manner& manner) {
  cv::Mat& inverse = inverse_[{manner.decay, manner.idle}];
  if (inverse.empty()) {
    const int dim = products_.rows - 1, learned = dim - manner.idle;
    cv::Mat curvature = products_.clone();
    curvature.rowRange(learned, dim).setTo(0);  // they have no gradient, and get no step
    curvature.colRange(learned, dim).setTo(0);
    for (int i = 0; i < dim; ++i)
      curvature.at<double>(i, i) += i < learned ? manner.decay / learned : 1;
    curvature.at<double>(dim, dim) += kOfBias;
    cv::invert(curvature, curvature, cv::DECOMP_CHOLESKY);
    curvature.convertTo(inverse, CV_32F);
  }
  return [inverse](std::vector<double>& gradient) {
    cv::Mat values(inverse.rows, static_cast<int>(gradient.size()) / inverse.rows, CV_64F,
                   gradient.data());
    cv::Mat narrow;
    values.convertTo(narrow, CV_32F);
    timesWeights(inverse, narrow).convertTo(values, CV_64F);
  };
}

}  // namespace mpm::teach
