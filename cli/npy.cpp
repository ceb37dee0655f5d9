// SPDX-License-Identifier: Apache-2.0
#include "cli/npy.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
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

// Parses the few words of Python that NumPy writes into a header.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool take(std::string_view word) {
    const std::size_t start = text_.find_first_not_of(" \t\n\r", at_);
    if (start == std::string_view::npos || text_.substr(start, word.size()) != word) return false;
    at_ = start + word.size();
    return true;
  }

  void expect(std::string_view word, const char* where) {
    if (!take(word)) throw std::runtime_error(std::string("has no '").append(word) + "' " + where);
  }

  bool atEnd() const { return text_.find_first_not_of(" \t\n\r", at_) == std::string_view::npos; }

  std::string string() {
    const char* quote = take("'") ? "'" : take("\"") ? "\"" : nullptr;
    const std::size_t end = quote == nullptr ? std::string_view::npos : text_.find(quote, at_);
    if (end == std::string_view::npos) {
      throw std::runtime_error("has neither a key nor a plain type, such as 'descr': '<f4'");
    }
    const std::string_view content = text_.substr(at_, end - at_);
    at_ = end + 1;
    return std::string(content);
  }

  bool boolean() {
    if (take("True")) return true;
    expect("False", "or 'True' after 'fortran_order'");
    return false;
  }

  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect("(", "after 'shape'");
    while (!take(")")) {
      values.push_back(size());
      if (!take(",")) {
        expect(")", "after the shape");
        break;
      }
    }
    return values;
  }

 private:
  std::int64_t size() {
    std::int64_t value = 0;
    const std::size_t start = std::min(text_.find_first_not_of(' ', at_), text_.size());
    const auto [end, error] =
        std::from_chars(text_.data() + start, text_.data() + text_.size(), value);
    if (error != std::errc() || value < 0) {
      throw std::runtime_error("has a size in its shape that is not a whole number from 0");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Parses a .npy file's header: a Python dictionary of descr, fortran_order and shape, each once,
// and nothing else. Throws std::runtime_error, without the file's name, for anything else.
NpyHeader parseNpyHeader(std::string_view text) {
  NpyHeader header;
  Reader reader(text);
  std::set<std::string> keys;
  reader.expect("{", "at its start");
  while (!reader.take("}")) {
    const std::string key = reader.string();
    reader.expect(":", "after a key");
    if (!keys.insert(key).second) throw std::runtime_error("has '" + key + "' twice");
    if (key == "descr") {
      header.type = reader.string();
    } else if (key == "fortran_order") {
      header.fortranOrder = reader.boolean();
    } else if (key == "shape") {
      header.shape = reader.tuple();
    } else {
      throw std::runtime_error("has the unknown key '" + key + "'");
    }
    if (!reader.take(",")) {
      reader.expect("}", "at its end");
      break;
    }
  }
  if (keys.size() != 3) throw std::runtime_error("lacks one of descr, fortran_order and shape");
  if (!reader.atEnd()) throw std::runtime_error("has something after its '}'");
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
  try {
    return parseNpyHeader(text);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(std::string("has a header that ") + error.what());
  }
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
