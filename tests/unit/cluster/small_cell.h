/* small_cell.h -- a cell of few hosts, each of a class of its own, for cases by hand. */
#ifndef HC_SMALL_CELL_H
#define HC_SMALL_CELL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/math.h"
#include "base/state.h"
#include "base/util.h"
#include "cluster/hosts.h"
#include "cluster/lexicon.h"

enum { MOST = 16 };

/* A cell of at most 16 hosts, each of a class of its own. */
typedef struct cell {
  const hc_allocator *allocator;
  hc_host_class classes[MOST];
  uint32_t class_of[MOST], zone_of[MOST];
  const char *names[MOST];
  hc_zone_level level;
  hc_cell_spec spec;
  hc_lexicon *lexicon;
  hc_hosts *hosts;
  hc_error e;
} cell;

static const char *const letters[MOST] = {"a", "b", "c", "d", "e", "f", "g", "h",
                                          "i", "j", "k", "l", "m", "n", "o", "p"};

/* @param amounts [n] of cpu, memory, gpu; @param devices whether GPUs are devices */
static inline void describe(cell *c, uint32_t n, const int64_t amounts[][3], bool devices)
{
  memset(c, 0, sizeof *c);
  c->allocator = hc_default_allocator();
  for (uint32_t i = 0; i < n; i++) {
    c->classes[i] = (hc_host_class){.name = letters[i], .speed = 1};
    c->classes[i].capacity[HC_DIM_CPU] = amounts[i][0];
    c->classes[i].capacity[HC_DIM_MEMORY] = amounts[i][1];
    c->classes[i].capacity[HC_DIM_GPU] = amounts[i][2];
    c->classes[i].devices = devices ? (uint32_t)(amounts[i][2] / HC_DEVICE) : 0;
    c->class_of[i] = i;
    c->zone_of[i] = i / 2;
    c->names[i] = letters[i];
  }
  c->level = (hc_zone_level){"rack", c->zone_of, letters, n / 2 + 1};
  c->spec = (hc_cell_spec){.granularity = HC_CELL_HOSTS,
                           .units = n,
                           .classes = c->classes,
                           .class_count = n,
                           .class_of = c->class_of,
                           .host_names = c->names,
                           .levels = &c->level,
                           .level_count = 1};
}

static inline hc_rc open_cell(cell *c)
{
  hc_rc rc = hc_lexicon_new(c->allocator, &c->lexicon);
  if (rc < 0) return rc;
  rc = hc_hosts_new(c->allocator, &c->spec, c->lexicon, 1, 0, &c->hosts, &c->e);
  if (rc < 0) {
    hc_lexicon_free(c->lexicon);
    c->lexicon = NULL;
  }
  return rc;
}

static inline void close_cell(cell *c)
{
  hc_hosts_check(c->hosts);
  hc_hosts_free(c->hosts);
  hc_lexicon_free(c->lexicon);
}

static inline uint32_t name(cell *c, const char *text)
{
  return hc_lexicon_name(c->lexicon, text, strlen(text));
}

static const hc_chooser first = {.how = HC_CHOOSE_FIRST};

/* Choose and take. @return grants, in `out` */
static inline hc_rc start(cell *c, const hc_request *r, const hc_chooser *chooser, const hc_grant **out)
{
  const hc_rc n = hc_hosts_choose(c->hosts, r, chooser, NULL, 0, out);
  if (n > 0) assert_int_equal(hc_hosts_take(c->hosts, r, *out, (size_t)n), 0);
  hc_hosts_check(c->hosts);
  return n;
}

static inline void expect(const hc_grant *g, uint32_t host, uint32_t slots, uint32_t devices, uint32_t chunk)
{
  assert_int_equal(g->host, host);
  assert_int_equal(g->slots, slots);
  assert_int_equal(g->devices.bits[0], devices);
  assert_int_equal(g->devices.bits[1], 0);
  assert_int_equal(g->chunk, chunk);
}

#endif
