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
#include <chrono>
#include <exception>
#include <map>
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

// For pictures of cameras, while a precision is chosen.
constexpr std::chrono::seconds kPicturePatience{15};

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

struct Live::Wanted {
  QString address;
  std::string name;  // in the record
  QString model, precision, device;
  Fit fit = Fit::stretch;
  std::optional<Schedule> schedule;  // which can change while the camera goes on
  bool replay = false, areTimed = false;
  std::optional<cv::Vec2d> location;
  double mostFps = 0;
  bool memory = true;  // the same
  KeptRules kept;

  Wanted(const LiveOptions& options, const QString& source, bool timed)
      : address(source),
        name(nameInRecord(source, options.record).toStdString()),
        model(options.modelOf(source)),
        precision(options.precision),
        device(options.device),
        fit(options.fit),
        schedule(options.scheduleOf(source)),
        replay(options.replay),
        areTimed(timed),
        location(options.location),
        mostFps(options.mostFps),
        memory(options.memory),
        kept(keptRules(source, options)) {}

  bool hasNetworkOf(const Wanted& other) const {
    return model == other.model && precision == other.precision && device == other.device &&
           fit == other.fit;
  }
  bool isAs(const Wanted& other) const {
    return hasNetworkOf(other) && address == other.address && name == other.name &&
           replay == other.replay && areTimed == other.areTimed && location == other.location &&
           mostFps == other.mostFps && kept.book == other.kept.book;
  }
  monitor::NetworkOptions network(const Computing& computing) const;
  monitor::EngineOptions engine() const;
};

monitor::NetworkOptions Live::Wanted::network(const Computing& computing) const {
  monitor::NetworkOptions network;
  network.model = model.toStdString();
  network.segmenter.read.check = true;
  network.segmenter.read.schedule = schedule;
  network.choosePrecision = computing.precision == kAutoPrecision;
  if (!network.choosePrecision)
    network.segmenter.read.precision = computing.precision.toStdString();
  network.segmenter.read.device = computing.device.toStdString();
  network.segmenter.fit = fit;
  network.segmenter.stages = true;
  return network;
}

monitor::EngineOptions Live::Wanted::engine() const {
  monitor::EngineOptions engine;
  engine.source.name = name;
  engine.source.address = monitor::parseSourceAddress(address.toStdString());
  engine.source.book = kept.book;
  engine.capture.everyFrame = replay;
  engine.capture.reader.timesInNames = replay && areTimed;
  engine.capture.reader.loop = !replay;
  // The times of other files are unknown.
  if (!replay || areTimed) engine.light.location = location;
  engine.mostFps = mostFps;
  engine.memory = memory;
  engine.schedule = schedule;
  return engine;
}

struct Live::Camera {
  Wanted wanted;
  monitor::LoadedNetworkPtr loaded;
  Computing computing;
  std::vector<std::string> leftOut;           // why, for each rule that cannot act
  std::shared_ptr<monitor::Engine> engine{};  // null while it is replaced
  monitor::PastRun run{};                     // with its events so far
};

/// Made in the thread from copies of what runs; only `cameras` that go on are shared.
struct Live::Plan {
  struct Runs {
    Wanted wanted;
    monitor::LoadedNetworkPtr loaded;
    Computing computing;
    bool isAlive = false;  // with an engine
    cv::Mat newest;
  };
  struct Next {
    std::optional<std::size_t> kept{};  // the place of one that runs and goes on
    std::shared_ptr<Camera> camera{};   // else the next one, not begun
    monitor::PreparedCamera prepared{};
  };
  LiveOptions options;
  QStringList anew;
  bool isOtherRecord = false;
  std::vector<Runs> runs;
  std::vector<Next> next;
  std::int64_t begunUtcMs = 0;
  std::unique_ptr<monitor::Session> session{};               // while cameras are replaced
  std::map<const monitor::LoadedNetwork*, bool> replaced{};  // what was asked already

  bool isReplaced(const monitor::LoadedNetworkPtr& loaded) {
    const auto [place, isFirst] = replaced.try_emplace(loaded.get(), false);
    if (isFirst) place->second = loaded->isReplaced();
    return place->second;
  }
  bool isKept(std::size_t place) const {
    return std::any_of(next.begin(), next.end(),
                       [&](const Next& one) { return one.kept == place; });
  }
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

Engines Live::engines() const {
  Engines engines;
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
  const auto plan = std::make_shared<Plan>();
  plan->options = wanted_;
  plan->anew = std::exchange(anew_, {});
  plan->isOtherRecord = !session_ || wanted_.record != options_.record;
  for (const auto& camera : cameras_) {
    const auto newest = camera->engine ? camera->engine->latest() : nullptr;
    plan->runs.push_back({camera->wanted, camera->loaded, camera->computing,
                          camera->engine != nullptr, newest ? newest->frame.picture : cv::Mat()});
  }
  inThread([plan] { prepare(*plan); }, [this, plan] { replace(plan); },
           [this](const QString& sentence) { giveUp(sentence); });
}

// Returns the model in memory if it is the same, else loads it. One whose precision was chosen
// serves other cameras only next to those that it was chosen for.
monitor::LoadedNetworkPtr Live::loadedFor(Plan& plan, const Wanted& wanted) {
  const auto isMine = [&](const Plan::Runs& one) { return one.wanted.address == wanted.address; };
  for (const Plan::Next& one : plan.next)
    if (one.camera && one.camera->wanted.hasNetworkOf(wanted)) return one.camera->loaded;
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const Plan::Runs& one = plan.runs[i];
    const bool mayServe = wanted.precision != kAutoPrecision || isMine(one) || plan.isKept(i);
    if (one.wanted.hasNetworkOf(wanted) && mayServe && !plan.isReplaced(one.loaded))
      return one.loaded;
  }
  return nullptr;
}

