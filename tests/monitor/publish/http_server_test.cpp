// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

#include "monitor/publish/child_process.h"
#include "monitor/publish/raw_socket.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

using namespace std::chrono_literals;
using SteadyClock = std::chrono::steady_clock;

constexpr int kPatienceMs = 120000;
const std::string kPicture(6 << 20, 0x5A);  // more than any socket's buffers hold

PageContent sampleContent() {
  PageContent content;
  content.state = [] {
    PublishedState state = sampleState();
    state.sources.push_back(sampleSource("dark"));
    return state;
  };
  content.picture = [](const std::string& source) {
    return source == "north" ? std::vector<unsigned char>(kPicture.begin(), kPicture.end())
                             : std::vector<unsigned char>();
  };
  return content;
}

HttpOptions anyPort(const std::string& token = "", const std::string& address = "127.0.0.1") {
  return {address, 0, token};
}

// The server ends who needs three seconds for a request, also where a busy machine needed them: who
// was ended then asks again.
auto patiently(const auto& asks, const auto& isAnswered) {
  for (int attempt = 0;; ++attempt) {
    const auto since = SteadyClock::now();
    auto answer = asks();
    if (isAnswered(answer) || SteadyClock::now() - since < 3s || attempt == 20) return answer;
  }
}

httplib::Response ask(const HttpServer& server, const std::string& path,
                      const httplib::Headers& headers = {}, const std::string& method = "GET",
                      const std::string& address = "127.0.0.1") {
  const auto answer = patiently(
      [&] {
        httplib::Client client(address, server.port());
        client.set_read_timeout(kPatienceMs / 1000);
        httplib::Request request;
        request.method = method;
        request.path = path;
        request.headers = headers;
        return client.send(request);
      },
      [](const httplib::Result& result) { return static_cast<bool>(result); });
  EXPECT_TRUE(answer) << path;
  return answer ? *answer : httplib::Response();
}

// What is answered to a request of this very text.
std::string answerTo(const HttpServer& server, const std::string& text) {
  return patiently(
      [&] {
        RawSocket client(server.port());
        client.send(text);
        return client.receiveAll(kPatienceMs);
      },
      [](const std::string& answer) { return !answer.empty(); });
}

// As Prometheus does: asks again where it was turned away.
bool isAnswered(const HttpServer& server) {
  return waitUntil([&] {
    const auto answer = httplib::Client("127.0.0.1", server.port()).Get("/metrics");
    return answer && answer->status == 200;
  });
}

