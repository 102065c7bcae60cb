#include <nlohmann/json.hpp>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/file.h"
#include "cli/claims_files.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "cli/planned_trials.h"
#include "cli/signal_scope.h"
#include "cli/store_choice.h"
#include "serve/server.h"

namespace crossbind::cli {
namespace {

constexpr const char* kTokenVariable = "CROSSBIND_SERVE_TOKEN";
constexpr int kDefaultPort = 8642;
constexpr int kLastPort = 65535;
constexpr int kMostPatience = 600;

// What the command line says; lives as long as the closures that read it.
struct ServeOptions {
  std::string store = store::kDefaultStore;
  std::string host = "127.0.0.1";
  int port = kDefaultPort;
  std::string token_file;
  int patience = 10;  // seconds
  bool json = false;
};

struct Token {
  std::string text;  // empty: none is asked for
  bool is_made = false;
};

Result<std::string> checked_token(std::string text, const std::string& place) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.pop_back();
  }
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c > ' ' && c <= '~'; });
  if (text.size() < serve::kLeastToken || !is_plain) {
    return tl::unexpected(Error{
        ErrorKind::kInvalid,
        fmt::format("the token must have {} or more characters, letters, digits and signs without "
                    "spaces",
                    serve::kLeastToken),
        place,
        "`openssl rand -hex 32` makes one; without --token-file and CROSSBIND_SERVE_TOKEN one is "
        "made and printed."});
  }
  return text;
}

Result<Token> token_of(const ServeOptions& options) {
  if (!options.token_file.empty()) {
    auto content = read_file(options.token_file);
    if (!content) {
      return tl::unexpected(std::move(content).error().with_hint(
          "Put the token that clients must send into this file, or leave --token-file out: then "
          "one is made and printed."));
    }
    CB_ASSIGN(auto text, checked_token(std::move(*content), options.token_file));
    return Token{std::move(text), false};
  }
  if (const char* variable = std::getenv(kTokenVariable); variable != nullptr) {
    CB_ASSIGN(auto text, checked_token(variable, kTokenVariable));
    return Token{std::move(text), false};
  }
  return serve::is_loopback(options.host) ? Token{} : Token{serve::random_token(), true};
}

Result<process::Listener> listen(const ServeOptions& options) {
  return process::Listener::listen_tcp(options.host, static_cast<uint16_t>(options.port))
      .map_error([&](Error&& error) {
        return std::move(error).with_hint(fmt::format(
            "Another program may have this port: choose another by --port, or any by --port 0; and "
            "--host must be an address of this machine."));
      });
}

// "tcp:127.0.0.1:8642" is where it listens; a browser wants a name in place of "every address".
std::string url_of(const ServeOptions& options, const std::string& address) {
  const std::string port = address.substr(address.rfind(':') + 1);
  std::string host = options.host;
  if (host == "0.0.0.0" || host == "::") {
    std::array<char, 256> name{};
    host = ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
  }
  return fmt::format(
      "http://{}:{}/", host.find(':') == std::string::npos ? host : "[" + host + "]", port);
}

// The token stands behind the #, which a browser does not send.
void say(const ServeOptions& options, const std::string& url, const Token& token) {
  if (options.json) {
    const nlohmann::ordered_json json = {
        {"url", url},
        {"store", options.store},
        {"needs_token", !token.text.empty()},
        {"token", token.is_made ? nlohmann::ordered_json(token.text) : nlohmann::ordered_json()}};
    std::fputs((json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n")
                   .c_str(),
               stdout);
  } else {
    std::printf(
        "%s%s\n", url.c_str(), token.is_made ? fmt::format("#token={}", token.text).c_str() : "");
    std::printf("Shows %s and changes nothing in it. Ctrl-C ends it.\n", options.store.c_str());
    if (!token.text.empty() && !token.is_made) {
      std::printf("It asks for the token of %s.\n",
                  options.token_file.empty() ? kTokenVariable : options.token_file.c_str());
    }
  }
  std::fflush(stdout);
}

Result<int> serve(const ServeOptions& options) {
  CB_TRY(open_for_reading(options.store));
  CB_ASSIGN(const auto token, token_of(options));
  serve::ServerSettings settings;
  settings.store = options.store;
  CB_ASSIGN(settings.claims, read_ready_claims());
  settings.count_planned = planned_trials;
  settings.access = {serve::is_loopback(options.host), token.text, serve::random_token()};
  settings.limits.patience = std::chrono::seconds(options.patience);
  run::StopSignal stop;
  const SignalScope signals(stop);
  CB_ASSIGN(auto listener, listen(options));
  say(options, url_of(options, listener.address()), token);
  CB_TRY(serve::serve_store(settings, std::move(listener), stop.orderly_descriptor()));
  return kSuccess;
}

}  // namespace

void add_serve_command(Command& program) {
  const auto options = std::make_shared<ServeOptions>();
  Command command =
      program.subcommand("serve", "Show a store in the browser, live while a study runs");
  command.option("--store", options->store, "The store's file").shows_default();
  command.option("--port", options->port, "Where to listen; 0: any port that is free")
      .between(0, kLastPort)
      .shows_default();
  command
      .option("--host",
              options->host,
              "The address to listen on; any but that of this machine alone needs a token")
      .shows_default();
  command.option("--token-file",
                 options->token_file,
                 "A file with the token that clients must send; else CROSSBIND_SERVE_TOKEN has it");
  command
      .option("--patience",
              options->patience,
              "Seconds that a client may take for its request, and to take an answer")
      .between(1, kMostPatience)
      .shows_default();
  command.flag("--json", options->json, "Print where it listens as JSON");
  command.footer(
      "Example: crossbind serve --store crossbind.db\n"
      "         crossbind serve --port 0 --json\n"
      "         crossbind serve --host 0.0.0.0 --token-file ~/.crossbind-token\n"
      "Prints the address to open. It reads the store and never writes to it. Without --host it "
      "is\n"
      "reached from this machine alone. With another host clients must send a token; where "
      "neither\n"
      "a file nor the variable has one, one is made and printed. docs/serve.md has the API.\n"
      "Exit codes: 0 ended by Ctrl-C or SIGTERM, 1 the store cannot be read, the port is taken or\n"
      "the token is none, 2 wrong usage.");
  command.runs([options] { return serve(*options); });
}

}  // namespace crossbind::cli
