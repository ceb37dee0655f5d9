// Two custom layers for OpenCV 4 and 5, in nets that this program writes itself. custom_layer.md
// explains them.
//
// c++ -std=c++17 custom_layer.cpp $(pkg-config --cflags --libs opencv4)
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <opencv2/dnn.hpp>
#include <opencv2/dnn/layer.hpp>
#include <string>
#include <vector>

//! [cluster]
// Gives each row the number of its cluster, and returns how many clusters there are. Two rows share
// one if each is the other's nearest by cosine; of equal ones the first counts. Rows of zeros and
// rows with a NaN stay alone.
int cluster(const cv::Mat& rows, const cv::Mat& weights, float least, float* number) {
  cv::Mat unit = rows.clone(), cosine;
  for (int i = 0; i < unit.rows; ++i) {
    cv::Mat row = unit.row(i);
    if (!weights.empty()) cv::multiply(row, weights.reshape(1, 1), row);
    const double length = cv::norm(row);
    row *= length > 0 ? 1 / length : std::numeric_limits<double>::quiet_NaN();
  }
  cv::mulTransposed(unit, cosine,
                    false);  // symmetric to the bit, so both rows of a pair see the same number

  std::vector<int> nearest(static_cast<std::size_t>(unit.rows), -1);
  for (int i = 0; i < unit.rows; ++i) {
    float best = -std::numeric_limits<float>::infinity();
    for (int j = 0; j < unit.rows; ++j) {
      const float c = cosine.at<float>(i, j);
      if (j == i || !(c >= least) || !(c > best)) continue;  // a NaN is neither
      best = c;
      nearest[i] = j;
    }
  }
  int count = 0;
  for (int i = 0; i < unit.rows; ++i) {
    const int j = nearest[i];
    const bool isSecond = j >= 0 && j < i && nearest[j] == i;
    number[i] = isSecond ? number[j] : static_cast<float>(count++);
  }
  return count;
}
//! [cluster]

//! [merge]
#if CV_VERSION_MAJOR >= 5
using Shape = cv::MatShape;  // a class
#else
using Shape = cv::dnn::MatShape;  // a vector of int
#endif
using Shapes = std::vector<Shape>;

// PairMerge(tokens [B, N, D], weights [D]) -> tokens, rows [B, 1], map [B, N]. The first `rows`
// tokens of an image are live, those behind them 0; `map` says for each token which one it became.
// Weights of features may be left out.
class PairMerge final : public cv::dnn::Layer {
 public:
  // Reads attributes of the node; Layer(params) sets name, type and blobs.
  explicit PairMerge(const cv::dnn::LayerParams& params)
      : Layer(params),
        least_(params.get<float>("least", -1)),
        isShort_(params.get<int>("short", 0) != 0) {
    if (least_ > 1)
      CV_Error(cv::Error::StsBadArg, name + ": least is a cosine, so it is at most 1");
  }
  static cv::Ptr<cv::dnn::Layer> create(cv::dnn::LayerParams& params) {
    return cv::makePtr<PairMerge>(params);
  }

  // Tells shapes before there are values: the tokens get as many rows as there can be. OpenCV 5
  // lists constants, too, and wants as many outputs as the node has. True would let OpenCV 4 work
  // in place.
  bool getMemoryShapes(const Shapes& in, const int, Shapes& out, Shapes&) const override {
    const Shape& tokens = in.at(0);
    CV_Assert(tokens.size() == 3);
    out = {tokens, Shape{tokens[0], 1}, Shape{tokens[0], tokens[1]}};
    return false;
  }
#if CV_VERSION_MAJOR >= 5
  // Tells that shapes depend on values: OpenCV 5 does not ask for them then, and forward allocates
  // all outputs.
  bool dynamicOutputShapes() const override { return isShort_; }
#endif
  void forward(cv::InputArrayOfArrays in, cv::OutputArrayOfArrays out,
               cv::OutputArrayOfArrays) override;

 private:
  float least_;
  bool isShort_;
};
//! [merge]

