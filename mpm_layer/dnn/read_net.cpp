// SPDX-License-Identifier: Apache-2.0
#include "dnn/read_net.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <opencv2/core/utils/logger.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "contract/layer_kinds.h"
#include "dnn/host.h"
#include "dnn/model_files.h"
#include "dnn/weights.h"
#include "mpm/layers.h"
#include "onnx/graph/error.h"
#include "onnx/graph/file.h"
#include "onnx/layers/for_opencv.h"
#include "onnx/layers/recognise.h"
#include "onnx/layers/rewrite_model.h"
#include "onnx/layers/subgraphs.h"
#include "onnx/normal_form/normal_form.h"
#include "onnx/operators/interpreter.h"
#include "processor/large_pages.h"
#include "processor/pool.h"

namespace mpm::dnn {

onnx::RewriteOptions rewriteOptions(const ReadOptions& options) {
  if (options.inputSize.width < 0 || options.inputSize.height < 0 ||
      (options.inputSize.width == 0) != (options.inputSize.height == 0)) {
    throw std::invalid_argument("input size " + std::to_string(options.inputSize.width) + "x" +
                                std::to_string(options.inputSize.height) +
                                ": expected a width and a height in pixels");
  }
  constexpr std::int64_t kMostPixels = std::int64_t{1} << 26;
  if (std::int64_t{options.inputSize.width} * options.inputSize.height > kMostPixels) {
    throw std::invalid_argument("input size " + std::to_string(options.inputSize.width) + "x" +
                                std::to_string(options.inputSize.height) + ": expected at most " +
                                std::to_string(kMostPixels) + " pixels");
  }
  onnx::RewriteOptions rewrite;
  rewrite.recognise.lateRestore = options.restore == Restore::late;
  rewrite.recognise.proportional = options.proportional;
  rewrite.recognise.width = options.inputSize.width;
  rewrite.recognise.height = options.inputSize.height;
  rewrite.schedule = options.schedule;
  return rewrite;
}

}  // namespace mpm::dnn

