// SPDX-License-Identifier: Apache-2.0
#include "models/scenes/drawing/still_painter.h"

#include <algorithm>
#include <iterator>

namespace mpm::scenes {
namespace {

constexpr int kRowsOfADepth = 4;
constexpr std::ptrdiff_t kRemembered = 12;  // materials that are looked through for the same one
constexpr std::size_t kMostMaterials = 60000;

}  // namespace

StillPainter::StillPainter(const Layout& layout, Still& still) : layout_(layout), still_(still) {
  const cv::Size size = layout.view.size;
  still.albedo = cv::Mat::zeros(size, CV_8UC4);
  still.materials = cv::Mat::zeros(size, CV_16U);
  still.labels = cv::Mat::zeros(size, CV_8U);
  brush_.aim(still.albedo, still.labels, still.materials);
}

void StillPainter::use(const Material& material) {
  auto& table = still_.table;
  const auto end = table.rend() - std::max<std::ptrdiff_t>(0, std::ssize(table) - kRemembered);
  const auto same = std::find(table.rbegin(), end, material);
  if (same == end) {
    CV_Assert(table.size() < kMostMaterials);
    table.push_back(material);
    brush_.setMaterial(static_cast<int>(table.size()) - 1);
  } else {
    brush_.setMaterial(static_cast<int>(std::distance(same, table.rend())) - 1);
  }
}

int StillPainter::addWindow(const Window& window) {
  still_.windows.push_back(window);
  return static_cast<int>(still_.windows.size()) - 1;
}

void StillPainter::wall(double left, double bottom, double right, double top, double z,
                        const Colour& colour, double opacity) {
  const View& v = view();
  brush_.fill(
      {v.at(left, top, z), v.at(right, top, z), v.at(right, bottom, z), v.at(left, bottom, z)},
      colour, opacity);
}

void StillPainter::face(const std::vector<cv::Point3d>& corners, const Colour& colour,
                        double opacity) {
  Outline outline;
  outline.reserve(corners.size());
  for (const cv::Point3d& p : corners) outline.push_back(view().at(p.x, p.y, p.z));
  brush_.fill(outline, colour, opacity);
}

void StillPainter::ground(double left, double right, double nearZ, double farZ,
                          const Colour& colour, double opacity) {
  const View& v = view();
  brush_.fill(
      {v.at(left, 0, farZ), v.at(right, 0, farZ), v.at(right, 0, nearZ), v.at(left, 0, nearZ)},
      colour, opacity);
}

void StillPainter::groundAcross(double nearZ, double farZ, const Colour& colour, double opacity) {
  const View& v = view();
  brush_.fill({v.at(v.leftEnd(farZ), 0, farZ), v.at(v.rightEnd(farZ), 0, farZ),
               v.at(v.rightEnd(nearZ), 0, nearZ), v.at(v.leftEnd(nearZ), 0, nearZ)},
              colour, opacity);
}

void StillPainter::finish() {
  const int height = still_.materials.rows;
  const std::size_t kinds = still_.table.size();
  std::vector<int> row(kinds);
  for (int top = 0; top < height; top += kRowsOfADepth) {
    const int end = std::min(top + kRowsOfADepth, height);
    std::fill(row.begin(), row.end(), -1);
    for (int y = top; y < end; ++y) {
      std::uint16_t* material = still_.materials.ptr<std::uint16_t>(y);
      for (int x = 0; x < still_.materials.cols; ++x) {
        const std::size_t kind = material[x];
        if (!still_.table[kind].ground) continue;
        if (row[kind] < 0) {
          Material here = still_.table[kind];
          const double below = std::max(top + kRowsOfADepth / 2 - view().horizon, 1.0);
          here.surface.depth = view().focal * view().eyeHeight / below;
          row[kind] = static_cast<int>(still_.table.size());
          still_.table.push_back(here);
        }
        material[x] = static_cast<std::uint16_t>(row[kind]);
      }
    }
  }
}

}  // namespace mpm::scenes
