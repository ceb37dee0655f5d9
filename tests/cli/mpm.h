// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/folder.h"

namespace mpm::test {

struct Ended {
  int status = -1;  ///< exit status; 128 + its number where a signal ended it
  std::string out, err;
};

/// Runs a program, with `environment` on top of this process's own, and waits for its end.
Ended runProgram(const std::vector<std::string>& words,
                 const std::map<std::string, std::string>& environment = {});

/// Expects that a program refused: this status, nothing on stdout, and on stderr the one line
/// "<name>: <sentence>", whose sentence holds `part`.
void expectRefusal(const Ended& ended, int status, const std::string& name,
                   const std::string& part);

/// Where the built program is, and another one that is built next to it, such as mpm-scene.
std::string mpmPath();
std::string besideMpm(const std::string& name);

/// It with these words behind its name.
Ended mpmProgram(const std::vector<std::string>& words,
                 const std::map<std::string, std::string>& environment = {});

/// Expects that it refuses them with this status, in one line of stderr that holds `part`.
void expectMpmRefuses(const std::vector<std::string>& words, int status, const std::string& part);

/// The path of a file of tests/models.
std::string modelFile(const std::string& name);

struct BadModel {
  std::string path;  ///< in the folder that it was made in
  std::string why;   ///< what it is, for the test's output
  int status = 1;    ///< of the program that is given it
};

/// Files that are no models: missing, empty, cut off, text, a folder.
std::vector<BadModel> badModels(const Folder& folder);

}  // namespace mpm::test
