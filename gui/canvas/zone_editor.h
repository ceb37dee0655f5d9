// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <QSizeF>
#include <QString>
#include <optional>
#include <vector>

#include "monitor/statistics/zones.h"

namespace mpm::gui {

/// Drawing and changing zones, without a widget. Positions are of the picture, (0, 0) to (1, 1),
/// and are held inside it. Zones stay as checkZones wants them.
class ZoneEditor {
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

  /// What was begun is dropped.
  void setZones(std::vector<monitor::Zone> zones);
  const std::vector<monitor::Zone>& zones() const { return zones_; }
  const std::vector<cv::Point2d>& draft() const { return draft_; }
  int chosen() const { return chosen_; }  ///< -1: none
  std::optional<Corner> held() const { return held_; }

  /// On a corner: holds it (on the draft's first one: closes it). Inside a zone: chooses it, unless
  /// a draft was begun or `draw`. Elsewhere: one more corner. `reach`: how near counts as on.
  Outcome press(QPointF at, QSizeF reach, bool draw);
  Outcome moveTo(QPointF at);  ///< of the held corner
  Outcome release();           ///< a zone that lost its area gets its corner back

  Outcome close();           ///< the draft, of three or more corners with an area
  Outcome cancel();          ///< a held corner, else the draft, else the choice
  Outcome remove();          ///< the draft's last corner, else the chosen zone
  Outcome choose(int step);  ///< the next zone, the one before

 private:
  std::optional<Corner> cornerAt(QPointF at, QSizeF reach) const;
  int zoneAt(QPointF at) const;
  std::vector<cv::Point2d>& cornersOf(int zone);
  std::string freshName() const;

  std::vector<monitor::Zone> zones_;
  std::vector<cv::Point2d> draft_;
  int chosen_ = -1;
  std::optional<Corner> held_;
  cv::Point2d before_;  // where the held corner was
};

}  // namespace mpm::gui
