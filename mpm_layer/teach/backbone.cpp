// SPDX-License-Identifier: Apache-2.0
#include "teach/backbone.h"

#include <algorithm>
#include <cstdint>
#include <locale>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dnn/host.h"
#include "dnn/layer_inputs.h"
#include "dnn/read_net.h"
#include "onnx/graph/attribute.h"
#include "onnx/graph/file.h"
#include "onnx/layers/recognise.h"
#include "onnx/layers/rewrite_model.h"
#include "segment/edge.h"
#include "segment/model_metadata.h"
#include "teach/head.h"
#include "teach/places.h"

namespace mpm::teach {
namespace {

constexpr std::int64_t kLeastOpset = 11;  // Slice by inputs, Resize by half pixels
constexpr std::int64_t kOptionalRoi = 13;
constexpr const char* kScores = "scores";

// Appends nodes to a graph from which the outputs were removed.
class Tail {
 public:
  explicit Tail(const onnx::Model& model) : names_(model), proto_(model.proto()) {
    proto_.mutable_graph()->clear_output();
  }

  onnx::Node& add(const char* type, const std::vector<std::string>& inputs) {
    onnx::Node& node = *proto_.mutable_graph()->add_node();
    last_ = unused(std::string("taught_") + type);
    node.set_op_type(type);
    node.set_name(last_);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(last_);
    return node;
  }
  const std::string& last() const { return last_; }
  void renameLast(const std::string& name) {
    last_ = names_.unusedName(name);
    auto& nodes = *proto_.mutable_graph()->mutable_node();
    nodes[nodes.size() - 1].set_output(0, last_);
  }

  std::string integers(const std::vector<std::int64_t>& values) {
    const std::string name = unused("taught_numbers");
    *proto_.mutable_graph()->add_initializer() =
        onnx::integerTensor(name, {static_cast<std::int64_t>(values.size())}, values);
    return name;
  }
  std::string floats(const std::vector<std::int64_t>& dims, const float* values) {
    const std::string name = unused("taught_weights");
    *proto_.mutable_graph()->add_initializer() = onnx::floatTensor(name, dims, values);
    return name;
  }

  // Returns the model with the last value as its only output, and with the inputs that it needs.
  onnx::Model finish(const onnx::Dim& batch, const std::vector<std::int64_t>& dims) {
    auto& graph = *proto_.mutable_graph();
    auto& output = *graph.add_output();
    output.set_name(last_);
    auto& tensor = *output.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(::onnx::TensorProto::FLOAT);
    auto& first = *tensor.mutable_shape()->add_dim();
    batch.isKnown() ? first.set_dim_value(batch.size)
                    : first.set_dim_param(batch.symbol.empty() ? "batch" : batch.symbol);
    for (const std::int64_t dim : dims) tensor.mutable_shape()->add_dim()->set_dim_value(dim);
    onnx::Model whole(std::move(proto_));
    whole.removeDead();
    ::onnx::ModelProto proto = whole.proto();
    proto.mutable_graph()->clear_input();
    for (const auto& input : whole.proto().graph().input()) {
      if (!whole.consumers(input.name()).empty()) *proto.mutable_graph()->add_input() = input;
    }
    return onnx::Model(std::move(proto));
  }

 private:
  std::string unused(const std::string& stem) {
    return names_.unusedName(made_++ == 0 ? stem : stem + "_" + std::to_string(made_));
  }

