// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph_text.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <utility>
#include <vector>

#include "onnx/graph/attribute.h"
#include "onnx/graph/tensor.h"
#include "onnx/proto_model.h"

namespace mpm::test {
namespace {

using ::onnx::ModelProto;
using ::onnx::TensorProto;
using Integers = std::vector<std::int64_t>;

const std::map<std::string, int>& types() {
  static const std::map<std::string, int> all = {
      {"float", TensorProto::FLOAT},   {"double", TensorProto::DOUBLE},
      {"half", TensorProto::FLOAT16},  {"bfloat16", TensorProto::BFLOAT16},
      {"int64", TensorProto::INT64},   {"int32", TensorProto::INT32},
      {"int16", TensorProto::INT16},   {"int8", TensorProto::INT8},
      {"uint16", TensorProto::UINT16}, {"uint8", TensorProto::UINT8},
      {"uint64", TensorProto::UINT64}, {"bool", TensorProto::BOOL}};
  return all;
}

std::vector<std::string> statementsOf(const std::string& text) {
  std::vector<std::string> all(1);
  for (const char letter : text) {
    if (letter == '\n' || letter == ';') {
      all.emplace_back();
    } else if (!all.back().empty() || letter != ' ') {
      all.back() += letter;
    }
  }
  std::erase_if(all, [](const std::string& each) { return each.empty(); });
  return all;
}

// The values that a statement gives; its first word where it gives none.
std::set<std::string> givenBy(const std::string& statement) {
  for (const char* word : {"out", "opset"}) {
    if (statement.starts_with(std::string(word) + " ")) return {word};
  }
  std::istringstream names(statement.substr(0, statement.find_first_of("=[:")));
  std::set<std::string> all;
  for (std::string name; std::getline(names, name, ',');) {
    name.erase(std::remove(name.begin(), name.end(), ' '), name.end());
    if (name != "_") all.insert(name);
  }
  return all;
}

std::size_t countOf(const Integers& dims) {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return static_cast<std::size_t>(count);
}

std::vector<float> someOf(std::size_t count, const std::string& word) {
  double phase = 0;
  for (const char letter : word) phase = std::fmod(31 * phase + letter, 1000);
  std::vector<float> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(static_cast<float>(
        std::sin(1.7 * static_cast<double>(i * i % 997) + 0.37 * static_cast<double>(i) + phase)));
  return values;
}

class Reader {
 public:
  explicit Reader(ModelProto& model) : model_(model) {}

  void read(const std::string& statement) {
    text_ = statement;
    at_ = 0;
    const std::string first = word();
    if (first == "opset") return model_.mutable_opset_import(0)->set_version(integer());
    if (first == "out") return readOutputs();
    if (peek() == '[' || peek() == ':') return readInput(first);
    std::vector<std::string> given{first};
    while (take(',')) given.push_back(word());
    expect('=');
    const std::string what = word();
    if (isConstant(what)) {
      name_ = given.front();
      return keep(typed(what), name_);
    }
    readNode(what, given);
  }

