// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/guarded_reader.h"

#include <exception>
#include <sstream>

#include "secrets/secrets.h"

namespace mpm::monitor {
namespace {

// What OpenCV throws names its own source file first; several lines it marks each with "> ".
std::string sentenceOf(const std::exception& failure) {
  const auto* error = dynamic_cast<const cv::Exception*>(&failure);
  const std::string text = error != nullptr && !error->err.empty() ? error->err : failure.what();
  std::istringstream lines(text);
  std::string sentence, line;
  while (std::getline(lines, line)) {
    if (line.rfind("> ", 0) == 0) line.erase(0, 2);
    if (!line.empty()) sentence += (sentence.empty() ? "" : " ") + line;
  }
  return sentence;
}

}  // namespace

void GuardedReader::tell(const std::string& fault) { fault_ = secrets::withoutSecrets(fault); }

bool GuardedReader::refuse(const std::string& fault) {
  tell(fault);
  return false;
}

bool GuardedReader::fits(const cv::Size& size) {
  if (!isTooLarge(size)) return true;
  return refuse(
      cv::format("%s gives pictures of %d x %d pixels, more than the limit of %g megapixels: use "
                 "smaller ones, or allow more (--max-megapixels)",
                 address_.shown.c_str(), size.width, size.height, options_.mostMegapixels));
}

ReadStatus GuardedReader::fail(const std::string& fault) {
  tell(fault);
  return ReadStatus::failed;
}

bool GuardedReader::open() {
  fault_.clear();
  try {
    return openSource();
  } catch (const std::exception& failure) {
    return refuse(address_.shown + " cannot be opened: " + sentenceOf(failure));
  }
}

ReadStatus GuardedReader::read(Shot& shot) {
  const cv::Mat room = shot.room;
  shot = {};
  shot.room = room;
  try {
    const ReadStatus status = readSource(shot);
    if (status != ReadStatus::frame || fits(shot.picture.size())) return status;
    shot = {};
    return ReadStatus::failed;
  } catch (const std::exception& failure) {
    return fail(address_.shown + " cannot be read: " + sentenceOf(failure));
  }
}

bool GuardedReader::seek(std::int64_t positionMs) {
  try {
    return seekSource(positionMs);
  } catch (const std::exception& failure) {
    return refuse(address_.shown + " cannot seek: " + sentenceOf(failure));
  }
}

}  // namespace mpm::monitor
