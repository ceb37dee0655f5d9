// SPDX-License-Identifier: Apache-2.0
#include "gui/app/wall.h"

#include <QApplication>
#include <QEvent>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/canvas/frame_view.h"
#include "monitor/engine/engine.h"

namespace mpm::gui {
namespace {

constexpr int kEveryMs = 100, kGap = 4;
constexpr int kSmallHeight = 150;  // from here on there is room for why a picture is old
constexpr int kLeastWidth = 90, kLeastHeight = 60;  // of a tile: its name; of a picture

QSizeF fitted(const QSizeF& room, double aspect) {
  const double height = std::max(0.0, std::min(room.height(), room.width() / aspect));
  return {height * aspect, height};
}

}  // namespace

/// Shows a camera's name and does what `hint` says when clicked. A long name is cut in its middle,
/// since addresses begin alike, and appears above the hint.
class CameraName : public QToolButton {
 public:
  explicit CameraName(QString hint) : hint_(std::move(hint)) {
    setAutoRaise(true);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  }

  void setName(const QString& name) {
    name_ = name;
    setAccessibleName(name);
    cut();
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QToolButton::resizeEvent(event);
    cut();
  }
  void changeEvent(QEvent* event) override {
    QToolButton::changeEvent(event);
    if (event->type() == QEvent::FontChange) cut();
  }

 private:
  void cut() {
    constexpr int kRim = 10;
    const QString shown =
        fontMetrics().elidedText(name_, Qt::ElideMiddle, std::max(0, width() - kRim));
    setText(QString(shown).replace('&', QLatin1String("&&")));
    setToolTip(shown == name_ ? hint_ : name_ + QLatin1Char('\n') + hint_);
  }

  QString name_;
  const QString hint_;
};

Wall::Wall(Session& session) : session_(session) {
  setAccessibleName(tr("Wall of cameras"));
  timer_.setInterval(kEveryMs);
  connect(&timer_, &QTimer::timeout, this, &Wall::refresh);
  connect(&session_, &Session::began, this, &Wall::begin);
  connect(&session_, &Session::ended, this, &Wall::end);
  connect(&session_.classes(), &ClassSettings::changed, this, &Wall::nameClasses);
  connect(&session_, &Session::named, this, &Wall::nameThem);
  connect(&session_, &Session::shownChanged, this, &Wall::showChosen);
  connect(&session_, &Session::pausedChanged, this, [this](bool paused) {
    for (Tile& tile : tiles_) tile.view->setPaused(paused);
    refresh();
  });
  if (session_.live().engine()) begin();
}

void Wall::begin() {
  hadFocus_ = hadFocus_ || isAncestorOf(QApplication::focusWidget());
  end();
  for (std::size_t i = 0; i < session_.live().sources(); ++i) addTile(static_cast<int>(i));
  nameThem();
  nameClasses();
  showChosen();
  arrange();
  refresh();
  if (std::exchange(hadFocus_, false)) takeFocus();
}

void Wall::end() {
  for (const Tile& tile : tiles_) tile.box->deleteLater();
  tiles_.clear();
  large_ = -1;
}

void Wall::addTile(int index) {
  Tile tile{new QWidget(this), new CameraName(tr("Enlarges it, or shows all again")),
            new QToolButton, new FrameView(ViewKind::segmentation), nullptr};
  tile.classes = new ClassSettings(tile.box);
  connect(tile.name, &QToolButton::clicked, this,
          [this, index] { enlarge(large_ == index ? -1 : index); });
  auto* line = new QHBoxLayout;
  line->addWidget(tile.name, 1);
  tile.remove->setText(QStringLiteral("×"));
  tile.remove->setAutoRaise(true);
  connect(tile.remove, &QToolButton::clicked, this, [this, index] { session_.closeSource(index); });
  line->addWidget(tile.remove);
  tile.view->setClasses(tile.classes);
  tile.view->setPaused(session_.isPaused());
  tile.view->setZones(session_.live().book(static_cast<std::size_t>(index)).zones);
  tile.view->setMinimumSize(1, 1);
  tile.view->installEventFilter(this);
  auto* column = new QVBoxLayout(tile.box);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(1);
  column->addLayout(line);
  tile.remove->setVisible(removable_);  // with a parent, or it were a window
  column->addWidget(tile.view, 1);
  tile.box->show();
  tiles_.push_back(std::move(tile));
}

void Wall::setRemovable(bool removable) {
  removable_ = removable;
  for (const Tile& tile : tiles_) tile.remove->setVisible(removable);
}

void Wall::nameThem() {
  const QStringList names = session_.names();
  for (qsizetype i = 0; i < std::min<qsizetype>(names.size(), std::ssize(tiles_)); ++i) {
    const Tile& tile = tiles_[static_cast<std::size_t>(i)];
    tile.name->setName(names[i]);
    tile.remove->setAccessibleName(tr("Stop watching %1").arg(names[i]));
    tile.remove->setToolTip(tile.remove->accessibleName());
  }
}

// Each camera's model may have other classes; hidden ones are hidden everywhere.
void Wall::nameClasses() {
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const auto engine = session_.live().engine(i);
    if (!engine) continue;
    tiles_[i].classes->setHidden(session_.classes().hidden(), session_.classes().soloName());
    tiles_[i].classes->setClasses(engine->classes(), engine->palette());
  }
}

