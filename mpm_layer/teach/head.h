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

/// Multiply a tall matrix of features [N x D] by a narrow one, CV_32F. Sums have one order whatever
/// the machine's BLAS; cv::gemm calls the system's, which may be the slow reference BLAS.
cv::Mat timesWeights(const cv::Mat& features, const cv::Mat& weights);  ///< [D x K] to [N x K]
cv::Mat timesSlopes(const cv::Mat& features, const cv::Mat& slopes);    ///< [N x K] to [D x K]

/// Returns a function's value at x and writes its gradient, which has as many numbers.
using Objective =
    std::function<double(const std::vector<double>& x, std::vector<double>& gradient)>;

struct Minimum {
  std::vector<double> x;
  double value = 0;
  int steps = 0;
};

/// Multiplies a gradient by an approximate inverse of the curvature.
using Preconditioner = std::function<void(std::vector<double>& gradient)>;

/// Minimises a smooth convex function by L-BFGS from `start`. Stops when a step gains less than
/// `tolerance` of the value or nothing at all, or after `mostSteps`. The same start gives the same
/// end. `precondition` knows the curvature before the first step, if not empty.
Minimum minimise(const Objective& objective, std::vector<double> start, int mostSteps,
                 double tolerance, const Preconditioner& precondition = {});

/// Features of a frame, [places of the grid x D], CV_32F, and its annotation.
struct Example {
  cv::Mat features;
  Painting painting;
};
using Examples = std::vector<const Example*>;

/// Scores a place: its features times weights [D x classes], CV_32F, plus biases.
struct Head {
  cv::Mat weights;
  std::vector<float> biases;

  cv::Mat scores(const cv::Mat& features) const;  ///< [places x classes]
};

/// Settings for training a head.
struct Manner {
  double decay = 0.1;    ///< half of it times the mean square of the weights is added to the loss
  double balance = 0.5;  ///< a class's pixels count as their number to the power of minus this
  int idle = 0;          ///< so many features, the last ones, keep weights of 0
};

/// Multinomial logistic regression: the mean, over painted pixels, of minus the logarithm of their
/// class's probability. Cells have scores interpolated from the grid's. x holds weights [D x
/// classes], then biases. Classes that nobody painted are left out of x; the others keep their
/// order.
class Loss {
 public:
  Loss(Examples examples, int classes, const Manner& manner);

  std::size_t size() const;  ///< of x
  double at(const std::vector<double>& x, std::vector<double>& gradient) const;
  /// Returns the head that x describes. Unpainted classes get a bias below every other score.
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

/// Approximates the curvature of a loss by how its features vary together, at some places of all
/// frames. Steps that use it reach the minimum in half as many.
class Curvature {
 public:
  explicit Curvature(const Examples& examples);

  /// Returns its inverse for a manner, as minimise() takes it for a Loss. Not for two threads at
  /// once; valid as long as this object.
  Preconditioner preconditionerOf(const Manner& manner);

 private:
  cv::Mat products_;                                   // mean of [1 x D + 1] by itself, CV_64F
  std::map<std::pair<double, int>, cv::Mat> inverse_;  // by decay and idle features, CV_32F
};

/// Statistics of a set of frames: each feature's mean, and one over its deviation.
struct Scaling {
  cv::Mat mean, factor;  ///< [1 x D], CV_32F

  void apply(cv::Mat& features) const;
  /// Returns a head that gives the same scores from unscaled features.
  Head undone(const Head& head) const;
};
Scaling scalingOf(const std::vector<Example>& examples);

}  // namespace mpm::teach
