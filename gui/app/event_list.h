// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QImage>
#include <QMap>
#include <QStandardItemModel>

namespace mpm::gui {

/// What happened, the newest first, to the second, with a small picture of it where there is one;
/// older ones than the last thousand are in the record.
class EventList : public QStandardItemModel {
  Q_OBJECT

 public:
  static constexpr QSize kPictureSize{84, 56};

  /// Names what a record keeps of an event: files; empty: none.
  struct Kept {
    QString clip{}, picture{};
    bool operator==(const Kept&) const = default;
  };

  struct Entry {
    QString kind, name, text;  ///< as monitor::Event has them
    qint64 utcMs = 0;
    QImage picture{};
    QString source{};  ///< the address of the one that it happened at; empty: the app itself
    Kept kept{};

    /// Says whether it is a rule that begins.
    bool isAlert() const;
    /// The sentence of an alert without the rule's name; else all of it.
    QString reason() const;
  };

  explicit EventList(QObject* parent = nullptr);

  /// In front of all others.
  void add(const Entry& entry);
  /// Among those that are there, by their time: of one source, the newest first.
  void addOlder(const QList<Entry>& entries);
  void forget(const QString& source);

  /// What sources are called, by their addresses, in front of what happened at them; the others'
  /// are not named.
  void setNames(const QMap<QString, QString>& names);

  /// A picture that a source took then, for what lately happened at it and has none.
  bool wantsPicture(const QString& source, qint64 utcMs) const {
    return rowFor(source, utcMs) >= 0;
  }
  void addPicture(const QString& source, qint64 utcMs, const QImage& picture);

  /// What was kept of an event that is listed, known some time after it.
  void keep(const Entry& of, const Kept& kept);

  Entry entry(int row) const;
  /// Where an event is listed, whatever was kept of it since; -1: it is not.
  int rowOf(const Entry& entry) const;
  /// With a sign to play on the picture of what kept a clip.
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  static constexpr int kMost = 1000, kMostPictures = 200, kLately = 20;
  static constexpr qint64 kNearMs = 2000;  // a picture shows what happened until then
  enum Role {
    kTimeRole = Qt::UserRole + 1,
    kKindRole,
    kNameRole,
    kTextRole,
    kSourceRole,
    kClipRole,
    kKeptPictureRole
  };

  QString wordsOf(const Entry& entry) const;
  QList<QStandardItem*> itemsOf(const Entry& entry) const;
  void setPicture(int row, const QImage& picture);
  int rowFor(const QString& source, qint64 utcMs) const;

  QMap<QString, QString> names_;
};

}  // namespace mpm::gui
