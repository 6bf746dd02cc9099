/* module.c -- a WebAssembly module of the core: the functions of hindcast/embed.h, which the link names as
 * exports (cmake/core.cmake). It needs a source of its own only because CMake asks for one. */
#include "hindcast/embed.h"
