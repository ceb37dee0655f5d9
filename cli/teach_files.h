// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <vector>

#include "evaluate/pairs.h"
#include "mpm/net.h"
#include "segment/class_list.h"

namespace mpm::cli {

/// Frames of one folder and their paintings, NAME.png in another; a frame without one is not
/// painted yet.
struct PaintedFolder {
  std::vector<evaluate::Pair> painted, unpainted;
};

/// std::runtime_error where a folder cannot be read or there is no frame with a painting; a
/// painting without a frame is told on stderr.
PaintedFolder readPaintedFolder(const std::string& frames, const std::string& labels);

struct PaintedFrame {
  cv::Mat frame, labels;  ///< BGR; CV_16U
};
/// std::runtime_error that names the file where one cannot be read.
PaintedFrame readPaintedFrame(const evaluate::Pair& pair);

/// Where what was computed of a folder's paintings is kept: TeachOptions::keep.
std::string keptFolder(const std::string& labels);

/// The file that namedClasses reads; empty: none.
std::string classFile(const std::string& words, const std::string& labels);

/// Of `words`: a file with a class on each line, its colour #rrggbb behind a tab or not, or names
/// with commas between them. Without words of classes.txt in `labels` or beside it, as mpm scene
/// writes it. UsageError where there is none.
segment::ClassList namedClasses(const std::string& words, const std::string& labels);

/// What a model keeps to of paintings: a table of each class's IoU at painted pixels, with full
/// tokens and, where it can merge, with the schedule that `read` says. std::runtime_error where the
/// classes.txt of `labels`, as namedClasses finds it, has the model's classes in another order.
std::string checkTable(const std::string& model, const PaintedFolder& folder,
                       const std::string& labels, const ReadOptions& read);

/// Shares as percent with one digit; "-" of NaN.
std::string percentOrDash(double share);

}  // namespace mpm::cli
