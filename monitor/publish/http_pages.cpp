// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_pages.h"

#include <algorithm>

#include "monitor/publish/http_index.h"
#include "monitor/publish/prometheus.h"
#include "monitor/publish/token.h"

namespace mpm::monitor {
namespace {

HttpAnswer failure(int status, const std::string& sentence) {
  HttpAnswer answer;
  answer.status = status;
  answer.body = sentence + '\n';
  return answer;
}

/// The token of "Bearer TOKEN"; the word may be written in any case.
std::optional<std::string_view> bearerToken(std::string_view authorization) {
  constexpr std::string_view word = "bearer ";
  if (authorization.size() < word.size()) return std::nullopt;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = authorization[i];
    if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != word[i]) return std::nullopt;
  }
  authorization.remove_prefix(word.size());
  authorization.remove_prefix(std::min(authorization.find_first_not_of(' '), authorization.size()));
  return authorization;
}

/// SOURCE of /picture/SOURCE.jpg.
std::optional<std::string> sourceOfPicture(const std::string& path) {
  const std::string front = "/picture/", back = ".jpg";
  if (path.size() <= front.size() + back.size() || !path.starts_with(front) ||
      !path.ends_with(back)) {
    return std::nullopt;
  }
  return path.substr(front.size(), path.size() - front.size() - back.size());
}

/// Nothing is kept by browsers or proxies, shown inside another page, or told to other pages: an
/// address may hold the token.
void addHeaders(HttpAnswer& answer) {
  const auto add = [&](const char* name, const char* value) {
    answer.headers.emplace_back(name, value);
  };
  add("Cache-Control", "no-store");
  add("Referrer-Policy", "no-referrer");
  add("X-Content-Type-Options", "nosniff");
  add("X-Frame-Options", "DENY");
  add("Cross-Origin-Resource-Policy", "same-origin");
}

}  // namespace

HttpPages::HttpPages(std::string token, HttpServer::Content content)
    : token_(std::move(token)), content_(std::move(content)) {}

HttpAnswer HttpPages::answer(const HttpQuestion& question) const {
  HttpAnswer answer;
  if (question.method != "GET") {
    answer = failure(405, "only GET is answered here");
    answer.headers.emplace_back("Allow", "GET");
  } else if (token_.empty() && !question.host.empty() && !isOwnHost(question.host)) {
    answer = failure(
        403, "without a token this is for localhost only, and it was asked for as another host");
  } else if (!mayAsk(question)) {
    answer = failure(401, "a token is needed: Authorization: Bearer TOKEN, or ?token=TOKEN");
    answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  } else {
    try {
      answer = page(question);
    } catch (...) {  // what it says may hold anything
      answer = failure(500, "this could not be answered");
    }
  }
  addHeaders(answer);
  return answer;
}

bool HttpPages::mayAsk(const HttpQuestion& question) const {
  if (token_.empty()) return true;
  const auto bearer = bearerToken(question.authorization);
  const bool byHeader = bearer && isSameToken(*bearer, token_);
  const bool byQuery = question.token && isSameToken(*question.token, token_);
  return byHeader || byQuery;
}

HttpAnswer HttpPages::page(const HttpQuestion& question) const {
  HttpAnswer answer;
  if (question.path == "/") return indexPage(content_.state(), question.token.value_or(""));
  if (question.path == "/metrics") {
    answer.type = "text/plain; version=0.0.4; charset=utf-8";
    answer.body = prometheusText(content_.state());
    return answer;
  }
  if (question.path == "/healthz") {
    Health health = healthOf(content_.state());
    answer.status = health.healthy ? 200 : 503;
    answer.body = std::move(health.text);
    return answer;
  }
  const PublishedState state = content_.state();
  if (question.path == "/picture.jpg" && !state.sources.empty())
    return picture(state.sources.front().name);
  if (const auto name = sourceOfPicture(question.path)) {
    const auto isNamed = [&](const PublishedSource& source) { return source.name == *name; };
    if (std::any_of(state.sources.begin(), state.sources.end(), isNamed)) return picture(*name);
    return failure(404, "there is no source of this name");
  }
  return failure(404, "there are /, /metrics, /healthz, /picture.jpg and /picture/SOURCE.jpg");
}

HttpAnswer HttpPages::picture(const std::string& source) const {
  const std::vector<unsigned char> jpeg = content_.picture(source);
  if (jpeg.empty()) {
    HttpAnswer none = failure(503, "there is no picture yet");
    none.headers.emplace_back("Retry-After", "1");
    return none;
  }
  HttpAnswer answer;
  answer.type = "image/jpeg";
  answer.body.assign(jpeg.begin(), jpeg.end());
  return answer;
}

}  // namespace mpm::monitor
