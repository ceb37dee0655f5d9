// RNG::fill with one number for several channels gives wrong values for types below 32 bits
//
// rng.fill(mat, RNG::NORMAL, 100, 4) gives the second and third channel of CV_16SC3 and CV_8UC3 no
// deviation at all. Scalar::all(4) is right, and so is CV_32FC3.
#include <cmath>
#include <cstdio>
#include <opencv2/core.hpp>

int main() {
  for (const int type : {CV_16SC3, CV_8UC3, CV_32FC3}) {
    cv::Mat one(100, 100, type), all(100, 100, type);
    cv::RNG(1).fill(one, cv::RNG::NORMAL, 100, 4);
    cv::RNG(1).fill(all, cv::RNG::NORMAL, cv::Scalar::all(100), cv::Scalar::all(4));
    cv::Scalar mean, deviation, expected;
    cv::meanStdDev(one, mean, deviation);
    cv::meanStdDev(all, mean, expected);
    const bool right = std::abs(deviation[1] - expected[1]) < 0.5;
    std::printf("%s: type %d, deviation %.2f where %.2f is expected\n", right ? "right" : "wrong",
                type, deviation[1], expected[1]);
  }
}
