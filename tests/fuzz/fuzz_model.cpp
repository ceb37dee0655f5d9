// SPDX-License-Identifier: Apache-2.0
// libFuzzer over reading a model. Configure with clang, -DMPM_FUZZ=ON and
// -DMPM_SANITIZE=address,undefined; then: fuzz_read SCRATCH_FOLDER tests/onnx/corpus
#include <google/protobuf/stubs/logging.h>

#include <cstddef>
#include <cstdint>

#include "onnx/exercise.h"

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);  // it reports each message that does not parse
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  mpm::test::exerciseModel(bytes, size);
  return 0;
}
