// SPDX-License-Identifier: Apache-2.0
#include "mpm/teach.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <opencv2/imgproc.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "evaluate/confusion.h"
#include "evaluate/truth.h"
#include "files/text.h"
#include "processor/pool.h"
#include "segment/edge.h"
#include "segment/labels.h"
#include "segment/model_metadata.h"
#include "teach/backbone.h"
#include "teach/judge.h"
#include "teach/kept.h"
#include "teach/kept_features.h"
#include "teach/places.h"

namespace mpm {
namespace {

using evaluate::Confusion;
using teach::Manner;

constexpr int kMostDepths = 4;
constexpr int kSteps = 100;
constexpr double kTolerance = 1e-4;
constexpr Manner kUsual{.idle = teach::kPlaceTerms};
constexpr double kDecays[] = {1, 0.1, 0.01}, kBalances[] = {0.25, 0};
constexpr std::size_t kTries = std::size(kDecays) + std::size(kBalances) + 1;
// Minimum gain in mean IoU for a head that knows places, which binds it to one view. The same gain
// is needed to read several depths, which takes longer.
constexpr double kLeastGain = 0.02;
// Weight of a pixel in a frame with merged tokens, against an unmerged one; see docs/teach.md.
constexpr float kMergedPixel = 0.5F;

std::string sizeText(const cv::Mat& picture) {
  return std::to_string(picture.cols) + " x " + std::to_string(picture.rows);
}

// Returns the options, or throws std::invalid_argument.
const TeachOptions& checked(const TeachOptions& options) {
  const std::size_t count = options.classes.size();
  if (count < 2 || count > kUnpainted) {
    throw std::invalid_argument(std::to_string(count) +
                                " classes: expected the names of 2 to 255 of them");
  }
  for (const std::string& name : options.classes) {
    if (name.empty() || name.find('\n') != name.npos)
      throw std::invalid_argument("a class name is empty or spans several lines");
    if (std::count(options.classes.begin(), options.classes.end(), name) > 1)
      throw std::invalid_argument("two classes are called " + name);
  }
  if (options.depths < 0 || options.depths > kMostDepths) {
    throw std::invalid_argument("depths = " + std::to_string(options.depths) + "; expected 1 to " +
                                std::to_string(kMostDepths) + ", or 0 to choose");
  }
  if (!options.palette.empty() && options.palette.size() != count) {
    throw std::invalid_argument(std::to_string(options.palette.size()) + " colours for " +
                                std::to_string(count) + " classes; give one for each");
  }
  return options;
}

std::string lines(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "\n") + word;
  return text;
}

std::string_view bytesOf(const cv::Mat& picture) {  // one piece of memory
  return {reinterpret_cast<const char*>(picture.data), picture.total() * picture.elemSize()};
}

std::string paletteText(const std::vector<cv::Vec3b>& palette) {
  std::vector<std::string> words;
  for (const cv::Vec3b& colour : palette)
    words.push_back(cv::format("#%02x%02x%02x", colour[2], colour[1], colour[0]));
  return lines(words);
}

// Returns the first columns of features, and places, which are the last ones.
cv::Mat ofDepths(const cv::Mat& features, int columns) {
  const int places = features.cols - teach::kPlaceTerms;
  if (columns == places) return features;
  cv::Mat some;
  cv::hconcat(features.colRange(0, columns), features.colRange(places, features.cols), some);
  return some;
}

// Training data: scaled features of the first depths, and of places.
struct Course {
  Course(const std::vector<teach::Judged>& allFrames, const std::vector<teach::Example>& allMerged,
         int columns)
      : frames(allFrames), merged(allMerged) {
    const auto take = [&](teach::Example& example) {
      example.features = ofDepths(example.features, columns);
      examples.push_back(&example);
    };
    for (teach::Judged& frame : frames) take(frame.example);
    for (teach::Example& example : merged) take(example);
    curvature.emplace(examples);
  }
  Course(const Course&) = delete;
  Course& operator=(const Course&) = delete;

