// SPDX-License-Identifier: Apache-2.0
// Clients that do not behave. Each bound of the server that is not httplib's own has a test here
// that fails without it.
#include <gtest/gtest.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "monitor/publish/http_server.h"
#include "monitor/publish/raw_socket.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kPictureBytes = 6 << 20;  // more than any socket's buffers hold
constexpr int kPatienceMs = 120000;

class HostileHttp : public testing::Test {
 protected:
  HostileHttp() { start(); }

  void start() {
    PageContent content;
    content.state = [] { return sampleState(); };
    content.picture = [](const std::string&) {
      return std::vector<unsigned char>(kPictureBytes, 0x5A);
    };
    HttpOptions options;
    options.port = 0;
    server_ = std::make_unique<HttpServer>(options, content);
  }

  std::vector<std::unique_ptr<RawSocket>> clients(int count) const {
    std::vector<std::unique_ptr<RawSocket>> made;
    for (int i = 0; i < count; ++i) made.push_back(std::make_unique<RawSocket>(server_->port()));
    return made;
  }

  httplib::Result get(const std::string& path, const httplib::Headers& headers = {}) const {
    httplib::Client client("127.0.0.1", server_->port());
    client.set_read_timeout(kPatienceMs / 1000);
    return client.Get(path, headers);
  }

  /// As Prometheus does: asks again where it was turned away.
  bool isAnswered() const {
    const auto until = SteadyClock::now() + std::chrono::milliseconds(kPatienceMs);
    while (SteadyClock::now() < until) {
      const auto answer = get("/metrics");
      if (answer && answer->status == 200) return true;
      std::this_thread::sleep_for(20ms);
    }
    return false;
  }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(HostileHttp, HundredsOfSilentClientsAreTurnedAwayAndForgotten) {
  const auto silent = clients(300);
  EXPECT_TRUE(isAnswered());
  EXPECT_LE(connectionFiles(server_->port()), 40);
  for (const auto& client : silent) {
    EXPECT_EQ(client->receiveAll(kPatienceMs), "");
    EXPECT_TRUE(client->isOver());
  }
}

TEST_F(HostileHttp, WhoSendsByteByByteIsEnded) {
  RawSocket client(server_->port());
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: " + std::string(1000, 'a');
  std::size_t sent = 0;
  while (sent < request.size() && !client.isOver()) {
    if (!client.send(request.substr(sent++, 1))) break;
    const std::string answer = client.receiveAll(50);
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 400")) << answer;
  }
  EXPECT_LT(sent, request.size());
}

TEST_F(HostileHttp, ARequestWithoutEndIsEnded) {
  for (const std::string& part : {std::string(4096, 'a'), std::string("X: y\r\n")}) {
    std::string block;
    while (block.size() < 65536) block += part;
    RawSocket client(server_->port());
    client.send("GET /metrics HTTP/1.1\r\nX: ");
    std::size_t blocks = 0;
    while (blocks < 2000 && client.send(block)) ++blocks;  // 125 MiB
    EXPECT_LT(blocks, 2000U);
  }
  EXPECT_TRUE(isAnswered());
}

TEST_F(HostileHttp, ABodyIsReadByNobody) {
  RawSocket client(server_->port());
  client.send("POST /metrics HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n");
  const std::string block(65536, 'x');
  std::size_t blocks = 0;
  while (blocks < 2000 && client.send(block)) ++blocks;
  EXPECT_LT(blocks, 2000U);
}

TEST_F(HostileHttp, ThousandsOfRangesGetTheWholePictureOnce) {
  std::string ranges = "bytes=0-";
  while (ranges.size() < 7000) ranges += ",0-";
  // A busy machine may need longer than the server waits.
  httplib::Result answer = get("/picture.jpg", {{"Range", ranges}});
  for (int again = 0; again < 20 && !answer; ++again) {
    answer = get("/picture.jpg", {{"Range", ranges}});
  }
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(answer->body, std::string(kPictureBytes, 0x5A));
}

TEST_F(HostileHttp, WhatBreaksTheFormatIsAnsweredOrEndedAndHurtsNobody) {
  const std::string many(3000, 'a');
  for (const std::string& request :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"),
        std::string("BREW /metrics HTTP/1.1\r\n\r\n"), std::string("GET /metrics HTTP/9.9\r\n\r\n"),
        std::string("get /metrics HTTP/1.1\r\n\r\n"), std::string("GET /%zz%0 HTTP/1.1\r\n\r\n"),
        "GET /" + many + many + " HTTP/1.1\r\n\r\n",
        std::string("\x16\x03\x01\x02\0\x01\r\n\r\n", 10),
        "GET / HTTP/1.1\r\nX: " + many + many + many + "\r\n\r\n",
        std::string("GET / HTTP/1.1\r\nRange: bytes=99999999999999999999-\r\n\r\n"),
        std::string("GET / HTTP/1.1\r\nHost: a\r\n folded\r\nno colon\r\n: none\r\n\r\n")}) {
    RawSocket client(server_->port());
    client.send(request);
    const std::string answer = client.receiveAll(kPatienceMs);
    EXPECT_TRUE(client.isOver()) << request.substr(0, 40);
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 ")) << answer.substr(0, 40);
    EXPECT_FALSE(answer.starts_with("HTTP/1.1 200")) << request.substr(0, 40);
  }
  EXPECT_TRUE(isAnswered());
}

TEST_F(HostileHttp, WhoReadsNothingIsEnded) {
  std::vector<std::unique_ptr<RawSocket>> hoarders;
  for (int i = 0; i < 40; ++i) {
    hoarders.push_back(std::make_unique<RawSocket>(server_->port(), 4096));
    hoarders.back()->send("GET /picture.jpg HTTP/1.1\r\n\r\n");
  }
  EXPECT_TRUE(isAnswered());
}

// A server that waited for them would take ten seconds each time, which is what a client has for
// reading its answer. A busy machine may take some once.
TEST_F(HostileHttp, TheServerEndsWhileClientsHang) {
  SteadyClock::duration shortest = 1h;
  for (int attempt = 0; attempt < 10 && shortest >= 5s; ++attempt) {
    if (!server_) start();
    const RawSocket silent(server_->port());
    RawSocket half(server_->port()), neverReads(server_->port(), 4096);
    half.send("GET /metrics HTTP/1.1\r\nHost:");
    neverReads.send("GET /picture.jpg HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(neverReads.hasBytes(kPatienceMs));
    const auto since = SteadyClock::now();
    server_.reset();
    shortest = std::min(shortest, SteadyClock::now() - since);
  }
  EXPECT_LT(shortest, 5s);
}

TEST_F(HostileHttp, AcceptingThatFailsIsBegunAgain) {
  const int file = listeningFile(server_->port());
  ASSERT_GE(file, 0);
  shutdown(file, SHUT_RDWR);
  EXPECT_TRUE(isAnswered());
}

TEST_F(HostileHttp, ABurstFindsRoomInTheBacklog) {
  tcp_info info{};
  socklen_t size = sizeof info;
  ASSERT_EQ(getsockopt(listeningFile(server_->port()), IPPROTO_TCP, TCP_INFO, &info, &size), 0);
  EXPECT_EQ(info.tcpi_sacked, 64U);  // of a socket that listens: its backlog
}

}  // namespace
}  // namespace mpm::monitor
