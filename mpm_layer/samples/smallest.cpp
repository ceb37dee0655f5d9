// SPDX-License-Identifier: Apache-2.0
// The smallest program: reads a Vision Transformer in ONNX and segments a picture.
#include <iostream>
#include <opencv2/dnn.hpp>
#include <opencv2/imgcodecs.hpp>

#include "mpm/net.h"

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::cerr << "usage: mpm-smallest MODEL.onnx PICTURE\n";
    return 2;
  }
  cv::dnn::Net net = mpm::readNet(argv[1]);  // instead of cv::dnn::readNetFromONNX
  const mpm::Description model = mpm::describe(argv[1]);
  const cv::Mat picture = cv::imread(argv[2]);
  if (picture.empty()) throw std::runtime_error(std::string("cannot read a picture at ") + argv[2]);
  net.setInput(
      cv::dnn::blobFromImage(picture, 1 / 127.5, model.input, {127.5, 127.5, 127.5}, true));
  const cv::Mat scores = net.forward(model.outputs[0].name);  // [1, K] or [1, K, h, w]
  cv::Mat mean;
  cv::reduce(scores.reshape(1, scores.size[1]), mean, 1, cv::REDUCE_AVG);
  cv::Point best;
  cv::minMaxLoc(mean, nullptr, nullptr, nullptr, &best);
  std::cout << "class " << best.y << " has the highest score\n";
} catch (const std::exception& error) {
  std::cerr << "mpm-smallest: " << error.what() << '\n';
  return 1;
}
