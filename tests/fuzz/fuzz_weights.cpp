// SPDX-License-Identifier: Apache-2.0
// A model whose weights lie in another file, and one whose weights are large: the first byte
// chooses. Of the first the second byte says how many bytes "w" has, which come then; into the
// second a megabyte of zeros is put where the next three bytes say.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "onnx/graph/file.h"
#include "scratch_file.h"

namespace {

constexpr std::size_t kLarge = std::size_t{1} << 20;  // what is read apart from the rest

const std::string& folder() {
  static const std::string path = [] {
    const std::string made = mpm::test::scratchPath("weights");
    std::filesystem::create_directory(made);
    return made;
  }();
  return path;
}

void readFile(const std::string& bytes) {
  const std::string path = folder() + "/m.onnx";
  mpm::test::writeFile(path, bytes.data(), bytes.size());
  mpm::onnx::weightFiles(path);
  try {
    mpm::onnx::readModel(path);
  } catch (const mpm::onnx::ModelError&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);  // it reports each message that does not parse
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size < 4) return 0;
  const char* text = reinterpret_cast<const char*>(bytes);
  if (bytes[0] % 2 == 0) {
    const std::size_t weights = std::min<std::size_t>(bytes[1], size - 2);
    mpm::test::writeFile(folder() + "/w", bytes + 2, weights);
    readFile(std::string(text + 2 + weights, size - 2 - weights));
  } else {
    std::string model(text + 4, size - 4);
    const std::size_t place = bytes[1] << 16 | bytes[2] << 8 | bytes[3];
    model.insert(place % (model.size() + 1), kLarge, '\0');
    readFile(model);
  }
  return 0;
}
