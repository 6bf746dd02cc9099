/* threads.c -- threads as POSIX has them. */
#include "base/threads.h"

#include <pthread.h>

#include "base/util.h"

struct hc_thread {
  const hc_allocator *allocator;
  void (*work)(void *ctx);
  void *ctx;
  pthread_t id;
};

struct hc_monitor {
  const hc_allocator *allocator;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

hc_rc hc_threads_check(hc_error *e)
{
  HC_UNUSED(e);
  return 0;
}

static void *begin(void *ctx)
{
  const hc_thread *t = ctx;
  t->work(t->ctx);
  return NULL;
}

hc_rc hc_thread_start(const hc_allocator *a, void (*work)(void *ctx), void *ctx, hc_thread **out, hc_error *e)
{
  hc_thread *t = hc_alloc(a, sizeof *t);
  if (!t) return hc_fail(e, HC_ENOMEM, "threads", 0, 0, "out of memory for a thread");
  t->allocator = a;
  t->work = work;
  t->ctx = ctx;
  if (pthread_create(&t->id, NULL, begin, t) == 0) {
    *out = t;
    return 0;
  }
  hc_free(a, t, sizeof *t);
  return hc_fail(e, HC_EIO, "threads", 0, 0, "no thread can be made to read ahead; set threads to 1");
}

void hc_thread_join(hc_thread *t)
{
  (void)pthread_join(t->id, NULL);
  hc_free(t->allocator, t, sizeof *t);
}

hc_rc hc_monitor_new(const hc_allocator *a, hc_monitor **out)
{
  hc_monitor *m = hc_alloc(a, sizeof *m);
  if (!m) return HC_ENOMEM;
  m->allocator = a;
  (void)pthread_mutex_init(&m->lock, NULL);
  (void)pthread_cond_init(&m->changed, NULL);
  *out = m;
  return 0;
}

void hc_monitor_free(hc_monitor *m)
{
  if (!m) return;
  (void)pthread_cond_destroy(&m->changed);
  (void)pthread_mutex_destroy(&m->lock);
  hc_free(m->allocator, m, sizeof *m);
}

void hc_monitor_enter(hc_monitor *m)
{
  (void)pthread_mutex_lock(&m->lock);
}

void hc_monitor_leave(hc_monitor *m)
{
  (void)pthread_mutex_unlock(&m->lock);
}

void hc_monitor_wait(hc_monitor *m)
{
  (void)pthread_cond_wait(&m->changed, &m->lock);
}

void hc_monitor_wake(hc_monitor *m)
{
  (void)pthread_cond_broadcast(&m->changed);
}
