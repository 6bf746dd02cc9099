/* tres.c -- see tres.h. */
#include "policy/slurm/tres.h"

#include <string.h>

#include "base/lexer.h"
#include "base/slurm_conf.h"
#include "base/util.h"

#define MOST_WEIGHT 1e15 /* products of weights and amounts stay numbers */

static const char *const fixed[HC_SLURM_TRES_FIXED] = {"cpu", "mem", "energy", "node", "billing"};
static const char *const kinds[] = {"gres/", "license/", "bb/", "fs/"};

void hc_slurm_tres_init(hc_slurm_tres *t)
{
  *t = (hc_slurm_tres){.count = HC_SLURM_TRES_FIXED};
  for (uint32_t i = 0; i < HC_SLURM_TRES_FIXED; i++) t->names[i] = fixed[i];
}

uint32_t hc_slurm_tres_find(const hc_slurm_tres *t, const char *name, size_t n)
{
  for (uint32_t i = 0; i < t->count; i++)
    if (hc_same_word(name, n, t->names[i])) return i;
  return HC_MAP_NONE;
}

static bool is_of_a_kind(const char *name, size_t n)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(kinds); i++) {
    const size_t m = strlen(kinds[i]);
    if (n > m && hc_same_word(name, m, kinds[i])) return true;
  }
  return false;
}

hc_rc hc_slurm_tres_add(hc_slurm_tres *t, hc_arena *a, const char *name, size_t n, uint32_t *out)
{
  const uint32_t known = hc_slurm_tres_find(t, name, n);
  char *kept;
  if (known != HC_MAP_NONE) {
    *out = known;
    return 0;
  }
  if (!is_of_a_kind(name, n)) return HC_ENOTFOUND;
  if (t->count == HC_SLURM_TRES_MOST) return HC_ELIMIT;
  kept = hc_arena_text(a, name, n);
  if (!kept) return HC_ENOMEM;
  for (char *p = kept; *p; p++)
    if (*p >= 'A' && *p <= 'Z') *p |= 0x20;
  *out = t->count;
  t->names[t->count++] = kept;
  return 0;
}

/* ---- lists ---- */

/* NAME=VALUE at `*p`, behind which `*p` is left. */
typedef struct pair {
  const char *name, *value;
  size_t name_size, value_size;
} pair;

/* @return false at the end. A pair without `=` has no value. */
static bool next_pair(const char **p, pair *out)
{
  const char *at = *p;
  while (*at == ',' || hc_is_blank(*at)) at++;
  if (*at == '\0') return false;
  const size_t n = strcspn(at, ",");
  const char *equals = memchr(at, '=', n);
  *out = (pair){.name = at, .name_size = equals ? (size_t)(equals - at) : n};
  if (equals) {
    out->value = equals + 1;
    out->value_size = n - out->name_size - 1;
  }
  *p = at + n;
  return true;
}

/* The number of a pair's TRES. */
static hc_rc tres_of(hc_slurm_tres *t, hc_arena *a, const pair *x, const char *key, const hc_slurm_place *at,
                     uint32_t *id, hc_error *e)
{
  const hc_rc rc = hc_slurm_tres_add(t, a, x->name, x->name_size, id);
  if (rc == HC_ENOMEM) return hc_fail(e, rc, at->file, 0, 0, "out of memory");
  if (rc == HC_ELIMIT)
    return hc_fail(e, rc, at->file, at->line, at->column, "%s: more than %u kinds of TRES in all", key,
                   HC_SLURM_TRES_MOST);
  if (rc < 0)
    return hc_fail(e, HC_EINPUT, at->file, at->line, at->column,
                   "%s: there is no TRES \"%.*s\": write cpu, mem, node, billing, gres/NAME, license/NAME, "
                   "bb/NAME or fs/NAME",
                   key, (int)HC_MIN(x->name_size, (size_t)40), x->name);
  return 0;
}

