// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <opencv2/core.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "evaluate/truth.h"

namespace mpm::evaluate {

/// The numbers that a label picture holds, CV_16U: the values of a grey one of any depth, the
/// palette's indices of a PNG with a palette (the colours that stand there are for looking at).
/// std::runtime_error that begins with the path where it cannot be read, where it has several
/// channels, or where a palette has one colour at two indices, of which OpenCV, which hands colours
/// over, does not say which it was.
cv::Mat readLabelNumbers(const std::string& path);

/// A photo, BGR, turned as its camera says; empty where it cannot be read. A JPEG that was cut off
/// counts as one: OpenCV would make grey of what is missing, without a word.
cv::Mat readPhotoFile(const std::string& path);

/// Whether bytes are a JPEG whose first picture lacks its end.
bool isCutJpeg(std::string_view bytes);

/// A photo and its label picture; either file may be missing.
struct Pair {
  std::string name;          ///< the photo's, without folder and ending
  std::string photo, label;  ///< paths
};

/// What a data set holds.
struct Listing {
  std::string root;                 ///< where it begins: the given folder or one in it
  std::vector<Pair> pairs;          ///< by name
  bool hasTrainIds = false;         ///< of Cityscapes
  std::vector<std::string> lonely;  ///< label pictures without a photo, which do not count
};

/// Takes out the pairs that have no file for their label, as frames that nobody painted yet, and
/// gives the photos of these.
std::vector<std::string> takeUnlabelled(Listing& listing);

/// The photos of a data set and where their labels belong.
///   ade20k          images/validation/NAME.jpg, annotations/validation/NAME.png
///   cityscapes      leftImg8bit/val/CITY/NAME_leftImg8bit.png, gtFine/val/CITY/
///                   NAME_gtFine_labelTrainIds.png, or NAME_gtFine_labelIds.png where more photos
///                   have one
///   pascal-context  JPEGImages/NAME.jpg, SegmentationClassContext/NAME.png of the names in
///                   ImageSets/SegmentationContext/val.txt
///   folder          images/NAME.*, labels/NAME.png; of a split images/SPLIT and labels/SPLIT
/// `split`: another one than validation, as "train" (of ADE20K: "training"); empty: validation, of
/// a folder none. std::runtime_error, one sentence, where there is no such folder or list, not a
/// single pair, or where two photos have one name.
Listing listPairs(Format format, const std::string& dataset, const std::string& split);

/// The photos of one folder, by name, and where their labels belong in another: NAME.png.
/// std::runtime_error where a folder cannot be read or two photos have one name.
Listing pairFolders(const std::string& photos, const std::string& labels);

}  // namespace mpm::evaluate
