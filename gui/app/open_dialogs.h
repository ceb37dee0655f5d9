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

/// Chooses what is watched: a connected camera, an earlier source, a file, or an address. The
/// chosen one is previewed before it opens, or its error is shown. Its name and its kept zones and
/// rules appear, too. A typed address is tried one second after the last key. Names are saved with
/// what is opened, and not if the dialog is cancelled.
class SourceDialog : public Dialog {
  Q_OBJECT

 public:
  /// Opens an address that is tried; throws if it is invalid.
  using OpenCapture = std::function<std::unique_ptr<monitor::Capture>(const QString& address)>;

  SourceDialog(const QString& current, const QStringList& recent, const QVariantMap& names = {},
               QWidget* parent = nullptr, OpenCapture openCapture = openAddress);

  ~SourceDialog() override { endAside(std::move(tested_)); }

  QString address() const;
  bool replays() const { return !replay_->isHidden() && replay_->isChecked(); }

  void accept() override;

  /// Sets the current source: its newest frame (empty: none yet) is shown without opening it again,
  /// which a camera would refuse.
  void setWatched(const QString& address, const cv::Mat& picture, double fps);

 signals:
  /// Sent when the dialog ends; an empty name removes it.
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

  /// Opens the address in a thread, to see whether frames come, however late; again: stops.
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

/// Chooses a model: an earlier one, or a file. A card shows what it saw here, its classes and
/// training data, whether it merges and how long a frame takes.
class ModelDialog : public Dialog {
  Q_OBJECT

 public:
  ModelDialog(const QString& current, QStringList models, QWidget* parent = nullptr);

  /// Returns the chosen file; empty if none.
  QString path() const;

  /// Says that the model is for this camera, and offers it for all.
  void offerAll(const QString& camera);
  bool isForAll() const;

  /// Updates what is remembered of a model after it was listed.
  void refresh(const QString& model);

  /// Adds a model to the list if it is missing, and chooses it.
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
  QCheckBox* all_;
  QLabel* picture_;
  QFormLayout* card_;
  QPushButton* open_;
  QList<QLabel*> rows_;  // their values
};

}  // namespace mpm::gui