std::string refusal(const HttpOptions& options) {
  try {
    const HttpServer server(options, sampleContent());
    return "";
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

TEST(HttpServer, EachPathHasItsTypeAndStatus) {
  const HttpServer server(anyPort(), sampleContent());
  const struct {
    const char *path, *type;
    int status;
    std::string part;
  } cases[] = {
      {"/metrics", "text/plain; version=0.0.4; charset=utf-8", 200, "mpm_up_seconds 86400.5\n"},
      {"/healthz", "text/plain; charset=utf-8", 200,
       "north: ok\ndark: ok\nmodel: ok\nrecord: ok\n"},
      {"/picture/north.jpg", "image/jpeg", 200, kPicture},
      {"/picture.jpg", "image/jpeg", 200, kPicture},
      {"/picture/dark.jpg", "text/plain; charset=utf-8", 503, "no picture yet"},
      {"/", "text/html; charset=utf-8", 200, "<!DOCTYPE html>"},
      {"/picture/west.jpg", "text/plain; charset=utf-8", 404, "not found"},
      {"/picture/../metrics", "text/plain; charset=utf-8", 404, "not found"},
      {"/Metrics", "text/plain; charset=utf-8", 404, "not found"},
      {"/metrics/", "text/plain; charset=utf-8", 404, "not found"},
  };
  for (const auto& each : cases) {
    const auto answer = ask(server, each.path);
    EXPECT_EQ(answer.status, each.status) << each.path;
    EXPECT_EQ(answer.get_header_value("Content-Type"), each.type) << each.path;
    EXPECT_TRUE(answer.body.find(each.part) != std::string::npos) << each.path;
    EXPECT_EQ(answer.get_header_value("Cache-Control"), "no-store");
    EXPECT_EQ(answer.get_header_value("Referrer-Policy"), "no-referrer");
    EXPECT_EQ(answer.get_header_value("X-Frame-Options"), "DENY");
    const auto head = ask(server, each.path, {}, "HEAD");
    EXPECT_EQ(head.status, each.status) << each.path;
    EXPECT_EQ(head.get_header_value("Content-Length"), answer.get_header_value("Content-Length"));
    EXPECT_EQ(head.body, "");
  }
  for (const std::string method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    const auto answer = ask(server, "/metrics", {}, method);
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.get_header_value("Allow"), "GET, HEAD");
  }
}

TEST(HttpServer, UnhealthyIs503AndWhatThrowsIs500WithoutItsWords) {
  PageContent content = sampleContent();
  content.state = [] {
    PublishedState state = sampleState();
    state.record->fault = "the disk is full";
    return state;
  };
  const HttpServer unhealthy(anyPort(), content);
  const auto answer = ask(unhealthy, "/healthz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("record: the disk is full"), std::string::npos);
  content.state = []() -> PublishedState { throw std::runtime_error("password 1234"); };
  const HttpServer throwing(anyPort(), content);
  const std::string text = answerTo(throwing, "GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(text.starts_with("HTTP/1.1 500")) << text;
  EXPECT_EQ(text.find("1234"), std::string::npos);
}

TEST(HttpServer, ATokenIsAskedForOnEveryPath) {
  const HttpServer server(anyPort("s3cret"), sampleContent());
  const struct {
    const char *authorization, *query;
    bool isRight;
  } cases[] = {{"", "", false},
               {"Bearer wrong", "?token=wrong", false},
               {"s3cret", "", false},
               {"Bearer", "", false},
               {"Bearers3cret", "", false},
               {"Basic s3cret", "", false},
               {"Bearer s3cre", "", false},
               {"Bearer s3crets3cret", "", false},
               {"", "?token=", false},
               {"Bearer s3cret", "", true},
               {"bEARER   s3cret", "", true},
               {"", "?token=s3cret", true}};
  int refused = 0;
  for (const std::string path : {"/", "/metrics", "/healthz", "/picture.jpg", "/nothing"}) {
    for (const auto& each : cases) {
      const auto answer = ask(server, path + each.query,
                              {{"Host", "any.example"}, {"Authorization", each.authorization}});
      EXPECT_EQ(answer.status, !each.isRight        ? 401
                               : path == "/nothing" ? 404
                                                    : 200)
          << path << each.query << ' ' << each.authorization;
      if (each.isRight) continue;
      ++refused;
      EXPECT_EQ(answer.get_header_value("WWW-Authenticate"), "Bearer");
      EXPECT_EQ(answer.body.find("mpm_"), std::string::npos);
    }
  }
  const std::string told = "\nmpm_http_tokens_refused_total " + std::to_string(refused) + '\n';
  EXPECT_NE(ask(server, "/metrics?token=s3cret").body.find(told), std::string::npos);
}

TEST(HttpServer, ATokensSignsAreDecodedInAQuery) {
  const HttpServer server(anyPort("a+b/c=&%2B"), sampleContent());
  const httplib::Headers bearer{{"Authorization", "Bearer a+b/c=&%2B"}};
  EXPECT_EQ(ask(server, "/metrics?token=a+b").status, 401);
  EXPECT_EQ(ask(server, "/metrics", bearer).status, 200);  // Seen: no header matched a %
  EXPECT_EQ(ask(server, "/metrics?at=1&token=a%2Bb%2Fc%3D%26%252B").status, 200);
  // By header: the page's links need no token, since whoever adds the header adds it again.
  EXPECT_EQ(ask(server, "/", bearer).body.find("token="), std::string::npos);
}

TEST(HttpServer, WithoutATokenAPageOfElsewhereCannotReadThis) {
  const HttpServer server(anyPort(), sampleContent());
  for (const char* own : {"localhost", "LOCALHOST:9120", "127.8.9.10:80", "[::1]:9120", "[::1]"})
    EXPECT_EQ(ask(server, "/healthz", {{"Host", own}}).status, 200) << own;
  for (const char* other : {"evil.example:9120", "localhost.evil.example", "127.0.0.1.nip.io:9120",
                            "192.168.1.2:9120", ":9120", "user@localhost", "0.0.0.0", "127.1"})
    EXPECT_EQ(ask(server, "/picture.jpg", {{"Host", other}}).status, 403) << other;
  EXPECT_TRUE(
      answerTo(server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
          .starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(answerTo(server, "GET /healthz HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST(HttpServer, WhatCannotBeListenedOnIsRefusedInASentence) {
  const HttpServer first(anyPort(), sampleContent());
  const std::pair<HttpOptions, const char*> cases[] = {
      {anyPort("", "0.0.0.0"), "needs a token"},
      {anyPort("", "::"), "needs a token"},
      {anyPort("", "192.0.2.1"), "needs a token"},
      {anyPort("", "127.0.0.1.example.com"), "needs a token"},
      {anyPort("", ""), "needs an address"},
      {{"127.0.0.1", 70000, ""}, "1 to 65535"},
      {anyPort("s3cret words"), "printable ASCII"},
      {anyPort("s3cret\n"), "printable ASCII"},
      {anyPort("s3cret", "192.0.2.1"), "cannot listen on 192.0.2.1"},  // of nobody
      {{"127.0.0.1", first.port(), ""}, "in use"}};
  for (const auto& [options, part] : cases) {
    const std::string sentence = refusal(options);
    EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    EXPECT_EQ(sentence.find("s3cret"), std::string::npos);
  }
}

TEST(HttpServer, OtherAddressesOfThisMachineNeedNoToken) {
  for (const std::string address : {"localhost", "127.0.0.5"}) {
    const HttpServer server(anyPort("", address), sampleContent());
    EXPECT_EQ(ask(server, "/healthz", {}, "GET", address).status, 200) << address;
  }
}

TEST(HttpServer, TheSamePortCanBeHadAgainAtOnce) {
  const HeldPort held;  // no other program has it meanwhile
  for (int i = 0; i < 20; ++i) {
    const HttpServer server({"127.0.0.1", held.port(), ""}, sampleContent());
    if (i % 10 == 0) {
      EXPECT_EQ(ask(server, "/healthz").status, 200);
    }
  }
}

// accept() fails as it does while the whole system is out of files.
TEST(HttpServer, WhatCannotAcceptListensAgain) {
  const HttpServer server(anyPort(), sampleContent());
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(ask(server, "/healthz").status, 200);
    ASSERT_TRUE(breakListening(server.port()));
    ASSERT_TRUE(waitUntil([&] { return isListening(server.port()); }));
  }
  EXPECT_EQ(ask(server, "/healthz").status, 200);
}

TEST(HttpServer, ManyAskAtOnce) {
  const HttpServer server(anyPort(), sampleContent());
  std::atomic<int> answered{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 8; ++i) {
    askers.emplace_back([&] {
      for (int k = 0; k < 10; ++k) {
        if (ask(server, "/metrics").status == 200) ++answered;
      }
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(answered, 80);
}

TEST(HostileHttp, HundredsOfSilentClientsAreTurnedAwayAndForgotten) {
  const HttpServer server(anyPort(), sampleContent());
  std::vector<std::unique_ptr<RawSocket>> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(std::make_unique<RawSocket>(server.port()));
  EXPECT_TRUE(isAnswered(server));
  EXPECT_LE(connectionFiles(server.port()), 40);
  for (const auto& client : silent) {
    EXPECT_EQ(client->receiveAll(kPatienceMs), "");
    EXPECT_TRUE(client->isOver());
  }
}

TEST(HostileHttp, WhoSendsByteByByteIsEnded) {
  const HttpServer server(anyPort(), sampleContent());
  RawSocket client(server.port());
  const std::string request = "GET /metrics HTTP/1.1\r\nHost: " + std::string(1000, 'a');
  std::size_t sent = 0;
  while (sent < request.size() && !client.isOver()) {
    if (!client.send(request.substr(sent++, 1))) break;
    client.receiveAll(50);
  }
  EXPECT_LT(sent, request.size());
}

TEST(HostileHttp, ARequestWithoutEndIsEnded) {
  const HttpServer server(anyPort(), sampleContent());
  for (const std::string start : {"GET /metrics HTTP/1.1\r\nX: ",
                                  "POST /metrics HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n"}) {
    for (const std::string& part : {std::string(4096, 'a'), std::string("X: y\r\n")}) {
      std::string block;
      while (block.size() < 65536) block += part;
      RawSocket client(server.port());
      client.send(start);
      std::size_t blocks = 0;
      while (blocks < 2000 && client.send(block)) ++blocks;  // 125 MiB
      EXPECT_LT(blocks, 2000U);
    }
  }
  EXPECT_TRUE(isAnswered(server));
}

TEST(HostileHttp, ThousandsOfRangesGetTheWholePictureOnce) {
  const HttpServer server(anyPort(), sampleContent());
  std::string ranges = "bytes=0-";
  while (ranges.size() < 7000) ranges += ",0-";
  const auto answer = ask(server, "/picture.jpg", {{"Range", ranges}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body == kPicture);
}

TEST(HostileHttp, WhatBreaksTheFormatIsAnsweredOrEndedAndHurtsNobody) {
  const HttpServer server(anyPort(), sampleContent());
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
    RawSocket client(server.port());
    client.send(request);
    const std::string answer = client.receiveAll(kPatienceMs);
    EXPECT_TRUE(client.isOver()) << request.substr(0, 40);
    EXPECT_TRUE(answer.empty() || answer.starts_with("HTTP/1.1 ")) << answer.substr(0, 40);
    EXPECT_FALSE(answer.starts_with("HTTP/1.1 200")) << request.substr(0, 40);
  }
  EXPECT_TRUE(isAnswered(server));
}

TEST(HostileHttp, WhoReadsNothingIsEnded) {
  const HttpServer server(anyPort(), sampleContent());
  std::vector<std::unique_ptr<RawSocket>> hoarders;
  for (int i = 0; i < 40; ++i) {
    hoarders.push_back(std::make_unique<RawSocket>(server.port(), 4096));
    hoarders.back()->send("GET /picture.jpg HTTP/1.1\r\n\r\n");
  }
  EXPECT_TRUE(isAnswered(server));
}

// A server that waited for them would take ten seconds each time, which is what a client has for
// reading its answer. A busy machine may take some once.
TEST(HostileHttp, TheServerEndsWhileClientsHang) {
  SteadyClock::duration shortest = 1h;
  for (int attempt = 0; attempt < 10 && shortest >= 5s; ++attempt) {
    auto server = std::make_unique<HttpServer>(anyPort(), sampleContent());
    const RawSocket silent(server->port());
    RawSocket half(server->port()), neverReads(server->port(), 4096);
    half.send("GET /metrics HTTP/1.1\r\nHost:");
    neverReads.send("GET /picture.jpg HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(neverReads.hasBytes(kPatienceMs));
    const auto since = SteadyClock::now();
    server.reset();
    shortest = std::min(shortest, SteadyClock::now() - since);
  }
  EXPECT_LT(shortest, 5s);
}

}  // namespace
}  // namespace mpm::monitor
