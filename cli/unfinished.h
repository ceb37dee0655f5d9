// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

namespace mpm::cli {

/// While this is there, a signal that ends the program (Ctrl-C, SIGTERM, a closed terminal) takes
/// the file with it. A program that handles or ignores these signals keeps its own way.
class Unfinished {
 public:
  explicit Unfinished(const std::filesystem::path& path);
  ~Unfinished();
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  struct Place;

 private:
  Place* place_ = nullptr;  // none: all are taken, or the name is too long
};

}  // namespace mpm::cli
