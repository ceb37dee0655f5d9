// SPDX-License-Identifier: Apache-2.0
// mpm-memory-bench MODEL SCENE [FRAMES [ENDS]]: a scene memory over FRAMES (20000) frames of a
// drawn street, one a second, for whoever leaves it running: time, patches and mIoU of the first
// and the last ENDS (1000), beside full tokens of the same frames.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <opencv2/core.hpp>
#include <string>

#include "evaluate/confusion.h"
#include "models/scenes/camera.h"
#include "mpm/segmenter.h"

namespace {

using mpm::evaluate::Confusion;

struct End {
  Confusion full, found;
  double ms = 0, fullMs = 0, fresh = 0;
  int frames = 0, oldest = 0;

  explicit End(std::size_t classes) : full(classes), found(classes) {}

  void print(const char* name) const {
    const double full_ = mpm::evaluate::qualityOf(full).meanIou;
    const double found_ = mpm::evaluate::qualityOf(found).meanIou;
    std::printf(
        "%s %d frames: %.1f ms, %.3f of full tokens, %.1f%% of the patches, oldest %d, mIoU %.2f, "
        "%+.2f\n",
        name, frames, ms / frames, ms / fullMs, 100 * fresh / frames, oldest, 100 * found_,
        100 * (found_ - full_));
  }
};

double wholeMs(const mpm::Segmentation& found) {
  return found.times.prepareMs + found.times.networkMs + found.times.labelsMs;
}

void measure(const std::string& model, const std::string& scene, int frames, int ends) {
  const mpm::scenes::CameraOptions options = mpm::scenes::parseSceneAddress(scene);
  mpm::scenes::Camera camera(options);
  mpm::Segmenter with(model), full(model);
  full.setSchedule({});
  mpm::SceneMemory memory;
  End first(with.classes().size()), last = first;
  cv::Mat picture, labels, truth;
  for (int i = 0; i < frames; ++i) {
    camera.shoot(options.start + i, picture, labels);
    if (i == frames - ends) std::printf("%d frames since, the last %d begin\n", i - ends, ends);
    std::fflush(stdout);
    const mpm::Segmentation found = with.segment(picture, memory);
    if (i >= ends && i < frames - ends) continue;
    End& end = i < ends ? first : last;
    const mpm::Segmentation expected = full.segment(picture);
    labels.convertTo(truth, CV_16U);
    end.full.add(truth, expected.labels);
    end.found.add(truth, found.labels);
    end.ms += wholeMs(found), end.fullMs += wholeMs(expected);
    end.fresh += static_cast<double>(found.memory.fresh) / found.memory.rows;
    end.oldest = std::max(end.oldest, found.memory.age);
    if (++end.frames == ends && i < ends) first.print("first");
  }
  last.print("last");
}

}  // namespace

int main(int count, char** words) {
  const int frames = count > 3 ? std::atoi(words[3]) : 20000,
            ends = count > 4 ? std::atoi(words[4]) : 1000;
  if (count < 3 || count > 5 || ends < 1 || frames < 2 * ends) {
    std::fputs(
        "usage: mpm-memory-bench MODEL SCENE [FRAMES [ENDS]]; FRAMES are at least twice ENDS\n",
        stderr);
    return 2;
  }
  try {
    measure(words[1], words[2], frames, ends);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpm-memory-bench: %s\n", error.what());
    return 1;
  }
}
