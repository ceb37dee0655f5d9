// SPDX-License-Identifier: Apache-2.0
#include "gui/canvas/class_settings.h"

#include <cstddef>

namespace mpm::gui {
namespace {

constexpr int kUnknownGrey = 128;

}  // namespace

ClassSettings::ClassSettings(QObject* parent) : QObject(parent) {}

void ClassSettings::setClasses(const std::vector<std::string>& names,
                               const std::vector<cv::Vec3b>& palette) {
  classes_.clear();
  for (std::size_t i = 0; i < names.size(); ++i) {
    const cv::Vec3b bgr = i < palette.size() ? palette[i] : cv::Vec3b::all(kUnknownGrey);
    classes_.push_back({QString::fromStdString(names[i]), QColor(bgr[2], bgr[1], bgr[0]), true});
  }
  solo_ = -1;
  ++revision_;
  emit classesReset();
}

QString ClassSettings::name(int index) const {
  return known(index) ? classes_[static_cast<std::size_t>(index)].name : tr("class %1").arg(index);
}

QColor ClassSettings::colour(int index) const {
  return known(index) ? classes_[static_cast<std::size_t>(index)].colour
                      : QColor(kUnknownGrey, kUnknownGrey, kUnknownGrey);
}

bool ClassSettings::isVisible(int index) const {
  return known(index) ? classes_[static_cast<std::size_t>(index)].visible : true;
}

bool ClassSettings::shows(int index) const {
  return solo_ >= 0 ? index == solo_ : isVisible(index);
}

void ClassSettings::setVisible(int index, bool visible) {
  if (!known(index) || isVisible(index) == visible) return;
  classes_[static_cast<std::size_t>(index)].visible = visible;
  tell(index, index);
}

void ClassSettings::setAllVisible(bool visible) {
  for (Entry& entry : classes_) entry.visible = visible;
  solo_ = -1;
  tell(0, count() - 1);
}

void ClassSettings::setSolo(int index) {
  const int solo = known(index) ? index : -1;
  if (solo == solo_) return;
  solo_ = solo;
  tell(0, count() - 1);
}

void ClassSettings::tell(int first, int last) {
  ++revision_;
  if (first <= last) emit changed(first, last);
}

}  // namespace mpm::gui
