// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "monitor/source/reader.h"

/// The readers of each kind of source; makeReader chooses.
namespace mpm::monitor {

/// What all readers have in common: what a library throws becomes a fault, no fault holds a secret,
/// and no picture is larger than the options allow.
class GuardedReader : public Reader {
 public:
  explicit GuardedReader(const SourceAddress& address, const ReaderOptions& options = {})
      : address_(address), options_(options) {}

  bool open() final;
  ReadStatus read(Shot& shot) final;
  bool seek(std::int64_t positionMs) final;
  const std::string& fault() const final { return fault_; }

 protected:
  virtual bool openSource() = 0;
  virtual ReadStatus readSource(Shot& shot) = 0;
  virtual bool seekSource(std::int64_t /*positionMs*/) { return false; }

  const SourceAddress& address() const { return address_; }
  const ReaderOptions& options() const { return options_; }
  bool isTooLarge(const cv::Size& size) const {
    return 1.0 * size.width * size.height > 1e6 * options_.mostMegapixels;
  }
  /// Whether pictures of this size may be read; else tells it. Empty: it is not known yet.
  bool fits(const cv::Size& size);
  void tell(const std::string& fault);        ///< one sentence, for fault()
  bool refuse(const std::string& fault);      ///< tells it and returns false
  ReadStatus fail(const std::string& fault);  ///< the same of a read

 private:
  SourceAddress address_;
  ReaderOptions options_;
  std::string fault_;
};

/// A camera of this machine, through V4L2.
std::unique_ptr<Reader> makeCameraReader(const SourceAddress& address,
                                         const ReaderOptions& options);

/// A stream of the network: through FFmpeg, which keeps to the options' times, or through GStreamer
/// where OpenCV has no FFmpeg.
std::unique_ptr<Reader> makeStreamReader(const SourceAddress& address,
                                         const ReaderOptions& options);

/// A pipeline of GStreamer.
std::unique_ptr<Reader> makePipelineReader(const SourceAddress& address,
                                           const ReaderOptions& options);

/// A video file, at its own frame rate. One that holds no picture fails; behind its last picture it
/// ends, and fault() says where that came much earlier than the file promises.
std::unique_ptr<Reader> makeVideoReader(const SourceAddress& address, const ReaderOptions& options);

/// How many frames a video says that it has (cv::CAP_PROP_FRAME_COUNT); 0: it does not say. For
/// some files OpenCV gives numbers far from anything.
inline int promisedFrames(double told) {
  return told > 0 && told < 1e9 ? static_cast<int>(told) : 0;
}

/// The pictures of a folder, sorted by name, or one picture; none of its subfolders. A picture that
/// cannot be read, or is too large, is left out, and fault() says at the end how many were. Each
/// time it begins again (`loop`) it looks anew what is there.
std::unique_ptr<Reader> makeFolderReader(const SourceAddress& address,
                                         const ReaderOptions& options);

/// std::invalid_argument, one sentence, where it is no address of a scene.
void checkSceneAddress(const std::string& text);

/// The drawn street: 10 frames in a second of its camera, whose time is the position. It never
/// ends.
std::unique_ptr<Reader> makeSceneReader(const SourceAddress& address, const ReaderOptions& options);

}  // namespace mpm::monitor
