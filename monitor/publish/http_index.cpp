// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/http_index.h"

#include <random>

#include "monitor/publish/utf8.h"

namespace mpm::monitor {
namespace {

std::string escapedHtml(const std::string& text) {
  std::string escaped;
  for (const char c : validUtf8(text)) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

std::string hexOf(unsigned value, int digits) {
  std::string text(static_cast<std::size_t>(digits), '0');
  for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4)
    *digit = "0123456789abcdef"[value & 15];
  return text;
}

std::string escapedQuery(const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    escaped += plain ? std::string(1, c) : '%' + hexOf(static_cast<unsigned char>(c), 2);
  }
  return escaped;
}

/// Never the same twice: the script of this answer runs, and no other.
std::string nonce() {
  std::random_device chance;
  std::string text;
  for (int i = 0; i < 4; ++i) text += hexOf(chance(), 8);
  return text;
}

constexpr const char* kStyle =
    "body{font:16px sans-serif;margin:1.5em;background:#16181c;color:#e4e6ea}a{color:#8ab4f8}"
    "img{max-width:100%;background:#000;min-height:4em}section{margin:1.5em 0}small{color:#9aa0a6}";

// A picture is asked for again a second after the one before has come, and five after none came.
constexpr const char* kScript =
    "for(const i of document.images){const from=i.dataset.from;"
    "const again=()=>{i.src=from+(from.includes('?')?'&':'?')+'at='+Date.now()};"
    "i.onload=()=>setTimeout(again,1000);i.onerror=()=>setTimeout(again,5000);again()}";

std::string sectionOf(const PublishedSource& source, const std::string& query) {
  std::string text = "<section><h2>" + escapedHtml(source.name) + "</h2>\n<p>";
  text += nameOf(source.capture.state);
  if (source.latest) text.append(", ").append(nameOf(source.latest->light));
  text += ", " + std::to_string(source.frames) + " frames <small>" + escapedHtml(source.shown) +
          "</small></p>\n";
  if (!source.capture.fault.empty()) text += "<p>" + escapedHtml(source.capture.fault) + "</p>\n";
  const std::string picture = "/picture/" + escapedHtml(source.name) + ".jpg" + query;
  return text + "<img alt=\"" + escapedHtml(source.name) + "\" data-from=\"" + picture +
         "\">\n<p><a href=\"" + picture + "\">picture</a></p></section>\n";
}

}  // namespace

HttpAnswer indexPage(const PublishedState& state, const std::string& token) {
  const std::string query = token.empty() ? "" : "?token=" + escapedQuery(token);
  const std::string once = nonce();
  std::string page =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width\"><title>mpm monitor</title>"
      "<style nonce=\"" +
      once + "\">" + kStyle + "</style></head><body>\n";
  page += "<h1>mpm monitor</h1>\n<p><small>" + escapedHtml(state.version) + ' ' +
          escapedHtml(state.model) + "</small></p>\n<p><a href=\"/metrics" + query +
          "\">metrics</a> <a href=\"/healthz" + query + "\">health</a></p>\n";
  for (const PublishedSource& source : state.sources) page += sectionOf(source, query);
  page += "<script nonce=\"" + once + "\">" + kScript + "</script></body></html>\n";

  HttpAnswer answer;
  answer.type = "text/html; charset=utf-8";
  answer.body = std::move(page);
  answer.headers.emplace_back("Content-Security-Policy",
                              "default-src 'none'; img-src 'self'; base-uri 'none'; "
                              "form-action 'none'; frame-ancestors 'none'; style-src 'nonce-" +
                                  once + "'; script-src 'nonce-" + once + "'");
  return answer;
}

}  // namespace mpm::monitor
