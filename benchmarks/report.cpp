// SPDX-License-Identifier: Apache-2.0
#include "report.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mpm::bench {
namespace {

std::string number(double value, int digits) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

// A NaN meets nothing.
bool isMet(const Row& row) { return std::isfinite(row.ratio) && row.met(); }

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

std::string jsonText(const Report& report) {
  std::ostringstream out;
  out << "{\n  \"processor\": " << quoted(report.processor)
      << ",\n  \"threads\": " << report.threads << ",\n  \"kernels\": " << quoted(report.kernels)
      << ",\n  \"notes\": [";
  for (const std::string& note : report.notes)
    out << (&note == &report.notes.front() ? "" : ", ") << quoted(note);
  out << "],\n  \"rows\": [";
  for (const Row& row : report.rows) {
    out << (&row == &report.rows.front() ? "\n" : ",\n") << "    {\"what\": " << quoted(row.what)
        << ", \"against\": " << quoted(row.against) << ", \"ours\": " << number(row.ours, 9)
        << ", \"theirs\": " << number(row.theirs, 9) << ", \"unit\": " << quoted(row.unit)
        << ", \"ratio\": " << number(row.ratio, 9);
    if (row.goal != 0)
      out << ", \"" << (row.atLeast ? "at_least" : "at_most") << "\": " << number(row.goal, 9)
          << ", \"met\": " << (isMet(row) ? "true" : "false");
    out << '}';
  }
  out << "\n  ]\n}\n";
  return out.str();
}

void writeFile(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw std::runtime_error("cannot write " + path);
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
    measure(report, number);
    std::fputs(tableText(report).c_str(), stdout);
    writeFile(json, jsonText(report));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", program.name, error.what());
    return 1;
  }
  return 0;
}

}  // namespace mpm::bench
