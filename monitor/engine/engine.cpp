// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/engine.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <utility>

#include "monitor/engine/watched.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kPatience{50};    // for a frame, before it turns to tasks
constexpr std::size_t kLeastMerges = 3;  // that have metrics, whatever the schedule at the start

// Returns the number of merges with separate metrics.
std::size_t toldMerges(int blocks, const Schedule& schedule) {
  return blocks > 0 ? std::max(kLeastMerges, schedule.size()) : 0;
}

void checkName(const std::string& name) {
  const bool good = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  if (good) return;
  throw std::invalid_argument(
      "\"" + name +
      "\" cannot be a source's name: it must consist of letters a-z, digits, - and _");
}

}  // namespace

Metrics engineMetrics(Network& network, const Schedule& schedule, const RuleBook& book) {
  return FrameMetrics(network.classes(), book, toldMerges(network.blocks(), schedule),
                      network.specialRows(), true, network.memoryFault().empty())
      .metrics();
}

Engine::Engine(EngineOptions options, std::shared_ptr<Network> network,
               std::vector<EngineListener*> listeners, Clock& clock)
    : network_(std::move(network)),
      listeners_(std::move(listeners)),
      clock_(clock),
      turns_(options.turns ? options.turns : std::make_shared<Turns>()),
      classes_(network_->classes()),
      palette_(network_->palette()),
      blocks_(network_->blocks()),
      reason_(network_->reason()),
      memoryFault_(network_->memoryFault()),
      memory_(options.memory) {
  checkName(options.source.name);
  if (options.schedule) {
    options.schedule->check(blocks_);
  } else {
    const std::lock_guard turn(*turns_);
    options.schedule = network_->schedule();
  }
  schedule_ = runs_ = *options.schedule;
  watched_ = std::make_unique<Watched>(options, *network_, toldMerges(blocks_, schedule_),
                                       listeners_, clock_);
  thread_ = std::thread([this] { run(); });
}

Engine::~Engine() { stop(); }

void Engine::stop() {
  askToStop();
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
}

void Engine::run() {
  watched_->tellRules();
  while (!stopping_) {
    turnedMs_ = clock_.now().steadyMs;
    setAsked();
    runTasks();
    if (!serve()) break;
  }
  watched_->tellEnd();
  done_ = true;
  // Tasks may still arrive while the engine exists.
  while (!stopping_) {
    turnedMs_ = clock_.now().steadyMs;
    runTasks();
    std::this_thread::sleep_for(kPatience);
  }
  const std::lock_guard lock(mutex_);
  tasks_.clear();
}

// Takes a frame if there is one. Returns false at the end of the source.
bool Engine::serve() {
  // Asked before the frame: at its end a source may still have one that nobody took.
  const bool ended = watched_->capture().status().state == CaptureState::ended;
  bool came = false;
  if (const milliseconds wait(watched_->msToFrame()); wait.count() > 0) {
    std::this_thread::sleep_for(std::min(wait, kPatience));
  } else if (watched_->capture().waitForFrame(kPatience)) {
    const std::lock_guard turn(*turns_);
    if (stopping_) return true;
    // The newest one, which may have come while others computed.
    if (std::optional<Frame> frame = watched_->capture().next(milliseconds(0))) {
      came = true;
      bringSchedule();
      std::unique_lock lock(mutex_);
      const Watched::Filter filter = filter_;
      lock.unlock();
      watched_->handle(std::move(*frame), *network_, compare_, remembers(), filter);
    }
  }
  watched_->look();
  return !ended || came;
}

void Engine::setAsked() {
  std::unique_lock lock(mutex_);
  const bool isOther = !(schedule_ == runs_);
  while (!rules_.empty()) {
    std::vector<Rule> rules = std::move(rules_.front());
    rules_.pop_front();
    lock.unlock();
    watched_->setRules(std::move(rules));
    lock.lock();
  }
  lock.unlock();
  if (!isOther) return;
  const std::lock_guard turn(*turns_);
  bringSchedule();
}

