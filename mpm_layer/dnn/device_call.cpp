// SPDX-License-Identifier: Apache-2.0
#include "dnn/device_call.h"

#include <stdexcept>
#include <utility>

namespace mpm::dnn {
namespace {

// What one replay mends is a guess of one layer at least, so nets of sane size need fewer.
constexpr int kMostReplays = 64;

}  // namespace

// A call stays in its chain as long as somebody holds it: a blob that is still to be read, or a
// call that stands on it.
class DeviceChain {
 public:
  /// The chain of a call's inputs, which become one.
  static std::shared_ptr<DeviceChain> of(const std::map<std::string, DeviceInput>& inputs) {
    std::shared_ptr<DeviceChain> chain;
    for (const auto& [name, input] : inputs) {
      if (!input.device) continue;
      const std::shared_ptr<DeviceChain> other = input.device.call->chain_;
      if (chain == nullptr) chain = other;
      if (other != chain) join(chain, *other);
    }
    return chain != nullptr ? chain : std::make_shared<DeviceChain>();
  }

  void add(const std::shared_ptr<DeviceCall>& call) { calls_.push_back(call); }

  /// Every call once more: behind a guess that was too low nothing is right, whoever reads it.
  void replay() {
    std::vector<std::shared_ptr<DeviceCall>> calls;
    for (const std::weak_ptr<DeviceCall>& call : calls_) {
      if (auto alive = call.lock()) calls.push_back(std::move(alive));
    }
    for (const auto& call : calls) call->run();
    for (const auto& call : calls) call->letGoOfReleased();
  }

 private:
  static void join(const std::shared_ptr<DeviceChain>& chain, DeviceChain& other) {
    for (const std::weak_ptr<DeviceCall>& call : other.calls_) {
      const std::shared_ptr<DeviceCall> alive = call.lock();
      if (alive == nullptr) continue;
      chain->calls_.push_back(alive);
      alive->chain_ = chain;
    }
  }

  std::vector<std::weak_ptr<DeviceCall>> calls_;
};

DeviceCall::DeviceCall(Made made) : made_(std::move(made)), chain_(DeviceChain::of(made_.inputs)) {
  for (std::vector<int>& shape : made_.outputs) outputs_.push_back({std::move(shape), nullptr});
}

std::shared_ptr<DeviceCall> DeviceCall::make(Made made) {
  const std::shared_ptr<DeviceCall> call(new DeviceCall(std::move(made)));
  call->run();
  call->chain_->add(call);
  return call;
}

void DeviceCall::run() {
  const std::lock_guard lock(made_.runner->calls);
  std::map<std::string, RunnerBlob> inputs;
  for (const auto& [name, input] : made_.inputs) {
    RunnerBlob& blob = inputs[name];
    blob.shape = input.shape;
    if (input.device) {
      blob.device = input.device.call->outputs_[input.device.output].device;
    } else {
      blob.host = const_cast<float*>(input.host.ptr<float>());
    }
  }
  std::vector<RunnerBlob> outputs(outputs_.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].shape = outputs_[i].shape;
  made_.layer->setEnabled(made_.enabled);
  made_.layer->forward(inputs, outputs);
  for (std::size_t i = 0; i < outputs.size(); ++i)
    outputs_[i].device = std::move(outputs[i].device);
}

void DeviceCall::download(std::size_t output, float* host) {
  for (int replays = 0; replays <= kMostReplays; ++replays) {
    if (replays > 0) chain_->replay();
    const std::lock_guard lock(made_.runner->calls);
    const RunnerBlob blob{outputs_[output].shape, host, outputs_[output].device};
    if (made_.runner->runner->download(blob)) return;
  }
  throw std::runtime_error("the device gave no result in " + std::to_string(kMostReplays) +
                           " attempts; one is right");
}

void DeviceCall::release(std::size_t output) {
  const std::lock_guard lock(made_.runner->calls);
  outputs_[output].released = true;
  if (!outputs_[output].kept) outputs_[output].device.reset();
}

void DeviceCall::letGoOfReleased() {
  const std::lock_guard lock(made_.runner->calls);
  for (Output& output : outputs_) {
    if (output.released && !output.kept) output.device.reset();
  }
}

}  // namespace mpm::dnn
