#include "claims/claim_reader.h"

#include <algorithm>
#include <set>

#include "base/file.h"
#include "claims/test_reader.h"

namespace crossbind::claims {
namespace {

using config::Document;
using config::TableReader;

// Every text of a test in which "$name" may stand.
void gather(const Expression& expression, std::vector<std::string>& texts) {
  for (const auto& [name, value] : expression.labels) {
    texts.push_back(value);
  }
  for (const auto& operand : expression.operands) {
    gather(operand, texts);
  }
}

void gather(const Test& test, std::vector<std::string>& texts) {
  for (const auto& operand : test.operands) {
    gather(operand, texts);
  }
  texts.insert(texts.end(), test.is.begin(), test.is.end());
  texts.insert(texts.end(), test.is_not.begin(), test.is_not.end());
}

// "$name" must stand for something.
Status check_variables(const Check& check, const TableReader& reader) {
  std::set<std::string, std::less<>> names;
  for (const Grid* grid : {&check.each, &check.some}) {
    for (const auto& part : grid->parts) {
      for (const auto& [name, values] : part) {
        names.insert(name.substr(name.starts_with('$') ? 1 : 0));
      }
    }
  }
  std::vector<std::string> texts;
  for (const auto& test : check.tests) {
    gather(test, texts);
  }
  for (const auto& text : texts) {
    for (const auto& variable : variables_of(text)) {
      if (!names.contains(variable)) {
        return tl::unexpected(reader.error(fmt::format(
            "\"{}\" names ${}, which is neither in 'each' nor in 'some'", text, variable)));
      }
    }
  }
  return {};
}

Status read_also(TableReader& reader, const Where& where, Check& check) {
  if (!reader.has("also")) {
    return {};
  }
  const auto* tests = reader.array("also");
  for (size_t i = 0; tests != nullptr && i < tests->size(); ++i) {
    const auto* table = tests->get(i)->as_table();
    if (table == nullptr) {
      reader.complain("also", "an array of tables");
      break;
    }
    TableReader test_reader(*table, where.subject + ", also", where.document);
    CB_ASSIGN(auto test, read_test(test_reader, *table, where));
    CB_TRY(test_reader.finish());
    check.tests.push_back(std::move(test));
  }
  return {};
}

Result<Check> read_check(const toml::table& table, const Where& where) {
  TableReader reader(table, where.subject, where.document);
  Check check;
  check.text = reader.has("text") ? reader.text("text") : "";
  CB_ASSIGN(check.each, read_grid(reader, table, "each", where));
  CB_ASSIGN(check.some, read_grid(reader, table, "some", where));
  CB_ASSIGN(check.otherwise, read_labels(reader, table, "otherwise", where));
  if (reader.has("share_above")) {
    check.share_above = reader.number("share_above", config::kBelowOne);
  }
  if (reader.has("share_at_least")) {
    check.share_at_least = reader.number("share_at_least", config::kUpToOne);
  }
  CB_ASSIGN(auto test, read_test(reader, table, where));
  check.tests.push_back(std::move(test));
  CB_TRY(read_also(reader, where, check));
  CB_TRY(reader.finish());
  CB_TRY(check_variables(check, reader));
  return check;
}

Result<Claim> read_claim(const toml::table& table, const Document& document) {
  TableReader reader(table, "a claim", document);
  Claim claim;
  claim.id = reader.name("id");
  claim.text = reader.text("text");
  claim.printed = reader.has("printed") ? reader.text("printed") : "";
  const auto* checks = reader.array("check");
  CB_TRY(reader.finish());
  for (const auto& node : *checks) {
    const auto* check_table = node.as_table();
    if (check_table == nullptr) {
      reader.complain("check", "an array of tables");
      break;
    }
    CB_ASSIGN(auto check, read_check(*check_table, {document, fmt::format("claim {}", claim.id)}));
    claim.checks.push_back(std::move(check));
  }
  CB_TRY(reader.finish());
  return claim;
}

}  // namespace

Result<ClaimList> read_claims(std::string_view text, const std::string& place) {
  const Document document{place, {}};
  CB_ASSIGN(const toml::table table, config::parse(text, place));
  TableReader reader(table, "", document);
  ClaimList list;
  list.title = reader.text("title");
  const auto* claims = reader.array("claim");
  CB_TRY(reader.finish());
  std::set<std::string> ids;
  for (const auto& node : *claims) {
    const auto* claim_table = node.as_table();
    if (claim_table == nullptr) {
      reader.complain("claim", "an array of tables");
      break;
    }
    CB_ASSIGN(auto claim, read_claim(*claim_table, document));
    if (!ids.insert(claim.id).second) {
      return tl::unexpected(Error{ErrorKind::kInvalid,
                                  fmt::format("there are two claims {}", claim.id),
                                  config::place_of(document, *claim_table),
                                  {}});
    }
    list.claims.push_back(std::move(claim));
  }
  CB_TRY(reader.finish());
  return list;
}

Result<ClaimList> read_claims_file(const std::filesystem::path& path) {
  CB_ASSIGN(const std::string text, read_file(path));
  return read_claims(text, path.string());
}

}  // namespace crossbind::claims
