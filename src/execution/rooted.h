/* rooted.h -- as much between one process, the root, and each other one: gather and scatter, which differ in
 * the direction alone. All messages at once; the number of a message is the other process's. */
#ifndef HC_EXECUTION_ROOTED_H
#define HC_EXECUTION_ROOTED_H

#include "execution/pattern.h"

typedef struct hc_rooted {
  double size;
  int64_t root;
  bool together;
} hc_rooted;

static inline bool hc_rooted_to_root(const void *ctx, uint64_t i, hc_message *out)
{
  const hc_rooted *o = ctx;
  *out = (hc_message){(uint32_t)i, (uint32_t)o->root, o->size};
  return i != (uint64_t)o->root;
}

static inline bool hc_rooted_from_root(const void *ctx, uint64_t i, hc_message *out)
{
  const hc_rooted *o = ctx;
  *out = (hc_message){(uint32_t)o->root, (uint32_t)i, o->size};
  return i != (uint64_t)o->root;
}

static inline hc_rc hc_rooted_check(const void *given, uint32_t processes, hc_error *e)
{
  return hc_pattern_check("root", ((const hc_rooted *)given)->root, processes, e);
}

static inline hc_rc hc_rooted_resume(hc_profile *p, hc_message_of message)
{
  const hc_rooted *o = p->options;
  HC_PROFILE_BEGIN(p);
  if (!hc_pattern_start(p, message, o, p->processes, o->together)) return HC_PROFILE_FAILED;
  HC_WAIT_ALL(p);
  HC_PROFILE_END(p);
}

#endif
