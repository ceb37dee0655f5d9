// SPDX-License-Identifier: Apache-2.0
// The merge and whole networks on a GPU against PyTorch, each pair in one run. See
// docs/benchmarks-gpu.md.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>
#include <torch/version.h>

#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "mpm/runner.h"
#include "report.h"
#include "tables.h"
#include "torch/layer.h"

namespace mpm::bench {
namespace {

constexpr char kUsage[] =
    "usage: mpm-gpu-bench --runner libmpm_torch.so --frames FILE [--device cuda] [--small]\n"
    "                     [--weights FILE] [--markdown FILE] [--json FILE]\n"
    "Times the merge and Segmenter T, S, B and L on a GPU against PyTorch, in pairs. FILE of\n"
    "--frames: pictures of 512 x 512 bytes RGB, one after the other. --device cpu-torch and "
    "--small\n"
    "try the program itself on a machine without a GPU.\n";

struct Options {
  std::string runner, frames, weights, device = "cuda", markdown, json;
  bool small = false;
};

/// False: not understood.
bool read(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--small") {
      options.small = true;
      continue;
    }
    std::string* const value = name == "--runner"     ? &options.runner
                               : name == "--frames"   ? &options.frames
                               : name == "--weights"  ? &options.weights
                               : name == "--device"   ? &options.device
                               : name == "--markdown" ? &options.markdown
                               : name == "--json"     ? &options.json
                                                      : nullptr;
    if (value == nullptr || i + 1 == argc) return false;
    *value = argv[++i];
  }
  return !options.runner.empty() && !options.frames.empty();
}

/// Pictures of a file of bytes [F, side, side, 3] (RGB) as a batch [batch, 3, side, side] of floats
/// from -1 to 1; they begin again where there are too few.
at::Tensor readFrames(const std::string& path, int side, int batch) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const std::size_t frame = static_cast<std::size_t>(side) * side * 3;
  if (!file || bytes.empty() || bytes.size() % frame != 0)
    throw std::runtime_error(path + " holds " + std::to_string(bytes.size()) +
                             " bytes; expected pictures of " + std::to_string(frame) +
                             " bytes, RGB, row by row");
  const auto count = static_cast<std::int64_t>(bytes.size() / frame);
  const at::Tensor pictures =
      at::from_blob(const_cast<char*>(bytes.data()), {count, side, side, 3}, at::kByte)
          .permute({0, 3, 1, 2})
          .to(at::kFloat)
          .div(127.5)
          .sub(1);
  return pictures.index_select(0, at::arange(batch, at::kLong).remainder(count)).contiguous();
}

/// The runner of a library for a device; lives until the process ends.
Runner& openRunner(const std::string& library, const std::string& device) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  auto* const entry = reinterpret_cast<RunnerEntry*>(dlsym(handle, kRunnerEntry));
  if (entry == nullptr)
    throw std::runtime_error(library + " is not a runner: it does not export mpm_runner");
  std::string why;
  Runner* const runner = entry(kRunnerVersion, device.c_str(), &why);
  if (runner == nullptr) throw std::runtime_error("device " + device + ": " + why);
  return *runner;
}

void measure(Runner& runner, const Options& options, Report& report) {
  Scale scale;
  scale.isGpu = options.device == "cuda";
  if (options.small) scale.batch = 2, scale.mostTokens = 512;
  const at::Device device(scale.isGpu ? at::kCUDA : at::kCPU);
  const at::Tensor images = readFrames(options.frames, 512, scale.batch).to(device);
  const RunnerBlob image = torch_runner::denseBlob(images);

  const auto add = [&](const std::vector<Row>& rows) {
    for (const Row& row : rows) {
      std::fprintf(stderr, "%s: %.4g\n", row.what.c_str(), row.ratio);
      report.rows.push_back(row);
    }
  };
  Tensors street;
  if (options.weights.empty()) {
    report.notes.push_back("weights were drawn, and merge little");
  } else {
    street = readTensors(options.weights);
  }
  add({mapRow(images, scale)});
  add(mergeRows(images, scale));
  for (const char* precision : {"fp32", "tf32", "bf16"}) {
    if (!runner.hasPrecision(precision)) {
      report.notes.push_back(std::string(precision) + " is not computed on " + runner.deviceName());
      continue;
    }
    for (const ModelSize& size : modelSizes()) {
      if (options.small && std::strcmp(size.name, "T") != 0) continue;
      const Model model = modelOf(size, street.empty() ? drawnTensors(size, 7) : street);
      add({scoresRow(runner, model, precision, images, image)});
      add(networkRows(runner, model, precision, images, image, scale));
    }
  }
}

int run(int argc, char** argv) {
  Options options;
  if (!read(argc, argv, options)) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  const c10::NoGradGuard inference;
  Runner& runner = openRunner(options.runner, options.device);
  Report report;
  report.processor = runner.deviceName();
  report.threads = at::get_num_threads();
  report.kernels = "ours and those of PyTorch " TORCH_VERSION;
  measure(runner, options, report);
  const std::string table = tableText(report);
  std::fputs(table.c_str(), stdout);
  writeFile(options.markdown, table);
  writeFile(options.json, jsonText(report));
  return 0;
}

}  // namespace
}  // namespace mpm::bench

int main(int argc, char** argv) {
  try {
    return mpm::bench::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mpm-gpu-bench: %s\n", error.what());
    return 1;
  }
}
