// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mpm::test {

/// PNGs as OpenCV does not write them: with a palette, or with fewer than 8 bits.
struct PngPlan {
  int bits = 8;
  int colourType = 3;                  ///< 0: grey, 3: palette
  std::vector<std::uint32_t> palette;  ///< 0xRRGGBB
  bool hasAlpha = false;               ///< the first index is transparent
  std::vector<std::vector<int>> rows;
};

inline void addBigEndian(std::string& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift & 0xFF);
}

inline std::uint32_t crcOf(std::string_view bytes) {
  std::uint32_t crc = ~0U;
  for (const char c : bytes) {
    crc ^= static_cast<std::uint8_t>(c);
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320U : 0);
  }
  return ~crc;
}

inline void addChunk(std::string& bytes, const std::string& name, const std::string& data) {
  addBigEndian(bytes, static_cast<std::uint32_t>(data.size()));
  bytes += name + data;
  addBigEndian(bytes, crcOf(name + data));
}

// As zlib has it, in one block that is not compressed.
inline std::string stored(const std::string& data) {
  std::string bytes = {0x78, 0x01, 0x01};
  const auto size = static_cast<std::uint32_t>(data.size());
  for (const std::uint32_t number : {size, ~size}) {
    bytes += static_cast<char>(number & 0xFF);
    bytes += static_cast<char>(number >> 8 & 0xFF);
  }
  std::uint32_t a = 1, b = 0;
  for (const char c : data) {
    a = (a + static_cast<std::uint8_t>(c)) % 65521;
    b = (b + a) % 65521;
  }
  bytes += data;
  addBigEndian(bytes, b << 16 | a);
  return bytes;
}

inline std::string packedRows(const PngPlan& plan) {
  std::string data;
  for (const std::vector<int>& row : plan.rows) {
    data += '\0';  // no filter
    int bits = 0, byte = 0;
    for (const int value : row) {
      byte = byte << plan.bits | value;
      bits += plan.bits;
      if (bits == 8) data += static_cast<char>(byte), bits = 0, byte = 0;
    }
    if (bits > 0) data += static_cast<char>(byte << (8 - bits));
  }
  return data;
}

inline std::string pngBytes(const PngPlan& plan) {
  std::string bytes = "\x89PNG\r\n\x1A\n", header, palette;
  addBigEndian(header, static_cast<std::uint32_t>(plan.rows.at(0).size()));
  addBigEndian(header, static_cast<std::uint32_t>(plan.rows.size()));
  header += {static_cast<char>(plan.bits), static_cast<char>(plan.colourType), 0, 0, 0};
  addChunk(bytes, "IHDR", header);
  addChunk(bytes, "tEXt", std::string("Comment\0in front of the palette", 31));
  for (const std::uint32_t colour : plan.palette) {
    for (const int shift : {16, 8, 0}) palette += static_cast<char>(colour >> shift & 0xFF);
  }
  if (!palette.empty()) addChunk(bytes, "PLTE", palette);
  if (plan.hasAlpha) addChunk(bytes, "tRNS", std::string(1, '\0'));
  addChunk(bytes, "IDAT", stored(packedRows(plan)));
  addChunk(bytes, "IEND", "");
  return bytes;
}

}  // namespace mpm::test
