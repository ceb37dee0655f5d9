// SPDX-License-Identifier: Apache-2.0
#include "teach/head.h"

#include <cmath>
#include <cstddef>
#include <deque>
#include <numeric>
#include <utility>

namespace mpm::teach {
namespace {

using Vector = std::vector<double>;

double dot(const Vector& a, const Vector& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

void addTimes(Vector& to, double factor, const Vector& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// Holds the last steps and their changes of the gradient, which describe the curvature.
class Steps {
 public:
  explicit Steps(const Preconditioner& precondition) : precondition_(precondition) {}

  void add(Vector step, Vector change) {
    const double product = dot(step, change);
    if (!(product > 1e-12 * std::sqrt(dot(step, step) * dot(change, change)))) return;
    pairs_.push_back({std::move(step), std::move(change), product});
    if (pairs_.size() > kPairs) pairs_.pop_front();
  }
  void forget() { pairs_.clear(); }

  // Runs the two-loop recursion (Nocedal and Wright, algorithm 7.4), downhill.
  Vector direction(const Vector& gradient) const {
    Vector q = gradient;
    Vector factors(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      factors[i] = dot(pairs_[i].step, q) / pairs_[i].product;
      addTimes(q, -factors[i], pairs_[i].change);
    }
    if (precondition_) precondition_(q);
    const double scale = firstScale(gradient);
    for (double& value : q) value *= -scale;
    for (std::size_t i = 0; i < pairs_.size(); ++i) {
      const double factor = dot(pairs_[i].change, q) / pairs_[i].product;
      addTimes(q, -factors[i] - factor, pairs_[i].step);
    }
    return q;
  }

 private:
  // Scales a step so that the last one would have been right.
  double firstScale(const Vector& gradient) const {
    if (pairs_.empty()) return precondition_ ? 1 : 1 / std::sqrt(dot(gradient, gradient));
    Vector turned = pairs_.back().change;
    if (precondition_) precondition_(turned);
    return pairs_.back().product / dot(pairs_.back().change, turned);
  }

  static constexpr std::size_t kPairs = 10;
  struct Pair {
    Vector step, change;
    double product;
  };
  const Preconditioner& precondition_;
  std::deque<Pair> pairs_;
};

}  // namespace

Minimum minimise(const Objective& objective, std::vector<double> start, int mostSteps,
                 double tolerance, const Preconditioner& precondition) {
  constexpr int kHalvings = 30;
  constexpr double kEnough = 1e-4;  // of what the slope promises
  Minimum at{std::move(start), 0, 0};
  Vector gradient(at.x.size()), next(at.x.size());
  at.value = objective(at.x, gradient);
  Steps last(precondition);
  while (at.steps < mostSteps && dot(gradient, gradient) > 0) {
    Vector step = last.direction(gradient);
    double slope = dot(gradient, step);
    if (!(slope < 0)) {  // rounding has spoiled what was known
      last.forget();
      step = last.direction(gradient);
      slope = dot(gradient, step);
    }
    Vector x;
    double value = 0, length = 1;
    bool gains = false;
    for (int i = 0; i < kHalvings && !gains; ++i, length *= gains ? 1 : 0.5) {
      x = at.x;
      addTimes(x, length, step);
      value = objective(x, next);
      gains = value <= at.value + kEnough * length * slope;
    }
    if (!gains) break;
    for (double& each : step) each *= length;
    Vector change = next;
    addTimes(change, -1, gradient);
    last.add(std::move(step), std::move(change));
    const double gain = at.value - value;
    at.x = std::move(x);
    at.value = value;
    gradient.swap(next);
    ++at.steps;
    if (gain <= tolerance * std::abs(value)) break;
  }
  return at;
}

}  // namespace mpm::teach
