// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

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

}  // namespace mpm::test
