/* dependencies.h -- dependencies between tasks. See dependencies.c. */
#ifndef HC_ENGINE_DEPENDENCIES_H
#define HC_ENGINE_DEPENDENCIES_H

#include "engine/state.h"

hc_rc hc_dependencies_new(hc_engine *e);

#endif
