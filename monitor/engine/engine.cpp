// SPDX-License-Identifier: Apache-2.0
#include "monitor/engine/engine.h"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <deque>
#include <exception>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "monitor/engine/watched.h"

namespace mpm::monitor {
namespace {

using std::chrono::milliseconds;

// How long the engine waits for one source's frame before it looks at the next, and at tasks.
constexpr milliseconds kPatienceAlone{50}, kPatience{2};
constexpr std::size_t kLeastMerges = 3;  // that have metrics, whatever the schedule at the start

// How many merges have metrics of their own.
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
      throw std::invalid_argument("\"" + source.name +
                                  "\" cannot be a source's name: it has to be made of letters "
                                  "a-z, digits, - and _");
    }
    if (!names.insert(source.name).second) {
      throw std::invalid_argument("two sources are named " + source.name);
    }
  }
}

}  // namespace

class Engine::Impl {
 public:
  Impl(EngineOptions options, std::unique_ptr<Network> network,
       std::vector<EngineListener*> listeners, Clock& clock)
      : network_(std::move(network)),
        listeners_(std::move(listeners)),
        clock_(clock),
        classes_(network_->classes()),
        palette_(network_->palette()),
        blocks_(network_->blocks()),
        reason_(network_->reason()),
        schedule_(network_->schedule()) {
    checkSources(options.sources);
    const std::size_t merges = toldMerges(*network_);
    for (std::size_t i = 0; i < options.sources.size(); ++i) {
      watched_.push_back(
          std::make_unique<Watched>(i, options.sources[i], options, *network_, merges, clock_));
    }
    thread_ = std::thread([this] { run(); });
  }

  ~Impl() { stop(); }

  void stop() {
    stopping_ = true;
    const std::lock_guard lock(joining_);
    if (thread_.joinable()) thread_.join();
  }

  Watched& watched(std::size_t source) const { return *watched_.at(source); }

  void setSchedule(const std::vector<int>& blocks) {
    for (const int block : blocks) {
      if (block < 0 || block >= blocks_) {
        throw std::invalid_argument("the model has no block " + std::to_string(block) +
                                    " to merge before: it has 0 to " + std::to_string(blocks_ - 1));
      }
    }
    const std::lock_guard lock(mutex_);
    schedule_ = blocks;
    scheduleChanged_ = true;
  }

  std::future<void> withNetwork(std::function<void(Network&)> task) {
    std::packaged_task<void(Network&)> packaged(std::move(task));
    std::future<void> future = packaged.get_future();
    const std::lock_guard lock(mutex_);
    if (!stopping_) tasks_.push_back(std::move(packaged));
    return future;
  }

  void setRules(std::size_t source, std::vector<Rule> rules) {
    Watched& watched = *watched_.at(source);
    checkRules({rules, {}}, watched.metrics());
    const std::lock_guard lock(mutex_);
    rules_.emplace_back(source, std::move(rules));
  }

  std::vector<int> schedule() const {
    const std::lock_guard lock(mutex_);
    return schedule_;
  }

  // Written by any thread, read by the engine's between two frames; behind mutex_.
  mutable std::mutex mutex_;
  std::function<cv::Mat(const cv::Mat&)> filter_;
  std::string fault_;
  std::atomic<bool> compare_{false}, done_{false};
  std::atomic<std::int64_t> turnedMs_{0};

  const std::vector<std::string>& classes() const { return classes_; }
  const std::vector<cv::Vec3b>& palette() const { return palette_; }
  int blocks() const { return blocks_; }
  const std::string& reason() const { return reason_; }
  std::size_t count() const { return watched_.size(); }

 private:
  void run() {
    while (!stopping_) {
      turnedMs_ = clock_.now().steadyMs;
      runTasks();
      bool allEnded = true;
      for (const auto& watched : watched_) {
        if (stopping_) break;
        allEnded = serve(*watched) && allEnded;
      }
      if (allEnded && !stopping_) break;
    }
    for (const auto& watched : watched_) watched->tellChanged(listeners_);
    done_ = true;
    // Tasks may still come, while whoever made the engine keeps it.
    while (!stopping_) {
      turnedMs_ = clock_.now().steadyMs;
      runTasks();
      std::this_thread::sleep_for(kPatienceAlone);
    }
    const std::lock_guard lock(mutex_);
    tasks_.clear();
  }

  // Takes a frame of a source if there is one; returns whether it is at its end.
  bool serve(Watched& watched) {
    // Asked before the frame: behind an end there may be one that nobody took yet.
    const bool ended = watched.capture().status().state == CaptureState::ended;
    std::optional<Frame> frame;
    if (watched.wantsFrame()) {
      frame = watched.capture().next(watched_.size() == 1 ? kPatienceAlone : kPatience);
    } else {
      std::this_thread::sleep_for(kPatience);
    }
    if (frame) handle(watched, std::move(*frame));
    watched.look(listeners_);
    return ended && !frame;
  }

