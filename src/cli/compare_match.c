/* compare_match.c -- the tasks of two schedules, one beside the other. See compare.h. */
#include <stdlib.h>

#include "cli/compare.h"

static bool same_order(const cli_records *a, const cli_records *b)
{
  if (a->count != b->count) return false;
  for (size_t i = 0; i < a->count; i++) {
    if (a->items[i].serial < 0 || a->items[i].serial != b->items[i].serial ||
        a->items[i].id != b->items[i].id)
      return false;
  }
  return true;
}

static int by_id(const void *x, const void *y)
{
  const hc_task_record *a = *(const hc_task_record *const *)x, *b = *(const hc_task_record *const *)y;
  if (a->id != b->id) return a->id < b->id ? -1 : 1;
  if (a->submit != b->submit) return a->submit < b->submit ? -1 : 1;
  return (a->serial > b->serial) - (a->serial < b->serial);
}

static const hc_task_record **sorted_by_id(const cli_records *r)
{
  const hc_task_record **p = malloc((r->count + 1) * sizeof *p);
  if (!p) return NULL;
  for (size_t i = 0; i < r->count; i++) p[i] = &r->items[i];
  qsort(p, r->count, sizeof *p, by_id);
  return p;
}

static int by_submission(const void *x, const void *y)
{
  const cli_pair *a = x, *b = y;
  if (a->a->submit != b->a->submit) return a->a->submit < b->a->submit ? -1 : 1;
  if (a->a->id != b->a->id) return a->a->id < b->a->id ? -1 : 1;
  return (a->a->serial > b->a->serial) - (a->a->serial < b->a->serial);
}

static hc_rc match_ids(cli *c, const cli_schedule *a, const cli_schedule *b, cli_pairing *out)
{
  const hc_task_record **x = sorted_by_id(&a->records), **y = sorted_by_id(&b->records);
  size_t i = 0, j = 0, n = a->records.count, m = b->records.count;
  out->by_id = true;
  while (x && y && i < n && j < m) {
    if (x[i]->id < y[j]->id) i++, out->only_a++;
    else if (x[i]->id > y[j]->id) j++, out->only_b++;
    else out->pairs[out->count++] = (cli_pair){x[i++], y[j++]};
  }
  out->only_a += n - i;
  out->only_b += m - j;
  free(x);
  free(y);
  if (!x || !y) return cli_fail(c, HC_ENOMEM, "out of memory for matching tasks");
  qsort(out->pairs, out->count, sizeof *out->pairs, by_submission);
  return 0;
}

hc_rc cli_match(cli *c, const cli_schedule *a, const cli_schedule *b, cli_pairing *out)
{
  *out = (cli_pairing){.pairs = malloc((a->records.count + 1) * sizeof *out->pairs)};
  if (!out->pairs) return cli_fail(c, HC_ENOMEM, "out of memory for matching tasks");
  if (!same_order(&a->records, &b->records)) return match_ids(c, a, b, out);
  for (size_t i = 0; i < a->records.count; i++)
    out->pairs[out->count++] = (cli_pair){&a->records.items[i], &b->records.items[i]};
  return 0;
}
