// SPDX-License-Identifier: Apache-2.0
#include "cli/unfinished.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <system_error>

#include "cli/output_file.h"

namespace mpm::cli {

struct Unfinished::Place {
  std::atomic<bool> isTaken{false}, isNamed{false};
  char path[4096] = {};
};

namespace {

// They are never freed: a signal may come in any thread, while another one ends.
std::array<Unfinished::Place, 64> places;

void removeAll(int signal) {
  for (Unfinished::Place& place : places) {
    if (place.isNamed.load()) unlink(place.path);
  }
  raise(signal);  // which now does what it would have done; see SA_RESETHAND
}

void catchSignals() {
  struct sigaction action {};
  action.sa_handler = removeAll;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction present {};
    if (sigaction(signal, nullptr, &present) != 0 || present.sa_handler != SIG_DFL) continue;
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

Unfinished::Unfinished(const std::filesystem::path& path) {
  const std::string name = std::filesystem::absolute(path).string();
  if (name.size() >= sizeof Place::path) return;
  for (Place& place : places) {
    if (place.isTaken.exchange(true)) continue;
    place_ = &place;
    break;
  }
  if (place_ == nullptr) return;
  std::memcpy(place_->path, name.c_str(), name.size() + 1);
  place_->isNamed = true;
  catchSignals();
}

Unfinished::~Unfinished() {
  if (place_ == nullptr) return;
  place_->isNamed = false;
  place_->isTaken = false;
}

// As files::NewFile names them.
void removeLeftovers(const std::filesystem::path& model) {
  namespace fs = std::filesystem;
  constexpr std::chrono::minutes kAWhile{1};
  const fs::path target = followed(model);
  const std::string begin = target.filename().string() + ".part";
  std::error_code ignored;
  for (fs::directory_iterator file(target.parent_path(), ignored), end; file != end;
       file.increment(ignored)) {
    const std::string name = file->path().filename().string();
    if (!name.starts_with(begin) || name.size() == begin.size() ||
        name.find_first_not_of("0123456789", begin.size()) != name.npos) {
      continue;
    }
    const auto written = file->last_write_time(ignored);
    if (!ignored && fs::file_time_type::clock::now() - written > kAWhile)
      fs::remove(file->path(), ignored);
  }
}

}  // namespace mpm::cli