void Live::prepare(Plan& plan) {
  const QStringList sources = plan.options.sources();
  const bool areTimed = std::all_of(sources.begin(), sources.end(), hasNamedTimes);
  std::vector<Wanted> wanted;
  for (const QString& source : sources) wanted.emplace_back(plan.options, source, areTimed);
  plan.next.resize(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    for (std::size_t place = 0; place < plan.runs.size() && !plan.isOtherRecord; ++place) {
      const Plan::Runs& runs = plan.runs[place];
      if (runs.isAlive && wanted[i].isAs(runs.wanted) &&
          !plan.anew.contains(sources[static_cast<qsizetype>(i)]) && !plan.isReplaced(runs.loaded))
        plan.next[i].kept = place;
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    Plan::Next& next = plan.next[i];
    if (next.kept) continue;
    monitor::LoadedNetworkPtr loaded = loadedFor(plan, wanted[i]);
    const Computing asked = computingOf(wanted[i].device, wanted[i].precision);
    if (!loaded) {
      loaded = monitor::loadNetwork(wanted[i].network(asked), [&] {
        std::vector<cv::Mat> pictures;
        std::vector<monitor::EngineOptions> cameras;
        for (const Wanted& other : wanted) {
          if (other.model != wanted[i].model) continue;
          const auto runs = std::find_if(plan.runs.begin(), plan.runs.end(), [&](const auto& one) {
            return one.wanted.address == other.address && !one.newest.empty();
          });
          if (runs != plan.runs.end()) pictures.push_back(runs->newest);
          cameras.push_back(other.engine());
        }
        // An open camera cannot be opened again.
        return pictures.empty() ? monitor::firstPictures(cameras, kPicturePatience) : pictures;
      });
    }
    Computing computing = asked;
    computing.precision = QString::fromStdString(loaded->options.segmenter.read.precision);
    computing.precisions = loaded->precisions;
    next.prepared = monitor::prepareCamera(wanted[i].engine(), loaded, false);
    next.camera =
        std::make_shared<Camera>(Camera{wanted[i], loaded, computing, next.prepared.leftOut});
  }
}

// Ends those cameras that do not go on: a camera opens once, and a record has one writer.
void Live::replace(const std::shared_ptr<Plan>& plan) {
  bool isShown = false;
  for (std::size_t i = 0; i < cameras_.size(); ++i) {
    if (plan->isKept(i)) continue;
    isShown = isShown || i == shown_;
    cameras_[i]->engine.reset();
    ear_->forget(cameras_[i]->wanted.name);
  }
  if (isShown || cameras_.empty()) emit closing();
  plan->session = std::move(session_);
  plan->begunUtcMs = clock_.now().utcMs;
  inThread([this, plan] { begin(*plan); }, [this, plan] { replaced(plan); },
           [this, plan](const QString& sentence) {
             session_ = std::move(plan->session);
             giveUp(sentence);
           });
}

// Runs in the thread.
void Live::begin(Plan& plan) {
  std::vector<monitor::PreparedCamera> cameras;
  std::vector<std::string> gone;
  for (const Plan::Next& next : plan.next)
    if (next.camera) cameras.push_back(next.prepared);
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    if (!plan.isKept(i)) gone.push_back(plan.runs[i].wanted.name);
  }
  plan.runs.clear();  // and the models that no camera has
  if (plan.isOtherRecord) {
    plan.session.reset();
    plan.session = std::make_unique<monitor::Session>(
        sessionOptions(plan.options), std::move(cameras),
        std::vector<monitor::EngineListener*>{ear_.get()}, clock_);
  } else {
    plan.session->end(gone);
    plan.session->begin(std::move(cameras));
  }
  giveBackFreed();
}

void Live::replaced(const std::shared_ptr<Plan>& plan) {
  const QString shown = shownAddress();
  const bool isSameCount = plan->next.size() == cameras_.size();
  session_ = std::move(plan->session);
  begunUtcMs_ = plan->begunUtcMs;
  std::vector<std::shared_ptr<Camera>> cameras;
  for (Plan::Next& next : plan->next) {
    if (next.kept) {
      cameras.push_back(cameras_[*next.kept]);
      continue;
    }
    next.camera->engine = session_->engine(next.camera->wanted.name);
    next.camera->run = monitor::pastRun(session_->facts(next.camera->wanted.name));
    cameras.push_back(next.camera);
  }
  cameras_ = std::move(cameras);
  options_ = plan->options;
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
