// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <opencv2/core.hpp>
#include <vector>

#include "monitor/engine/frame_result.h"
#include "mpm/segmenter.h"

namespace mpm::gui {

/// Kinds of what a view shows of a frame.
enum class ViewKind {
  camera,        ///< the picture
  segmentation,  ///< classes over the picture
  mergeMap,      ///< each live token in the mean colour of its places
  groupSize,     ///< how many places share a token
  similarity,    ///< to the best partner in front of a merge
  groups,        ///< a colour for each group, kept from frame to frame
  confidence,    ///< the label's probability
  difference,    ///< where merged and unmerged runs give other labels
  computed       ///< which places were computed for this frame, and which a memory had
};
constexpr int kViewKinds = 9;

QString titleOf(ViewKind kind);        ///< "Merge map"
QString descriptionOf(ViewKind kind);  ///< a sentence on what is seen
bool showsClasses(ViewKind kind);      ///< whether colours and visibility of classes matter to it
double usualOpacity(ViewKind kind);    ///< values are read from colours, classes beside the picture
bool showsTokens(ViewKind kind);       ///< whether it shows the grid of tokens

/// Settings that turn a frame into an image.
struct Painting {
  ViewKind kind = ViewKind::camera;
  int stage = 0;         ///< behind (similarity: in front of) which merge, from 1; 0: the last one
  double opacity = 0.6;  ///< of what lies over the picture, 0 to 1; the merge map is opaque
  bool outlines = true;  ///< lines between classes, or between tokens
  int lineWidth = 1;     ///< of these, in pixels of what is painted
  bool grey = false;     ///< without colour and paler: what is shown is old
  QRectF gridArea{0, 0, 1, 1};  ///< what the grid of tokens covers, of the picture
  bool operator==(const Painting&) const = default;
};

QString titleOf(const Painting& painting);  ///< "Merge map, merge 1"

/// Returns why a frame cannot be shown like this, as a sentence; empty if it can.
QString whyNot(const monitor::FrameResult& result, const Painting& painting);

/// Returns Segmentation::gridArea: the whole frame or, with sliding windows, the first one.
QRectF gridAreaOf(const Segmentation& found);

/// Returns the merge map after merge `stage` (from 1; 0: the last). Returns null if there is none,
/// or a value lies outside 0 to patches - 1.
const cv::Mat* mapBehind(const Segmentation& found, int stage);
const cv::Mat* similarityBefore(const Segmentation& found, int stage);
/// Returns how many merges made the map after `stage`; at least 1.
int mergesUpTo(const Segmentation& found, int stage);

/// Computes for each patch how many patches share its row, as many values as `map` has.
void groupSizes(const cv::Mat& map, std::vector<int>& sizes);

/// Returns the patch's number, row by row; -1 outside the grid.
int placeAt(QPointF position, cv::Size grid, const QRectF& area);
/// Returns a patch's part of the frame, which is (0, 0) to (1, 1).
QRectF placeArea(int place, cv::Size grid, const QRectF& area);

}  // namespace mpm::gui
