/* parts.c -- the table of parts, in the order of parts.def. */
#include "engine/part.h"

#define HC_PART(name) extern const hc_part hc_part_##name;
#include "engine/parts.def"
#undef HC_PART

const hc_part *const hc_part_table[] = {
#define HC_PART(name) &hc_part_##name,
#include "engine/parts.def"
#undef HC_PART
};
const uint32_t hc_part_count = sizeof hc_part_table / sizeof *hc_part_table;
_Static_assert(sizeof hc_part_table / sizeof *hc_part_table <= 64, "a bit each: hc_engine.parts_wanted");
