/* native_value.c -- values of the native format: scalars as times, numbers and names, and maps whose keys
 * have several spellings. */
#include <stdint.h>
#include <string.h>

#include "base/text.h"
#include "base/util.h"
#include "workload/native.h"
#include "workload/spec.h"

bool hc_native_scalar(const hc_value *v, hc_field *out)
{
  if (v->kind != HC_VALUE_SCALAR) return false;
  *out = (hc_field){.text = v->text, .length = strlen(v->text)};
  return true;
}

hc_rc hc_native_time(const hc_value *v, const char *what, hc_time unit, hc_time *out, hc_error *e)
{
  hc_field f;
  if (hc_native_scalar(v, &f) && hc_field_duration(&f, unit, out)) return 0;
  return hc_value_fail(v, e, HC_EINPUT, "%s is a time that is not negative: a number, or such as 1h30m",
                       what);
}

hc_rc hc_native_whole(const hc_value *v, const char *what, int64_t least, int64_t most, int64_t *out,
                      hc_error *e)
{
  hc_field f;
  if (hc_native_scalar(v, &f) && hc_field_whole(&f, out) && *out >= least && *out <= most) return 0;
  return hc_value_fail(v, e, HC_EINPUT, "%s is a whole number from %lld to %lld", what, (long long)least,
                       (long long)most);
}

hc_rc hc_native_work(const hc_value *v, const char *what, double *out, hc_error *e)
{
  hc_field f;
  if (hc_native_scalar(v, &f) && hc_parse_amount(f.text, f.length, "work", out) == 0 && *out >= 0) return 0;
  return hc_value_fail(v, e, HC_EINPUT, "%s is an amount that is not negative (%s)", what,
                       hc_amount_examples("work"));
}

hc_rc hc_native_name(const hc_value *v, const char *what, int64_t *out, hc_error *e)
{
  hc_field f;
  if (!hc_native_scalar(v, &f)) return hc_value_fail(v, e, HC_EINPUT, "%s is a number or a name", what);
  *out = hc_name_number(f.text, f.length);
  return 0;
}

/* ---- maps ---- */

const char *hc_native_nearest(const hc_native_key *keys, const char *word)
{
  const char *best = NULL;
  size_t least = HC_MIN((strlen(word) + 2) / 3, (size_t)3) + 1;
  for (; keys->name; keys++) {
    const size_t n = hc_edit_distance(word, keys->name, least);
    if (n >= least) continue;
    least = n;
    best = keys->name;
  }
  return best;
}

static hc_rc refuse_key(const hc_native_key *keys, const hc_value *v, hc_error *e)
{
  const char *near = hc_native_nearest(keys, v->key);
  if (near)
    return hc_value_fail_key(v, e, HC_EINPUT, "unknown key \"%.60s\"; did you mean \"%s\"?", v->key, near);
  return hc_value_fail_key(
      v, e, HC_EINPUT,
      "unknown key \"%.60s\": correct it, or set `unknown_keys: ignore` to pass over such keys", v->key);
}

hc_rc hc_native_members(const hc_value *map, const hc_native_key *keys, const hc_value **at, size_t count,
                        hc_rc (*unknown)(void *ctx, const hc_value *v, hc_error *e), void *ctx,
                        bool *is_unknown, hc_error *e)
{
  for (size_t i = 0; i < count; i++) at[i] = NULL;
  for (size_t i = 0; i < map->count; i++) {
    const hc_value *v = map->items[i];
    const hc_native_key *k = keys;
    while (k->name && strcmp(k->name, v->key) != 0) k++;
    if (!k->name) {
      if (unknown) {
        TRY(unknown(ctx, v, e));
        continue;
      }
      *is_unknown = true;
      return refuse_key(keys, v, e);
    }
    if (v->kind == HC_VALUE_NULL) continue;
    if (at[k->what])
      return hc_value_fail_key(v, e, HC_EINPUT, "\"%s\" says once more what \"%s\" says; keep one", v->key,
                               at[k->what]->key);
    at[k->what] = v;
  }
  return 0;
}
