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

/// The group of places that share a token with one place.
struct TokenGroup {
  cv::Size grid;            ///< empty: this frame has no map
  int place = -1;           ///< numbered row by row; -1: beside the grid
  std::vector<int> places;  ///< all of the group, this one too, in order
};

/// What lies at one position of a picture.
struct Inspection {
  QString className;  ///< empty: it has no labels
  TokenGroup group;
  /// For people, the class first: how sure it is, how many places share its token, since which
  /// merge, how much alike. Empty where nothing is known.
  QStringList lines;
};

/// `stage` as in Painting; `area`: what the grid covers, of the picture.
TokenGroup groupAt(const Segmentation& found, int stage, QPointF position, const QRectF& area);

/// A picture is there. `position`, from (0, 0) to (1, 1), is held inside it.
Inspection inspect(const monitor::FrameResult& result, const ClassSettings& classes, int stage,
                   QPointF position, const QRectF& area);

/// The same as one line.
QString describe(const Inspection& inspection);

enum class LinkKind { hovered, pinned };

/// Outlines the places of a group and draws a line to each from the one looked at. A cross marks
/// `position` where there is no group. Lines are `wider` times as wide as beside a desk.
void drawLinks(QPainter& painter, const ViewGeometry& geometry, const TokenGroup& group,
               QPointF position, const QRectF& gridArea, LinkKind kind, double wider = 1);

}  // namespace mpm::gui

Q_DECLARE_METATYPE(mpm::gui::Inspection)
