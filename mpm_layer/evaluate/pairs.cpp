// SPDX-License-Identifier: Apache-2.0
#include "evaluate/pairs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace mpm::evaluate {

namespace {

// Fields of a PNG header that OpenCV does not pass on.
struct PngHeader {
  static constexpr int kGrey = 0, kPalette = 3;

  bool isPng = false;
  int bits = 0, colourType = 0;
  std::vector<std::uint32_t> palette;  // 0xRRGGBB
};

using Bytes = std::array<std::uint8_t, 8>;

constexpr Bytes kSignature = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
constexpr std::uint32_t kHeaderSize = 13, kLargestPalette = 3 * 256;

bool read(std::istream& file, std::uint8_t* bytes, std::size_t count) {
  return static_cast<bool>(
      file.read(reinterpret_cast<char*>(bytes), static_cast<std::streamsize>(count)));
}

// Length and name of a chunk.
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

// Reads a PNG header; `isPng` is false for anything that has no complete one.
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

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

// Maps colours to their index in the palette. A repeated one gets -1 minus its first index.
std::map<std::uint32_t, int> placesOf(const std::vector<std::uint32_t>& palette) {
  std::map<std::uint32_t, int> places;
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const auto [place, isNew] = places.emplace(palette[i], static_cast<int>(i));
    if (!isNew && place->second >= 0) place->second = -1 - place->second;
  }
  return places;
}

// Looks up `colours`, CV_8UC3 or CV_8UC4, BGR first.
cv::Mat indicesOf(const cv::Mat& colours, const PngHeader& header, const std::string& path) {
  const std::map<std::uint32_t, int> places = placesOf(header.palette);
  const int channels = colours.channels();
  cv::Mat indices(colours.size(), CV_16U);
  for (int y = 0; y < colours.rows; ++y) {
    const auto* pixel = colours.ptr<std::uint8_t>(y);
    for (int x = 0; x < colours.cols; ++x, pixel += channels) {
      const std::uint32_t colour = pixel[2] << 16 | pixel[1] << 8 | pixel[0];
      const auto place = places.find(colour);
      if (place == places.end()) refuse(path, "it has a colour that is not in its palette");
      if (place->second < 0) {
        refuse(path, cv::format("its palette lists #%06x at %d and again, so class numbers are "
                                "ambiguous; use a palette without repeated colours, or grey",
                                colour, -1 - place->second));
      }
      indices.at<std::uint16_t>(y, x) = static_cast<std::uint16_t>(place->second);
    }
  }
  return indices;
}

}  // namespace

cv::Mat readLabelNumbers(const std::string& path) {
  const PngHeader header = readPngHeader(path);
  cv::Mat picture;
  try {
    picture = cv::imread(path, cv::IMREAD_UNCHANGED);
  } catch (const cv::Exception&) {  // of a header that asks for the impossible
  }
  if (picture.empty()) refuse(path, "it cannot be read as a picture");
  if (header.isPng && header.colourType == PngHeader::kPalette && picture.depth() == CV_8U &&
      picture.channels() >= 3) {
    return indicesOf(picture, header, path);
  }
  if (picture.channels() != 1 || (picture.depth() != CV_8U && picture.depth() != CV_16U)) {
    refuse(path, "it is a picture of type " + cv::typeToString(picture.type()) +
                     "; expected one channel of class numbers, in 8 or 16 bits");
  }
  cv::Mat numbers;
  // Undoes OpenCV's scaling of grey below 8 bits to 0 to 255.
  const bool isSpread = header.isPng && header.colourType == PngHeader::kGrey && header.bits < 8;
  const double step = isSpread ? 255.0 / ((1 << header.bits) - 1) : 1;
  picture.convertTo(numbers, CV_16U, 1 / step);
  return numbers;
}

namespace {

constexpr std::uint8_t kMark = 0xFF, kBegin = 0xD8, kEnd = 0xD9, kScan = 0xDA;

// Returns where the first scan's data begin; npos if there is none. Skips segments with a length,
// which may hold whole pictures, such as previews.
std::size_t scanOf(std::string_view bytes) {
  const auto at = [&](std::size_t i) { return static_cast<std::uint8_t>(bytes[i]); };
  std::size_t place = 2;
  while (place + 4 <= bytes.size() && at(place) == kMark) {
    const std::uint8_t kind = at(place + 1);
    if (kind == kMark) {  // padding
      ++place;
      continue;
    }
    const std::size_t size = static_cast<std::size_t>(at(place + 2)) << 8 | at(place + 3);
    place += 2 + size;
    if (kind == kScan) return place;
  }
  return std::string_view::npos;
}

}  // namespace

