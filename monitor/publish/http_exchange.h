// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>
#include <string>

namespace mpm::monitor {

/// What all connections of a server know of each other.
struct HttpLoad {
  std::atomic<bool> stopping{false};
  std::atomic<int> waiting{0};  ///< connections that no thread has begun with
};

/// One request and its answer. What a client may make a thread wait for is bounded in all, however
/// slowly it sends or takes each byte, and tightly so while others wait. Between the two httplib
/// reads the request from memory and writes the answer into memory.
class HttpExchange final : public httplib::Stream {
 public:
  HttpExchange(int socket, const HttpLoad& load) : socket_(socket), load_(load) {}

  /// Takes in a request up to its empty line. False: it did not come, or what came is too long;
  /// then there is nothing to answer, or the answer is already there.
  bool receive();
  /// Sends what was written, and waits a moment for the client to take it.
  void send();

  // Of httplib::Stream, which has some of these in later versions only.
  bool is_readable() const { return true; }
  bool is_writable() const { return true; }
  bool wait_readable() const { return true; }
  bool wait_writable() const { return true; }
  ssize_t read(char* data, size_t size);
  ssize_t write(const char* data, size_t size);
  void get_remote_ip_and_port(std::string&, int&) const {}
  void get_local_ip_and_port(std::string&, int&) const {}
  socket_t socket() const { return 0; }  // of memory; httplib refuses numbers from FD_SETSIZE on
  time_t duration() const { return 0; }

 private:
  using Clock = std::chrono::steady_clock;
  bool wait(short events, Clock::time_point since, int patienceMs, int patienceWhileOthersWaitMs);
  void keepWhatMatters();

  int socket_;
  const HttpLoad& load_;
  std::string request_, answer_;
  std::size_t read_ = 0;
};

}  // namespace mpm::monitor
