// The worker of reference/cpp: the float64 referee, out of process.
#include "referee_binding.h"

int main() {
  return crossbind::worker::serve_referee();
}
