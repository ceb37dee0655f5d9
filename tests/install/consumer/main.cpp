// SPDX-License-Identifier: Apache-2.0
// What an application outside the project writes: one call, then cv::dnn as ever.
#include <cstdio>
#include <mpm/layers.h>
#include <mpm/merge.h>
#include <mpm/net.h>
#include <mpm/version.h>
#include <stdexcept>

int main() {
  mpm::registerLayers();
  mpm::registerLayers();
  cv::dnn::LayerParams none;
  cv::dnn::Net net;
  net.addLayerToPrev("merge", "mpm.MutualPairMerge", none);
  cv::Mat tokens(std::vector<int>{1, 100, 32}, CV_32F);
  cv::randn(tokens, 0, 1);
  net.setInput(tokens);
  std::vector<std::vector<cv::Mat>> outputs;
  net.forward(outputs, std::vector<cv::String>{"merge"});
  try {
    mpm::readNet("no_such_file.onnx");
    return 1;
  } catch (const std::runtime_error& error) {
    std::printf("%s\n", error.what());
  }
  const float rows = outputs[0][1].ptr<float>()[0];
  std::printf("mpm %s: %d merge, %g of 100 tokens live\n", mpm::version(),
              mpm::setMerging(net, true), rows);
  return rows >= 50 && rows < 100 ? 0 : 1;
}
