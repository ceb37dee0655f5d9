// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QObject>
#include <QString>
#include <opencv2/core.hpp>
#include <string>
#include <vector>

namespace mpm::gui {

/// The model's classes as they are shown, shared by all views and the legend.
class ClassSettings : public QObject {
  Q_OBJECT

 public:
  explicit ClassSettings(QObject* parent = nullptr);

  /// `palette`: BGR; grey for classes that it lacks. All become visible, none solo.
  void setClasses(const std::vector<std::string>& names, const std::vector<cv::Vec3b>& palette);

  int count() const { return static_cast<int>(classes_.size()); }
  QString name(int index) const;    ///< "class 7" where the model has no such class
  QColor colour(int index) const;   ///< grey where it has none
  bool isVisible(int index) const;  ///< as it was set, whatever is solo
  bool shows(int index) const;  ///< whether views show it: the solo class, else the visible ones
  int solo() const { return solo_; }  ///< -1: none

  void setVisible(int index, bool visible);
  void setAllVisible(bool visible);  ///< and none solo
  void setSolo(int index);           ///< anything that is no class: none

  /// Grows with every change.
  quint64 revision() const { return revision_; }

 signals:
  void classesReset();                ///< other classes
  void changed(int first, int last);  ///< visibility or solo of these

 private:
  struct Entry {
    QString name;
    QColor colour;
    bool visible = true;
  };
  bool known(int index) const { return index >= 0 && index < count(); }
  void tell(int first, int last);

  std::vector<Entry> classes_;
  int solo_ = -1;
  quint64 revision_ = 0;
};

}  // namespace mpm::gui
