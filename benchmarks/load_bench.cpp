// SPDX-License-Identifier: Apache-2.0
// mpm-load-bench MODEL [--runtime COMMAND]: time and peak memory of mpm::readNet, against the
// file's size and, interleaved, against another program that loads the same model (ONNX Runtime,
// say). Every load is a process of its own, since memory that was once used counts for ever.
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
#include <string>
#include <vector>

#include "mpm/net.h"

namespace {

using Clock = std::chrono::steady_clock;

struct Load {
  double ms = 0, peakMiB = 0;
};

double msSince(Clock::time_point begin) {
  return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

// A child that loads the model, by way of `shell` if there is one; it says its time itself, so that
// starting a program does not count.
std::optional<Load> loadInChild(const std::string& model, const std::string& shell) {
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
      mpm::readNet(model);
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

Load medianOf(std::vector<Load> loads) {
  std::sort(loads.begin(), loads.end(), [](const Load& a, const Load& b) { return a.ms < b.ms; });
  return loads[loads.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int kRounds = 5;
  const bool hasRuntime = argc == 4 && std::string(argv[2]) == "--runtime";
  if (argc != 2 && !hasRuntime) {
    std::fprintf(
        stderr,
        "usage: mpm-load-bench MODEL [--runtime COMMAND]\n"
        "COMMAND is run as `COMMAND MODEL` and prints the milliseconds that loading took.\n");
    return 2;
  }
  const std::string model = argv[1], runtime = hasRuntime ? argv[3] : "";
  std::vector<Load> ours, theirs;
  for (int round = 0; round <= kRounds; ++round) {
    const auto our = loadInChild(model, "");
    const auto their = hasRuntime ? loadInChild(model, runtime) : Load{};
    if (!our || !their) return 1;
    if (round == 0) continue;  // the file comes from the disk
    ours.push_back(*our);
    theirs.push_back(*their);
  }
  const Load our = medianOf(ours), their = medianOf(theirs);
  const double file = static_cast<double>(std::filesystem::file_size(model)) / (1 << 20);
  std::printf("file %.1f MiB; readNet %.0f ms, peak %.0f MiB: %.2f of the file\n", file, our.ms,
              our.peakMiB, our.peakMiB / file);
  if (hasRuntime) {
    std::printf("%s: %.0f ms, peak %.0f MiB; readNet takes %.2f of its time\n", runtime.c_str(),
                their.ms, their.peakMiB, our.ms / their.ms);
  }
  return 0;
}
