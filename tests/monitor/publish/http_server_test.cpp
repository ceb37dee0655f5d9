// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_server.h"

#include <gtest/gtest.h>
#include <httplib.h>
#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "monitor/publish/raw_socket.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kPictureBytes = 16 << 20;  // more than any socket's buffers hold

HttpServer::Content sampleContent() {
  HttpServer::Content content;
  content.state = [] { return sampleState(); };
  content.picture = [](const std::string&) {
    return std::vector<unsigned char>(kPictureBytes, 0x5A);
  };
  return content;
}

HttpOptions anyPort(const std::string& token = "") {
  HttpOptions options;
  options.port = 0;
  options.token = token;
  return options;
}

std::string refusal(const HttpOptions& options) {
  try {
    const HttpServer server(options, sampleContent());
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(HttpServer, EveryPathIsServed) {
  const HttpServer server(anyPort(), sampleContent());
  ASSERT_GT(server.port(), 0);
  httplib::Client client("127.0.0.1", server.port());
  const auto metrics = client.Get("/metrics");
  ASSERT_TRUE(metrics);
  EXPECT_EQ(metrics->status, 200);
  EXPECT_EQ(metrics->get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(metrics->get_header_value("Connection"), "close");
  EXPECT_NE(metrics->body.find("mpm_up_seconds 86400.5\n"), std::string::npos);
  const auto health = client.Get("/healthz");
  ASSERT_TRUE(health);
  EXPECT_EQ(health->body, "north: ok\nrecord: ok\n");
  const auto picture = client.Get("/picture/north.jpg");
  ASSERT_TRUE(picture);
  EXPECT_EQ(picture->get_header_value("Content-Type"), "image/jpeg");
  EXPECT_EQ(picture->body, std::string(kPictureBytes, 0x5A));
  const auto index = client.Get("/");
  ASSERT_TRUE(index);
  EXPECT_NE(index->body.find("<!DOCTYPE html>"), std::string::npos);
  EXPECT_NE(index->get_header_value("Content-Security-Policy"), "");
  const auto nothing = client.Get("/nothing");
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->status, 404);
}

TEST(HttpServer, TheTokenComesInAHeaderOrAQuery) {
  const HttpServer server(anyPort("a+b/c=&%"), sampleContent());
  httplib::Client client("127.0.0.1", server.port());
  const auto status = [&](const std::string& path, const httplib::Headers& headers) {
    const auto answer = client.Get(path, headers);
    return answer ? answer->status : 0;
  };
  EXPECT_EQ(status("/metrics", {}), 401);
  EXPECT_EQ(status("/metrics?token=a+b", {}), 401);
  EXPECT_EQ(status("/metrics", {{"Authorization", "Bearer a+b/c=&"}}), 401);
  EXPECT_EQ(status("/metrics", {{"Authorization", "Bearer a+b/c=&%"}}), 200);
  EXPECT_EQ(status("/metrics?token=a%2Bb%2Fc%3D%26%25", {}), 200);
  EXPECT_EQ(status("/metrics?at=1&token=a%2Bb%2Fc%3D%26%25", {}), 200);
}

TEST(HttpServer, OtherMethodsAndBodiesAreRefusedAndReadByNobody) {
  const HttpServer server(anyPort(), sampleContent());
  httplib::Client client("127.0.0.1", server.port());
  const auto posted = client.Post("/metrics", std::string(100000, 'x'), "text/plain");
  ASSERT_TRUE(posted);
  EXPECT_EQ(posted->status, 405);
  const auto head = client.Head("/metrics");
  ASSERT_TRUE(head);
  EXPECT_EQ(head->status, 405);
}

TEST(HttpServer, WhatBreaksTheFormatIsAnsweredOrEndedAndHurtsNobody) {
  const HttpServer server(anyPort(), sampleContent());
  const std::string many(3000, 'a');
  for (const std::string& request :
       {std::string("\r\n\r\n"), std::string("GET\r\n\r\n"),
        std::string("BREW /metrics HTTP/1.1\r\n\r\n"), std::string("GET /metrics HTTP/9.9\r\n\r\n"),
        std::string("GET /%zz%0 HTTP/1.1\r\n\r\n"), "GET /" + many + many + " HTTP/1.1\r\n\r\n",
        std::string("\x16\x03\x01\x02\0\x01\r\n\r\n", 10),
        "GET / HTTP/1.1\r\nX: " + many + many + many + "\r\n\r\n",
        std::string("GET / HTTP/1.1\r\nHost: a\r\n folded\r\nno colon\r\n: none\r\n\r\n")}) {
    RawSocket client(server.port());
    client.send(request);
    const std::string answer = client.receiveAll(20000);
    EXPECT_TRUE(client.isOver()) << request.substr(0, 40);
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 ")) << answer.substr(0, 40);
    EXPECT_FALSE(answer.starts_with("HTTP/1.1 200")) << request.substr(0, 40);
  }
  httplib::Client client("127.0.0.1", server.port());
  EXPECT_TRUE(client.Get("/healthz"));
}

TEST(HttpServer, RangesGetTheWholePicture) {
  const HttpServer server(anyPort(), sampleContent());
  httplib::Client client("127.0.0.1", server.port());
  const auto answer = client.Get("/metrics", {{"Range", "bytes=0-1,0-1,0-1"}});
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST(HttpServer, WhatCannotBeListenedOnIsRefusedInASentence) {
  HttpOptions options = anyPort();
  for (const std::string address : {"0.0.0.0", "::", "192.0.2.1", "camera.example"}) {
    options.address = address;
    EXPECT_NE(refusal(options).find("needs a token"), std::string::npos) << address;
  }
  options.address = "";
  EXPECT_NE(refusal(options).find("needs an address"), std::string::npos);
  options.address = "127.0.0.1";
  options.port = 70000;
  EXPECT_NE(refusal(options).find("1 to 65535"), std::string::npos);
  options.port = 0;
  options.token = "two words";
  EXPECT_NE(refusal(options).find("printable ASCII"), std::string::npos);
  options.token = "s3cret";
  options.address = "192.0.2.1";  // of nobody
  EXPECT_NE(refusal(options).find("cannot listen on 192.0.2.1"), std::string::npos);
  EXPECT_EQ(refusal(options).find("s3cret"), std::string::npos);
}

TEST(HttpServer, APortThatIsTakenIsRefused) {
  const HttpServer first(anyPort(), sampleContent());
  HttpOptions options = anyPort();
  options.port = first.port();
  EXPECT_NE(refusal(options).find("in use"), std::string::npos) << refusal(options);
}

TEST(HttpServer, TheSamePortCanBeHadAgainAtOnce) {
  HttpOptions options = anyPort();
  {
    const HttpServer server(options, sampleContent());
    options.port = server.port();
    EXPECT_TRUE(httplib::Client("127.0.0.1", options.port).Get("/healthz"));
  }
  EXPECT_EQ(refusal(options), "");
}

TEST(HttpServer, LocalhostAndOtherAddressesOfThisMachineNeedNoToken) {
  for (const std::string address : {"localhost", "127.0.0.5"}) {
    HttpOptions options = anyPort();
    options.address = address;
    const HttpServer server(options, sampleContent());
    EXPECT_TRUE(httplib::Client(address, server.port()).Get("/healthz")) << address;
  }
}

TEST(HttpServer, SilentClientsDoNotKeepOthersOut) {
  const HttpServer server(anyPort(), sampleContent());
  std::vector<std::unique_ptr<RawSocket>> silent;
  for (int i = 0; i < 30; ++i) silent.push_back(std::make_unique<RawSocket>(server.port()));
  httplib::Client client("127.0.0.1", server.port());
  client.set_read_timeout(60);
  const auto answer = client.Get("/healthz");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
}

TEST(HttpServer, AFloodIsTurnedAwayAndForgotten) {
  const HttpServer server(anyPort(), sampleContent());
  {
    std::vector<std::unique_ptr<RawSocket>> flood;
    for (int i = 0; i < 62; ++i) flood.push_back(std::make_unique<RawSocket>(server.port()));
    flood.back()->receiveAll(20000);
    EXPECT_TRUE(flood.back()->isOver());
  }
  for (int i = 0; i < 100; ++i) {
    httplib::Client client("127.0.0.1", server.port());
    if (client.Get("/healthz")) return;
    std::this_thread::sleep_for(50ms);
  }
  FAIL() << "the server did not recover";
}

TEST(HttpServer, AClientThatSendsByteByByteIsEnded) {
  const HttpServer server(anyPort(), sampleContent());
  RawSocket client(server.port());
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: " + std::string(1000, 'a');
  std::size_t sent = 0;
  const auto since = SteadyClock::now();
  while (sent < request.size() && !client.isOver() && SteadyClock::now() - since < 30s) {
    if (!client.send(request.substr(sent++, 1))) break;
    const std::string answer = client.receiveAll(50);
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 408")) << answer;
  }
  EXPECT_LT(sent, request.size());
}

TEST(HttpServer, EndsInTimeWhileClientsHang) {
  auto server = std::make_unique<HttpServer>(anyPort(), sampleContent());
  const RawSocket silent(server->port());
  RawSocket half(server->port()), neverReads(server->port(), 4096);
  half.send("GET /metrics HTTP/1.1\r\nHost:");
  neverReads.send("GET /picture.jpg HTTP/1.1\r\n\r\n");
  std::this_thread::sleep_for(200ms);
  const auto since = SteadyClock::now();
  server.reset();
  // Far less than what the server grants a client that does not read.
  EXPECT_LT(SteadyClock::now() - since, 5s);
}

TEST(HttpServer, BeginningAndEndingAtOnceIsFine) {
  for (int i = 0; i < 50; ++i) const HttpServer server(anyPort(), sampleContent());
}

TEST(HttpServer, AcceptingThatFailsIsBegunAgain) {
  const HttpServer server(anyPort(), sampleContent());
  const int file = listeningFile(server.port());
  ASSERT_GE(file, 0);
  shutdown(file, SHUT_RDWR);
  for (int i = 0; i < 200; ++i) {
    httplib::Client client("127.0.0.1", server.port());
    if (client.Get("/healthz")) return;
    std::this_thread::sleep_for(50ms);
  }
  FAIL() << "nobody listens any more";
}

TEST(HttpServer, ManyAskAtOnce) {
  const HttpServer server(anyPort(), sampleContent());
  std::atomic<int> answered{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 8; ++i) {
    askers.emplace_back([&] {
      for (int k = 0; k < 10; ++k) {
        httplib::Client client("127.0.0.1", server.port());
        const auto answer = client.Get("/metrics");
        if (answer && answer->status == 200) ++answered;
      }
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(answered, 80);
}

}  // namespace
}  // namespace mpm::monitor
