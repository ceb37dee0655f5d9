// SPDX-License-Identifier: Apache-2.0
// What a client says to the HTTP server, which answers it or closes the connection.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "monitor/publish/http_server.h"
#include "monitor/publish/sample_state.h"

namespace {

using namespace mpm::monitor;

HttpServer& server() {
  static HttpServer server({"127.0.0.1", 0, "token"},
                           {[] { return sampleState(); },
                            [](const std::string&) { return std::vector<unsigned char>(100); }});
  return server;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  pageAt({reinterpret_cast<const char*>(bytes), size}, "token",
         {[] { return sampleState(); },
          [](const std::string&) { return std::vector<unsigned char>(); }});
  const int client = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(server().port()));
  inet_pton(AF_INET, "127.0.0.1", &address.sin_addr);
  if (connect(client, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    close(client);  // this machine has no port left for a while
    return 0;
  }
  send(client, bytes, size, MSG_NOSIGNAL);
  shutdown(client, SHUT_WR);
  std::array<char, 4096> answer;
  while (read(client, answer.data(), answer.size()) > 0) {
  }
  close(client);
  return 0;
}
