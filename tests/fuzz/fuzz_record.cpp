// SPDX-License-Identifier: Apache-2.0
// A record that somebody else made: blobs, a whole file, one of ours with bytes changed (each six
// of the input say where and what), and the description of a snapshot whose row is made anew.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <stdexcept>
#include <string>

#include "monitor/record/database.h"
#include "monitor/record/export.h"
#include "monitor/record/old_record.h"
#include "monitor/record/store.h"
#include "scratch_file.h"

namespace {

using namespace mpm::monitor;
namespace fs = std::filesystem;

constexpr std::int64_t kEver = std::int64_t{1} << 60;

const std::string& soundRecord() {
  static const std::string bytes = [] {
    const std::string path = mpm::test::scratchPath("sound.sqlite");
    fs::remove(path);
    makeOldRecord(path, "gate", kOldSettings[0]);
    std::string found(fs::file_size(path), '\0');
    if (std::FILE* file = std::fopen(path.c_str(), "rbe"); file != nullptr) {
      if (std::fread(found.data(), 1, found.size(), file) != found.size()) std::abort();
      std::fclose(file);
    }
    return found;
  }();
  return bytes;
}

void readAll(const std::string& path) {
  std::ostringstream out;
  const RecordReader reader(path);
  for (const std::string& source : reader.sources()) {
    const ExportRange range{source, 0, kEver};
    exportSeries(reader, range, Resolution::hour, {}, ExportFormat::csv, out);
    exportDayNight(reader, range, {}, ExportFormat::json, out);
    exportEvents(reader, range, ExportFormat::json, out);
    exportSnapshots(reader, range, ExportFormat::json, out);
  }
}

void exerciseFile(const std::uint8_t* bytes, std::size_t size) {
  static const std::string path = mpm::test::scratchPath("changed.sqlite");
  std::string changed = soundRecord();
  for (; size >= 6; bytes += 6, size -= 6) {
    const std::size_t place = (bytes[0] << 16 | bytes[1] << 8 | bytes[2]) % changed.size();
    for (std::size_t i = 0; i < 3 && place + i < changed.size(); ++i) {
      changed[place + i] = static_cast<char>(bytes[3 + i]);
    }
  }
  mpm::test::writeFile(path, changed.data(), changed.size());
  readAll(path);
}

void readWhole(const std::uint8_t* bytes, std::size_t size) {
  static const std::string path = mpm::test::scratchPath("whole.sqlite");
  mpm::test::writeFile(path, bytes, size);
  readAll(path);
}

// The folder of a record that is opened for writing.
void exerciseAdoption(const std::uint8_t* bytes, std::size_t size) {
  static const std::string path = mpm::test::scratchPath("adopting.sqlite");
  const fs::path folder = snapshotFolderOf(path);
  mpm::test::writeFile(path, soundRecord().data(), soundRecord().size());
  fs::create_directory(folder);
  mpm::test::writeFile((folder / "s.json").string(), bytes, size);
  { Store store(path, 1 << 20, 0, true, false); }
  readAll(path);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view blob(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  try {
    switch (bytes[0] % 5) {
      case 0:
        decodeFrames(blob);
        break;
      case 1:
        decodeTallies(blob, 1000);
        break;
      case 2:
        exerciseFile(bytes + 1, size - 1);
        break;
      case 3:
        exerciseAdoption(bytes + 1, size - 1);
        break;
      default:
        readWhole(bytes + 1, size - 1);
    }
  } catch (const std::runtime_error&) {
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
