// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/truth.h"

namespace mpm::evaluate {

/// Reads the numbers of a label picture, CV_16U. They are the values of a grey one of any depth, or
/// the indices of a PNG with a palette; its colours are only for viewing. Throws std::runtime_error
/// beginning with the path if it cannot be read or has several channels. Throws also if a palette
/// repeats a colour: OpenCV gives colours only, so the index is lost.
cv::Mat readLabelNumbers(const std::string& path);

/// Reads a photo, BGR, rotated as its camera says; empty if it cannot be read. A truncated JPEG
/// counts as unreadable, since OpenCV would silently fill the rest with grey.
cv::Mat readPhotoFile(const std::string& path);

/// Tells whether bytes are a JPEG whose first picture has no end.
bool isCutJpeg(std::string_view bytes);

/// A photo and its label picture; either file may be missing.
struct Pair {
  std::string name;          ///< the photo's, without folder and ending
  std::string photo, label;  ///< paths
};

/// Content of a data set.
struct Listing {
  std::string root;                 ///< where it begins: the given folder or one in it
  std::vector<Pair> pairs;          ///< by name
  bool hasTrainIds = false;         ///< of Cityscapes
  std::vector<std::string> lonely;  ///< label pictures without a photo, which do not count
};

/// Removes the pairs without a label file, such as frames that nobody annotated yet. Returns their
/// photos.
std::vector<std::string> takeUnlabelled(Listing& listing);

/// Lists the photos of a data set and the places of their labels.
///   ade20k          images/validation/NAME.jpg, annotations/validation/NAME.png
///   cityscapes      leftImg8bit/val/CITY/NAME_leftImg8bit.png, gtFine/val/CITY/
///                   NAME_gtFine_labelTrainIds.png, or NAME_gtFine_labelIds.png if more photos
///                   have one
///   pascal-context  JPEGImages/NAME.jpg, SegmentationClassContext/NAME.png of the names in
///                   ImageSets/SegmentationContext/val.txt
///   folder          images/NAME.*, labels/NAME.png; with a split images/SPLIT and labels/SPLIT
/// `split` selects another one than validation, such as "train" (ADE20K: "training"). Empty is
/// validation, and none in a folder. Throws std::runtime_error, in one sentence, if there is no
/// such folder or list, no pair, or two photos have one name.
Listing listPairs(Format format, const std::string& dataset, const std::string& split);

/// Lists the photos of one folder by name, and their labels in another: NAME.png. Throws
/// std::runtime_error if a folder cannot be read or two photos have one name.
Listing pairFolders(const std::string& photos, const std::string& labels);

}  // namespace mpm::evaluate
