// Values into and out of an SQLite statement, one after the other.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <optional>
#include <string>

namespace crossbind::store {

// Binds the parameters of a statement from left to right; execute() makes it ready for the next
// row. Text is not copied: it must live until then.
class Parameters {
 public:
  explicit Parameters(SQLite::Statement& statement) : statement_(statement) {}

  Parameters& text(const std::string& value) {
    statement_.bindNoCopy(next_++, value);
    return *this;
  }
  Parameters& blob(const std::string& value) {
    statement_.bindNoCopy(next_++, value.data(), static_cast<int>(value.size()));
    return *this;
  }
  Parameters& integer(int64_t value) {
    statement_.bind(next_++, value);
    return *this;
  }
  Parameters& real(double value) {
    statement_.bind(next_++, value);
    return *this;
  }
  Parameters& integer(const std::optional<int64_t>& value) {
    return value ? integer(*value) : null();
  }
  Parameters& real(const std::optional<double>& value) { return value ? real(*value) : null(); }

  void execute() {
    statement_.exec();
    statement_.reset();
  }

 private:
  Parameters& null() {
    statement_.bind(next_++);
    return *this;
  }

  SQLite::Statement& statement_;
  int next_ = 1;
};

// Reads the columns of a statement's row from left to right.
class Columns {
 public:
  explicit Columns(const SQLite::Statement& statement) : statement_(statement) {}

  [[nodiscard]] std::string text() { return statement_.getColumn(next_++).getString(); }
  [[nodiscard]] int64_t integer() { return statement_.getColumn(next_++).getInt64(); }
  [[nodiscard]] double real() { return statement_.getColumn(next_++).getDouble(); }
  [[nodiscard]] std::optional<int64_t> optional_integer() {
    return is_null() ? std::nullopt : std::optional(integer());
  }
  [[nodiscard]] std::optional<double> optional_real() {
    return is_null() ? std::nullopt : std::optional(real());
  }

 private:
  bool is_null() {
    const bool null = statement_.isColumnNull(next_);
    next_ += null ? 1 : 0;
    return null;
  }

  const SQLite::Statement& statement_;
  int next_ = 0;
};

}  // namespace crossbind::store
