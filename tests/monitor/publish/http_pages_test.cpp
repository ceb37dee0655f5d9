// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_pages.h"

#include <gtest/gtest.h>

#include <stdexcept>

#include "monitor/publish/sample_state.h"

namespace mpm::monitor {
namespace {

HttpServer::Content sampleContent() {
  HttpServer::Content content;
  content.state = [] {
    PublishedState state = sampleState();
    state.sources.push_back(sampleSource("dark"));
    return state;
  };
  content.picture = [](const std::string& source) {
    return source == "north" ? std::vector<unsigned char>{0xFF, 0xD8, 0x00, 0xFF, 0xD9}
                             : std::vector<unsigned char>();
  };
  return content;
}

HttpAnswer ask(const HttpPages& pages, const std::string& path) {
  return pages.answer({"GET", path, "localhost:9120", "", std::nullopt});
}

std::string header(const HttpAnswer& answer, const std::string& name) {
  for (const auto& [key, value] : answer.headers) {
    if (key == name) return value;
  }
  return "";
}

TEST(HttpPages, EachPathHasItsTypeAndStatus) {
  const HttpPages pages("", sampleContent());
  EXPECT_EQ(ask(pages, "/metrics").status, 200);
  EXPECT_EQ(ask(pages, "/metrics").type, "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_NE(ask(pages, "/metrics").body.find("mpm_live_rows{source=\"north\",stage=\"0\"} 1024\n"),
            std::string::npos);
  EXPECT_EQ(ask(pages, "/healthz").status, 200);
  EXPECT_EQ(ask(pages, "/healthz").body, "north: ok\ndark: ok\nrecord: ok\n");
  EXPECT_EQ(ask(pages, "/picture/north.jpg").type, "image/jpeg");
  EXPECT_EQ(ask(pages, "/picture/north.jpg").body, std::string("\xFF\xD8\0\xFF\xD9", 5));
  EXPECT_EQ(ask(pages, "/picture.jpg").body, ask(pages, "/picture/north.jpg").body);
  EXPECT_EQ(ask(pages, "/picture/dark.jpg").status, 503);  // no picture yet
  EXPECT_EQ(header(ask(pages, "/picture/dark.jpg"), "Retry-After"), "1");
  for (const std::string path :
       {"/picture/west.jpg", "/picture/north.png", "/picture/.jpg", "/picture/",
        "/picture/../metrics", "", "/Metrics", "/metrics/", "/etc/passwd"}) {
    EXPECT_EQ(ask(pages, path).status, 404) << path;
  }
}

TEST(HttpPages, UnhealthyIs503) {
  HttpServer::Content content = sampleContent();
  content.state = [] {
    PublishedState state = sampleState();
    state.record->fault = "the disk is full";
    return state;
  };
  const HttpAnswer answer = ask(HttpPages("", content), "/healthz");
  EXPECT_EQ(answer.status, 503);
  EXPECT_NE(answer.body.find("record: the disk is full"), std::string::npos);
}

TEST(HttpPages, OnlyGetIsAnswered) {
  const HttpPages pages("", sampleContent());
  for (const std::string method : {"HEAD", "POST", "PUT", "DELETE", "OPTIONS", "get"}) {
    const HttpAnswer answer = pages.answer({method, "/metrics", "localhost", "", std::nullopt});
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(header(answer, "Allow"), "GET");
  }
}

TEST(HttpPages, ATokenIsAskedForOnEveryPath) {
  const HttpPages pages("s3cret", sampleContent());
  for (const std::string path : {"/", "/metrics", "/healthz", "/picture.jpg", "/nothing"}) {
    const auto status = [&](const std::string& authorization, std::optional<std::string> token) {
      return pages.answer({"GET", path, "any.example", authorization, std::move(token)}).status;
    };
    const int right = path == "/nothing" ? 404 : 200;
    EXPECT_EQ(status("", std::nullopt), 401) << path;
    EXPECT_EQ(status("Bearer wrong", "wrong"), 401) << path;
    EXPECT_EQ(status("s3cret", std::nullopt), 401) << path;
    EXPECT_EQ(status("Basic s3cret", std::nullopt), 401) << path;
    EXPECT_EQ(status("Bearer ", ""), 401) << path;
    EXPECT_EQ(status("Bearer s3cret", std::nullopt), right) << path;
    EXPECT_EQ(status("bEARER   s3cret", std::nullopt), right) << path;
    EXPECT_EQ(status("", "s3cret"), right) << path;
  }
  const HttpAnswer refused = ask(pages, "/metrics");
  EXPECT_EQ(header(refused, "WWW-Authenticate"), "Bearer");
  EXPECT_EQ(refused.body.find("mpm_"), std::string::npos);
}

TEST(HttpPages, WithoutATokenAPageOfElsewhereCannotReadThis) {
  const HttpPages pages("", sampleContent());
  EXPECT_EQ(pages.answer({"GET", "/picture.jpg", "evil.example:9120", "", std::nullopt}).status,
            403);
  EXPECT_EQ(pages.answer({"GET", "/picture.jpg", "", "", std::nullopt}).status, 200);
}

TEST(HttpPages, EveryAnswerIsKeptFromCachesFramesAndReferrers) {
  const HttpPages pages("s3cret", sampleContent());
  for (const std::string path : {"/", "/metrics", "/nothing"}) {
    for (const std::string token : {"s3cret", "wrong"}) {
      const HttpAnswer answer = pages.answer({"GET", path, "", "", token});
      EXPECT_EQ(header(answer, "Cache-Control"), "no-store");
      EXPECT_EQ(header(answer, "Referrer-Policy"), "no-referrer");
      EXPECT_EQ(header(answer, "X-Content-Type-Options"), "nosniff");
      EXPECT_EQ(header(answer, "X-Frame-Options"), "DENY");
    }
  }
}

TEST(HttpPages, TheIndexShowsEachSourceAndEscapesWhatItShows) {
  HttpServer::Content content = sampleContent();
  content.state = [] {
    PublishedState state = sampleState();
    state.model = "<script>alert(1)</script>";
    state.sources[0].capture.fault = "\"&'";
    state.sources.push_back(sampleSource("south"));
    return state;
  };
  const HttpPages pages("a&b\"c", content);
  const HttpAnswer answer = pages.answer({"GET", "/", "", "", "a&b\"c"});
  EXPECT_EQ(answer.type, "text/html; charset=utf-8");
  EXPECT_NE(answer.body.find("href=\"/metrics?token=a%26b%22c\""), std::string::npos);
  EXPECT_NE(answer.body.find("data-from=\"/picture/north.jpg?token=a%26b%22c\""),
            std::string::npos);
  EXPECT_NE(answer.body.find("data-from=\"/picture/south.jpg?"), std::string::npos);
  EXPECT_EQ(answer.body.find("<script>"), std::string::npos);
  EXPECT_NE(answer.body.find("&lt;script&gt;alert(1)"), std::string::npos);
  EXPECT_NE(answer.body.find("&quot;&amp;&#39;"), std::string::npos);

  // By header: the page's links need no token, since whoever adds the header adds it again.
  EXPECT_EQ(pages.answer({"GET", "/", "", "Bearer a&b\"c", std::nullopt}).body.find("token="),
            std::string::npos);
  // The script's nonce is another one each time.
  EXPECT_NE(header(answer, "Content-Security-Policy"),
            header(pages.answer({"GET", "/", "", "", "a&b\"c"}), "Content-Security-Policy"));
}

TEST(HttpPages, WhatThrowsIs500WithoutItsWords) {
  HttpServer::Content content = sampleContent();
  content.state = []() -> PublishedState { throw std::runtime_error("password 1234"); };
  const HttpAnswer answer = ask(HttpPages("", content), "/metrics");
  EXPECT_EQ(answer.status, 500);
  EXPECT_EQ(answer.body.find("1234"), std::string::npos);
}

}  // namespace
}  // namespace mpm::monitor
