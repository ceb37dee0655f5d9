// SPDX-License-Identifier: Apache-2.0
#include "gui/app/live.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QMetaObject>
#include <cctype>
#include <exception>
#include <utility>

#include "gui/app/options.h"
#include "monitor/rules/commands.h"
#include "monitor/service/actions.h"
#include "monitor/service/file_hash.h"

namespace mpm::gui {
QString sourceName(const QString& address) {
  std::string name = monitor::parseSourceAddress(address.toStdString()).shown;
  for (char& letter : name) {
    const auto byte = static_cast<unsigned char>(letter);
    if (byte >= 128 || (std::isalnum(byte) == 0 && letter != '-')) letter = '_';
  }
  return QString::fromStdString(name);
}

namespace {

monitor::EngineOptions engineOptions(const LiveOptions& options) {
  monitor::EngineOptions engine;
  monitor::NamedSource source;
  source.name = sourceName(options.source).toStdString();
  source.address = monitor::parseSourceAddress(options.source.toStdString());
  source.book = options.book;
  engine.sources = {source};
  engine.capture.reader.loop = options.loop;
  engine.capture.everyFrame = options.everyFrame;
  engine.mostFps = options.mostFps;
  return engine;
}

std::unique_ptr<monitor::Network> load(const LiveOptions& options, const Computing& computing) {
  SegmenterOptions segmenter;
  segmenter.read.schedule = options.schedule;
  segmenter.read.precision = computing.precision.toStdString();
  segmenter.read.device = computing.device.toStdString();
  segmenter.fit = options.fit;
  segmenter.stages = true;
  return monitor::makeNetwork(options.model.toStdString(), segmenter);
}

monitor::RunFacts runFacts(const LiveOptions& options, const QString& hash,
                           monitor::Network& network) {
  const monitor::NamedSource source = engineOptions(options).sources[0];
  monitor::RunFacts facts;
  facts.source = source.name;
  facts.address = source.address.shown;
  facts.model = QFileInfo(options.model).fileName().toStdString();
  facts.modelHash = hash.toStdString();
  facts.settings = QStringLiteral("{\"merge_before\": \"%1\"}")
                       .arg(blocksText(network.schedule()))
                       .toStdString();
  facts.version = MPM_VERSION;
  facts.metrics = monitor::engineMetrics(network, options.book.zones).names();
  facts.begun = monitor::systemClock().now();
  return facts;
}

}  // namespace

// Hears the engine's thread, and passes on to the GUI's.
class Live::Ear : public monitor::EngineListener {
 public:
  explicit Ear(Live* live) : live_(live) {}

  void onResult(std::size_t, const monitor::FrameResultPtr& result) override {
    {
      const std::lock_guard lock(mutex_);
      newest_ = result;
    }
    if (!live_->told_.exchange(true)) emit live_->resultReady();
  }
  void onEvent(std::size_t, const monitor::Event& event) override {
    emit live_->happened(QString::fromStdString(event.kind), QString::fromStdString(event.name),
                         QString::fromStdString(event.text), event.at.utcMs);
  }
  monitor::FrameResultPtr newest() const {
    const std::lock_guard lock(mutex_);
    return newest_;
  }

 private:
  Live* live_;
  mutable std::mutex mutex_;
  monitor::FrameResultPtr newest_;
};

// What listens is there before the engine and after it.
struct Live::Running {
  std::unique_ptr<monitor::Record> record;
  std::unique_ptr<monitor::Recorder> recorder;
  QString recordFault;
  std::unique_ptr<Ear> ear;
  monitor::Commands commands;
  std::unique_ptr<monitor::Actions> actions;  // of rules; the app publishes nothing
  std::shared_ptr<monitor::Engine> engine;

