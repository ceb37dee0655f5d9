// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/painting.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <cstddef>

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Painting)
 public:
  struct OfKind {
    const char *title, *description;
  };
  // Entries are in the order of ViewKind.
  static constexpr std::array<OfKind, kViewKinds> kOfKinds{
      {{QT_TR_NOOP("Camera"), QT_TR_NOOP("The picture as the camera gave it.")},
       {QT_TR_NOOP("Segmentation"), QT_TR_NOOP("Each pixel's class, over the picture.")},
       {QT_TR_NOOP("Merge map"),
        QT_TR_NOOP("Each token in the mean colour of the patches that share it.")},
       {QT_TR_NOOP("Group size"), QT_TR_NOOP("How many patches share a token.")},
       {QT_TR_NOOP("Similarity"),
        QT_TR_NOOP("How similar each token was to its best partner before a merge.")},
       {QT_TR_NOOP("Groups"),
        QT_TR_NOOP("A colour for each group of patches that share a token, kept over time.")},
       {QT_TR_NOOP("Confidence"), QT_TR_NOOP("How sure the model is of each pixel's class.")},
       {QT_TR_NOOP("Difference"),
        QT_TR_NOOP("Where merging gives a different class than the unmerged run.")},
       {QT_TR_NOOP("Recomputed"),
        QT_TR_NOOP("In colour: patches that were recomputed for this picture. Dark: remembered "
                   "patches, which look as they did.")}}};
  static const OfKind& of(ViewKind kind) { return kOfKinds[static_cast<std::size_t>(kind)]; }
};

bool areLabels(const cv::Mat& labels) {
  return !labels.empty() && (labels.type() == CV_8U || labels.type() == CV_16U);
}

bool isMap(const cv::Mat& map) {
  if (map.empty() || map.dims != 2 || map.type() != CV_32S || !map.isContinuous()) return false;
  const auto places = static_cast<unsigned>(map.total());
  const int* rows = map.ptr<int>();
  return std::all_of(rows, rows + places,
                     [&](int row) { return static_cast<unsigned>(row) < places; });
}

const MergeStage* stageOf(const Segmentation& found, int stage) {
  if (found.stages.empty() || stage < 0) return nullptr;
  const auto index = static_cast<std::size_t>(stage == 0 ? found.stages.size() : stage);
  return index <= found.stages.size() ? &found.stages[index - 1] : nullptr;
}

}  // namespace

QString titleOf(ViewKind kind) { return Words::tr(Words::of(kind).title); }
QString descriptionOf(ViewKind kind) { return Words::tr(Words::of(kind).description); }

double usualOpacity(ViewKind kind) {
  switch (kind) {
    case ViewKind::groupSize:
    case ViewKind::similarity:
    case ViewKind::confidence:
    case ViewKind::computed:
      return 0.85;
    default:
      return Painting{}.opacity;
  }
}

bool showsClasses(ViewKind kind) { return kind == ViewKind::segmentation; }

bool showsTokens(ViewKind kind) {
  return kind == ViewKind::mergeMap || kind == ViewKind::groupSize ||
         kind == ViewKind::similarity || kind == ViewKind::groups;
}

QString titleOf(const Painting& painting) {
  const QString title = titleOf(painting.kind);
  if (painting.stage < 1 || !showsTokens(painting.kind)) return title;
  return Words::tr("%1, merge %2").arg(title).arg(painting.stage);
}

QString whyNot(const monitor::FrameResult& result, const Painting& painting) {
  const Segmentation& found = result.segmentation;
  if (result.frame.picture.empty()) return Words::tr("No picture yet");
  if (result.frame.picture.type() != CV_8UC3) {
    return Words::tr("The picture's format is unknown; it must be 8-bit BGR");
  }
  switch (painting.kind) {
    case ViewKind::camera:
      return {};
    case ViewKind::segmentation:
      return areLabels(found.labels) ? QString() : Words::tr("This picture was not segmented");
    case ViewKind::mergeMap:
    case ViewKind::groupSize:
    case ViewKind::groups:
      return mapBehind(found, painting.stage) ? QString()
                                              : Words::tr("No tokens were merged in this picture");
    case ViewKind::similarity:
      return similarityBefore(found, painting.stage)
                 ? QString()
                 : Words::tr("Similarities were not kept for this picture");
    case ViewKind::confidence:
      return found.confidence.type() == CV_32F && !found.confidence.empty()
                 ? QString()
                 : Words::tr("Confidence was not computed for this picture");
    case ViewKind::difference:
      return result.full && areLabels(found.labels) &&
                     result.full->labels.size() == found.labels.size() &&
                     result.full->labels.type() == found.labels.type()
                 ? QString()
                 : Words::tr("Not yet compared with unmerged");
    case ViewKind::computed:
      return found.patchAges.type() == CV_32S && !found.patchAges.empty() &&
                     found.patchAges.isContinuous()
                 ? QString()
                 : Words::tr("All of this picture was computed: there is no scene memory");
  }
  return {};
}

QRectF gridAreaOf(const Segmentation& found) {
  const cv::Rect2d& area = found.gridArea;
  return {area.x, area.y, area.width, area.height};
}

const cv::Mat* mapBehind(const Segmentation& found, int stage) {
  const MergeStage* kept = stageOf(found, stage);
  if (kept && isMap(kept->map)) return &kept->map;
  // The final map is that of the last merge, whatever its number.
  const int merges = static_cast<int>(found.rows.size()) - 1;
  const bool last = stage == 0 || stage == merges || (merges < 1 && stage == 1);
  return found.stages.empty() && last && isMap(found.mergeMap) ? &found.mergeMap : nullptr;
}

const cv::Mat* similarityBefore(const Segmentation& found, int stage) {
  const MergeStage* kept = stageOf(found, stage);
  const bool usable = kept && !kept->similarity.empty() && kept->similarity.dims == 2 &&
                      kept->similarity.type() == CV_32F && kept->similarity.isContinuous();
  return usable ? &kept->similarity : nullptr;
}

int mergesUpTo(const Segmentation& found, int stage) {
  if (stage > 0) return stage;
  const std::size_t behindRows = found.rows.empty() ? 0 : found.rows.size() - 1;
  return static_cast<int>(std::max<std::size_t>({found.stages.size(), behindRows, 1}));
}

void groupSizes(const cv::Mat& map, std::vector<int>& sizes) {
  const std::size_t places = map.total();
  const int* rows = map.ptr<int>();
  std::vector<int> counts(places, 0);
  for (std::size_t place = 0; place < places; ++place)
    ++counts[static_cast<std::size_t>(rows[place])];
  sizes.resize(places);
  for (std::size_t place = 0; place < places; ++place) {
    sizes[place] = counts[static_cast<std::size_t>(rows[place])];
  }
}

int placeAt(QPointF position, cv::Size grid, const QRectF& area) {
  if (grid.empty() || area.isEmpty()) return -1;
  const double x = (position.x() - area.x()) / area.width() * grid.width;
  const double y = (position.y() - area.y()) / area.height() * grid.height;
  if (!(x >= 0 && y >= 0 && x < grid.width && y < grid.height)) return -1;
  return static_cast<int>(y) * grid.width + static_cast<int>(x);
}

QRectF placeArea(int place, cv::Size grid, const QRectF& area) {
  const double width = area.width() / grid.width, height = area.height() / grid.height;
  return {area.x() + place % grid.width * width, area.y() + place / grid.width * height, width,
          height};
}

}  // namespace mpm::gui
