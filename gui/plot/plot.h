// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QBrush>
#include <QColor>
#include <QElapsedTimer>
#include <QImage>
#include <QPainter>
#include <QTimer>
#include <QVariant>
#include <QWidget>
#include <array>
#include <functional>
#include <utility>
#include <vector>

class QAbstractItemModel;
class QIODevice;
class QTableView;

namespace mpm::gui {

/// What a plot shows, for its table and as CSV. Rows have keys: those that stay while the plot
/// moves on stay where a reader is, and only what is new or gone is told.
class PlotTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  using Key = std::array<qint64, 3>;

  struct Column {
    QString title;  ///< for people; empty: in CSV alone
    QString name;   ///< in CSV; empty: in the table alone
  };

  struct Cell {
    QString text;         ///< for people, in their language
    QVariant value = {};  ///< in CSV: a number, or a word there; invalid: the text
  };

  struct Row {
    Key key;
    std::vector<Cell> cells;  ///< one for each column
  };

  struct Contents {
    std::vector<Column> columns;
    std::vector<Key> rows;
    std::function<Cell(int row, int column)> cell;  ///< owns, or shares, whatever it needs
  };

  static Contents contentsOf(std::vector<Column> columns, std::vector<Row> rows);

  using QAbstractTableModel::QAbstractTableModel;

  void show(Contents contents);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

 private:
  Contents contents_;
  std::vector<int> shown_;  // columns with a title
  // While rows come and go: which of `contents_` are told of.
  int first_ = 0, count_ = 0;
};

/// Shows whole rows, which Tab leads out of. The last column takes what room is left.
QTableView* viewOfRows(QAbstractItemModel* model, const QString& accessibleName);

constexpr int kDescriptionPauseMs = 4000;

/// A widget's accessible description that follows its data, without talking all the time: at most
/// once in kDescriptionPauseMs, then what was told last.
class Description : public QObject {
 public:
  explicit Description(QWidget* widget);
  void tell(const QString& sentence);

 private:
  void speak();

  QWidget* widget_;
  QString waiting_;
  QElapsedTimer since_;
  QTimer later_;
};

/// Names and colours in as many lines as there is room for; the last ones give way to "…".
class Legend {
 public:
  enum class Sample { line, patch, none };

  struct Entry {
    QString text;
    QColor colour = {};
    Sample sample = Sample::line;
    QBrush pattern = Qt::NoBrush;
  };

  Legend(std::vector<Entry> entries, int width, int mostLines, const QFontMetrics& metrics);

  /// 0 without entries.
  int height() const { return lines_ * lineHeight_; }
  void draw(QPainter& painter, QPoint topLeft, const QPalette& palette) const;

 private:
  int sampleWidth(const Entry& entry) const {
    return entry.sample == Sample::none ? 0 : sample_ + gap_;
  }

  std::vector<std::pair<Entry, QRect>> placed_;
  int lines_ = 0, lineHeight_, sample_, gap_;
};

/// What all plots offer besides the drawing: the same data as a table and as CSV, a sentence about
/// it as the accessible description, and words on what is under the pointer. Give a plot an
/// accessible name. Its context menu, and the key T, show the table in a window of its own, which
/// ends with the plot.
class Plot : public QWidget {
  Q_OBJECT

 public:
  /// `hint`, `least`: the size that it would have, and the least.
  Plot(QSize hint, QSize least, QWidget* parent = nullptr);

  /// What is shown, kept up to date (at most twice a second). It lives as long as the plot.
  QAbstractTableModel* table();

  /// What is shown, RFC 4180 in UTF-8: English headers, numbers with a point, times in UTC.
  /// `device` is open for writing; returns whether all of it was written.
  bool exportCsv(QIODevice& device) const;

  /// One sentence: what there is to see.
  virtual QString summary() const = 0;

  QSize sizeHint() const override { return hint_; }
  QSize minimumSizeHint() const override { return least_; }

 protected:
  using Contents = PlotTable::Contents;

  /// Everything but what follows the pointer, onto the palette's base, as large as the widget.
  virtual void draw(QPainter& painter) const = 0;
  /// What follows the pointer and the keyboard.
  virtual void drawOver(QPainter& /*painter*/) const {}
  /// What the tool tip says there; empty: nothing.
  virtual QString hintAt(QPoint /*place*/) const { return {}; }
  virtual Contents contents() const = 0;

  /// The drawing is made again; with `dataToo` also table and description.
  void changed(bool dataToo = true);

  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void tellTable();
  void showTable();
  void copyTable() const;

  QSize hint_, least_;
  Description description_;
  PlotTable table_;
  bool tableWanted_ = false, tableOld_ = false;
  QTimer tableLater_;
  mutable QImage still_;
};

/// One sentence in the middle of an empty plot, in as many lines as it needs.
void drawSentence(QPainter& painter, const QRect& place, const QString& sentence,
                  const QPalette& palette);

/// A line of a readout, with a swatch before it where the colour is valid.
struct ReadoutLine {
  QString words;
  QColor colour = {};
};

/// Lines in a box beside `pointer`, on the side that has room, from `top` on; within `inside`.
void drawReadout(QPainter& painter, const QRect& inside, int pointer, int top,
                 const std::vector<ReadoutLine>& lines, const QPalette& palette);

}  // namespace mpm::gui
