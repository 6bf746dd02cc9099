// headers.cc -- the public headers are C++17, too, without a warning: check/headers_cpp compiles this and no more.
#include "hindcast/hindcast.h"
#include "hindcast/plugin.h"
