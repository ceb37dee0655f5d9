// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>
#include <vector>

#include "processor/pool.h"
#include "segment/axis.h"
#include "segment/cell.h"
#include "segment/corners.h"
#include "segment/labels.h"

namespace mpm::segment {
namespace {

// Labels strips of cells. Each task has one, with separate memory.
class StripLabeller {
 public:
  void start(const Scores& scores, const LabelImage& image, const Axis& across, const Axis& down,
             const std::uint8_t* changed);
  void label(const Piece& strip);

 private:
  bool isChanged(const Piece& across, const Piece& down) const;
  void labelCell(const Cell& cell, std::size_t pixel);
  void fill(const Cell& cell, std::size_t pixel, int label, float confidence) const;
  void writeLabels(std::size_t pixel, int count) const;
  void reserve();

  const LabelImage* image_ = nullptr;
  const Axis *across_ = nullptr, *down_ = nullptr;
  std::size_t classes_ = 0, gridWidth_ = 0;
  const std::uint8_t* changed_ = nullptr;
  Corners corners_;
  Survivors survivors_;
  CellSums sums_;
  CellRow row_;
  float* best_ = nullptr;   // of findSurvivors
  float* lines_ = nullptr;  // of the rows of a cell
  processor::FloatBuffer floats_;
  std::vector<std::int32_t> labels_;
};

void StripLabeller::reserve() {
  const std::size_t padded = classes_ + kCellPadding;
  float* next = floats_.reserve(11 * padded);
  const auto take = [&](std::size_t arrays) { return std::exchange(next, next + arrays * padded); };
  for (float*& corner : survivors_.winners.corners) corner = take(1);
  for (float*& corner : survivors_.heavy.corners) corner = take(1);
  best_ = take(1), lines_ = take(2);
  labels_.resize(2 * padded);
  survivors_.winners.classes = labels_.data();
  survivors_.heavy.classes = labels_.data() + padded;
}

void StripLabeller::start(const Scores& scores, const LabelImage& image, const Axis& across,
                          const Axis& down, const std::uint8_t* changed) {
  image_ = &image, across_ = &across, down_ = &down, changed_ = changed;
  classes_ = static_cast<std::size_t>(scores.classes);
  gridWidth_ = static_cast<std::size_t>(scores.gridWidth);
  corners_.start(scores, across, down);
  reserve();
}

void StripLabeller::writeLabels(std::size_t pixel, int count) const {
  for (int x = 0; x < count; ++x) {
    if (image_->labels8 != nullptr) {
      image_->labels8[pixel + x] = static_cast<std::uint8_t>(row_.labels[x]);
    } else {
      image_->labels16[pixel + x] = static_cast<std::uint16_t>(row_.labels[x]);
    }
  }
}

void StripLabeller::fill(const Cell& cell, std::size_t pixel, int label, float confidence) const {
  for (int y = 0; y < cell.height; ++y, pixel += image_->width) {
    if (image_->labels8 != nullptr) std::fill_n(image_->labels8 + pixel, cell.width, label);
    if (image_->labels16 != nullptr) std::fill_n(image_->labels16 + pixel, cell.width, label);
    if (image_->confidence != nullptr)
      std::fill_n(image_->confidence + pixel, cell.width, confidence);
  }
}

void StripLabeller::labelCell(const Cell& cell, std::size_t pixel) {
  const bool wantsConfidence = image_->confidence != nullptr;
  findSurvivors(cell, wantsConfidence, best_, survivors_);
  const ClassList& winners = survivors_.winners;
  if (winners.count == 0) return fill(cell, pixel, 0, 0);
  const bool isAlone = winners.count == 1 && (!wantsConfidence || survivors_.heavy.count == 1);
  if (isAlone) return fill(cell, pixel, winners.classes[0], 1);
  const bool byProducts = wantsConfidence && sums_.start(cell, survivors_);
  for (int y = 0; y < cell.height; ++y, pixel += image_->width) {
    labelCellRow(cell, winners, y, lines_, row_);
    writeLabels(pixel, cell.width);
    if (!wantsConfidence) continue;
    if (byProducts) {
      sums_.next(cell, row_);
    } else {
      sumCellRow(cell, survivors_.heavy, y, lines_, row_);
    }
    confidenceOfRow(cell, byProducts ? survivors_.peaks : nullptr, y, row_,
                    image_->confidence + pixel);
  }
}

// Tells whether any score around a cell changed.
bool StripLabeller::isChanged(const Piece& across, const Piece& down) const {
  if (changed_ == nullptr) return true;
  const Source &column = *across_->sources(across), &row = *down_->sources(down);
  const auto at = [&](std::int32_t y, std::int32_t x) {
    return changed_[static_cast<std::size_t>(y) * gridWidth_ + static_cast<std::size_t>(x)] != 0;
  };
  return at(row.first, column.first) || at(row.first, column.second) ||
         at(row.second, column.first) || at(row.second, column.second);
}

void StripLabeller::label(const Piece& strip) {
  Cell cell;
  cell.classes = classes_;
  cell.down = down_->weights() + strip.begin;
  cell.stepDown = strip.step;
  cell.height = strip.count();
  for (const Piece& piece : across_->pieces()) {
    if (!isChanged(piece, strip)) continue;
    cell.across = across_->weights() + piece.begin;
    cell.stepAcross = piece.step;
    cell.width = piece.count();
    corners_.find(piece, strip, cell);
    labelCell(cell, static_cast<std::size_t>(strip.begin) * image_->width + piece.begin);
  }
}

}  // namespace

class Labeller::Impl {
 public:
  void label(const Scores& scores, const LabelImage& image, const std::uint8_t* changed) {
    across_.assign(scores.across, scores.gridWidth, image.width, kCellWidth);
    down_.assign(scores.down, scores.gridHeight, image.height, kCellHeight);
    const std::vector<Piece>& strips = down_.pieces();
    const std::size_t most = 4 * static_cast<std::size_t>(processor::threadCount());
    const std::size_t tasks = std::min(strips.size(), most);
    if (labellers_.size() < tasks) labellers_.resize(tasks);
    processor::forEachTask(tasks, [&](std::size_t task) {
      StripLabeller& labeller = labellers_[task];
      labeller.start(scores, image, across_, down_, changed);
      // Neighbouring strips go to one task, which then transposes the rows between them once.
      const std::size_t end = strips.size() * (task + 1) / tasks;
      for (std::size_t i = strips.size() * task / tasks; i < end; ++i) labeller.label(strips[i]);
    });
  }

 private:
  Axis across_, down_;
  std::vector<StripLabeller> labellers_;
};

Labeller::Labeller() : impl_(std::make_unique<Impl>()) {}
Labeller::Labeller(Labeller&&) noexcept = default;
Labeller& Labeller::operator=(Labeller&&) noexcept = default;
Labeller::~Labeller() = default;

void Labeller::label(const Scores& scores, const LabelImage& image, const std::uint8_t* changed) {
  impl_->label(scores, image, changed);
}

}  // namespace mpm::segment
