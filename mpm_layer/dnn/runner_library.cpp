// SPDX-License-Identifier: Apache-2.0
#include "dnn/device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace mpm::dnn {
namespace {

constexpr const char* kLibrary = "libmpm_torch.so";

// What was loaded, or why nothing was.
struct Attempt {
  LoadedRunner loaded;
  std::string why;
};

// Of the file that this code was loaded from; empty where the system does not say.
std::filesystem::path ownFolder() {
  Dl_info info;
  static const char here = 0;
  if (dladdr(&here, &info) == 0 || info.dli_fname == nullptr) return {};
  return std::filesystem::path(info.dli_fname).parent_path();
}

std::string libraryOf(const char* forced) {
  if (*forced != '\0') return forced;
  const std::filesystem::path beside = ownFolder() / kLibrary;
  std::error_code ignored;
  return beside.has_parent_path() && std::filesystem::exists(beside, ignored) ? beside.string()
                                                                              : kLibrary;
}

// Null, and `why`, where it is not to be had. Libraries stay: what they give lives until the end.
RunnerEntry* entryOf(const std::string& library, std::string& why) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* error = dlerror();
    const std::string reason = error != nullptr ? error : "no reason given";
    const bool isAbsent =
        library == kLibrary && reason.rfind(std::string(kLibrary) + ": cannot open", 0) == 0;
    why = isAbsent ? library + " was not found; it is built where LibTorch with CUDA is found"
                   : library + " cannot be loaded: " + reason;
    return nullptr;
  }
  auto* entry = reinterpret_cast<RunnerEntry*>(dlsym(handle, kRunnerEntry));
  if (entry == nullptr)
    why = library + " is not a runner: it does not export " + std::string(kRunnerEntry);
  return entry;
}

void load(const std::string& device, const char* forced, Attempt& attempt) {
  const std::string library = libraryOf(forced);
  RunnerEntry* entry = entryOf(library, attempt.why);
  if (entry == nullptr) return;
  try {
    attempt.loaded.runner = entry(kRunnerVersion, device.c_str(), &attempt.why);
  } catch (const std::exception& error) {
    attempt.why = error.what();
  }
  if (attempt.loaded.runner == nullptr && attempt.why.empty())
    attempt.why = library + " returned neither a runner for it nor a reason";
}

}  // namespace

LoadedRunner& runnerOf(const std::string& device) {
  static std::mutex once;
  static auto* const attempts = new std::map<std::string, std::unique_ptr<Attempt>>;
  const char* variable = std::getenv("MPM_RUNNER");
  const char* forced = variable != nullptr ? variable : "";
  const std::lock_guard lock(once);
  std::unique_ptr<Attempt>& attempt = (*attempts)[device + '\n' + forced];
  if (!attempt) {
    attempt = std::make_unique<Attempt>();
    load(device, forced, *attempt);
  }
  if (attempt->loaded.runner == nullptr)
    throw std::invalid_argument("device " + device + ": " + attempt->why);
  return attempt->loaded;
}

}  // namespace mpm::dnn
