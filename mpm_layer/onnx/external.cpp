// SPDX-License-Identifier: Apache-2.0
#include "onnx/external.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>

#include "onnx/error.h"
#include "onnx/tensor_size.h"

namespace mpm::onnx {
namespace {

namespace fs = std::filesystem;
using ::onnx::TensorProto;

[[noreturn]] void refuse(const std::string& tensor, const std::string& fault) {
  throw ModelError("constant " + inQuotes(tensor) + " " + fault);
}

std::optional<std::string> entry(const TensorProto& tensor, const char* key) {
  for (const auto& known : tensor.external_data()) {
    if (known.key() == key) return known.value();
  }
  return std::nullopt;
}

std::optional<std::uintmax_t> numberEntry(const TensorProto& tensor, const char* key) {
  const auto text = entry(tensor, key);
  if (!text) return std::nullopt;
  std::uintmax_t number = 0;
  const char* end = text->data() + text->size();
  const auto [at, fault] = std::from_chars(text->data(), end, number);
  if (fault != std::errc{} || at != end) {
    refuse(tensor.name(), std::string("has data at the ") + key + " " + inQuotes(*text) +
                              ", which is not a number");
  }
  return number;
}

bool climbs(const fs::path& path) {
  return std::any_of(path.begin(), path.end(), [](const fs::path& part) { return part == ".."; });
}

}  // namespace

ExternalData::ExternalData(const fs::path& modelFile) {
  std::error_code fault;
  folder_ = fs::canonical(fs::absolute(modelFile).parent_path(), fault);
  if (fault) throw ModelError("its folder cannot be opened: " + fault.message());
}

fs::path ExternalData::resolve(const std::string& location, const std::string& tensor) const {
  const std::string where = "has data in " + inQuotes(location) + ", ";
  const fs::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos) {
    refuse(tensor, where + "which is no file name");
  }
  if (relative.is_absolute() || climbs(relative)) {
    refuse(tensor, where + "which has to be a path inside the model's folder");
  }
  std::error_code fault;
  const fs::path file = fs::canonical(folder_ / relative, fault);
  if (fault) refuse(tensor, where + "which cannot be opened: " + fault.message());
  const auto [inner, ignored] =
      std::mismatch(folder_.begin(), folder_.end(), file.begin(), file.end());
  if (inner != folder_.end()) {
    refuse(tensor,
           where + "a link that leads out of the model's folder; put the file itself there");
  }
  if (!fs::is_regular_file(file, fault)) refuse(tensor, where + "which is not a regular file");
  return file;
}

ExternalData::Place ExternalData::placeOf(const TensorProto& tensor) const {
  const auto location = entry(tensor, "location");
  if (!location) refuse(tensor.name(), "has its data in another file, but does not say in which");
  Place place;
  place.file = resolve(*location, tensor.name());
  std::error_code fault;
  place.size = fs::file_size(place.file, fault);
  if (fault) refuse(tensor.name(), "has data in " + inQuotes(*location) + ": " + fault.message());
  place.offset = numberEntry(tensor, "offset").value_or(0);
  const auto length = numberEntry(tensor, "length");
  if (place.offset > place.size || length.value_or(0) > place.size - place.offset) {
    refuse(tensor.name(), "has data at byte " + std::to_string(place.offset) + " of " +
                              inQuotes(*location) + " for " + std::to_string(length.value_or(0)) +
                              " bytes, but the file ends at byte " + std::to_string(place.size));
  }
  place.length = length.value_or(place.size - place.offset);
  return place;
}

void ExternalData::load(TensorProto& tensor) {
  if (tensor.data_location() != TensorProto::EXTERNAL) return;
  const Place place = placeOf(tensor);
  const std::string shown = inQuotes(place.file.filename().string());
  std::uintmax_t& taken = taken_[place.file];
  if (place.length > 4 * place.size - taken) {
    refuse(tensor.name(), "reads " + shown + " once more, though others read all of it already");
  }
  // What does not fit its dims is refused before it is read.
  const auto bytes = static_cast<std::uintmax_t>(elementBytes(tensor.data_type()));
  const auto count = static_cast<std::uintmax_t>(checkedCount(tensor));
  if (bytes != 0 && (place.length % bytes != 0 || place.length / bytes != count)) {
    refuse(tensor.name(), "has " + std::to_string(place.length) + " bytes in " + shown +
                              ", but its dims are " + std::to_string(count) + " elements of " +
                              typeName(tensor.data_type()));
  }
  taken += place.length;
  std::string data(place.length, '\0');
  std::ifstream file(place.file, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(place.offset));
  if (!file.read(data.data(), static_cast<std::streamsize>(data.size()))) {
    refuse(tensor.name(), "could not be read from " + shown);
  }
  tensor.set_raw_data(std::move(data));
  tensor.clear_external_data();
  tensor.set_data_location(TensorProto::DEFAULT);
}

}  // namespace mpm::onnx
