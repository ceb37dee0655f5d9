// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "mpm/schedule.h"
#include "onnx/model.h"
#include "torch/net_oracle.h"

namespace mpm::test {

/// A model of tests/models, from its list.
struct Fixture {
  std::string name, images, input;
  std::vector<std::string> outputs;
  int blocks = 0;
};

void PrintTo(const Fixture& fixture, std::ostream* out);

/// Those that can merge.
std::vector<Fixture> mergeableFixtures();

/// The ones that every model is tried with, as far as it has the blocks; each once.
std::vector<Schedule> schedulesOf(const Fixture& fixture);

/// The built command line on one fixture. LibTorch cannot share a process with OpenCV everywhere:
/// Debian 12's brings OpenCV's highgui along. std::runtime_error, with what the program said,
/// where it fails.
class NetProgram {
 public:
  explicit NetProgram(const Fixture& fixture);

  /// [B, C, H, W], as many as the model takes at a time.
  const at::Tensor& images() const { return images_; }

  /// mpm convert.
  onnx::Model convert(const Schedule& schedule) const;

  /// mpm run on all images: its outputs by name.
  NetValues run(const Schedule& schedule, const std::string& restore) const;

  /// An output of all images as the exporter recorded it.
  at::Tensor recorded(const std::string& output) const;

 private:
  void call(std::vector<std::string> words, const Schedule& schedule) const;

  Fixture fixture_;
  Folder folder_;
  std::string size_;  ///< where the model leaves it open
  at::Tensor images_;
};

}  // namespace mpm::test
