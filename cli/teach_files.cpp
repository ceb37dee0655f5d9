// SPDX-License-Identifier: Apache-2.0
#include "cli/teach_files.h"

#include <filesystem>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "cli/usage_error.h"
#include "cli/wording.h"
#include "evaluate/pair_files.h"

namespace mpm::cli {
namespace fs = std::filesystem;

PaintedFolder readPaintedFolder(const std::string& frames, const std::string& labels) {
  const evaluate::Listing listing = evaluate::pairFolders(frames, labels);
  PaintedFolder folder;
  std::error_code ignored;
  for (const evaluate::Pair& pair : listing.pairs)
    (fs::exists(pair.label, ignored) ? folder.painted : folder.unpainted).push_back(pair);
  if (folder.painted.empty()) {
    throw std::runtime_error("no frame in " + frames + " has a painting in " + labels +
                             "; a painting of NAME.jpg is NAME.png");
  }
  if (!listing.lonely.empty()) {
    std::cerr << "mpm: ignored " << countText(listing.lonely.size(), "painting")
              << " without a frame in " << frames << ": " << listing.lonely.front()
              << (listing.lonely.size() > 1 ? ", ...\n" : "\n");
  }
  return folder;
}

PaintedFrame readPaintedFrame(const evaluate::Pair& pair) {
  PaintedFrame painted{evaluate::readPhotoFile(pair.photo), evaluate::readLabelNumbers(pair.label)};
  if (painted.frame.empty()) throw std::runtime_error(pair.photo + " cannot be read as a picture");
  return painted;
}

std::string keptFolder(const std::string& labels) {
  return (fs::path(labels) / ".features").string();
}

std::string classFile(const std::string& words, const std::string& labels) {
  std::vector<fs::path> places = {words};
  if (words.empty()) {
    places = {fs::path(labels) / "classes.txt",
              fs::absolute(fs::path(labels)).lexically_normal() / ".." / "classes.txt"};
  }
  std::error_code ignored;
  for (const fs::path& path : places) {
    if (fs::is_regular_file(path, ignored)) return path.string();
  }
  return {};
}

segment::ClassList namedClasses(const std::string& words, const std::string& labels) {
  if (const std::string file = classFile(words, labels); !file.empty())
    return segment::readClassList(file);
  if (words.empty()) {
    throw UsageError(
        "what are the classes called? Give --classes FILE or --classes sky,snow,road, "
        "or put a classes.txt next to the paintings");
  }
  segment::ClassList classes;
  std::istringstream stream(words);
  for (std::string name; std::getline(stream, name, ',');)
    classes.names.push_back(segment::trimmedName(name));
  return classes;
}

}  // namespace mpm::cli
