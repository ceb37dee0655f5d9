// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/painting.h"

#include <QCoreApplication>
#include <array>
#include <cstddef>

#include "gui/canvas/token_groups.h"

namespace mpm::gui {
namespace {

struct Words {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::Painting)
 public:
  struct OfKind {
    const char *title, *description;
  };
  // In the order of ViewKind.
  static constexpr std::array<OfKind, kViewKinds> kOfKinds{
      {{QT_TR_NOOP("Camera"), QT_TR_NOOP("The picture as the camera gave it.")},
       {QT_TR_NOOP("Segmentation"), QT_TR_NOOP("Each pixel's class, over the picture.")},
       {QT_TR_NOOP("Merge map"),
        QT_TR_NOOP("Each live token in the mean colour of the places that share it.")},
       {QT_TR_NOOP("Group size"), QT_TR_NOOP("How many places of the picture share a token.")},
       {QT_TR_NOOP("Similarity"),
        QT_TR_NOOP("How similar each token was to its best partner before a merge.")},
       {QT_TR_NOOP("Groups"),
        QT_TR_NOOP("A colour for each group of places that share a token, kept over time.")},
       {QT_TR_NOOP("Confidence"), QT_TR_NOOP("How sure the model is of each pixel's class.")},
       {QT_TR_NOOP("Difference"),
        QT_TR_NOOP("Where merging tokens gives a different class than full tokens do.")},
       {QT_TR_NOOP("Computed"),
        QT_TR_NOOP("In colour: places that were computed for this picture. Dark: places that look "
                   "as they did, whose earlier result was kept.")}}};
  static const OfKind& of(ViewKind kind) { return kOfKinds[static_cast<std::size_t>(kind)]; }
};

bool areLabels(const cv::Mat& labels) {
  return !labels.empty() && (labels.type() == CV_8U || labels.type() == CV_16U);
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
    return Words::tr("The picture has an unknown format; it has to be BGR of 8 bits");
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
                 : Words::tr("Not compared with full tokens yet");
    case ViewKind::computed:
      return found.patchAges.type() == CV_32S && !found.patchAges.empty() &&
                     found.patchAges.isContinuous()
                 ? QString()
                 : Words::tr("All of this picture was computed: there is no scene memory");
  }
  return {};
}

}  // namespace mpm::gui
