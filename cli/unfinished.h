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

/// Files on their way to a model that nobody has written to for a minute: of an earlier run that
/// was ended in the middle, where the library writes and no signal takes them.
void removeLeftovers(const std::filesystem::path& model);

}  // namespace mpm::cli