  std::vector<teach::Judged> frames;
  std::vector<teach::Example> merged;
  teach::Examples examples;  // all of them
  std::optional<teach::Curvature> curvature;
  std::optional<teach::CrossValidation> validation;  // nothing where there is nothing to judge
};

// A way to train, and its results on held-out frames.
struct Choice {
  Lesson lesson;
  Manner manner = kUsual;
  std::optional<double> usuallySure{};
  std::optional<Confusion> confusion{};
};

}  // namespace

class Teacher::Impl {
 public:
  Impl(const std::string& backbone, const TeachOptions& options)
      : options_(checked(options)),
        backbone_(backbone, options.read, options.depths == 0 ? kMostDepths : options.depths),
        kept_(options.keep),
        features_(backbone_, kept_, backbone, options.read) {
    if (options_.palette.empty())
      options_.palette = segment::distinctColours(options_.classes.size());
  }

  void add(const cv::Mat& frame, const cv::Mat& labels);
  Lesson teach();
  double doubt(const cv::Mat& frame);
  cv::Mat labels(const cv::Mat& frame, double least);
  void write(const std::string& path) const;

 private:
  int classes() const { return static_cast<int>(options_.classes.size()); }
  std::size_t parts() const { return teach::partsOf(frames_.size()); }
  void checkUntaught() const {
    if (isTaught_) throw std::logic_error("it is taught; another Teacher learns from more frames");
  }
  void checkPainting(const cv::Mat& frame, const cv::Mat& labels) const;
  int columnsOf(int depths) const;
  std::string keyOf(int depths) const;
  bool gains(const Manner& manner, double gain);
  void take(int depths);
  void begin(const Lesson& painted, int depths);
  void chooseManner();
  void choose(const Lesson& painted);
  teach::Scaling scaleAll();
  teach::Head learn();
  void tell(double heads) const;
  cv::Mat scoresOf(const cv::Mat& features) const {
    const cv::Mat taken = features.colRange(0, head_->weights.rows - teach::kPlaceTerms);
    return head_->scores(teach::withPlaces(taken, backbone_.grid()));
  }

  TeachOptions options_;
  teach::Backbone backbone_;
  teach::Kept kept_;
  teach::KeptFeatures features_;
  cv::Size frameSize_;
  std::vector<teach::Judged> frames_;
  std::vector<teach::Example> merged_;  // the same frames with merged tokens; none where none merge
  std::string key_;                     // what all of them follow from
  int known_ = 0;                       // those whose features were kept
  std::optional<teach::Head> head_;
  bool isTaught_ = false;
  std::optional<Course> course_;  // that is being learned
  Choice choice_;
  double done_ = 0, heads_ = 0;  // that were learned, of so many: each counts as its depths
};

void Teacher::Impl::checkPainting(const cv::Mat& frame, const cv::Mat& labels) const {
  segment::checkFrame(frame);
  if (frameSize_.area() > 0 && frame.size() != frameSize_) {
    throw std::invalid_argument("the frame is " + sizeText(frame) + ", and those before it are " +
                                std::to_string(frameSize_.width) + " x " +
                                std::to_string(frameSize_.height) +
                                "; frames of one camera have one size");
  }
  if (labels.type() != CV_8UC1 && labels.type() != CV_16UC1) {
    throw std::invalid_argument("the painting is of type " + cv::typeToString(labels.type()) +
                                "; expected numbers of classes, CV_8UC1 or CV_16UC1");
  }
  if (labels.size() != frame.size()) {
    throw std::invalid_argument("the painting is " + sizeText(labels) + ", and its frame " +
                                sizeText(frame) + "; they must be the same size");
  }
}

