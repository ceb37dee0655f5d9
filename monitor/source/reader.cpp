// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/reader.h"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "monitor/source/readers.h"

namespace mpm::monitor {
namespace {

void check(const ReaderOptions& options) {
  const auto refuse = [](const char* sentence) { throw std::invalid_argument(sentence); };
  if (options.openTimeoutMs <= 0 || options.readTimeoutMs <= 0) {
    refuse("a source is given more than 0 ms for opening and for a frame");
  }
  if (!std::isfinite(options.folderFps) || options.folderFps <= 0) {
    refuse("the pictures of a folder are shown at more than 0 of them in a second");
  }
  if (!std::isfinite(options.cameraFps) || options.cameraFps < 0) {
    refuse("a camera's frames in a second are more than 0, or 0 for its own choice");
  }
  if (options.cameraSize.width < 0 || options.cameraSize.height < 0) {
    refuse("a camera's size is width and height in pixels, or empty for its own choice");
  }
}

// FFmpeg writes addresses into its errors, a passphrase of SRT included. OpenCV looks once, when it
// first opens anything; a level that the user has set stays.
void keepFFmpegQuiet() {
  static const bool isDone = setenv("OPENCV_FFMPEG_LOGLEVEL", "-8", 0) == 0;
  static_cast<void>(isDone);
}

}  // namespace

std::unique_ptr<Reader> makeReader(const SourceAddress& address, const ReaderOptions& options) {
  check(options);
  keepFFmpegQuiet();
  switch (address.kind) {
    case SourceKind::scene:
      return makeSceneReader(address);
    case SourceKind::camera:
      return makeCameraReader(address, options);
    case SourceKind::video:
      return makeVideoReader(address, options);
    case SourceKind::folder:
    case SourceKind::picture:
      return makeFolderReader(address, options);
    case SourceKind::stream:
      return makeStreamReader(address, options);
    case SourceKind::pipeline:
      return makePipelineReader(address);
  }
  throw std::invalid_argument(address.shown + " is a source of no known kind");
}

}  // namespace mpm::monitor
