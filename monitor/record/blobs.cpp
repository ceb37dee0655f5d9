// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/blobs.h"

#include <bit>
#include <cstddef>

namespace mpm::monitor {
namespace {

constexpr unsigned char kNone = 0, kSame = 1, kFull = 2;

template <typename Integer>
void append(std::string& blob, Integer value) {
  for (std::size_t byte = 0; byte < sizeof value; ++byte) {
    blob += static_cast<char>((value >> (8 * byte)) & 0xff);
  }
}

void append(std::string& blob, double value) { append(blob, std::bit_cast<std::uint64_t>(value)); }

bool sameBits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

bool sameBits(const Tally& a, const Tally& b) {
  return a.count == b.count && sameBits(a.sum, b.sum) && sameBits(a.squares, b.squares) &&
         sameBits(a.smallest, b.smallest) && sameBits(a.largest, b.largest);
}

Tally ofSame(std::uint32_t count, double value) {
  Tally tally;
  tally.count = count;
  tally.sum = count * value;
  tally.squares = count * (value * value);
  tally.smallest = tally.largest = value;
  return tally;
}

void appendTally(std::string& blob, const Tally& tally) {
  if (sameBits(tally, Tally{})) {
    blob += static_cast<char>(kNone);
    return;
  }
  const bool same = sameBits(tally, ofSame(tally.count, tally.smallest));
  blob += static_cast<char>(same ? kSame : kFull);
  append(blob, tally.count);
  if (same) {
    append(blob, tally.smallest);
    return;
  }
  for (const double value : {tally.sum, tally.squares, tally.smallest, tally.largest}) {
    append(blob, value);
  }
}

// Reads from the front; once there is too little, `complete` is false and everything is 0.
struct Bytes {
  std::string_view rest;
  bool complete = true;

  template <typename Integer>
  Integer integer() {
    if (rest.size() < sizeof(Integer)) complete = false;
    if (!complete) return 0;
    Integer value = 0;
    for (std::size_t byte = 0; byte < sizeof value; ++byte) {
      value |= static_cast<Integer>(static_cast<Integer>(static_cast<unsigned char>(rest[byte]))
                                    << (8 * byte));
    }
    rest.remove_prefix(sizeof value);
    return value;
  }
  double real() { return std::bit_cast<double>(integer<std::uint64_t>()); }
};

}  // namespace

std::string encodeFrames(const Frames& frames) {
  std::string blob;
  for (const std::uint32_t count : frames) append(blob, count);
  return blob;
}

std::string encodeTallies(const std::vector<Tally>& tallies) {
  std::string blob;
  blob.reserve(tallies.size() * 37);
  for (const Tally& tally : tallies) appendTally(blob, tally);
  return blob;
}

std::optional<Frames> decodeFrames(std::string_view blob) {
  if (blob.size() % sizeof(std::uint32_t) != 0) return {};
  Frames frames{};
  Bytes bytes{blob};
  for (std::uint32_t& count : frames) {
    if (!bytes.rest.empty()) count = bytes.integer<std::uint32_t>();
  }
  return frames;
}

std::optional<std::vector<Tally>> decodeTallies(std::string_view blob, std::size_t most) {
  std::vector<Tally> tallies;
  Bytes bytes{blob};
  while (!bytes.rest.empty()) {
    Tally tally;
    const auto form = bytes.integer<std::uint8_t>();
    if (form > kFull || tallies.size() == most) return {};
    if (form != kNone) tally.count = bytes.integer<std::uint32_t>();
    if (form == kSame) tally = ofSame(tally.count, bytes.real());
    if (form == kFull) {
      for (double* value : {&tally.sum, &tally.squares, &tally.smallest, &tally.largest}) {
        *value = bytes.real();
      }
    }
    if (!bytes.complete) return {};
    tallies.push_back(tally);
  }
  return tallies;
}

}  // namespace mpm::monitor