bool isCutJpeg(std::string_view bytes) {
  const char begin[] = {static_cast<char>(kMark), static_cast<char>(kBegin)};
  const char end[] = {static_cast<char>(kMark), static_cast<char>(kEnd)};
  if (!bytes.starts_with(std::string_view(begin, 2))) return false;
  const std::size_t scan = scanOf(bytes);
  // A scan's data contain no marks except real ones.
  return scan >= bytes.size() || bytes.find(std::string_view(end, 2), scan) == bytes.npos;
}

cv::Mat readPhotoFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (bytes.empty() || isCutJpeg(bytes)) return {};
  try {
    const cv::Mat encoded(1, static_cast<int>(bytes.size()), CV_8U,
                          const_cast<char*>(bytes.data()));
    return cv::imdecode(encoded, cv::IMREAD_COLOR);
  } catch (const cv::Exception&) {  // of a header that asks for the impossible
    return {};
  }
}

namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kPhotoEndings = {".jpg",  ".jpeg", ".png", ".bmp", ".tif",
                                                           ".tiff", ".webp", ".ppm", ".pgm"};

// Decides by the name alone, since an unreadable photo has to be reported, not skipped.
bool isPhoto(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(kPhotoEndings.begin(), kPhotoEndings.end(), ending) != kPhotoEndings.end();
}

bool isLabel(const fs::path& path) { return path.extension() == ".png"; }

// Lists the files of a kind whose names end in `tail`, keyed by name without it and the extension.
// Throws std::runtime_error if the folder cannot be read or two have one name.
std::map<std::string, fs::path> filesIn(const fs::path& folder, bool (*isWanted)(const fs::path&),
                                        std::string_view tail = {}) {
  std::map<std::string, fs::path> files;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failed)) {
    if (!isWanted(entry.path()) || entry.is_directory()) continue;
    std::string name = entry.path().stem().string();
    if (!name.ends_with(tail)) continue;
    name.erase(name.size() - tail.size());
    const auto [place, isNew] = files.emplace(name, entry.path());
    if (!isNew) {
      throw std::runtime_error(place->second.string() + " and " + entry.path().string() +
                               " share a name; keep one photo for each label");
    }
  }
  if (failed)
    throw std::runtime_error("cannot read the folder " + folder.string() + ": " + failed.message());
  return files;
}

// Returns the first of these places that contains `inside`; the data set itself if none does.
fs::path rootOf(const fs::path& dataset, std::initializer_list<const char*> places,
                const fs::path& inside) {
  std::error_code ignored;
  for (const char* place : places) {
    if (fs::is_directory(dataset / place / inside, ignored)) return dataset / place;
  }
  return dataset;
}

void sortByName(std::vector<Pair>& pairs) {
  std::sort(pairs.begin(), pairs.end(),
            [](const Pair& a, const Pair& b) { return a.name < b.name; });
}

Listing pairUp(const fs::path& root, const fs::path& photoFolder, const fs::path& labelFolder) {
  Listing listing;
  listing.root = root.string();
  const std::map<std::string, fs::path> photos = filesIn(root / photoFolder, isPhoto);
  const std::map<std::string, fs::path> labels = filesIn(root / labelFolder, isLabel);
  for (const auto& [name, photo] : photos) {
    const fs::path label = root / labelFolder / (name + ".png");
    listing.pairs.push_back({name, photo.string(), label.string()});
  }
  for (const auto& [name, label] : labels) {
    if (!photos.contains(name)) listing.lonely.push_back(label.string());
  }
  return listing;
}

Listing listAde20k(const fs::path& dataset, const std::string& split) {
  const std::string part = split.empty() || split == "val" ? "validation"
                           : split == "train"              ? "training"
                                                           : split;
  const fs::path root = rootOf(dataset, {"", "ADEChallengeData2016"}, "images");
  return pairUp(root, fs::path("images") / part, fs::path("annotations") / part);
}

Listing listFolder(const fs::path& dataset, const std::string& split) {
  return pairUp(dataset, fs::path("images") / split, fs::path("labels") / split);
}