void Teacher::Impl::add(const cv::Mat& frame, const cv::Mat& labels) {
  checkUntaught();
  checkPainting(frame, labels);
  cv::Mat truth;
  labels.convertTo(truth, CV_16U);
  truth.setTo(evaluate::LabelRule::kIgnored, truth == kUnpainted);
  cv::Mat isOther = truth >= classes();
  isOther.setTo(0, truth == evaluate::LabelRule::kIgnored);
  if (cv::countNonZero(isOther) > 0) {
    double other = 0;
    cv::minMaxLoc(truth, nullptr, &other, nullptr, nullptr, isOther);
    throw std::invalid_argument(
        "the painting has number " + std::to_string(static_cast<int>(other)) + ", and there are " +
        std::to_string(classes()) + " classes, from 0 on; unpainted is 255");
  }
  teach::Judged judged;
  judged.example.painting = teach::paintingOf(truth, backbone_.grid(), classes());
  frameSize_ = frame.size();
  if (judged.example.painting.cells.empty()) return;
  const std::string key = features_.keyOf(frame);
  const int before = features_.computed();
  judged.example.features = teach::withPlaces(features_.features(frame, key), backbone_.grid());
  const cv::Mat merged = features_.mergedFeatures(frame, key);
  known_ += features_.computed() == before;
  key_ = teach::keyOf({key_, key, std::to_string(classes()), bytesOf(truth)});
  if (!merged.empty()) {
    merged_.push_back({teach::withPlaces(merged, backbone_.grid()), judged.example.painting});
    for (teach::Share& share : merged_.back().painting.shares) share.pixels *= kMergedPixel;
  }
  judged.truth = truth;
  // Judging at more pixels than the model sees would cost much and gain nothing.
  if (truth.total() > static_cast<std::size_t>(backbone_.input().area()))
    cv::resize(truth, judged.truth, backbone_.input(), 0, 0, cv::INTER_NEAREST);
  frames_.push_back(std::move(judged));
}

// Reports that `heads` more heads are done than done_.
void Teacher::Impl::tell(double heads) const {
  if (options_.progress && !options_.progress((done_ + heads) / heads_)) throw TeachStopped();
}

int Teacher::Impl::columnsOf(int depths) const {
  const int all = frames_.front().example.features.cols - teach::kPlaceTerms;
  return all / backbone_.depths() * depths;
}

std::string Teacher::Impl::keyOf(int depths) const {
  return depths == 1 ? key_ : teach::keyOf({key_, "depths", std::to_string(depths)});
}

// Chooses this manner if a head trained in it gains more than `gain` in mean IoU; tells whether.
bool Teacher::Impl::gains(const Manner& manner, double gain) {
  const int depths = choice_.lesson.depths;
  const teach::Judgement judgement =
      course_->validation->judge(manner, [&](double heads) { tell(heads * depths); });
  done_ += static_cast<double>(parts()) * depths;
  const std::vector<double> iou = course_->validation->iouOf(judgement.confusion);
  const double mean = evaluate::meanOf(iou);
  Lesson& lesson = choice_.lesson;
  if (choice_.confusion && !(mean > lesson.meanIou + gain)) return false;
  choice_.confusion = judgement.confusion;
  choice_.usuallySure = teach::usuallySure(judgement.sure);
  choice_.manner = manner;
  lesson.meanIou = mean;
  lesson.pixelAccuracy = evaluate::qualityOf(judgement.confusion).pixelAccuracy;
  for (std::size_t k = 0; k < iou.size(); ++k) lesson.classes[k].iou = iou[k];
  return true;
}

// Prepares the tokens of as many depths.
void Teacher::Impl::take(int depths) {
  course_.reset();  // before there is another, since it may be large
  course_.emplace(frames_, merged_, columnsOf(depths));
}

// Prepares the tokens of as many depths, with nothing chosen yet. Several depths say much the same,
// so the decay grows with them and holds each weight as it would with one.
void Teacher::Impl::begin(const Lesson& painted, int depths) {
  take(depths);
  choice_ = {painted};
  choice_.lesson.depths = depths;
  choice_.manner.decay *= depths;
  if (parts() == 0) return;
  course_->validation.emplace(course_->frames, backbone_.grid(), classes(), *course_->curvature,
                              kept_, keyOf(depths));
}

