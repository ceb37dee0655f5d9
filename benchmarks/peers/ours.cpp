// SPDX-License-Identifier: Apache-2.0
// This library as one of the peers of compare.py: a process that obeys lines of its standard input
// and answers each with one line of JSON.
//
//   load FILE        the input: float32 as it stands in memory
//   run              one forward, timed: milliseconds, CPU milliseconds, live rows
//   save PREFIX      writes PREFIX.output and, where the model merges, PREFIX.map; gives their
//   shapes
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <opencv2/core/utility.hpp>
#include <opencv2/core/version.hpp>
#include <opencv2/dnn.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "mpm/threads.h"

namespace {

using Json = nlohmann::json;

double cpuMs() {  // of every thread of this process
  std::timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

class Peer {
 public:
  Peer(const std::string& model, const std::string& schedule, const std::string& precision) {
    if (!mpm::hasPrecision(precision)) {
      throw std::runtime_error("this library does not compute in " + precision + " here");
    }
    mpm::ReadOptions options;
    options.schedule = mpm::Schedule::parse(schedule);
    options.precision = precision;
    merges_ = !options.schedule->empty();
    const mpm::Description description = mpm::describe(model, options);
    if (!description.mergeable) throw std::runtime_error(description.reason);
    shape_ = description.inputs.at(0).shape;
    for (int& side : shape_) side = std::max(side, 1);  // an open batch is one image
    output_ = description.outputs.at(0).name;
    net_ = mpm::readNet(model, options);
  }

  Json obey(const std::string& command, const std::string& argument) {
    if (command == "load") {
      input_.create(shape_, CV_32F);
      std::ifstream file(argument, std::ios::binary);
      const auto bytes = static_cast<std::streamsize>(input_.total() * sizeof(float));
      if (!file.read(input_.ptr<char>(), bytes) || file.peek() != std::ifstream::traits_type::eof())
        throw std::runtime_error(argument + " is not an input of this model");
      return Json::object();
    }
    if (command == "run") return run();
    if (command == "save") return save(argument);
    throw std::runtime_error("there is no command '" + command + "'");
  }

 private:
  Json run() {
    const double cpuBefore = cpuMs();
    const auto before = std::chrono::steady_clock::now();
    net_.setInput(input_);
    net_.forward(output_);
    const std::chrono::duration<double, std::milli> elapsed =
        std::chrono::steady_clock::now() - before;
    return {{"ms", elapsed.count()},
            {"cpu_ms", cpuMs() - cpuBefore},
            {"rows", merges_ ? Json(mpm::liveRows(net_)) : Json::array()}};
  }

  Json save(const std::string& prefix) {
    std::vector<std::string> names = {output_};
    if (merges_) names.emplace_back("mpm_map");
    std::vector<cv::Mat> outputs;
    net_.setInput(input_);
    for (const std::string& name : names) outputs.push_back(net_.forward(name).clone());
    Json shapes = Json::array();
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const cv::Mat& value = outputs[i];
      std::ofstream file(prefix + (i == 0 ? ".output" : ".map"), std::ios::binary);
      file.write(value.ptr<char>(), static_cast<std::streamsize>(value.total() * sizeof(float)));
      if (!file.flush()) throw std::runtime_error("cannot write " + prefix);
      shapes.push_back(std::vector<int>(value.size.p, value.size.p + value.dims));
    }
    return {{"shapes", shapes}};
  }

  cv::dnn::Net net_;
  std::string output_;
  std::vector<int> shape_;
  cv::Mat input_;
  bool merges_ = false;
};

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) {
    std::cerr << "usage: mpm-peer MODEL SCHEDULE|none fp32|bf16|int8 THREADS\n";
    return 2;
  }
  try {
    const int threads = std::atoi(arguments[4]);
    cv::setNumThreads(threads);
    mpm::setThreads(threads);
    Peer peer(arguments[1], arguments[2], arguments[3]);
    std::cout << Json{{"version", "OpenCV " CV_VERSION}, {"threads", mpm::threads()}} << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
      const std::size_t space = line.find(' ');
      const std::string argument = space == std::string::npos ? "" : line.substr(space + 1);
      std::cout << peer.obey(line.substr(0, space), argument) << std::endl;
    }
  } catch (const std::exception& error) {
    std::cout << Json{{"failed", error.what()}} << std::endl;
    return 1;
  }
}
