// Writes the made-up store of the report's tests to a file: made_up_store FILE.
#include <cstdio>

#include "report/made_up.h"
#include "store/sqlite_store.h"

namespace {

crossbind::Status write_store(const char* path) {
  CB_ASSIGN(auto store,
            crossbind::store::SqliteStore::open(path, crossbind::store::Access::kReadWrite));
  return store.transact([&] { return crossbind::report::make_up(store); });
}

}  // namespace

int main(int argc, char** argv) {
  const auto status = argc == 2 ? write_store(argv[1]) : crossbind::Status();
  if (argc != 2 || !status) {
    std::fprintf(stderr,
                 "made_up_store: %s\n",
                 argc == 2 ? status.error().to_string().c_str() : "wants the name of a file");
    return 1;
  }
  return 0;
}
