// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "models/scenes/drawing/brush.h"
#include "models/scenes/drawing/still.h"

namespace mpm::scenes {

/// Draws a still picture: shapes in metres, through the layout's view.
class StillPainter {
 public:
  StillPainter(const Layout& layout, Still& still);

  const Layout& layout() const { return layout_; }
  const View& view() const { return layout_.view; }
  Brush& brush() { return brush_; }

  void use(const Material& material);  ///< for all shapes from now on
  int addWindow(const Window& window);
  void finish();  ///< gives the ground's rows their depths

  /// An upright rectangle that faces the camera.
  void wall(double left, double bottom, double right, double top, double z, const Colour& colour,
            double opacity = 1);
  /// Any points (x, y, z).
  void face(const std::vector<cv::Point3d>& corners, const Colour& colour, double opacity = 1);
  /// A rectangle on the ground, and one as wide as the picture.
  void ground(double left, double right, double nearZ, double farZ, const Colour& colour,
              double opacity = 1);
  void groundAcross(double nearZ, double farZ, const Colour& colour, double opacity = 1);

 private:
  const Layout& layout_;
  Still& still_;
  Brush brush_;
};

void drawSkyline(StillPainter& painter);
void drawGround(StillPainter& painter);
void drawBuilding(StillPainter& painter, const Building& building);
void drawWindows(StillPainter& painter, const Building& building);
void drawHedges(StillPainter& painter);

}  // namespace mpm::scenes
