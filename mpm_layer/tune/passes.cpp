// SPDX-License-Identifier: Apache-2.0
#include "tune/passes.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <stdexcept>
#include <string>

namespace mpm::tune {
namespace {

void extend(const std::vector<int>& blocks, std::size_t first, std::size_t merges,
            std::vector<int>& begun, std::vector<Schedule>& all) {
  if (begun.size() == merges) {
    all.emplace_back(begun);
    return;
  }
  for (std::size_t i = first; i < blocks.size(); ++i) {
    begun.push_back(blocks[i]);
    extend(blocks, i + 1, merges, begun, all);
    begun.pop_back();
  }
}

}  // namespace

std::vector<Schedule> schedulesOf(const std::vector<int>& blocks, int merges) {
  std::vector<Schedule> all;
  std::vector<int> begun;
  if (merges > 0) extend(blocks, 0, static_cast<std::size_t>(merges), begun, all);
  return all;
}

std::vector<Schedule> extensionsOf(const std::vector<Schedule>& bases,
                                   const std::vector<int>& blocks) {
  std::set<Schedule> all;
  for (const Schedule& base : bases) {
    for (const int block : blocks) {
      if (base.contains(block)) continue;
      std::vector<int> longer = base;
      longer.push_back(block);
      all.insert(longer);
    }
  }
  return {all.begin(), all.end()};
}

namespace {

constexpr std::size_t kDeepEncoder = 24;  // blocks
constexpr std::size_t kLooksPerFull = 4;  // schedules that are compared with one unmerged run
constexpr double kPays = 0.97;

std::vector<int> mergesOf(const TuneOptions& options, std::size_t blocks) {
  std::vector<int> merges = options.merges;
  if (blocks == 0) throw std::invalid_argument("there is nothing to tune: it has no merges");
  if (merges.empty()) {
    merges = {1};
    if (blocks >= 2) merges.push_back(2);
    if (blocks >= kDeepEncoder) merges.push_back(3);
  }
  std::sort(merges.begin(), merges.end());
  merges.erase(std::unique(merges.begin(), merges.end()), merges.end());
  for (const int count : merges) {
    if (count < 1 || count > static_cast<int>(blocks)) {
      throw std::invalid_argument("no schedule has " + std::to_string(count) +
                                  (count == 1 ? " merge" : " merges") +
                                  ": the encoder can merge before " + std::to_string(blocks) +
                                  (blocks == 1 ? " block" : " blocks"));
    }
  }
  return merges;
}

class Passes {
 public:
  Passes(const RunTrial& run, std::size_t frames, const std::vector<int>& blocks,
         const TuneOptions& options)
      : trials_(run, frames, options.progress),
        frames_(frames),
        blocks_(blocks),
        options_(options),
        close_(static_cast<std::size_t>(std::max(1, options.close))),
        looks_(std::clamp<std::size_t>(static_cast<std::size_t>(std::max(1, options.looks)), 1,
                                       frames)) {}

  void lookAtAll(const std::vector<int>& merges) {
    expect(merges);
    trials_.runFull(0);  // warms up
    trials_.forgetFull();
    std::vector<Schedule> bases;
    for (const int count : merges) {
      const bool extends = count > 2 && !bases.empty() &&
                           bases.front().size() + 1 == static_cast<std::size_t>(count);
      const std::vector<Schedule> schedules =
          extends ? extensionsOf(bases, blocks_) : schedulesOf(blocks_, count);
      look(schedules);
      bases = nearOf(schedules);
    }
  }

  Tuning measure(const Schedule& always) {
    std::map<Schedule, Sightings> close;
    for (const std::size_t near : nearFront(looked_, close_)) close[looked_[near].schedule];
    if (!always.empty()) close[always];
    trials_.forgetFull();
    trials_.expectRuns(rounds() * (close.size() + 1));
    for (std::size_t round = 0; round < rounds(); ++round) {
      trials_.runFull(round % frames_);
      for (auto& [schedule, sightings] : close) trials_.run(schedule, sightings);
    }
    return tuningOf(close);
  }

 private:
  std::size_t rounds() const {
    return std::max(frames_, static_cast<std::size_t>(std::max(1, options_.rounds)));
  }

  // Estimates the number of runs, by which progress is measured, as well as it can be known.
  void expect(const std::vector<int>& merges) {
    double schedules = 0;
    for (const int count : merges) {
      const auto n = static_cast<double>(blocks_.size());
      schedules += count == 1 ? n : count == 2 ? n * (n - 1) / 2 : static_cast<double>(close_) * n;
    }
    const double looks = schedules * static_cast<double>(looks_) * (1 + 1.0 / kLooksPerFull);
    trials_.expectRuns(static_cast<std::size_t>(looks) + (close_ + 2) * rounds());
  }

  // Runs schedules four at a time, so that an unmerged run is never far, on frames spread evenly.
  void look(const std::vector<Schedule>& schedules) {
    for (std::size_t first = 0; first < schedules.size(); first += kLooksPerFull) {
      const std::size_t end = std::min(schedules.size(), first + kLooksPerFull);
      std::vector<Sightings> sightings(end - first);
      for (std::size_t look = 0; look < looks_; ++look) {
        trials_.runFull(look * frames_ / looks_);
        for (std::size_t i = first; i < end; ++i) trials_.run(schedules[i], sightings[i - first]);
      }
      for (std::size_t i = first; i < end; ++i)
        looked_.push_back(sightings[i - first].summary(schedules[i], false, 0));
    }
  }

  std::vector<Schedule> nearOf(const std::vector<Schedule>& schedules) const {
    std::vector<Schedule> near;
    for (const std::size_t index : nearFront(looked_, close_)) {
      const Schedule& schedule = looked_[index].schedule;
      if (std::find(schedules.begin(), schedules.end(), schedule) != schedules.end())
        near.push_back(schedule);
    }
    return near;
  }

  Tuning tuningOf(const std::map<Schedule, Sightings>& close) {
    Tuning tuning;
    tuning.full = trials_.full();
    for (TunedSchedule& one : looked_) {
      one.ms = one.ratio * tuning.full.ms;
      if (!close.contains(one.schedule)) tuning.schedules.push_back(one);
    }
    for (const auto& [schedule, sightings] : close) {
      tuning.schedules.push_back(sightings.summary(schedule, true, tuning.full.ms));
      tuning.pays = tuning.pays || tuning.schedules.back().ratioHigh < kPays;
    }
    markFront(tuning.full, tuning.schedules);
    std::sort(tuning.schedules.begin(), tuning.schedules.end(), [](const auto& a, const auto& b) {
      return a.ms != b.ms ? a.ms < b.ms : simpler(a.schedule, b.schedule);
    });
    return tuning;
  }

  Trials trials_;
  std::size_t frames_;
  const std::vector<int>& blocks_;
  const TuneOptions& options_;
  std::size_t close_, looks_;
  std::vector<TunedSchedule> looked_;
};

}  // namespace

Tuning tuneBy(const RunTrial& run, std::size_t frames, const std::vector<int>& blocks,
              const Schedule& always, const TuneOptions& options) {
  if (frames == 0)
    throw std::invalid_argument("there are no frames to tune on; expected one or more");
  const std::vector<int> merges = mergesOf(options, blocks.size());
  Passes passes(run, frames, blocks, options);
  passes.lookAtAll(merges);
  return passes.measure(always);
}

}  // namespace mpm::tune
