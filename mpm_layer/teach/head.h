// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <opencv2/core.hpp>
#include <utility>
#include <vector>

#include "teach/painting.h"

namespace mpm::teach {

constexpr int kTogether = 16;  ///< columns of a narrow matrix that are multiplied together

/// Products of a tall matrix of features [N x D] with a narrow one, CV_32F, in one order of sums
/// whatever the machine's BLAS: cv::gemm asks that of the system, which may be the reference one.
cv::Mat timesWeights(const cv::Mat& features, const cv::Mat& weights);  ///< [D x K] to [N x K]
cv::Mat timesSlopes(const cv::Mat& features, const cv::Mat& slopes);    ///< [N x K] to [D x K]

/// A function's value at x; its gradient, of as many numbers, is written.
using Objective =
    std::function<double(const std::vector<double>& x, std::vector<double>& gradient)>;

struct Minimum {
  std::vector<double> x;
  double value = 0;
  int steps = 0;
};

/// Multiplies a gradient by what is about the inverse of a curvature.
using Preconditioner = std::function<void(std::vector<double>& gradient)>;

/// Where a smooth convex function is smallest, by L-BFGS from `start` on. Ends where a step gains
/// less than `tolerance` of the value, where no step gains anything, or after `mostSteps`. The same
/// start gives the same end. `precondition`: what is known of the curvature before the first step;
/// empty: nothing.
Minimum minimise(const Objective& objective, std::vector<double> start, int mostSteps,
                 double tolerance, const Preconditioner& precondition = {});

/// A frame's features, [places of the grid x D], CV_32F, and what is painted on it.
struct Example {
  cv::Mat features;
  Painting painting;
};
using Examples = std::vector<const Example*>;

/// Scores of a place: its features times weights [D x classes], CV_32F, and the biases.
struct Head {
  cv::Mat weights;
  std::vector<float> biases;

  cv::Mat scores(const cv::Mat& features) const;  ///< [places x classes]
};

/// How a head is learned.
struct Manner {
  double decay = 0.1;    ///< half of it times the mean square of the weights is added to the loss
  double balance = 0.5;  ///< a class's pixels count as their number to the power of minus this
  int idle = 0;          ///< so many features, the last ones, keep weights of 0
};

/// Multinomial logistic regression: the mean, over painted pixels, of minus the logarithm of their
/// class's probability, where cells have scores that are interpolated from the grid's. x: weights
/// [D x classes], then biases. Classes that nobody painted have no part in it: x stands for the
/// others alone, in their order.
class Loss {
 public:
  Loss(Examples examples, int classes, const Manner& manner);

  std::size_t size() const;  ///< of x
  double at(const std::vector<double>& x, std::vector<double>& gradient) const;
  /// What x says. Classes that nobody painted get a bias that no other score falls below.
  Head headOf(const std::vector<double>& x) const;

 private:
  struct Part {
    double loss = 0;
    cv::Mat gradient;  // [D + 1 x painted, and columns of 0]
  };
  Part partOf(const Example& example, const Head& head) const;
  double slopesOf(const Painting& painting, std::size_t first, cv::Mat& block) const;

  Examples examples_;
  Manner manner_;
  int classes_, dim_;
  std::vector<int> painted_;        // the classes that are
  std::vector<int> places_;         // of each class among them; -1
  std::vector<double> importance_;  // of a painted class's pixel; all pixels together have 1
};

/// About how a loss curves: by how its features vary together, at some places of all frames. Steps
/// that heed it reach the minimum in half as many as those that have to find it out.
class Curvature {
 public:
  explicit Curvature(const Examples& examples);

  /// The inverse of it for a manner, as minimise() takes it for a Loss. Not from two threads at
  /// once; holds as long as this object.
  Preconditioner preconditionerOf(const Manner& manner);

 private:
  cv::Mat products_;                                   // mean of [1 x D + 1] by itself, CV_64F
  std::map<std::pair<double, int>, cv::Mat> inverse_;  // by decay and idle features, CV_32F
};

/// What a set of frames has in common: each feature's mean, and one over its deviation.
struct Scaling {
  cv::Mat mean, factor;  ///< [1 x D], CV_32F

  void apply(cv::Mat& features) const;
  /// The same scores from features as they were.
  Head undone(const Head& head) const;
};
Scaling scalingOf(const std::vector<Example>& examples);

}  // namespace mpm::teach
