// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "onnx/proto.h"

namespace mpm::onnx {

// Brings tensors whose data lie in other files into the model. Such a file has to be in the folder
// of the model's file or below it, also when symbolic links are followed.
class ExternalData {
 public:
  explicit ExternalData(const std::filesystem::path& modelFile);

  // Reads the data of an external tensor into its raw_data; leaves others alone. ModelError for a
  // location that leaves the folder, a file that is not there, or a range beyond its end. Of one
  // file at most four times its size is read in all, however many tensors name it.
  void load(::onnx::TensorProto& tensor);

 private:
  struct Place {
    std::filesystem::path file;
    std::uintmax_t offset = 0;
    std::uintmax_t length = 0;
    std::uintmax_t size = 0;  // of the file
  };
  Place placeOf(const ::onnx::TensorProto& tensor) const;
  std::filesystem::path resolve(const std::string& location, const std::string& tensor) const;

  std::filesystem::path folder_;
  std::map<std::filesystem::path, std::uintmax_t> taken_;
};

}  // namespace mpm::onnx
