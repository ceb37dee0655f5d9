// SPDX-License-Identifier: Apache-2.0
#include "cli/monitor_report.h"

#include <cmath>
#include <optional>
#include <utility>

#include "cli/wording.h"

namespace mpm::cli {
namespace {

std::optional<double> valueOf(const monitor::Engine& engine, std::size_t source,
                              const monitor::FrameResult& result, const char* metric) {
  const std::optional<std::size_t> place = engine.metrics(source).find(metric);
  if (!place || std::isnan(result.known.values[*place])) return std::nullopt;
  return result.known.values[*place];
}

std::string sourceStatus(const monitor::Engine& engine, std::size_t index) {
  const monitor::CaptureStatus capture = engine.capture(index);
  std::string text = engine.source(index).name + " ";
  const monitor::FrameResultPtr result = engine.latest(index);
  if (capture.state != monitor::CaptureState::live &&
      capture.state != monitor::CaptureState::ended) {
    text += monitor::nameOf(capture.state);
    if (capture.state == monitor::CaptureState::waiting) {
      text += ", next try in " + numberText(static_cast<double>(capture.msToNextTry) / 1000, 0) +
              " s: " + capture.fault;
    }
    return text;
  }
  if (!result) return text + "no frame yet";
  text += std::string(monitor::nameOf(result->light.state));
  const auto rows = valueOf(engine, index, *result, "live_rows");
  const auto before = valueOf(engine, index, *result, "rows.0");
  if (rows && before)
    text += " " + numberText(*rows, 0) + " of " + numberText(*before, 0) + " rows";
  if (const auto fresh = valueOf(engine, index, *result, "fresh_share"))
    text += ", " + numberText(*fresh * 100, 0) + "% computed";
  if (const auto ms = valueOf(engine, index, *result, "ms.network")) text += ", " + msText(*ms);
  text += ", " + numberText(capture.fps, 1) + " fps";
  if (const auto age = valueOf(engine, index, *result, "frame_age_ms")) {
    text += ", age " + numberText(*age, 0) + " ms";
  }
  if (capture.drops > 0) text += ", " + std::to_string(capture.drops) + " dropped";
  return text;
}

}  // namespace

std::string statusLine(const monitor::Engine& engine, std::size_t width) {
  std::string line;
  for (std::size_t i = 0; i < engine.sources(); ++i) {
    if (i > 0) line += " | ";
    line += sourceStatus(engine, i);
  }
  if (const std::string fault = engine.fault(); !fault.empty()) line += " | " + fault;
  if (width > 0 && line.size() > width) line.resize(width);
  return line;
}

MonitorLog::MonitorLog(std::vector<std::string> sourceNames, std::ostream& out, bool redraws)
    : sourceNames_(std::move(sourceNames)), out_(out), redraws_(redraws) {}

MonitorLog::~MonitorLog() {
  if (!status_.empty()) out_ << "\r\x1b[K" << std::flush;
}

void MonitorLog::write(const std::string& line) {
  const std::lock_guard lock(mutex_);
  out_.clear();  // what could not be written, to a full disk for example, is not the end of the log
  if (!status_.empty()) out_ << "\r\x1b[K";
  out_ << line << '\n' << status_ << std::flush;
}

// Whether the other way of hearing of it was first.
bool MonitorLog::isSaid(const std::string& text, std::string& here, const std::string& there) {
  const std::lock_guard lock(mutex_);
  here = text;
  return text == there;
}

void MonitorLog::sayOfRecord(const std::string& fault) {
  if (fault.empty()) {
    say("the record is being written again");
    const std::lock_guard lock(mutex_);
    recordEvent_.clear();
    recordFault_.clear();
  } else if (!isSaid(fault, recordFault_, recordEvent_)) {
    say("the record: " + fault);
  }
}

void MonitorLog::onEvent(std::size_t source, const monitor::Event& event) {
  if (event.kind == "record") {
    if (!isSaid(event.text, recordEvent_, recordFault_)) say("the record: " + event.text);
    return;
  }
  write(monitor::isoUtc(event.at.utcMs) + " " + sourceNames_.at(source) + ": " + event.text);
}

void MonitorLog::say(const std::string& sentence) {
  write(monitor::isoUtc(monitor::systemClock().now().utcMs) + " " + sentence);
}

void MonitorLog::showStatus(const std::string& line) {
  if (!redraws_) return;
  const std::lock_guard lock(mutex_);
  status_ = line;
  out_ << "\r\x1b[K" << status_ << std::flush;
}

}  // namespace mpm::cli
