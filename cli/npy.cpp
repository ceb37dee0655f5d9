// SPDX-License-Identifier: Apache-2.0
#include "cli/npy.h"

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/npy_header.h"

namespace mpm::cli {
namespace {

static_assert(std::endian::native == std::endian::little, "the values are read as they stand");

constexpr std::string_view kMagic = "\x93NUMPY";

template <class T>
T valueAt(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

template <class T>
float convert(const char* bytes) {
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
    {"<f4", 4, convert<float>},        {"<f8", 8, convert<double>},
    {"<f2", 2, convertHalf},           {"|u1", 1, convert<std::uint8_t>},
    {"<i4", 4, convert<std::int32_t>}, {"<i8", 8, convert<std::int64_t>},
};

const Type& typeOf(const NpyHeader& header) {
  for (const Type& type : kTypes) {
    if (header.type == type.name) return type;
  }
  throw std::runtime_error("holds values of the type '" + header.type +
                           "'; float16, float32, float64, uint8, int32 and int64, little-endian, "
                           "can be read");
}

// The header, and in `bytes` what stands behind it.
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
  try {
    return parseNpyHeader(text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string("has a header that ") + error.what());
  }
}

// How many values the shape says, if `bytes` are just as many.
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

// Where the n-th value in Fortran order stands in C order.
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
  const Type& type = typeOf(header);
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
  std::error_code failed;
  const bool regular = std::filesystem::is_regular_file(path, failed);
  std::ifstream file(path, std::ios::binary);
  std::string bytes(regular ? std::filesystem::file_size(path) : 0, '\0');
  if (!regular || !file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    throw std::runtime_error("cannot read a file at " + path.string());
  }
  return parseNpy(bytes, path.string());
}

void writeNpy(const std::filesystem::path& path, const std::vector<int>& shape,
              const float* values) {
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
  std::ofstream file(path, std::ios::binary);
  file << kMagic << '\1' << '\0';
  file.write(reinterpret_cast<const char*>(&length), sizeof length);
  file << header;
  file.write(reinterpret_cast<const char*>(values),
             static_cast<std::streamsize>(count * sizeof(float)));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace mpm::cli
