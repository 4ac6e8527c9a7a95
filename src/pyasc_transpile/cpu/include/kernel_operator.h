// Ascend C for a plain CPU. See ascendc_cpu/instruction.h for how instructions are built, ascendc_cpu/launch.h for the host.
#ifndef ASCENDC_CPU_KERNEL_OPERATOR_H
#define ASCENDC_CPU_KERNEL_OPERATOR_H

#include "ascendc_cpu/qualifiers.h"

#include "ascendc_cpu/copy.h"
#include "ascendc_cpu/copy_pad.h"
#include "ascendc_cpu/launch.h"
#include "ascendc_cpu/numeric.h"
#include "ascendc_cpu/params.h"
#include "ascendc_cpu/pipe.h"
#include "ascendc_cpu/queue.h"
#include "ascendc_cpu/sync.h"
#include "ascendc_cpu/system.h"
#include "ascendc_cpu/tensor.h"
#include "ascendc_cpu/vector_binary.h"
#include "ascendc_cpu/vector_bits.h"
#include "ascendc_cpu/vector_cast.h"
#include "ascendc_cpu/vector_compare.h"
#include "ascendc_cpu/vector_fill.h"
#include "ascendc_cpu/vector_gather.h"
#include "ascendc_cpu/vector_mask.h"
#include "ascendc_cpu/vector_reduce.h"
#include "ascendc_cpu/vector_scalar.h"
#include "ascendc_cpu/vector_select.h"
#include "ascendc_cpu/vector_transpose.h"
#include "ascendc_cpu/vector_unary.h"

#endif