namespace mpm {
namespace {

// Puts the model's name before errors of rewriting, as those of reading have it.
template <class Rewrite>
void inModel(const std::string& name, const Rewrite& rewrite) {
  try {
    rewrite();
  } catch (const onnx::ModelError& error) {
    throw onnx::ModelError(name + ": " + error.what());
  }
}

cv::Mat matFor(const onnx::Integers& sizes) {
  std::vector<int> dims(sizes.begin(), sizes.end());
  while (dims.size() < 2) dims.insert(dims.begin(), 1);  // a Mat has at least two
  cv::Mat mat(dims, CV_32F);
  processor::preferLargePages(mat.data, mat.total() * mat.elemSize());
  return mat;
}

// Reads the constants of a plan's layers. Transposing large ones takes most of the time of reading
// a model, so threads share them.
dnn::LayerWeights readWeights(const onnx::Model& model,
                              const std::vector<onnx::Plan::NewNode>& nodes) {
  struct Task {
    const onnx::Weight* weight;
    cv::Mat mat;
  };
  dnn::LayerWeights weights;
  std::vector<Task> tasks;
  for (const onnx::Plan::NewNode& added : nodes) {
    if (added.weights.empty()) continue;
    std::vector<cv::Mat>& mats = weights[added.node.name()];
    for (const onnx::Weight& weight : added.weights) {
      mats.push_back(matFor(weight.dims));
      tasks.push_back({&weight, mats.back()});
    }
  }
  std::exception_ptr fault;
  std::mutex mutex;
  processor::forEachTask(tasks.size(), [&](std::size_t task) {
    try {
      tasks[task].weight->read(model, reinterpret_cast<float*>(tasks[task].mat.data));
    } catch (...) {
      const std::lock_guard lock(mutex);
      fault = std::current_exception();
    }
  });
  if (fault) std::rethrow_exception(fault);
  return weights;
}

// Moves constants out of a converted model for layers that a chain will hold. The chain's attribute
// would keep them in memory for as long as the net lives.
void takeConstants(onnx::Model& model, dnn::LayerWeights& weights) {
  onnx::Edit edit;
  for (const onnx::Node* node : model.nodes()) {
    const std::optional<LayerKind> kind = kindOf(node->op_type());
    if (!kind || !infoOf(*kind).isInChains) continue;
    onnx::Node bare = *node;
    bare.clear_input();
    if (bare.name().empty() || weights.count(bare.name()) != 0) bare.set_name(node->output(0));
    for (const std::string& input : node->input()) {
      const auto constant = model.constant(input);
      if (!constant) {
        bare.add_input(input);
        continue;
      }
      const onnx::Floats floats = constant->floats();
      cv::Mat mat = matFor(constant->dims());
      std::copy(floats.begin(), floats.end(), mat.ptr<float>());
      weights[bare.name()].push_back(mat);
    }
    if (bare.input_size() == node->input_size()) continue;
    edit.remove.push_back(node);
    edit.add.push_back(std::move(bare));
  }
  model.apply(std::move(edit));
  model.removeDead();
}

// Names the input whose open size OpenCV 4 does not take, for a model that does not load.
std::string openSize(const onnx::Model& model) {
  for (const onnx::Value& input : model.inputs()) {
    for (std::size_t i = 1; i < input.dims.size() && CV_VERSION_MAJOR < 5; ++i) {
      if (!input.dims[i].isKnown())
        return " (its input " + onnx::inQuotes(input.name) + " is open in more than its batch; " +
               (input.name == onnx::imageInput(model).name
                    ? "please give an input size)"
                    : "please fix its sizes, as onnxruntime.tools.make_dynamic_shape_fixed does)");
    }
  }
  return {};
}

// Adapts a model whose layers are in place to the importer of this OpenCV.
void fitImporter(onnx::Model& model, const std::string& name) {
  inModel(name, [&] {
    onnx::checkFlow(model, CV_VERSION_MAJOR);
    onnx::checkImportable(model);
    CV_VERSION_MAJOR >= 5 ? onnx::fitOpenCv5(model) : onnx::fitOpenCv4(model);
  });
}

// Names the operators that only OpenCV may know, where `why` does not: OpenCV 5 gives no reason.
std::string onlyForOpenCv(const onnx::Model& model, const std::string& why) {
  std::set<std::string> operators;
  for (const onnx::Node* node : model.nodes()) {
    const bool isOurs = node->op_type().rfind("mpm.", 0) == 0 || node->domain() == "mpm";
    if (!isOurs && node->op_type() != "Conv" && !onnx::isInterpreted(*node))
      operators.insert(node->op_type());
  }
  std::string names;
  for (const std::string& name : operators) {
    if (why.find(name) != std::string::npos) return {};
    names += (names.empty() ? "" : ", ") + name;
  }
  return names.empty() ? "" : " (" + names + ")";
}

cv::dnn::Net load(const std::string& bytes, const onnx::Model& model, const std::string& name) {
  const auto refusal = [&](const std::string& why) {
    return std::runtime_error(name + ": OpenCV " CV_VERSION " does not load it" + openSize(model) +
                              ": " + why + onlyForOpenCv(model, why));
  };
  try {
    return dnn::importOnnx(bytes);
  } catch (const cv::Exception& error) {
    throw refusal(dnn::firstLine(error.err));
  } catch (const std::exception& error) {  // of the standard library, on odd names and sizes
    throw refusal(error.what());
  }
}

cv::dnn::Net importNet(onnx::Model& model, dnn::LayerWeights weights, const std::string& name) {
  fitImporter(model, name);
  const std::string bytes = onnx::writeModel(model);
  const dnn::ScopedWeights scope(std::move(weights));
  return load(bytes, model, name);
}

// Facts about the values that stay for OpenCV, and about what the model's new nodes give instead.
class KeptFacts {
 public:
  KeptFacts() = default;
  explicit KeptFacts(const onnx::Recognised& recognised) : values_(recognised.values) {
    if (recognised.isResized())
      resized_ = {recognised.input, recognised.sizes(), onnx::sizeChangeOf(recognised)};
  }

  bool isResized() const { return resized_.has_value(); }

  /// Adapts a rewritten model to what OpenCV reads.
  void fit(onnx::Model& model, const onnx::StandsFor& standsFor) const {
    const auto own = [&](const std::string& value) {
      const auto found = standsFor.find(value);
      return found == standsFor.end() ? value : found->second;
    };
    const onnx::DimsOf dims = [&](const std::string& value) -> const onnx::Integers* {
      return values_ == nullptr ? nullptr : values_->dims(own(value));
    };
    if (resized_) {
      const auto atSize = onnx::dimsAtSize(model, *resized_, dims);
      onnx::spellForOpenCv(model, [&](const std::string& value) {
        const auto found = atSize.find(value);
        return found == atSize.end() ? nullptr : &found->second;
      });
    } else {
      onnx::spellForOpenCv(model, dims);
    }
    // Named dims say which sizes are equal and how many there are, at any input size.
    onnx::takeSubgraphs(
        model,
        [&](const std::string& value) -> const onnx::Integers* {
          return values_ == nullptr ? nullptr : values_->namedDims(own(value));
        },
        [&](const std::string& value) {
          return values_ == nullptr ? 0 : values_->type(own(value));
        });
  }

