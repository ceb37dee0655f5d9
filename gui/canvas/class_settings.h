// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QObject>
#include <QString>
#include <cstddef>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace mpm::gui {

/// The model's classes as they are shown, shared by all views and the legend.
class ClassSettings : public QObject {
  Q_OBJECT

 public:
  explicit ClassSettings(QObject* parent = nullptr) : QObject(parent) {}

  /// `palette`: BGR; grey for classes that it lacks. All become visible, none solo.
  void setClasses(const std::vector<std::string>& names, const std::vector<cv::Vec3b>& palette) {
    classes_.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const cv::Vec3b bgr = i < palette.size() ? palette[i] : cv::Vec3b::all(kUnknownGrey);
      classes_.push_back({QString::fromStdString(names[i]), QColor(bgr[2], bgr[1], bgr[0]), true});
    }
    solo_ = -1;
    ++revision_;
    emit classesReset();
  }

  int count() const { return static_cast<int>(classes_.size()); }
  /// "class 7" where the model has no such class
  QString name(int index) const {
    return known(index) ? classes_[static_cast<std::size_t>(index)].name
                        : tr("class %1").arg(index);
  }

  /// Grey where it has none.
  QColor colour(int index) const {
    return known(index) ? classes_[static_cast<std::size_t>(index)].colour
                        : QColor(kUnknownGrey, kUnknownGrey, kUnknownGrey);
  }

  /// As it was set, whatever is solo.
  bool isVisible(int index) const {
    return known(index) ? classes_[static_cast<std::size_t>(index)].visible : true;
  }

  /// Whether views show it: the solo class, else the visible ones.
  bool shows(int index) const { return solo_ >= 0 ? index == solo_ : isVisible(index); }
  int solo() const { return solo_; }  ///< -1: none

  void setVisible(int index, bool visible) {
    if (!known(index) || isVisible(index) == visible) return;
    classes_[static_cast<std::size_t>(index)].visible = visible;
    tell(index, index);
  }

  /// And none solo.
  void setAllVisible(bool visible) {
    for (Entry& entry : classes_) entry.visible = visible;
    solo_ = -1;
    tell(0, count() - 1);
  }

  /// Anything that is no class: none.
  void setSolo(int index) {
    const int solo = known(index) ? index : -1;
    if (solo == solo_) return;
    solo_ = solo;
    tell(0, count() - 1);
  }

  /// Grows with every change.
  quint64 revision() const { return revision_; }

 signals:
  void classesReset();                ///< other classes
  void changed(int first, int last);  ///< visibility or solo of these

 private:
  static constexpr int kUnknownGrey = 128;

  struct Entry {
    QString name;
    QColor colour;
    bool visible = true;
  };
  bool known(int index) const { return index >= 0 && index < count(); }

  void tell(int first, int last) {
    ++revision_;
    if (first <= last) emit changed(first, last);
  }

  std::vector<Entry> classes_;
  int solo_ = -1;
  quint64 revision_ = 0;
};

}  // namespace mpm::gui
