// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm::monitor {

enum class SourceKind {
  scene,    ///< scene:?seed=7&clock=600x
  camera,   ///< /dev/video0, /dev/v4l/by-id/...; "camera:0" is /dev/video0
  video,    ///< a file
  folder,   ///< of pictures, by name
  picture,  ///< one picture: a folder of one
  stream,   ///< rtsp://, rtsps://, http://, https://, udp://, rtmp://, srt://
  pipeline  ///< gst: and a GStreamer pipeline that ends in appsink; "libcamera:", "libcamera:WxH":
            ///< the Raspberry Pi's camera
};

struct SourceAddress {
  SourceKind kind = SourceKind::scene;
  std::string text;   ///< what is opened: may hold a password, never leaves the reader
  std::string shown;  ///< the same for people, logs, files and metrics: user and password, and the
                      ///< values of query parts that may be secrets, replaced by ***
};

/// Returns the text unchanged if a file has just that name, otherwise without blanks at its ends.
std::string withoutBlanks(const std::string& typed);

/// Parses typed text, after withoutBlanks. Throws std::invalid_argument, in one sentence that says
/// what is right and contains no secret. "@FILE" means that the file holds the address
/// (secrets/secrets.h). A missing path is classified by its form; the reader finds out whether it
/// opens.
SourceAddress parseSourceAddress(const std::string& typed);

/// Tells whether a file name is a picture's: .jpg, .jpeg, .png, .bmp, .tif, .tiff, .webp, .pgm,
/// .ppm, .pnm, .jp2, also in capitals.
bool isPictureName(const std::string& path);

}  // namespace mpm::monitor
