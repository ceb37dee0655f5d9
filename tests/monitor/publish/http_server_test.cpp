// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_server.h"

#include <gtest/gtest.h>
#include <httplib.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "monitor/publish/raw_socket.h"
#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

const std::string kJpeg("\xFF\xD8\0\xFF\xD9", 5);

PageContent sampleContent() {
  PageContent content;
  content.state = [] {
    PublishedState state = sampleState();
    state.sources.push_back(sampleSource("dark"));
    return state;
  };
  content.picture = [](const std::string& source) {
    return source == "north" ? std::vector<unsigned char>(kJpeg.begin(), kJpeg.end())
                             : std::vector<unsigned char>();
  };
  return content;
}

HttpOptions anyPort(const std::string& token = "") {
  HttpOptions options;
  options.port = 0;
  options.token = token;
  return options;
}

// The server ends who needs three seconds for a request, also where a busy machine needed them: who
// was ended then asks again.
auto patiently(const auto& asks, const auto& isAnswered) {
  for (int attempt = 0;; ++attempt) {
    const auto since = std::chrono::steady_clock::now();
    auto answer = asks();
    const auto took = std::chrono::steady_clock::now() - since;
    if (isAnswered(answer) || took < std::chrono::seconds(3) || attempt == 20) return answer;
  }
}

httplib::Result request(const HttpServer& server, const auto& send,
                        const std::string& address = "127.0.0.1") {
  return patiently(
      [&] {
        httplib::Client client(address, server.port());
        client.set_read_timeout(120);
        return send(client);
      },
      [](const httplib::Result& result) { return static_cast<bool>(result); });
}

httplib::Response ask(const HttpServer& server, const std::string& path,
                      const httplib::Headers& headers = {}) {
  const auto answer =
      request(server, [&](httplib::Client& client) { return client.Get(path, headers); });
  EXPECT_TRUE(answer) << path;
  return answer ? *answer : httplib::Response();
}

