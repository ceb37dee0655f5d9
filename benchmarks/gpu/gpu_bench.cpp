// SPDX-License-Identifier: Apache-2.0
// The merge and whole networks on a GPU against PyTorch, each pair in one run. See
// docs/benchmarks-gpu.md.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/GradMode.h>
#include <dlfcn.h>
#include <torch/cuda.h>
#include <torch/version.h>

#ifdef MPM_TORCH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#include <c10/cuda/CUDAFunctions.h>
#endif

#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "contract/runner.h"
#include "merge/match.h"
#include "merge/steps.h"
#include "networks.h"
#include "paired.h"
#include "report.h"
#include "torch/layer.h"

namespace mpm::bench {
namespace {

// Times both sides alternately on a device: `calls` calls, then one wait, so that the cost of
// starting and waiting is shared by all calls.
class DeviceClock {
 public:
  explicit DeviceClock(bool isGpu) : isGpu_(isGpu) {}

  void wait() const {
    if (isGpu_) torch::cuda::synchronize();
  }

  template <class Ours, class Peer>
  Paired pairs(const Ours& ours, const Peer& peer, int calls, int runs = 31) const {
    const auto repeated = [&](const auto& call) {
      return [this, &call, calls] {
        for (int i = 0; i < calls; ++i) call();
        wait();
      };
    };
    Paired paired = measurePaired(repeated(ours), repeated(peer), runs, 6000);
    paired.oursMs /= calls;
    paired.peerMs /= calls;
    return paired;
  }

