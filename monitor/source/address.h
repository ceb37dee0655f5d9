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

/// What was typed or pasted: as it is where a file has just that name, else without the blanks at
/// its ends.
std::string withoutBlanks(const std::string& typed);

/// Of what was typed, withoutBlanks. std::invalid_argument, one sentence that says what would be
/// right and holds no secret. "@FILE": the address stands in that file (secrets/secrets.h). A path
/// that does not exist (yet) is taken by its spelling; whether it opens is the reader's affair.
SourceAddress parseSourceAddress(const std::string& typed);

/// Whether a file is a picture by its name: .jpg, .jpeg, .png, .bmp, .tif, .tiff, .webp, .pgm,
/// .ppm, .pnm, .jp2, in capitals too.
bool isPictureName(const std::string& path);

}  // namespace mpm::monitor
