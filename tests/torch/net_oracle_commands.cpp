// SPDX-License-Identifier: Apache-2.0
// Commands of mpm in one process, one after the other: COMMAND [WORD]... --then [COMMAND ...]. Ends
// with the status of the first that fails.
#include <string>
#include <vector>

#include "cli/commands.h"

int main(int argc, char** argv) {
  std::vector<char*> words{argv[0]};
  for (int i = 1; i < argc; ++i) {
    if (std::string(argv[i]) != "--then") {
      words.push_back(argv[i]);
      continue;
    }
    const int count = static_cast<int>(words.size());
    words.push_back(nullptr);
    if (const int status = mpm::cli::runMpm(count, words.data(), {}); status != 0) return status;
    words.resize(1);
  }
  return 0;
}