  void handle(Watched& watched, Frame frame) {
    std::function<cv::Mat(const cv::Mat&)> filter;
    {
      const std::lock_guard lock(mutex_);
      filter = filter_;
    }
    std::string fault;
    try {
      watched.handle(std::move(frame), *network_, compare_, filter, listeners_);
    } catch (const std::exception& failure) {
      fault = failure.what();
    }
    const std::lock_guard lock(mutex_);
    fault_ = std::move(fault);
  }

  void runTasks() {
    std::unique_lock lock(mutex_);
    if (scheduleChanged_) {
      scheduleChanged_ = false;
      const std::vector<int> schedule = schedule_;
      lock.unlock();
      std::string fault;
      try {
        network_->setSchedule(schedule);
      } catch (const std::exception& failure) {
        fault = failure.what();
      }
      lock.lock();
      if (!fault.empty()) {
        fault_ = fault;
        schedule_ = network_->schedule();
      }
    }
    while (!rules_.empty()) {
      auto [source, rules] = std::move(rules_.front());
      rules_.pop_front();
      lock.unlock();
      watched_[source]->setRules(std::move(rules), listeners_);
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

  std::unique_ptr<Network> network_;
  std::vector<EngineListener*> listeners_;
  Clock& clock_;
  std::vector<std::string> classes_;
  std::vector<cv::Vec3b> palette_;
  int blocks_;
  std::string reason_;

  std::vector<int> schedule_;
  bool scheduleChanged_ = false;
  std::deque<std::pair<std::size_t, std::vector<Rule>>> rules_;  // to be set
  std::deque<std::packaged_task<void(Network&)>> tasks_;

  std::vector<std::unique_ptr<Watched>> watched_;
  std::atomic<bool> stopping_{false};
  std::mutex joining_;
  std::thread thread_;
};

Metrics engineMetrics(Network& network, const std::vector<Zone>& zones) {
  return FrameMetrics(network.classes(), zones, toldMerges(network), network.specialRows(), true)
      .metrics();
}

Engine::Engine(EngineOptions options, std::unique_ptr<Network> network,
               std::vector<EngineListener*> listeners, Clock& clock)
    : impl_(std::make_unique<Impl>(std::move(options), std::move(network), std::move(listeners),
                                   clock)) {}

Engine::~Engine() = default;

std::int64_t Engine::turnedMs() const { return impl_->turnedMs_; }
bool Engine::done() const { return impl_->done_; }
void Engine::stop() { impl_->stop(); }
std::size_t Engine::sources() const { return impl_->count(); }
const NamedSource& Engine::source(std::size_t index) const {
  return impl_->watched(index).source();
}
const Metrics& Engine::metrics(std::size_t source) const {
  return impl_->watched(source).metrics();
}
const std::vector<std::string>& Engine::classes() const { return impl_->classes(); }
const std::vector<cv::Vec3b>& Engine::palette() const { return impl_->palette(); }
int Engine::blocks() const { return impl_->blocks(); }
const std::string& Engine::reason() const { return impl_->reason(); }

FrameResultPtr Engine::latest(std::size_t source) const { return impl_->watched(source).latest(); }
CaptureStatus Engine::capture(std::size_t source) const {
  return impl_->watched(source).capture().status();
}
std::vector<std::pair<std::string, bool>> Engine::rules(std::size_t source) const {
  return impl_->watched(source).rules();
}
std::vector<bool> Engine::holding(std::size_t source) const {
  return impl_->watched(source).holding();
}
std::uint64_t Engine::frames(std::size_t source) const { return impl_->watched(source).frames(); }
void Engine::readStatistics(std::size_t source,
                            const std::function<void(const Statistics&)>& look) const {
  impl_->watched(source).readStatistics(look);
}
std::string Engine::fault() const {
  const std::lock_guard lock(impl_->mutex_);
  return impl_->fault_;
}

void Engine::setSchedule(const std::vector<int>& blocks) { impl_->setSchedule(blocks); }
std::vector<int> Engine::schedule() const { return impl_->schedule(); }
void Engine::setRules(std::size_t source, std::vector<Rule> rules) {
  impl_->setRules(source, std::move(rules));
}
void Engine::setCompare(bool compare) { impl_->compare_ = compare; }
void Engine::pause(bool paused) {
  for (std::size_t i = 0; i < impl_->count(); ++i) impl_->watched(i).capture().pause(paused);
}
void Engine::seek(std::size_t source, std::int64_t positionMs) {
  impl_->watched(source).capture().seek(positionMs);
}
void Engine::step(std::size_t source) { impl_->watched(source).capture().step(); }
void Engine::setFilter(std::function<cv::Mat(const cv::Mat&)> filter) {
  const std::lock_guard lock(impl_->mutex_);
  impl_->filter_ = std::move(filter);
}
std::future<void> Engine::withNetwork(std::function<void(Network&)> task) {
  return impl_->withNetwork(std::move(task));
}

}  // namespace mpm::monitor
