// SPDX-License-Identifier: Apache-2.0
#include "monitor/record/snapshot_files.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <opencv2/imgcodecs.hpp>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "monitor/record/atomic_file.h"
#include "monitor/record/database.h"

namespace mpm::monitor {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::string_view kJson = ".json", kLabels = ".labels.png", kOverlay = ".overlay.png",
                           kClip = ".clip.avi", kPicture = ".picture.jpg",
                           kMergeMap = ".merge-map.png";
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

// Empty as the picture is. `ending`: ".png" or ".jpg".
std::string encoded(const cv::Mat& picture, const char* ending) {
  if (picture.empty()) return {};
  std::vector<unsigned char> bytes;
  bool done = false;
  try {
    done = cv::imencode(ending, picture, bytes, {cv::IMWRITE_JPEG_QUALITY, kQuality});
  } catch (const cv::Exception& error) {
    throw std::runtime_error(std::string("A snapshot cannot be encoded as ") + ending + ": " +
                             error.what());
  }
  if (!done) throw std::runtime_error(std::string("A snapshot cannot be encoded as ") + ending);
  return {bytes.begin(), bytes.end()};
}

Json parsed(const std::string& text) {
  Json json = Json::parse(text, nullptr, false);
  return json.is_discarded() ? Json(text) : json;
}

// Sorted; none where there is no such folder.
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

std::optional<std::string> stemOf(const std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() || !name.ends_with(ending)) return {};
  return name.substr(0, name.size() - ending.size());
}

bool leadsElsewhere(const std::string& stem) { return stem.find('/') != stem.npos; }

}  // namespace

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

