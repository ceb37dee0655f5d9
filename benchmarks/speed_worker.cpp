// SPDX-License-Identifier: Apache-2.0
// What benchmarks/speed times and mpm-peer does not. It compiles this file against the library of
// each build, so that a build of a commit without it can be measured, too. The process answers each
// line of its standard input with a timed call, as a line of JSON.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <opencv2/core.hpp>
#include <opencv2/dnn.hpp>
#include <string>
#include <vector>

#include "mpm/merge.h"
#include "mpm/net.h"
#include "mpm/threads.h"
#include "paired.h"

namespace {

using Json = nlohmann::json;

// Returns the forward pass of any network: mpm-peer accepts only those that merge.
std::function<void()> forwardOf(const std::string& model) {
  std::vector<int> shape = mpm::describe(model).inputs.at(0).shape;
  for (int& side : shape) side = std::max(side, 1);  // an open batch is one image
  cv::Mat input(shape, CV_32F);
  cv::randn(input, 0, 1);
  return [net = mpm::readNet(model), input]() mutable {
    net.setInput(input);
    net.forward();
  };
}

// Merges tokens that share a direction and differ in the rest, as in a network.
std::function<void()> mergeOf(int features) {
  constexpr int kTokens = 1024;
  cv::Mat tokens(kTokens, features, CV_32F), shared(1, features, CV_32F);
  cv::randn(tokens, 0, 1);
  cv::randn(shared, 0, 1);
  tokens += cv::repeat(shared, kTokens, 1);
  const auto merger = std::make_shared<mpm::PairMerger>();
  return [=, merged = tokens.clone(), map = std::vector<std::int32_t>(kTokens)]() mutable {
    const auto count = static_cast<std::size_t>(kTokens), dim = static_cast<std::size_t>(features);
    mpm::identityMap(map.data(), count);
    merger->merge({tokens.ptr<float>(), count, dim}, {}, map.data(), count,
                  {merged.ptr<float>(), count, dim});
  };
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 4) {
    std::cerr << "usage: speed-worker read|forward|merge MODEL|FEATURES THREADS\n";
    return 2;
  }
  try {
    const std::string job = arguments[1], what = arguments[2];
    cv::setNumThreads(std::atoi(arguments[3]));
    mpm::setThreads(std::atoi(arguments[3]));
    std::function<void()> call = [what] { mpm::readNet(what); };
    if (job == "forward") call = forwardOf(what);
    if (job == "merge") call = mergeOf(std::atoi(arguments[2]));
    std::cout << Json{{"version", "this library"}} << std::endl;
    for (std::string line; std::getline(std::cin, line);)
      std::cout << Json{{"ms", mpm::bench::elapsedMs(call)}} << std::endl;
  } catch (const std::exception& error) {
    std::cout << Json{{"failed", error.what()}} << std::endl;
    return 1;
  }
}
