// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLayout>
#include <QList>
#include <QMenu>
#include <QPushButton>
#include <QStringList>
#include <QWidget>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace mpm::gui {

/// Lays words and fields out in lines, as text is, each in the middle of its line.
class FlowLayout : public QLayout {
 public:
  explicit FlowLayout(QWidget* parent);
  ~FlowLayout() override;

  void addItem(QLayoutItem* item) override { items_.append(item); }
  int count() const override { return static_cast<int>(items_.size()); }
  QLayoutItem* itemAt(int index) const override { return items_.value(index); }
  QLayoutItem* takeAt(int index) override;
  Qt::Orientations expandingDirections() const override { return {}; }
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override { return layOut({0, 0, width, 0}, false); }
  QSize sizeHint() const override;
  QSize minimumSize() const override;
  void setGeometry(const QRect& room) override;

 private:
  int layOut(const QRect& room, bool moves) const;

  QList<QLayoutItem*> items_;
};

/// Shows a sentence with fields in it, which Tab reaches in the order in which they are read.
class Sentence : public QWidget {
 public:
  explicit Sentence(QWidget* parent = nullptr);

  /// Takes ownership of the fields. Fields that no sentence shows are hidden.
  void addFields(const QList<QWidget*>& fields);
  /// Shows other words: %1, %2, ... in them are `fields`, in any order.
  void say(const QString& words, const QList<QWidget*>& fields);
  /// Puts its fields after `before` in the tab order; returns the last of them.
  QWidget* tabAfter(QWidget* before) const;

 private:
  QList<QWidget*> fields_, shown_;
};

/// Is as wide as its choice, not as the longest one.
class WordBox : public QComboBox {
 public:
  explicit WordBox(const QString& accessibleName);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

  /// Chooses the entry with this data; if missing, it is appended with these words.
  void choose(const QString& entry, const QString& words);
};

/// Shows a number with as many decimals as it has, as wide as that is. It accepts the user's
/// decimal separator, or a point as in files.
class NumberBox : public QDoubleSpinBox {
 public:
  NumberBox(const QString& accessibleName, double least, double most);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }
  QString textFromValue(double value) const override;
  double valueFromText(const QString& text) const override;
  QValidator::State validate(QString& text, int& at) const override;

 private:
  std::optional<double> numberIn(QString text) const;
};

/// Opens a menu with several choices, and shows the chosen ones as words.
class ManyBox : public QPushButton {
 public:
  /// `words` returns the text for the chosen entries, in their order.
  ManyBox(const QString& accessibleName, const QStringList& entries,
          std::function<QString(const std::vector<std::size_t>& places)> words);

  QSize sizeHint() const override;
  void setChosen(const std::vector<std::size_t>& places);
  std::vector<std::size_t> chosen() const;
  /// Keeps at least one entry chosen.
  void setAtLeastOne() { atLeastOne_ = true; }
  /// Sets a function that is called after every change by the user.
  void onChosen(std::function<void()> then) { then_ = std::move(then); }

 protected:
  bool eventFilter(QObject* menu, QEvent* event) override;

 private:
  void tell();

  QMenu* menu_;
  std::function<QString(const std::vector<std::size_t>&)> words_;
  std::function<void()> then_;
  bool atLeastOne_ = false;
};

}  // namespace mpm::gui
