// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "monitor/source/reader.h"

/// Readers of each kind of source; makeReader chooses one.
namespace mpm::monitor {

/// Common part of all readers: an exception of a library becomes a fault, no fault contains a
/// secret, and no picture exceeds the options' size.
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
  /// Tells whether pictures of this size may be read, else reports it. An empty size is unknown.
  bool fits(const cv::Size& size);
  void tell(const std::string& fault);        ///< one sentence, for fault()
  bool refuse(const std::string& fault);      ///< tells it and returns false
  ReadStatus fail(const std::string& fault);  ///< the same of a read

 private:
  SourceAddress address_;
  ReaderOptions options_;
  std::string fault_;
};

/// Reads a camera of this machine through V4L2.
std::unique_ptr<Reader> makeCameraReader(const SourceAddress& address,
                                         const ReaderOptions& options);

/// Reads a network stream through FFmpeg, which respects the options' times, or through GStreamer
/// if OpenCV has no FFmpeg.
std::unique_ptr<Reader> makeStreamReader(const SourceAddress& address,
                                         const ReaderOptions& options);

/// Reads a GStreamer pipeline.
std::unique_ptr<Reader> makePipelineReader(const SourceAddress& address,
                                           const ReaderOptions& options);

/// Reads a video file at its own frame rate. A file without pictures fails. After the last picture
/// it ends; fault() says if that came much earlier than the file promises.
std::unique_ptr<Reader> makeVideoReader(const SourceAddress& address, const ReaderOptions& options);

/// Returns the number of frames that a video reports (cv::CAP_PROP_FRAME_COUNT); 0 if none. OpenCV
/// reports absurd numbers for some files.
inline int promisedFrames(double told) {
  return told > 0 && told < 1e9 ? static_cast<int>(told) : 0;
}

/// Reads the pictures of a folder, sorted by name and without subfolders, or one picture. Pictures
/// that are unreadable or too large are skipped; at the end fault() says how many. Each repetition
/// (`loop`) lists the folder again.
std::unique_ptr<Reader> makeFolderReader(const SourceAddress& address,
                                         const ReaderOptions& options);

/// Throws std::invalid_argument, in one sentence, if it is no address of a scene.
void checkSceneAddress(const std::string& text);

/// Reads the drawn street: 10 frames per second of its camera, whose time is the position. It never
/// ends.
std::unique_ptr<Reader> makeSceneReader(const SourceAddress& address, const ReaderOptions& options);

/// All kinds but scenes, which no decoder reads.
bool isReadSeparately(SourceKind kind);

/// Returns mpm-reader's path: MPM_READER; next to this program once installed; or in the build of
/// this program. Throws std::runtime_error, in one sentence, if it is nowhere.
std::string readerProgram();

/// Creates a reader in a separate process, which ends with it: a failing decoder or driver harms
/// nothing else. Each opening starts a new process. A call that takes longer than
/// ReaderOptions::abandonAfterMs fails, and its process is killed.
std::unique_ptr<Reader> makeSeparateReader(const std::string& program, const SourceAddress& address,
                                           const ReaderOptions& options = {});

}  // namespace mpm::monitor
