// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <opencv2/core.hpp>
#include <opencv2/videoio.hpp>
#include <set>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "segment/model_metadata.h"

namespace mpm::cli {

/// Where an input is: "@FILE" is what stands in the first line of FILE (secrets/secrets.h),
/// which may hold a password. std::invalid_argument as there.
struct InputPlace {
  std::string path;   ///< what is opened
  std::string shown;  ///< the same for people and files: of an address without user and password
};
InputPlace placeOf(const std::string& input);

/// Opens a video file, the numbered pictures of a pattern (p_%03d.png), an address (rtsp://...) or
/// a camera (/dev/video0); false where it is none. OpenCV by itself would hand what is no video to
/// every camera driver that it knows, which takes seconds, and some of them leak.
bool openVideo(cv::VideoCapture& video, const std::string& input);

/// The files that frames of an input come from: a picture, the pictures in a folder, a video, and
/// the file that names them.
std::vector<std::string> filesOfInput(const std::string& input);

/// A picture, BGR. std::runtime_error where it cannot be read.
cv::Mat readPicture(const std::string& path);

struct InputFrame {
  cv::Mat picture;     ///< BGR
  std::string source;  ///< the input that it came from, as it is shown
  int index = 0;       ///< of a video, from 0
  std::string name;    ///< for its files: each frame's is another
};

/// Every frame of pictures, of the pictures of folders (by name), of videos and of addresses that
/// OpenCV opens (rtsp://..., @FILE), one after the other.
class InputFrames {
 public:
  /// std::runtime_error where an input is none of these, or a folder without a picture;
  /// std::invalid_argument where it is a file to read an address from, and cannot be.
  explicit InputFrames(const std::vector<std::string>& inputs);

  /// False behind the last one. A picture that cannot be read, or a video without a frame, is left
  /// out.
  bool next(InputFrame& frame);

  /// How many were left out so far, and the first of them, in a sentence; empty where none was.
  std::string leftOut() const;

  /// How much has been given, from 0 to 1; of videos that don't tell their length: by inputs.
  double share() const;

 private:
  struct Source {
    InputPlace place;
    bool isPicture = true;
  };

  bool nextOfVideo(InputFrame& frame);
  std::string unusedName(const std::string& name);

  std::vector<Source> sources_;
  std::size_t source_ = 0;  // that the next frame comes from
  cv::VideoCapture video_;
  int videoFrame_ = 0;
  std::set<std::string> names_;
  std::vector<std::string> leftOut_;
};

/// Up to `count` frames, BGR, spread evenly over what `inputs` name: pictures, folders (their
/// pictures by name), videos, @FILE. std::runtime_error where one of them is neither or holds no
/// frame.
std::vector<cv::Mat> spreadFrames(const std::vector<std::string>& inputs, int count);

/// How many frames --precision auto is chosen by.
constexpr int kFramesToChooseBy = 8;
/// Replaces kAutoPrecision in `options` by the fastest precision that keeps these frames' labels,
/// and says which in a sentence on stderr.
void choosePrecision(const std::string& model, SegmenterOptions& options,
                     const std::vector<cv::Mat>& frames);

/// A picture as the input of `model`, which has to have one, [batch, 1 or 3, height, width]:
/// resized to `size`, or where that is empty to the model's own, with the mean, std and channel
/// order that `facts` have (0.5, 0.5, RGB where they have none). Every image of a batch is the
/// picture. std::runtime_error where the model takes something else.
cv::Mat pictureBlob(const cv::Mat& picture, const Description& model,
                    const segment::ModelMetadata& facts, const cv::Size& size);

/// Frames as inputs of the model in a file that is read with these options, to calibrate it on.
/// std::runtime_error with `path` where it cannot merge, or takes something else.
std::vector<cv::Mat> calibrationBlobs(const std::string& path, ReadOptions options,
                                      const std::vector<cv::Mat>& frames);

}  // namespace mpm::cli
