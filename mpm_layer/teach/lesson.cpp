// SPDX-License-Identifier: Apache-2.0
// Reports on a lesson: what was annotated, which class needs another frame, and how to say so.
#include "teach/judge.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

namespace mpm {
namespace teach {

Lesson lessonOf(const std::vector<std::string>& classes, const std::vector<Judged>& frames) {
  Lesson lesson;
  lesson.frames = static_cast<int>(frames.size());
  double all = 0;
  for (const std::string& name : classes) {
    lesson.classes.emplace_back();
    lesson.classes.back().name = name;
    lesson.classes.back().iou = std::numeric_limits<double>::quiet_NaN();
  }
  for (const Judged& frame : frames) {
    std::vector<double> pixels(classes.size(), 0);
    for (const Share& share : frame.example.painting.shares)
      pixels[static_cast<std::size_t>(share.classNumber)] += static_cast<double>(share.pixels);
    for (std::size_t k = 0; k < pixels.size(); ++k) {
      lesson.classes[k].frames += pixels[k] > 0;
      lesson.classes[k].share += pixels[k];
      all += pixels[k];
    }
  }
  for (TaughtClass& each : lesson.classes) each.share /= std::max(all, 1.0);
  return lesson;
}

void advise(const std::optional<evaluate::Confusion>& confusion, Lesson& lesson) {
  constexpr double kWeak = 0.5, kMixed = 0.3;
  for (std::size_t k = 0; k < lesson.classes.size(); ++k) {
    const TaughtClass& each = lesson.classes[k];
    if (each.frames == 0) {
      lesson.advice.push_back({Advice::Kind::unpainted, each.name});
    } else if (confusion && std::isnan(each.iou)) {
      const bool isOnce = each.frames == 1;
      lesson.advice.push_back({isOnce ? Advice::Kind::once : Advice::Kind::tooSeldom, each.name});
    } else if (each.iou < kWeak) {
      lesson.advice.push_back({Advice::Kind::weak, each.name});
    }
    if (std::isnan(each.iou)) continue;
    double all = 0;
    for (std::size_t other = 0; other < lesson.classes.size(); ++other)
      all += static_cast<double>(confusion->at(k, other));
    for (std::size_t other = 0; other < lesson.classes.size() && all > 0; ++other) {
      const double share = static_cast<double>(confusion->at(k, other)) / all;
      if (other == k || share < kMixed) continue;
      lesson.advice.push_back({Advice::Kind::mixed, each.name, lesson.classes[other].name, share});
    }
  }
  if (!confusion) lesson.advice.push_back({Advice::Kind::oneFrame});
}

}  // namespace teach

std::string Advice::sentence() const {
  switch (kind) {
    case Kind::oneFrame:
      return "One painted frame is enough to teach, but not to judge the result; paint another "
             "one, in another light.";
    case Kind::unpainted:
      return name + " is painted nowhere, so it will not be found.";
    case Kind::once:
    case Kind::tooSeldom:
      return name + " is painted on " + (kind == Kind::once ? "only one frame" : "too few frames") +
             ", so how well it is found cannot be measured; paint it on another one.";
    case Kind::weak:
      return name + " is found poorly; paint it on another frame.";
    case Kind::mixed:
      return std::to_string(std::lround(100 * share)) + "% of " + name + " is mistaken for " +
             other + "; are they apart on any frame, and painted the same way on all?";
  }
  return {};
}

}  // namespace mpm