 private:
  [[noreturn]] void fail(const std::string& wanted) const {
    throw std::invalid_argument("'" + text_ + "': expected " + wanted + " at " +
                                std::to_string(at_));
  }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char letter) {
    if (peek() != letter) return false;
    ++at_;
    return true;
  }
  void expect(char letter) {
    if (!take(letter)) fail(std::string(1, letter));
  }
  std::string word() {
    peek();
    const std::size_t begin = at_;
    const auto isPart = [](char letter) {
      return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' ||
             letter == '.' || letter == '/';
    };
    while (at_ < text_.size() && isPart(text_[at_])) ++at_;
    if (begin == at_) fail("a name");
    return text_.substr(begin, at_ - begin);
  }
  std::string numeral() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '.' || text_[at_] == '-' || text_[at_] == '+'))
      ++at_;
    if (begin == at_) fail("a number");
    return text_.substr(begin, at_ - begin);
  }
  std::int64_t integer() { return std::stoll(numeral()); }
  float number() { return std::stof(numeral()); }

  // What stands between two brackets, with commas.
  template <class Read>
  auto list(char open, char close, const Read& read) {
    std::vector<decltype(read())> all;
    expect(open);
    while (peek() != close) {
      all.push_back(read());
      take(',');
    }
    expect(close);
    return all;
  }
  Integers integers(char open, char close) {
    return list(open, close, [&] { return integer(); });
  }
  std::vector<float> numbers() {
    return list('{', '}', [&] { return number(); });
  }

  // A word that a constant begins with, behind which its sizes stand.
  bool isConstant(const std::string& what) {
    return peek() == '(' && (what == "some" || what == "fill" || types().contains(what));
  }

  static TensorProto floats(const Integers& dims, const std::vector<float>& values) {
    return onnx::floatTensor("", dims, values.data());
  }

  // Behind the word that says its type.
  TensorProto typed(const std::string& what) {
    if (what == "fill") {
      const auto all = list('(', ')', [&] { return numeral(); });
      Integers dims;
      for (std::size_t i = 1; i < all.size(); ++i) dims.push_back(std::stoll(all[i]));
      return floats(dims, std::vector<float>(countOf(dims), std::stof(all[0])));
    }
    const Integers dims = integers('(', ')');
    if (what == "some") return floats(dims, someOf(countOf(dims), take('#') ? word() : name_));
    if (what == "float") return floats(dims, numbers());
    TensorProto tensor;
    tensor.set_data_type(types().at(what));
    for (const std::int64_t dim : dims) tensor.add_dims(dim);
    for (const std::string& each : list('{', '}', [&] { return numeral(); })) {
      if (what == "double") {
        tensor.add_double_data(std::stod(each));
      } else if (what == "int64") {
        tensor.add_int64_data(std::stoll(each));
      } else {
        tensor.add_int32_data(std::stoi(each));  // of short reals: their bits
      }
    }
    return tensor;
  }

  void keep(TensorProto tensor, const std::string& name) {
    tensor.set_name(name);
    *model_.mutable_graph()->add_initializer() = std::move(tensor);
  }

  std::string argument(const std::string& name) {
    const char letter = peek();
    if (letter == '[') {
      const Integers values = integers('[', ']');
      keep(onnx::integerTensor("", {static_cast<std::int64_t>(values.size())}, values), name);
    } else if (letter == '{') {
      const std::vector<float> values = numbers();
      keep(floats({static_cast<std::int64_t>(values.size())}, values), name);
    } else if (letter == '-' || std::isdigit(static_cast<unsigned char>(letter)) != 0) {
      keep(floats({}, {number()}), name);
    } else {
      const std::string what = word();
      if (what == "_") return "";
      if (!isConstant(what)) return what;
      name_ = name;
      keep(typed(what), name);
    }
    return name;
  }

  void readNode(std::string type, const std::vector<std::string>& given) {
    const std::string domain = take(':') ? std::exchange(type, word()) : "";
    Strings inputs;
    expect('(');
    while (peek() != ')') {
      inputs.push_back(argument(given[0] + "/" + std::to_string(inputs.size())));
      take(',');
    }
    expect(')');
    auto& node = addNode(model_, type, inputs, given);
    for (std::string& output : *node.mutable_output()) {
      if (output == "_") output.clear();
    }
    node.set_domain(domain);
    last_ = given[0];
    while (peek() != '\0') readAttribute(node);
  }

  void readAttribute(onnx::Node& node) {
    const std::string name = word();
    expect('=');
    const char letter = peek();
    if (letter == '[') {
      onnx::setAttribute(node, name.c_str(), integers('[', ']'));
    } else if (letter == '{') {
      onnx::setAttribute(node, name.c_str(), numbers());
    } else if (take('\'')) {
      const std::size_t end = text_.find('\'', at_);
      onnx::setAttribute(node, name.c_str(), text_.substr(at_, end - at_));
      at_ = end + 1;
    } else if (std::isalpha(static_cast<unsigned char>(letter)) != 0) {
      auto& attribute = *node.add_attribute();
      attribute.set_name(name);
      attribute.set_type(::onnx::AttributeProto::TENSOR);
      *attribute.mutable_t() = typed(word());
    } else if (const std::string value = numeral(); value.find_first_of(".e") != value.npos) {
      onnx::setAttribute(node, name.c_str(), std::stof(value));
    } else {
      onnx::setAttribute(node, name.c_str(), std::int64_t{std::stoll(value)});
    }
  }

  void readInput(const std::string& name) {
    const int type = take(':') ? types().at(word()) : static_cast<int>(TensorProto::FLOAT);
    auto& value = *model_.mutable_graph()->add_input();
    value.set_name(name);
    auto& tensor = *value.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    auto& shape = *tensor.mutable_shape();
    for (const std::string& size : list('[', ']', [&] { return numeral(); })) {
      auto& dim = *shape.add_dim();
      if (size == "-1" || std::isalpha(static_cast<unsigned char>(size[0])) != 0) {
        dim.set_dim_param(size == "-1" ? "batch" : size);
      } else {
        dim.set_dim_value(std::stoll(size));
      }
    }
  }

  void readOutputs() {
    model_.mutable_graph()->clear_output();
    do addOutput(model_, word());
    while (take(','));
  }

  ModelProto& model_;
  std::string text_, name_;
  std::size_t at_ = 0;

 public:
  std::string last_;  // the first output of the last node
};

}  // namespace

