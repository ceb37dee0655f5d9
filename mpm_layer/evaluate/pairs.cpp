// SPDX-License-Identifier: Apache-2.0
#include "evaluate/pairs.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

namespace mpm::evaluate {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kPhotoEndings = {".jpg",  ".jpeg", ".png", ".bmp", ".tif",
                                                           ".tiff", ".webp", ".ppm", ".pgm"};

// By its name alone: a photo that cannot be read has to be named, not passed over.
bool isPhoto(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return std::find(kPhotoEndings.begin(), kPhotoEndings.end(), ending) != kPhotoEndings.end();
}

bool isLabel(const fs::path& path) { return path.extension() == ".png"; }

// The files of a kind in a folder whose names end in `tail` before their ending, by their names
// without either. std::runtime_error where it cannot be read or two have one name.
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

// The first of these places that has `inside`; the data set itself where none has.
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

// In the order of Format.
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
