// What the referee says of a binding, in one word for judged steps and for conform's verdicts.
#pragma once

namespace crossbind::tasks {

enum class Ruling {
  kNone,      // it has said nothing
  kAgrees,    // all is within what rounding may do
  kDiverges,  // something is not, whether that was expected or not
};

}  // namespace crossbind::tasks
