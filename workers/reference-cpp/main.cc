// The worker of reference/cpp: the float64 referee, out of process.
#include "referee_binding.h"

int main() {
  crossbind::worker::RefereeBinding binding;
  return crossbind::worker::serve(binding, crossbind::worker::referee_greeting());
}
