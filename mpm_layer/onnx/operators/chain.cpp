// SPDX-License-Identifier: Apache-2.0
#include "onnx/operators/chain.h"

#include <algorithm>

namespace mpm::onnx {
namespace {

constexpr std::size_t kPiece = 1024;  // floats of a slot at a time

// Gathers the elements [begin, begin + count) of a source, in the order of the walk.
void gather(const float* source, const Integers& sizes, const Strides& steps, std::size_t begin,
            std::size_t count, float* to) {
  Integers at(sizes.size());
  std::size_t rest = begin;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    const auto size = static_cast<std::size_t>(sizes[i]);
    at[i] = static_cast<std::int64_t>(rest % size);
    rest /= size;
    source += at[i] * steps[i];
  }
  const std::size_t last = sizes.size() - 1;
  while (count > 0) {
    const std::size_t run = std::min(count, static_cast<std::size_t>(sizes[last] - at[last]));
    copyRun(source, steps[last], run, to);
    to += run;
    count -= run;
    source += steps[last] * static_cast<std::ptrdiff_t>(run);
    at[last] += static_cast<std::int64_t>(run);
    for (std::size_t i = last; i > 0 && at[i] == sizes[i]; --i) {
      source += steps[i - 1] - steps[i] * at[i];
      at[i] = 0;
      ++at[i - 1];
    }
  }
}

}  // namespace

Chain::Chain(Integers dims) : dims_(std::move(dims)), count_(product(dims_, 0, dims_.size())) {}

Chain::Walk Chain::walkOf(const Strides& strides) const {
  Walk walk;
  for (std::size_t i = 0; i < dims_.size(); ++i) {
    if (dims_[i] == 1) continue;
    const bool isJoined = !walk.steps.empty() && walk.steps.back() == strides[i] * dims_[i];
    if (isJoined) {
      walk.sizes.back() *= dims_[i];
      walk.steps.back() = strides[i];
    } else {
      walk.sizes.push_back(dims_[i]);
      walk.steps.push_back(strides[i]);
    }
  }
  if (walk.sizes.empty()) return {{1}, {0}};
  return walk;
}

std::optional<std::size_t> Chain::addSource(const Integers& dims) {
  const auto strides = broadcastStrides(dims, dims_);
  if (!strides) return std::nullopt;
  slots_.push_back({{}, 0, 0, sources_++, walkOf(*strides)});
  return slots_.size() - 1;
}

std::size_t Chain::addStep(const ElementRule& rule, std::size_t first, std::size_t second) {
  slots_.push_back({rule, first, second, 0, {}});
  return slots_.size() - 1;
}

void Chain::run(const std::vector<const float*>& sources,
                const std::vector<std::pair<std::size_t, float*>>& results) const {
  std::vector<float*> places(slots_.size(), nullptr);
  for (const auto& [slot, place] : results) places[slot] = place;
  forEachPiece(count_,
               [&](std::size_t begin, std::size_t end) { runPiece(begin, end, sources, places); });
}

void Chain::runPiece(std::size_t begin, std::size_t end, const std::vector<const float*>& sources,
                     const std::vector<float*>& results) const {
  static thread_local std::vector<float> room;
  room.resize(slots_.size() * kPiece);
  std::vector<const float*> now(slots_.size());
  for (std::size_t at = begin; at < end; at += kPiece) {
    const std::size_t count = std::min(kPiece, end - at);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      const Slot& slot = slots_[i];
      float* const own = room.data() + i * kPiece;
      now[i] = own;
      if (slot.rule.loop != nullptr) {
        float* const to = results[i] != nullptr ? results[i] + at : own;
        slot.rule.loop(now[slot.first], now[slot.second], to, count, slot.rule.a, slot.rule.b);
        now[i] = to;
      } else if (slot.walk.steps == Strides{1}) {
        now[i] = sources[slot.source] + at;
      } else if (slot.walk.steps != Strides{0} || at == begin) {  // one number stays there
        gather(sources[slot.source], slot.walk.sizes, slot.walk.steps, at, count, own);
      }
    }
  }
}

}  // namespace mpm::onnx
