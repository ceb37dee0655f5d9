// SPDX-License-Identifier: Apache-2.0
// mpm-load-bench MODEL [--runtime COMMAND]: time and peak memory of mpm::readNet and, for a
// segmentation model, of a Segmenter, against the file's size and, interleaved, against another
// program that loads the same model (ONNX Runtime, say). Every load is a process of its own, since
// memory that was once used counts for ever.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpm/net.h"
#include "mpm/segmenter.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Load {
  double ms = 0, peakMiB = 0;
};

double msSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

using Loader = void (*)(const std::string& model);

void readNet(const std::string& model) { mpm::readNet(model); }
void makeSegmenter(const std::string& model) { mpm::Segmenter segmenter(model); }

// Loads the model in a child with `load`, or through `shell` if given. The child reports its time
// itself, so that starting a program does not count.
std::optional<Load> loadInChild(const std::string& model, Loader load, const std::string& shell) {
  int ends[2];
  if (pipe(ends) != 0) return std::nullopt;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    if (!shell.empty()) {
      execl("/bin/sh", "sh", "-c", (shell + " " + model).c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    try {
      const auto begin = Clock::now();
      load(model);
      std::printf("%.3f\n", msSince(begin));
      std::fflush(stdout);
      _exit(0);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "mpm-load-bench: %s\n", error.what());
      _exit(1);
    }
  }
  close(ends[1]);
  std::string text(64, '\0');
  const ssize_t size = read(ends[0], text.data(), text.size());
  close(ends[0]);
  int status = 0;
  rusage usage{};
  wait4(child, &status, 0, &usage);
  if (size <= 0 || status != 0) return std::nullopt;
  return Load{std::atof(text.c_str()), static_cast<double>(usage.ru_maxrss) / 1024};
}

// Returns the median without the first load, which read the file from the disk.
Load medianOf(std::vector<Load> loads) {
  loads.erase(loads.begin());
  std::sort(loads.begin(), loads.end(), [](const Load& a, const Load& b) { return a.ms < b.ms; });
  return loads[loads.size() / 2];
}

bool isSegmentation(const std::string& model) {
  for (const mpm::Description::Blob& output : mpm::describe(model).outputs) {
    if (output.shape.size() == 4) return true;
  }
  return false;
}

void measure(const std::string& model, const std::string& runtime) {
  constexpr int kRounds = 5;
  struct Way {
    std::string name;
    Loader load;
    std::string shell;
    std::vector<Load> loads;
  };
  std::vector<Way> ways{{"readNet", readNet, "", {}}};
  if (isSegmentation(model)) ways.push_back({"Segmenter", makeSegmenter, "", {}});
  if (!runtime.empty()) ways.push_back({runtime, nullptr, runtime, {}});
  for (int round = 0; round <= kRounds; ++round) {
    for (Way& way : ways) {
      const auto load = loadInChild(model, way.load, way.shell);
      if (!load) throw std::runtime_error(way.name + " did not load " + model);
      way.loads.push_back(*load);
    }
  }
  const double file = static_cast<double>(std::filesystem::file_size(model)) / (1 << 20);
  const double theirMs = medianOf(ways.back().loads).ms;
  std::printf("file %.1f MiB\n", file);
  for (const Way& way : ways) {
    const Load load = medianOf(way.loads);
    std::printf("%s: %.0f ms, peak %.0f MiB, %.2f of the file", way.name.c_str(), load.ms,
                load.peakMiB, load.peakMiB / file);
    if (!runtime.empty() && way.shell.empty())
      std::printf("; %.2f of the other's time", load.ms / theirMs);
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool hasRuntime = words.size() == 3 && words[1] == "--runtime";
  const bool isAsked = words.size() == 1 && words[0] == "--help";
  if (isAsked || (words.size() != 1 && !hasRuntime)) {
    std::fputs(
        "usage: mpm-load-bench MODEL [--runtime COMMAND]\n"
        "COMMAND is run as `COMMAND MODEL` and prints the milliseconds that loading took.\n",
        isAsked ? stdout : stderr);
    return isAsked ? 0 : 2;
  }
  try {
    measure(words[0], hasRuntime ? words[2] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpm-load-bench: %s\n", error.what());
    return 1;
  }
}
