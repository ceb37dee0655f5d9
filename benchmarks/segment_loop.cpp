// SPDX-License-Identifier: Apache-2.0
// mpm-segment-loop MODEL PIXELS WIDTH HEIGHT: the loop of a program in C++, for python_loop.py.
// PIXELS is a file of a frame's bytes, BGR. For each number on standard input it segments the frame
// so often, and prints how many milliseconds a frame took.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>

#include "mpm/segmenter.h"

namespace {

cv::Mat frameOf(const std::string& file, int width, int height) {
  cv::Mat frame(height, width, CV_8UC3);
  std::ifstream in(file, std::ios::binary);
  in.read(reinterpret_cast<char*>(frame.data), static_cast<std::streamsize>(frame.total() * 3));
  if (!in) throw std::runtime_error(file + " does not hold a frame of that size");
  return frame;
}

double millisecondsOf(mpm::Segmenter& segmenter, const cv::Mat& frame, int times) {
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < times; ++i) segmenter.segment(frame);
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  return took.count() / times;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 5) {
    std::fputs("usage: mpm-segment-loop MODEL PIXELS WIDTH HEIGHT\n", stderr);
    return 2;
  }
  const cv::Mat frame = frameOf(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  mpm::Segmenter segmenter(argv[1]);
  for (int times = 0; std::cin >> times;) {
    std::printf("%.6f\n", millisecondsOf(segmenter, frame, times));
    std::fflush(stdout);
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "mpm-segment-loop: %s\n", error.what());
  return 1;
}