  const onnx::Model& names_;
  ::onnx::ModelProto proto_;
  std::string last_;
  int made_ = 0;
};

onnx::Dim batchOf(const onnx::Model& model) { return model.inputs().front().dims.front(); }

// Returns the values that a head reads, the last one first. The others are spread over the
// encoder's later half, where tokens say what is there and still where it ends.
std::vector<onnx::Stream> tapsOf(const onnx::Encoder& encoder, int depths) {
  std::vector<onnx::Stream> taps = {{encoder.features, encoder.featureRows}};
  const int blocks = encoder.blocks;
  std::set<int> behind;  // so many blocks
  for (int i = 1; i < depths; ++i)
    behind.insert(blocks - std::max(i, blocks * i / (2 * (depths - 1))));
  for (const onnx::Stream& stream : encoder.streams) {
    const bool isAlike =
        stream.rows.ownImage == encoder.featureRows.ownImage && !stream.rows.windows.areThere();
    if (isAlike && behind.count(stream.rows.blocks) > 0) taps.push_back(stream);
  }
  return taps;
}

// Adds nodes that turn rows into patch tokens [B, N, D] with this name.
void addPatchTokens(Tail& tail, const onnx::Stream& tap, const std::string& name) {
  const onnx::Tokens& rows = tap.rows;
  onnx::setAttribute(tail.add("Cast", {tap.value}), "to",
                     static_cast<std::int64_t>(::onnx::TensorProto::FLOAT));
  if (rows.rowsFirst) {
    onnx::setAttribute(tail.add("Transpose", {tail.last()}), "perm",
                       std::vector<std::int64_t>{1, 0, 2});
  }
  std::int64_t first = 0;
  for (const onnx::Part& part : rows.parts) {
    if (part.isImage) break;
    first += part.end - part.begin;
  }
  if (rows.parts.size() > 1) {
    tail.add("Slice", {tail.last(), tail.integers({first}), tail.integers({first + rows.ownImage}),
                       tail.integers({1})});
  }
  tail.renameLast(name);
}

struct Cut {
  onnx::Model model;
  std::vector<std::string> taps;  // its patch tokens, of each depth
};

// Cuts a copy of the model down to its patch tokens, concatenated, as they were recognised.
Cut cutBehind(const std::vector<onnx::Stream>& taps, onnx::Model& model,
              const onnx::Recognised& found) {
  model.setInputSize(found.input, found.sizes());
  onnx::Dim batch{1, ""};
  for (const onnx::Value& input : model.inputs()) {
    if (input.name == found.input) batch = input.dims.front();
  }
  Tail tail(model);
  std::vector<std::string> names;
  for (const onnx::Stream& tap : taps) {
    const std::string number = names.empty() ? "" : "_behind_" + std::to_string(tap.rows.blocks);
    addPatchTokens(tail, tap, "patch_tokens" + number);
    names.push_back(tail.last());
  }
  if (names.size() > 1)
    onnx::setAttribute(tail.add("Concat", names), "axis", static_cast<std::int64_t>(2));
  const onnx::Tokens& rows = taps.front().rows;
  const auto depths = static_cast<std::int64_t>(names.size());
  return {tail.finish(batch, {rows.ownImage, rows.dim * depths}), std::move(names)};
}

std::string sizeText(std::int64_t width, std::int64_t height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

// Explains why no head can be trained on what was recognised, and what to do; empty if one can.
std::string whyNoTokens(const onnx::Recognised& found) {
  const onnx::Encoder& encoder = found.encoder;
  if (!encoder.obstacle.empty()) {
    const bool isOpen = !found.input.empty() && found.height < 1;
    return "it has no patch tokens that a head could be taught on: " + encoder.obstacle +
           (isOpen ? ", by exporting it at that size"
                   : "; choose a Vision Transformer that keeps a token for each patch, as DINOv2 "
                     "does");
  }
  if (encoder.features.empty()) {
    return "its encoder does not keep the tokens of all patches to the end, so there is nothing "
           "that a head could be taught on; choose a Vision Transformer that does, such as DINOv2";
  }
  if (encoder.featureRows.windows.areThere()) {
    return "its tokens come window by window, and a head cannot be taught on those; expected a "
           "backbone whose tokens come row by row of the picture";
  }
  if (found.channels != 3) return "expected a backbone that takes pictures of three colours";
  if (found.channelsLast) {
    return "it takes pictures as [height x width x 3]; export it so that it takes [1 x 3 x height "
           "x width]";
  }
  const std::int64_t height = encoder.gridHeight * encoder.patch,
                     width = encoder.gridWidth * encoder.patch;
  if (found.ownHeight == height && found.ownWidth == width) return {};
  return "its " + sizeText(encoder.gridWidth, encoder.gridHeight) + " patches of " +
         std::to_string(encoder.patch) + " pixels are not its picture of " +
         sizeText(found.ownWidth, found.ownHeight) +
         ": it turns, pads, crops or resizes it, or its patches overlap or are not square; export "
         "it for a picture of whole square patches, side by side";
}

// Tells whether no operation between the input and the patches can move a pixel.
bool takesPictureAsItIs(const onnx::Model& model, const onnx::Recognised& found) {
  const onnx::Names stay = onnx::namesIn(
      "Cast Identity Add Sub Mul Div Neg Clip QuantizeLinear DequantizeLinear BatchNormalization");
  std::string value = found.encoder.image;
  while (value != found.input) {
    const onnx::Node* node = model.producer(value);
    if (node == nullptr || stay.count(node->op_type()) == 0) return false;
    std::string from;
    for (const std::string& input : node->input()) {
      if (model.producer(input) != nullptr || input == found.input)
        from = from.empty() ? input : "?";  // of two: who knows
    }
    value = from;
  }
  return true;
}

struct Read {
  Cut cut;
  onnx::Recognised found;
  bool asItIs = true;  // its patches are those of the frame; else that is to be tried
};

Read readBackbone(const std::string& path, const ReadOptions& options, int depths) {
  const onnx::RecogniseOptions wanted = dnn::rewriteOptions(options).recognise;
  onnx::Model original = onnx::readModel(path);
  const auto refuse = [&](const std::string& why) { throw std::runtime_error(path + ": " + why); };
  if (onnx::hasLayers(original))
    refuse("it was converted; teach on the model that it was made from");
  onnx::Model plain{::onnx::ModelProto(original.proto())};
  onnx::Recognised found = [&] {
    try {
      return onnx::recognise(plain, wanted);
    } catch (const onnx::ModelError& error) {
      throw onnx::ModelError(path + ": " + error.what());
    }
  }();
  const onnx::Encoder& encoder = found.encoder;
  if (const std::string why = whyNoTokens(found); !why.empty()) refuse(why);
  if (found.isResized())
    refuse("its graph is for pictures of " + sizeText(found.ownWidth, found.ownHeight) +
           "; export it for " + sizeText(wanted.width, wanted.height));
  if (original.opset() < kLeastOpset) {
    refuse("it is of ONNX opset " + std::to_string(original.opset()) +
           "; export it with opset 11 or later");
  }
  const bool asItIs = takesPictureAsItIs(plain, found);
  const std::vector<onnx::Stream> taps = tapsOf(encoder, depths);
  const bool areThere = std::all_of(taps.begin(), taps.end(), [&](const onnx::Stream& tap) {
    return original.producer(tap.value) != nullptr;
  });
  Cut cut = cutBehind(taps, areThere ? original : plain, found);
  if (cut.model.inputs().size() != 1) refuse("expected a backbone with one input, a picture");
  if (batchOf(cut.model).size > 1) refuse("it takes several pictures at once; expected one");
  return {std::move(cut), std::move(found), asItIs};
}

}  // namespace

Backbone::Backbone(const std::string& path, const ReadOptions& options, int depths)
    : path_(path), model_([&] {
        Read read = readBackbone(path, options, depths);
        asItIs_ = read.asItIs;
        grid_ = {static_cast<int>(read.found.encoder.gridWidth),
                 static_cast<int>(read.found.encoder.gridHeight)};
        patch_ = static_cast<int>(read.found.encoder.patch);
        taps_ = std::move(read.cut.taps);
        return std::move(read.cut.model);
      }()) {
  tokens_ = model_.outputs().front().name;
  input_ = grid_ * patch_;
  segment::ModelMetadata facts = segment::modelMetadata(path, model_.metadata());
  facts.mean = facts.mean.value_or(cv::Vec3f::all(0.5F));
  facts.std = facts.std.value_or(cv::Vec3f::all(0.5F));
  facts.rgb = colours_.rgb = facts.rgb.value_or(true);
  for (int i = 0; i < 3; ++i)
    colours_.mean[i] = (*facts.mean)[i], colours_.std[i] = (*facts.std)[i];
  facts.classes.clear();  // the head has its own
  facts.palette.clear();
  facts_ = segment::metadataEntries(facts);
  facts_["mpm.patch"] = std::to_string(patch_);
  ReadOptions usual;
  usual.device = options.device;
  usual.precision = options.precision;
  usual.check = options.check;
  dnn::ModelReading reading(onnx::Model(::onnx::ModelProto(model_.proto())), path, usual);
  if (reading.description().mergeable) merges_ = reading.description().schedule;
  net_ = reading.makeNet(dnn::placeOf(usual.device, usual.precision));
  if (!asItIs_) tryPlaces();
}

// Checks that a changed patch of the frame changes the token in the same place most.
void Backbone::tryPlaces() {
  cv::RNG random(1);
  cv::Mat frame(input_, CV_8UC3);
  random.fill(frame, cv::RNG::UNIFORM, 100, 156);
  const cv::Mat before = features(frame);
  // Lies on no line by which a picture is rotated or mirrored.
  const cv::Point place(std::min(grid_.width - 1, std::max(1, grid_.width / 4)), grid_.height / 8);
  cv::Mat patch = frame(cv::Rect(place * patch_, cv::Size(patch_, patch_)));
  random.fill(patch, cv::RNG::UNIFORM, 0, 256);
  const cv::Mat change = features(frame) - before;
  cv::Mat much;
  cv::reduce(change.mul(change), much, 1, cv::REDUCE_SUM);
  cv::Point most;
  cv::minMaxLoc(much, nullptr, nullptr, nullptr, &most);
  if (most.y == place.y * grid_.width + place.x) return;
  throw std::runtime_error(path_ +
                           ": its tokens are not where the frame's patches are: it turns, mirrors "
                           "or moves its picture; export it without that");
}

cv::Mat Backbone::features(const cv::Mat& frame) { return tokensOf(frame, {}); }

cv::Mat Backbone::mergedFeatures(const cv::Mat& frame) {
  return merges_.empty() ? cv::Mat() : tokensOf(frame, merges_);
}

cv::Mat Backbone::tokensOf(const cv::Mat& frame, const Schedule& schedule) {
  segment::checkFrame(frame);
  if (!merges_.empty()) setSchedule(net_, schedule);
  const std::vector<int> dims = {1, 3, input_.height, input_.width};
  cv::Mat blob(dims, CV_32F);
  preparer_.prepare({frame.data, frame.step[0], frame.cols, frame.rows, frame.channels()},
                    {input_.width, input_.height, 0, 0, input_.width, input_.height}, colours_,
                    blob.ptr<float>());
  cv::Mat tokens;
  try {
    net_.setInput(blob);
    std::vector<std::vector<cv::Mat>> blobs;
    dnn::forwardTo(net_, {tokens_}, blobs);
    tokens = blobs[0][0];
  } catch (const cv::Exception& error) {
    throw std::runtime_error(path_ +
                             ": OpenCV " CV_VERSION " cannot run it: " + dnn::firstLine(error.err));
  }
  if (tokens.dims == 3 && tokens.size[0] != 1)
    throw std::runtime_error(path_ + ": it makes " + std::to_string(tokens.size[0]) +
                             " pictures of one; export it without that");
  if (tokens.dims != 3 || tokens.size[1] != grid_.area())
    throw std::runtime_error(path_ + ": its patch tokens are " +
                             dnn::shapeText(dnn::shapeOf(tokens)) + "; expected one for each of " +
                             std::to_string(grid_.area()) + " patches");
  if (!cv::checkRange(tokens))
    throw std::runtime_error(path_ + ": its patch tokens are not finite on a frame");
  return tokens.reshape(1, grid_.area()).clone();
}

void Backbone::write(const std::string& path, const Head& head,
                     const std::map<std::string, std::string>& metadata) const {
  const auto classes = static_cast<std::int64_t>(head.biases.size());
  Tail tail(model_);
  const int dim = static_cast<int>(model_.outputs().front().dims.back().size) / depths();
  const int places = head.weights.rows - kPlaceTerms;
  std::vector<std::string> scores;  // of each depth, restored by itself once tokens merge
  for (int first = 0; first < places; first += dim) {
    const std::string weights = tail.floats({dim, classes}, head.weights.ptr<float>(first));
    tail.add("MatMul", {taps_[scores.size()], weights});
    if (first == 0) tail.add("Add", {tail.last(), tail.floats({classes}, head.biases.data())});
    scores.push_back(tail.last());
  }
  for (std::size_t i = 1; i < scores.size(); ++i)
    tail.add("Add", {i == 1 ? scores[0] : tail.last(), scores[i]});
  const cv::Mat ofPlaces = head.weights.rowRange(places, head.weights.rows);
  if (cv::countNonZero(ofPlaces) > 0) {
    const cv::Mat table = timesWeights(placeTerms(grid_), ofPlaces);
    tail.add("Add", {tail.last(), tail.floats({grid_.area(), classes}, table.ptr<float>())});
  }
  onnx::setAttribute(tail.add("Transpose", {tail.last()}), "perm",
                     std::vector<std::int64_t>{0, 2, 1});
  tail.add("Reshape", {tail.last(), tail.integers({-1, classes, grid_.height, grid_.width})});
  const auto side = static_cast<float>(patch_);
  const float scales[] = {1, 1, side, side};
  const std::string roi = model_.opset() < kOptionalRoi ? tail.floats({0}, nullptr) : std::string();
  onnx::Node& resize = tail.add("Resize", {tail.last(), roi, tail.floats({4}, scales)});
  onnx::setAttribute(resize, "mode", std::string("linear"));
  onnx::setAttribute(resize, "coordinate_transformation_mode", std::string("half_pixel"));
  tail.renameLast(kScores);
  onnx::Model whole = tail.finish(batchOf(model_), {classes, input_.height, input_.width});
  for (const auto* entries : {&facts_, &metadata}) {
    for (const auto& [key, text] : *entries)
      text.empty() ? whole.removeMetadata(key) : whole.setMetadata(key, text);
  }
  onnx::writeModel(whole, path);
}

}  // namespace mpm::teach