//! [forward]
void PairMerge::forward(cv::InputArrayOfArrays in, cv::OutputArrayOfArrays out,
                        cv::OutputArrayOfArrays) {
  std::vector<cv::Mat> all;
  in.getMatVector(all);
  all.insert(all.end(), blobs.begin(),
             blobs.end());  // OpenCV 4 has constants there, OpenCV 5 among the inputs
  const cv::Mat& tokens = all.at(0);
  const cv::Mat weights = all.size() > 1 ? all[1] : cv::Mat();
  CV_Assert(tokens.type() == CV_32F && tokens.isContinuous());
  const int batch = tokens.size[0], count = tokens.size[1], dim = tokens.size[2];

  cv::Mat map(batch, count, CV_32F), rows(batch, 1, CV_32F);
  int most = 0;
  for (int b = 0; b < batch; ++b) {
    const cv::Mat image(count, dim, CV_32F, const_cast<float*>(tokens.ptr<float>(b)));
    const int left = cluster(image, weights, least_, map.ptr<float>(b));
    rows.at<float>(b) = static_cast<float>(left);
    most = std::max(most, left);
  }
#if CV_VERSION_MAJOR >= 5
  if (isShort_) {
    out.getMatRef(0).fit(Shape{batch, most, dim}, CV_32F);  // keeps memory that is large enough
    out.getMatRef(1).fit(Shape{batch, 1}, CV_32F);
    out.getMatRef(2).fit(Shape{batch, count}, CV_32F);
  }
#endif
  cv::Mat &merged = out.getMatRef(0), &madeRows = out.getMatRef(1), &madeMap = out.getMatRef(2);
  rows.copyTo(madeRows);
  map.copyTo(madeMap);
  merged.setTo(0);  // it holds what another layer left in it
  for (int b = 0; b < batch; ++b) {
    std::vector<bool> isTaken(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) {
      const int row = static_cast<int>(map.at<float>(b, i));
      const float* from = tokens.ptr<float>(b, i);
      float* to = merged.ptr<float>(b, row);
      for (int k = 0; k < dim; ++k) to[k] = isTaken[row] ? (to[k] + from[k]) / 2 : from[k];
      isTaken[row] = true;
    }
  }
}
//! [forward]

//! [restore]
// PairRestore(tokens [B, R, D], map [B, N]) -> [B, N, D]: gives each token the row that it became.
class PairRestore final : public cv::dnn::Layer {
 public:
  explicit PairRestore(const cv::dnn::LayerParams& params) : Layer(params) {}
  static cv::Ptr<cv::dnn::Layer> create(cv::dnn::LayerParams& params) {
    return cv::makePtr<PairRestore>(params);
  }
  bool getMemoryShapes(const Shapes& in, const int, Shapes& out, Shapes&) const override {
    out = {Shape{in.at(0)[0], in.at(1)[1], in.at(0)[2]}};
    return false;
  }
  void forward(cv::InputArrayOfArrays in, cv::OutputArrayOfArrays out,
               cv::OutputArrayOfArrays) override {
    std::vector<cv::Mat> all;
    in.getMatVector(all);
    const cv::Mat &tokens = all.at(0), &map = all.at(1);
    cv::Mat& restored = out.getMatRef(0);
    for (int b = 0; b < map.size[0]; ++b) {
      for (int i = 0; i < map.size[1]; ++i) {
        const int row = static_cast<int>(map.at<float>(b, i));
        CV_Assert(row >= 0 && row < tokens.size[1]);
        std::copy_n(tokens.ptr<float>(b, row), tokens.size[2], restored.ptr<float>(b, i));
      }
    }
  }
};
//! [restore]

//! [register]
// Registers each type once, since OpenCV keeps every registration; under both names, since 5.0.0
// leaves the domain out.
void registerLayers() {
  for (const std::string domain : {"tutorial.", ""}) {
    if (cv::dnn::LayerFactory::isLayerRegistered(domain + "PairMerge")) continue;
    cv::dnn::LayerFactory::registerLayer(domain + "PairMerge", PairMerge::create);
    cv::dnn::LayerFactory::registerLayer(domain + "PairRestore", PairRestore::create);
  }
}
//! [register]

// A model of ONNX is a tree of numbered fields in the form of protobuf: numbers, and bytes with
// their length.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value > 127; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes + static_cast<char>(value);
}
std::string field(unsigned number, std::uint64_t value) {
  return varint(number << 3) + varint(value);
}
std::string field(unsigned number, const std::string& bytes) {
  return varint(number << 3 | 2) + varint(bytes.size()) + bytes;
}
std::string tensor(const std::string& name, std::initializer_list<int> shape) {
  std::string dims;
  for (const int dim : shape) dims += field(1, field(1, static_cast<std::uint64_t>(dim)));
  return field(1, name) + field(2, field(1, field(1, 1) + field(2, dims)));
}
std::string constant(const std::string& name, const std::vector<float>& values) {
  std::string raw(values.size() * sizeof(float), '\0');
  std::memcpy(&raw[0], values.data(), raw.size());
  return field(1, values.size()) + field(2, 1) + field(8, name) + field(9, raw);
}
std::string attribute(const std::string& name, int number) {
  return field(5, field(1, name) + field(3, static_cast<std::uint64_t>(number)) + field(20, 2));
}
std::string node(const std::string& type, const std::vector<std::string>& inputs,
                 const std::vector<std::string>& outputs, const std::string& rest = "") {
  std::string bytes;
  for (const std::string& input : inputs) bytes += field(1, input);
  for (const std::string& output : outputs) bytes += field(2, output);
  if (type.rfind("Pair", 0) == 0) bytes += field(7, std::string("tutorial"));  // its domain
  return field(1, bytes + field(3, outputs[0]) + field(4, type) + rest);
}

