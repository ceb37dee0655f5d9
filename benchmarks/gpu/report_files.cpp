// SPDX-License-Identifier: Apache-2.0
#include "report_files.h"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace mpm::bench {
namespace {

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
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

std::string verdict(const Row& row) {
  if (row.goal == 0) return "";
  return std::isfinite(row.ratio) && row.met() ? "met" : "missed";
}

}  // namespace

std::string markdown(const GpuReport& report) {
  std::ostringstream out;
  out << report.device << ", PyTorch " << report.torch << "\n\n"
      << "| what | ours | against | theirs | ratio | goal | |\n"
      << "| --- | ---: | --- | ---: | ---: | ---: | --- |\n";
  for (const Row& row : report.rows) {
    const std::string unit = row.unit.empty() ? "" : ' ' + row.unit;
    out << "| " << row.what << " | " << number(row.ours) << unit << " | " << row.against << " | "
        << number(row.theirs) << unit << " | " << number(row.ratio) << " | ";
    if (row.goal != 0) out << (row.atLeast ? ">= " : "<= ") << number(row.goal);
    out << " | " << verdict(row) << " |\n";
  }
  if (!report.notes.empty()) out << '\n';
  for (const std::string& note : report.notes) out << "- " << note << '\n';
  return out.str();
}

std::string json(const GpuReport& report) {
  std::ostringstream out;
  out << "{\n  \"device\": " << quoted(report.device) << ",\n  \"torch\": " << quoted(report.torch)
      << ",\n  \"notes\": [";
  for (std::size_t i = 0; i < report.notes.size(); ++i)
    out << (i > 0 ? ", " : "") << quoted(report.notes[i]);
  out << "],\n  \"rows\": [\n";
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    const Row& row = report.rows[i];
    out << "    {\"what\": " << quoted(row.what) << ", \"against\": " << quoted(row.against)
        << ", \"ours\": " << number(row.ours) << ", \"theirs\": " << number(row.theirs)
        << ", \"unit\": " << quoted(row.unit) << ", \"ratio\": " << number(row.ratio);
    if (row.goal != 0)
      out << ", \"" << (row.atLeast ? "at_least" : "at_most") << "\": " << number(row.goal)
          << ", \"met\": " << (verdict(row) == "met" ? "true" : "false");
    out << (i + 1 < report.rows.size() ? "},\n" : "}\n");
  }
  out << "  ]\n}\n";
  return out.str();
}

void writeFile(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path);
}

}  // namespace mpm::bench
