// SPDX-License-Identifier: Apache-2.0
// A scene memory as the peer of memory.py: a process that obeys lines of its standard input and
// answers each with one line of JSON.
//
//   run   the camera's next frame, segmented with the memory, merged without it, and with full
//         tokens: milliseconds from frame to labels, and the share of the patches that was computed
#include <cstdlib>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <opencv2/core/utility.hpp>
#include <stdexcept>
#include <string>

#include "models/scenes/camera.h"
#include "mpm/scene_memory.h"
#include "mpm/segmenter.h"
#include "mpm/threads.h"

namespace {

using Json = nlohmann::json;

class Peer {
 public:
  Peer(const std::string& model, const mpm::SegmenterOptions& options, const std::string& scene)
      : merging_(model, options),
        full_(model, options),
        options_(mpm::scenes::parseSceneAddress(scene)),
        camera_(options_) {
    full_.setSchedule({});
    if (const std::string fault = merging_.memoryFault(); !fault.empty())
      throw std::runtime_error(fault);
  }

  Json run() {
    camera_.shoot(options_.start + shot_++, picture_, labels_);
    const mpm::Segmentation remembered = merging_.segment(picture_, memory_);
    return {{"ms", remembered.times.wholeMs()},
            {"fresh", static_cast<double>(remembered.memory.fresh) / remembered.memory.rows},
            {"merged_ms", merging_.segment(picture_).times.wholeMs()},
            {"full_ms", full_.segment(picture_).times.wholeMs()}};
  }

 private:
  mpm::Segmenter merging_, full_;
  mpm::SceneMemory memory_;
  mpm::scenes::CameraOptions options_;
  mpm::scenes::Camera camera_;
  cv::Mat picture_, labels_;
  int shot_ = 0;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: mpm-memory-peer MODEL fp32|bf16|int8 THREADS SCENE\n";
    return 2;
  }
  try {
    const int threads = std::atoi(arguments[3]);
    cv::setNumThreads(threads);
    mpm::setThreads(threads);
    mpm::SegmenterOptions options;
    options.read.precision = arguments[2];
    Peer peer(arguments[1], options, arguments[4]);
    std::cout << Json{{"version", "this library"}} << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
      if (line != "run") throw std::runtime_error("there is no command '" + line + "'");
      std::cout << peer.run() << std::endl;
    }
  } catch (const std::exception& error) {
    std::cout << Json{{"failed", error.what()}} << std::endl;
    return 1;
  }
}
