// SPDX-License-Identifier: Apache-2.0
#include "onnx/fault.h"

#include <algorithm>
#include <optional>

namespace mpm::onnx {
namespace {

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

std::optional<std::uint64_t> readVarint(std::istream& file) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const int byte = file.get();
    if (byte < 0) return std::nullopt;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

struct Field {
  std::uint64_t number = 0;
  std::uint64_t claimed = 0;  // bytes of its content
  bool isWhole = false;
};

// The field that starts here; nothing where no field of protobuf can start.
std::optional<Field> readField(std::istream& file, std::uintmax_t size) {
  const auto tag = readVarint(file);
  if (!tag || *tag >> 3 == 0) return std::nullopt;
  Field field;
  field.number = *tag >> 3;
  switch (*tag & 7) {
    case 0:
      field.isWhole = readVarint(file).has_value();
      return field;
    case 1:
      field.claimed = 8;
      break;
    case 5:
      field.claimed = 4;
      break;
    case 2: {
      const auto length = readVarint(file);
      if (!length) return field;
      field.claimed = *length;
      break;
    }
    default:
      return std::nullopt;
  }
  const auto at = static_cast<std::uintmax_t>(file.tellg());
  field.isWhole = at <= size && field.claimed <= size - at;
  if (field.isWhole) file.seekg(static_cast<std::streamoff>(at + field.claimed));
  return field;
}

}  // namespace

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
    graph = graph || field->number == kGraphField;
    model = model || field->number <= kGraphField;
  }
  return graph ? "the file is damaged, or is not an ONNX model" : "the model has no graph";
}

}  // namespace mpm::onnx
