// The register instructions of c310: AscendC::Reg, also called AscendC::MicroAPI (API reference 8).
#ifndef ASCENDC_CPU_REGISTERS_H
#define ASCENDC_CPU_REGISTERS_H

#include "qualifiers.h"

#if __NPU_ARCH__ == 3510
#include "reg_arithmetic.h"
#include "reg_cast.h"
#include "reg_compare.h"
#include "reg_gather.h"
#include "reg_mask.h"
#include "reg_move.h"
#include "reg_older.h"
#include "reg_rearrange.h"
#include "reg_reduce.h"
#include "reg_unaligned.h"
#endif

#endif
