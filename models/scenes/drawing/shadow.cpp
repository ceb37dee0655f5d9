// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <opencv2/core/version.hpp>
#include <opencv2/imgproc.hpp>
#if CV_VERSION_MAJOR >= 5
#include <opencv2/geometry.hpp>  // which was part of imgproc
#endif

#include "models/scenes/drawing/actors.h"

namespace mpm::scenes {
namespace {

constexpr double kNearest = 4;  // metres; what falls closer lies below the picture
constexpr int kShift = 3;       // of OpenCV's sub-pixel coordinates

struct ShadowPainter {
  const View& view;
  cv::Point2d step;  // of a metre of height
  cv::Mat& shadow;

  cv::Point2d fallen(double x, double y, double z) const {
    const cv::Point2d ground(x + step.x * y, std::max(z + step.y * y, kNearest));
    return view.at(ground.x, 0, ground.y);
  }

  void fill(const Outline& outline, int strength) const {
    std::vector<cv::Point> points;
    for (const cv::Point2d& p : outline) {
      if (std::abs(p.x) > 1e5 || std::abs(p.y) > 1e5) return;
      points.emplace_back(cvRound((p.x / 2 - 0.5) * (1 << kShift)),
                          cvRound((p.y / 2 - 0.5) * (1 << kShift)));
    }
    std::vector<cv::Point> hull;
    cv::convexHull(points, hull);
    cv::fillConvexPoly(shadow, hull, cv::Scalar::all(strength), cv::LINE_8, kShift);
  }

  void block(double left, double right, double nearZ, double farZ, double low, double high,
             int strength) const {
    Outline corners;
    for (const double x : {left, right}) {
      for (const double z : {nearZ, farZ}) {
        for (const double y : {low, high}) corners.push_back(fallen(x, y, z));
      }
    }
    fill(corners, strength);
  }

  void ball(double x, double y, double z, double radius, double half, int strength) const {
    const double length = std::hypot(step.x, step.y);
    const cv::Point2d way = length > 1e-6 ? step / length : cv::Point2d(1, 0), aside(-way.y, way.x);
    const double along = std::hypot(radius, half * length);
    Outline outline;
    for (int i = 0; i < 18; ++i) {
      const double angle = CV_PI * i / 9;
      const cv::Point2d ground = cv::Point2d(x, z) + step * y + way * (along * std::cos(angle)) +
                                 aside * (radius * std::sin(angle));
      outline.push_back(view.at(ground.x, 0, std::max(ground.y, kNearest)));
    }
    fill(outline, strength);
  }
};

}  // namespace

void drawShadows(const Layout& layout, const Lighting& lighting, const Traffic& traffic,
                 cv::Mat& shadow) {
  const cv::Size size = layout.view.size;
  shadow.create((size.height + 1) / 2, (size.width + 1) / 2, CV_8U);
  shadow.setTo(0);
  const ShadowPainter painter{layout.view, lighting.shadowStep(), shadow};
  for (const Building& b : layout.buildings) {
    painter.block(b.left, b.right, b.front, b.front + b.deep, 0, b.height(), 235);
  }
  for (const Stretch& hedge : layout.hedges) {
    painter.block(hedge.left, hedge.right, layout.pavementEnd + 0.35, layout.pavementEnd + 1.1, 0,
                  layout.hedgeHeight, 235);
  }
  for (const Tree& tree : layout.trees) {
    const double half = tree.kind == TreeKind::round ? tree.crown : 0.42 * tree.height;
    painter.block(tree.x - 0.15, tree.x + 0.15, tree.z, tree.z + 0.2, 0, 0.5 * tree.height, 220);
    painter.ball(tree.x, tree.height - half, tree.z, tree.crown * 0.95, half, 205);
  }
  for (const Lamp& lamp : layout.lamps) {
    const double half = lamp.thickness / 2;
    painter.block(lamp.x - half, lamp.x + half, lamp.z - half, lamp.z + half, 0, lamp.height, 220);
  }
  for (const Car& car : traffic.cars) {
    const cv::Point2d measures = measuresOf(car);
    painter.block(car.x - measures.x / 2, car.x + measures.x / 2, car.z, car.z + 1.7, 0,
                  0.65 * measures.y, 235);
    painter.block(car.x - measures.x / 4, car.x + measures.x / 4, car.z + 0.15, car.z + 1.5, 0,
                  measures.y, 235);
  }
  for (const Walker& walker : traffic.walkers) {
    painter.ball(walker.x, 0.85 * walker.size, walker.z, 0.2, 0.85 * walker.size, 225);
  }
  for (const Rider& rider : traffic.riders) {
    painter.block(rider.x - 0.85, rider.x + 0.85, rider.z - 0.04, rider.z + 0.04, 0, 0.7, 150);
    painter.ball(rider.x, 1.25, rider.z, 0.2, 0.5, 225);
  }
  const int soft = std::max(1, cvRound(1.5 * layout.view.unit)) * 2 + 1;
  cv::blur(shadow, shadow, {soft, soft});
}

}  // namespace mpm::scenes
