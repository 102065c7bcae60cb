// How a worker introduces itself.
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

#include "checkup/examination.h"
#include "model/features.h"
#include "model/names.h"
#include "protocol/codec.h"
#include "trial/binding_name.h"
#include "trial/device.h"

namespace crossbind::checkup {
namespace {

using trial::Capabilities;

Status says_hello_over_a_unix_socket(Examination& examination) {
  CB_ASSIGN(auto conversation, examination.start());
  CB_ASSIGN(auto hello, conversation.hear_hello());
  examination.keep({std::move(hello), conversation.token()});
  return {};
}

Status gives_back_the_token(Examination& examination) {
  const auto& [hello, token] = examination.greeting();
  if (hello.token != token) {
    return wrong(
        "expected the value of {}, came {:?}", protocol::kTokenVariable, hello.token.substr(0, 80));
  }
  return {};
}

Status speaks_this_version_of_the_protocol(Examination& examination) {
  const auto& hello = examination.greeting().hello;
  if (hello.protocol != protocol::kVersion) {
    return wrong("expected protocol {}, came {}", protocol::kVersion, hello.protocol);
  }
  return {};
}

Status says_the_same_over_tcp(Examination& examination) {
  CB_ASSIGN(auto conversation, examination.start(place::Reach::kTcp));
  CB_ASSIGN(const auto hello, conversation.hear_hello());
  const auto& before = examination.greeting().hello;
  if (hello.token != conversation.token()) {
    return wrong("expected the value of {} in hello", protocol::kTokenVariable);
  }
  if (hello.binding != before.binding || hello.versions != before.versions ||
      hello.leaves_capabilities != before.leaves_capabilities ||
      (!hello.leaves_capabilities && !(hello.capabilities == before.capabilities))) {
    return wrong("its hello is another one than over a Unix socket");
  }
  return {};
}

Status calls_itself_framework_slash_language(Examination& examination) {
  const std::string& name = examination.greeting().hello.binding;
  const std::string& expected = examination.candidate().binding;
  if (!expected.empty() && name != expected) {
    return wrong("expected the binding {:?}, came {:?}", expected, name);
  }
  if (!trial::BindingName(name).is_whole()) {
    return wrong("expected a binding like \"pytorch/rust\", came {:?}", name);
  }
  return {};
}

Status names_the_versions_that_decide_its_results(Examination& examination) {
  const auto& versions = examination.greeting().hello.versions;
  if (versions.empty()) {
    return wrong("expected at least the version of the framework, came no versions");
  }
  for (const auto& [name, version] : versions) {
    if (name.empty() || version.empty()) {
      return wrong("expected a name and a text for each, came {:?}: {:?}", name, version);
    }
  }
  return {};
}

Status known(const char* member,
             const std::vector<std::string>& words,
             const std::vector<std::string>& known_words) {
  for (const std::string& word : words) {
    if (std::ranges::find(known_words, word) == known_words.end()) {
      return wrong(
          "'{}' has the unknown word {:?}; known: {}", member, word, fmt::join(known_words, ", "));
    }
  }
  return {};
}

Status claims_in_the_words_of_the_protocol(Examination& examination) {
  if (examination.greeting().hello.leaves_capabilities && !examination.candidate().declared) {
    return wrong("hello has no 'capabilities', and there is no worker.toml that has them");
  }
  const Capabilities& able = examination.able();
  std::vector<std::string> losses;
  losses.reserve(model::kLosses.size());
  for (const auto& loss : model::kLosses) {
    losses.emplace_back(loss.name);
  }
  CB_TRY(known("devices", able.devices, trial::all_devices()));
  CB_TRY(known("layers", able.layers, model::all_layer_types()));
  CB_TRY(known("losses", able.losses, losses));
  CB_TRY(known("optimizers", able.optimizers, {"sgd", "adam"}));
  const bool trains = examination.need(trial::Task::kTrain).has_value();
  for (const auto& [member, is_empty] :
       {std::pair{"tasks", able.tasks.empty()},
        std::pair{"devices", able.devices.empty()},
        std::pair{"loaders", able.loaders.empty()},
        std::pair{"variants", able.variants.empty()},
        std::pair{"measures", able.measures.empty()},
        std::pair{"losses", trains && able.losses.empty()},
        std::pair{"optimizers", trains && able.optimizers.empty()},
        std::pair{"training_accuracies", trains && able.training_accuracies.empty()}}) {
    if (is_empty) {
      return wrong("'{}' is empty: nothing could ever be asked of it", member);
    }
  }
  return {};
}

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// What a worker claims, as it stands in a hello.
Json claims_of(const Capabilities& able) {
  protocol::Hello hello;
  hello.capabilities = able;
  return Json::parse(protocol::encode(protocol::Event(hello))).at("capabilities");
}

Words words_of(const Json& claims, const std::string& member) {
  const Json claim = claims.value(member, Json::array());
  Words words;
  if (!claim.is_structured()) {
    return {claim.is_string() ? claim.get<std::string>() : claim.dump()};
  }
  for (const auto& [name, value] : claim.items()) {
    const std::string word = value.get<std::string>();
    words.push_back(claim.is_object() ? fmt::format("{} = {}", name, word) : word);
  }
  return words;
}

Words without(const Words& words, const Words& others) {
  Words left;
  std::ranges::copy_if(words, std::back_inserter(left), [&](const std::string& word) {
    return std::ranges::find(others, word) == others.end();
  });
  return left;
}

// "layers (worker.toml alone has relu)".
std::string difference(const std::string& member, const Words& said, const Words& stated) {
  std::vector<std::string> sides;
  for (const auto& [who, words] : {std::pair{"hello", without(said, stated)},
                                   std::pair{"worker.toml", without(stated, said)}}) {
    if (!words.empty()) {
      sides.push_back(fmt::format("{} alone has {}", who, fmt::join(words, ", ")));
    }
  }
  if (sides.empty()) {
    sides.emplace_back("in another order");
  }
  return fmt::format("{} ({})", member, fmt::join(sides, ", "));
}

Status claims_what_its_manifest_says(Examination& examination) {
  const auto& declared = examination.candidate().declared;
  if (!declared) {
    return skip("there is no worker.toml to compare with");
  }
  if (examination.greeting().hello.leaves_capabilities) {
    return skip("it leaves its capabilities to worker.toml");
  }
  const Json said = claims_of(examination.able());
  const Json stated = claims_of(*declared);
  Json all = stated;
  all.update(said);
  std::vector<std::string> differences;
  for (const auto& [member, claim] : all.items()) {
    const Words in_hello = words_of(said, member);
    const Words in_manifest = words_of(stated, member);
    if (in_hello != in_manifest) {
      differences.push_back(difference(member, in_hello, in_manifest));
    }
  }
  if (!differences.empty()) {
    return wrong("hello and worker.toml differ: {}", fmt::join(differences, "; "));
  }
  return {};
}

}  // namespace

std::vector<Check> greeting_checks() {
  constexpr auto kAll = Stops::kEverything;
  return {
      {"greeting",
       "says hello over a Unix socket",
       "Greeting",
       says_hello_over_a_unix_socket,
       kAll},
      {"greeting",
       "speaks this version of the protocol",
       "Greeting",
       speaks_this_version_of_the_protocol,
       kAll},
      {"greeting", "gives back the token", "Connection", gives_back_the_token, kAll},
      {"greeting", "says the same over TCP", "Connection", says_the_same_over_tcp},
      {"greeting",
       "calls itself framework/language",
       "Greeting",
       calls_itself_framework_slash_language},
      {"greeting",
       "names the versions that decide its results",
       "Greeting",
       names_the_versions_that_decide_its_results},
      {"greeting",
       "claims in the words of the protocol",
       "Greeting",
       claims_in_the_words_of_the_protocol},
      {"greeting", "claims what its manifest says", "Greeting", claims_what_its_manifest_says},
  };
}

}  // namespace crossbind::checkup
