// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "merge/match.h"
#include "merge/panels.h"
#include "processor/pool.h"

namespace mpm::merge {
namespace {

// Limits the packed rows held at once, so that scratch memory is bounded for any N. All rows are
// packed where they fit, otherwise two sections at a time.
constexpr std::size_t kPackedBytes = std::size_t{24} << 20;
// Keeps a run's panels in a core's second-level cache while those of another pass by.
constexpr std::size_t kRunBytes = std::size_t{512} << 10;
// Gives enough runs to share their pairs out evenly.
constexpr std::size_t kRunsWanted = 16;

struct Section {
  std::size_t first = 0, last = 0;  // panels
  float* values = nullptr;
};

// Holds what the steps of one matchCpu call share.
class Matching {
 public:
  Matching(ConstRows tokens, MatchScratch& scratch) : tokens_(tokens), scratch_(scratch) {
    const std::size_t panels = scratch.slots.panelCount();
    const std::size_t panelBytes = tokens.dim * kPanelSlots * sizeof(float);
    runPanels_ = std::clamp(std::min(kRunBytes / panelBytes, panels / kRunsWanted), std::size_t{1},
                            kRunPanels);
    sectionPanels_ = panels;
    if (panels * panelBytes > kPackedBytes) {
      const std::size_t half = kPackedBytes / 2 / panelBytes;
      sectionPanels_ = std::max(half / runPanels_ * runPanels_, std::size_t{1});
    }
    scratch.best.assign(panels * kPanelSlots, Match{});
    scratch.zeroRow.assign(tokens.dim, 0.0F);
  }

  void run() {
    const std::size_t panels = scratch_.slots.panelCount();
    const std::size_t sections = (panels + sectionPanels_ - 1) / sectionPanels_;
    std::size_t packedB = 0;  // the section that panelsB holds; 0: none
    for (std::size_t i = 0; i < sections; ++i) {
      const bool packed = i > 0 && packedB == i;
      if (packed) {
        std::swap(scratch_.panelsA, scratch_.panelsB);
        packedB = 0;
      }
      const Section a = sectionAt(i * sectionPanels_, scratch_.panelsA);
      packAndMatch(packed ? nullptr : &a, a, a);
      const Extent extent = extentOf(a.first, a.last);
      for (std::size_t j = sections - 1; j > i; --j) {  // ends with the next a, packed already
        const std::size_t first = j * sectionPanels_;
        if (!mayPair(extent, extentOf(first, sectionEnd(first)), scratch_.slots.window)) continue;
        const Section b = sectionAt(first, scratch_.panelsB);
        packAndMatch(&b, a, b);
        packedB = j;
      }
    }
  }

 private:
  Extent extentOf(std::size_t first, std::size_t last) const {
    Extent extent = scratch_.slots.panels[first];
    for (std::size_t p = first + 1; p < last; ++p) extent.include(scratch_.slots.panels[p]);
    return extent;
  }

  std::size_t sectionEnd(std::size_t first) const {
    return std::min(first + sectionPanels_, scratch_.slots.panelCount());
  }

  // Makes room in `buffer`, which may lose its contents. Call it only for a section that is packed
  // next, or that the buffer already holds.
  Section sectionAt(std::size_t first, processor::FloatBuffer& buffer) const {
    const std::size_t last = sectionEnd(first);
    float* values = buffer.reserve((last - first) * tokens_.dim * kPanelSlots);
    return {first, last, values};
  }

  PanelRun runAt(const Section& section, std::size_t index) const {
    const std::size_t first = section.first + index * runPanels_;
    return {section.values + (first - section.first) * tokens_.dim * kPanelSlots, first,
            std::min(first + runPanels_, section.last)};
  }

  std::size_t runsIn(const Section& section) const {
    return (section.last - section.first + runPanels_ - 1) / runPanels_;
  }

  // Lists the pairs of runs that have to meet, each once.
  void listTasks(const Section& a, const Section& b) {
    auto& extents = scratch_.runExtents;
    auto& tasks = scratch_.tasks;
    extents.clear();
    tasks.clear();
    for (std::size_t j = 0; j < runsIn(b); ++j) {
      const PanelRun run = runAt(b, j);
      extents.push_back(extentOf(run.first, run.last));
    }
    for (std::size_t i = 0; i < runsIn(a); ++i) {
      const PanelRun run = runAt(a, i);
      const Extent extent = extentOf(run.first, run.last);
      for (std::size_t j = a.first == b.first ? i : 0; j < runsIn(b); ++j) {
        if (mayPair(extent, extents[j], scratch_.slots.window)) tasks.emplace_back(i, j);
      }
    }
  }

  // Packs `fresh`, which is a, b or null, and matches a with b.
  void packAndMatch(const Section* fresh, const Section& a, const Section& b) {
    listTasks(a, b);
    const auto& tasks = scratch_.tasks;
    processor::forEachTaskInTwoSteps(
        fresh == nullptr ? 0 : fresh->last - fresh->first,
        [&](std::size_t p) {
          packPanel(tokens_, scratch_.zeroRow.data(), scratch_.slots, fresh->first + p,
                    fresh->values + p * tokens_.dim * kPanelSlots);
        },
        tasks.size(),
        [&](std::size_t t) { matchPair(runAt(a, tasks[t].first), runAt(b, tasks[t].second)); });
  }

  void matchPair(const PanelRun& a, const PanelRun& b) {
    Match bestA[kRunPanels * kPanelSlots];
    Match bestB[kRunPanels * kPanelSlots];
    matchRuns(scratch_.slots, tokens_.dim, a, b, bestA, bestB);
    keepBetter(a, bestA);
    keepBetter(b, bestB);
  }

  // Needs no order between threads, since `better` orders candidates totally.
  void keepBetter(const PanelRun& run, const Match* candidates) {
    const std::lock_guard<std::mutex> lock(locks_[run.first / runPanels_ % locks_.size()]);
    Match* best = scratch_.best.data() + run.first * kPanelSlots;
    for (std::size_t s = 0; s < run.slotCount(); ++s) {
      if (better(candidates[s], best[s])) best[s] = candidates[s];
    }
  }

  ConstRows tokens_;
  MatchScratch& scratch_;
  std::size_t runPanels_ = 1;
  std::size_t sectionPanels_ = 0;
  std::array<std::mutex, 64> locks_;
};

}  // namespace

std::size_t MatchScratch::bytes() const {
  const std::size_t perSlot = 4 * slots.row.capacity() * sizeof(std::int32_t);
  return perSlot + slots.panels.capacity() * sizeof(Extent) + best.capacity() * sizeof(Match) +
         zeroRow.capacity() * sizeof(float) + runExtents.capacity() * sizeof(Extent) +
         panelsA.bytes() + panelsB.bytes() + tasks.capacity() * sizeof(tasks[0]);
}

void matchCpu(ConstRows tokens, const Scope& scope, MatchScratch& scratch, Match* best) {
  std::fill_n(best, tokens.count, Match{});
  if (tokens.count == 0) return;
  arrangeSlots(tokens.count, scope, scratch.slots);
  Matching(tokens, scratch).run();
  for (std::size_t s = 0; s < scratch.slots.row.size(); ++s) {
    const std::int32_t row = scratch.slots.row[s];
    if (row != kEmptySlot) best[row] = scratch.best[s];
  }
}

}  // namespace mpm::merge
