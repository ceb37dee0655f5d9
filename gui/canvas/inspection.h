// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMetaType>
#include <QPainter>
#include <QPointF>
#include <QRectF>
#include <QString>
#include <QStringList>
#include <opencv2/core.hpp>
#include <vector>

#include "gui/canvas/class_settings.h"
#include "gui/canvas/painting.h"
#include "gui/canvas/view_state.h"
#include "monitor/engine/frame_result.h"

namespace mpm::gui {

/// The patches that share a token with one patch.
struct TokenGroup {
  cv::Size grid;            ///< empty: this frame has no map
  int place = -1;           ///< numbered row by row; -1: beside the grid
  std::vector<int> places;  ///< all of the group, this one too, in order
};

/// Describes one position of a frame.
struct Inspection {
  QString className;  ///< empty: it has no labels
  TokenGroup group;
  /// Text for people, the class first: its confidence, patches that share its token, since which
  /// merge, and their similarity. Empty if nothing is known.
  QStringList lines;
};

/// `stage` as in Painting; `area`: the part of the frame that the grid covers.
TokenGroup groupAt(const Segmentation& found, int stage, QPointF position, const QRectF& area);

/// Needs a frame. `position`, from (0, 0) to (1, 1), is clamped.
Inspection inspect(const monitor::FrameResult& result, const ClassSettings& classes, int stage,
                   QPointF position, const QRectF& area);

/// Returns the inspection as one line.
QString describe(const Inspection& inspection);

enum class LinkKind { hovered, pinned };

/// Outlines the patches of a group and draws a line to each from the inspected one. Without a
/// group, a cross marks `position`. Lines are `wider` times as wide as at a desk.
void drawLinks(QPainter& painter, const ViewGeometry& geometry, const TokenGroup& group,
               QPointF position, const QRectF& gridArea, LinkKind kind, double wider = 1);

}  // namespace mpm::gui

Q_DECLARE_METATYPE(mpm::gui::Inspection)
