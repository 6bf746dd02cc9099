/* fuzz_vnodes.c -- any bytes as a message to virtual nodes, of which some run a job: no crash, no endless
 * loop, nothing read beyond the message; what is answered is a whole frame, and only when the message was
 * taken; a job ends once.
 *
 * Memory is bounded, and given back. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/util.h"
#include "bounded.h"
#include "claims.h"
#include "slurm/vnodes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MOST_MEMORY ((size_t)4 << 20)

static uint32_t first_number(const hc_buffer *b)
{
  const uint8_t *p = (const uint8_t *)b->data;
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* @return how many letters there were that say that a job has ended */
static int drain(hc_vnodes *v, hc_buffer *body, hc_buffer *frame)
{
  hc_vletter l;
  int ended = 0;
  while (hc_vnodes_take(v, &l)) {
    check(l.node < v->names.count, "a letter is of one of the nodes");
    frame->size = 0;
    hc_vnodes_write(v, &l, 1, body, frame);
    check(frame->failed || first_number(frame) + 4 == frame->size, "a letter is a whole frame");
    ended += l.kind == HC_VLETTER_ENDED;
  }
  return ended;
}

static void hear(hc_vnodes *v, const uint8_t *data, size_t size, hc_buffer *answer)
{
  hc_error e = {0};
  hc_rc rc;
  answer->size = 0;
  rc = hc_vnodes_hear(v, data, size, HC_SECOND, answer, &e);
  if (rc == 0)
    check(answer->size > 4 && first_number(answer) + 4 == answer->size, "an answer is a whole frame");
  else
    check(rc == HC_ENOMEM || (rc == HC_EINPUT && e.text[0] && answer->size == 0),
          "what is refused is not answered");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  bounds memory = {.most = MOST_MEMORY};
  const hc_allocator a = {&memory, bounded, NULL};
  const hc_vnodes_options o = {
      .names = "n[1-3],n[07-12]", .cpus = 4, .memory = 1000, .speed = 10, .epilog = size % 2};
  uint8_t *copy = malloc(size ? size : 1); /* of just its size, so that what is read beyond it is seen */
  hc_vnodes v;
  hc_buffer answer, body, frame;
  int ended;
  if (!copy) abort();
  if (size > 0) memcpy(copy, data, size);
  hc_buffer_init(&answer, &a);
  hc_buffer_init(&body, &a);
  hc_buffer_init(&frame, &a);
  check(hc_vnodes_init(&v, &a, &o, NULL) == 0, "there is memory");
  hear(&v, copy, size, &answer);
  hear(&v, copy, size, &answer);
  check(v.count <= 1, "a message is of one job");
  (void)hc_vnodes_tick(&v, HC_SECOND);
  (void)drain(&v, &body, &frame);
  (void)hc_vnodes_tick(&v, HC_NEVER - 1);
  ended = drain(&v, &body, &frame);
  check(ended <= 1 && hc_vnodes_tick(&v, HC_NEVER - 1) == HC_NEVER && drain(&v, &body, &frame) == 0,
        "a job ends once");
  hear(&v, copy, size, &answer);
  hc_vnodes_fini(&v);
  hc_buffer_fini(&answer);
  hc_buffer_fini(&body);
  hc_buffer_fini(&frame);
  free(copy);
  check(memory.used == 0, "everything is given back");
  return 0;
}
