// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/cameras.h"

#include <fcntl.h>
#include <linux/videodev2.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string_view>
#include <system_error>

#include "files/text.h"

namespace mpm::monitor {
namespace {

namespace fs = std::filesystem;

std::string firstLine(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
  return line;
}

std::vector<fs::path> entriesOf(const std::string& folder) {
  std::vector<fs::path> entries;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    entries.push_back(entry->path());
  }
  std::sort(entries.begin(), entries.end());
  return entries;
}

// Converts "video12" to 12.
std::optional<int> numberOf(const std::string& name) {
  if (name.rfind("video", 0) != 0) return {};
  int number = 0;
  if (!files::parseWhole(std::string_view(name).substr(5), number) || number < 0) return {};
  return number;
}

// Asks the device; std::nullopt if it cannot be asked.
std::optional<bool> saysItCaptures(const std::string& device) {
  const int file = open(device.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return {};
  v4l2_capability can{};
  const bool told = ioctl(file, VIDIOC_QUERYCAP, &can) == 0;
  close(file);
  if (!told) return {};
  const __u32 caps =
      (can.capabilities & V4L2_CAP_DEVICE_CAPS) != 0 ? can.device_caps : can.capabilities;
  return (caps & (V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_VIDEO_CAPTURE_MPLANE)) != 0 &&
         (caps & (V4L2_CAP_VIDEO_M2M | V4L2_CAP_VIDEO_M2M_MPLANE)) == 0;
}

// Tells whether this is a camera's first node, which delivers pictures; others deliver extra data.
bool isFirstNode(const fs::path& node) {
  const std::string index = firstLine(node / "index");
  return index.empty() || index == "0";
}

// Maps the device's path to its permanent name.
std::map<std::string, std::string> lastingNames(const std::string& folder) {
  std::map<std::string, std::string> names;
  for (const fs::path& link : entriesOf(folder)) {
    std::error_code error;
    const fs::path device = fs::canonical(link, error);
    if (!error) names.emplace(device.string(), link.string());
  }
  return names;
}

}  // namespace

std::vector<CameraDevice> listCameras(const CameraFolders& folders) {
  const std::map<std::string, std::string> lasting = lastingNames(folders.byId);
  std::map<int, CameraDevice> cameras;
  for (const fs::path& node : entriesOf(folders.names)) {
    const std::string file = node.filename().string();
    const std::optional<int> number = numberOf(file);
    if (!number) continue;
    CameraDevice camera;
    camera.device = (fs::path(folders.devices) / file).string();
    std::error_code error;
    const fs::path device = fs::canonical(camera.device, error);
    if (error) continue;  // just unplugged
    if (!saysItCaptures(camera.device).value_or(isFirstNode(node))) continue;
    if (const auto found = lasting.find(device.string()); found != lasting.end()) {
      camera.byId = found->second;
    }
    camera.name = firstLine(node / "name");
    if (camera.name.empty()) camera.name = file;
    cameras.emplace(*number, std::move(camera));
  }
  std::vector<CameraDevice> sorted;
  for (auto& [number, camera] : cameras) sorted.push_back(std::move(camera));
  return sorted;
}

}  // namespace mpm::monitor