// Chooses the decay of weights, then the balance of rare classes, then whether places count. Where
// less decay or balance gains nothing, still less is not tried.
void Teacher::Impl::chooseManner() {
  if (parts() == 0) return;
  const int depths = choice_.lesson.depths;
  for (const double decay : kDecays)
    if (!gains({decay * depths, kUsual.balance, kUsual.idle}, 0)) break;
  for (const double balance : kBalances)
    if (!gains({choice_.manner.decay, balance, kUsual.idle}, 0)) break;
  gains({choice_.manner.decay, choice_.manner.balance}, kLeastGain);
}

// Tries several depths in the manner that suits one best, unless options set their number. Takes
// them if they gain more than kLeastGain.
void Teacher::Impl::choose(const Lesson& painted) {
  const int most = backbone_.depths();
  const bool isOpen = options_.depths == 0 && most > 1;
  const auto part = static_cast<double>(parts()), tries = part * kTries;
  done_ = 0;
  heads_ = isOpen ? tries + most * (part + tries + 1) : most * (tries + 1);
  begin(painted, isOpen ? 1 : most);
  chooseManner();
  if (!isOpen || parts() == 0) return;
  const Choice one = choice_;
  begin(painted, most);
  Manner manner = one.manner;
  manner.decay *= most;
  gains(manner, 0);
  if (choice_.lesson.meanIou > one.lesson.meanIou + kLeastGain) return chooseManner();
  choice_ = one;
  take(1);
}

// Scales in place, so that nothing is held twice.
teach::Scaling Teacher::Impl::scaleAll() {
  std::vector<teach::Example> all = merged_;
  for (const teach::Judged& frame : frames_) all.push_back(frame.example);
  const teach::Scaling scaling = teach::scalingOf(all);
  for (teach::Example& example : all) scaling.apply(example.features);
  return scaling;
}

Lesson Teacher::Impl::teach() {
  checkUntaught();
  Lesson lesson = teach::lessonOf(options_.classes, frames_);
  lesson.kept = known_;
  lesson.meanIou = lesson.pixelAccuracy = std::numeric_limits<double>::quiet_NaN();
  const auto painted = std::count_if(lesson.classes.begin(), lesson.classes.end(),
                                     [](const TaughtClass& each) { return each.frames > 0; });
  if (painted == 0) throw std::runtime_error("nothing is painted on any of the frames");
  if (painted == 1)
    throw std::runtime_error("only one class is painted, so there is nothing to tell apart");
  isTaught_ = true;
  teach::Scaling scaling = scaleAll();
  choose(lesson);
  teach::advise(choice_.confusion, choice_.lesson);
  const int columns = columnsOf(choice_.lesson.depths);
  scaling = {ofDepths(scaling.mean, columns), ofDepths(scaling.factor, columns)};
  heads_ = done_ + choice_.lesson.depths;
  head_ = scaling.undone(learn());
  tell(choice_.lesson.depths);
  course_.reset();
  frames_.clear();
  merged_.clear();
  choice_.lesson.decay = choice_.manner.decay;
  choice_.lesson.balance = choice_.manner.balance;
  choice_.lesson.knowsPlaces = choice_.manner.idle == 0;
  return choice_.lesson;
}

teach::Head Teacher::Impl::learn() {
  const int depths = choice_.lesson.depths;
  const teach::Loss loss(course_->examples, classes(), choice_.manner);
  std::vector<double> x(loss.size(), 0);
  const std::string key = teach::keyOf({keyOf(depths), "learned", teach::bytesOf(choice_.manner)});
  const auto bytes = kept_.find(key);
  if (bytes && bytes->size() == x.size() * sizeof(double)) {
    std::string_view from = *bytes;
    teach::unpack(from, x.data(), x.size());
    return loss.headOf(x);
  }
  int tried = 0;
  const auto objective = [&](const auto& at, auto& gradient) {
    tell(depths * std::min(1.0, static_cast<double>(tried++) / kSteps));
    return loss.at(at, gradient);
  };
  x = teach::minimise(objective, std::move(x), kSteps, kTolerance,
                      course_->curvature->preconditionerOf(choice_.manner))
          .x;
  std::string value;
  teach::pack(value, x.data(), x.size());
  kept_.put(key, value);
  return loss.headOf(x);
}