  ~Running() {
    if (engine) engine->stop();
    engine.reset();
  }
};

Live::Live(QObject* parent) : QObject(parent) {}

Live::~Live() {
  if (thread_.joinable()) thread_.join();
  // An engine on its way here ends now, while what it tells still exists.
  QCoreApplication::removePostedEvents(this);
  engine_.reset();
  running_.reset();
}

monitor::FrameResultPtr Live::newest() const {
  told_ = false;
  return running_ ? running_->ear->newest() : nullptr;
}

void Live::inThread(std::function<void()> work) {
  if (thread_.joinable()) thread_.join();  // its last act was to ask for this
  thread_ = std::thread(std::move(work));
}

void Live::open(const LiveOptions& options) {
  wanted_ = options;
  if (!opening_) start();
}

void Live::start() {
  opening_ = true;
  const LiveOptions options = *std::exchange(wanted_, std::nullopt);
  inThread([this, options] {
    QString fault, hash;
    auto parcel = std::make_shared<Loaded>();
    try {
      parcel->computing = computingOf(options.device, options.precision);
      parcel->network = load(options, parcel->computing);
      hash = QString::fromStdString(monitor::sha256Of(options.model.toStdString()));
      const monitor::NamedSource source = engineOptions(options).sources[0];
      monitor::checkRules(source.book, monitor::engineMetrics(*parcel->network, source.book.zones));
    } catch (const std::exception& failure) {
      fault = QString::fromUtf8(failure.what());
    }
    QMetaObject::invokeMethod(this, [this, parcel, options, fault, hash] {
      if (fault.isEmpty()) {
        replace(parcel, options, hash);
      } else {
        giveUp(fault);
      }
    });
  });
}

void Live::replace(Parcel parcel, const LiveOptions& options, const QString& hash) {
  engine_.reset();
  emit closing();
  inThread([this, parcel, options, hash, old = std::exchange(running_, nullptr)]() mutable {
    old.reset();  // a camera opens once, and a record has one writer
    QString fault;
    auto next = std::make_shared<Running>();
    next->ear = std::make_unique<Ear>(this);
    try {
      const std::string name = sourceName(options.source).toStdString();
      next->actions =
          std::make_unique<monitor::Actions>(std::vector{name}, next->commands, nullptr);
      std::vector<monitor::EngineListener*> listeners{next->ear.get(), next->actions.get()};
      beginRecord(*next, options, hash, *parcel->network);
      if (next->recorder) listeners.push_back(next->recorder.get());
      next->engine = std::make_shared<monitor::Engine>(
          engineOptions(options), std::move(parcel->network), std::move(listeners));
    } catch (const std::exception& failure) {
      fault = QString::fromUtf8(failure.what());
    }
    QMetaObject::invokeMethod(this, [this, next, options, fault, hash, parcel] {
      if (fault.isEmpty()) {
        replaced(next, options, hash, parcel->computing);
      } else {
        giveUp(fault);
      }
    });
  });
}

void Live::beginRecord(Running& running, const LiveOptions& options, const QString& hash,
                       monitor::Network& network) {
  if (options.record.isEmpty()) return;
  try {
    running.record = std::make_unique<monitor::Record>(options.record.toStdString());
    running.recorder = std::make_unique<monitor::Recorder>(*running.record);
    running.recorder->begin(0, runFacts(options, hash, network), network.palette());
  } catch (const std::exception& failure) {
    // Watching goes on without it, and says so.
    running.recorder.reset();
    running.record.reset();
    running.recordFault = QString::fromUtf8(failure.what());
  }
}

void Live::replaced(std::shared_ptr<Running> next, const LiveOptions& options, const QString& hash,
                    const Computing& computing) {
  computing_ = computing;
  modelHash_ = hash;
  running_ = std::move(next);
  engine_ = running_->engine;
  options_ = options;
  told_ = false;
  opening_ = false;
  emit opened();
  if (wanted_) start();
}

void Live::giveUp(const QString& sentence) {
  opening_ = false;
  emit failed(sentence);
  if (wanted_) start();
}

void Live::setRules(const std::vector<monitor::Rule>& rules) {
  if (!engine_) return;
  engine_->setRules(0, rules);
  options_.book.rules = rules;
}

bool Live::snapshot(const QString& reason) {
  const monitor::FrameResultPtr result = running_ ? running_->ear->newest() : nullptr;
  if (!result || !running_->recorder) return false;
  running_->recorder->snapshot(0, *result, reason.toStdString());
  return true;
}

QString Live::recordFault() const {
  if (!running_) return {};
  if (!running_->record) return running_->recordFault;
  return QString::fromStdString(running_->record->status().fault);
}

}  // namespace mpm::gui
