#include "conform/known.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "config/table_reader.h"

namespace crossbind::conform {
namespace {

Result<KnownDivergence> read_one(const toml::table& table, const config::Document& document) {
  config::TableReader reader(table, "[[divergence]]", document);
  KnownDivergence known;
  known.model = reader.text("model");
  known.part = reader.choice<Part>("part", kParts);
  known.kind = reader.choice<Kind>("kind", kKinds);
  if (reader.has("layer")) {
    known.layer = reader.text("layer");
  }
  if (reader.has("step")) {
    known.step = reader.integer("step", 1);
  }
  known.why = reader.text("why");
  CB_TRY(reader.finish());
  return known;
}

bool matches(const KnownDivergence& known, const Divergence& divergence) {
  return known.part == divergence.part && known.kind == divergence.kind &&
         known.layer == divergence.layer;
}

// "the known divergence in layer fc1, kind update of the probe"
std::string describe(const KnownDivergence& known) {
  return fmt::format("the known divergence{}, kind {} of the {}",
                     known.layer.empty() ? "" : " in layer " + known.layer,
                     name_in(kKinds, known.kind),
                     name_in(kParts, known.part));
}

}  // namespace

Result<std::vector<KnownDivergence>> load_known(const std::filesystem::path& path) {
  std::vector<KnownDivergence> list;
  if (!std::filesystem::exists(path)) {
    return list;
  }
  CB_ASSIGN(const auto text, read_file(path));
  CB_ASSIGN(const auto root, config::parse(text, path.string()));
  const config::Document document{path.string(), {}};
  config::TableReader reader(root, "", document);
  const toml::array* entries = reader.array("divergence");
  CB_TRY(reader.finish());
  for (const auto& entry : *entries) {
    if (!entry.is_table()) {
      reader.complain("divergence", "tables [[divergence]]");
      break;
    }
    CB_ASSIGN(auto known, read_one(*entry.as_table(), document));
    list.push_back(std::move(known));
  }
  CB_TRY(reader.finish());
  return list;
}

void apply_known(const std::vector<KnownDivergence>& known, int64_t looked, Verdict& verdict) {
  for (const auto& one : known) {
    const auto part = std::ranges::find(verdict.parts, one.part, &PartFinding::part);
    if (one.model != verdict.model || part == verdict.parts.end()) {
      continue;
    }
    const bool is_due = one.step <= looked;
    if (part->divergence && matches(one, *part->divergence)) {
      part->outcome = Outcome::kKnown;
      part->reason = one.why;
    } else if (is_due && part->divergence) {
      verdict.missed.push_back(describe(one) + " has changed");
    } else if (is_due && agrees(part->outcome)) {
      verdict.missed.push_back(describe(one) + " has vanished");
    }
  }
  const auto is = [](Outcome outcome) {
    return [outcome](const PartFinding& part) { return part.outcome == outcome; };
  };
  const auto first_known = std::ranges::find_if(verdict.parts, is(Outcome::kKnown));
  if (verdict.outcome == Outcome::kDiverges && first_known != verdict.parts.end() &&
      std::ranges::none_of(verdict.parts, is(Outcome::kDiverges))) {
    verdict.outcome = Outcome::kKnown;
    verdict.reason = first_known->reason;
  }
}

}  // namespace crossbind::conform
