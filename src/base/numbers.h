/* numbers.h -- the functions that read and write numbers, as components in shared objects get them. */
#ifndef HC_BASE_NUMBERS_H
#define HC_BASE_NUMBERS_H

#include "hindcast/base.h"

extern const hc_number_calls hc_numbers_of_library;

#endif
