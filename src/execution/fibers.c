/* fibers.c -- profiles that have a stack of their own.
 *
 * Such a profile is a function that is called once and waits in the middle of whatever it does: in loops of
 * other functions, recursively. It runs on a stack of its own, between which and the model's the machine
 * changes where it waits (ucontext of the Single Unix Specification, which every system that we build for
 * has; where there is none, such profiles are refused). What a stack holds cannot be written down: a run
 * cannot be saved, forked or branched while one goes on.
 *
 * It sees an hc_profile that stays where it is; the model's is copied into it before it runs, and back when
 * it waits. One that is dropped is not told: its stack goes with all that stands on it, so it owns nothing
 * else. */
#define _GNU_SOURCE
#include "execution/fibers.h"

#include <stdint.h>

#include "base/mem.h"
#include "base/util.h"

#define STACK_LEAST ((size_t)16 << 10)

#if defined(__linux__) && !defined(__EMSCRIPTEN__)
#include <ucontext.h>

struct hc_fiber {
  ucontext_t own, back;
  hc_profile p;
  const hc_profile_type *type;
  hc_rc rc;
  size_t size, room_size;
  char *stack; /* [size] */
  void *room;  /* [room_size] */
};

/* Arguments of a context are ints: a pointer is two. */
static void begin(unsigned high, unsigned low)
{
  hc_fiber *f = (hc_fiber *)(uintptr_t)((uint64_t)high << 32 | low); /* NOLINT: how contexts are begun */
  f->rc = f->type->resume(&f->p);
  if (f->rc == HC_PROFILE_WAITS) f->rc = f->p.failures > 0 ? HC_PROFILE_FAILED : HC_PROFILE_OK;
}

hc_rc hc_fiber_new(const hc_allocator *a, const hc_profile_type *type, size_t room, hc_fiber **out)
{
  hc_fiber *f = hc_alloc(a, sizeof *f);
  const uint64_t at = (uint64_t)(uintptr_t)f;
  if (!f) return HC_ENOMEM;
  f->type = type;
  f->size = HC_MAX((size_t)type->stack_size, STACK_LEAST);
  f->stack = hc_alloc(a, f->size);
  f->room_size = room;
  f->room = room > 0 ? hc_alloc(a, room) : NULL;
  const bool has_memory = f->stack && (f->room || room == 0);
  if (!has_memory || getcontext(&f->own) != 0) {
    const hc_rc rc = has_memory ? HC_EUNSUPPORTED : HC_ENOMEM;
    hc_fiber_free(a, f);
    return rc;
  }
  f->own.uc_stack.ss_sp = f->stack;
  f->own.uc_stack.ss_size = f->size;
  f->own.uc_link = &f->back;
  makecontext(&f->own, (void (*)(void))begin, 2, (unsigned)(at >> 32), (unsigned)at);
  *out = f;
  return 0;
}

void hc_fiber_free(const hc_allocator *a, hc_fiber *f)
{
  if (!f) return;
  hc_free(a, f->stack, f->size);
  hc_free(a, f->room, f->room_size);
  hc_free(a, f, sizeof *f);
}

void *hc_fiber_room(hc_fiber *f)
{
  return f->room;
}

hc_rc hc_fiber_resume(hc_fiber *f, hc_profile *p)
{
  f->p = *p;
  f->p.fiber = f;
  f->rc = HC_PROFILE_WAITS;
  if (swapcontext(&f->back, &f->own) != 0) return HC_EUNSUPPORTED;
  *p = f->p;
  return f->rc;
}

void hc_fiber_wait(hc_profile *p)
{
  hc_fiber *f = p->fiber;
  (void)swapcontext(&f->own, &f->back);
}

#else

hc_rc hc_fiber_new(const hc_allocator *a, const hc_profile_type *type, size_t room, hc_fiber **out)
{
  (void)a;
  (void)type;
  (void)room;
  (void)out;
  return HC_EUNSUPPORTED;
}

void hc_fiber_free(const hc_allocator *a, hc_fiber *f)
{
  (void)a;
  (void)f;
}

void *hc_fiber_room(hc_fiber *f)
{
  (void)f;
  return NULL;
}

hc_rc hc_fiber_resume(hc_fiber *f, hc_profile *p)
{
  (void)f;
  (void)p;
  return HC_EUNSUPPORTED;
}

void hc_fiber_wait(hc_profile *p)
{
  (void)p;
}

#endif