void Wall::showChosen() {
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    const bool isChosen = i == session_.live().shown();
    QToolButton& name = *tiles_[i].name;
    QFont font = name.font();
    font.setBold(isChosen);
    name.setFont(font);
    name.setAccessibleDescription(isChosen ? tr("The strip and plots show this camera")
                                           : QString());
  }
}

void Wall::takeFocus() {
  if (session_.live().shown() < tiles_.size()) tiles_[session_.live().shown()].view->setFocus();
}

void Wall::enlarge(int index) {
  large_ = index;
  arrange();
  if (index < 0) return;
  view(index)->setFocus();
  session_.show(index);
}

QSize Wall::minimumSizeHint() const { return {2 * kLeastWidth, 2 * kLeastHeight}; }

void Wall::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
  timer_.start();
}

void Wall::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  timer_.stop();
  for (Tile& tile : tiles_) {  // no frames that nobody sees
    tile.view->setResult(nullptr);
    tile.shown.reset();
  }
}

void Wall::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange();
}

// A click on a small view enlarges it; a large one behaves like any other view.
bool Wall::eventFilter(QObject* object, QEvent* event) {
  const int index = indexOf(object);
  if (index < 0) return false;
  const bool isKey = event->type() == QEvent::KeyPress;
  const int key = isKey ? static_cast<QKeyEvent*>(event)->key() : 0;
  if (key == Qt::Key_Escape && large_ >= 0) {
    if (index == large_ && view(index)->viewState()->pinned()) return false;  // the token first
    enlarge(-1);
    return true;
  }
  if (index == large_) return false;
  const bool chosen = key == Qt::Key_Space || key == Qt::Key_Return || key == Qt::Key_Enter ||
                      event->type() == QEvent::MouseButtonRelease;
  if (chosen) enlarge(index);
  return chosen || event->type() == QEvent::MouseButtonPress ||
         event->type() == QEvent::MouseButtonDblClick || event->type() == QEvent::Wheel;
}

int Wall::indexOf(const QObject* view) const {
  for (std::size_t i = 0; i < tiles_.size(); ++i)
    if (tiles_[i].view == view) return static_cast<int>(i);
  return -1;
}

// Returns the mean ratio of width to height of the large or of the small cameras.
double Wall::aspect(bool large) const {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < static_cast<int>(tiles_.size()); ++i) {
    const Tile& tile = tiles_[static_cast<std::size_t>(i)];
    if ((i == large_) != large || !tile.shown || tile.shown->frame.picture.empty()) continue;
    sum += static_cast<double>(tile.shown->frame.picture.cols) / tile.shown->frame.picture.rows;
    ++count;
  }
  return count > 0 ? sum / count : 4.0 / 3;
}

int Wall::nameHeight() const { return tiles_[0].name->sizeHint().height() + 1; }

