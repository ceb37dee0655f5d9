// SPDX-License-Identifier: Apache-2.0
// Nets on a device that is memory of the host: they give what they give on the processor, only what
// has to be is copied, and it is said where there is no device.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <opencv2/dnn.hpp>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "contract/runner.h"
#include "dnn/host_runner.h"
#include "dnn/layer_call.h"
#include "dnn/onnx_graph.h"
#include "models/net_run.h"
#include "mpm/layers.h"
#include "mpm/net.h"
#include "mpm/segmenter.h"
#include "mpm/threads.h"
#include "scoped.h"

namespace mpm::test {
namespace {

using cv::Mat;
using cv::dnn::Net;

template <class Function>
Function* functionOfRunner(const char* name) {
  static void* const library = dlopen(HOST_RUNNER, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// What the host runner counted since the last reset.
HostRunnerCounts counts() { return functionOfRunner<HostRunnerGetCounts>("hostRunnerCounts")(); }
void resetRunner(const std::string& without = "", const std::string& failing = "") {
  functionOfRunner<HostRunnerReset>("hostRunnerReset")(without.c_str(), failing.c_str());
}

/// Tests in which device cuda is the host runner's.
class OnHostRunner : public testing::Test {
 protected:
  void SetUp() override { resetRunner(); }

 private:
  ScopedVariable runner_{"MPM_RUNNER", HOST_RUNNER};
};

/// How the tests read a fixture.
struct Reading {
  Schedule schedule;
  Restore restore = Restore::late;
};

cv::dnn::Net netOn(const std::string& device, const Fixture& fixture, const Reading& reading) {
  ReadOptions options = optionsOf(fixture);
  options.device = device;
  options.schedule = reading.schedule;
  options.restore = reading.restore;
  return readNet(fixture.path(), options);
}

class DeviceNet : public OnHostRunner {};

const std::vector<Reading> kReadings = {{{}, Restore::late},
                                        {{}, Restore::early},
                                        {{1}, Restore::late},
                                        {{0, 1}, Restore::late},
                                        {{0, 1}, Restore::early}};

Mat batchOf(const Fixture& fixture, int batch) {
  const Mat images = fixture.images();
  if (!fixture.hasOpenBatch) return images;
  Mat all;
  for (int b = 0; b < batch; ++b) {
    Mat one = imageOf(images, b % images.size[0]).clone();
    one *= 1 + 0.25 * b;
    all.push_back(one.reshape(1, 1));
  }
  std::vector<int> shape(images.size.p, images.size.p + images.dims);
  shape[0] = batch;
  return all.reshape(1, shape).clone();
}

void expectAlike(Net& device, Net& cpu, const Mat& images) {
  expectSame(run(device, images), run(cpu, images));
  EXPECT_EQ(liveRows(device), liveRows(cpu));
}

// A head, a decoder, OpenCV's own layers after the encoder, other special tokens; blocks in single
// layers, blocks that attend within windows.
TEST_F(DeviceNet, GivesWhatTheProcessorGives) {
  for (const char* name :
       {"timm_vit", "timm_vit_gap", "timm_dinov2_reg4", "timm_clip", "hf_vit", "segmenter_mask",
        "segmenter_linear", "setr_pup", "upernet", "hf_dinov3", "hf_sam"}) {
    const Fixture fixture = fixtureNamed(name);
    for (const Reading& reading : kReadings) {
      Net cpu = netOn("cpu", fixture, reading), device = netOn("cuda", fixture, reading);
      for (const int batch : {1, 3, 1}) {
        SCOPED_TRACE(testing::Message() << fixture << ", merge before " << reading.schedule.text()
                                        << (reading.restore == Restore::early ? ", early" : "")
                                        << ", " << batch << " at once");
        expectAlike(device, cpu, batchOf(fixture, batch));
        if (!fixture.hasOpenBatch) break;
      }
    }
  }
  EXPECT_GT(counts().layers, 100);
  EXPECT_GT(counts().calls, 1000);
}

TEST_F(DeviceNet, CopiesTheImageAndWhatLeaves) {
  const Fixture fixture = fixtureNamed("segmenter_mask");
  for (const Reading& reading : kReadings) {
    SCOPED_TRACE(testing::Message() << "merge before " << reading.schedule.text());
    Net net = netOn("cuda", fixture, reading);
    const Mat images = fixture.images();
    run(net, images);
    resetRunner();
    const Outputs outputs = run(net, images);
    EXPECT_EQ(counts().uploads, 1);
    EXPECT_EQ(counts().uploadedFloats, static_cast<long>(images.total()));
    // The scores of the patches, and not yet those of the pixels; and how many rows merges left.
    const int side = fixture.patch * fixture.patch;
    const auto merges = static_cast<int>(liveRows(net).size());
    long floats = merges * images.size[0];
    for (const auto& [name, blob] : outputs)
      floats += static_cast<long>(blob.total()) / (blob.dims == 4 ? side : 1);
    EXPECT_EQ(counts().downloads, static_cast<int>(outputs.size()) + merges);
    EXPECT_EQ(counts().downloadedFloats, floats);
  }
}

TEST_F(DeviceNet, IsDescribedAsOnTheProcessor) {
  const Fixture fixture = fixtureNamed("segmenter_mask");
  ReadOptions options = optionsOf(fixture);
  options.check = true;
  const Description cpu = describe(fixture.path(), options);
  options.device = "cuda";
  const Description device = describe(fixture.path(), options);
  EXPECT_EQ(device.layers, cpu.layers);
  EXPECT_EQ(device.computed, cpu.computed);
  EXPECT_GT(counts().calls, 0);
}

TEST_F(DeviceNet, ReadsAConvertedFile) {
  const std::filesystem::path file =
      std::filesystem::temp_directory_path() / ("device_net." + std::to_string(getpid()) + ".onnx");
  const Fixture fixture = fixtureNamed("segmenter_mask");
  ReadOptions options = optionsOf(fixture);
  options.schedule = std::vector<int>{0, 1};
  convert(fixture.path(), file.string(), options);
  Net cpu = readNet(file.string());
  options = {};
  options.device = "cuda";
  Net device = readNet(file.string(), options);
  std::filesystem::remove(file);
  expectAlike(device, cpu, fixture.images());
  EXPECT_GT(counts().calls, 0);
  EXPECT_EQ(describe(device).depth, describe(cpu).depth);
  setSchedule(device, {1}), setSchedule(cpu, {1});
  expectAlike(device, cpu, fixture.images());
}

TEST_F(DeviceNet, IsNamed) {
  const Fixture fixture = fixtureNamed("timm_vit");
  Net cpu = netOn("cpu", fixture, {}), device = netOn("cuda", fixture, {});
  EXPECT_EQ(deviceName(cpu), "cpu");
  EXPECT_EQ(deviceName(device), "Host Memory 1");
  const ScopedVariable variable("MPM_DEVICE", "cuda");
  Net byVariable = netOn("", fixture, {});
  EXPECT_EQ(deviceName(byVariable), "Host Memory 1");
}

TEST_F(DeviceNet, ChangesItsScheduleWhileItLives) {
  const Fixture fixture = fixtureNamed("segmenter_mask");
  Net device = netOn("cuda", fixture, {}), cpu = netOn("cpu", fixture, {});
  for (const Schedule& blocks : {Schedule{0, 1}, {}, {1}, {0}}) {
    setSchedule(device, blocks), setSchedule(cpu, blocks);
    expectAlike(device, cpu, fixture.images());
  }
  for (const bool on : {false, true}) {
    setMerging(device, on), setMerging(cpu, on);
    expectAlike(device, cpu, fixture.images());
  }
}

TEST_F(DeviceNet, TwoInTwoThreadsGiveWhatOneGives) {
  const Fixture fixture = fixtureNamed("timm_vit");
  const Mat images = fixture.images();
  Net cpu = netOn("cpu", fixture, {{0, 1}});
  const Outputs expected = run(cpu, images);
  std::vector<std::thread> threads;
  std::vector<Outputs> results(3);
  for (Outputs& result : results) {
    threads.emplace_back([&] {
      for (int nets = 0; nets < 3; ++nets) {
        Net net = netOn("cuda", fixture, {{0, 1}});
        for (int frame = 0; frame < 10; ++frame) result = run(net, images);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Outputs& result : results) expectSame(result, expected);
}

// Layers that the runner leaves to the processor find what they need, and are found.
TEST_F(DeviceNet, LeavesSomeKindsToTheProcessor) {
  const Fixture fixture = fixtureNamed("segmenter_mask");
  const Reading reading{{0, 1}};
  Net cpu = netOn("cpu", fixture, reading);
  for (const char* without :
       {"mpm.PatchEmbed", "mpm.TransformerBlock", "mpm.MutualPairMerge", "mpm.MergeRestore",
        "mpm.ReplaceSpecial", "mpm.MaskDecoderHead", "mpm.Normalize,mpm.Linear",
        "mpm.TransformerBlock,mpm.MutualPairMerge,mpm.PatchEmbed"}) {
    SCOPED_TRACE(without);
    resetRunner(without);
    Net device = netOn("cuda", fixture, reading);
    for (int again = 0; again < 2; ++again) expectAlike(device, cpu, fixture.images());
    EXPECT_GT(counts().calls, 0);
  }
}

std::vector<std::pair<StepKind, int>> stepsOf(const Segmentation& segmentation) {
  std::vector<std::pair<StepKind, int>> steps;
  for (const NetworkStep& step : segmentation.steps) steps.emplace_back(step.kind, step.block);
  return steps;
}

// A Segmenter asks its net for scores of live rows, and for what merges did.
TEST_F(DeviceNet, SegmentsAsOnTheProcessor) {
  for (const char* name : {"segmenter_mask", "segmenter_linear", "setr_pup"}) {
    for (const bool stages : {false, true}) {
      SCOPED_TRACE(testing::Message() << name << (stages ? ", with stages" : ""));
      SegmenterOptions options;
      options.read.schedule = std::vector<int>{0, 1};
      options.stages = stages;
      options.read.device = "cpu";
      Segmenter cpu(fixtureNamed(name).path(), options);
      options.read.device = "cuda";
      Segmenter device(fixtureNamed(name).path(), options);
      EXPECT_EQ(deviceName(device.net()), "Host Memory 1");
      for (const std::uint64_t seed : {1U, 2U}) {
        Mat frame(90, 120, CV_8UC3);
        cv::RNG(seed).fill(frame, cv::RNG::UNIFORM, 0, 256);
        frame.rowRange(0, 40).setTo(cv::Scalar(200, 150, 100));
        const Segmentation is = device.segment(frame), right = cpu.segment(frame);
        EXPECT_TRUE(isSame(is.labels, right.labels));
        EXPECT_TRUE(isSame(is.confidence, right.confidence));
        EXPECT_TRUE(isSame(is.mergeMap, right.mergeMap));
        EXPECT_EQ(is.rows, right.rows);
        EXPECT_EQ(stepsOf(is), stepsOf(right));
        ASSERT_EQ(is.stages.size(), right.stages.size());
        for (std::size_t i = 0; i < is.stages.size(); ++i) {
          EXPECT_TRUE(isSame(is.stages[i].map, right.stages[i].map));
          EXPECT_TRUE(isSame(is.stages[i].similarity, right.stages[i].similarity));
        }
        cpu.setSchedule({1}), device.setSchedule({1});
      }
    }
  }
}

TEST_F(DeviceNet, KeepsNoMemoryOfAFrame) {
  setThreads(1);  // the pool's others take their scratch memory when they first get work: any time
  const Fixture fixture = fixtureNamed("hf_vit");
  const Mat images = imageOf(fixture.images(), 0);
  {
    Net net = netOn("cuda", fixture, {{0, 1}});
    std::size_t bytes = 0;
    for (int frame = 0; frame < 1000; ++frame) {
      if (frame % 7 == 0)
        setSchedule(net, frame % 2 == 0 ? std::vector<int>{1} : std::vector{0, 1});
      run(net, images);
      liveRows(net);
      EXPECT_EQ(counts().blobs, 0) << "what stays on the device after a frame";
      if (frame == 99) bytes = mallinfo2().uordblks;
    }
    // 10 bytes a frame would be seen.
    EXPECT_NEAR(static_cast<double>(mallinfo2().uordblks), static_cast<double>(bytes), 8192.0);
    EXPECT_LT(counts().mostBlobs, counts().layers) << "blobs go after their last reader";
  }
  setThreads(0);
}

class DeviceChain : public OnHostRunner {
 protected:
  static Net read(const OnnxGraph& graph, const char* device) {
    const std::vector<unsigned char> bytes = onnxBytes(graph);
    ReadOptions options;
    options.device = device;
    return readNet(bytes.data(), bytes.size(), options);
  }

  static int chainsIn(Net& net) {
    int count = 0;
    for (const cv::String& name : net.getLayerNames())
      count += net.getLayer(name)->type == "mpm.Chain" ? 1 : 0;
    return count;
  }

  const Mat tokens_ = normalBlob({1, 65, 16}, 1);
};

// Two merges, and a node of OpenCV's between them.
OnnxGraph graphWithRelu() {
  OnnxGraph graph;
  graph.inputs = {{"tokens", {1, 65, 16}}};
  OnnxNode first{"MutualPairMerge", "first", {"tokens"}, {"a", "rows", "map"}};
  OnnxNode relu{"Relu", "relu", {"a"}, {"b"}, {}, {}, ""};
  OnnxNode second{"MutualPairMerge", "second", {"b", "rows", "map"}, {"c", "rows2", "map2"}};
  first.numbers["special"] = second.numbers["special"] = 1;
  graph.nodes = {first, relu, second, {"MergeRestore", "restore", {"c", "map2"}, {"full"}}};
  graph.outputs = {{"full", {1, 65, 16}}, {"map2", {1, 64}}};
  return graph;
}

TEST_F(DeviceChain, IsCutByLayersOfOthers) {
  Net device = read(graphWithRelu(), "cuda"), cpu = read(graphWithRelu(), "cpu");
  EXPECT_EQ(chainsIn(device), 2);
  EXPECT_EQ(chainsIn(cpu), 0);
  EXPECT_EQ(mergeLayers(device).size(), 2U);
  const Outputs expected = run(cpu, tokens_);
  for (int again = 0; again < 2; ++again) {
    resetRunner();
    expectSame(run(device, tokens_), expected);
    EXPECT_EQ(counts().calls, 2);
    EXPECT_EQ(counts().uploads, 4) << "the tokens, and after the Relu their rows and map as well";
  }
}

TEST_F(DeviceChain, IsOneFromPatchesToScores) {
  for (const char* name : {"segmenter_mask", "timm_vit_gap"}) {
    for (const Reading& reading : kReadings) {
      Net net = netOn("cuda", fixtureNamed(name), reading);
      EXPECT_EQ(chainsIn(net), 1) << name << ", merge before " << reading.schedule.text();
    }
  }
}

// Its blobs of the host are checked by whoever reads them.
TEST_F(DeviceChain, RefusesValuesThatDoNotFit) {
  OnnxGraph graph = graphWithRelu();
  graph.inputs.push_back({"rows", {1, 1}});
  graph.inputs.push_back({"map", {1, 64}});
  graph.nodes = {graph.nodes[2], graph.nodes[3]};
  graph.nodes[0].inputs[0] = "tokens";
  Net device = read(graph, "cuda"), cpu = read(graph, "cpu");
  const auto refusal = [&](Net& net, float rows, float place) {
    net.setInput(tokens_, "tokens");
    net.setInput(filledBlob({1, 1}, {rows}), "rows");
    std::vector<float> map(64);
    map[5] = place;
    net.setInput(filledBlob({1, 64}, map), "map");
    try {
      net.forward("full");
    } catch (const cv::Exception& error) {
      return error.err.substr(error.err.find(", input ") + 2);
    }
    return std::string("nothing was thrown");
  };
  for (Net* net : {&device, &cpu}) {
    EXPECT_EQ(refusal(*net, 65, 64).rfind("input map: value 64 at 5; expected a whole number", 0),
              0U);
    EXPECT_EQ(refusal(*net, 66, 0).rfind("input rows: value 66 at 0; expected a whole number", 0),
              0U);
    EXPECT_EQ(refusal(*net, 65, 3), "nothing was thrown");
  }
}

TEST_F(DeviceChain, KnowsAConstantThatIsNoWeight) {
  MergeModel model;
  model.constantRegions = true;
  const std::vector<unsigned char> bytes = onnxModel(model);
  ReadOptions options;
  options.device = "cuda";
  Net device = readNet(bytes.data(), bytes.size(), options);
  options.device = "cpu";
  Net cpu = readNet(bytes.data(), bytes.size(), options);
  for (int again = 0; again < 2; ++again) expectSame(run(device, tokens_), run(cpu, tokens_));
}

TEST_F(DeviceChain, IsRefusedByItself) {
  const auto refusal = [](const cv::dnn::LayerParams& params) {
    try {
      const auto layer = makeLayer("mpm.Chain", params);
      callLayer(*layer, {normalBlob({1, 65, 16}, 1)});
    } catch (const cv::Exception& error) {
      return error.err;
    }
    return std::string("nothing was thrown");
  };
  registerLayers();
  cv::dnn::LayerParams params;
  EXPECT_EQ(refusal(params).rfind("mpm.Chain 'sut': its attribute graph", 0), 0U);
  OnnxGraph graph;
  graph.inputs = {{"x", {1, 65, 16}}};
  graph.outputs = {{"y", {1, 65, 16}}};
  graph.nodes = {{"mpm.Normalize", "norm", {"x"}, {"y"}, {}, {}, ""}};
  std::vector<unsigned char> bytes = onnxBytes(graph);
  params.set("graph", cv::String(bytes.begin(), bytes.end()));
  EXPECT_EQ(refusal(params),
            "mpm.Chain 'sut': has no device; expected that mpm::readNet read its model");
  graph.nodes[0].type = "Relu";
  bytes = onnxBytes(graph);
  params.set("graph", cv::String(bytes.begin(), bytes.end()));
  EXPECT_EQ(refusal(params), "mpm.Chain 'sut': has a node Relu; expected layers of tokens");
}

class DeviceFault : public OnHostRunner {};

std::string sentenceOf(const std::string& device, const std::string& precision = "") {
  ReadOptions options;
  options.device = device;
  options.precision = precision;
  try {
    readNet(fixtureNamed("timm_vit").path(), options);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_F(DeviceFault, IsNone) {
  EXPECT_EQ(deviceFault("cuda"), "");
  EXPECT_EQ(deviceFault("cpu"), "");
  EXPECT_EQ(deviceFault(""), "");
  EXPECT_EQ(sentenceOf("cuda"), "nothing was thrown");
}

TEST_F(DeviceFault, OfANameThatIsNotKnown) {
  EXPECT_EQ(sentenceOf("tpu"), "device tpu: expected cpu or cuda");
  for (const char* name : {"tpu", "cudas", "cuda:", "cuda:x", "CPU"})
    EXPECT_EQ(deviceFault(name), std::string("device ") + name + ": expected cpu or cuda");
  EXPECT_EQ(deviceFault("cuda:1"), "device cuda:1: it is no device of this runner");
  EXPECT_FALSE(hasPrecision("fp32", "tpu"));
  const ScopedVariable variable("MPM_DEVICE", "gpu");
  EXPECT_EQ(sentenceOf(""), "MPM_DEVICE=gpu: expected cpu or cuda");
  EXPECT_EQ(sentenceOf("cpu"), "nothing was thrown");
}

TEST_F(DeviceFault, OfALibraryThatIsNotThere) {
  const ScopedVariable variable("MPM_RUNNER", "/nowhere/librunner.so");
  const std::string sentence = deviceFault("cuda");
  EXPECT_EQ(sentence.rfind("device cuda: /nowhere/librunner.so cannot be loaded: ", 0), 0U)
      << sentence;
  EXPECT_EQ(sentenceOf("cuda"), sentence);
  EXPECT_EQ(sentenceOf("cuda"), sentence) << "asked again";
}

TEST_F(DeviceFault, OfTheUsualLibrary) {
  const ScopedVariable variable("MPM_RUNNER", "");
  const std::string sentence = deviceFault("cuda");
  if (sentence.empty()) GTEST_SKIP() << "libmpm_torch.so and a GPU are here";
  EXPECT_EQ(sentence.rfind("device cuda: ", 0), 0U) << sentence;
  Dl_info info{};
  ASSERT_NE(dladdr(reinterpret_cast<void*>(&registerLayers), &info), 0);
  const auto beside = std::filesystem::path(info.dli_fname).parent_path() / "libmpm_torch.so";
  if (std::filesystem::exists(beside)) GTEST_SKIP() << beside << " is there";
  if (void* found = dlopen("libmpm_torch.so", RTLD_LAZY | RTLD_LOCAL); found != nullptr)
    GTEST_SKIP() << "the system's loader finds libmpm_torch.so";
  EXPECT_EQ(sentence,
            "device cuda: libmpm_torch.so was not found; it is built where LibTorch with CUDA is "
            "found");
}

TEST_F(DeviceFault, OfALibraryThatIsNoRunner) {
  const ScopedVariable variable("MPM_RUNNER", "libm.so.6");
  EXPECT_EQ(deviceFault("cuda"),
            "device cuda: libm.so.6 is not a runner: it does not export mpm_runner");
}

TEST_F(DeviceFault, OfARunnerOfAnotherVersion) {
  const ScopedVariable old("HOST_RUNNER_OLD", "1");
  const std::filesystem::path library = HOST_RUNNER;
  const auto another = library.parent_path() / "." / library.filename();  // one that was not asked
  const ScopedVariable variable("MPM_RUNNER", another.string());
  EXPECT_EQ(sentenceOf("cuda"), "device cuda: the runner is of version 0, this library's is " +
                                    std::to_string(kRunnerVersion) + "; expected the same");
}

TEST_F(DeviceFault, OfAPrecision) {
  EXPECT_EQ(sentenceOf("cuda", "tf32"), "nothing was thrown");
  EXPECT_EQ(sentenceOf("cuda", "bf16"),
            "precision bf16: device cuda (Host Memory 1) does not compute in it");
  EXPECT_EQ(sentenceOf("cuda", "fp16"),
            "precision fp16: it is for device cpu; expected fp32, tf32 or bf16");
  EXPECT_EQ(sentenceOf("cuda", "fp8"), "precision fp8: expected fp32, tf32 or bf16");
  EXPECT_EQ(sentenceOf("cpu", "tf32"),
            "precision tf32: it is for device cuda; expected fp32, bf16 or int8");
  EXPECT_TRUE(hasPrecision("tf32", "cuda"));
  EXPECT_FALSE(hasPrecision("bf16", "cuda"));
  EXPECT_FALSE(hasPrecision("tf32"));
  EXPECT_EQ(sentenceOf("cuda", "int8"),
            "precision int8: it is for device cpu; expected fp32, tf32 or bf16");
  EXPECT_FALSE(hasPrecision("int8", "cuda"));
  EXPECT_TRUE(hasPrecision("int8"));
}

TEST_F(DeviceFault, OfACallNamesTheLayer) {
  const Fixture fixture = fixtureNamed("timm_vit");
  cv::dnn::Net net = netOn("cuda", fixture, {{0}});
  const std::string merge = mergeLayers(net)[0];
  resetRunner("", merge);
  try {
    run(net, fixture.images());
    ADD_FAILURE() << "nothing was thrown";
  } catch (const cv::Exception& error) {
    EXPECT_EQ(error.err, "mpm.MutualPairMerge '" + merge + "': the device is out of memory");
  }
  resetRunner();
  cv::dnn::Net cpu = netOn("cpu", fixture, {{0}});
  expectSame(run(net, fixture.images()), run(cpu, fixture.images()));
}

}  // namespace
}  // namespace mpm::test
