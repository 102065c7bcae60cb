#include "store/sqlite_check.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include "store/record.h"
#include "store/sqlite_row.h"

namespace crossbind::store {
namespace {

using Problems = std::vector<std::string>;

void check_structure(const SQLite::Database& database, Problems& problems) {
  SQLite::Statement integrity(database, "PRAGMA integrity_check");
  while (integrity.executeStep()) {
    const auto line = integrity.getColumn(0).getString();
    if (line != "ok") {
      problems.push_back("SQLite: " + line);
    }
  }
  SQLite::Statement links(database, "PRAGMA foreign_key_check");
  while (links.executeStep()) {
    problems.push_back(fmt::format("table {} names a row of {} that is not there",
                                   links.getColumn(0).getString(),
                                   links.getColumn(2).getString()));
  }
}

void check_studies(const SQLite::Database& database, Problems& problems) {
  SQLite::Statement select(database, "SELECT sha256, name, text FROM study ORDER BY id");
  while (select.executeStep()) {
    Columns row(select);
    const std::string sha256 = row.text();
    StudyRecord study;
    study.name = row.text();
    study.text = row.text();
    if (id_of(study).sha256 != sha256) {
      problems.push_back(
          fmt::format("study '{}' is not what its SHA-256 {} was taken of", study.name, sha256));
    }
  }
}

void check_environments(const SQLite::Database& database, Problems& problems) {
  SQLite::Statement select(database, "SELECT id, sha256 FROM environment ORDER BY id");
  SQLite::Statement entries(database,
                            "SELECT name, value FROM environment_entry WHERE environment = ?");
  while (select.executeStep()) {
    Environment environment;
    entries.reset();
    entries.bind(1, select.getColumn(0).getInt64());
    while (entries.executeStep()) {
      environment[entries.getColumn(0).getString()] = entries.getColumn(1).getString();
    }
    const auto sha256 = select.getColumn(1).getString();
    if (sha256_of(environment) != sha256) {
      problems.push_back(
          fmt::format("an environment is not what its SHA-256 {} was taken of", sha256));
    }
  }
}

// A query for the identities of trials that have something wrong, and what that is.
struct TrialRule {
  const char* query;
  const char* problem;
};

constexpr std::array<TrialRule, 5> kTrialRules = {{
    {"SELECT identity FROM trial WHERE outcome NOT IN ('done', 'unsupported', 'failed')",
     "has an outcome that there is not"},
    {"SELECT identity FROM trial WHERE outcome <> 'done' AND reason = ''",
     "is not done and has no reason"},
    {"SELECT identity FROM trial WHERE outcome = 'done' AND reason <> ''",
     "is done and has a reason for not being so"},
    {"SELECT identity FROM trial WHERE id NOT IN (SELECT trial FROM study_trial)",
     "belongs to no study"},
    {"SELECT DISTINCT identity FROM trial JOIN ("
     "SELECT trial FROM sample GROUP BY trial, metric, epoch "
     "HAVING min(step) <> 0 OR max(step) <> count(*) - 1) AS gap ON gap.trial = trial.id",
     "has samples whose steps do not count from 0"},
}};

void check_trials(const SQLite::Database& database, Problems& problems) {
  for (const auto& rule : kTrialRules) {
    SQLite::Statement select(database, std::string(rule.query) + " ORDER BY trial.id");
    while (select.executeStep()) {
      problems.push_back(fmt::format("trial {} {}", select.getColumn(0).getString(), rule.problem));
    }
  }
}

}  // namespace

std::vector<std::string> problems_of(const SQLite::Database& database) {
  Problems problems;
  for (const auto check : {check_structure, check_studies, check_environments, check_trials}) {
    try {
      check(database, problems);
    } catch (const SQLite::Exception& exception) {
      // In a damaged file some queries fail; the others may still find something.
      problems.push_back(fmt::format("SQLite: {}", exception.what()));
    }
  }
  return problems;
}

}  // namespace crossbind::store
