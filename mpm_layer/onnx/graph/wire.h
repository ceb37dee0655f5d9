// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <string>

namespace mpm::onnx {

inline constexpr unsigned kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

inline std::optional<std::uint64_t> readVarint(std::istream& file) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const int byte = file.get();
    if (byte < 0) return std::nullopt;
    value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

inline void writeVarint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7f) | 0x80);
  out += static_cast<char>(value);
}

// A field of a protobuf message in a file.
struct Field {
  std::uint64_t number = 0;
  unsigned wire = 0;
  std::uint64_t claimed = 0;   // bytes of its content; of a varint, its value
  std::uintmax_t content = 0;  // where that begins
  bool isWhole = false;        // the file goes on for as long
};

// Reads the field header that starts here, in a file of this size, and leaves the stream after it.
// Returns std::nullopt if no field can start here.
inline std::optional<Field> readField(std::istream& file, std::uintmax_t size) {
  const auto tag = readVarint(file);
  if (!tag || *tag >> 3 == 0) return std::nullopt;
  Field field;
  field.number = *tag >> 3;
  field.wire = static_cast<unsigned>(*tag & 7);
  switch (field.wire) {
    case kVarint:
    case kBytes: {
      const auto value = readVarint(file);
      if (!value) return field;
      field.claimed = *value;
      break;
    }
    case kFixed64:
      field.claimed = 8;
      break;
    case kFixed32:
      field.claimed = 4;
      break;
    default:
      return std::nullopt;
  }
  field.content = static_cast<std::uintmax_t>(file.tellg());
  field.isWhole =
      field.wire == kVarint || (field.content <= size && field.claimed <= size - field.content);
  return field;
}

// Returns the position after a whole field.
inline std::uintmax_t endOf(const Field& field) {
  return field.content + (field.wire == kVarint ? 0 : field.claimed);
}

// Writes a header and, for a varint, the whole field.
inline void writeHeader(const Field& field, std::string& out) {
  writeVarint(field.number << 3 | field.wire, out);
  if (field.wire == kVarint || field.wire == kBytes) writeVarint(field.claimed, out);
}

}  // namespace mpm::onnx
