// SPDX-License-Identifier: Apache-2.0
// Dialogs that choose what is watched, and the model that watches.
#pragma once

#include <QCheckBox>
#include <QElapsedTimer>
#include <QFileSystemWatcher>
#include <QHash>
#include <QImage>
#include <QList>
#include <QMap>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <QVariantMap>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <opencv2/core.hpp>
#include <string>
#include <utility>

#include "gui/dialog.h"

class Capture;
class QFormLayout;
class QLineEdit;
class QListWidget;
class QListWidgetItem;

namespace mpm::monitor {
class Capture;
}

namespace mpm::gui {

/// Chooses what is watched: a camera that is plugged in, what was watched before, a file, or an
/// address. Beside them what the chosen one shows, before it is opened, or why it shows nothing;
/// its name, and which zones and rules are kept for it. An address that is typed is tried when
/// nothing has been typed for a second. Names are given with what is opened, and not where the
/// dialog is cancelled.
class SourceDialog : public Dialog {
  Q_OBJECT

 public:
  /// What reads an address that is tried; throws where it is none.
  using OpenCapture = std::function<std::unique_ptr<monitor::Capture>(const QString& address)>;

  SourceDialog(const QString& current, const QStringList& recent, const QVariantMap& names = {},
               QWidget* parent = nullptr, OpenCapture openCapture = openAddress);

  ~SourceDialog() override { endAside(std::move(tested_)); }

  QString address() const;
  bool replays() const { return !replay_->isHidden() && replay_->isChecked(); }

  void accept() override;

  /// What is watched now: its newest picture (empty: none yet) is shown without opening it once
  /// more, which a camera would refuse.
  void setWatched(const QString& address, const cv::Mat& picture, double fps);

 signals:
  /// With the dialog's end; empty: no more.
  void named(const QString& address, const QString& name);

 private:
  static constexpr int kLookEveryMs = 100, kTellSecondsFrom = 2;
  static constexpr int kChosenMs = 300, kTypedMs = 1000;
  static constexpr QSize kPictureSize{320, 240};
  static constexpr std::uint64_t kFramesWanted = 3;
  static constexpr int kRatedMs = 3000;  // from the first picture on: its rate is known by then

  enum Role { kAddressRole = Qt::UserRole, kShownRole };

  struct Watched {
    QImage picture;  // null: none yet
    QString words;
  };

  static std::unique_ptr<monitor::Capture> openAddress(const QString& address);
  static void endAside(std::unique_ptr<monitor::Capture> capture);
  QLayout* makeCard();
  QLayout* makeFileButtons();
  void fillIn();
  void listen();
  void listSources(const QStringList& recent);
  void listCameras();
  QListWidgetItem* itemOf(const QString& address, const QString& shown) const;
  void showName(QListWidgetItem& item) const;
  void giveName(const QString& name);
  void choose(const QString& address);
  void chooseFile();
  void chooseFolder();

  /// Opens the address on the side, to see whether pictures come, however late; again: stops.
  void test();
  void look();
  void tellOpening();
  void endTest(bool good, const QString& sentence);
  static QString comesWords(cv::Size size, double fps);
  static QString withoutBlanks(const QString& typed);
  bool isWatched() const { return watched_.contains(address()); }

  void showWatched();
  void showPicture(const QImage& picture, const QString& without = {});
  QString keptWords() const;
  void checkAddress();

  OpenCapture openCapture_;
  QVariantMap names_;             // Settings::sourceNames
  QMap<QString, QString> given_;  // of them, by address: since the dialog was opened
  QListWidget* list_;
  QLineEdit* address_;
  QPushButton* test_;
  QCheckBox* replay_;
  QLabel *picture_, *kept_;
  QLineEdit* name_;
  QHash<QString, Watched> watched_;  // by address
  int cameras_ = 0;                  // rows of the list, the first ones
  std::unique_ptr<monitor::Capture> tested_;
  QTimer timer_, settled_;  // settled_: an address that stays for a moment is tried
  QElapsedTimer opening_;   // of what is tried
  QElapsedTimer arriving_;  // since its first picture
  QFileSystemWatcher devices_;
};

/// Chooses a model: those that ran here, or a file. Of the chosen one a card: what it saw here, its
/// classes, what it was trained on, whether it merges, how long a frame takes it.
class ModelDialog : public Dialog {
  Q_OBJECT

 public:
  ModelDialog(const QString& current, QStringList models, QWidget* parent = nullptr);

  /// The chosen one's file; empty: none.
  QString path() const;

  /// What is remembered of a model is another since it was listed.
  void refresh(const QString& model);

  /// Into the list, where it is not there yet, and chosen.
  void offer(const QString& path);

 private:
  struct Card {
    QString fault;  // why it cannot be read; the others are empty then
    QString classes, trained, merges, encoder;
  };

  void add(const QString& path);
  void showIcon(QListWidgetItem& item) const;
  void chooseFile();
  void showCard();
  void write(int row, const QString& words);
  void fill(const Card& card);
  static Card cardOf(const QString& model);
  static QString trainedOn(const std::map<std::string, std::string>& metadata);

  QListWidget* list_;
  QLabel* picture_;
  QFormLayout* card_;
  QPushButton* open_;
  QList<QLabel*> rows_;  // their values
};

}  // namespace mpm::gui