double Teacher::Impl::doubt(const cv::Mat& frame) {
  if (!head_) throw std::logic_error("nothing was taught yet");
  const cv::Mat scores = scoresOf(features_.features(frame, features_.keyOf(frame)));
  double sure = 0;
  for (int place = 0; place < scores.rows; ++place) {
    const cv::Mat row = scores.row(place);
    double best = 0;
    cv::minMaxLoc(row, nullptr, &best);
    double sum = 0;
    for (int k = 0; k < row.cols; ++k)
      sum += std::exp(static_cast<double>(row.at<float>(k)) - best);
    sure += 1 / sum;
  }
  return 1 - sure / scores.rows;
}

cv::Mat Teacher::Impl::labels(const cv::Mat& frame, double least) {
  if (!head_) throw std::logic_error("nothing was taught yet");
  const cv::Mat rows = scoresOf(backbone_.features(frame));
  segment::Scores scores;
  scores.classes = classes();
  scores.gridWidth = backbone_.grid().width;
  scores.gridHeight = backbone_.grid().height;
  scores.across = {{0, static_cast<double>(frame.cols)}};
  scores.down = {{0, static_cast<double>(frame.rows)}};
  scores.grids = {{rows.ptr<float>(), segment::ScoreGrid::Layout::rows, nullptr}};
  cv::Mat found(frame.size(), CV_8U);
  segment::LabelImage image{frame.cols, frame.rows};
  image.labels8 = found.ptr<std::uint8_t>();
  cv::Mat sure;
  if (least > 0) {
    sure.create(frame.size(), CV_32F);
    image.confidence = sure.ptr<float>();
  }
  segment::Labeller().label(scores, image);
  if (least > 0) found.setTo(kUnpainted, sure < least);
  return found;
}

void Teacher::Impl::write(const std::string& path) const {
  if (!head_) throw std::logic_error("nothing was taught yet");
  std::string taught =
      std::to_string(choice_.lesson.frames) + (choice_.lesson.frames == 1 ? " frame" : " frames");
  if (!std::isnan(choice_.lesson.meanIou))
    taught +=
        ", mIoU " + files::fixedText(100 * choice_.lesson.meanIou, 1) + "% on held-out frames";
  if (choice_.lesson.depths > 1)
    taught += "; of " + std::to_string(choice_.lesson.depths) + " depths";
  if (choice_.lesson.knowsPlaces) taught += "; of this view alone";
  // The backbone's own value belongs to another head, on other pictures.
  const std::string sure = choice_.usuallySure ? files::fixedText(*choice_.usuallySure, 4) : "";
  backbone_.write(path, *head_,
                  {{"mpm.classes", lines(options_.classes)},
                   {"mpm.palette", paletteText(options_.palette)},
                   {"mpm.taught", taught},
                   {"mpm.confidence", sure}});
}

// Works in separate threads of the caller's priority, since a live view may go on next to it.
Teacher::Teacher(const std::string& backbone, const TeachOptions& options)
    : impl_([&] {
        const processor::Aside aside;
        return std::make_unique<Impl>(backbone, options);
      }()) {}
Teacher::Teacher(Teacher&&) noexcept = default;
Teacher& Teacher::operator=(Teacher&&) noexcept = default;
Teacher::~Teacher() = default;

void Teacher::add(const cv::Mat& frame, const cv::Mat& labels) {
  const processor::Aside aside;
  impl_->add(frame, labels);
}
Lesson Teacher::teach() {
  const processor::Aside aside;
  return impl_->teach();
}
double Teacher::doubt(const cv::Mat& frame) {
  const processor::Aside aside;
  return impl_->doubt(frame);
}
cv::Mat Teacher::labels(const cv::Mat& frame, double least) {
  const processor::Aside aside;
  return impl_->labels(frame, least);
}
void Teacher::write(const std::string& path) const { impl_->write(path); }

}  // namespace mpm
