// SPDX-License-Identifier: Apache-2.0
#include "evaluate/png_header.h"

#include <array>
#include <fstream>

namespace mpm::evaluate {
namespace {

using Bytes = std::array<std::uint8_t, 8>;

constexpr Bytes kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::uint32_t kHeaderSize = 13, kLargestPalette = 3 * 256;

bool read(std::istream& file, std::uint8_t* bytes, std::size_t count) {
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(bytes), static_cast<std::streamsize>(count)));
}

// A chunk's length and name.
struct Chunk {
  std::uint32_t size = 0;
  std::string name;
};

bool readChunk(std::istream& file, Chunk& chunk) {
  Bytes bytes{};
  if (!read(file, bytes.data(), bytes.size())) return false;
  chunk.size = 0;
  for (int i = 0; i < 4; ++i) chunk.size = chunk.size << 8 | bytes[static_cast<std::size_t>(i)];
  chunk.name.assign(bytes.begin() + 4, bytes.end());
  return true;
}

bool readHeaderChunk(std::istream& file, PngHeader& header) {
  Chunk chunk;
  std::array<std::uint8_t, kHeaderSize + 4> bytes{};  // with its checksum
  if (!readChunk(file, chunk) || chunk.name != "IHDR" || chunk.size != kHeaderSize ||
      !read(file, bytes.data(), bytes.size())) {
    return false;
  }
  header.bits = bytes[8];
  header.colourType = bytes[9];
  return true;
}

bool readPalette(std::istream& file, std::uint32_t size, PngHeader& header) {
  if (size > kLargestPalette || size % 3 != 0) return false;
  std::array<std::uint8_t, kLargestPalette> bytes{};
  if (!read(file, bytes.data(), size)) return false;
  for (std::size_t i = 0; i < size; i += 3) {
    header.palette.push_back(static_cast<std::uint32_t>(bytes[i]) << 16 | bytes[i + 1] << 8 |
                             bytes[i + 2]);
  }
  return true;
}

}  // namespace

PngHeader readPngHeader(const std::string& path) {
  PngHeader header;
  std::ifstream file(path, std::ios::binary);
  Bytes signature{};
  if (!read(file, signature.data(), signature.size()) || signature != kSignature) return header;
  if (!readHeaderChunk(file, header)) return header;
  Chunk chunk;
  while (header.colourType == PngHeader::kPalette && header.palette.empty()) {
    if (!readChunk(file, chunk) || chunk.name == "IDAT") return header;
    if (chunk.name == "PLTE") {
      if (!readPalette(file, chunk.size, header)) return header;
    } else {
      file.seekg(static_cast<std::streamoff>(chunk.size) + 4, std::ios::cur);
    }
  }
  header.isPng = true;
  return header;
}

}  // namespace mpm::evaluate
