// SPDX-License-Identifier: Apache-2.0
#include "gui/app/live.h"

#include <stdlib.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <QCoreApplication>
#include <QMetaObject>
#include <QThreadPool>
#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <utility>

#include "gui/aside.h"
#include "mpm/version.h"

namespace mpm::gui {
namespace {

monitor::SessionOptions sessionOptions(const LiveOptions& options) {
  monitor::SessionOptions session;
  session.version = mpm::version();
  session.record = options.record.toStdString();
  session.recordOptions.backups = 3;
  session.pictures.perHour = options.picturesPerHour;
  session.mustRecord = false;
  return session;
}

// After this time the first frames have run, the net has packed its weights, and the previous
// session's frames are released.
constexpr int kSettledMs = 3000;

// Frames and the nets' buffers come and go by the megabyte. The GNU allocator raises the size from
// which blocks come from the system, and return to it, up to the largest freed block (32 MB at
// most). A few small blocks that live on then hold all the others around them.
void keepLargeBlocksApart() {
#ifdef __GLIBC__
  constexpr int kLarge = 1 << 20;  // bytes
  mallopt(M_MMAP_THRESHOLD, kLarge);
#endif
}

// The GNU allocator keeps freed memory per thread, and engines and their loaders come with threads
// of their own. That would be hundreds of megabytes after some dozens of models.
void giveBackFreed() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// Priority of readers, net helpers and record threads: just above that of training.
constexpr int kBehindTheWindow = 4;

}  // namespace

/// Listens to engines, in their threads, and keeps each camera's newest frame that also ran
/// unmerged.
class Live::Ear : public monitor::EngineListener {
 public:
  explicit Ear(Live& live) : live_(live) {}

  void onResult(const std::string& source, const monitor::FrameResultPtr& result) override {
    if (result->full) {
      const std::lock_guard lock(mutex_);
      compared_[source] = result;
    }
    if (!told_.exchange(true)) emit live_.resultReady();
  }
  void onEvent(const std::string& source, const monitor::Event& event) override {
    QMetaObject::invokeMethod(
        &live_, [live = &live_, source, event] { live->hear(source, event); },
        Qt::QueuedConnection);
  }

  void heard() { told_ = false; }
  monitor::FrameResultPtr compared(const std::string& source) const {
    const std::lock_guard lock(mutex_);
    const auto found = compared_.find(source);
    return found == compared_.end() ? nullptr : found->second;
  }
  void forget(const std::string& source) {
    const std::lock_guard lock(mutex_);
    compared_.erase(source);
  }

 private:
  Live& live_;
  std::atomic<bool> told_{false};
  mutable std::mutex mutex_;
  std::map<std::string, monitor::FrameResultPtr> compared_;
};

struct Live::Camera {
  WantedCamera wanted;
  monitor::LoadedNetworkPtr loaded;
  Computing computing;
  std::vector<std::string> leftOut;         // why, for each rule that cannot act
  std::shared_ptr<monitor::Engine> engine;  // null while it is replaced
  monitor::PastRun run;                     // with its events so far
};

/// What is wanted, and the session that begins it in the thread.
struct Live::Opening {
  CameraPlan cameras;
  std::int64_t begunUtcMs = 0;
  std::unique_ptr<monitor::Session> session{};

