// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/reader.h"

#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <stdexcept>

#include "monitor/source/readers.h"
#include "secrets/secrets.h"

namespace mpm::monitor {
namespace {

void check(const ReaderOptions& options) {
  const auto refuse = [](const char* sentence) { throw std::invalid_argument(sentence); };
  if (options.openTimeoutMs <= 0 || options.readTimeoutMs <= 0) {
    refuse("the time limits for opening a source and for a frame must be more than 0 ms");
  }
  if (!std::isfinite(options.folderFps) || options.folderFps <= 0) {
    refuse("the rate of a folder's pictures must be more than 0 per second");
  }
  if (!std::isfinite(options.mostMegapixels) || options.mostMegapixels <= 0) {
    refuse("the largest picture size must be more than 0 megapixels");
  }
  if (!std::isfinite(options.mostMegabytes) || options.mostMegabytes <= 0) {
    refuse("a reader's memory limit must be more than 0 MB");
  }
  if (!std::isfinite(options.cameraFps) || options.cameraFps < 0) {
    refuse("a camera's frame rate must be more than 0, or 0 to let the camera choose");
  }
  if (options.cameraSize.width < 0 || options.cameraSize.height < 0) {
    refuse(
        "a camera's size must be a width and a height in pixels, or empty to let the camera "
        "choose");
  }
}

// A stream or video whose pictures grow while it is read tells their size too late, with a frame.
// FFmpeg, where it is in this process, refuses the memory for it: a picture's largest part has 4
// bytes a pixel at most, beyond 16 bits a channel. One limit holds for all readers.
void limitFFmpegBlocks(double mostMegapixels) {
  constexpr double kBytes = 4e6, kLeast = 64e6, kMost = 2e9;  // FFmpeg's own limit is 2^31
  static std::atomic<double> limit{0};
  const double wanted = std::clamp(mostMegapixels * kBytes, kLeast, kMost);
  if (wanted <= limit) return;
  limit = wanted;
  auto* set = reinterpret_cast<void (*)(std::size_t)>(dlsym(RTLD_DEFAULT, "av_max_alloc"));
  if (set != nullptr) set(static_cast<std::size_t>(wanted));
}

}  // namespace

std::unique_ptr<Reader> makeReader(const SourceAddress& address, const ReaderOptions& options) {
  check(options);
  secrets::keepFFmpegQuiet();
  limitFFmpegBlocks(options.mostMegapixels);
  switch (address.kind) {
    case SourceKind::scene:
      return makeSceneReader(address, options);
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
      return makePipelineReader(address, options);
  }
  throw std::invalid_argument(address.shown + " is not a known kind of source");
}

}  // namespace mpm::monitor
