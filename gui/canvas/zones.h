// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QPainter>
#include <QPointF>
#include <QSizeF>
#include <opencv2/core.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gui/canvas/view_state.h"
#include "monitor/statistics/zones.h"

namespace mpm::gui {

/// Drawing and changing zones, without a widget. Positions are of the picture, (0, 0) to (1, 1),
/// and are held inside it. Zones stay as checkZones wants them.
class ZoneEditor {
  Q_DECLARE_TR_FUNCTIONS(mpm::gui::ZoneEditor)

 public:
  enum class Outcome {
    nothing,
    seen,    ///< something looks different
    changed  ///< zones() are others
  };

  struct Corner {
    int zone = -1;  ///< -1: the draft's
    int corner = 0;
    bool operator==(const Corner&) const = default;
  };

  /// The draft stays.
  void setZones(std::vector<monitor::Zone> zones);
  const std::vector<monitor::Zone>& zones() const { return zones_; }
  const std::vector<cv::Point2d>& draft() const { return draft_; }
  int chosen() const { return chosen_; }  ///< -1: none
  std::optional<Corner> held() const { return held_; }

  /// On a corner: holds it (on the draft's first one: closes it). Inside a zone: chooses it, unless
  /// a draft was begun or `draw`. Elsewhere: one more corner. `reach`: how near counts as on.
  Outcome press(QPointF at, QSizeF reach, bool draw);

  /// Of the held corner.
  Outcome moveTo(QPointF at);

  /// A zone that lost its area gets its corner back.
  Outcome release();

  /// The draft, of three or more corners with an area.
  Outcome close();

  /// A rectangle between the draft's only corner and its opposite one.
  Outcome closeRectangle(QPointF opposite);

  /// At the end of editing: the draft becomes a zone where it can, or is gone, which is `seen`.
  Outcome finish();

  /// Whether a draft was begun, which is gone now. A held corner goes back.
  bool forget();

  /// A held corner, else the draft, else the choice.
  Outcome cancel();

  /// The draft's last corner, else the chosen zone.
  Outcome remove();

  /// The next zone, the one before.
  Outcome choose(int step);

 private:
  static constexpr double kLeastArea = 1e-5;  // of the picture: three pixels of 640 x 480

  static cv::Point2d inPicture(QPointF at);
  static bool hasArea(const std::vector<cv::Point2d>& corners);
  static bool contains(const std::vector<cv::Point2d>& corners, QPointF at);
  std::optional<Corner> cornerAt(QPointF at, QSizeF reach) const;
  int zoneAt(QPointF at) const;
  std::vector<cv::Point2d>& cornersOf(int zone);
  QString freshName() const;

  std::vector<monitor::Zone> zones_;
  std::vector<cv::Point2d> draft_;
  int chosen_ = -1;
  std::optional<Corner> held_;
  cv::Point2d before_;  // where the held corner was
};

/// Polygons with their names, which are held inside `bounds` of the view. Those in `lit`, by name,
/// shine, with a sign before the name.
void drawZones(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
               const std::vector<monitor::Zone>& zones, const std::vector<std::string>& lit);

/// The same while they are edited: corners to hold, the chosen zone, the draft up to `cursor`.
void drawEditedZones(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
                     const ZoneEditor& editor, QPointF cursor);

}  // namespace mpm::gui
