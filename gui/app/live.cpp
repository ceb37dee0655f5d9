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
#include <mutex>
#include <utility>

#include "gui/aside.h"
#include "mpm/net.h"
#include "mpm/version.h"

namespace mpm::gui {

Computing computingOf(const QString& device, const QString& precision) {
  Computing computing{device, precision, "cpu",
                      QString::fromStdString(deviceFault(device.toStdString()))};
  if (computing.fault.isEmpty()) {
    computing.name = QString::fromStdString(deviceName(device.toStdString()));
    return computing;
  }
  computing.device = "cpu";
  // This also holds if the environment asks for one of the device's precisions.
  if (precision != kAutoPrecision && !hasPrecision(precisionName(precision.toStdString())))
    computing.precision = "fp32";
  return computing;
}

namespace {

monitor::SessionOptions sessionOptions(const LiveOptions& options, const Computing& computing,
                                       const std::vector<KeptRules>& kept) {
  monitor::SessionOptions session;
  session.version = mpm::version();
  session.model = options.model.toStdString();
  session.segmenter.read.check = true;
  session.segmenter.read.schedule = options.schedule;
  session.choosePrecision = computing.precision == kAutoPrecision;
  if (!session.choosePrecision)
    session.segmenter.read.precision = computing.precision.toStdString();
  session.segmenter.read.device = computing.device.toStdString();
  session.segmenter.fit = options.fit;
  session.segmenter.stages = true;
  for (const QString& address : options.sources()) {
    monitor::NamedSource source;
    source.name = nameInRecord(address, options.record).toStdString();
    source.address = monitor::parseSourceAddress(address.toStdString());
    source.book = kept[session.engine.sources.size()].book;
    session.engine.sources.push_back(std::move(source));
  }
  const QStringList sources = options.sources();
  const bool areTimed = std::all_of(sources.begin(), sources.end(), hasNamedTimes);
  session.engine.capture.everyFrame = options.replay;
  session.engine.capture.reader.timesInNames = options.replay && areTimed;
  session.engine.capture.reader.loop = !options.replay;
  // The times of other files are unknown.
  if (!options.replay || areTimed) session.engine.light.location = options.location;
  session.engine.mostFps = options.mostFps;
  session.engine.memory = options.memory;
  session.record = options.record.toStdString();
  session.recordOptions.backups = 3;
  session.pictures.perHour = options.picturesPerHour;
  session.mustRecord = session.mustFit = false;
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

/// Listens to an engine's thread and keeps each source's newest frame that also ran unmerged.
/// Events before it opens wait, as they would be attributed to the previous engine's sources.
class EngineEar : public monitor::EngineListener {
 public:
  using Tell = std::function<void(std::size_t source, const monitor::Event& event)>;

  /// Both are called from the engine's threads; `tell` for waiting events from that of `open`.
  EngineEar(std::size_t sources, std::function<void()> hasResult, Tell tell)
      : hasResult_(std::move(hasResult)), tell_(std::move(tell)), compared_(sources) {}

  void onResult(std::size_t source, const monitor::FrameResultPtr& result) override {
    if (result->full) {
      const std::lock_guard lock(mutex_);
      compared_[source] = result;
    }
    hasResult_();
  }
  void onEvent(std::size_t source, const monitor::Event& event) override {
    {
      const std::lock_guard lock(mutex_);
      if (!isOpened_) {
        early_.emplace_back(source, event);
        return;
      }
    }
    tell_(source, event);
  }

  void open() {
    std::vector<std::pair<std::size_t, monitor::Event>> early;
    {
      const std::lock_guard lock(mutex_);
      isOpened_ = true;
      early.swap(early_);
    }
    for (const auto& [source, event] : early) tell_(source, event);
  }

  monitor::FrameResultPtr compared(std::size_t source) const {
    const std::lock_guard lock(mutex_);
    return compared_.at(source);
  }

 private:
  std::function<void()> hasResult_;
  Tell tell_;
  mutable std::mutex mutex_;
  std::vector<monitor::FrameResultPtr> compared_;  // of each source
  bool isOpened_ = false;
  std::vector<std::pair<std::size_t, monitor::Event>> early_;  // source and what happened there
};

// Priority of readers, net helpers and record threads: just above that of training.
constexpr int kBehindTheWindow = 4;

}  // namespace

struct Live::Loaded {
  LiveOptions options;
  std::vector<KeptRules> kept;
  Computing computing;
  std::optional<double> usualConfidence;
  monitor::PreparedSession prepared;
};

struct Live::Running {
  LiveOptions options;
  std::vector<KeptRules> kept;
  std::vector<std::string> leftOut;
  Computing computing;
  std::optional<double> usualConfidence;
  std::int64_t begunUtcMs = 0;
  std::unique_ptr<EngineEar> ear;
  std::unique_ptr<monitor::Session> session;
};

Live::Live(QObject* parent, monitor::Clock& clock) : QObject(parent), clock_(clock) {
  keepLargeBlocksApart();
  // It runs in another thread, since other threads wait for memory meanwhile.
  settled_.setSingleShot(true);
  settled_.setInterval(kSettledMs);
  connect(&settled_, &QTimer::timeout, this,
          [] { QThreadPool::globalInstance()->start([] { giveBackFreed(); }); });
}

Live::~Live() {
  if (thread_.joinable()) thread_.join();
  // An engine that is still loading ends now, while the receivers of its events exist.
  QCoreApplication::removePostedEvents(this);
  engine_.reset();
  running_.reset();
}

monitor::FrameResultPtr Live::compared(std::size_t source) const {
  return running_ ? running_->ear->compared(source) : nullptr;
}

monitor::FrameResultPtr Live::newest(std::size_t source) const {
  told_ = false;
  return engine_ ? engine_->latest(source) : nullptr;
}

void Live::show(std::size_t source) {
  if (engine_ && source < engine_->sources()) shown_ = source;
}

QString Live::shownAddress() const { return options_.sources()[static_cast<qsizetype>(shown_)]; }

void Live::inThread(std::function<void()> work, std::function<void()> next) {
  if (thread_.joinable()) thread_.join();  // its last act was to ask for this
  thread_ = std::thread([this, work = std::move(work), next = std::move(next)]() mutable {
    standBehindTheWindow(kBehindTheWindow);
    QString fault;
    try {
      work();
    } catch (const std::exception& failure) {
      fault = QString::fromUtf8(failure.what());
    }
    QMetaObject::invokeMethod(this, [this, fault, next = std::move(next)] {
      if (!fault.isEmpty()) return giveUp(fault);
      next();
    });
  });
}

void Live::open(const LiveOptions& options) {
  wanted_ = options;
  if (opening_) {
    startsAgain_ = true;
  } else {
    start();
  }
}

std::vector<cv::Mat> Live::picturesOf(const LiveOptions& options) const {
  constexpr std::size_t kMost = 4;
  std::vector<cv::Mat> pictures;
  if (!running_) return pictures;
  const QStringList now = running_->options.sources(), wanted = options.sources();
  for (qsizetype i = 0; i < now.size() && pictures.size() < kMost; ++i) {
    const auto newest = running_->session->engine()->latest(static_cast<std::size_t>(i));
    if (newest && wanted.contains(now[i])) pictures.push_back(newest->frame.picture);
  }
  return pictures;
}

// The choice holds for the same sources only: other frames may want another precision.
Computing Live::chosenBefore(const LiveOptions& options) const {
  if (!running_) return {};
  const LiveOptions& now = running_->options;
  const bool isAlike = now.precision == kAutoPrecision && options.precision == now.precision &&
                       options.device == now.device && options.fit == now.fit &&
                       options.sources() == now.sources();
  return isAlike ? running_->computing : Computing();
}

void Live::start() {
  opening_ = true;
  startsAgain_ = false;
  const LiveOptions options = wanted_;
  const auto parcel = std::make_shared<Loaded>();
  inThread(
      [parcel, options, pictures = picturesOf(options), before = chosenBefore(options)] {
        parcel->options = options;
        Computing& computing = parcel->computing;
        computing = computingOf(options.device, options.precision);
        for (const QString& source : options.sources())
          parcel->kept.push_back(keptRules(source, options));
        monitor::SessionOptions session = sessionOptions(options, computing, parcel->kept);
        if (!before.chosenFor.empty()) {
          session.chosenFor = before.chosenFor;
          session.segmenter.read.precision = before.precision.toStdString();
        }
        parcel->prepared = monitor::prepare(std::move(session), pictures);
        const monitor::SessionOptions& prepared = parcel->prepared.options;
        const bool isAsBefore =
            parcel->prepared.precisions.empty() && prepared.chosenFor == parcel->prepared.modelHash;
        computing.precision = QString::fromStdString(prepared.segmenter.read.precision);
        computing.precisions = isAsBefore ? before.precisions : parcel->prepared.precisions;
        computing.chosenFor = prepared.chosenFor;
        parcel->usualConfidence = parcel->prepared.network->usualConfidence();
      },
      [this, parcel] { replace(parcel); });
}

void Live::replace(Parcel parcel) {
  engine_.reset();
  emit closing();
  const auto next = std::make_shared<Running>();
  inThread(
      [this, parcel, next, old = std::exchange(running_, nullptr)]() mutable {
        old.reset();  // a camera opens once, and a record has one writer
        next->options = parcel->options;
        next->kept = parcel->kept;
        next->leftOut = parcel->prepared.leftOut;
        next->computing = parcel->computing;
        next->usualConfidence = parcel->usualConfidence;
        next->begunUtcMs = clock_.now().utcMs;
        next->ear = std::make_unique<EngineEar>(
            1 + parcel->options.beside.size(),
            [this] {
              if (!told_.exchange(true)) emit resultReady();
            },
            [this](std::size_t source, const monitor::Event& event) {
              emit happened(static_cast<int>(source), event);
            });
        next->session = std::make_unique<monitor::Session>(
            std::move(parcel->prepared), std::vector<monitor::EngineListener*>{next->ear.get()},
            clock_);
        giveBackFreed();
      },
      [this, next] { replaced(next); });
}

void Live::replaced(std::shared_ptr<Running> next) {
  const QString shown = shownAddress();
  const qsizetype sources = options_.beside.size();
  running_ = std::move(next);
  engine_ = running_->session->engine();
  options_ = running_->options;
  const bool another = options_.beside.size() == sources && options_.source != shown &&
                       !options_.beside.contains(shown);  // came in place of the one shown
  if (!another) shown_ = static_cast<std::size_t>(options_.beside.indexOf(shown) + 1);
  books_.clear();
  faults_.clear();
  leftOut_.clear();
  for (const KeptRules& kept : running_->kept) {
    books_.push_back(kept.book);
    faults_ << kept.fault;
  }
  for (const std::string& why : running_->leftOut) leftOut_ << QString::fromStdString(why);
  computing_ = running_->computing;
  catchUp();
  told_ = false;
  opening_ = comesBack_ = false;
  began_ = true;
  settled_.start();
  emit opened();
  running_->ear->open();
  if (startsAgain_) start();
}

// Applies what was set during loading. Blocks are kept only for the same model.
void Live::catchUp() {
  if (wanted_.memory != options_.memory) setMemory(wanted_.memory);
  if (wanted_.picturesPerHour != options_.picturesPerHour)
    setPicturesPerHour(wanted_.picturesPerHour);
  if (wanted_.model != options_.model || !wanted_.schedule || wanted_.schedule == options_.schedule)
    return;
  try {
    setSchedule(*wanted_.schedule);
  } catch (const std::exception&) {  // in place of its file there is one with fewer blocks now
  }
}

// If the previous engine has ended already, as a camera opens only once, it is reopened.
void Live::giveUp(const QString& sentence) {
  opening_ = false;
  if (!engine_ && began_ && !startsAgain_ && !std::exchange(comesBack_, true)) {
    wanted_ = options_;
    startsAgain_ = true;
  }
  if (startsAgain_) start();
  emit failed(sentence);
}

void Live::setRules(const std::vector<monitor::Rule>& rules) {
  if (!engine_) return;
  const auto isIn = [](const std::vector<monitor::Rule>& some, const monitor::Rule& rule) {
    return std::find(some.begin(), some.end(), rule) != some.end();
  };
  std::vector<monitor::Rule> acting = rules;
  std::erase_if(acting, [&](const monitor::Rule& rule) {
    return isIn(running_->kept[shown_].book.rules, rule) &&
           !isIn(engine_->source(shown_).book.rules, rule);
  });
  engine_->setRules(shown_, std::move(acting));
  books_[shown_].rules = rules;
}

QStringList Live::ruleFaults() const {
  QStringList sentences;
  for (const QString& fault : faults_)
    if (!fault.isEmpty())
      sentences << tr("The rules file cannot be read and stays as it is: %1").arg(fault);
  if (!leftOut_.isEmpty())
    sentences << tr("Rules that do not fit the model are ignored: %1").arg(leftOut_.join("; "));
  sentences.removeDuplicates();
  return sentences;
}

std::optional<double> Live::usualConfidence() const {
  return running_ ? running_->usualConfidence : std::nullopt;
}

void Live::setSchedule(const Schedule& blocks) {
  if (!engine_) return;
  engine_->setSchedule(blocks);
  options_.schedule = blocks;
  if (wanted_.model == options_.model) wanted_.schedule = blocks;
}

QString Live::takeScheduleFault() {
  if (!engine_) return {};
  const QString fault = QString::fromStdString(engine_->scheduleFault());
  const Schedule runs = engine_->schedule();
  if (fault.isEmpty() || options_.schedule == runs) return {};
  if (wanted_.model == options_.model && wanted_.schedule == options_.schedule)
    wanted_.schedule = runs;
  options_.schedule = runs;
  return fault;
}

void Live::setMemory(bool memory) {
  if (engine_) engine_->setMemory(memory);
  options_.memory = wanted_.memory = memory;
}

void Live::setPicturesPerHour(int perHour) {
  options_.picturesPerHour = wanted_.picturesPerHour = perHour;
  if (running_) running_->session->setPicturesPerHour(perHour);
}

bool Live::snapshot(const QString& reason) {
  return running_ && running_->session->snapshot(shown_, reason.toStdString());
}

QString Live::recordFault() const {
  return running_ ? QString::fromStdString(running_->session->recordFault()) : QString();
}

QString Live::backupFault() const {
  return running_ ? QString::fromStdString(running_->session->backupFault()) : QString();
}

std::int64_t Live::begunUtcMs() const { return running_ ? running_->begunUtcMs : 0; }

monitor::PastRun Live::run(std::size_t source) const {
  return monitor::pastRun(running_->session->facts(source));
}

QString Live::modelHash() const {
  return running_ ? QString::fromStdString(running_->session->modelHash()) : QStringLiteral("?");
}

}  // namespace mpm::gui