 private:
  bool isGpu_;
};

// Sizes of what is measured.
struct Scale {
  int batch = 32;
  int mostTokens = 16384;  //< of the large merge
  bool isGpu = true;
};

using Merged = std::tuple<at::Tensor, at::Tensor, at::Tensor>;

// Calls mpm::merge_pairs as PyTorch's users do.
Merged mergePairs(const at::Tensor& tokens) {
  using Optional = c10::optional<at::Tensor>;
  static const auto op =
      c10::Dispatcher::singleton()
          .findSchemaOrThrow("mpm::merge_pairs", "")
          .typed<Merged(const at::Tensor&, const Optional&, const Optional&, std::int64_t,
                        std::int64_t, at::IntArrayRef, const Optional&)>();
  return op.call(tokens, {}, {}, 0, 0, {}, {});
}

// Projects patches of images to `dim` features: tokens as at the start of a network.
at::Tensor tokensOf(const at::Tensor& images, int dim) {
  at::manual_seed(11);
  const at::Tensor weight = at::randn({dim, 3, 16, 16}).mul_(0.02).to(images.device());
  return at::conv2d(images, weight, {}, 16).flatten(2).transpose(1, 2).contiguous();
}

// Merges a batch once as in the paper, eager, padded to the longest image's rows. It waits for the
// device, which knows how many rows are left. Returns rows, counts per image, and map.
Merged paperMerge(const at::Tensor& tokens) {
  const std::int64_t batch = tokens.size(0), count = tokens.size(1);
  const at::Tensor own =
      at::arange(count, tokens.options().dtype(at::kLong)).expand({batch, count});
  const at::Tensor unit = tokens / tokens.norm(2, -1, /*keepdim=*/true).clamp_min(1e-12);
  at::Tensor similarity = at::bmm(unit, unit.transpose(1, 2));
  similarity.diagonal(0, 1, 2).fill_(-std::numeric_limits<double>::infinity());
  const at::Tensor best = similarity.argmax(2);

  const at::Tensor mutual = (best.gather(1, best) == own).logical_and_(best != own);
  const at::Tensor representative = at::where(mutual, at::minimum(own, best), own);
  const at::Tensor isFirst = representative == own;
  const at::Tensor map = (isFirst.cumsum(1) - 1).gather(1, representative);
  const at::Tensor counts = isFirst.sum(1);

  const std::int64_t longest = counts.max().item<std::int64_t>();
  at::Tensor sums = at::zeros({batch, longest, tokens.size(2)}, tokens.options());
  sums.scatter_add_(1, map.unsqueeze(2).expand_as(tokens), tokens);
  at::Tensor sizes = at::zeros({batch, longest}, tokens.options());
  sizes.scatter_add_(1, map, at::ones({batch, count}, tokens.options()));
  return {sums / sizes.clamp_min(1).unsqueeze(2), counts, map};
}

// Bytes that PyTorch's allocator holds on the device: now, and the peak since `restartPeak`. 0
// without CUDA.
struct DeviceMemory {
  double current = 0, peak = 0;
};

#ifdef MPM_TORCH_CUDA
DeviceMemory deviceMemory() {
  const auto bytes = c10::cuda::CUDACachingAllocator::getDeviceStats(c10::cuda::current_device())
                         .allocated_bytes[0];
  return {static_cast<double>(bytes.current), static_cast<double>(bytes.peak)};
}

void restartPeak() { c10::cuda::CUDACachingAllocator::resetPeakStats(c10::cuda::current_device()); }
#else
DeviceMemory deviceMemory() { return {}; }
void restartPeak() {}
#endif

Row memoryRow(const Scale& scale, at::Device device) {
  constexpr double kMiB = 1 << 20;
  const at::Tensor tokens =
      at::randn({1, scale.mostTokens, 1024}, at::TensorOptions().device(device));
  const double before = deviceMemory().current;
  restartPeak();
  const Merged merged = mergePairs(tokens);
  double outputs = 0;
  for (const at::Tensor& tensor : {std::get<0>(merged), std::get<1>(merged), std::get<2>(merged)})
    outputs += static_cast<double>(tensor.nbytes());
  const double ours = (deviceMemory().peak - before - outputs) / kMiB;
  return {"merge N=" + std::to_string(scale.mostTokens) + " D=1024, memory beyond its tensors",
          "the N x N matrix",
          ours,
          4.0 * scale.mostTokens * scale.mostTokens / kMiB,
          "MiB",
          ours,
          64};
}

// Compares the merge of embedded images with PyTorch's eager steps, and with reading the tokens and
// one product. Also measures its memory for large N.
std::vector<Row> mergeRows(const at::Tensor& images, const Scale& scale) {
  const DeviceClock clock(scale.isGpu);
  const at::Tensor tokens = tokensOf(images, 768);
  const std::string name = "merge B=" + std::to_string(tokens.size(0)) +
                           " N=" + std::to_string(tokens.size(1)) + " D=768";
  const int calls = scale.isGpu ? 20 : 1;
  const auto ours = [&] { mergePairs(tokens); };
  std::vector<Row> rows;

  rows.push_back(speedRow(name, "the paper's steps, PyTorch eager (times faster)",
                          clock.pairs(
                              ours, [&] { paperMerge(tokens); }, calls),
                          8));

  at::Tensor product =
      at::empty({tokens.size(0), tokens.size(1), tokens.size(1)}, tokens.options());
  const auto peak = [&](bool tf32) {
    return [&, tf32] {
      at::globalContext().setAllowTF32CuBLAS(tf32);
      at::bmm_out(product, tokens, tokens.transpose(1, 2));
      at::globalContext().setAllowTF32CuBLAS(false);
      tokens.sum();  // reads them
    };
  };
  rows.push_back(timesRow(name, "reading them and one N x N x D product, TF32",
                          clock.pairs(ours, peak(true), calls), 2.5));
  rows.push_back(timesRow(name, "reading them and one N x N x D product, float32",
                          clock.pairs(ours, peak(false), calls)));
  if (scale.isGpu) rows.push_back(memoryRow(scale, tokens.device()));
  return rows;
}

// Compares the device's map with the reference's: the share of clear rows (by more than 1e-5) that
// are merged alike. It should be 1.
Row mapRow(const at::Tensor& images, const Scale& scale) {
  constexpr double kClear = 1e-5;
  const at::Tensor tokens = tokensOf(images.slice(0, 0, scale.isGpu ? 4 : 1), 768);
  const at::Tensor map = std::get<2>(mergePairs(tokens)).cpu();
  const at::Tensor onHost = tokens.cpu();
  const auto count = static_cast<std::size_t>(tokens.size(1));
  double clear = 0, alike = 0;
  for (std::int64_t image = 0; image < onHost.size(0); ++image) {
    const at::Tensor rows = onHost[image];
    std::vector<merge::ReferenceMatch> matches(count);
    merge::matchReference({rows.data_ptr<float>(), count, 768}, {}, matches.data());
    const std::int64_t* const found = map[image].data_ptr<std::int64_t>();
    const auto isClear = [&](std::size_t i) {
      return matches[i].similarity - matches[i].runnerUp > kClear;
    };
    for (std::size_t i = 0; i < count; ++i) {
      const auto partner = static_cast<std::size_t>(matches[i].row);
      if (!isClear(i) || !isClear(partner)) continue;
      const bool pairs = matches[partner].row == static_cast<std::int32_t>(i);
      clear += 1;
      alike += pairs == (found[i] == found[partner]) ? 1 : 0;
    }
  }
  return {"clear rows that are merged as by the reference",
          std::to_string(static_cast<long>(clear)) + " clear rows",
          alike,
          clear,
          "rows",
          clear > 0 ? alike / clear : 0,
          1,
          true};
}

// Returns the goal of merged against unmerged frames per second, by precision and size.
double goalOf(const std::string& precision, const std::string& size) {
  static const std::map<std::string, std::map<std::string, double>> goals = {
      {"fp32", {{"T", 1.35}, {"S", 1.40}, {"B", 1.45}, {"L", 1.70}}},
      {"bf16", {{"B", 1.15}, {"L", 1.35}}}};
  const auto ofPrecision = goals.find(precision);
  if (ofPrecision == goals.end()) return 0;
  const auto found = ofPrecision->second.find(size);
  return found == ofPrecision->second.end() ? 0 : found->second;
}

at::ScalarType typeOf(const std::string& precision) {
  return precision == "bf16" ? at::kBFloat16 : at::kFloat;
}

Row framesRow(const std::string& what, const std::string& against, const Paired& paired, int batch,
              double goal) {
  return {what,
          against,
          1000 * batch / paired.oursMs,
          1000 * batch / paired.peerMs,
          "frames/s",
          1 / paired.ratio,
          goal,
          true};
}

double meanRows(Runner& runner, const RunnerBlob& blob) {
  std::vector<float> rows(static_cast<std::size_t>(blob.shape[0]));
  RunnerBlob onHost = blob;
  onHost.host = rows.data();
  runner.download(onHost);
  double sum = 0;
  for (const float count : rows) sum += count;
  return sum / static_cast<double>(rows.size());
}

// Measures a Segmenter's frames per second: merged before blocks 2 and 5 against unmerged, and
// unmerged against PyTorch eager in the same precision, with goals where set. `image` is the blob
// of `images`.
std::vector<Row> networkRows(Runner& runner, const Model& model, const std::string& precision,
                             const at::Tensor& images, const RunnerBlob& image,
                             const Scale& scale) {
  const DeviceClock clock(scale.isGpu);
  RunnerVit full(runner, model, {}, precision), merged(runner, model, {2, 5}, precision);
  const PlainVit plain(model, images.device(), typeOf(precision));
  at::globalContext().setAllowTF32CuBLAS(precision == "tf32");

  const double rows = meanRows(runner, merged.forward(image).rows);
  const std::string name = std::string("Segmenter ") + model.size.name + ", " + precision;
  const int calls = scale.isGpu ? 3 : 1, batch = static_cast<int>(images.size(0));
  std::vector<Row> table;
  table.push_back(framesRow(
      name + ", merged before 2 and 5 (" + std::to_string(static_cast<int>(rows)) + " rows left)",
      "full tokens",
      clock.pairs([&] { merged.forward(image); }, [&] { full.forward(image); }, calls, 15), batch,
      goalOf(precision, model.size.name)));
  table.push_back(framesRow(
      name + ", full tokens", "PyTorch eager",
      clock.pairs([&] { full.forward(image); }, [&] { plain.forward(images); }, calls, 15), batch,
      1));
  at::globalContext().setAllowTF32CuBLAS(false);
  return table;
}

// Returns the largest difference of unmerged scores from PyTorch's.
Row scoresRow(Runner& runner, const Model& model, const std::string& precision,
              const at::Tensor& images, const RunnerBlob& image) {
  RunnerVit full(runner, model, {}, precision);
  const at::Tensor expected =
      PlainVit(model, images.device(), at::kFloat).forward(images).cpu().contiguous();
  const at::Tensor found = at::empty_like(expected);
  RunnerBlob scores = full.forward(image).scores;
  scores.host = found.data_ptr<float>();
  runner.download(scores);
  const double difference = (found - expected).abs().max().item<double>();
  const double largest = expected.abs().max().item<double>();
  return {std::string("Segmenter ") + model.size.name + ", " + precision +
              ", largest difference of scores",
          "PyTorch eager, float32: their largest",
          difference,
          largest,
          "",
          difference / largest,
          precision == "fp32" ? 1e-3 : 0.1};
}

constexpr char kUsage[] =
    "usage: mpm-gpu-bench --runner libmpm_torch.so --frames FILE [--device cuda] [--small]\n"
    "                     --weights FILE [--markdown FILE]\n"
    "Times the merge and Segmenter T, S, B and L on a GPU against PyTorch, in pairs. FILE of\n"
    "--frames: pictures of 512 x 512 bytes RGB, one after the other. --device cpu-torch and "
    "--small\n"
    "try the program itself on a machine without a GPU.\n";

struct Options {
  std::string runner, frames, weights, device = "cuda", markdown;
  bool small = false;
};

// Returns false if the command line is not understood.
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
                                                      : nullptr;
    if (value == nullptr || i + 1 == argc) return false;
    *value = argv[++i];
  }
  return !options.runner.empty() && !options.frames.empty() && !options.weights.empty();
}

// Reads a file of bytes [F, side, side, 3] (RGB) as a batch [batch, 3, side, side] of floats from
// -1 to 1; repeats images if there are too few.
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

// Returns the runner of a library for a device; it lives until the process ends.
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
  const Tensors street = readTensors(options.weights);
  add({mapRow(images, scale)});
  add(mergeRows(images, scale));
  for (const char* precision : {"fp32", "tf32", "bf16"}) {
    if (!runner.hasPrecision(precision)) {
      report.notes.push_back(std::string(precision) + " is not computed on " + runner.deviceName());
      continue;
    }
    for (const ModelSize& size : modelSizes()) {
      if (options.small && std::strcmp(size.name, "T") != 0) continue;
      const Model model = modelOf(size, street);
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
  if (options.markdown.empty()) return 0;
  std::ofstream file(options.markdown, std::ios::binary);
  file << table;
  if (!file.flush()) throw std::runtime_error("cannot write " + options.markdown);
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
