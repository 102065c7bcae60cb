// The command serve of a portable program: Debian has the server's library only as one to be
// loaded.
#include "base/error.h"
#include "cli/command_line.h"
#include "cli/commands.h"

namespace crossbind::cli {

void add_serve_command(Command& program) {
  Command command = program.subcommand("serve", "A dashboard in the browser: not in this program");
  command.runs([]() -> Result<int> {
    return fail(ErrorKind::kUnsupported,
                "this program was built without the server; 'make build' in a clone of crossbind "
                "makes one that has it, and 'crossbind report' writes the same plots to a file");
  });
}

}  // namespace crossbind::cli
