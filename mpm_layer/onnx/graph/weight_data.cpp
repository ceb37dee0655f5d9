// SPDX-License-Identifier: Apache-2.0
#include "onnx/graph/weight_data.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <fstream>
#include <optional>
#include <system_error>

#include "onnx/graph/error.h"
#include "onnx/graph/tensor.h"
#include "onnx/graph/wire.h"
#include "processor/large_pages.h"
#include "processor/pool.h"

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

constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;             // weights that get a gap
constexpr std::size_t kMostOutline = std::size_t{64} << 20;          // else most is not weights
constexpr std::uint64_t kGraph = 7, kInitializer = 5, kRawData = 9;  // numbers of fields

class Outliner {
 public:
  Outliner(std::istream& file, std::uintmax_t size) : file_(file), size_(size) {}

  std::optional<Outline> run() {
    const bool isPlain = copyModel();
    if (!isPlain || outline_.gaps.empty()) return std::nullopt;
    return std::move(outline_);
  }

 private:
  // Passes fields up to `end` to `take`, which writes the remaining ones to `out`.
  template <class Take>
  bool copyFields(std::uintmax_t end, std::string& out, const Take& take) {
    for (std::uintmax_t at = position(); at < end; at = position()) {
      const auto field = readField(file_, end);
      if (!field || !field->isWhole || !take(*field)) return false;
      if (out.size() > kMostOutline) return false;
    }
    return position() == end;
  }

  bool copyModel() {
    return copyFields(size_, outline_.bytes, [&](const Field& field) {
      if (field.number != kGraph || field.wire != 2) return copy(field, outline_.bytes);
      std::string graph;
      return copyGraph(endOf(field), graph) && put(field, graph, outline_.bytes);
    });
  }

  bool copyGraph(std::uintmax_t end, std::string& out) {
    return copyFields(end, out, [&](const Field& field) {
      if (field.number != kInitializer || field.wire != 2) return copy(field, out);
      std::string tensor;
      const bool isPlain = copyTensor(endOf(field), tensor) && put(field, tensor, out);
      ++constants_;
      return isPlain;
    });
  }

  bool copyTensor(std::uintmax_t end, std::string& out) {
    int times = 0;  // of two raw data the last one counts; no writer gives two
    return copyFields(end, out, [&](const Field& field) {
      if (field.number == kRawData && ++times > 1) return false;
      if (field.number != kRawData || field.wire != 2 || field.claimed < kLarge) {
        return copy(field, out);
      }
      outline_.gaps.push_back({constants_, field.content, field.claimed});
      file_.seekg(static_cast<std::streamoff>(endOf(field)));
      return file_.good();
    });
  }

  bool copy(const Field& field, std::string& out) {
    writeHeader(field, out);
    const auto size = static_cast<std::size_t>(endOf(field) - field.content);
    if (size > kMostOutline) return false;
    const std::size_t begin = out.size();
    out.resize(begin + size);
    return static_cast<bool>(file_.read(out.data() + begin, static_cast<std::streamsize>(size)));
  }

  bool put(Field field, const std::string& content, std::string& out) {
    field.claimed = content.size();
    writeHeader(field, out);
    out += content;
    return true;
  }

  std::uintmax_t position() { return static_cast<std::uintmax_t>(file_.tellg()); }

  std::istream& file_;
  std::uintmax_t size_;
  int constants_ = 0;
  Outline outline_;
};

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
    refuse(tensor, where + "which is not a file name");
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
  if (!location) refuse(tensor.name(), "has its data in another file but does not say which");
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
    refuse(tensor.name(), "reads " + shown + " again, although others already read all of it");
  }
  // Refuses data that do not fit the dims before reading them.
  const auto bytes = static_cast<std::uintmax_t>(elementBytes(tensor.data_type()));
  const auto count = static_cast<std::uintmax_t>(checkedCount(tensor));
  if (bytes != 0 && (place.length % bytes != 0 || place.length / bytes != count)) {
    refuse(tensor.name(), "has " + std::to_string(place.length) + " bytes in " + shown +
                              ", but its dims are " + std::to_string(count) + " elements of " +
                              typeName(tensor.data_type()));
  }
  taken += place.length;
  std::string data;
  if (!readRange(place.file, place.offset, place.length, data)) {
    refuse(tensor.name(), "could not be read from " + shown);
  }
  tensor.set_raw_data(std::move(data));
  tensor.clear_external_data();
  tensor.set_data_location(TensorProto::DEFAULT);
}

std::optional<Outline> outlineOf(std::istream& file, std::uintmax_t size) {
  return Outliner(file, size).run();
}

bool readRange(const std::filesystem::path& path, std::uintmax_t offset, std::uintmax_t size,
               std::string& data) {
  data.reserve(static_cast<std::size_t>(size));
  processor::preferLargePages(data.data(), data.capacity());
  std::ifstream file(path, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(offset));
  // Reads in pieces that stay in the cache: a string of this size would first be filled with zeros.
  std::array<char, std::size_t{128} << 10> piece;
  for (std::uintmax_t left = size; left > 0;) {
    const auto count = static_cast<std::size_t>(std::min<std::uintmax_t>(left, piece.size()));
    if (!file.read(piece.data(), static_cast<std::streamsize>(count))) return false;
    data.append(piece.data(), count);
    left -= count;
  }
  return true;
}

void fillGaps(::onnx::ModelProto& model, const std::vector<Outline::Gap>& gaps,
              const std::filesystem::path& file) {
  std::vector<std::string*> data;
  for (const Outline::Gap& gap : gaps) {
    data.push_back(model.mutable_graph()->mutable_initializer(gap.constant)->mutable_raw_data());
  }
  std::atomic<bool> isWhole = true;
  processor::forEachTask(gaps.size(), [&](std::size_t i) {
    try {
      if (!readRange(file, gaps[i].offset, gaps[i].size, *data[i])) isWhole = false;
    } catch (...) {  // there is no memory for it
      isWhole = false;
    }
  });
  if (!isWhole) throw ModelError("its weights could not be read; did it change meanwhile?");
}

}  // namespace mpm::onnx
