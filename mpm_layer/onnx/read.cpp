// SPDX-License-Identifier: Apache-2.0
#include "onnx/read.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wshadow"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#pragma GCC diagnostic pop

#include <cerrno>
#include <climits>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>

#include "onnx/external.h"
#include "onnx/fault.h"
#include "onnx/walk.h"

namespace mpm::onnx {
namespace {

namespace fs = std::filesystem;
namespace io = ::google::protobuf::io;

// ONNX nests a subgraph every four messages, so this is 25 levels of If and Loop.
constexpr int kDeepest = 100;
constexpr std::uintmax_t kLargest = INT_MAX;

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

Model readFile(const fs::path& path) {
  const std::uintmax_t size = checkFile(path);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw ModelError("cannot be opened: " + std::generic_category().message(errno));
  ::onnx::ModelProto proto;
  bool parsed = false;
  {
    io::IstreamInputStream stream(&file, 1 << 20);
    parsed = parse(stream, proto);
  }
  if (!parsed || !proto.has_graph()) {
    file.clear();
    throw ModelError(describeFault(file, size));
  }
  ExternalData external(path);
  forEachTensor(proto, [&](::onnx::TensorProto& tensor) { external.load(tensor); });
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
  return Model(std::move(proto));
}

// One sentence, with the file's name in front.
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

}  // namespace mpm::onnx
