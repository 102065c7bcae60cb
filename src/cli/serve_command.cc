#include <nlohmann/json.hpp>

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "app/claims_files.h"
#include "app/planned_trials.h"
#include "app/resources.h"
#include "app/server_address.h"
#include "app/signal_scope.h"
#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/json_text.h"
#include "serve/server.h"
#include "store/open.h"

namespace crossbind::cli {
namespace {

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

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

Result<process::Listener> listen(const ServeOptions& options) {
  return process::Listener::listen_tcp(options.host, static_cast<uint16_t>(options.port))
      .map_error([&](Error&& error) {
        return std::move(error).with_hint(fmt::format(
            "Another program may have this port: choose another by --port, or any by --port 0; and "
            "--host must be an address of this machine."));
      });
}

std::string name_of_machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

// The token stands behind the #, which a browser does not send.
void say(const ServeOptions& options, const std::string& url, const app::ServerToken& token) {
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
                  options.token_file.empty() ? app::kTokenVariable : options.token_file.c_str());
    }
  }
  std::fflush(stdout);
}

Result<int> serve(const ServeOptions& options) {
  CB_TRY(store::open_for_reading(options.store));
  CB_ASSIGN(const auto token,
            app::server_token(options.token_file, variable(app::kTokenVariable), options.host));
  const auto machine = app::this_machine();
  serve::ServerSettings settings;
  settings.store = options.store;
  CB_ASSIGN(settings.claims, app::read_ready_claims(machine.claims));
  settings.count_planned = [&](const store::StudyRecord& study) {
    return app::planned_trials(study, machine);
  };
  settings.access = {serve::is_loopback(options.host), token.text, serve::random_token()};
  settings.limits.patience = std::chrono::seconds(options.patience);
  process::StopSignal stop;
  const app::SignalScope signals(stop);
  CB_ASSIGN(auto listener, listen(options));
  say(options, app::server_url(options.host, listener.address(), name_of_machine()), token);
  CB_TRY(serve::serve_store(settings, std::move(listener), stop.orderly().descriptor()));
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