// Gives the net this engine's schedule, since it may have another engine's.
void Engine::bringSchedule() {
  const auto bring = [this](const Schedule& blocks) {
    if (!(network_->schedule() == blocks)) network_->setSchedule(blocks);
  };
  const Schedule asked = schedule();
  std::string fault;
  try {
    bring(asked);
  } catch (const std::exception& failure) {
    fault = failure.what();
  }
  std::unique_lock lock(mutex_);
  if (fault.empty()) {
    runs_ = asked;
    return;
  }
  if (runs_ == asked) runs_ = network_->schedule();  // at the beginning: none was accepted before
  if (schedule_ == asked) {
    scheduleFault_ = fault;
    schedule_ = runs_;
  }
  lock.unlock();
  bring(runs_);
}

void Engine::runTasks() {
  std::unique_lock lock(mutex_);
  while (!tasks_.empty() && !stopping_) {
    std::packaged_task<void(Network&)> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    const std::lock_guard turn(*turns_);
    bringSchedule();
    task(*network_);
    lock.lock();
  }
}

const NamedSource& Engine::source() const { return watched_->source(); }
const Metrics& Engine::metrics() const { return watched_->metrics(); }
FrameResultPtr Engine::latest() const { return watched_->latest(); }
std::optional<Moment> Engine::filteredAt() const { return watched_->filteredAt(); }
CaptureStatus Engine::capture() const { return watched_->capture().status(); }
std::vector<std::pair<std::string, bool>> Engine::rules() const { return watched_->rules(); }
std::uint64_t Engine::frames() const { return watched_->frames(); }
void Engine::readStatistics(const std::function<void(const Statistics&)>& look) const {
  watched_->readStatistics(look);
}
std::string Engine::fault() const { return watched_->fault(); }

Schedule Engine::schedule() const {
  const std::lock_guard lock(mutex_);
  return schedule_;
}

std::string Engine::scheduleFault() const {
  const std::lock_guard lock(mutex_);
  return scheduleFault_;
}

void Engine::setSchedule(const Schedule& blocks) {
  blocks.check(blocks_);
  const std::lock_guard lock(mutex_);
  schedule_ = blocks;
  scheduleFault_.clear();
}

void Engine::setRules(std::vector<Rule> rules) {
  checkRules({rules, {}}, metrics());
  const std::lock_guard lock(mutex_);
  rules_.push_back(std::move(rules));
}

void Engine::pause(bool paused) { watched_->capture().pause(paused); }
void Engine::seek(std::int64_t positionMs) { watched_->capture().seek(positionMs); }
void Engine::step() { watched_->capture().step(); }

void Engine::setFilter(std::function<cv::Mat(const cv::Mat&)> filter) {
  const std::lock_guard lock(mutex_);
  filter_ = std::move(filter);
}

std::future<void> Engine::withNetwork(std::function<void(Network&)> task) {
  std::packaged_task<void(Network&)> packaged(std::move(task));
  std::future<void> future = packaged.get_future();
  const std::lock_guard lock(mutex_);
  if (!stopping_) tasks_.push_back(std::move(packaged));
  return future;
}

std::vector<cv::Mat> firstPictures(const std::vector<EngineOptions>& cameras,
                                   std::chrono::milliseconds patience, Clock& clock) {
  using std::chrono::steady_clock;
  constexpr std::size_t kMostSources = 4;
  constexpr milliseconds kApart{1000};
  std::vector<std::unique_ptr<Capture>> captures;
  for (const EngineOptions& camera : cameras) {
    if (captures.size() < kMostSources) captures.push_back(makeCapture(camera, clock));
  }
  const auto end = steady_clock::now() + patience;
  const auto left = [](steady_clock::time_point until) {
    return std::max(milliseconds(0),
                    std::chrono::duration_cast<milliseconds>(until - steady_clock::now()));
  };
  std::vector<cv::Mat> pictures;
  for (const auto& capture : captures) {
    auto frame = capture->next(left(end));
    if (!frame) continue;
    pictures.push_back(frame->picture);
    const auto later = std::min(end, steady_clock::now() + kApart);
    cv::Mat second;
    while ((frame = capture->next(left(later)))) second = frame->picture;
    if (!second.empty()) pictures.push_back(second);
  }
  return pictures;
}

}  // namespace mpm::monitor
