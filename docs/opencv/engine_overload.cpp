// The name of a file is taken for a model by readNetFromONNX("model.onnx", ENGINE_NEW)
//
// A string literal and an int fit the overload of a buffer and its size better than that of a file
// and an engine, so the bytes of the name are parsed, as many as the engine's number. With
// cv::String("model.onnx") the file is read.
#include <cstdio>
#include <cstring>
#include <opencv2/dnn.hpp>

int main() {
  try {
    cv::dnn::readNetFromONNX("missing.onnx", cv::dnn::ENGINE_NEW);
    std::printf("wrong: a file that is not there was read\n");
  } catch (const cv::Exception& error) {
    const bool file = std::strstr(error.what(), "missing.onnx") != nullptr;
    std::printf("%s: %s\n", file ? "right" : "wrong", error.err.c_str());
  }
}
