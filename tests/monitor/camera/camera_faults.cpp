// SPDX-License-Identifier: Apache-2.0
#include "monitor/camera/camera_faults.h"

#include <cmath>
#include <opencv2/imgproc.hpp>

#include "monitor/camera/registration.h"

namespace mpm::test {
namespace {

void move(cv::Mat& picture, double x, double y, double degrees) {
  monitor::Placement placement;
  placement.shift = {x, y};
  placement.degrees = degrees;
  const cv::Mat before = picture.clone();
  cv::warpAffine(before, picture, monitor::transformOf(placement, picture.size()), picture.size(),
                 cv::INTER_LINEAR, cv::BORDER_REFLECT);
}

}  // namespace

std::string nameOf(Drawn drawn) {
  constexpr std::array<const char*, 12> kNames{
      "nothing", "moved",     "moved a little", "turned", "turned a little", "turned away",
      "covered", "defocused", "iced",           "frozen", "stuck",           "flapping"};
  return kNames[static_cast<std::size_t>(drawn)];
}

monitor::CameraFault faultOf(Drawn drawn, bool isNight) {
  using monitor::CameraFault;
  switch (drawn) {
    case Drawn::covered:
      return CameraFault::covered;
    case Drawn::defocused:
    case Drawn::iced:
      return CameraFault::blurred;
    case Drawn::frozen:
      return CameraFault::frozen;
    case Drawn::stuck:
      return isNight ? CameraFault::covered : CameraFault::exposure;
    case Drawn::flapping:
      return CameraFault::flapping;
    default:
      return CameraFault::moved;
  }
}

void Misfortune::blur(cv::Mat& picture, double deviation) {
  cv::GaussianBlur(picture, picture, {}, deviation, deviation, cv::BORDER_REPLICATE);
  cv::Mat noise(picture.size(), CV_16SC3);
  chance_.fill(noise, cv::RNG::NORMAL, cv::Scalar::all(0), cv::Scalar::all(2.5));
  cv::add(picture, noise, picture, cv::noArray(), CV_8U);
}

void Misfortune::change(cv::Mat& picture, double seconds) {
  const double width = picture.cols;
  const bool isNight = cv::mean(picture)[1] < 80;
  switch (drawn_) {
    case Drawn::nothing:
      return;
    case Drawn::moved:
      return move(picture, 0.05, 0.03, 0);
    case Drawn::movedALittle:
      return move(picture, 0.02, 0, 0);
    case Drawn::turned:
      return move(picture, 0, 0, 5);
    case Drawn::turnedALittle:
      return move(picture, 0, 0, -2);
    case Drawn::turnedAway:
      return cv::flip(picture, picture, 1);
    case Drawn::covered:
      picture = picture * 0.3 + cv::Scalar(20, 25, 30);
      return blur(picture, width / 12);
    case Drawn::defocused:
      return blur(picture, 3 * width / 640);
    case Drawn::iced:
      picture = picture * 0.5 + cv::mean(picture) * 0.6;
      return blur(picture, 2.5 * width / 640);
    case Drawn::frozen:
      last_.copyTo(picture);
      return cv::putText(picture, std::to_string(seconds), {8, picture.rows - 8},
                         cv::FONT_HERSHEY_PLAIN, 1, cv::Scalar::all(255));
    case Drawn::stuck:
      return picture.convertTo(picture, CV_8U, isNight ? 0.05 : 2.6);
    case Drawn::flapping:
      if (static_cast<int>(seconds / 3) % 2 == 0) return;
      cv::Mat grey;
      cv::cvtColor(picture, grey, cv::COLOR_BGR2GRAY);
      return cv::cvtColor(grey, picture, cv::COLOR_GRAY2BGR);
  }
}

void Misfortune::befall(cv::Mat& picture, double seconds) {
  if (seconds < from_) picture.copyTo(last_);
  if (seconds >= from_ && seconds < to_) change(picture, seconds);
}

}  // namespace mpm::test