struct Variant {
  int batch = 1, count = 5, least = -1;
  bool isShort = false, hasWeights = false;
};

// tokens -> PairMerge -> Relu -> PairRestore
cv::dnn::Net read(const Variant& variant) {
  const int batch = variant.batch, count = variant.count;
  std::string graph = field(2, std::string("g")) + field(11, tensor("tokens", {batch, count, 2}));
  std::vector<std::string> inputs = {"tokens"};
  if (variant.hasWeights) {
    graph += field(5, constant("weights", {1, 0}));
    inputs.push_back("weights");
  }
  graph += node("PairMerge", inputs, {"merged", "rows", "map"},
                attribute("short", variant.isShort) + attribute("least", variant.least));
  graph += node("Relu", {"merged"}, {"positive"}) +
           node("PairRestore", {"positive", "map"}, {"restored"});
  graph += field(12, tensor("restored", {batch, count, 2})) +
           field(12, tensor("positive", {batch, count, 2}));
  graph += field(12, tensor("rows", {batch, 1})) + field(12, tensor("map", {batch, count}));
  const std::string model = field(1, 8) + field(7, graph) + field(8, field(2, 14)) +
                            field(8, field(1, std::string("tutorial")) + field(2, 1));
#if CV_VERSION_MAJOR >= 5
  return cv::dnn::readNetFromONNX(model.data(), model.size(), cv::dnn::ENGINE_NEW);
#else
  return cv::dnn::readNetFromONNX(model.data(), model.size());
#endif
}

//! [test]
// Returns what is restored, the tokens between the layers, their number, and the map.
std::vector<cv::Mat> run(cv::dnn::Net net, const std::vector<float>& values, int batch = 1) {
  const int shape[] = {batch, static_cast<int>(values.size()) / 2 / batch, 2};
  net.setInput(cv::Mat(3, shape, CV_32F, const_cast<float*>(values.data())).clone());
  std::vector<cv::Mat> outputs;
  net.forward(outputs, std::vector<cv::String>{"restored", "positive", "rows",
                                               "map"});  // 5.0.0 wants all of them
  for (cv::Mat& output : outputs)
    output = output.clone();  // the next forward computes in the same memory
  return outputs;
}
//! [test]

int failures = 0;

void expect(const char* what, const cv::Mat& found, const std::vector<float>& expected) {
  const std::vector<float> values(found.begin<float>(), found.end<float>());
  failures += values != expected;
  std::printf("%s: %s, %d rows:", values == expected ? "right" : "wrong", what, found.size[1]);
  for (const float value : values) std::printf(" %g", value);
  std::printf("\n");
}

int main() {
  registerLayers();
  std::printf("OpenCV %s\n", CV_VERSION);
  const std::vector<float> first = {1, 0, 0, 1, 2, 0, 0, 3, 1, 1},
                           second = {1, 0, 2, 0, 3, 0, 0, 1, 4, 4};
  const std::vector<float> firstRestored = {1.5, 0, 0, 2, 1.5, 0, 0, 2, 1, 1};
  const std::vector<float> secondRestored = {1.5, 0, 1.5, 0, 3, 0, 0, 1, 4, 4};
  for (const bool isShort :
       {false, true}) {  // two frames each: a fault of kept shapes shows in the second one
    Variant variant;
    variant.isShort = isShort;
    cv::dnn::Net net = read(variant);
    expect(isShort ? "short" : "long", run(net, first)[1],
           isShort && CV_VERSION_MAJOR >= 5 ? std::vector<float>{1.5, 0, 0, 2, 1, 1}
                                            : std::vector<float>{1.5, 0, 0, 2, 1, 1, 0, 0, 0, 0});
    expect("restored", run(net, first)[0], firstRestored);
    expect("restored", run(net, second)[0], secondRestored);

    variant.batch = 2;  // images of a batch do not know each other
    std::vector<float> both = first, bothRestored = firstRestored;
    both.insert(both.end(), second.begin(), second.end());
    bothRestored.insert(bothRestored.end(), secondRestored.begin(), secondRestored.end());
    expect("a batch", run(read(variant), both, 2)[0], bothRestored);
  }
  Variant weighted;
  weighted.hasWeights = true;
  expect("with weights, map", run(read(weighted), first)[3], {0, 1, 0, 2, 3});
  Variant wrong;
  wrong.least = 2;
  try {
    std::printf("least = 2: %s\n", read(wrong).empty() ? "the net is empty" : "the net is read");
  } catch (const cv::Exception& error) {
    const bool isTold = std::strstr(error.what(), "at most 1") != nullptr;
    std::printf("least = 2: an exception that %s the reason\n", isTold ? "says" : "lacks");
  }
  return failures;
}
