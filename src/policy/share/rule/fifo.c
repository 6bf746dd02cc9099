/* fifo.c -- the user whose first task is first in the queue. A user out of the line stands by its dominant
 * share. */
#include "policy/share/rule.h"

const hc_share_rule hc_share_fifo = {
    .name = "fifo", .flags = HC_SHARE_BY_TASK | HC_SHARE_ONE_WEIGHT, .key = hc_share_dominant};
