// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>

namespace mpm::bench {
namespace {

std::string number(double value, int digits) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

// NaN meets no goal.
bool isMet(const Row& row) { return std::isfinite(row.ratio) && row.met(); }

int tellUsage(const Program& program, bool asked) {
  std::string option;
  if (program.option != nullptr) {
    option = " [" + std::string(program.option) + " " + std::to_string(program.number) + "]";
  }
  std::fprintf(asked ? stdout : stderr, "usage: %s%s\n%s\n", program.name, option.c_str(),
               program.about);
  return asked ? 0 : 2;
}

}  // namespace

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  }
  return "unknown processor";
}

std::string tableText(const Report& report) {
  std::ostringstream out;
  out << report.processor << ", " << report.threads << " threads, kernels: " << report.kernels
      << "\n\n| what | ours | against | theirs | ratio | goal | |\n"
      << "| --- | ---: | --- | ---: | ---: | ---: | --- |\n";
  for (const Row& row : report.rows) {
    const std::string unit = row.unit.empty() ? "" : ' ' + row.unit;
    out << "| " << row.what << " | " << number(row.ours, 4) << unit << " | " << row.against << " | "
        << number(row.theirs, 4) << unit << " | " << number(row.ratio, 4) << " | ";
    if (row.goal != 0) out << (row.atLeast ? ">= " : "<= ") << number(row.goal, 4);
    out << (row.goal == 0 ? " | |\n" : isMet(row) ? " | met |\n" : " | missed |\n");
  }
  if (!report.notes.empty()) out << '\n';
  for (const std::string& note : report.notes) out << "- " << note << '\n';
  return out.str();
}

int runBenchmark(int argc, char** argv, const Program& program,
                 const std::function<void(Report&, int)>& measure) {
  int number = program.number;
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    if (program.option == nullptr || word != program.option || i + 1 == argc)
      return tellUsage(program, word == "--help");
    number = std::atoi(argv[i + 1]);
  }
  if (program.option != nullptr && number < 1) return tellUsage(program, false);
  try {
    Report report;
    measure(report, number);
    std::fputs(tableText(report).c_str(), stdout);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.name, error.what());
    return 1;
  }
  return 0;
}

}  // namespace mpm::bench
