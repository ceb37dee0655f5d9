// SPDX-License-Identifier: Apache-2.0
// Manages the files of snapshots next to a record.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <stdexcept>
#include <system_error>

#include "files/new_file.h"
#include "monitor/record/store.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view kJson = ".json", kPart = ".part";
constexpr std::array<std::string_view, 5> kPictures{".labels.png", ".overlay.png", ".picture.jpg",
                                                    ".merge-map.png", ".clip.avi"};
constexpr int kQuality = 90;  // of JPEG: what is taught on a picture is as good as on the frame

void checkPicture(const cv::Mat& picture, const char* what) {
  if (picture.empty()) return;
  const bool depth = picture.depth() == CV_8U || picture.depth() == CV_16U;
  const bool channels =
      picture.channels() == 1 || picture.channels() == 3 || picture.channels() == 4;
  if (depth && channels && picture.dims == 2) return;
  throw std::invalid_argument(std::string("A snapshot's ") + what + " of type " +
                              cv::typeToString(picture.type()) +
                              " cannot be a PNG: it needs 8 or 16 bits and 1, 3 or 4 channels");
}

// Writes a file completely to the disk, or leaves what was there before.
void writeWhole(const fs::path& path, std::string_view bytes) {
  try {
    files::NewFile file(path.string() + '.', std::string(kPart));
    file.write(bytes);
    files::toDisk(file.path());
    file.moveTo(path);
  } catch (const std::system_error& error) {
    throw std::runtime_error("\"" + path.string() + "\" cannot be written (" +
                             error.code().message() + ")");
  }
}

