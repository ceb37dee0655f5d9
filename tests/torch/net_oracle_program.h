// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ATen/core/Tensor.h>

#include <iosfwd>
#include <ostream>
#include <string>
#include <vector>

#include "cli/folder.h"
#include "mpm/schedule.h"
#include "onnx/graph/model.h"
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

/// What the command line makes of one fixture, in a process of its own: LibTorch cannot share one
/// with OpenCV everywhere, as Debian 12's brings OpenCV's highgui along. All commands of a fixture
/// share that process, whose start takes longer than a command. std::runtime_error, with what the
/// program said, where one fails.
class NetProgram {
 public:
  /// Converts the model and runs it, restored late and early, once for each of `schedules`.
  NetProgram(const Fixture& fixture, const std::vector<Schedule>& schedules);

  /// [B, C, H, W], as many as the model takes at a time.
  const at::Tensor& images() const { return images_; }

  /// What `mpm convert` wrote.
  onnx::Model converted(const Schedule& schedule) const;

  /// What `mpm run` gave for all images: outputs by name.
  NetValues ran(const Schedule& schedule, const std::string& restore) const;

  /// An output of all images as the exporter recorded it.
  at::Tensor recorded(const std::string& output) const;

 private:
  std::string convertedFile(const Schedule& schedule) const;
  std::string outputFolder(const Schedule& schedule, const std::string& restore) const;

  Fixture fixture_;
  Folder folder_;
  at::Tensor images_;
};

}  // namespace mpm::test
