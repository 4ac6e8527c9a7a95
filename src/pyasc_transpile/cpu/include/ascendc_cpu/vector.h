// All vector instructions.
#ifndef ASCENDC_CPU_VECTOR_H
#define ASCENDC_CPU_VECTOR_H

#include "reduce_pattern.h"
#include "vector_binary.h"
#include "vector_cast.h"
#include "vector_compare.h"
#include "vector_fill.h"
#include "vector_free.h"
#include "vector_gather.h"
#include "vector_logic.h"
#include "vector_mask.h"
#include "vector_math.h"
#include "vector_math_config.h"
#include "vector_power.h"
#include "vector_reduce.h"
#include "vector_scalar.h"
#include "vector_select.h"
#include "vector_transpose.h"
#include "vector_unary.h"

#endif
