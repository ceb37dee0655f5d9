// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QtWidgets>
#include <opencv2/core.hpp>
#include <optional>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "monitor/engine/frame_result.h"

namespace mpm::gui {

/// The group of places that share a token with one place.
struct TokenGroup {
  cv::Size grid;            ///< empty: this frame has no map
  int place = -1;           ///< numbered row by row; -1: beside the grid
  std::vector<int> places;  ///< all of the group, this one too, in order
};

/// What lies at one position of a picture.
struct Inspection {
  QPointF position;  ///< from (0, 0) to (1, 1)
  cv::Point pixel;
  std::optional<int> label;
  QString className;
  std::optional<double> confidence;
  std::optional<int> fullLabel;  ///< with full tokens, where this frame has them
  QString fullClassName;
  TokenGroup group;
  std::optional<int> mergedAt;       ///< the first merge, from 1, behind which it shares its token
  std::optional<int> age;            ///< frames since its place was computed, of a memory
  std::optional<double> similarity;  ///< in front of that merge, or of the one that is shown where
                                     ///< it shares none, to the best partner
};

/// `stage` as in Painting; `area`: what the grid covers, of the picture.
TokenGroup groupAt(const Segmentation& found, int stage, QPointF position, const QRectF& area);

/// A picture is there. `position` is held inside it.
Inspection inspect(const monitor::FrameResult& result, const ClassSettings& classes, int stage,
                   QPointF position, const QRectF& area);

/// As one line: "road, 97%; shares its token with 3 others since merge 1 (similarity 0.93)".
QString describe(const Inspection& inspection);

/// The same as a title and lines, for a card beside a token that was clicked: with its share of the
/// picture, and the classes of its places where they are several. Empty where nothing is known.
QStringList cardOf(const monitor::FrameResult& result, const ClassSettings& classes, int stage,
                   QPointF position, const QRectF& area);

}  // namespace mpm::gui

Q_DECLARE_METATYPE(mpm::gui::Inspection)
