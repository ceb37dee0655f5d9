// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "machine.h"

namespace mpm::bench {
namespace {

int tellUsage(const Program& program, bool asked) {
  std::string option;
  if (program.option != nullptr) {
    option = " [" + std::string(program.option) + " " + std::to_string(program.number) + "]";
  }
  std::fprintf(asked ? stdout : stderr, "usage: %s%s [--json FILE]\n%s\n", program.name,
               option.c_str(), program.about);
  return asked ? 0 : 2;
}

}  // namespace

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

int runBenchmark(int argc, char** argv, const Program& program,
                 const std::function<void(Report&, int)>& measure) {
  int number = program.number;
  std::string json;
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    const bool isLast = i + 1 == argc;
    if (word == "--json" && !isLast) {
      json = argv[i + 1];
    } else if (program.option != nullptr && word == program.option && !isLast) {
      number = std::atoi(argv[i + 1]);
    } else {
      return tellUsage(program, word == "--help");
    }
  }
  if (program.option != nullptr && number < 1) return tellUsage(program, false);
  try {
    Report report;
    report.processor = processorName();
    measure(report, number);
    printTable(report);
    if (!json.empty()) writeJson(report, json);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.name, error.what());
    return 1;
  }
  return 0;
}

}  // namespace mpm::bench
