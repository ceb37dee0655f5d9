// SPDX-License-Identifier: Apache-2.0
#include "cli/teach_files.h"

#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "cli/usage_error.h"
#include "cli/wording.h"
#include "evaluate/pair_files.h"
#include "segment/facts.h"

namespace mpm::cli {
namespace {

namespace fs = std::filesystem;

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(" \r\t") + 1);
  text.erase(0, text.find_first_not_of(" \t"));
  return text;
}

NamedClasses classesOfFile(const fs::path& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read the names of classes in " + path.string());
  NamedClasses classes;
  for (std::string line; std::getline(file, line);) {
    const std::size_t tab = line.find('\t');
    const std::string name = trimmed(line.substr(0, tab));
    if (name.empty()) continue;
    classes.names.push_back(name);
    if (tab == line.npos) continue;
    const std::string word = trimmed(line.substr(tab));
    const auto colour = segment::parseColour(word);
    if (!colour)
      throw std::runtime_error(path.string() + ": '" + word + "' behind " + name +
                               " is no colour; write #rrggbb");
    classes.palette.push_back(*colour);
  }
  if (!classes.palette.empty() && classes.palette.size() != classes.names.size())
    throw std::runtime_error(path.string() + ": give each class a colour, or none");
  return classes;
}

}  // namespace

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
    std::cerr << "mpm: " << countText(listing.lonely.size(), "painting") << " without a frame in "
              << frames << " left aside: " << listing.lonely.front()
              << (listing.lonely.size() > 1 ? ", ...\n" : "\n");
  }
  return folder;
}

PaintedFrame readPaintedFrame(const evaluate::Pair& pair) {
  PaintedFrame painted{evaluate::readPhotoFile(pair.photo), evaluate::readLabelNumbers(pair.label)};
  if (painted.frame.empty()) throw std::runtime_error(pair.photo + " cannot be read as a picture");
  return painted;
}

NamedClasses namedClasses(const std::string& words, const std::string& labels) {
  std::error_code ignored;
  if (words.empty()) {
    for (const fs::path& path :
         {fs::path(labels) / "classes.txt",
          fs::absolute(fs::path(labels)).lexically_normal() / ".." / "classes.txt"}) {
      if (fs::is_regular_file(path, ignored)) return classesOfFile(path);
    }
    throw UsageError(
        "what are the classes called? Give --classes FILE or --classes sky,snow,road, "
        "or put a classes.txt beside the paintings");
  }
  if (fs::is_regular_file(words, ignored)) return classesOfFile(words);
  NamedClasses classes;
  std::istringstream stream(words);
  for (std::string name; std::getline(stream, name, ',');) classes.names.push_back(trimmed(name));
  return classes;
}

}  // namespace mpm::cli
