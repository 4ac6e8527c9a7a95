// A finer header of the kit; here one header has it all.
#ifndef ASCENDC_CPU_KERNEL_VEC_INTF_H
#define ASCENDC_CPU_KERNEL_VEC_INTF_H

#include "../kernel_operator.h"

#endif
