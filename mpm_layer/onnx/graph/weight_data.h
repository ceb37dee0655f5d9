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

// Loads tensors with data in other files into the model. Such a file has to be in the folder of the
// model's file or below it, also when symbolic links are followed.
class ExternalData {
 public:
  explicit ExternalData(const std::filesystem::path& modelFile);

  // Reads the data of an external tensor into its raw_data; leaves others alone. Throws a
  // ModelError for a location outside the folder, a missing file, or a range beyond its end. Reads
  // at most four times a file's size in all, however many tensors name it.
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

// An ONNX file without its large weights, which protobuf would copy into memory page by page.
// Several threads read them afterwards, directly to their places.
struct Outline {
  struct Gap {
    int constant = 0;  // of the graph's initialisers
    std::uintmax_t offset = 0, size = 0;
  };
  std::string bytes;  // a model whose initialisers lack the raw data of the gaps
  std::vector<Gap> gaps;
};

// Returns std::nullopt if that does not pay, or the file is laid out in an unexpected way; protobuf
// then decides about it.
std::optional<Outline> outlineOf(std::istream& file, std::uintmax_t size);

// Reads a file's weights into the model that was parsed from its outline. Throws a ModelError if
// the file has changed in between.
void fillGaps(::onnx::ModelProto& model, const std::vector<Outline::Gap>& gaps,
              const std::filesystem::path& file);

// Appends bytes of a file to `data`, which is empty; false if the file lacks them.
bool readRange(const std::filesystem::path& file, std::uintmax_t offset, std::uintmax_t size,
               std::string& data);

}  // namespace mpm::onnx
