// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "models/scenes/drawing/brush.h"
#include "models/scenes/drawing/layout.h"
#include "models/scenes/drawing/stage.h"

namespace mpm::scenes {

/// A pane that may be lit from inside. It is lit if its threshold lies below the share of lit
/// windows; a part of the threshold changes every hour or so, so that windows go on and off.
struct Window {
  double threshold;
  Colour glow;
  Chance chance;

  double lit(double share, double time) const;  ///< 0 to 1
};

struct Material {
  Surface surface;
  int window = -1;
  double gloss = 0;     ///< of the sky, as in panes
  bool ground = false;  ///< its depth follows from the row

  bool operator==(const Material&) const = default;
};

/// Everything that never moves, without light: reflectance and material of every pixel. Lighting it
/// is one integer pass over the image, cheaper than detecting a change of light. So nothing lit is
/// stored, and a frame cannot depend on earlier ones.
struct Still {
  cv::Mat albedo;     ///< CV_8UC4: premultiplied BGR, and how much of the sky it hides
  cv::Mat materials;  ///< CV_16U
  cv::Mat labels;     ///< CV_8U
  cv::Mat lampLight;  ///< CV_8U: of all lamps together; 255 is right below one
  std::vector<Material> table;
  std::vector<Window> windows;
  int groundTop = 0;  ///< the first row that may show ground: below it shadows fall
  int skyEnd = 0;     ///< rows from here on hide the sky wholly
};

Still drawStill(const Layout& layout);

/// Lights the still objects on top of `canvas` (CV_8UC4), which has the sky already. `shadow`:
/// CV_8U, half the size (rounded up): how much sun the ground lacks; empty: none.
class Relight {
 public:
  void run(const Still& still, const Lighting& lighting, double time, const cv::Mat& shadow,
           cv::Mat& canvas);

 private:
  // Fixed point: keep in 2^-16, white in 1/256 of a grey step, light in 1/1024, add in a quarter of
  // a grey step. Lanes are B, G, R and one that stays 255.
  struct Gains {
    std::uint16_t keep[4], white[4], shade[4], sun[4], lamp[4], add[4];
  };
  void prepare(const Still& still, const Lighting& lighting, double time);
  void lightPixel(const Still& still, int x, int y, int sunny, int lamp, cv::Vec4b& out) const;
  template <bool kGround, bool kLamps>
  void lightRow(const Still& still, const std::uint8_t* shadow, int y, cv::Mat& canvas) const;

  std::vector<Gains> gains_;
};

/// Draws the still objects: shapes in metres, through the layout's view.
class StillPainter {
 public:
  StillPainter(const Layout& layout, Still& still);

  const Layout& layout() const { return layout_; }
  const View& view() const { return layout_.view; }
  Brush& brush() { return brush_; }

  void use(const Material& material);  ///< for all shapes from now on
  int addWindow(const Window& window);
  void finish();  ///< gives the ground's rows their depths

  /// Draws an upright rectangle that faces the camera.
  void wall(double left, double bottom, double right, double top, double z, const Colour& colour,
            double opacity = 1);
  /// Draws a polygon of any points (x, y, z).
  void face(const std::vector<cv::Point3d>& corners, const Colour& colour, double opacity = 1);
  /// Draw a rectangle on the ground, and one as wide as the image.
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
