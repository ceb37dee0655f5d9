// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/following.h"

#include "files/text.h"
#include "monitor/camera/sighting.h"
#include "monitor/statistics/comparison.h"

namespace mpm::monitor {
namespace {

// Places are shares of the sides; pixels' centres are at half shares.
void move(cv::Point2d& place, const cv::Matx23d& transform, const cv::Size& size) {
  const cv::Vec3d pixel(place.x * size.width - 0.5, place.y * size.height - 0.5, 1);
  const cv::Vec2d there = transform * pixel;
  place = {(there[0] + 0.5) / size.width, (there[1] + 0.5) / size.height};
}

}  // namespace

RuleBook followed(RuleBook book, const Placement& placement, const cv::Size& size) {
  const cv::Matx23d transform = transformOf(placement, size);
  for (Zone& zone : book.zones) {
    for (cv::Point2d& corner : zone.corners) move(corner, transform, size);
  }
  if (book.ground) {
    for (cv::Point2d& point : book.ground->points) move(point, transform, size);
  }
  return book;
}

std::string viewName(const CameraChange& change) {
  if (!change.began) return kHomeView;
  if (!change.placement) return "other";
  return files::fixedText(change.placement->shift.x, 4) + "," +
         files::fixedText(change.placement->shift.y, 4) + "," +
         files::fixedText(change.placement->degrees, 2);
}

std::string viewText(const CameraChange& change, const RuleBook& book) {
  const bool hasPlaces = !book.zones.empty() || book.ground.has_value();
  if (!change.began) {
    return std::string("figures are of the first view again") +
           (book.followCamera && hasPlaces ? ", and zones are where they were drawn" : "");
  }
  const std::string began = "figures are of another view from now on";
  if (!hasPlaces) return began;
  if (!book.followCamera) return began + "; zones stay where they are in the picture";
  if (!change.placement) {
    return began +
           "; zones cannot follow, since the first view is not found in it, and stay where "
           "they were drawn";
  }
  return began + "; zones follow the camera, to " + placementText(*change.placement);
}

}  // namespace mpm::monitor