// Lays `count` small ones out in as many columns as make them largest.
std::vector<QRect> Wall::gridIn(const QRect& room, int count) const {
  const auto sizeFor = [&](int across) {
    const int down = (count + across - 1) / across;
    return QSize((room.width() - kGap * (across - 1)) / across,
                 (room.height() - kGap * (down - 1)) / down);
  };
  int best = 1;
  double highest = -1;
  for (int across = 1; across <= count; ++across) {
    const QSize size = sizeFor(across);
    if (across > 1 && size.width() < kLeastWidth) break;
    const double high = fitted(size - QSize(0, nameHeight()), aspect(false)).height();
    if (high <= highest) continue;
    highest = high;
    best = across;
  }
  const QSize size = sizeFor(best);
  std::vector<QRect> places;
  for (int i = 0; i < count; ++i)
    places.emplace_back(QPoint(room.left() + i % best * (size.width() + kGap),
                               room.top() + i / best * (size.height() + kGap)),
                        size);
  return places;
}

// A large one takes the room that it can use, next to or above the others, whichever makes it
// larger. The others share the rest, at least a fifth.
void Wall::arrange() {
  if (tiles_.empty()) return;
  QRect large, small = rect();
  if (large_ >= 0 && tiles_.size() > 1) {
    const int names = nameHeight();
    const int column = std::max(kLeastWidth, width() / 5);
    const int row = std::clamp(height() / 5, kLeastHeight, kSmallHeight) + names;
    const QSize beside(width() - column - kGap, height());
    const QSize above(width(), std::max(height() - row - kGap, height() / 2));
    const QSizeF pictureBeside = fitted(beside - QSize(0, names), aspect(true));
    const QSizeF pictureAbove = fitted(above - QSize(0, names), aspect(true));
    if (pictureBeside.height() > pictureAbove.height()) {
      large = QRect({}, beside);
      small.setLeft(beside.width() + kGap);
      // The views are no higher than their frames' width allows.
      const int count = static_cast<int>(tiles_.size()) - 1;
      const int high = static_cast<int>(small.width() / aspect(false)) + names + kGap;
      small.setHeight(std::min(height(), count * high));
    } else {
      const int used = static_cast<int>(std::ceil(pictureAbove.height())) + names;
      large = QRect({}, QSize(width(), std::max(used, height() / 2)));
      small.setTop(large.height() + kGap);
    }
  } else if (large_ >= 0) {
    large = rect();
  }
  const int count = static_cast<int>(tiles_.size()) - (large_ >= 0 ? 1 : 0);
  const std::vector<QRect> places = gridIn(small, count);
  auto place = places.begin();
  for (int i = 0; i < static_cast<int>(tiles_.size()); ++i) {
    const Tile& tile = tiles_[static_cast<std::size_t>(i)];
    tile.view->setTitled(i == large_);  // it is a view as any other
    tile.box->setGeometry(i == large_ ? large : *place++);
  }
}

void Wall::refresh() {
  for (std::size_t i = 0; i < tiles_.size(); ++i) {
    Tile& tile = tiles_[i];
    const auto engine = session_.live().engine(i);
    if (!engine) {
      const Liveness between = Liveness::between(tile.shown, session_.isPaused());
      if (between.oldMs) tile.view->setStale(*between.oldMs, between.state);
      continue;
    }
    const monitor::FrameResultPtr newest = engine->latest();
    if (newest && newest != tile.shown) tile.view->setResult(newest);
    const bool isFirst = newest && !std::exchange(tile.shown, newest);
    if (isFirst) arrange();  // its shape is known now
    tile.view->setLitZones(litZones(*engine, session_.live().book(i)));
    const Liveness live = Liveness::of(*engine, tiles_.size(), session_.isPaused());
    if (!newest) {
      tile.view->setEmptyText(live.instead());
    } else if (live.oldMs) {
      const bool hasRoom = tile.view->height() > kSmallHeight;  // beside what it is about
      tile.view->setStale(*live.oldMs, hasRoom ? live.why() : live.state);
    } else {
      tile.view->setLive();
    }
  }
}

}  // namespace mpm::gui
