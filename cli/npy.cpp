// SPDX-License-Identifier: Apache-2.0
#include "cli/npy.h"

#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <regex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace mpm::cli {
namespace {

struct NpyHeader {
  std::string type;  // NumPy's descr, as "<f4"
  bool fortranOrder = false;
  std::vector<std::int64_t> shape;
};

// Parses what numpy.save and others write, in this order: "{'descr': '<f4', 'fortran_order': False,
// 'shape': (2, 3), }". Throws std::runtime_error, without the file's name, for anything else.
NpyHeader parseNpyHeader(std::string_view text) {
  static const std::regex kHeader(
      R"(\s*\{\s*['"]descr['"]\s*:\s*['"]([^'"]*)['"]\s*,\s*['"]fortran_order['"]\s*:\s*(True|False))"
      R"(\s*,\s*['"]shape['"]\s*:\s*\(\s*((?:\d+\s*,\s*)*\d*)\s*\)\s*,?\s*\})");
  constexpr std::size_t kMost = 1000;  // characters: a regex recurses
  text = text.substr(0, text.find_last_not_of(" \t\n\r") + 1);
  std::cmatch found;
  if (text.size() > kMost ||
      !std::regex_match(text.data(), text.data() + text.size(), found, kHeader)) {
    throw std::runtime_error(
        "has a header unlike {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }");
  }
  NpyHeader header{found.str(1), found[2] == "True", {}};
  static const std::regex kSize("[0-9]+");
  for (std::cregex_iterator size(found[3].first, found[3].second, kSize), end; size != end;
       ++size) {
    std::int64_t value = std::numeric_limits<std::int64_t>::max();  // stays for more than it holds
    std::from_chars((*size)[0].first, (*size)[0].second, value);
    header.shape.push_back(value);
  }
  return header;
}

static_assert(std::endian::native == std::endian::little, "the values are read as they stand");

constexpr std::string_view kMagic = "\x93NUMPY";

template <class T>
T valueAt(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
float toFloat(const char* bytes) {
  return static_cast<float>(valueAt<T>(bytes));
}

float convertHalf(const char* bytes) {
  const auto half = valueAt<std::uint16_t>(bytes);
  const int exponent = half >> 10 & 31, fraction = half & 1023;
  float size = 0;
  if (exponent == 31) {
    size = fraction == 0 ? std::numeric_limits<float>::infinity()
                         : std::numeric_limits<float>::quiet_NaN();
  } else if (exponent == 0) {
    size = std::ldexp(static_cast<float>(fraction), -24);
  } else {
    size = std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
  }
  return std::copysign(size, half >> 15 != 0 ? -1.0F : 1.0F);
}

struct Type {
  std::string_view name;
  std::size_t bytes;
  float (*convert)(const char*);
};

constexpr Type kTypes[] = {
    {"<f4", 4, toFloat<float>},        {"<f8", 8, toFloat<double>},
    {"<f2", 2, convertHalf},           {"|u1", 1, toFloat<std::uint8_t>},
    {"<i4", 4, toFloat<std::int32_t>}, {"<i8", 8, toFloat<std::int64_t>},
};

const Type& npyTypeOf(const NpyHeader& header) {
  for (const Type& type : kTypes) {
    if (header.type == type.name) return type;
  }
  throw std::runtime_error("holds values of the type '" + header.type +
                           "'; float16, float32, float64, uint8, int32 and int64, little-endian, "
                           "can be read");
}

// Returns the header and leaves the rest in `bytes`.
NpyHeader takeHeader(std::string_view& bytes) {
  if (bytes.substr(0, kMagic.size()) != kMagic || bytes.size() < 10) {
    throw std::runtime_error("is not a .npy file, which numpy.save writes");
  }
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3) {
    throw std::runtime_error("is of .npy format " + std::to_string(version) +
                             "; formats 1 to 3 can be read");
  }
  const std::size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start) throw std::runtime_error("ends inside its header");
  const std::size_t length = version == 1 ? valueAt<std::uint16_t>(bytes.data() + 8)
                                          : valueAt<std::uint32_t>(bytes.data() + 8);
  if (length > bytes.size() - start) throw std::runtime_error("ends inside its header");
  const std::string_view text = bytes.substr(start, length);
  bytes.remove_prefix(start + length);
  return parseNpyHeader(text);
}

// Returns the number of values in the shape, after checking that `bytes` matches.
std::size_t countOf(const NpyHeader& header, std::size_t valueBytes, std::size_t bytes) {
  constexpr std::int64_t kMost = std::numeric_limits<int>::max();
  std::size_t count = 1;
  for (const std::int64_t size : header.shape) {
    const auto factor = static_cast<std::size_t>(size);
    if (size > kMost || (factor > 0 && count > kMost / factor)) {
      throw std::runtime_error("has a shape of more than 2147483647 values");
    }
    count *= factor;
  }
  if (count * valueBytes != bytes) {
    throw std::runtime_error("holds " + std::to_string(bytes) +
                             " bytes of values; its shape needs " +
                             std::to_string(count * valueBytes));
  }
  return count;
}

// Returns the position in C order of the n-th value in Fortran order.
std::size_t inCOrder(std::size_t n, const std::vector<int>& shape) {
  std::size_t position = 0;
  for (const int size : shape) {
    position = position * size + n % size;
    n /= size;
  }
  return position;
}

Array parse(std::string_view bytes) {
  const NpyHeader header = takeHeader(bytes);
  const Type& type = npyTypeOf(header);
  const std::size_t count = countOf(header, type.bytes, bytes.size());
  Array array;
  array.shape.assign(header.shape.begin(), header.shape.end());
  array.values.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t position = header.fortranOrder ? inCOrder(i, array.shape) : i;
    array.values[position] = type.convert(bytes.data() + i * type.bytes);
  }
  return array;
}

}  // namespace

Array parseNpy(std::string_view bytes, std::string_view name) {
  try {
    return parse(bytes);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string(name) + " " + error.what());
  }
}

Array readNpy(const std::filesystem::path& path) {
  const auto refuse = [&](const std::error_code& why) {
    throw std::runtime_error("cannot read " + path.string() + ": " + why.message());
  };
  std::error_code failed;
  const std::uintmax_t size = std::filesystem::file_size(path, failed);  // a regular file's alone
  if (failed) refuse(failed);
  errno = EIO;  // where a stream says nothing
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size)))
    refuse({errno, std::generic_category()});
  return parseNpy(bytes, path.string());
}

void writeNpy(std::ostream& file, const std::vector<int>& shape, const float* values) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  std::size_t count = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    header += (i == 0 ? "" : ", ") + std::to_string(shape[i]);
    count *= static_cast<std::size_t>(shape[i]);
  }
  header += shape.size() == 1 ? ",), }" : "), }";
  constexpr std::size_t kPreamble = 10, kAlignment = 64;
  header.append(kAlignment - (kPreamble + header.size() + 1) % kAlignment, ' ');
  header += '\n';
  const auto length = static_cast<std::uint16_t>(header.size());
  file << kMagic << '\1' << '\0';
  file.write(reinterpret_cast<const char*>(&length), sizeof length);
  file << header;
  file.write(reinterpret_cast<const char*>(values),
             static_cast<std::streamsize>(count * sizeof(float)));
}

}  // namespace mpm::cli
