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

/// Holds a plot's data for its table and as CSV. Rows have keys, so that rows which stay keep a
/// reader's position, and only new or removed ones are signalled.
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
  // The rows of `contents_` that views know of while rows come and go.
  int first_ = 0, count_ = 0;
};

/// Creates a view of whole rows that Tab leaves. The last column takes the remaining room.
QTableView* viewOfRows(QAbstractItemModel* model, const QString& accessibleName);

constexpr int kDescriptionPauseMs = 4000;

/// A widget's accessible description, which follows its data at most once in kDescriptionPauseMs,
/// then with the newest text.
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

/// Draws names and colours in as many lines as fit; the last ones are replaced by "…".
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

  /// Returns 0 without entries.
  int height() const { return lines_ * lineHeight_; }
  void draw(QPainter& painter, QPoint topLeft, const QPalette& palette) const;

 private:
  int sampleWidth(const Entry& entry) const {
    return entry.sample == Sample::none ? 0 : sample_ + gap_;
  }

  std::vector<std::pair<Entry, QRect>> placed_;
  int lines_ = 0, lineHeight_, sample_, gap_;
};

/// Base of all plots: offers the data as a table and as CSV, a sentence as the accessible
/// description, and a tool tip at the pointer. Give each plot an accessible name. Its context menu,
/// and the key T, show the table in a window that closes with the plot.
class Plot : public QWidget {
  Q_OBJECT

 public:
  /// `hint` and `least` are the preferred and the minimum size.
  Plot(QSize hint, QSize least, QWidget* parent = nullptr);

  /// Returns the data, updated at most twice a second. It lives as long as the plot.
  QAbstractTableModel* table();

  /// Writes the data as RFC 4180 in UTF-8: English headers, numbers with a point, times in UTC.
  /// `device` is open for writing; returns whether all of it was written.
  bool exportCsv(QIODevice& device) const;

  /// Returns one sentence on what there is to see.
  virtual QString summary() const = 0;

  QSize sizeHint() const override { return hint_; }
  QSize minimumSizeHint() const override { return least_; }

 protected:
  using Contents = PlotTable::Contents;

  /// Draws all but what follows the pointer, on the palette's base, as large as the widget.
  virtual void draw(QPainter& painter) const = 0;
  /// Draws what follows the pointer and the keyboard.
  virtual void drawOver(QPainter& /*painter*/) const {}
  /// Returns the tool tip at a position; empty if none.
  virtual QString hintAt(QPoint /*place*/) const { return {}; }
  virtual Contents contents() const = 0;

  /// Redraws; `dataToo` also updates table and description.
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

/// Draws a sentence in the middle of an empty plot, wrapped as needed.
void drawSentence(QPainter& painter, const QRect& place, const QString& sentence,
                  const QPalette& palette);

/// A line of a readout, with a swatch if the colour is valid.
struct ReadoutLine {
  QString words;
  QColor colour = {};
};

/// Draws lines in a box within `inside`, on the roomier side of `pointer`, from `top` on.
void drawReadout(QPainter& painter, const QRect& inside, int pointer, int top,
                 const std::vector<ReadoutLine>& lines, const QPalette& palette);

}  // namespace mpm::gui
