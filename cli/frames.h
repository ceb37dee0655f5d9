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
#include "mpm/tune.h"
#include "segment/model_metadata.h"

namespace mpm::cli {

/// Location of an input. "@FILE" means the first line of FILE (secrets/secrets.h), which may hold a
/// password. Throws std::invalid_argument as described there.
struct InputPlace {
  std::string path;   ///< what is opened
  std::string shown;  ///< the same for people and files: of an address without user and password
};
InputPlace placeOf(const std::string& input);

/// Opens a video file, numbered pictures (p_%03d.png), an address (rtsp://...) or a camera
/// (/dev/video0); false for anything else. By default OpenCV would pass such a name to every camera
/// driver, which takes seconds, and some of them leak.
bool openVideo(cv::VideoCapture& video, const std::string& input);

/// Lists the files that frames of an input come from: a picture, a folder's pictures, a video, and
/// the file that names them.
std::vector<std::string> filesOfInput(const std::string& input);

/// Reads a picture as BGR. Throws std::runtime_error if it cannot.
cv::Mat readPicture(const std::string& path);

struct InputFrame {
  cv::Mat picture;     ///< BGR
  std::string source;  ///< the input that it came from, as it is shown
  int index = 0;       ///< of a video, from 0
  std::string name;    ///< for its files: each frame's is another
};

/// Reads every frame of pictures, of folders' pictures (by name), of videos and of addresses that
/// OpenCV opens (rtsp://..., @FILE), one after the other.
class InputFrames {
 public:
  /// Throws std::runtime_error if an input is none of these, or a folder without pictures. Throws
  /// std::invalid_argument if an address cannot be read from its file.
  explicit InputFrames(const std::vector<std::string>& inputs);

  /// Returns false after the last one. Skips unreadable pictures and videos without a frame.
  bool next(InputFrame& frame);

  /// Says how many were skipped so far, and names the first; empty if none was.
  std::string leftOut() const;

  /// Returns the share that was read, from 0 to 1, by inputs for videos without a length.
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

/// Returns up to `count` frames, BGR, spread evenly over `inputs`: pictures, folders (their
/// pictures by name), videos, @FILE. Throws std::runtime_error if one is none of these or holds no
/// frame.
std::vector<cv::Mat> spreadFrames(const std::vector<std::string>& inputs, int count);

/// Number of frames that --precision auto decides by.
constexpr int kFramesToChooseBy = 8;
/// Measures the model's precisions on these frames as mpm::tunePrecisions does. A line on stderr
/// says so, since it takes many seconds on a slow machine.
std::vector<TunedPrecision> comparePrecisions(const std::string& model,
                                              const SegmenterOptions& options,
                                              const std::vector<cv::Mat>& frames);
/// Replaces kAutoPrecision in `options` by the fastest precision that keeps these frames' labels,
/// and names it in a sentence on stderr.
void choosePrecision(const std::string& model, SegmenterOptions& options,
                     const std::vector<cv::Mat>& frames);

/// Converts a picture to the single input of `model`, [batch, 1 or 3, height, width]. Resizes it to
/// `size`, or the model's own if empty. Mean, std and channel order are those of `facts`, otherwise
/// 0.5, 0.5, RGB. Every image of a batch is the picture. Throws std::runtime_error for other
/// inputs.
cv::Mat pictureBlob(const cv::Mat& picture, const Description& model,
                    const segment::ModelMetadata& facts, const cv::Size& size);

/// Converts frames to inputs of the model in a file, read with these options, for calibration.
/// Throws std::runtime_error with `path` if it cannot merge or takes other inputs.
std::vector<cv::Mat> calibrationBlobs(const std::string& path, ReadOptions options,
                                      const std::vector<cv::Mat>& frames);

}  // namespace mpm::cli
