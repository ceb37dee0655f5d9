// SPDX-License-Identifier: Apache-2.0
#include "teach/head.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>

#include "processor/pool.h"

namespace mpm::teach {
namespace {

constexpr float kNever = -1000;

// Adds weight * from to `to`. A place has a multiple of kTogether scores, so loops have one length.
void addTimes(float weight, const float* from, int columns, float* to) {
  for (int first = 0; first < columns; first += kTogether) {
    for (int k = first; k < first + kTogether; ++k) to[k] += weight * from[k];
  }
}

void addBiases(cv::Mat& scores, const std::vector<float>& biases) {
  for (int place = 0; place < scores.rows; ++place) {
    float* row = scores.ptr<float>(place);
    for (int k = 0; k < scores.cols; ++k) row[k] += biases[static_cast<std::size_t>(k)];
  }
}

}  // namespace

cv::Mat Head::scores(const cv::Mat& features) const {
  cv::Mat scores = timesWeights(features, weights);
  addBiases(scores, biases);
  return scores;
}

Loss::Loss(Examples examples, int classes, const Manner& manner)
    : examples_(std::move(examples)),
      manner_(manner),
      classes_(classes),
      dim_(examples_.front()->features.cols),
      places_(static_cast<std::size_t>(classes), -1) {
  std::vector<double> pixels(static_cast<std::size_t>(classes), 0);
  for (const Example* example : examples_) {
    for (const Share& share : example->painting.shares)
      pixels[static_cast<std::size_t>(share.classNumber)] += static_cast<double>(share.pixels);
  }
  double total = 0;
  for (std::size_t k = 0; k < pixels.size(); ++k) {
    if (pixels[k] == 0) continue;
    places_[k] = static_cast<int>(painted_.size());
    painted_.push_back(static_cast<int>(k));
    importance_.push_back(std::pow(pixels[k], -manner_.balance));
    total += importance_.back() * pixels[k];
  }
  for (double& each : importance_) each /= total;
}

std::size_t Loss::size() const { return static_cast<std::size_t>(dim_ + 1) * painted_.size(); }

// Replaces scores of a block of cells by the slopes of their loss, and returns the loss.
double Loss::slopesOf(const Painting& painting, std::size_t first, cv::Mat& block) const {
  const std::size_t count = painted_.size();
  const auto columns = static_cast<std::size_t>(block.cols);
  const auto cells = static_cast<std::size_t>(block.rows);
  std::vector<float> wanted(cells * count, 0), all(cells, 0);
  double loss = 0;
  for (std::size_t i = 0; i < cells; ++i) {
    const Cell& cell = painting.cells[first + i];
    float* row = block.ptr<float>(static_cast<int>(i));
    const float best = *std::max_element(row, row + count);
    for (std::size_t k = 0; k < count; ++k) row[k] -= best;
    for (std::uint32_t each = cell.begin; each < cell.end; ++each) {
      const Share& share = painting.shares[each];
      const auto k = static_cast<std::size_t>(places_[static_cast<std::size_t>(share.classNumber)]);
      const auto weight = static_cast<float>(static_cast<double>(share.pixels) * importance_[k]);
      wanted[i * count + k] = weight;
      all[i] += weight;
      loss -= static_cast<double>(weight * row[k]);
    }
  }
  cv::exp(block, block);
  for (std::size_t i = 0; i < cells; ++i) {
    float* row = block.ptr<float>(static_cast<int>(i));
    const float sum = std::accumulate(row, row + count, 0.0F);
    loss += static_cast<double>(all[i] * std::log(sum));
    const float share = all[i] / sum;
    for (std::size_t k = 0; k < count; ++k) row[k] = share * row[k] - wanted[i * count + k];
    std::fill(row + count, row + columns, 0.0F);
  }
  return loss;
}

Loss::Part Loss::partOf(const Example& example, const Head& head) const {
  constexpr std::size_t kBlock = 256;  // of cells
  const cv::Mat scores = head.scores(example.features);
  const int columns = scores.cols;
  cv::Mat slopes(scores.size(), CV_32F, cv::Scalar(0));
  const std::vector<Cell>& cells = example.painting.cells;
  Part part;
  for (std::size_t first = 0; first < cells.size(); first += kBlock) {
    const std::size_t end = std::min(first + kBlock, cells.size());
    cv::Mat block(static_cast<int>(end - first), columns, CV_32F, cv::Scalar(0));
    for (std::size_t i = first; i < end; ++i) {
      float* row = block.ptr<float>(static_cast<int>(i - first));
      for (std::size_t tap = 0; tap < cells[i].places.size(); ++tap)
        addTimes(cells[i].weights[tap], scores.ptr<float>(cells[i].places[tap]), columns, row);
    }
    part.loss += slopesOf(example.painting, first, block);
    for (std::size_t i = first; i < end; ++i) {
      const float* row = block.ptr<float>(static_cast<int>(i - first));
      for (std::size_t tap = 0; tap < cells[i].places.size(); ++tap)
        addTimes(cells[i].weights[tap], row, columns, slopes.ptr<float>(cells[i].places[tap]));
    }
  }
  cv::Mat biases;
  cv::reduce(slopes, biases, 0, cv::REDUCE_SUM);
  cv::vconcat(timesSlopes(example.features, slopes), biases, part.gradient);
  return part;
}

double Loss::at(const std::vector<double>& x, std::vector<double>& gradient) const {
  const auto count = static_cast<int>(painted_.size());
  const int columns = (count + kTogether - 1) / kTogether * kTogether;
  Head head{cv::Mat(dim_, columns, CV_32F, cv::Scalar(0)), {x.end() - count, x.end()}};
  cv::Mat(dim_ + 1, count, CV_64F, const_cast<double*>(x.data()))
      .rowRange(0, dim_)
      .convertTo(head.weights.colRange(0, count), CV_32F);
  head.biases.resize(static_cast<std::size_t>(columns), 0);
  std::vector<Part> parts(examples_.size());
  processor::forEachTask(examples_.size(),
                         [&](std::size_t each) { parts[each] = partOf(*examples_[each], head); });
  const int learned = dim_ - manner_.idle;
  const auto weights = static_cast<std::size_t>(learned) * painted_.size();
  const double pull = manner_.decay / static_cast<double>(learned);
  double loss = 0;
  std::fill(gradient.begin(), gradient.end(), 0.0);
  cv::Mat sum(dim_ + 1, count, CV_64F, gradient.data());
  for (const Part& part : parts) {  // in their order, whichever thread was first
    loss += part.loss;
    cv::add(sum, part.gradient.colRange(0, count), sum, cv::noArray(), CV_64F);
  }
  for (std::size_t i = 0; i < weights; ++i) {
    loss += 0.5 * pull * x[i] * x[i];
    gradient[i] += pull * x[i];
  }
  std::fill(gradient.begin() + static_cast<std::ptrdiff_t>(weights), gradient.end() - count, 0.0);
  return loss;
}

Head Loss::headOf(const std::vector<double>& x) const {
  Head head;
  head.weights = cv::Mat(dim_, classes_, CV_32F, cv::Scalar(0));
  head.biases.assign(static_cast<std::size_t>(classes_), kNever);
  const std::size_t count = painted_.size();
  for (std::size_t k = 0; k < count; ++k) {
    for (int d = 0; d < dim_; ++d) {
      head.weights.at<float>(d, painted_[k]) =
          static_cast<float>(x[static_cast<std::size_t>(d) * count + k]);
    }
    head.biases[static_cast<std::size_t>(painted_[k])] =
        static_cast<float>(x[x.size() - count + k]);
  }
  return head;
}

void Scaling::apply(cv::Mat& features) const {
  for (int place = 0; place < features.rows; ++place) {
    cv::Mat row = features.row(place);
    cv::subtract(row, mean, row);
    cv::multiply(row, factor, row);
  }
}

Head Scaling::undone(const Head& head) const {
  Head raw{head.weights.clone(), head.biases};
  for (int d = 0; d < raw.weights.rows; ++d) raw.weights.row(d) *= factor.at<float>(d);
  const cv::Mat shift = timesWeights(mean, raw.weights);
  for (std::size_t k = 0; k < raw.biases.size(); ++k)
    raw.biases[k] -= shift.at<float>(static_cast<int>(k));
  return raw;
}

Scaling scalingOf(const std::vector<Example>& examples) {
  constexpr double kFlat = 1e-6;  // a feature that hardly changes says nothing
  const int dim = examples.front().features.cols;
  cv::Mat sum(1, dim, CV_64F, cv::Scalar(0)), squares = sum.clone(), each;
  double rows = 0;
  for (const Example& example : examples) {
    cv::reduce(example.features, each, 0, cv::REDUCE_SUM, CV_64F);
    sum += each;
    cv::Mat wide;
    example.features.convertTo(wide, CV_64F);
    cv::reduce(wide.mul(wide), each, 0, cv::REDUCE_SUM, CV_64F);
    squares += each;
    rows += example.features.rows;
  }
  Scaling scaling;
  const cv::Mat mean = sum / rows, variance = squares / rows - mean.mul(mean);
  mean.convertTo(scaling.mean, CV_32F);
  scaling.factor.create(1, dim, CV_32F);
  for (int d = 0; d < dim; ++d) {
    const double deviation = std::sqrt(std::max(variance.at<double>(d), 0.0));
    const bool isFlat = deviation <= kFlat * (1 + std::abs(mean.at<double>(d)));
    scaling.factor.at<float>(d) = isFlat ? 0.0F : static_cast<float>(1 / deviation);
  }
  return scaling;
}

}  // namespace mpm::teach