void writePicture(const fs::path& path, const cv::Mat& picture) {
  if (picture.empty()) return;
  std::vector<unsigned char> bytes;
  bool done = false;
  try {
    done = cv::imencode(path.extension().string(), picture, bytes,
                        {cv::IMWRITE_JPEG_QUALITY, kQuality});
  } catch (const cv::Exception&) {
  }
  if (!done) throw std::invalid_argument("A snapshot cannot be encoded as " + path.string());
  writeWhole(path, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

std::string describe(const Snapshot& snapshot, const std::string& stem, std::int64_t run,
                     const RunFacts& facts) {
  const Moment& taken = snapshot.taken;
  Json json = snapshot.facts.empty() ? Json::object() : Json::parse(snapshot.facts);
  Json& about =
      json["snapshot"] = {{"time", isoUtc(taken.utcMs)},        {"utc_ms", taken.utcMs},
                          {"steady_ms", taken.steadyMs},        {"era", taken.era},
                          {"synchronised", taken.synchronised}, {"reason", snapshot.reason}};
  const std::array isThere{!snapshot.labels.empty(), !snapshot.overlay.empty(),
                           !snapshot.picture.empty(), !snapshot.mergeMap.empty(),
                           !snapshot.clip.empty()};
  constexpr std::array kNames{"labels", "overlay", "picture", "merge_map", "clip"};
  for (std::size_t i = 0; i < isThere.size(); ++i) {
    if (isThere[i]) about[kNames[i]] = stem + std::string(kPictures[i]);
  }
  const Json settings = Json::parse(facts.settings, nullptr, false);
  json["run"] = {{"id", run},
                 {"source", facts.source},
                 {"address", facts.address},
                 {"model", facts.model},
                 {"model_hash", facts.modelHash},
                 {"settings", settings.is_discarded() ? Json(facts.settings) : settings},
                 {"version", facts.version},
                 {"begun", isoUtc(facts.begun.utcMs)},
                 {"begun_utc_ms", facts.begun.utcMs}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Returns sorted names; none if there is no such folder.
std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator file(folder, error), end; !error && file != end;
       file.increment(error)) {
    names.push_back(file->path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Returns the stem of a name; empty if the name ends otherwise.
std::string stemOf(const std::string& name, std::string_view ending) {
  return name.ends_with(ending) ? name.substr(0, name.size() - ending.size()) : std::string();
}

bool leadsElsewhere(const std::string& stem) { return stem.find('/') != stem.npos; }

}  // namespace

fs::path snapshotFolderOf(const fs::path& record) {
  fs::path stem = record;
  if (stem.extension() == ".sqlite") stem.replace_extension();
  return stem.string() + "-snapshots";
}

void checkSnapshot(const Snapshot& snapshot) {
  checkPicture(snapshot.labels, "labels");
  checkPicture(snapshot.overlay, "overlay");
  checkPicture(snapshot.mergeMap, "merge map");
  if (!snapshot.picture.empty() && snapshot.picture.type() != CV_8UC3) {
    throw std::invalid_argument("A snapshot's picture of type " +
                                cv::typeToString(snapshot.picture.type()) +
                                " cannot be kept: it must be CV_8UC3");
  }
  if (!snapshot.facts.empty() && !Json::parse(snapshot.facts, nullptr, false).is_object()) {
    throw std::invalid_argument("A snapshot's facts must be a JSON object, or empty");
  }
}

std::string snapshotStem(const Moment& taken, const std::string& source, std::int64_t id) {
  std::string name = source.substr(0, 64);
  for (char& letter : name) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-';
    if (!plain) letter = '_';
  }
  return isoUtcCompact(taken.utcMs) + "-" + name + "-" + std::to_string(id);
}

std::string SnapshotFolder::write(const std::string& stem, const Snapshot& snapshot,
                                  std::int64_t run, const RunFacts& facts) const {
  std::error_code error;
  if (!snapshot.clip.empty() && !fs::exists(snapshot.clip, error)) {
    throw std::invalid_argument("The clip \"" + snapshot.clip.string() + "\" is gone");
  }
  fs::create_directory(path_, error);
  if (error) {
    throw std::runtime_error("The folder \"" + path_.string() +
                             "\" for snapshots cannot be created (" + error.message() + ")");
  }
  const std::string description = describe(snapshot, stem, run, facts);
  try {
    writePicture(labels(stem), snapshot.labels);
    writePicture(overlay(stem), snapshot.overlay);
    writePicture(picture(stem), snapshot.picture);
    writePicture(mergeMap(stem), snapshot.mergeMap);
    if (!snapshot.clip.empty()) fs::rename(snapshot.clip, clip(stem));
    writeWhole(json(stem), description);
  } catch (...) {
    undo(stem, snapshot);
    throw;
  }
  return description;
}

void SnapshotFolder::undo(const std::string& stem, const Snapshot& snapshot) const {
  std::error_code ignored;
  if (!snapshot.clip.empty()) fs::rename(clip(stem), snapshot.clip, ignored);
  remove(stem);
}

void SnapshotFolder::remove(const std::string& stem) const {
  if (leadsElsewhere(stem)) return;
  std::error_code ignored;
  fs::remove(json(stem), ignored);
  for (const std::string_view ending : kPictures) {
    fs::remove(path_ / (stem + std::string(ending)), ignored);
  }
}

std::int64_t SnapshotFolder::bytes(const std::string& stem) const {
  std::int64_t bytes = fileBytes(json(stem));
  for (const auto ending : kPictures) bytes += fileBytes(path_ / (stem + std::string(ending)));
  return bytes;
}

std::vector<std::string> SnapshotFolder::stems() const {
  std::vector<std::string> stems;
  for (const std::string& name : namesIn(path_)) {
    if (const std::string stem = stemOf(name, kJson); !stem.empty()) stems.push_back(stem);
  }
  return stems;
}

bool SnapshotFolder::takeFrom(const SnapshotFolder& other, const std::string& stem) const {
  std::error_code error;
  if (leadsElsewhere(stem) || fs::exists(json(stem), error) ||
      !fs::exists(other.json(stem), error)) {
    return false;
  }
  fs::create_directory(path_, other.path_, error);
  std::vector<std::string_view> endings(kPictures.begin(), kPictures.end());
  endings.push_back(kJson);  // the last, as in write()
  for (const std::string_view ending : endings) {
    const std::string name = stem + std::string(ending);
    if (!fs::exists(other.path_ / name, error)) continue;
    fs::rename(other.path_ / name, path_ / name, error);
    if (error) return false;
  }
  return true;
}

int SnapshotFolder::removeUnfinished(const std::vector<std::string>& known) const {
  const std::vector<std::string> names = namesIn(path_);
  std::error_code ignored;
  int clips = 0;
  for (const std::string& name : names) {
    bool isOrphan = false;
    for (const std::string_view ending : kPictures) {
      const std::string stem = stemOf(name, ending);
      isOrphan |= !stem.empty() && !std::binary_search(known.begin(), known.end(), stem) &&
                  !std::binary_search(names.begin(), names.end(), stem + std::string(kJson));
    }
    if (!isOrphan && !name.ends_with(kPart)) continue;
    fs::remove(path_ / name, ignored);
    if (isOrphan && name.starts_with(kGrowingClip)) ++clips;
  }
  return clips;
}

}  // namespace mpm::monitor
