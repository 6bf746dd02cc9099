/* slurm_pairs.c -- see slurm_pairs.h. */
#include "workload/slurm_pairs.h"

#include <string.h>

/* The length of a key that begins here; 0: there is none. */
static size_t key_at(const char *p, const char *end)
{
  const char *q = p;
  while (q < end && ((*q >= 'A' && *q <= 'Z') || (*q >= 'a' && *q <= 'z') || (q > p && strchr("_:/", *q))))
    q++;
  return q < end && *q == '=' ? (size_t)(q - p) : 0;
}

static size_t known(const hc_slurm_key *keys, size_t count, const char *p, size_t n)
{
  size_t k = 0;
  while (k < count && !(strlen(keys[k].key) == n && memcmp(keys[k].key, p, n) == 0)) k++;
  return k;
}

static hc_slice trimmed(const char *p, const char *end)
{
  while (p < end && *p == ' ') p++;
  while (end > p && end[-1] == ' ') end--;
  return (hc_slice){p, (size_t)(end - p)};
}

/* "ann(1001)" */
static void put_named(hc_slurm_cells *c, hc_slice v, hc_slurm_column name, hc_slurm_column number)
{
  const char *open = memchr(v.s, '(', v.n);
  const size_t n = open ? (size_t)(open - v.s) : v.n;
  hc_slurm_say(c, name, v.s, n);
  if (open && v.n > n + 2) hc_slurm_say(c, number, open + 1, v.n - n - 2);
}

static void put_value(hc_slurm_cells *c, const hc_slurm_key *k, hc_slice v)
{
  switch ((hc_slurm_pair_kind)k->kind) {
    case HC_SLURM_PAIR_USER: put_named(c, v, HC_SLURM_USER, HC_SLURM_UID); break;
    case HC_SLURM_PAIR_GROUP: put_named(c, v, HC_SLURM_GROUP, HC_SLURM_GID); break;
    case HC_SLURM_PAIR_NODES:
      if (hc_slurm_is(v, "(null)")) hc_slurm_say_word(c, HC_SLURM_NODE_LIST, "None assigned");
      else hc_slurm_say(c, HC_SLURM_NODE_LIST, v.s, v.n);
      break;
    case HC_SLURM_PAIR:
    case HC_SLURM_PAIR_TEXT:
      if (k->column < HC_SLURM_COLUMN_COUNT) hc_slurm_say(c, (hc_slurm_column)k->column, v.s, v.n);
      break;
    case HC_SLURM_PAIR_OTHER: break;
  }
}

void hc_slurm_pairs_cut(hc_slurm_cells *c, const hc_slurm_key *keys, size_t count, bool to_end,
                        const char *line, size_t size,
                        void (*other)(void *ctx, uint8_t number, hc_slice value), void *ctx)
{
  const char *end = line + size, *p = line;
  while (p < end) {
    while (p < end && *p == ' ') p++;
    const size_t n = key_at(p, end), key = known(keys, count, p, n);
    const char *value = n > 0 ? p + n + 1 : p;
    const bool is_text = key < count && keys[key].kind == HC_SLURM_PAIR_TEXT;
    for (p = value; p < end; p++) {
      const size_t next = *p == ' ' ? key_at(p + 1, end) : 0;
      if (next > 0 && (!is_text || (!to_end && known(keys, count, p + 1, next) < count))) break;
    }
    if (key == count) continue;
    if (keys[key].kind == HC_SLURM_PAIR_OTHER) other(ctx, keys[key].column, trimmed(value, p));
    else put_value(c, &keys[key], trimmed(value, p));
  }
}
