// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace mpm::monitor {

class SilentServer;

/// A connection to a port of this machine, for clients and servers that do not behave.
class RawSocket {
 public:
  explicit RawSocket(int port, int receiveBuffer = 0);  ///< std::runtime_error: nobody listens
  explicit RawSocket(const SilentServer& server);       ///< waits for a client of it
  ~RawSocket();
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  bool send(const std::string& text);  ///< false: the other end is gone
  /// Everything up to the other end's end, for at most so long.
  std::string receiveAll(int patienceMs);
  bool hasBytes(int patienceMs) const;     ///< whether anything to receive came so soon
  bool isOver() const { return isOver_; }  ///< whether the other end ended

 private:
  int file_ = -1;
  bool isOver_ = false;
};

/// Listens on a port of its own, and never says a word.
class SilentServer {
 public:
  SilentServer();
  ~SilentServer();
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  int port() const;

 private:
  friend class RawSocket;
  int file_ = -1;
};

/// A port of 127.0.0.1 where nobody listens. The system gives it to no other while this lives, and
/// a server that is told of it, and sets SO_REUSEADDR as servers do, may listen there.
class HeldPort {
 public:
  HeldPort();
  ~HeldPort();
  HeldPort(const HeldPort&) = delete;
  HeldPort& operator=(const HeldPort&) = delete;
  int port() const;

 private:
  int file_ = -1;
};

bool isListening(int port);

/// From now on accept() fails for whoever listens there in this process; false: nobody does.
bool breakListening(int port);

/// How many files of this process are connections that were accepted there.
int connectionFiles(int port);

}  // namespace mpm::monitor
