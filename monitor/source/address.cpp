// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/address.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include "files/text.h"
#include "monitor/source/readers.h"
#include "secrets/secrets.h"

namespace mpm::monitor {
namespace {

using secrets::withoutSecrets;

constexpr std::array<std::string_view, 7> kStreams = {"rtsp", "rtsps", "http", "https",
                                                      "udp",  "rtmp",  "srt"};
constexpr const char* kKinds =
    "a source is a camera (camera:0 or /dev/video0), a video file, a folder of pictures, a "
    "picture, "
    "a stream (rtsp://, rtsps://, http://, https://, udp://, rtmp://, srt://), gst:PIPELINE, "
    "libcamera:, scene: or @FILE, where FILE holds the address";
constexpr int kMostCameras = 256, kShortestSide = 16, kLongestSide = 16384;

[[noreturn]] void refuse(const std::string& sentence) { throw std::invalid_argument(sentence); }

bool beginsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

std::optional<int> wholeNumber(std::string_view digits, int least, int most) {
  int number = 0;
  if (!files::parseWhole(digits, number) || number < least || number > most) return {};
  return number;
}

SourceAddress cameraNumber(const std::string& text) {
  const auto number = wholeNumber(std::string_view(text).substr(7), 0, kMostCameras - 1);
  if (!number) {
    refuse("'" + text +
           "' is not a camera; write camera:N with N from 0 to 255, such as camera:0, "
           "or its device, such as /dev/video0");
  }
  const std::string device = "/dev/video" + std::to_string(*number);
  return {SourceKind::camera, device, device};
}

SourceAddress piCamera(const std::string& text) {
  const std::string_view size = std::string_view(text).substr(10);
  std::string caps = "video/x-raw";
  if (!size.empty()) {
    const std::size_t cross = size.find('x');
    std::optional<int> width, height;
    if (cross != std::string_view::npos) {
      width = wholeNumber(size.substr(0, cross), kShortestSide, kLongestSide);
      height = wholeNumber(size.substr(cross + 1), kShortestSide, kLongestSide);
    }
    if (!width || !height) {
      refuse("'" + text +
             "' is not a camera's size; write libcamera: or libcamera:WIDTHxHEIGHT "
             "in pixels, such as libcamera:1280x720");
    }
    caps += ",width=" + std::to_string(*width) + ",height=" + std::to_string(*height);
  }
  const std::string pipeline = "gst:libcamerasrc ! " + caps +
                               " ! videoconvert ! video/x-raw,format=BGR ! "
                               "appsink drop=true max-buffers=1";
  return {SourceKind::pipeline, pipeline, text};
}

SourceAddress pipeline(const std::string& text) {
  const std::size_t last = std::min(text.rfind('!'), text.size() - 1);
  std::size_t sink = last + 1;
  while (sink < text.size() && std::isspace(static_cast<unsigned char>(text[sink])) != 0) ++sink;
  if (last + 1 == text.size() || text.compare(sink, 7, "appsink") != 0) {
    refuse("the pipeline '" + withoutSecrets(text.substr(4)) +
           "' does not end in appsink; write "
           "it as gst:videotestsrc ! videoconvert ! appsink");
  }
  return {SourceKind::pipeline, text, withoutSecrets(text)};
}

// Parses a stream; `scheme` ends before "://".
SourceAddress stream(const std::string& text, std::size_t scheme) {
  std::string name = text.substr(0, scheme);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  if (name == "file") refuse("a file is given by its path, without file://");
  if (std::find(kStreams.begin(), kStreams.end(), name) == kStreams.end()) {
    refuse("addresses that begin with '" + withoutSecrets(name) + "://' are not known; " + kKinds);
  }
  const std::string rest = text.substr(scheme + 3);
  const bool listens = name == "udp" || name == "srt";  // udp://@:1234, srt://:1234?mode=listener
  if (rest.empty() || (!listens && (rest.front() == '/' || rest.front() == ':'))) {
    refuse("the address '" + withoutSecrets(text) + "' names no host; write it as " + name +
           "://HOST/PATH");
  }
  if (std::any_of(rest.begin(), rest.end(),
                  [](unsigned char letter) { return std::isspace(letter) != 0; })) {
    refuse("an address that begins with " + name + ":// contains a space; write %20 instead");
  }
  return {SourceKind::stream, name + text.substr(scheme),
          withoutSecrets(name + text.substr(scheme))};
}

// Rejects "gate=rtsp://...": a source's name is not part of its address.
void refuseName(const std::string& text) {
  constexpr std::array<std::string_view, 6> kStarts = {
      "@", "/dev/", "scene:", "camera:", "gst:", "libcamera:"};
  const std::size_t end = text.find_first_of("=/:@");
  if (end == std::string::npos || text[end] != '=') return;
  const std::string_view rest = std::string_view(text).substr(end + 1);
  if (rest.find("://") == std::string_view::npos &&
      std::none_of(kStarts.begin(), kStarts.end(),
                   [&](std::string_view start) { return beginsWith(rest, start); })) {
    return;
  }
  refuse("'" + withoutSecrets(text) +
         "' begins with a name, which is not part of an address; leave "
         "out '" +
         text.substr(0, end + 1) + "'");
}

SourceAddress path(const std::string& text) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(text, ignored);
  if (!fs::exists(status)) refuseName(text);
  SourceKind kind = SourceKind::video;
  if (fs::is_directory(status) || text.back() == '/') {
    kind = SourceKind::folder;
  } else if (fs::is_character_file(status) || beginsWith(text, "/dev/video") ||
             beginsWith(text, "/dev/v4l/")) {
    kind = SourceKind::camera;
  } else if (isPictureName(text)) {
    kind = SourceKind::picture;
  } else if (!fs::exists(status) && !fs::path(text).has_extension()) {
    kind = SourceKind::folder;
  }
  if (!fs::exists(status) && wholeNumber(text, 0, kMostCameras - 1)) {
    refuse("'" + text + "' is not a source; for the camera of that number write camera:" + text);
  }
  return {kind, text, withoutSecrets(text)};
}

}  // namespace

