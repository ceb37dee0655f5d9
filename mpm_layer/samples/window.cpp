// SPDX-License-Identifier: Apache-2.0
#include "window.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <opencv2/imgproc.hpp>
#include <string>
#ifdef MPM_WITH_HIGHGUI
#include <opencv2/highgui.hpp>
#endif

namespace demo {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

// highgui's Qt ends the process where a display is named but gone, so a local one has to have
// its socket.
bool hasDisplay() {
  const std::string x11 = environment("DISPLAY"), wayland = environment("WAYLAND_DISPLAY");
  const std::filesystem::path folder = environment("XDG_RUNTIME_DIR");
  if (!wayland.empty() && std::filesystem::exists(folder / wayland)) return true;
  if (x11.empty() || x11[0] != ':') return !x11.empty();
  return std::filesystem::exists("/tmp/.X11-unix/X" + x11.substr(1, x11.find('.') - 1));
}

#ifdef MPM_WITH_HIGHGUI
void showWindow(const cv::Mat& picture) {
  const char* title = "merge map";
  constexpr double kMostRows = 840;  // leaves room for a panel on a small display
  const double scale = std::min(1.0, kMostRows / picture.rows);
  cv::Mat fitting;
  cv::resize(picture, fitting, {}, scale, scale, cv::INTER_AREA);
  cv::imshow(title, fitting);
  std::cout << "Press a key in the window, or close it, to end." << std::endl;
  while (cv::waitKey(50) < 0 && cv::getWindowProperty(title, cv::WND_PROP_VISIBLE) > 0) {
  }
}

int showFrame(const char* title, const cv::Mat& frame) {
  cv::imshow(title, frame);
  const int key = cv::waitKey(1);
  return cv::getWindowProperty(title, cv::WND_PROP_VISIBLE) > 0 ? key : 'q';
}
#else
void showWindow(const cv::Mat&) {}
int showFrame(const char*, const cv::Mat&) { return 'q'; }
#endif

}  // namespace demo
