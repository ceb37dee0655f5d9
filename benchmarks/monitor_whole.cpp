// SPDX-License-Identifier: Apache-2.0
#include "monitor_whole.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "monitor/service/session.h"

namespace mpm::bench {
namespace {

using namespace mpm::monitor;

// One page, read to its end; how many bytes.
std::size_t ask(int port, const std::string& path) {
  const int file = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  std::size_t size = 0;
  const std::string question =
      "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
  if (connect(file, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      send(file, question.data(), question.size(), MSG_NOSIGNAL) > 0) {
    std::array<char, 65536> part;
    for (ssize_t got = 0; (got = recv(file, part.data(), part.size(), 0)) > 0;) {
      size += static_cast<std::size_t>(got);
    }
  }
  close(file);
  if (size == 0) throw std::runtime_error("the monitor's HTTP server does not answer");
  return size;
}

PreparedSession preparedFor(const Street& street, std::atomic<double>& cameraCpu,
                            const std::string& folder) {
  PreparedSession prepared;
  SessionOptions& options = prepared.options;
  options.model = "street.onnx";
  options.record = folder + "/street.sqlite";
  options.http.emplace().port = 0;
  NamedSource source;
  source.name = "street";
  source.address.text = source.address.shown = "drawn";
  source.book = streetRules();
  options.engine.sources = {source};
  options.engine.makeReader = [&](const NamedSource&) {
    return std::make_unique<StreetReader>(street, cameraCpu);
  };
  prepared.network = std::make_unique<StreetNetwork>(street);
  prepared.modelHash = "0";
  return prepared;
}

}  // namespace

MonitorCost runMonitor(const Street& street, double seconds, const std::string& folder) {
  std::atomic<double> cameraCpu{0};
  const Session session(preparedFor(street, cameraCpu, folder));
  const Engine& engine = *session.engine();

  std::this_thread::sleep_for(std::chrono::seconds(2));  // what only a beginning costs
  MonitorCost cost;
  const auto begun = std::chrono::steady_clock::now();
  const auto gone = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
  };
  const double allBefore = processCpu(), cameraBefore = cameraCpu, askerBefore = threadCpu();
  const std::uint64_t framesBefore = engine.frames(0);
  for (int asked = 1; gone() < seconds; ++asked) {
    ask(session.httpPort(), "/metrics");
    std::this_thread::sleep_until(begun + std::chrono::seconds(asked));
  }
  cost.all = processCpu() - allBefore;
  cost.camera = cameraCpu - cameraBefore;
  cost.asker = threadCpu() - askerBefore;
  cost.seconds = gone();
  cost.frames = engine.frames(0) - framesBefore;
  if (!session.recordFault().empty()) throw std::runtime_error(session.recordFault());
  return cost;
}

}  // namespace mpm::bench
