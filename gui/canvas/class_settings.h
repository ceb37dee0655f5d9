// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QObject>
#include <QString>
#include <QStringList>
#include <cstddef>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace mpm::gui {

/// Display settings of the model's classes, shared by all views and the legend.
class ClassSettings : public QObject {
  Q_OBJECT

 public:
  explicit ClassSettings(QObject* parent = nullptr) : QObject(parent) {}

  /// `palette` is BGR, grey for missing classes. Classes that were hidden or solo in another model
  /// are so in this one.
  void setClasses(const std::vector<std::string>& names, const std::vector<cv::Vec3b>& palette) {
    classes_.clear();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const cv::Vec3b bgr = i < palette.size() ? palette[i] : cv::Vec3b::all(kUnknownGrey);
      const QString name = QString::fromStdString(names[i]);
      classes_.push_back({name, QColor(bgr[2], bgr[1], bgr[0]), !hidden_.contains(name)});
    }
    solo_ = placeOf(soloName_);
    ++revision_;
    emit classesReset();
  }

  int count() const { return static_cast<int>(classes_.size()); }
  /// Returns "class 7" if the model has no such class.
  QString name(int index) const {
    return known(index) ? classes_[static_cast<std::size_t>(index)].name
                        : tr("class %1").arg(index);
  }

  /// Returns grey for a class without a colour.
  QColor colour(int index) const {
    return known(index) ? classes_[static_cast<std::size_t>(index)].colour
                        : QColor(kUnknownGrey, kUnknownGrey, kUnknownGrey);
  }

  /// Returns the setting, whatever is solo.
  bool isVisible(int index) const {
    return known(index) ? classes_[static_cast<std::size_t>(index)].visible : true;
  }

  /// Tells whether views show it: the solo class, else the visible ones.
  bool shows(int index) const { return solo_ >= 0 ? index == solo_ : isVisible(index); }
  int solo() const { return solo_; }  ///< -1: none

  void setVisible(int index, bool visible) {
    if (!known(index) || isVisible(index) == visible) return;
    show(classes_[static_cast<std::size_t>(index)], visible);
    tell(index, index);
  }

  /// Shows or hides all classes, and ends solo.
  void setAllVisible(bool visible) {
    for (Entry& entry : classes_) show(entry, visible);
    solo_ = -1;
    soloName_.clear();
    tell(0, count() - 1);
  }

  /// A number that is no class ends solo.
  void setSolo(int index) {
    const int solo = known(index) ? index : -1;
    if (solo == solo_) return;
    solo_ = solo;
    soloName_ = solo < 0 ? QString() : name(solo);
    tell(0, count() - 1);
  }

  /// Returns hidden classes by name, including those of earlier models.
  const QStringList& hidden() const { return hidden_; }
  const QString& soloName() const { return soloName_; }  ///< empty: none
  /// Restores the hidden and the solo class for models that follow.
  void setHidden(const QStringList& hidden, const QString& solo) {
    hidden_ = hidden;
    soloName_ = solo;
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

  int placeOf(const QString& name) const {
    for (int i = 0; !name.isEmpty() && i < count(); ++i)
      if (classes_[static_cast<std::size_t>(i)].name == name) return i;
    return -1;
  }

  void show(Entry& entry, bool visible) {
    entry.visible = visible;
    hidden_.removeAll(entry.name);
    if (!visible) hidden_ << entry.name;
  }

  void tell(int first, int last) {
    ++revision_;
    if (first <= last) emit changed(first, last);
  }

  std::vector<Entry> classes_;
  int solo_ = -1;
  QStringList hidden_;
  QString soloName_;
  quint64 revision_ = 0;
};

}  // namespace mpm::gui
