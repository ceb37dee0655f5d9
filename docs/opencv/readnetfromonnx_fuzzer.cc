// Reads bytes as a model of ONNX and computes it once, for OSS-Fuzz's project opencv. There it is built as its
// other fuzzers. By hand, with models of at most 64 KiB in `seeds` and an empty folder `found`:
//   clang++ -std=c++17 -g -O1 -fsanitize=fuzzer,address readnetfromonnx_fuzzer.cc -o fuzzer $(pkg-config --cflags opencv4) -lopencv_dnn -lopencv_core
//   ./fuzzer -max_len=65536 -rss_limit_mb=2560 -timeout=25 -fork=1 -ignore_crashes=1 found seeds
#include <cstddef>
#include <cstdint>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/dnn.hpp>
#include <vector>

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  cv::redirectError([](int, const char*, const char*, const char*, int, void*) { return 0; });
  cv::setNumThreads(1);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0 || size > 65536) return 0;
  try {
    cv::dnn::Net net = cv::dnn::readNetFromONNX(reinterpret_cast<const char*>(data), size);
    if (net.empty()) return 0;
    const std::vector<int> shape = {1, 3, 16, 16};
#if CV_VERSION_MAJOR < 5  // a few bytes can ask for any size, and OpenCV 4 tells it in advance
    size_t weights = 0, blobs = 0;
    net.getMemoryConsumption(shape, weights, blobs);
    if (blobs > (1u << 28)) return 0;
#endif
    net.setInput(cv::Mat(shape, CV_32F, cv::Scalar(0.5)));
    net.forward();
  } catch (const cv::Exception&) {  // an answer; whatever else is thrown is a finding
  }
  return 0;
}
