// Layer has public members `inputs` and `outputs`, which every override of forward shadows
//
// forward(InputArrayOfArrays inputs, OutputArrayOfArrays outputs, ...) is the signature in OpenCV's
// own header. With -Wshadow, which many projects build with, each custom layer that keeps these
// names is a warning.
#include <cstdio>
#include <opencv2/dnn.hpp>

template <class Layer, class = void>
constexpr bool kHasInputs = false;
template <class Layer>
constexpr bool kHasInputs<Layer, std::void_t<decltype(Layer::inputs)>> = true;

int main() {
  std::printf(kHasInputs<cv::dnn::Layer> ? "wrong: Layer has a member inputs\n"
                                         : "right: Layer has none\n");
}
