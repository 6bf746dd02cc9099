/* when_history.c -- how long jobs like one ran: the jobs of its user and name that ended before, latest
 * first.
 *
 * A run time is a share of its limit, and means that share of another job's limit: users ask for about so
 * much too much each time. Where one of the two has no limit it is taken as it is. Of a running job only
 * those count that are longer than it has run: its run time given that it has run so long. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "cli/when.h"

/* ---- names ---- */

static uint64_t hash_of(const char *text)
{
  uint64_t h = UINT64_C(14695981039346656037); /* FNV-1a */
  for (; *text; text++) h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211);
  return h;
}

static size_t place_of(const cli_history *h, const char *text)
{
  size_t at = (size_t)hash_of(text) & (h->slot_count - 1);
  while (h->slots[at] != 0 && strcmp(h->texts[h->slots[at] - 1], text) != 0)
    at = (at + 1) & (h->slot_count - 1);
  return at;
}

static hc_rc grow(cli_history *h)
{
  const size_t cap = h->text_cap ? 2 * h->text_cap : 256;
  char **texts = realloc(h->texts, cap * sizeof *texts);
  if (!texts) return HC_ENOMEM;
  h->texts = texts;
  h->text_cap = cap;
  free(h->slots);
  h->slot_count = 2 * cap;
  h->slots = calloc(h->slot_count, sizeof *h->slots);
  if (!h->slots) return HC_ENOMEM;
  for (size_t i = 0; i < h->text_count; i++) h->slots[place_of(h, h->texts[i])] = (uint32_t)i + 1;
  return 0;
}

hc_rc cli_history_name(cli_history *h, const char *text, int64_t number, uint32_t *out)
{
  char plain[32];
  *out = 0;
  if (!text && number < 0) return 0;
  (void)snprintf(plain, sizeof plain, "\x01%lld", (long long)number); /* no name looks like it */
  if (!text) text = plain;
  if (h->text_count == h->text_cap && grow(h) < 0)
    return cli_fail(h->c, HC_ENOMEM, "out of memory for names");
  const size_t at = place_of(h, text);
  if (h->slots[at] == 0) {
    h->texts[h->text_count] = strdup(text);
    if (!h->texts[h->text_count]) return cli_fail(h->c, HC_ENOMEM, "out of memory for names");
    h->slots[at] = (uint32_t)++h->text_count;
  }
  *out = h->slots[at];
  return 0;
}

/* ---- samples ---- */

hc_rc cli_history_add(cli_history *h, const cli_sample *s)
{
  if (h->count == h->cap) {
    const size_t cap = h->cap ? 2 * h->cap : 4096;
    cli_sample *samples = realloc(h->samples, cap * sizeof *samples);
    if (!samples) return cli_fail(h->c, HC_ENOMEM, "out of memory for the history");
    h->samples = samples;
    h->cap = cap;
  }
  h->samples[h->count++] = *s;
  return 0;
}

static int by_end(const void *a, const void *b)
{
  const cli_sample *x = a, *y = b;
  if (x->end != y->end) return x->end < y->end ? -1 : 1;
  if (x->run != y->run) return x->run < y->run ? -1 : 1;
  return (x->limit > y->limit) - (x->limit < y->limit);
}

static int by_user(const void *a, const void *b)
{
  const cli_sample *x = a, *y = b;
  if (x->user != y->user) return x->user < y->user ? -1 : 1;
  return by_end(a, b);
}

static int by_name(const void *a, const void *b)
{
  const cli_sample *x = a, *y = b;
  if (x->user != y->user) return x->user < y->user ? -1 : 1;
  if (x->name != y->name) return x->name < y->name ? -1 : 1;
  return by_end(a, b);
}

static cli_sample *sorted(const cli_history *h, int (*how)(const void *, const void *))
{
  cli_sample *copy = malloc((h->count + 1) * sizeof *copy);
  if (!copy) return NULL;
  if (h->count > 0) memcpy(copy, h->samples, h->count * sizeof *copy);
  qsort(copy, h->count, sizeof *copy, how);
  return copy;
}

hc_rc cli_history_sort(cli_history *h)
{
  h->by_user = sorted(h, by_user);
  h->by_end = sorted(h, by_end);
  if (!h->by_user || !h->by_end) return cli_fail(h->c, HC_ENOMEM, "out of memory for the history");
  if (h->count > 0) qsort(h->samples, h->count, sizeof *h->samples, by_name);
  return 0;
}

void cli_history_close(cli_history *h)
{
  for (size_t i = 0; i < h->text_count; i++) free(h->texts[i]);
  free(h->texts);
  free(h->slots);
  free(h->samples);
  free(h->by_user);
  free(h->by_end);
}

/* ---- jobs like one ---- */

static hc_time scaled(const cli_sample *s, const cli_runner *r)
{
  if (s->limit == HC_UNKNOWN || r->limit == HC_UNKNOWN || s->limit <= 0) return s->run;
  const double share = (double)s->run / (double)s->limit;
  return (hc_time)((share < 1 ? share : 1) * (double)r->limit);
}

/* How many of an order are not behind a key with this end. */
static size_t bound(const cli_sample *items, size_t count, const cli_sample *key,
                    int (*how)(const void *, const void *))
{
  size_t from = 0, to = count;
  while (from < to) {
    const size_t middle = (from + to) / 2;
    if (how(&items[middle], key) <= 0) from = middle + 1;
    else to = middle;
  }
  return from;
}

/* The latest of a group that ended by the key's end and ran longer than the job has. @param same  bits: 1 of
 * the user, 2 of the name */
static size_t latest(const cli_sample *items, size_t end, const cli_runner *r, int same, hc_time *out)
{
  size_t n = 0;
  for (size_t i = end; i-- > 0 && n < CLI_CANDIDATES;) {
    if ((same & 1) && items[i].user != r->user) break;
    if ((same & 2) && items[i].name != r->name) break;
    const hc_time run = scaled(&items[i], r);
    if (run > r->elapsed) out[n++] = run;
  }
  return n;
}

size_t cli_history_like(const cli_history *h, const cli_runner *r, int64_t until, hc_time *out)
{
  const cli_sample key = {.user = r->user, .name = r->name, .run = HC_NEVER, .limit = HC_NEVER, .end = until};
  size_t n = 0;
  if (r->user && r->name) n = latest(h->samples, bound(h->samples, h->count, &key, by_name), r, 3, out);
  if (n < CLI_ENOUGH && r->user)
    n = latest(h->by_user, bound(h->by_user, h->count, &key, by_user), r, 1, out);
  if (n < CLI_ENOUGH) n = latest(h->by_end, bound(h->by_end, h->count, &key, by_end), r, 0, out);
  return n;
}