  void begin(monitor::EngineListener& ear, monitor::Clock& clock);
};

Live::Live(QObject* parent, monitor::Clock& clock)
    : QObject(parent), clock_(clock), ear_(std::make_unique<Ear>(*this)) {
  keepLargeBlocksApart();
  // It runs in another thread, since other threads wait for memory meanwhile.
  settled_.setSingleShot(true);
  settled_.setInterval(kSettledMs);
  connect(&settled_, &QTimer::timeout, this,
          [] { QThreadPool::globalInstance()->start([] { giveBackFreed(); }); });
}

Live::~Live() {
  if (thread_.joinable()) thread_.join();
  // Engines that are still beginning end now, while the receivers of their events exist.
  QCoreApplication::removePostedEvents(this);
  cameras_.clear();
  session_.reset();
}

QString Live::shownAddress() const {
  return options_.sources().value(static_cast<qsizetype>(shown_));
}

QString Live::model() const {
  return shown_ < cameras_.size() ? cameras_[shown_]->wanted.model : QString();
}

const Computing& Live::computing() const {
  static const Computing kNone;
  return shown_ < cameras_.size() ? cameras_[shown_]->computing : kNone;
}

std::optional<double> Live::usualConfidence() const {
  if (shown_ >= cameras_.size()) return std::nullopt;
  return cameras_[shown_]->loaded->network->usualConfidence();
}

const monitor::RuleBook& Live::book(std::size_t source) const {
  static const monitor::RuleBook kNone;
  return source < cameras_.size() ? cameras_[source]->wanted.kept.book : kNone;
}

QString Live::bookFault() const {
  return shown_ < cameras_.size() ? cameras_[shown_]->wanted.kept.fault : QString();
}

std::shared_ptr<monitor::Engine> Live::engine(std::size_t source) const {
  return source < cameras_.size() ? cameras_[source]->engine : nullptr;
}

monitor::Engines Live::engines() const {
  monitor::Engines engines;
  for (const auto& camera : cameras_) engines.push_back(camera->engine);
  return engines;
}

monitor::FrameResultPtr Live::newest(std::size_t source) const {
  ear_->heard();
  const auto engine = this->engine(source);
  return engine ? engine->latest() : nullptr;
}

monitor::FrameResultPtr Live::compared(std::size_t source) const {
  return source < cameras_.size() ? ear_->compared(cameras_[source]->wanted.name) : nullptr;
}

const monitor::PastRun& Live::run(std::size_t source) const { return cameras_.at(source)->run; }

QString Live::modelHash() const {
  return shown_ < cameras_.size() ? QString::fromStdString(cameras_[shown_]->loaded->hash)
                                  : QStringLiteral("?");
}

void Live::show(std::size_t source) {
  if (engine(source)) shown_ = source;
}

void Live::hear(const std::string& source, const monitor::Event& event) {
  const auto camera = std::find_if(cameras_.begin(), cameras_.end(),
                                   [&](const auto& one) { return one->wanted.name == source; });
  if (camera == cameras_.end()) {
    if (opening_) early_.emplace_back(source, event);
    return;
  }
  if (monitor::changesWay(event)) (*camera)->run.events.push_back(event);
  emit happened(static_cast<int>(camera - cameras_.begin()), event);
}

void Live::inThread(std::function<void()> work, std::function<void()> next,
                    std::function<void(const QString& sentence)> failed) {
  if (thread_.joinable()) thread_.join();  // its last act was to ask for this
  thread_ = std::thread([this, work = std::move(work), next = std::move(next),
                         failed = std::move(failed)]() mutable {
    standBehindTheWindow(kBehindTheWindow);
    QString fault;
    try {
      work();
    } catch (const std::exception& failure) {
      fault = QString::fromUtf8(failure.what());
    }
    QMetaObject::invokeMethod(this, [fault, next = std::move(next), failed = std::move(failed)] {
      if (!fault.isEmpty()) return failed(fault);
      next();
    });
  });
}

void Live::open(const LiveOptions& options, const QStringList& anew) {
  wanted_ = options;
  anew_ += anew;
  if (opening_) {
    startsAgain_ = true;
  } else {
    start();
  }
}

void Live::start() {
  opening_ = true;
  startsAgain_ = false;
  const auto next = std::make_shared<Opening>();
  next->cameras.options = wanted_;
  next->cameras.anew = std::exchange(anew_, {});
  next->cameras.isOtherRecord = !session_ || wanted_.record != options_.record;
  for (const auto& camera : cameras_) {
    const auto newest = camera->engine ? camera->engine->latest() : nullptr;
    next->cameras.runs.push_back({camera->wanted, camera->loaded, camera->engine != nullptr,
                                  newest ? newest->frame.picture : cv::Mat()});
  }
  inThread([next] { next->cameras.prepare(); }, [this, next] { replace(next); },
           [this](const QString& sentence) { giveUp(sentence); });
}

// Ends those cameras that do not go on: a camera opens once, and a record has one writer.
void Live::replace(const std::shared_ptr<Opening>& next) {
  bool isShown = false;
  for (std::size_t i = 0; i < cameras_.size(); ++i) {
    if (next->cameras.isKept(i)) continue;
    isShown = isShown || i == shown_;
    cameras_[i]->engine.reset();
    ear_->forget(cameras_[i]->wanted.name);
  }
  if (isShown || cameras_.empty()) emit closing();
  next->session = std::move(session_);
  next->begunUtcMs = clock_.now().utcMs;
  inThread([this, next] { next->begin(*ear_, clock_); }, [this, next] { replaced(*next); },
           [this, next](const QString& sentence) {
             session_ = std::move(next->session);
             giveUp(sentence);
           });
}

void Live::Opening::begin(monitor::EngineListener& ear, monitor::Clock& clock) {
  std::vector<monitor::PreparedCamera> prepared;
  std::vector<std::string> gone;
  for (const CameraPlan::Next& one : cameras.next)
    if (!one.kept) prepared.push_back(one.prepared);
  for (std::size_t i = 0; i < cameras.runs.size(); ++i)
    if (!cameras.isKept(i)) gone.push_back(cameras.runs[i].wanted.name);
  cameras.runs.clear();
  if (cameras.isOtherRecord) {
    session.reset();
    session =
        std::make_unique<monitor::Session>(sessionOptions(cameras.options), std::move(prepared),
                                           std::vector<monitor::EngineListener*>{&ear}, clock);
  } else {
    session->end(gone);
    session->begin(std::move(prepared));
  }
  giveBackFreed();
}

void Live::replaced(Opening& next) {
  const QString shown = shownAddress();
  const bool isSameCount = next.cameras.next.size() == cameras_.size();
  session_ = std::move(next.session);
  begunUtcMs_ = next.begunUtcMs;
  std::vector<std::unique_ptr<Camera>> cameras;
  for (CameraPlan::Next& one : next.cameras.next) {
    if (one.kept) {
      cameras.push_back(std::move(cameras_[*one.kept]));
      continue;
    }
    const std::string& name = one.wanted.name;
    cameras.push_back(std::make_unique<Camera>(
        Camera{one.wanted, one.prepared.loaded, one.computing, one.prepared.leftOut,
               session_->engine(name), monitor::pastRun(session_->facts(name))}));
  }
  cameras_ = std::move(cameras);
  options_ = next.cameras.options;
  const auto place = options_.sources().indexOf(shown);
  if (place >= 0) {
    shown_ = static_cast<std::size_t>(place);
  } else if (!isSameCount) {
    shown_ = 0;  // else another came in place of the one that was shown
  }
  catchUp();
  ear_->heard();
  opening_ = comesBack_ = false;
  settled_.start();
  emit opened();
  for (const auto& [source, event] : std::exchange(early_, {})) hear(source, event);
  if (startsAgain_) start();
}

// Applies what was set during loading, and what changes while cameras go on. Blocks are kept only
// for the same model.
void Live::catchUp() {
  setPicturesPerHour(wanted_.picturesPerHour);
  setMemory(wanted_.memory);
  for (const auto& camera : cameras_) {
    if (wanted_.modelOf(camera->wanted.address) != camera->wanted.model) continue;
    const auto schedule = wanted_.scheduleOf(camera->wanted.address);
    if (!schedule || *schedule == camera->engine->schedule()) continue;
    try {
      camera->engine->setSchedule(*schedule);
      options_.setScheduleOf(camera->wanted.address, *schedule);
    } catch (const std::exception&) {  // in place of its file there is one with fewer blocks now
    }
  }
}

// If cameras have ended already, as each opens only once, they are reopened.
void Live::giveUp(const QString& sentence) {
  opening_ = false;
  const bool hasEnded = std::any_of(cameras_.begin(), cameras_.end(),
                                    [](const auto& camera) { return !camera->engine; });
  if (hasEnded && !startsAgain_ && !std::exchange(comesBack_, true)) {
    wanted_ = options_;
    startsAgain_ = true;
  }
  if (startsAgain_) start();
  emit failed(sentence);
}

void Live::setRules(const std::vector<monitor::Rule>& rules) {
  const auto engine = this->engine();
  if (!engine) return;
  std::vector<monitor::Rule>& kept = cameras_[shown_]->wanted.kept.book.rules;
  const auto isIn = [](const std::vector<monitor::Rule>& some, const monitor::Rule& rule) {
    return std::find(some.begin(), some.end(), rule) != some.end();
  };
  std::vector<monitor::Rule> acting = rules;
  std::erase_if(acting, [&](const monitor::Rule& rule) {
    return isIn(kept, rule) && !isIn(engine->source().book.rules, rule);
  });
  engine->setRules(std::move(acting));
  kept = rules;
}

QStringList Live::ruleFaults() const {
  QStringList sentences, leftOut;
  for (const auto& camera : cameras_) {
    const QString& fault = camera->wanted.kept.fault;
    if (!fault.isEmpty())
      sentences << tr("The rules file cannot be read and stays as it is: %1").arg(fault);
    for (const std::string& why : camera->leftOut) leftOut << QString::fromStdString(why);
  }
  if (!leftOut.isEmpty())
    sentences << tr("Rules that do not fit the model are ignored: %1").arg(leftOut.join("; "));
  sentences.removeDuplicates();
  return sentences;
}

void Live::setSchedule(const Schedule& blocks) {
  if (!engine()) return;
  for (const auto& camera : cameras_) {
    if (camera->wanted.model != model() || !camera->engine) continue;
    camera->engine->setSchedule(blocks);
    options_.setScheduleOf(camera->wanted.address, blocks);
    if (wanted_.modelOf(camera->wanted.address) == camera->wanted.model)
      wanted_.setScheduleOf(camera->wanted.address, blocks);
  }
}

QString Live::takeScheduleFault() {
  const auto engine = this->engine();
  if (!engine) return {};
  const QString fault = QString::fromStdString(engine->scheduleFault());
  const Schedule runs = engine->schedule();
  const QString address = shownAddress();
  if (fault.isEmpty() || options_.scheduleOf(address) == runs) return {};
  if (wanted_.modelOf(address) == model() &&
      wanted_.scheduleOf(address) == options_.scheduleOf(address))
    wanted_.setScheduleOf(address, runs);
  options_.setScheduleOf(address, runs);
  return fault;
}

void Live::setMemory(bool memory) {
  for (const auto& camera : cameras_)
    if (camera->engine) camera->engine->setMemory(memory);
  options_.memory = wanted_.memory = memory;
}

void Live::setPicturesPerHour(int perHour) {
  options_.picturesPerHour = wanted_.picturesPerHour = perHour;
  if (session_) session_->setPicturesPerHour(perHour);
}

void Live::pause(bool paused) {
  for (const auto& camera : cameras_)
    if (camera->engine) camera->engine->pause(paused);
}

bool Live::snapshot(const QString& reason) {
  return session_ && engine() &&
         session_->snapshot(cameras_[shown_]->wanted.name, reason.toStdString());
}

QString Live::recordFault() const {
  return session_ ? QString::fromStdString(session_->recordFault()) : QString();
}

QString Live::backupFault() const {
  return session_ ? QString::fromStdString(session_->backupFault()) : QString();
}

}  // namespace mpm::gui
