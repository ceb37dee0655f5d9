// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace mpm::bench {

void printTable(const Report& report) {
  std::printf("%s, %d threads, kernels: %s\n\n", report.processor.c_str(), report.threads,
              report.kernels.c_str());
  std::printf("| what | ours | against | theirs | ratio | goal | |\n");
  std::printf("| --- | ---: | --- | ---: | ---: | ---: | --- |\n");
  for (const Row& row : report.rows) {
    char goal[32] = "";
    if (row.goal > 0)
      std::snprintf(goal, sizeof goal, "%s %.3g", row.atLeast ? ">=" : "<=", row.goal);
    std::printf("| %s | %.3f %s | %s | %.3f %s | %.3f | %s | %s |\n", row.what.c_str(), row.ours,
                row.unit.c_str(), row.against.c_str(), row.theirs, row.unit.c_str(), row.ratio,
                goal,
                row.goal == 0 ? ""
                : row.met()   ? "met"
                              : "MISSED");
  }
}

void writeJson(const Report& report, const std::string& path) {
  nlohmann::json rows = nlohmann::json::array();
  for (const Row& row : report.rows) {
    nlohmann::json entry = {{"what", row.what},     {"against", row.against}, {"ours", row.ours},
                            {"theirs", row.theirs}, {"unit", row.unit},       {"ratio", row.ratio}};
    if (row.goal > 0) {
      entry[row.atLeast ? "at_least" : "at_most"] = row.goal;
      entry["met"] = row.met();
    }
    rows.push_back(entry);
  }
  std::ofstream file(path);
  file << nlohmann::json{{"processor", report.processor},
                         {"threads", report.threads},
                         {"kernels", report.kernels},
                         {"rows", rows}}
              .dump(2)
       << '\n';
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace mpm::bench