Listing listCityscapes(const fs::path& dataset, const std::string& split) {
  const std::string part = split.empty() ? "val" : split;
  const fs::path root = rootOf(dataset, {"", "cityscapes"}, "leftImg8bit");
  Listing listing;
  listing.root = root.string();
  std::size_t trainIds = 0, ids = 0;
  std::error_code failed;
  for (const fs::directory_entry& city :
       fs::directory_iterator(root / "leftImg8bit" / part, failed)) {
    if (!city.is_directory()) continue;
    const fs::path labels = root / "gtFine" / part / city.path().filename();
    for (const auto& [name, photo] : filesIn(city.path(), isPhoto, "_leftImg8bit")) {
      std::error_code ignored;
      trainIds += fs::exists(labels / (name + "_gtFine_labelTrainIds.png"), ignored);
      ids += fs::exists(labels / (name + "_gtFine_labelIds.png"), ignored);
      listing.pairs.push_back({name, photo.string(), (labels / name).string()});
    }
  }
  if (failed) {
    throw std::runtime_error("cannot read the folder " + (root / "leftImg8bit" / part).string() +
                             ": " + failed.message());
  }
  listing.hasTrainIds = trainIds > 0 && trainIds >= ids;
  const char* ending = listing.hasTrainIds ? "_gtFine_labelTrainIds.png" : "_gtFine_labelIds.png";
  for (Pair& pair : listing.pairs) pair.label += ending;
  sortByName(listing.pairs);
  return listing;
}

Listing listPascalContext(const fs::path& dataset, const std::string& split) {
  const fs::path root = rootOf(dataset, {"", "VOCdevkit/VOC2010", "VOC2010"}, "JPEGImages");
  const fs::path list =
      root / "ImageSets" / "SegmentationContext" / ((split.empty() ? "val" : split) + ".txt");
  std::ifstream file(list);
  if (!file)
    throw std::runtime_error("cannot read the list of names " + list.string() + ": " +
                             std::generic_category().message(errno));
  Listing listing;
  listing.root = root.string();
  for (std::string name; file >> name;) {
    listing.pairs.push_back({name, (root / "JPEGImages" / (name + ".jpg")).string(),
                             (root / "SegmentationClassContext" / (name + ".png")).string()});
  }
  sortByName(listing.pairs);
  const auto twice =
      std::adjacent_find(listing.pairs.begin(), listing.pairs.end(),
                         [](const Pair& a, const Pair& b) { return a.name == b.name; });
  if (twice != listing.pairs.end())
    throw std::runtime_error(list.string() + ": it has " + twice->name + " twice");
  return listing;
}

struct Layout {
  Listing (*list)(const fs::path& dataset, const std::string& split);
  const char* expected;
};

// Follows the order of Format.
constexpr std::array<Layout, 4> kLayouts = {{
    {listAde20k, "images/validation/NAME.jpg with annotations/validation/NAME.png"},
    {listCityscapes,
     "leftImg8bit/val/CITY/NAME_leftImg8bit.png with gtFine/val/CITY/NAME_gtFine_labelIds.png"},
    {listPascalContext, "JPEGImages/NAME.jpg with SegmentationClassContext/NAME.png"},
    {listFolder, "images/NAME.jpg with labels/NAME.png"},
}};

}  // namespace

Listing listPairs(Format format, const std::string& dataset, const std::string& split) {
  const Layout& layout = kLayouts[static_cast<std::size_t>(format)];
  Listing listing = layout.list(dataset, split);
  const bool hasPair = std::any_of(listing.pairs.begin(), listing.pairs.end(), [](const Pair& one) {
    std::error_code ignored;
    return fs::exists(one.photo, ignored) && fs::exists(one.label, ignored);
  });
  if (!hasPair) {
    throw std::runtime_error("there is no photo with its label in " + dataset + "; " + "expected " +
                             layout.expected);
  }
  return listing;
}

std::vector<std::string> takeUnlabelled(Listing& listing) {
  std::vector<std::string> photos;
  std::vector<Pair> pairs;
  for (Pair& pair : listing.pairs) {
    std::error_code ignored;
    if (fs::exists(pair.label, ignored)) {
      pairs.push_back(std::move(pair));
    } else {
      photos.push_back(pair.photo);
    }
  }
  listing.pairs = std::move(pairs);
  return photos;
}

Listing pairFolders(const std::string& photos, const std::string& labels) {
  return pairUp("", photos, labels);
}

}  // namespace mpm::evaluate