bool hc_slurm_tres_amount(uint32_t id, const char *s, size_t n, int64_t *out)
{
  int64_t v;
  if (n == 2 && memcmp(s, "-1", 2) == 0) {
    *out = HC_SLURM_NO_LIMIT;
    return true;
  }
  if (!hc_conf_amount(s, n, &v)) return false;
  if (id == HC_SLURM_MEM && !hc_is_digit(s[n - 1])) v = (v + (1 << 20) - 1) >> 20;
  *out = v;
  return true;
}

hc_rc hc_slurm_tres_read(hc_slurm_tres *t, hc_arena *a, const char *text, const char *key,
                         const hc_slurm_place *at, hc_slurm_amounts *out, hc_error *e)
{
  pair x;
  while (next_pair(&text, &x)) {
    uint32_t id;
    TRY(tres_of(t, a, &x, key, at, &id, e));
    if (!x.value || !hc_slurm_tres_amount(id, x.value, x.value_size, &out->of[id]))
      return hc_fail(e, HC_EINPUT, at->file, at->line, at->column,
                     "%s: expected TRES=AMOUNT such as cpu=8 or mem=4G, or -1 for no limit, got \"%.*s\"",
                     key, (int)HC_MIN(strcspn(x.name, ","), (size_t)60), x.name);
  }
  return 0;
}

/* A weight and of how many units it is: 0.25G of memory is 0.25 for 1024 MiB. */
static bool weight_of(uint32_t id, const char *s, size_t n, double *out)
{
  static const char suffixes[] = "kmgtp";
  const char *suffix = n > 0 ? strchr(suffixes, s[n - 1] | 0x20) : NULL;
  int steps = 0;
  if (suffix && !hc_is_digit(s[n - 1])) {
    steps = (int)(suffix - suffixes) + 1 - (id == HC_SLURM_MEM ? 2 : 0);
    n--;
  }
  if (hc_parse_real(s, n, out) < 0 || *out < 0 || *out > MOST_WEIGHT) return false;
  for (; steps > 0; steps--) *out /= 1024;
  for (; steps < 0; steps++) *out *= 1024;
  return true;
}

hc_rc hc_slurm_tres_weights(hc_slurm_tres *t, hc_arena *a, const char *text, const char *key,
                            const hc_slurm_place *at, double out[HC_SLURM_TRES_MOST], hc_error *e)
{
  pair x;
  memset(out, 0, HC_SLURM_TRES_MOST * sizeof *out);
  while (next_pair(&text, &x)) {
    uint32_t id;
    TRY(tres_of(t, a, &x, key, at, &id, e));
    if (!x.value || !weight_of(id, x.value, x.value_size, &out[id]))
      return hc_fail(e, HC_EINPUT, at->file, at->line, at->column,
                     "%s: expected TRES=WEIGHT such as CPU=1.0 or Mem=0.25G, got \"%.*s\"", key,
                     (int)HC_MIN(strcspn(x.name, ","), (size_t)60), x.name);
  }
  return 0;
}

/* ---- billing ---- */

static bool is_of_a_node(const hc_slurm_tres *t, uint32_t id)
{
  return id == HC_SLURM_CPU || id == HC_SLURM_MEM || id == HC_SLURM_NODE ||
         strncmp(t->names[id], kinds[0], strlen(kinds[0])) == 0;
}

double hc_slurm_billing(const hc_slurm_tres *t, const double *weights, const hc_slurm_amounts *amounts,
                        bool largest)
{
  double most = 0, sum = 0;
  if (!weights) return (double)amounts->of[HC_SLURM_CPU];
  for (uint32_t i = 0; i < t->count; i++) {
    const double x = (double)amounts->of[i] * weights[i];
    if (i == HC_SLURM_BILLING || i == HC_SLURM_ENERGY) continue;
    if (largest && is_of_a_node(t, i)) most = HC_MAX(most, x);
    else sum += x;
  }
  return most + sum;
}
