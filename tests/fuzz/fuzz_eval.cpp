// SPDX-License-Identifier: Apache-2.0
// What mpm eval reads and others may have written: a journal, names of classes, a list of pictures,
// and of label pictures and photos what this library looks for itself. The first byte chooses.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "evaluate/journal.h"
#include "evaluate/pairs.h"
#include "evaluate/summary.h"
#include "evaluate/truth.h"
#include "scratch_file.h"
#include "segment/class_list.h"

namespace {

namespace fs = std::filesystem;
using namespace mpm;

const std::string& root() {
  static const std::string path = [] {
    const std::string made = test::scratchPath("eval");
    fs::create_directories(made + "/JPEGImages");
    fs::create_directories(made + "/ImageSets/SegmentationContext");
    return made;
  }();
  return path;
}

void readJournal(const std::string& path) {
  const evaluate::JournalContent content = evaluate::readJournal(path);
  if (!content.header) return;
  evaluate::Totals totals(*content.header);
  for (const evaluate::PictureRecord& record : content.records) totals.add(record);
  evaluate::summaryOf(totals, *content.header);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const int choice = bytes[0] % 5;
  const char* const names[] = {"/journal.jsonl", "/classes.txt", "/classes.txt",
                               "/ImageSets/SegmentationContext/val.txt", "/label.png"};
  const std::string path = root() + names[choice];
  test::writeFile(path, bytes + 1, size - 1);
  try {
    switch (choice) {
      case 0:
        readJournal(path);
        break;
      case 1:
        segment::readClassList(path);
        break;
      case 2:
        evaluate::classesOf(evaluate::Format::folder, root(), false, {},
                            std::vector<std::string>(2, "any"));
        break;
      case 3:
        evaluate::listPairs(evaluate::Format::pascalContext, root(), "");
        break;
      default:
        evaluate::isCutJpeg({reinterpret_cast<const char*>(bytes) + 1, size - 1});
    }
  } catch (const std::runtime_error&) {
  }
  return 0;
}