ModelProto graph(const std::string& text) {
  ModelProto model = emptyModel();
  Reader reader(model);
  for (const std::string& statement : statementsOf(text)) reader.read(statement);
  if (model.graph().output_size() == 0 && !reader.last_.empty()) addOutput(model, reader.last_);
  for (const auto& node : model.graph().node()) {
    const auto& known = model.opset_import();
    const bool isKnown = std::any_of(known.begin(), known.end(), [&](const auto& each) {
      return each.domain() == node.domain();
    });
    if (isKnown) continue;
    auto& opset = *model.add_opset_import();
    opset.set_domain(node.domain());
    opset.set_version(1);
  }
  return model;
}

std::string changed(const std::string& text, const std::string& change) {
  const std::vector<std::string> statements = statementsOf(text + "\n" + change);
  std::set<std::string> given;
  std::vector<std::string> kept;
  for (auto each = statements.rbegin(); each != statements.rend(); ++each) {
    const std::set<std::string> own = givenBy(*each);
    const bool isGiven = std::any_of(own.begin(), own.end(),
                                     [&](const auto& value) { return given.contains(value); });
    if (isGiven) continue;
    given.insert(own.begin(), own.end());
    kept.push_back(*each);
  }
  std::string all;
  for (auto each = kept.rbegin(); each != kept.rend(); ++each) all += *each + "\n";
  return all;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::string vit(int blocks) {
  std::string text = R"(
image[-1, 1, 4, 6]
planes = Conv(image, some(8, 1, 2, 2), some(8)) strides=[2, 2]
columns = Reshape(planes, [0, 8, 6])
patches = Transpose(columns) perm=[0, 2, 1]
shape = Shape(image)
batch = Slice(shape, [0], [1])
sizes = Concat(batch, [1, 8]) axis=0
class = Expand(some(1, 1, 8), sizes)
all = Concat(class, patches) axis=1
tokens = Add(all, some(1, 7, 8))
)";
  std::string stream = "tokens";
  for (int i = 0; i < blocks; ++i) {
    const std::string name = "b" + std::to_string(i);
    text += block(name, std::exchange(stream, name));
  }
  return text + "y = LayerNormalization(" + stream + ", some(8), some(8))\nout y\n";
}

std::string block(const std::string& name, const std::string& stream) {
  std::string text = "$.norm1 = LayerNormalization(@, some(8), some(8))\n";
  for (const char* part : {"q", "k", "v"}) {
    text += replaced(R"($.%.product = MatMul($.norm1, some(8, 8))
$.%.rows = Add($.%.product, some(8))
$.%.heads = Reshape($.%.rows, [0, 0, 2, 4])
$.% = Transpose($.%.heads) perm=[0, 2, 1, 3]
)",
                     "%", part);
  }
  text += R"($.kt = Transpose($.k) perm=[0, 1, 3, 2]
$.qk = MatMul($.q, $.kt)
$.scores = Mul($.qk, 0.7)
$.weights = Softmax($.scores) axis=-1
$.mixed = MatMul($.weights, $.v)
$.back = Transpose($.mixed) perm=[0, 2, 1, 3]
$.joined = Reshape($.back, [0, 0, 8])
$.out.product = MatMul($.joined, some(8, 8))
$.out = Add($.out.product, some(8))
$.half = Add(@, $.out)
$.norm2 = LayerNormalization($.half, some(8), some(8))
$.fc1.product = MatMul($.norm2, some(8, 12))
$.fc1 = Add($.fc1.product, some(12))
$.gelu = Gelu($.fc1)
$.fc2.product = MatMul($.gelu, some(12, 8))
$.fc2 = Add($.fc2.product, some(8))
$ = Add($.half, $.fc2)
)";
  return replaced(replaced(text, "$", name), "@", stream);
}

}  // namespace mpm::test
