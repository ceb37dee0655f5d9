// SPDX-License-Identifier: Apache-2.0
#include "monitor/source/separate_reader.h"

#include <sys/wait.h>

#include <climits>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "monitor/process/program.h"
#include "monitor/source/guarded_reader.h"
#include "monitor/source/reader_process.h"
#include "monitor/source/separate_wire.h"

namespace mpm::monitor {
namespace {

std::string readerEnding(int status, const ReaderOptions& options) {
  if (status == 0) return "ended";
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
  if (code == kTookTooMuchMemory) {
    return cv::format("took more than %g MB of memory (--max-reader-mb allows more)",
                      options.mostMegabytes);
  }
  return code == kOfAnotherVersion
             ? "has a different version from this program; restart this program"
             : endingText(status);
}

class SeparateReader : public GuardedReader {
 public:
  SeparateReader(std::string program, const SourceAddress& address, const ReaderOptions& options,
                 std::shared_ptr<DeadlyPictures> deadly)
      : GuardedReader(address, options),
        program_(std::move(program)),
        process_(std::make_shared<ReaderProcess>()),
        deadly_(deadly ? std::move(deadly) : std::make_shared<DeadlyPictures>()) {}
  ~SeparateReader() override { process_->close(); }

  bool isLive() const override { return isLive_; }
  double paceMs() const override { return paceMs_; }
  std::function<void()> interruption() const override {
    return [process = process_] { process->end(); };
  }
  std::function<std::string()> decoding() const override {
    return [deadly = deadly_] { return deadly->tried(); };
  }

 protected:
  bool openSource() override {
    process_->start(program_);
    room_ = SharedPicture();
    ReaderCall call;
    call.kind = address().kind;
    call.options = options();
    const std::string addresses = address().text + '\0' + address().shown;
    if (!ask(call, addresses)) return false;
    isLive_ = answer_.isLive != 0;
    paceMs_ = answer_.paceMs;
    const auto positionMs = deadly_->takePosition();
    return !positionMs || seekSource(*positionMs);
  }

  ReadStatus readSource(Shot& shot) override {
    ReaderCall call;
    call.what = ReaderCall::read;
    if (!ask(call)) return ReadStatus::failed;
    if (answer_.said == ReaderAnswer::noRoom && !giveRoom(call)) return ReadStatus::failed;
    paceMs_ = answer_.paceMs;
    if (answer_.said == ReaderAnswer::ended) {
      tell(text_);
      return ReadStatus::ended;
    }
    if (answer_.said != ReaderAnswer::frame || answer_.picture != room_.size()) {
      return fail(address().shown + ": the reader sent an invalid answer");
    }
    shot.picture = room_.picture().clone();  // the next one is written over it
    if (answer_.hasPosition != 0) shot.positionMs = answer_.positionMs;
    return ReadStatus::frame;
  }

  bool seekSource(std::int64_t positionMs) override {
    ReaderCall call;
    call.what = ReaderCall::seek;
    call.positionMs = positionMs;
    return ask(call);
  }

 private:
  // The first frame, or one of another size.
  bool giveRoom(ReaderCall call) {
    const cv::Size size = answer_.picture;
    if (size.width <= 0 || size.height <= 0) return refuse(address().shown + " gives no picture");
    if (!fits(size)) return false;
    OwnDescriptor passed;
    room_ = SharedPicture::toRead(size, passed);
    call.room = size;
    return ask(call, "", passed.get());
  }

  // False: it failed, and that was told.
  bool ask(ReaderCall call, const std::string& text = "", int passed = -1) {
    call.layout = kWireLayout;
    OwnDescriptor none;
    const int socket = process_->socket();
    bool isHeard = send(socket, call, text, passed) && receive(socket, answer_, text_, none);
    std::optional<PictureFile> tried;
    while (isHeard && answer_.said == ReaderAnswer::tries) {
      tried = {text_.substr(0, NAME_MAX), answer_.written, answer_.positionMs};
      const bool isLeftOut = deadly_->isLeftOut(*tried);
      call.what = isLeftOut ? ReaderCall::leaveOut : ReaderCall::decode;
      if (!isLeftOut) deadly_->begin(*tried);
      isHeard = send(socket, call) && receive(socket, answer_, text_, none);
      deadly_->end();
    }
    if (!isHeard) return refuse(endingOf(tried));
    return answer_.said != ReaderAnswer::failed || refuse(text_);
  }

  std::string endingOf(const std::optional<PictureFile>& tried) {
    const std::string ending = "the process that reads " + address().shown + " " +
                               readerEnding(process_->close(), options());
    if (!tried) return ending;
    deadly_->note(*tried);
    return ending + " while it decoded " + tried->name +
           (deadly_->isLeftOut(*tried) ? DeadlyPictures::kLeftOut : "");
  }

  std::string program_;
  std::shared_ptr<ReaderProcess> process_;
  std::shared_ptr<DeadlyPictures> deadly_;
  SharedPicture room_;
  ReaderAnswer answer_;  // the newest
  std::string text_;     // and its text
  bool isLive_ = true;
  double paceMs_ = 0;
};

}  // namespace

bool isReadSeparately(SourceKind kind) { return kind != SourceKind::scene; }

std::unique_ptr<Reader> makeSeparateReader(const std::string& program, const SourceAddress& address,
                                           const ReaderOptions& options,
                                           std::shared_ptr<DeadlyPictures> deadly) {
  return std::make_unique<SeparateReader>(program, address, options, std::move(deadly));
}

}  // namespace mpm::monitor
