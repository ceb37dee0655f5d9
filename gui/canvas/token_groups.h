// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPointF>
#include <QRectF>
#include <opencv2/core.hpp>
#include <vector>

#include "mpm/segmenter.h"

namespace mpm::gui {

/// Segmentation::gridArea: all of the picture, or, where windows slide over it, the first one.
QRectF gridAreaOf(const Segmentation& found);

/// The map behind merge `stage` (from 1; 0: the last). Null where there is none, or where it is no
/// map: one of the rows 0 to places - 1 for each place.
const cv::Mat* mapBehind(const Segmentation& found, int stage);
const cv::Mat* similarityBefore(const Segmentation& found, int stage);
/// How many merges made the map behind `stage`; at least 1.
int mergesUpTo(const Segmentation& found, int stage);

/// How many places share the row of each place; as many values as `map` has places.
void groupSizes(const cv::Mat& map, std::vector<int>& sizes);

/// Places are numbered row by row. -1 outside the grid.
int placeAt(QPointF position, cv::Size grid, const QRectF& area);
/// Of the picture, from (0, 0) to (1, 1).
QRectF placeArea(int place, cv::Size grid, const QRectF& area);

}  // namespace mpm::gui
