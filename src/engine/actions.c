/* actions.c -- the table of actions, in the order of actions.def. */
#include "engine/action.h"

const hc_action_type *const hc_action_table[] = {
#define HC_ACTION(name) &hc_action_##name,
#include "engine/actions.def"
#undef HC_ACTION
};
const uint32_t hc_action_count = sizeof hc_action_table / sizeof *hc_action_table;
