// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_server.h"

#include <httplib.h>

#include "monitor/publish/child_process.h"
#include "monitor/publish/raw_socket.h"
#include "monitor/publish/sample_state.h"
#include "monitor/says.h"

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

class HttpServerTest : public testing::Test {
 protected:
  void serve(const HttpOptions& options, const PageContent& content = sampleContent()) {
    server_ = std::make_unique<HttpServer>(options, content);
  }
  void SetUp() override { serve(anyPort()); }

  // The server ends who needs three seconds for a request, also where a busy machine needed them:
  // who was ended then asks again.
  static auto patiently(const auto& asks, const auto& isAnswered) {
    for (int attempt = 0;; ++attempt) {
      const auto since = SteadyClock::now();
      auto answer = asks();
      if (isAnswered(answer) || SteadyClock::now() - since < 3s || attempt == 20) return answer;
    }
  }
  httplib::Response ask(const std::string& path, const httplib::Headers& headers = {},
                        const std::string& method = "GET",
                        const std::string& address = "127.0.0.1") {
    const auto answer = patiently(
        [&] {
          httplib::Client client(address, server_->port());
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
  int statusOf(const std::string& path, const httplib::Headers& headers = {}) {
    return ask(path, headers).status;
  }
  // What is answered to a request of this very text.
  std::string answerTo(const std::string& text) {
    return patiently(
        [&] {
          RawSocket client(server_->port());
          client.send(text);
          return client.receiveAll(kPatienceMs);
        },
        [](const std::string& answer) { return !answer.empty(); });
  }
  // As Prometheus does: asks again where it was turned away.
  bool isAnswered() {
    return test::eventually([&] {
      const auto answer = httplib::Client("127.0.0.1", server_->port()).Get("/metrics");
      return answer && answer->status == 200;
    });
  }

  std::unique_ptr<HttpServer> server_;
};

TEST_F(HttpServerTest, EachPathHasItsTypeAndStatus) {
  const std::string plain = "text/plain; charset=utf-8";
  const struct {
    const char* path;
    int status;
    std::string type, part;
  } cases[] = {
      {"/metrics", 200, "text/plain; version=0.0.4; charset=utf-8", "mpm_up_seconds 86400.5\n"},
      {"/healthz", 200, plain, "north: ok\ndark: ok\nmodel: ok\nrecord: ok\n"},
      {"/picture/north.jpg", 200, "image/jpeg", kPicture},
      {"/picture.jpg", 200, "image/jpeg", kPicture},
      {"/picture/dark.jpg", 503, plain, "no picture yet"},
      {"/", 200, "text/html; charset=utf-8", "<!DOCTYPE html>"},
      {"/picture/west.jpg", 404, plain, "not found"},
      {"/picture/../metrics", 404, plain, "not found"},
      {"/Metrics", 404, plain, "not found"},
      {"/metrics/", 404, plain, "not found"}};
  for (const auto& each : cases) {
    SCOPED_TRACE(each.path);
    const auto answer = ask(each.path);
    EXPECT_EQ(answer.status, each.status);
    EXPECT_TRUE(answer.body.find(each.part) != std::string::npos);
    for (const auto& [header, value] :
         {std::pair<const char*, std::string>{"Content-Type", each.type},
          {"Cache-Control", "no-store"},
          {"Referrer-Policy", "no-referrer"},
          {"X-Frame-Options", "DENY"}})
      EXPECT_EQ(answer.get_header_value(header), value);
    const auto head = ask(each.path, {}, "HEAD");
    EXPECT_EQ(head.status, each.status);
    EXPECT_EQ(head.get_header_value("Content-Length"), answer.get_header_value("Content-Length"));
    EXPECT_EQ(head.body, "");
  }
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS"}) {
    const auto answer = ask("/metrics", {}, method);
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(answer.get_header_value("Allow"), "GET, HEAD");
  }
}

TEST_F(HttpServerTest, UnhealthyIs503AndWhatThrowsIs500WithoutItsWords) {
  PageContent content = sampleContent();
  content.state = [] {
    PublishedState state = sampleState();
    state.record->fault = "the disk is full";
    return state;
  };
  serve(anyPort(), content);
  EXPECT_EQ(statusOf("/healthz"), 503);
  EXPECT_TRUE(has(ask("/healthz").body, "record: the disk is full"));
  content.state = []() -> PublishedState { throw std::runtime_error("password 1234"); };
  serve(anyPort(), content);
  const std::string text = answerTo("GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(text.starts_with("HTTP/1.1 500")) << text;
  EXPECT_FALSE(has(text, "1234"));
}

TEST_F(HttpServerTest, ATokenIsAskedForOnEveryPath) {
  serve(anyPort("s3cret"));
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
      const auto answer =
          ask(path + each.query, {{"Host", "any.example"}, {"Authorization", each.authorization}});
      EXPECT_EQ(answer.status, !each.isRight        ? 401
                               : path == "/nothing" ? 404
                                                    : 200)
          << path << each.query << ' ' << each.authorization;
      if (each.isRight) continue;
      ++refused;
      EXPECT_EQ(answer.get_header_value("WWW-Authenticate"), "Bearer");
      EXPECT_FALSE(has(answer.body, "mpm_"));
    }
  }
  EXPECT_TRUE(has(ask("/metrics?token=s3cret").body,
                  "\nmpm_http_tokens_refused_total " + std::to_string(refused) + '\n'));
}

TEST_F(HttpServerTest, ATokensSignsAreDecodedInAQuery) {
  serve(anyPort("a+b/c=&%2B"));
  const httplib::Headers bearer{{"Authorization", "Bearer a+b/c=&%2B"}};
  EXPECT_EQ(statusOf("/metrics?token=a+b"), 401);
  EXPECT_EQ(statusOf("/metrics", bearer), 200);  // Seen: no header matched a %
  EXPECT_EQ(statusOf("/metrics?at=1&token=a%2Bb%2Fc%3D%26%252B"), 200);
  // By header: the page's links need no token, since whoever adds the header adds it again.
  EXPECT_FALSE(has(ask("/", bearer).body, "token="));
}

TEST_F(HttpServerTest, WithoutATokenAPageOfElsewhereCannotReadThis) {
  for (const char* own : {"localhost", "LOCALHOST:9120", "127.8.9.10:80", "[::1]:9120", "[::1]"})
    EXPECT_EQ(statusOf("/healthz", {{"Host", own}}), 200) << own;
  for (const char* other : {"evil.example:9120", "localhost.evil.example", "127.0.0.1.nip.io:9120",
                            "192.168.1.2:9120", ":9120", "user@localhost", "0.0.0.0", "127.1"})
    EXPECT_EQ(statusOf("/picture.jpg", {{"Host", other}}), 403) << other;
  EXPECT_TRUE(answerTo("GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
                  .starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(answerTo("GET /healthz HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, WhatCannotBeListenedOnIsRefusedInASentence) {
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
      {{"127.0.0.1", server_->port(), ""}, "in use"}};
  for (const auto& [options, part] : cases) {
    const std::string said =
        refusal([&, &options = options] { const HttpServer server(options, sampleContent()); });
    EXPECT_TRUE(has(said, part));
    EXPECT_FALSE(has(said, "s3cret"));
  }
  for (const std::string address : {"localhost", "127.0.0.5"}) {  // this machine needs no token
    serve(anyPort("", address));
    EXPECT_EQ(ask("/healthz", {}, "GET", address).status, 200) << address;
  }
}

TEST_F(HttpServerTest, TheSamePortCanBeHadAgainAtOnce) {
  const HeldPort held;  // no other program has it meanwhile
  for (int i = 0; i < 20; ++i) {
    server_.reset();
    serve({"127.0.0.1", held.port(), ""});
    EXPECT_TRUE(i % 10 != 0 || statusOf("/healthz") == 200);
  }
}

// accept() fails as it does while the whole system is out of files.
TEST_F(HttpServerTest, WhatCannotAcceptListensAgain) {
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(statusOf("/healthz"), 200);
    ASSERT_TRUE(breakListening(server_->port()));
    ASSERT_TRUE(test::eventually([&] { return isListening(server_->port()); }));
  }
  EXPECT_EQ(statusOf("/healthz"), 200);
}

TEST_F(HttpServerTest, ManyAskAtOnce) {
  std::atomic<int> answered{0};
  std::vector<std::thread> askers;
  for (int i = 0; i < 8; ++i) {
    askers.emplace_back([&] {
      for (int k = 0; k < 10; ++k) answered += statusOf("/metrics") == 200 ? 1 : 0;
    });
  }
  for (std::thread& asker : askers) asker.join();
  EXPECT_EQ(answered, 80);
}

class HostileHttp : public HttpServerTest {};

TEST_F(HostileHttp, HundredsOfSilentClientsAreTurnedAwayAndForgotten) {
  std::vector<std::unique_ptr<RawSocket>> silent;
  for (int i = 0; i < 300; ++i) silent.push_back(std::make_unique<RawSocket>(server_->port()));
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
    client.receiveAll(50);
  }
  EXPECT_LT(sent, request.size());
}

TEST_F(HostileHttp, ARequestWithoutEndIsEnded) {
  for (const std::string start : {"GET /metrics HTTP/1.1\r\nX: ",
                                  "POST /metrics HTTP/1.1\r\nContent-Length: 1000000000\r\n\r\n"}) {
    for (const std::string& part : {std::string(4096, 'a'), std::string("X: y\r\n")}) {
      std::string block;
      while (block.size() < 65536) block += part;
      RawSocket client(server_->port());
      client.send(start);
      std::size_t blocks = 0;
      while (blocks < 2000 && client.send(block)) ++blocks;  // 125 MiB
      EXPECT_LT(blocks, 2000U);
    }
  }
  EXPECT_TRUE(isAnswered());
}

TEST_F(HostileHttp, ThousandsOfRangesGetTheWholePictureOnce) {
  std::string ranges = "bytes=0-";
  while (ranges.size() < 7000) ranges += ",0-";
  const auto answer = ask("/picture.jpg", {{"Range", ranges}});
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body == kPicture);
}

TEST_F(HostileHttp, WhatBreaksTheFormatIsAnsweredOrEndedAndHurtsNobody) {
  const std::string many(3000, 'a'), end = "\r\n\r\n";
  for (const std::string& request :
       {end, "GET" + end, "BREW /metrics HTTP/1.1" + end, "GET /metrics HTTP/9.9" + end,
        "get /metrics HTTP/1.1" + end, "GET /%zz%0 HTTP/1.1" + end,
        "GET /" + many + many + " HTTP/1.1" + end,
        std::string("\x16\x03\x01\x02\0\x01\r\n\r\n", 10),
        "GET / HTTP/1.1\r\nX: " + many + many + many + end,
        "GET / HTTP/1.1\r\nRange: bytes=99999999999999999999-" + end,
        "GET / HTTP/1.1\r\nHost: a\r\n folded\r\nno colon\r\n: none" + end}) {
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
    serve(anyPort());
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

}  // namespace
}  // namespace mpm::monitor
