// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace CLI {
class App;
}

namespace mpm::cli {

/// --threads of a command: how many compute, in this library and in OpenCV's own layers.
class ThreadOption {
 public:
  /// Adds it to `command`; this object has to outlive it.
  void addTo(CLI::App& command);

  /// Sets the number where one was given; gives how many compute now.
  int use() const;

 private:
  int count_ = 0;
};

}  // namespace mpm::cli