bool isPictureName(const std::string& path) {
  constexpr std::array<std::string_view, 11> kExtensions = {
      ".jpg", ".jpeg", ".png", ".bmp", ".tif", ".tiff", ".webp", ".pgm", ".ppm", ".pnm", ".jp2"};
  std::string extension = std::filesystem::path(path).extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
  return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

std::string withoutBlanks(const std::string& typed) {
  constexpr const char* kBlanks = " \t";  // at the ends they come from pasting
  const std::size_t first = typed.find_first_not_of(kBlanks);
  if (first == std::string::npos) return {};
  std::error_code ignored;
  if (std::filesystem::exists(typed, ignored)) return typed;
  return typed.substr(first, typed.find_last_not_of(kBlanks) - first + 1);
}

SourceAddress parseSourceAddress(const std::string& typed) {
  const std::string text = withoutBlanks(typed);
  if (text.empty()) refuse(std::string("the address of a source is empty; ") + kKinds);
  for (const char letter : text) {
    if (static_cast<unsigned char>(letter) < ' ' && letter != '\t') {
      refuse(
          "the address of a source contains a control character, such as the end of a line; take "
          "it "
          "out");
    }
  }
  if (text.front() == '@') return parseSourceAddress(secrets::addressOf(text));
  if (beginsWith(text, "scene:")) {
    checkSceneAddress(text);
    return {SourceKind::scene, text, text};
  }
  if (beginsWith(text, "camera:")) return cameraNumber(text);
  if (beginsWith(text, "libcamera:")) return piCamera(text);
  if (beginsWith(text, "gst:")) return pipeline(text);
  const std::size_t scheme = text.find("://");
  const bool isScheme =
      scheme != std::string::npos && scheme > 0 &&
      std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(scheme),
                  [](unsigned char letter) { return std::isalnum(letter) != 0; });
  return isScheme ? stream(text, scheme) : path(text);
}

}  // namespace mpm::monitor
