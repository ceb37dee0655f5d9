// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/engine.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <exception>
#include <set>
#include <stdexcept>
#include <utility>

#include "monitor/engine/watched.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;

// Time that the engine waits for a source's frame before it turns to the next one and to tasks.
constexpr milliseconds kPatienceAlone{50}, kPatience{2};
constexpr std::size_t kLeastMerges = 3;  // that have metrics, whatever the schedule at the start

// Returns the number of merges with separate metrics.
std::size_t toldMerges(Network& network) {
  return network.blocks() > 0 ? std::max(kLeastMerges, network.schedule().size()) : 0;
}

void checkSources(const std::vector<NamedSource>& sources) {
  if (sources.empty()) throw std::invalid_argument("there is no source to watch");
  std::set<std::string> names;
  for (const NamedSource& source : sources) {
    const bool good = !source.name.empty() &&
                      std::all_of(source.name.begin(), source.name.end(), [](unsigned char c) {
                        return std::isalnum(c) || c == '_' || c == '-';
                      });
    if (!good) {
      throw std::invalid_argument(
          "\"" + source.name +
          "\" cannot be a source's name: it must consist of letters a-z, digits, - and _");
    }
    if (!names.insert(source.name).second) {
      throw std::invalid_argument("two sources are named " + source.name);
    }
  }
}

}  // namespace

Metrics engineMetrics(Network& network, const RuleBook& book) {
  return FrameMetrics(network.classes(), book, toldMerges(network), network.specialRows(), true,
                      network.memoryFault().empty())
      .metrics();
}

Engine::Engine(EngineOptions options, std::unique_ptr<Network> network,
               std::vector<EngineListener*> listeners, Clock& clock)
    : network_(std::move(network)),
      listeners_(std::move(listeners)),
      clock_(clock),
      classes_(network_->classes()),
      palette_(network_->palette()),
      blocks_(network_->blocks()),
      reason_(network_->reason()),
      memoryFault_(network_->memoryFault()),
      memory_(options.memory),
      schedule_(network_->schedule()) {
  checkSources(options.sources);
  const std::size_t merges = toldMerges(*network_);
  for (std::size_t i = 0; i < options.sources.size(); ++i) {
    watched_.push_back(std::make_unique<Watched>(i, options.sources[i], options, *network_, merges,
                                                 listeners_, clock_));
  }
  thread_ = std::thread([this] { run(); });
}

Engine::~Engine() { stop(); }

void Engine::stop() {
  stopping_ = true;
  const std::lock_guard lock(joining_);
  if (thread_.joinable()) thread_.join();
}

void Engine::run() {
  for (const auto& watched : watched_) watched->tellRules();
  while (!stopping_) {
    runTasks();
    bool allEnded = true;
    for (const auto& watched : watched_) {
      if (stopping_) break;
      turnedMs_ = clock_.now().steadyMs;
      allEnded = serve(*watched) && allEnded;
    }
    if (allEnded && !stopping_) break;
  }
  for (const auto& watched : watched_) watched->tellEnd();
  done_ = true;
  // Tasks may still arrive while the engine exists.
  while (!stopping_) {
    turnedMs_ = clock_.now().steadyMs;
    runTasks();
    std::this_thread::sleep_for(kPatienceAlone);
  }
  const std::lock_guard lock(mutex_);
  tasks_.clear();
}

// Takes a frame of a source if there is one. Returns whether it is at its end.
bool Engine::serve(Watched& watched) {
  // Asked before the frame: at its end a source may still have one that nobody took.
  const bool ended = watched.capture().status().state == CaptureState::ended;
  std::optional<Frame> frame;
  if (watched.wantsFrame()) {
    frame = watched.capture().next(watched_.size() == 1 ? kPatienceAlone : kPatience);
  } else {
    std::this_thread::sleep_for(kPatience);
  }
  if (frame) {
    std::unique_lock lock(mutex_);
    const Watched::Filter filter = filter_;
    lock.unlock();
    watched.handle(std::move(*frame), *network_, compare_, remembers(), filter);
  }
  watched.look();
  return ended && !frame;
}

void Engine::runTasks() {
  std::unique_lock lock(mutex_);
  if (scheduleChanged_) {
    scheduleChanged_ = false;
    const Schedule schedule = schedule_;
    lock.unlock();
    std::string fault;
    try {
      network_->setSchedule(schedule);
    } catch (const std::exception& failure) {
      fault = failure.what();
    }
    lock.lock();
    if (!fault.empty() && !scheduleChanged_) {
      scheduleFault_ = fault;
      schedule_ = network_->schedule();
    }
  }
  while (!rules_.empty()) {
    auto [source, rules] = std::move(rules_.front());
    rules_.pop_front();
    lock.unlock();
    watched_[source]->setRules(std::move(rules));
    lock.lock();
  }
  while (!tasks_.empty() && !stopping_) {
    std::packaged_task<void(Network&)> task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task(*network_);
    lock.lock();
  }
}

const NamedSource& Engine::source(std::size_t index) const { return watched(index).source(); }
const Metrics& Engine::metrics(std::size_t source) const { return watched(source).metrics(); }
FrameResultPtr Engine::latest(std::size_t source) const { return watched(source).latest(); }
std::optional<Moment> Engine::filteredAt(std::size_t source) const {
  return watched(source).filteredAt();
}
CaptureStatus Engine::capture(std::size_t source) const {
  return watched(source).capture().status();
}
std::vector<std::pair<std::string, bool>> Engine::rules(std::size_t source) const {
  return watched(source).rules();
}
std::uint64_t Engine::frames(std::size_t source) const { return watched(source).frames(); }
void Engine::readStatistics(std::size_t source,
                            const std::function<void(const Statistics&)>& look) const {
  watched(source).readStatistics(look);
}

std::string Engine::fault() const {
  for (std::size_t i = 0; i < watched_.size(); ++i) {
    if (std::string found = fault(i); !found.empty()) return found;
  }
  return {};
}

std::string Engine::fault(std::size_t source) const { return watched(source).fault(); }

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
  scheduleChanged_ = true;
}

void Engine::setRules(std::size_t source, std::vector<Rule> rules) {
  checkRules({rules, {}}, metrics(source));
  const std::lock_guard lock(mutex_);
  rules_.emplace_back(source, std::move(rules));
}

void Engine::pause(bool paused) {
  for (const auto& watched : watched_) watched->capture().pause(paused);
}
void Engine::seek(std::size_t source, std::int64_t positionMs) {
  watched(source).capture().seek(positionMs);
}
void Engine::step(std::size_t source) { watched(source).capture().step(); }

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

std::vector<cv::Mat> firstPictures(const EngineOptions& options, std::chrono::milliseconds patience,
                                   Clock& clock) {
  using std::chrono::steady_clock;
  constexpr std::size_t kMostSources = 4;
  constexpr milliseconds kApart{1000};
  std::vector<std::unique_ptr<Capture>> captures;
  for (const NamedSource& source : options.sources) {
    if (captures.size() < kMostSources) captures.push_back(makeCapture(source, options, clock));
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
