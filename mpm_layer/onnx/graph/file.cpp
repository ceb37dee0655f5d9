// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/file.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <cerrno>
#include <climits>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <utility>

#include "files/new_file.h"
#include "onnx/graph/model.h"
#include "onnx/graph/weight_data.h"
#include "onnx/graph/wire.h"

namespace mpm::onnx {

namespace {

namespace fs = std::filesystem;
namespace io = ::google::protobuf::io;

// ONNX nests a subgraph every four messages, so this is 25 levels of If and Loop.
constexpr int kDeepest = 100;
constexpr std::uintmax_t kLargest = INT_MAX;

constexpr int kGraphField = 7;  // ModelProto.graph

bool isText(const std::string& head) {
  return !head.empty() && std::all_of(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 ? byte != 0x7f && byte < 0xf8  // UTF-8 has no larger byte
                        : byte == '\n' || byte == '\r' || byte == '\t';
  });
}

std::string describeText(const std::string& head) {
  std::string lower = head;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  const std::string is = "the file looks like text, not ONNX";
  if (lower.find("git-lfs") != std::string::npos) {
    return is + ": a Git LFS pointer; fetch the model itself with `git lfs pull`";
  }
  if (lower.find("<!doctype html") != std::string::npos ||
      lower.find("<html") != std::string::npos) {
    return is + ": an HTML page; the download gave a web page instead of the model";
  }
  return is;
}

// Says what is wrong with a file that is not ONNX or has no graph: text, truncated, or something
// else. Reads the start and the outermost field headers only.
std::string describeFault(std::istream& file, std::uintmax_t size) {
  std::string head(static_cast<std::size_t>(std::min<std::uintmax_t>(size, 512)), '\0');
  file.seekg(0);
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  if (isText(head)) return describeText(head);

  file.clear();
  file.seekg(0);
  bool graph = false;
  bool model = false;  // fields before the graph looked like a model's
  while (file.good() && static_cast<std::uintmax_t>(file.tellg()) < size) {
    const auto field = readField(file, size);
    if (!field) return "the file is not an ONNX model";
    if (!field->isWhole) {
      const bool isModels = model || field->number == kGraphField;
      if (!isModels) return "the file is not an ONNX model, or is cut off at its start";
      return "the file is cut off: it ends at byte " + std::to_string(size) +
             ", in the middle of a part of " + std::to_string(field->claimed) + " bytes";
    }
    file.seekg(static_cast<std::streamoff>(endOf(*field)));
    graph = graph || field->number == kGraphField;
    model = model || field->number <= kGraphField;
  }
  return graph ? "the file is damaged, or is not an ONNX model" : "the model has no graph";
}

bool parse(io::ZeroCopyInputStream& stream, ::onnx::ModelProto& proto) {
  io::CodedInputStream coded(&stream);
  coded.SetTotalBytesLimit(INT_MAX);
  coded.SetRecursionLimit(kDeepest);
  return proto.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

std::uintmax_t checkFile(const fs::path& path) {
  std::error_code fault;
  const fs::file_status status = fs::status(path, fault);
  if (!fs::exists(status)) throw ModelError("there is no such file");
  if (fs::is_directory(status)) throw ModelError("this is a folder; an ONNX file was expected");
  if (!fs::is_regular_file(status)) throw ModelError("this is not a regular file");
  const std::uintmax_t size = fs::file_size(path, fault);
  if (fault) throw ModelError(fault.message());
  if (size == 0) throw ModelError("the file is empty");
  if (size > kLargest) {
    throw ModelError("the file has more than 2 GB; export it with its weights in external data");
  }
  return size;
}

// Parses a file, except the weights of the gaps.
bool parseFile(std::ifstream& file, std::uintmax_t size, ::onnx::ModelProto& proto,
               std::vector<Outline::Gap>& gaps) {
  if (auto outline = outlineOf(file, size)) {
    io::ArrayInputStream stream(outline->bytes.data(), static_cast<int>(outline->bytes.size()));
    gaps = std::move(outline->gaps);
    return parse(stream, proto);
  }
  file.clear();
  file.seekg(0);
  io::IstreamInputStream stream(&file, 1 << 20);
  return parse(stream, proto);
}

Model readFile(const fs::path& path) {
  const std::uintmax_t size = checkFile(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ModelError("cannot be opened: " + std::generic_category().message(errno));
  ::onnx::ModelProto proto;
  std::vector<Outline::Gap> gaps;
  const bool parsed = parseFile(file, size, proto, gaps);
  if (parsed) fillGaps(proto, gaps, path);
  if (!parsed || !proto.has_graph()) {
    file.clear();
    throw ModelError(describeFault(file, size));
  }
  ExternalData external(path);
  forEachTensor(proto, [&](::onnx::TensorProto& tensor) { external.load(tensor); });
  callFunctions(proto);
  return Model(std::move(proto));
}

Model readBytes(const void* bytes, std::size_t size) {
  if (size == 0) throw ModelError("the file is empty");
  if (size > kLargest) throw ModelError("the model has more than 2 GB");
  ::onnx::ModelProto proto;
  io::ArrayInputStream stream(bytes, static_cast<int>(size));
  if (!parse(stream, proto) || !proto.has_graph()) {
    std::istringstream head(std::string(static_cast<const char*>(bytes), size));
    throw ModelError(describeFault(head, size));
  }
  callFunctions(proto);
  return Model(std::move(proto));
}

// Puts the file's name before an error, which is one sentence.
template <typename Read>
Model named(const std::string& name, Read read) {
  try {
    return read();
  } catch (const ModelError& error) {
    throw ModelError(name + ": " + error.what());
  }
}

}  // namespace

Model readModel(const std::string& path) {
  return named(path, [&] { return readFile(fs::path(path)); });
}

Model readModel(const void* bytes, std::size_t size, const std::string& name) {
  return named(name, [&] { return readBytes(bytes, size); });
}

std::vector<std::string> weightFiles(const std::string& path) {
  std::vector<std::string> files;
  std::error_code fault;
  const std::uintmax_t size = fs::file_size(path, fault);
  if (fault) return files;  // nor is a pipe opened, which would wait for somebody to write
  std::ifstream file(path, std::ios::binary);
  ::onnx::ModelProto proto;
  std::vector<Outline::Gap> gaps;
  if (!file || !parseFile(file, size, proto, gaps)) return files;
  forEachTensor(proto, [&](const ::onnx::TensorProto& tensor) {
    for (const auto& entry : tensor.external_data()) {
      if (entry.key() != "location") continue;
      const std::string name = (fs::path(path).parent_path() / entry.value()).string();
      if (std::find(files.begin(), files.end(), name) == files.end()) files.push_back(name);
    }
  });
  return files;
}

namespace {

void checkSize(const Model& model) {
  if (model.proto().ByteSizeLong() > INT_MAX) {
    throw ModelError("the model would have more than 2 GB, which one ONNX file cannot hold");
  }
}

void writeFile(const Model& model, const std::string& path) {
  checkSize(model);
  // A rename would replace /dev/null for everybody.
  const auto there = std::filesystem::status(path);
  if (std::filesystem::is_other(there))
    throw ModelError("cannot be written: it is a device or a pipe; give the name of a file");
  files::NewFile whole(path + ".part");
  std::ofstream file(whole.path(), std::ios::binary);
  const bool written = file && model.proto().SerializeToOstream(&file) && file.flush();
  file.close();
  if (!written || !file) throw ModelError("cannot be written: is the disk full?");
  whole.moveTo(path);
}

}  // namespace

std::string writeModel(const Model& model) {
  checkSize(model);
  return model.proto().SerializeAsString();
}

void writeModel(const Model& model, const std::string& path) {
  try {
    writeFile(model, path);
  } catch (const ModelError& error) {
    throw ModelError(path + ": " + error.what());
  } catch (const std::system_error& error) {
    throw ModelError(path + ": cannot be written: " + error.code().message());
  }
}

}  // namespace mpm::onnx
