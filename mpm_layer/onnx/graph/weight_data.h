// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "onnx/graph/proto.h"

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

// An ONNX file without the large weights, which protobuf would copy into memory one small page
// after the other: they are read behind it, straight to where they belong and by several threads.
struct Outline {
  struct Gap {
    int constant = 0;  // of the graph's initialisers
    std::uintmax_t offset = 0, size = 0;
  };
  std::string bytes;  // a model whose initialisers lack the raw data of the gaps
  std::vector<Gap> gaps;
};

// Nothing where that is not worth the trouble, or the file is laid out as none should be: protobuf
// shall say then what it makes of it.
std::optional<Outline> outlineOf(std::istream& file, std::uintmax_t size);

// Puts the weights of a file into the model that was parsed from its outline. ModelError where the
// file has changed meanwhile.
void fillGaps(::onnx::ModelProto& model, const std::vector<Outline::Gap>& gaps,
              const std::filesystem::path& file);

// Bytes of a file in `data`, which is empty; false where they are not there.
bool readRange(const std::filesystem::path& file, std::uintmax_t offset, std::uintmax_t size,
               std::string& data);

}  // namespace mpm::onnx
