// The descriptions of all layers.
#pragma once

#include "model/layers/norms.h"
#include "model/layers/pointwise.h"
#include "model/layers/recurrent.h"
#include "model/layers/sequences.h"
#include "model/layers/windows.h"
