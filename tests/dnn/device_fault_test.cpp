// SPDX-License-Identifier: Apache-2.0
// What is said where there is no device.
#include <dlfcn.h>

#include <filesystem>
#include <stdexcept>

#include "dnn/host_runner/loaded_runner.h"
#include "mpm/layers.h"
#include "mpm/runner.h"

namespace mpm::test {
namespace {

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