// What is answered to a request of this very text.
std::string answerTo(const HttpServer& server, const std::string& text) {
  return patiently(
      [&] {
        RawSocket client(server.port());
        client.send(text);
        return client.receiveAll(120000);
      },
      [](const std::string& answer) { return !answer.empty(); });
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
  ASSERT_GT(server.port(), 0);
  const auto metrics = ask(server, "/metrics");
  EXPECT_EQ(metrics.status, 200);
  EXPECT_EQ(metrics.get_header_value("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_EQ(metrics.get_header_value("Connection"), "close");
  EXPECT_NE(metrics.body.find("mpm_up_seconds 86400.5\n"), std::string::npos);
  EXPECT_NE(metrics.body.find("mpm_live_rows{source=\"north\",stage=\"0\"} 1024\n"),
            std::string::npos);
  const auto health = ask(server, "/healthz");
  EXPECT_EQ(health.status, 200);
  EXPECT_EQ(health.body, "north: ok\ndark: ok\nmodel: ok\nrecord: ok\n");
  const auto picture = ask(server, "/picture/north.jpg");
  EXPECT_EQ(picture.get_header_value("Content-Type"), "image/jpeg");
  EXPECT_EQ(picture.body, kJpeg);
  EXPECT_EQ(ask(server, "/picture.jpg").body, kJpeg);
  const auto dark = ask(server, "/picture/dark.jpg");
  EXPECT_EQ(dark.status, 503);
  EXPECT_EQ(dark.get_header_value("Retry-After"), "1");
  const auto index = ask(server, "/");
  EXPECT_EQ(index.get_header_value("Content-Type"), "text/html; charset=utf-8");
  EXPECT_NE(index.body.find("<!DOCTYPE html>"), std::string::npos);
  for (const std::string path :
       {"/picture/west.jpg", "/picture/north.png", "/picture/.jpg", "/picture/",
        "/picture/../metrics", "/nothing", "/Metrics", "/metrics/", "/etc/passwd"}) {
    EXPECT_EQ(ask(server, path).status, 404) << path;
  }
}

TEST(HttpServer, UnhealthyIs503) {
  PageContent content = sampleContent();
  content.state = [] {
    PublishedState state = sampleState();
    state.record->fault = "the disk is full";
    return state;
  };
  const HttpServer server(anyPort(), content);
  const auto answer = ask(server, "/healthz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("record: the disk is full"), std::string::npos);
}

TEST(HttpServer, HeadIsAnsweredAsGetIsWithoutTheBody) {
  const HttpServer server(anyPort("s3cret"), sampleContent());
  const httplib::Headers token{{"Authorization", "Bearer s3cret"}};
  for (const std::string path :
       {"/healthz", "/picture/north.jpg", "/picture/dark.jpg", "/nothing"}) {
    const auto head =
        request(server, [&](httplib::Client& client) { return client.Head(path, token); });
    ASSERT_TRUE(head) << path;
    const auto get = ask(server, path, token);
    EXPECT_EQ(head->status, get.status) << path;
    // The length on the wire: httplib may compress what its client unpacks.
    for (const char* header : {"Content-Length", "Content-Type", "Content-Encoding"})
      EXPECT_EQ(head->get_header_value(header), get.get_header_value(header)) << path;
    EXPECT_EQ(head->body, "");
    EXPECT_EQ(head->get_header_value("Accept-Ranges"), "none");
  }
  const auto refused =
      request(server, [](httplib::Client& client) { return client.Head("/metrics"); });
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 401);
}

TEST(HttpServer, TokensThatAreRefusedAreCounted) {
  const HttpServer server(anyPort("s3cret"), sampleContent());
  ask(server, "/metrics");
  ask(server, "/?token=wrong");
  ask(server, "/healthz", {{"Authorization", "Bearer wrong"}});
  const auto metrics = ask(server, "/metrics?token=s3cret");
  EXPECT_NE(metrics.body.find("\nmpm_http_tokens_refused_total 3\n"), std::string::npos)
      << metrics.body;
}

TEST(HttpServer, OnlyGetAndHeadAreAnswered) {
  const HttpServer server(anyPort(), sampleContent());
  const auto expectRefused = [&](const auto& send) {
    const httplib::Result answer = request(server, send);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->status, 405);
    EXPECT_EQ(answer->get_header_value("Allow"), "GET, HEAD");
  };
  using httplib::Client;
  expectRefused([](Client& client) { return client.Post("/metrics", "body", "text/plain"); });
  expectRefused([](Client& client) { return client.Put("/metrics", "body", "text/plain"); });
  expectRefused([](Client& client) { return client.Delete("/metrics"); });
  expectRefused([](Client& client) { return client.Options("/metrics"); });
}

TEST(HttpServer, ATokenIsAskedForOnEveryPath) {
  const HttpServer server(anyPort("s3cret"), sampleContent());
  for (const std::string path : {"/", "/metrics", "/healthz", "/picture.jpg", "/nothing"}) {
    const auto status = [&](const std::string& authorization, const std::string& query = "") {
      return ask(server, path + query, {{"Host", "any.example"}, {"Authorization", authorization}})
          .status;
    };
    const int right = path == "/nothing" ? 404 : 200;
    EXPECT_EQ(ask(server, path).status, 401) << path;
    EXPECT_EQ(status("Bearer wrong", "?token=wrong"), 401) << path;
    EXPECT_EQ(status("s3cret"), 401) << path;
    EXPECT_EQ(status("", "?token="), 401) << path;
    EXPECT_EQ(status("Bearer s3cret"), right) << path;
    EXPECT_EQ(status("bEARER   s3cret"), right) << path;
    EXPECT_EQ(status("", "?token=s3cret"), right) << path;
  }
  const auto refused = ask(server, "/metrics");
  EXPECT_EQ(refused.get_header_value("WWW-Authenticate"), "Bearer");
  EXPECT_EQ(refused.body.find("mpm_"), std::string::npos);
}

TEST(HttpServer, ATokensSignsAreDecodedInAQuery) {
  const HttpServer server(anyPort("a+b/c=&%"), sampleContent());
  EXPECT_EQ(ask(server, "/metrics?token=a+b").status, 401);
  EXPECT_EQ(ask(server, "/metrics", {{"Authorization", "Bearer a+b/c=&%"}}).status, 200);
  EXPECT_EQ(ask(server, "/metrics?token=a%2Bb%2Fc%3D%26%25").status, 200);
  EXPECT_EQ(ask(server, "/metrics?at=1&token=a%2Bb%2Fc%3D%26%25").status, 200);
  // By header: the page's links need no token, since whoever adds the header adds it again.
  EXPECT_EQ(ask(server, "/", {{"Authorization", "Bearer a+b/c=&%"}}).body.find("token="),
            std::string::npos);
}

// Seen: no header matched it.
TEST(HttpServer, ATokenWithAPercentSignIsTakenAsAHeaderToo) {
  const HttpServer server(anyPort("s3cret%2B+x"), sampleContent());
  EXPECT_EQ(ask(server, "/metrics", {{"Authorization", "Bearer s3cret%2B+x"}}).status, 200);
  EXPECT_EQ(ask(server, "/metrics", {{"Authorization", "Bearer s3cret%2"}}).status, 401);
  EXPECT_EQ(ask(server, "/metrics?token=s3cret%252B%2Bx").status, 200);
}

TEST(HttpServer, WithoutATokenAPageOfElsewhereCannotReadThis) {
  const HttpServer server(anyPort(), sampleContent());
  EXPECT_EQ(ask(server, "/picture.jpg", {{"Host", "evil.example:9120"}}).status, 403);
  EXPECT_TRUE(
      answerTo(server, "GET /healthz HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")
          .starts_with("HTTP/1.1 403"));
  EXPECT_TRUE(answerTo(server, "GET /healthz HTTP/1.0\r\n\r\n").starts_with("HTTP/1.1 200"));
}

TEST(HttpServer, EveryAnswerIsKeptFromCachesFramesAndReferrers) {
  const HttpServer server(anyPort("s3cret"), sampleContent());
  for (const std::string path : {"/", "/metrics", "/nothing"}) {
    for (const std::string token : {"s3cret", "wrong"}) {
      const auto answer = ask(server, path + "?token=" + token);
      EXPECT_EQ(answer.get_header_value("Cache-Control"), "no-store");
      EXPECT_EQ(answer.get_header_value("Referrer-Policy"), "no-referrer");
      EXPECT_EQ(answer.get_header_value("X-Content-Type-Options"), "nosniff");
      EXPECT_EQ(answer.get_header_value("X-Frame-Options"), "DENY");
      EXPECT_EQ(answer.get_header_value("Cross-Origin-Resource-Policy"), "same-origin");
    }
  }
}

TEST(HttpServer, WhatThrowsIs500WithoutItsWords) {
  PageContent content = sampleContent();
  content.state = []() -> PublishedState { throw std::runtime_error("password 1234"); };
  const HttpServer server(anyPort(), content);
  const std::string answer = answerTo(server, "GET /metrics HTTP/1.1\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 500")) << answer;
  EXPECT_EQ(answer.find("1234"), std::string::npos);
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
  const HeldPort held;  // no other program has it meanwhile
  HttpOptions options = anyPort();
  options.port = held.port();
  {
    const HttpServer server(options, sampleContent());
    EXPECT_EQ(ask(server, "/healthz").status, 200);
  }
  EXPECT_EQ(refusal(options), "");
}

TEST(HttpServer, LocalhostAndOtherAddressesOfThisMachineNeedNoToken) {
  for (const std::string address : {"localhost", "127.0.0.5"}) {
    HttpOptions options = anyPort();
    options.address = address;
    const HttpServer server(options, sampleContent());
    const auto get = [](httplib::Client& client) { return client.Get("/healthz"); };
    EXPECT_TRUE(request(server, get, address)) << address;
  }
}

TEST(HttpServer, BeginningAndEndingAtOnceIsFine) {
  for (int i = 0; i < 50; ++i) const HttpServer server(anyPort(), sampleContent());
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

}  // namespace
}  // namespace mpm::monitor
