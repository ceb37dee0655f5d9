// SPDX-License-Identifier: Apache-2.0
#include "monitor/publish/published.h"

#include <httplib.h>

#include <utility>

#include "monitor/statistics/metrics.h"

namespace mpm::monitor {
namespace {

// Allows only these two styles and scripts, by their SHA-256, and nothing from elsewhere.
constexpr const char* kBegin =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src 'self'; "
    "base-uri 'none'; form-action 'none'; style-src "
    "'sha256-4MMM3J3OCw1Ew5DnUjs4sxyFAsSO+2rqydIlAX8f7Es='; "
    "script-src 'sha256-Oynxom7jwsMuanguuZjnQzNcz/oqEKJlTeJiQHhmVoA='\">"
    "<meta name=\"viewport\" content=\"width=device-width\"><title>mpm watch</title><style>"
    "body{font:16px sans-serif;margin:1.5em;background:#16181c;color:#e4e6ea}a{color:#8ab4f8}"
    "img{max-width:100%;background:#000;min-height:4em}section{margin:1.5em 0}small{color:#9aa0a6}"
    "</style></head><body>\n<h1>mpm watch</h1>\n";

// Requests a picture again one second after the last one, and five seconds after a failure.
constexpr const char* kEnd =
    "<script>for(const i of document.images){const from=i.dataset.from;"
    "const again=()=>{i.src=from+(from.includes('?')?'&':'?')+'at='+Date.now()};"
    "i.onload=()=>setTimeout(again,1000);i.onerror=()=>setTimeout(again,5000);again()}</script>"
    "</body></html>\n";

std::string escaped(const std::string& text) {
  constexpr std::string_view signs = "&<>\"'";
  constexpr const char* kNames[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
  std::string html;
  for (const char c : validUtf8(text)) {
    const std::size_t sign = signs.find(c);
    html += sign == signs.npos ? std::string(1, c) : kNames[sign];
  }
  return html;
}

std::string secondsText(std::int64_t ms) { return std::to_string((ms + 500) / 1000) + " s"; }

/// Describes what is wrong with a source; empty if nothing is.
std::string complaint(const PublishedSource& source) {
  const CaptureStatus& capture = source.capture;
  std::string text;
  switch (capture.state) {
    case CaptureState::live:
    case CaptureState::ended:
      return source.netFault.empty() ? "" : "the model fails on its frames: " + source.netFault;
    case CaptureState::opening:
      text = "opening";
      break;
    case CaptureState::stale:
      text = "no new frame for " + secondsText(capture.msSinceFrame);
      break;
    case CaptureState::waiting:
      text = "not available, next try in " + secondsText(capture.msToNextTry);
      break;
  }
  return capture.fault.empty() ? text : text + ": " + capture.fault;
}

std::string sectionOf(const PublishedSource& source, const std::string& query) {
  const std::string name = escaped(source.name), picture = "/picture/" + name + ".jpg" + query;
  std::string text = "<section><h2>" + name + "</h2>\n<p>";
  text += nameOf(source.capture.state);
  if (source.latest) text.append(", ").append(nameOf(source.latest->light));
  text += ", " + std::to_string(source.frames) + " frames <small>" + escaped(source.shown) +
          "</small></p>\n";
  if (!source.capture.fault.empty()) text += "<p>" + escaped(source.capture.fault) + "</p>\n";
  return text + "<img alt=\"" + name + "\" data-from=\"" + picture + "\">\n<p><a href=\"" +
         picture + "\">picture</a></p></section>\n";
}

/// Lists each source with its picture, which reloads every second, and links with `token`.
std::string indexPage(const PublishedState& state, const std::string& token) {
  const std::string query =
      token.empty() ? "" : escaped(httplib::append_query_params("", {{"token", token}}));
  std::string page = kBegin;
  page += "<p><small>" + escaped(state.version + ' ' + state.model) +
          "</small></p>\n<p><a href=\"/metrics" + query + "\">metrics</a> <a href=\"/healthz" +
          query + "\">health</a></p>\n";
  for (const PublishedSource& source : state.sources) page += sectionOf(source, query);
  return page + kEnd;
}

}  // namespace

Health healthOf(const PublishedState& state) {
  constexpr std::int64_t kLongestFrameMs = 30000;  // of the net
  Health health;
  const auto tell = [&](const std::string& name, std::string wrong) {
    for (char& c : wrong) c = c == '\n' || c == '\r' ? ' ' : c;
    if (!wrong.empty()) health.healthy = false;
    health.text += name + ": " + (wrong.empty() ? "ok" : wrong) + '\n';
  };
  for (const PublishedSource& source : state.sources) tell(source.name, complaint(source));
  tell("model", state.netStillMs > kLongestFrameMs
                    ? "has been working on one frame for " + secondsText(state.netStillMs)
                    : "");
  if (state.record) tell("record", state.record->fault);
  if (state.record && !state.record->backupFault.empty()) tell("backup", state.record->backupFault);
  return health;
}

Page pageAt(const std::string& path, const std::string& token, const PageContent& content) {
  const PublishedState state = content.state();
  if (path == "/") return {200, indexPage(state, token), "text/html; charset=utf-8"};
  if (path == "/metrics")
    return {200, prometheusText(state), "text/plain; version=0.0.4; charset=utf-8"};
  if (path == "/healthz") {
    Health health = healthOf(state);
    return {health.healthy ? 200 : 503, std::move(health.text)};
  }
  for (const PublishedSource& source : state.sources) {
    if (path != "/picture.jpg" && path != "/picture/" + source.name + ".jpg") continue;
    const std::vector<unsigned char> jpeg = content.picture(source.name);
    if (jpeg.empty())
      return {503, "there is no picture yet\n", "text/plain; charset=utf-8", {"Retry-After", "1"}};
    return {200, {jpeg.begin(), jpeg.end()}, "image/jpeg"};
  }
  return {404,
          "not found; the pages are /, /metrics, /healthz, /picture.jpg and /picture/SOURCE.jpg\n"};
}

}  // namespace mpm::monitor
