// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace mpm::gui {

/// Writes paintings in a thread of its own, one after the other, the newest of each frame: a disk
/// that is slow holds no stroke up.
class PaintWriter : public QObject {
  Q_OBJECT

 public:
  using Write = std::function<void()>;  ///< throws what went wrong

  explicit PaintWriter(QObject* parent = nullptr) : QObject(parent) {
    thread_.setMaxThreadCount(1);
  }
  ~PaintWriter() override { thread_.waitForDone(); }

  /// `written` follows; what waits for the same frame is dropped.
  void put(const QString& name, Write write) {
    {
      const std::lock_guard lock(mutex_);
      waiting_[name] = std::move(write);
    }
    thread_.start([this] { writeNext(); });
  }

  /// Everything that was put is written or refused, and told.
  void finish() {
    thread_.waitForDone();
    tell();
  }

 signals:
  void written(const QString& name, const QString& fault);  ///< empty: it is

 private:
  void writeNext() {
    std::unique_lock lock(mutex_);
    if (waiting_.empty()) return;  // a later one has taken its place, and was written
    const auto next = waiting_.extract(waiting_.begin());
    lock.unlock();
    QString fault;
    try {
      next.mapped()();
    } catch (const std::exception& failure) {
      fault = QString::fromUtf8(failure.what());
    }
    lock.lock();
    ended_.emplace_back(next.key(), fault);
    lock.unlock();
    QMetaObject::invokeMethod(this, &PaintWriter::tell, Qt::QueuedConnection);
  }

  void tell() {
    std::vector<std::pair<QString, QString>> ended;
    {
      const std::lock_guard lock(mutex_);
      ended.swap(ended_);
    }
    for (const auto& [name, fault] : ended) emit written(name, fault);
  }

  QThreadPool thread_;
  std::mutex mutex_;
  std::map<QString, Write> waiting_;
  std::vector<std::pair<QString, QString>> ended_;  // of which nobody was told yet
};

}  // namespace mpm::gui