 private:
  std::shared_ptr<const onnx::Values> values_;
  std::optional<onnx::ResizedInput> resized_;
};

// `rewriting` is null for a converted model.
dnn::OutputCheck outputCheckOf(const onnx::Model& model, const onnx::Rewriting* rewriting) {
  if (rewriting == nullptr) return dnn::OutputCheck(model, "", {}, false);
  const onnx::Recognised& recognised = rewriting->recognised;
  const onnx::Integers* own =
      recognised.values == nullptr ? nullptr : recognised.values->dims(recognised.input);
  if (own == nullptr || own->size() != 4) return dnn::OutputCheck(model, "", {}, true);
  onnx::Integers dims = *own;
  const onnx::Integers sizes = recognised.sizes();
  std::copy(sizes.begin(), sizes.end(), dims.begin() + 1);
  return dnn::OutputCheck(model, recognised.input, dims, dims == *own);
}

// Runs code that loads or tries a net. If it fails at another input size, something depends on the
// model's own size and could not be changed. The error then says so.
template <class Load>
auto atItsSize(bool isResized, const std::string& name, const Load& loads) {
  try {
    return loads();
  } catch (const std::runtime_error& error) {
    if (!isResized) throw;
    std::string why = error.what();
    if (why.rfind(name + ": ", 0) == 0) why.erase(0, name.size() + 2);
    throw std::runtime_error(name +
                             ": another input size is not possible; it does not run at it: " + why);
  }
}

// Reads a converted model as other programs do. Hides the domain first, since OpenCV 4 warns of it
// at each node.
void prove(dnn::OutputCheck proof, const onnx::Model& converted, const dnn::Place& place,
           const std::string& name) {
  registerLayers();
  std::string bytes;
  {
    onnx::Model model{::onnx::ModelProto(converted.proto())};
    onnx::hideDomain(model);
    proof.noteOutputs(model);
    bytes = onnx::writeModel(model);
  }
  cv::dnn::Net net = load(bytes, converted, name);
  dnn::setPlace(net, place);
  proof.check(net, name);
}

}  // namespace

onnx::Rewriting dnn::planRewriting(onnx::Model& model, const ReadOptions& options,
                                   const std::string& name) {
  const onnx::RewriteOptions rewrite = rewriteOptions(options);
  onnx::Rewriting rewriting;
  inModel(name, [&] { rewriting = onnx::planRewriting(model, rewrite); });
  return rewriting;
}

std::string dnn::firstLine(std::string message) {
  constexpr const char* kFrame = "> \n";  // OpenCV puts it around lines
  const std::size_t first = std::min(message.find_first_not_of(kFrame), message.size());
  // A check without words: the lines after it have the condition and the values.
  if (message.compare(first, 2, ":\n") == 0) {
    std::istringstream words(message.substr(first + 1));
    message.clear();
    for (std::string word; words >> word;) {
      if (word != ">") message += (message.empty() ? "" : " ") + word;
    }
  }
  message = message.substr(0, message.find('\n', 1));
  const std::size_t begin = message.find_first_not_of(kFrame);
  return begin == std::string::npos ? "no reason given" : message.substr(begin);
}

dnn::ModelReading::ModelReading(onnx::Model model, const std::string& name,
                                const ReadOptions& options)
    : model_(std::move(model)), name_(name), options_(options) {
  if (!onnx::hasLayers(model_)) rewriting_ = planRewriting(model_, options_, name_);
  description_ = descriptionOf(model_, rewriting_ ? &*rewriting_ : nullptr);
}

cv::dnn::Net dnn::ModelReading::makeNet(const Place& place) {
  registerLayers();
  if (options_.check) proof_ = outputCheckOf(model_, rewriting_ ? &*rewriting_ : nullptr);
  return rewriting_ ? makeRewritten(place) : makeConverted(place);
}

// Tries one net and returns another one. OpenCV 4.6 fuses layers again when a loaded net is asked
// for other outputs, and then computes wrong values.
cv::dnn::Net dnn::ModelReading::importProved(LayerWeights weights, const Place& place) {
  if (place.device != nullptr) {
    takeConstants(model_, weights);
    onnx::takeChains(model_);
  }
  onnx::hideDomain(model_);
  if (proof_) {
    proof_->noteOutputs(model_);
    cv::dnn::Net tried = importNet(model_, weights, name_);
    setPlace(tried, place);
    proof_->check(tried, name_);
  }
  cv::dnn::Net net = importNet(model_, std::move(weights), name_);
  setPlace(net, place);
  return net;
}

cv::dnn::Net dnn::ModelReading::makeRewritten(const Place& place) {
  const KeptFacts kept(rewriting_->recognised);
  onnx::StandsFor standsFor;
  const std::string& obstacle = rewriting_->recognised.encoder.obstacle;
  LayerWeights weights;
  if (!obstacle.empty())
    CV_LOG_WARNING(NULL, "MPM: " << name_ << " runs without merging: " << obstacle);
  const auto take = [&](const auto& nodes) { weights = readWeights(model_, nodes); };
  inModel(name_, [&] { standsFor = onnx::rewriteElsewhere(model_, std::move(*rewriting_), take); });
  kept.fit(model_, standsFor);
  return atItsSize(kept.isResized(), name_,
                   [&] { return importProved(std::move(weights), place); });
}

cv::dnn::Net dnn::ModelReading::makeConverted(const Place& place) {
  if (!options_.inputSize.empty()) {
    throw std::invalid_argument(name_ +
                                ": a converted file keeps its input size; please convert the model "
                                "again");
  }
  onnx::hideDomain(model_);
  KeptFacts().fit(model_, {});  // earlier versions left more to OpenCV
  cv::dnn::Net net = importProved({}, place);
  if (options_.schedule) setSchedule(net, *options_.schedule);
  return net;
}

cv::dnn::Net readNet(const std::string& path, const ReadOptions& options) {
  registerLayers();
  const dnn::Place place = dnn::placeOf(options.device, options.precision);
  return dnn::ModelReading(onnx::readModel(path), path, options).makeNet(place);
}

cv::dnn::Net readNet(const void* bytes, std::size_t size, const ReadOptions& options) {
  registerLayers();
  const dnn::Place place = dnn::placeOf(options.device, options.precision);
  return dnn::ModelReading(onnx::readModel(bytes, size), "model", options).makeNet(place);
}

namespace {

dnn::NetRanges rangesOf(const std::string& from, ReadOptions options,
                        const std::vector<cv::Mat>& calibration) {
  options.device = "cpu";
  options.precision = "fp32";
  options.check = false;  // a block has to be asked before its first forward
  dnn::ModelReading reading(onnx::readModel(from), from, options);
  if (reading.description().inputs.size() != 1)
    throw std::runtime_error(from +
                             ": it has several inputs; only a model of one can be calibrated");
  cv::dnn::Net net = reading.makeNet(dnn::placeOf(options.device, options.precision));
  return dnn::measureRanges(net, calibration);
}

constexpr const char* kScheduleFact = "mpm.schedule";

std::string alreadyConverted(const onnx::Model& model) {
  const std::map<std::string, std::string> facts = model.metadata();
  const auto schedule = facts.find(kScheduleFact);
  std::string merges;
  if (schedule != facts.end()) {
    merges = schedule->second == Schedule().text() ? ", without merges"
                                                   : ", and merges before " + schedule->second;
  }
  return "it is already converted" + merges + "; convert the model that it was made from";
}

// Refuses a target that is one of the model's own files, by whatever name or link.
void checkTarget(const std::string& from, const std::string& to) {
  for (const std::string& file : dnn::filesOfModel(from)) {
    std::error_code isNoFile;
    if (std::filesystem::equivalent(file, to, isNoFile))
      throw std::invalid_argument(to + ": the model is read from this file; please name another");
  }
}

}  // namespace

void dnn::convert(const std::string& from, const std::string& to, const ReadOptions& options,
                  const std::vector<cv::Mat>& calibration,
                  const std::map<std::string, std::string>& metadata) {
  checkTarget(from, to);
  dnn::deviceOf(options.device);
  onnx::Model model = onnx::readModel(from);
  if (onnx::hasLayers(model)) throw std::runtime_error(from + ": " + alreadyConverted(model));
  onnx::Rewriting rewriting = dnn::planRewriting(model, options, from);
  if (!rewriting.recognised.encoder.obstacle.empty())
    throw std::runtime_error(from + ": it cannot merge: " + rewriting.recognised.encoder.obstacle);
  std::optional<dnn::OutputCheck> proof;
  if (options.check) proof = outputCheckOf(model, &rewriting);
  const KeptFacts kept(rewriting.recognised);
  for (const auto& [key, text] : metadata) model.setMetadata(key, text);
  model.setMetadata(kScheduleFact, rewriting.schedule.text());
  inModel(from, [&] { kept.fit(model, onnx::rewriteInFile(model, std::move(rewriting))); });
  if (!calibration.empty() && dnn::addRanges(model, rangesOf(from, options, calibration)) == 0)
    throw std::runtime_error(from +
                             ": none of its blocks uses ranges; convert it without calibration");
  if (CV_VERSION_MAJOR >= 5) onnx::hideDomain(model);  // it looks for layers by the operator alone
  fitImporter(model, from);
  const auto proves = [&] {
    prove(*std::move(proof), model, dnn::placeOf(options.device, options.precision), from);
  };
  if (proof) atItsSize(kept.isResized(), from, proves);
  onnx::writeModel(model, to);
}

}  // namespace mpm
