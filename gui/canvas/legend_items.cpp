// SPDX-License-Identifier: Apache-2.0
#include <QCoreApplication>
#include <QLocale>
#include <algorithm>
#include <utility>
#include <vector>

#include "gui/canvas/colour_scale.h"
#include "gui/canvas/frame_painter.h"
#include "gui/canvas/legend_drawing.h"
#include "gui/canvas/token_groups.h"

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Legend)
};
using Mark = LegendItem::Mark;

LegendItem tokenCount(const cv::Mat& map) {
  std::vector<char> live(map.total(), 0);
  for (const int* row = map.ptr<int>(); row != map.ptr<int>() + map.total(); ++row) {
    live[static_cast<std::size_t>(*row)] = 1;
  }
  const QLocale locale;
  const auto tokens = static_cast<qlonglong>(std::count(live.begin(), live.end(), char{1}));
  return {Mark::none,
          0,
          Words::tr("%1 tokens for %2 places")
              .arg(locale.toString(tokens), locale.toString(static_cast<qlonglong>(map.total()))),
          {}};
}

std::vector<LegendItem> sizes(int merges) {
  constexpr int kMostDoublings = 5;
  std::vector<int> shown{1, 2, 3, 4};
  if (merges == 1) shown = {1, 2};
  for (int i = 3; i <= std::min(merges, kMostDoublings); ++i) shown.push_back(1 << i);
  std::vector<LegendItem> items{{Mark::none, 0, Words::tr("Places in a group:"), {}}};
  for (const int size : shown) {
    const bool andMore = size == shown.back() && merges > kMostDoublings;
    const QString words = QLocale().toString(size);
    items.push_back({Mark::colour,
                     colourAt(countScale(), sizeOnScale(size, merges)),
                     andMore ? Words::tr("%1 and more").arg(words) : words,
                     {}});
  }
  return items;
}

std::vector<LegendItem> similarities() {
  std::vector<LegendItem> items;
  for (const auto& [value, digits] :
       {std::pair{0.0, 0}, std::pair{0.9, 1}, std::pair{0.99, 2}, std::pair{0.999, 3}}) {
    items.push_back({Mark::colour,
                     colourAt(valueScale(), similarityOnScale(value)),
                     QLocale().toString(value, 'f', digits),
                     {}});
  }
  items.push_back({Mark::hatched, kUnknownColour, Words::tr("no partner"), {}});
  return items;
}

std::vector<LegendItem> difference(double agreement, qint64 ageMs) {
  const QLocale locale;
  std::vector<LegendItem> items{
      {Mark::none, 0, Words::tr("%1 % alike").arg(locale.toString(agreement * 100, 'f', 2)), {}},
      {Mark::colour, kDifferenceColour, Words::tr("another class"), {}}};
  if (ageMs >= 1000) {
    items.push_back(
        {Mark::none, 0, Words::tr("compared %1 s ago").arg(locale.toString(ageMs / 1000)), {}});
  }
  return items;
}

std::vector<LegendItem> itemsOf(const Segmentation& found, const Painting& painting,
                                double agreement, qint64 ageMs) {
  switch (painting.kind) {
    case ViewKind::camera:
    case ViewKind::segmentation:
      return {};
    case ViewKind::mergeMap:
      return {tokenCount(*mapBehind(found, painting.stage))};
    case ViewKind::groupSize:
      return sizes(mergesUpTo(found, painting.stage));
    case ViewKind::similarity:
      return similarities();
    case ViewKind::groups:
      return {tokenCount(*mapBehind(found, painting.stage)),
              {Mark::none, 0, Words::tr("grey: a token of its own"), {}}};
    case ViewKind::confidence:
      return {{Mark::valueScale, 0, Words::tr("0 %"), Words::tr("100 %")}};
    case ViewKind::difference:
      return difference(agreement, ageMs);
  }
  return {};
}

}  // namespace

std::vector<LegendItem> legendOf(const monitor::FrameResult& result, const Painting& painting,
                                 double agreement, qint64 ageMs) {
  if (!whyNot(result, painting).isEmpty()) return {};
  const Segmentation& found = result.segmentation;
  std::vector<LegendItem> items = itemsOf(found, painting, agreement, ageMs);
  if (found.windows > 1 && showsTokens(painting.kind)) {
    const QString windows = QLocale().toString(found.windows);
    items.push_back({Mark::none, 0, Words::tr("tokens of window 1 of %1 alone").arg(windows), {}});
  }
  return items;
}

}  // namespace mpm::gui