EncodedSnapshot encode(std::int64_t run, const Snapshot& snapshot) {
  if (!snapshot.clip.empty() && !fs::exists(snapshot.clip)) {
    throw std::runtime_error("The clip \"" + snapshot.clip.string() + "\" is gone");
  }
  return {run,
          snapshot.taken,
          snapshot.reason,
          snapshot.facts,
          encoded(snapshot.labels, ".png"),
          encoded(snapshot.overlay, ".png"),
          snapshot.clip,
          encoded(snapshot.picture, ".jpg"),
          encoded(snapshot.mergeMap, ".png")};
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

std::string describe(const EncodedSnapshot& snapshot, const std::string& stem, std::int64_t run,
                     const RunFacts& facts) {
  Json json = snapshot.facts.empty() ? Json::object() : Json::parse(snapshot.facts);
  json["snapshot"] = {
      {"time", isoUtc(snapshot.taken.utcMs)},        {"utc_ms", snapshot.taken.utcMs},
      {"steady_ms", snapshot.taken.steadyMs},        {"era", snapshot.taken.era},
      {"synchronised", snapshot.taken.synchronised}, {"reason", snapshot.reason}};
  if (!snapshot.labels.empty()) json["snapshot"]["labels"] = stem + std::string(kLabels);
  if (!snapshot.overlay.empty()) json["snapshot"]["overlay"] = stem + std::string(kOverlay);
  if (!snapshot.clip.empty()) json["snapshot"]["clip"] = stem + std::string(kClip);
  if (!snapshot.picture.empty()) json["snapshot"]["picture"] = stem + std::string(kPicture);
  if (!snapshot.mergeMap.empty()) json["snapshot"]["merge_map"] = stem + std::string(kMergeMap);
  json["run"] = {{"id", run},
                 {"source", facts.source},
                 {"address", facts.address},
                 {"model", facts.model},
                 {"model_hash", facts.modelHash},
                 {"settings", parsed(facts.settings)},
                 {"version", facts.version},
                 {"begun", isoUtc(facts.begun.utcMs)},
                 {"begun_utc_ms", facts.begun.utcMs}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

SnapshotFolder::SnapshotFolder(const fs::path& record) : path_(pathOf(record)) {}

fs::path SnapshotFolder::pathOf(const fs::path& record) {
  fs::path stem = record;
  if (stem.extension() == ".sqlite") stem.replace_extension();
  return stem.string() + "-snapshots";
}

fs::path SnapshotFolder::labels(const std::string& stem) const {
  return path_ / (stem + std::string(kLabels));
}
fs::path SnapshotFolder::overlay(const std::string& stem) const {
  return path_ / (stem + std::string(kOverlay));
}
fs::path SnapshotFolder::clip(const std::string& stem) const {
  return path_ / (stem + std::string(kClip));
}
fs::path SnapshotFolder::picture(const std::string& stem) const {
  return path_ / (stem + std::string(kPicture));
}
fs::path SnapshotFolder::mergeMap(const std::string& stem) const {
  return path_ / (stem + std::string(kMergeMap));
}
fs::path SnapshotFolder::json(const std::string& stem) const {
  return path_ / (stem + std::string(kJson));
}

std::int64_t SnapshotFolder::write(const std::string& stem, const EncodedSnapshot& snapshot,
                                   const std::string& description) const {
  std::error_code error;
  fs::create_directory(path_, error);
  if (error) {
    throw std::runtime_error("The folder \"" + path_.string() +
                             "\" for snapshots cannot be created (" + error.message() + ")");
  }
  try {
    if (!snapshot.labels.empty()) writeAtomically(labels(stem), snapshot.labels);
    if (!snapshot.overlay.empty()) writeAtomically(overlay(stem), snapshot.overlay);
    if (!snapshot.picture.empty()) writeAtomically(picture(stem), snapshot.picture);
    if (!snapshot.mergeMap.empty()) writeAtomically(mergeMap(stem), snapshot.mergeMap);
    if (!snapshot.clip.empty()) fs::rename(snapshot.clip, clip(stem));
    writeAtomically(json(stem), description);
  } catch (...) {
    undo(stem, snapshot);
    throw;
  }
  return bytes(stem);
}

void SnapshotFolder::undo(const std::string& stem, const EncodedSnapshot& snapshot) const {
  std::error_code ignored;
  if (!snapshot.clip.empty() && fs::exists(clip(stem), ignored)) {
    fs::rename(clip(stem), snapshot.clip, ignored);
  }
  remove(stem);
}

void SnapshotFolder::remove(const std::string& stem) const {
  if (leadsElsewhere(stem)) return;
  std::error_code ignored;
  for (const fs::path& path :
       {json(stem), labels(stem), overlay(stem), clip(stem), picture(stem), mergeMap(stem)}) {
    fs::remove(path, ignored);
  }
}

std::int64_t SnapshotFolder::bytes(const std::string& stem) const {
  return fileBytes(labels(stem)) + fileBytes(overlay(stem)) + fileBytes(clip(stem)) +
         fileBytes(picture(stem)) + fileBytes(mergeMap(stem)) + fileBytes(json(stem));
}

std::vector<std::string> SnapshotFolder::stems() const {
  std::vector<std::string> stems;
  for (const std::string& name : namesIn(path_)) {
    if (const auto stem = stemOf(name, kJson)) stems.push_back(*stem);
  }
  return stems;
}

// The JSON last, as in write().
bool SnapshotFolder::takeFrom(const SnapshotFolder& other, const std::string& stem) const {
  std::error_code error;
  if (leadsElsewhere(stem) || fs::exists(json(stem), error) ||
      !fs::exists(other.json(stem), error)) {
    return false;
  }
  fs::create_directory(path_, other.path_, error);
  for (const std::string_view ending : {kLabels, kOverlay, kClip, kPicture, kMergeMap, kJson}) {
    const std::string name = stem + std::string(ending);
    if (!fs::exists(other.path_ / name, error)) continue;
    fs::rename(other.path_ / name, path_ / name, error);
    if (error) return false;
  }
  return true;
}

void SnapshotFolder::takeGrowing(const fs::path& other) const {
  std::error_code ignored;
  for (const std::string& name : namesIn(other)) {
    if (!name.starts_with(kGrowingClip)) continue;
    fs::create_directory(path_, ignored);
    fs::rename(other / name, path_ / name, ignored);
  }
}

int SnapshotFolder::removeUnfinished(const std::vector<std::string>& known) const {
  const std::vector<std::string> names = namesIn(path_);
  const auto has = [](const std::vector<std::string>& sorted, const std::string& one) {
    return std::binary_search(sorted.begin(), sorted.end(), one);
  };
  std::error_code ignored;
  int clips = 0;
  for (const std::string& name : names) {
    std::optional<std::string> stem;
    for (const std::string_view ending : {kLabels, kOverlay, kClip, kPicture, kMergeMap}) {
      if (!stem) stem = stemOf(name, ending);
    }
    const bool orphan = stem && !has(names, *stem + std::string(kJson)) && !has(known, *stem);
    if (!orphan && !stemOf(name, kPartSuffix)) continue;
    fs::remove(path_ / name, ignored);
    if (orphan && name.starts_with(kGrowingClip)) ++clips;
  }
  return clips;
}

}  // namespace mpm::monitor
