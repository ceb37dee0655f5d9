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

/// Draws and changes zones, without a widget. Positions are relative to the frame, (0, 0) to (1,
/// 1), and are clamped. Zones always satisfy checkZones.
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

  /// Sets the zones; the draft stays.
  void setZones(std::vector<monitor::Zone> zones);
  const std::vector<monitor::Zone>& zones() const { return zones_; }
  const std::vector<cv::Point2d>& draft() const { return draft_; }
  int chosen() const { return chosen_; }  ///< -1: none
  std::optional<Corner> held() const { return held_; }

  /// Holds a corner, or closes the draft on its first corner. Inside a zone, chooses it unless
  /// there is a draft or `draw`. Elsewhere adds a corner. `reach`: how near counts as on.
  Outcome press(QPointF at, QSizeF reach, bool draw);

  /// Moves the held corner.
  Outcome moveTo(QPointF at);

  /// Releases the corner; it returns to its old position if the zone lost its area.
  Outcome release();

  /// Closes the draft if it has three or more corners and an area.
  Outcome close();

  /// Closes the draft as a rectangle between its only corner and the opposite one.
  Outcome closeRectangle(QPointF opposite);

  /// Ends editing: the draft becomes a zone if it can, else it is dropped, which is `seen`.
  Outcome finish();

  /// Drops the draft and returns whether there was one. A held corner goes back.
  bool forget();

  /// Cancels a held corner, else the draft, else the choice.
  Outcome cancel();

  /// Removes the draft's last corner, else the chosen zone.
  Outcome remove();

  /// Chooses the next or the previous zone.
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

/// Draws polygons with their names, which are held inside `bounds` of the view. Zones in `lit`, by
/// name, shine, with a sign before the name.
void drawZones(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
               const std::vector<monitor::Zone>& zones, const std::vector<std::string>& lit);

/// Draws them during editing, with corners, the chosen zone, and the draft up to `cursor`.
void drawEditedZones(QPainter& painter, const ViewGeometry& geometry, const QRectF& bounds,
                     const ZoneEditor& editor, QPointF cursor);

}  // namespace mpm::gui
