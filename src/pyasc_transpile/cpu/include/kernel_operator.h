// Ascend C for a plain CPU. See ascendc_cpu/instruction.h for how instructions are built, ascendc_cpu/launch.h for the host.
#ifndef ASCENDC_CPU_KERNEL_OPERATOR_H
#define ASCENDC_CPU_KERNEL_OPERATOR_H

#include "ascendc_cpu/qualifiers.h"

#include "ascendc_cpu/copy.h"
#include "ascendc_cpu/copy_pad.h"
#include "ascendc_cpu/copy_shape.h"
#include "ascendc_cpu/launch.h"
#include "ascendc_cpu/numeric.h"
#include "ascendc_cpu/params.h"
#include "ascendc_cpu/pipe.h"
#include "ascendc_cpu/queue.h"
#include "ascendc_cpu/registers.h"
#include "ascendc_cpu/scalar_cast.h"
#include "ascendc_cpu/sync.h"
#include "ascendc_cpu/system.h"
#include "ascendc_cpu/tensor.h"
#include "ascendc_cpu/vector.h"

#endif
