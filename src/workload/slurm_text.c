/* slurm_text.c -- the words of Slurm's accounting records as numbers.
 *
 * Times are those of the cluster's wall clock, of which an hour occurs twice in autumn: the caller says what
 * a time cannot be before (hc_read_stamp).
 *
 * Does not know which column a word is from (slurm_row.c does). Source: sacct(1) of Slurm 22.05, and
 * records of clusters as they were published. Cost: about 50 ns a time, less for the others; allocates
 * nothing but ranges. */
#include "workload/slurm_text.h"

#include <stdio.h>
#include <string.h>

#include "base/fields.h"
#include "base/slurm_conf.h"
#include "base/util.h"
#include "hindcast/workload.h"

#define LARGEST_COUNT ((int64_t)1 << 52)
#define LEAKED_FLAG ((double)((int64_t)1 << 31)) /* "per CPU", in MiB */

static int lower(int c)
{
  return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

static bool is_name_part(char c)
{
  return hc_is_digit(c) || (lower((unsigned char)c) >= 'a' && lower((unsigned char)c) <= 'z');
}

bool hc_slurm_is(hc_slice t, const char *word)
{
  return hc_same_word(t.s, t.n, word);
}

bool hc_slurm_same_column(hc_slice t, const char *name)
{
  size_t i = 0;
  for (;;) {
    while (i < t.n && t.s[i] != '%' && !is_name_part(t.s[i])) i++;
    if (i == t.n || t.s[i] == '%') return *name == '\0';
    if (lower((unsigned char)t.s[i]) != lower((unsigned char)*name)) return false;
    i++;
    name++;
  }
}

/* ---- numbers ---- */

static bool says_nothing(hc_slice t)
{
  static const char *const words[] = {"Unknown", "None", "N/A", "INVALID", "None assigned", "(null)", "?"};
  if (t.n == 0) return true;
  if (hc_is_digit(t.s[0])) return false;
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++)
    if (hc_slurm_is(t, words[i])) return true;
  return false;
}

/* Up to 18 digits from `*at`. @return how many there were. */
static size_t digits(hc_slice t, size_t *at, int64_t *out)
{
  const size_t first = *at;
  int64_t v = 0;
  while (*at < t.n && hc_is_digit(t.s[*at]) && *at - first < 18) v = v * 10 + (t.s[(*at)++] - '0');
  *out = v;
  return *at - first;
}

static bool whole(hc_slice t, int64_t *out)
{
  size_t at = 0;
  return digits(t, &at, out) > 0 && at == t.n;
}

hc_slurm_found hc_slurm_count(hc_slice t, int64_t *out)
{
  int64_t v;
  if (says_nothing(t)) return HC_SLURM_NOTHING;
  if (!whole(t, &v) || v > LARGEST_COUNT) return HC_SLURM_BAD;
  *out = v;
  return HC_SLURM_VALUE;
}

/* ---- times ---- */

hc_slurm_found hc_slurm_time(hc_slice t, const hc_zone *zone, int64_t after, int64_t *out)
{
  int64_t v;
  if (says_nothing(t)) return HC_SLURM_NOTHING;
  if ((!whole(t, &v) && !hc_read_stamp(t.s, t.n, zone, after, &v)) || v < 0 || v >= HC_SLURM_LAST_SECOND)
    return HC_SLURM_BAD;
  if (v == 0) return HC_SLURM_NOTHING; /* a field of the database that was never set */
  *out = v;
  return HC_SLURM_VALUE;
}

hc_slurm_found hc_slurm_duration(hc_slice t, hc_time unit, hc_time *out)
{
  if (says_nothing(t)) return HC_SLURM_NOTHING;
  return hc_conf_duration(t.s, t.n, unit, out) ? HC_SLURM_VALUE : HC_SLURM_BAD;
}

/* ---- amounts ---- */

static double unit_bytes(char c)
{
  static const char units[] = "KMGTPE";
  const char *at = strchr(units, c >= 'a' ? c - ('a' - 'A') : c);
  double bytes = 1024;
  if (c == '\0' || !at) return 0;
  for (const char *p = units; p < at; p++) bytes *= 1024;
  return bytes;
}

hc_slurm_found hc_slurm_memory(hc_slice t, int64_t *bytes, hc_slurm_scope *scope)
{
  double x, unit = 1024 * 1024;
  size_t n = t.n;
  *scope = HC_SLURM_PER_JOB;
  if (says_nothing(t)) return HC_SLURM_NOTHING;
  if (t.s[n - 1] == 'c' || t.s[n - 1] == 'n') *scope = t.s[--n] == 'c' ? HC_SLURM_PER_CPU : HC_SLURM_PER_NODE;
  if (n > 0 && !hc_is_digit(t.s[n - 1])) unit = unit_bytes(t.s[--n]);
  for (size_t i = 0; i < n; i++)
    if (!hc_is_digit(t.s[i]) && t.s[i] != '.') return HC_SLURM_BAD;
  if (unit == 0 || hc_parse_real(t.s, n, &x) < 0) return HC_SLURM_BAD;
  if (unit == 1024 * 1024 && x >= LEAKED_FLAG && x < 2 * LEAKED_FLAG) {
    x -= LEAKED_FLAG;
    *scope = HC_SLURM_PER_CPU;
  }
  x *= unit;
  if (x <= 0 || x > (double)LARGEST_COUNT) return HC_SLURM_NOTHING;
  *bytes = (int64_t)x;
  return HC_SLURM_VALUE;
}

bool hc_slurm_tres(hc_slice t, const char *name, hc_slice *out)
{
  const size_t length = strlen(name);
  for (size_t at = 0; at < t.n;) {
    const char *comma = memchr(t.s + at, ',', t.n - at);
    const size_t end = comma ? (size_t)(comma - t.s) : t.n;
    if (end - at > length && t.s[at + length] == '=' && memcmp(t.s + at, name, length) == 0) {
      *out = (hc_slice){t.s + at + length + 1, end - at - length - 1};
      return true;
    }
    at = end + 1;
  }
  return false;
}

/* The next item of a list with commas, from `*at` on. False at the end. */
static bool next_item(hc_slice t, size_t *at, hc_slice *out)
{
  const char *comma;
  if (*at >= t.n) return false;
  comma = memchr(t.s + *at, ',', t.n - *at);
  const size_t end = comma ? (size_t)(comma - t.s) : t.n;
  *out = (hc_slice){t.s + *at, end - *at};
  *at = end + 1;
  return true;
}

static bool begins(hc_slice t, const char *word)
{
  const size_t n = strlen(word);
  return t.n >= n && memcmp(t.s, word, n) == 0;
}

hc_slurm_found hc_slurm_tres_gpus(hc_slice t, int64_t *out)
{
  hc_slurm_found found = HC_SLURM_NOTHING;
  hc_slice item;
  int64_t sum = 0, n = 0;
  if (hc_slurm_tres(t, "gres/gpu", &item)) return hc_slurm_count(item, out);
  for (size_t at = 0; next_item(t, &at, &item);) {
    const char *equals = begins(item, "gres/gpu:") ? memchr(item.s, '=', item.n) : NULL;
    if (!equals) continue;
    found = hc_slurm_count((hc_slice){equals + 1, item.n - (size_t)(equals + 1 - item.s)}, &n);
    if (found != HC_SLURM_VALUE) return HC_SLURM_BAD;
    sum = HC_MIN(sum + n, (int64_t)1 << 52);
  }
  if (found == HC_SLURM_VALUE) *out = sum;
  return found;
}

hc_slurm_found hc_slurm_gres_gpus(hc_slice t, int64_t *out)
{
  hc_slurm_found found = HC_SLURM_NOTHING;
  hc_slice item;
  int64_t sum = 0;
  for (size_t at = 0; next_item(t, &at, &item);) {
    const char *end = memchr(item.s, '(', item.n);
    int64_t n = 1;
    if (end) item.n = (size_t)(end - item.s);
    if (hc_slurm_is(item, "gpu")) found = HC_SLURM_VALUE;
    else if (begins(item, "gpu:")) {
      size_t last = item.n;
      while (item.s[last - 1] != ':') last--;
      found = hc_slurm_count((hc_slice){item.s + last, item.n - last}, &n);
      if (found == HC_SLURM_BAD && last == 4) found = HC_SLURM_VALUE; /* a model without a number: one */
      if (found != HC_SLURM_VALUE) return HC_SLURM_BAD;
    } else continue;
    sum = HC_MIN(sum + n, (int64_t)1 << 52);
  }
  if (found == HC_SLURM_VALUE) *out = sum;
  return found;
}

/* ---- states ---- */

/* A state that is cut ends in "+": what stands before it must begin the word. What
 * follows a blank is who did it. */
static bool is_state(hc_slice t, const char *word)
{
  const char *blank = memchr(t.s, ' ', t.n);
  const size_t n = blank ? (size_t)(blank - t.s) : t.n;
  if (n > 3 && t.s[n - 1] == '+') return n - 1 <= strlen(word) && memcmp(t.s, word, n - 1) == 0;
  return hc_slurm_is((hc_slice){t.s, n}, word);
}

/* The first with a state is the one that is written. */
static const struct {
  const char *word;
  hc_recorded state;
  hc_slurm_phase phase;
} states[] = {
    {"COMPLETED", HC_RECORDED_COMPLETED, HC_SLURM_ENDED},
    {"CANCELLED", HC_RECORDED_CANCELLED, HC_SLURM_ENDED},
    {"FAILED", HC_RECORDED_FAILED, HC_SLURM_ENDED},
    {"TIMEOUT", HC_RECORDED_TIMEOUT, HC_SLURM_ENDED},
    {"OUT_OF_MEMORY", HC_RECORDED_OUT_OF_MEMORY, HC_SLURM_ENDED},
    {"NODE_FAIL", HC_RECORDED_NODE_FAIL, HC_SLURM_ENDED},
    {"BOOT_FAIL", HC_RECORDED_BOOT_FAIL, HC_SLURM_ENDED},
    {"LAUNCH_FAILED", HC_RECORDED_LAUNCH_FAILED, HC_SLURM_ENDED},
    {"DEADLINE", HC_RECORDED_DEADLINE, HC_SLURM_ENDED},
    {"PREEMPTED", HC_RECORDED_PREEMPTED, HC_SLURM_ENDED},
    {"REVOKED", HC_RECORDED_REVOKED, HC_SLURM_ENDED},
    {"REQUEUED", HC_RECORDED_REQUEUED, HC_SLURM_ENDED},
    {"RESIZING", HC_RECORDED_RESIZING, HC_SLURM_ENDED},
    {"RUNNING", HC_RECORDED_UNKNOWN, HC_SLURM_IS_RUNNING},
    {"SUSPENDED", HC_RECORDED_UNKNOWN, HC_SLURM_IS_RUNNING},
    {"COMPLETING", HC_RECORDED_UNKNOWN, HC_SLURM_IS_RUNNING},
    {"STOPPED", HC_RECORDED_UNKNOWN, HC_SLURM_IS_RUNNING},
    {"PENDING", HC_RECORDED_UNKNOWN, HC_SLURM_IS_PENDING},
    {"CONFIGURING", HC_RECORDED_UNKNOWN, HC_SLURM_IS_PENDING},
    {"REQUEUE_HOLD", HC_RECORDED_UNKNOWN, HC_SLURM_IS_PENDING},
    {"SPECIAL_EXIT", HC_RECORDED_UNKNOWN, HC_SLURM_IS_PENDING},
};

hc_slurm_phase hc_slurm_state(hc_slice t, hc_recorded *state)
{
  *state = HC_RECORDED_UNKNOWN;
  for (size_t i = 0; i < HC_ARRAY_LEN(states) && t.n > 0; i++) {
    if (!is_state(t, states[i].word)) continue;
    *state = states[i].state;
    return states[i].phase;
  }
  return HC_SLURM_NOT_SAID;
}

const char *hc_slurm_state_word(hc_recorded state)
{
  for (size_t i = 0; i < HC_ARRAY_LEN(states) && states[i].phase == HC_SLURM_ENDED; i++)
    if (states[i].state == state) return states[i].word;
  return NULL;
}

/* ---- job ids ---- */

int64_t hc_slurm_at_once(hc_slice t)
{
  int64_t n;
  return hc_slurm_count(t, &n) == HC_SLURM_VALUE && n > 0 ? n : 0;
}

bool hc_slurm_job(hc_slice t, hc_slurm_id *out)
{
  size_t at = 0;
  *out = (hc_slurm_id){.job = -1, .task = -1, .component = -1};
  if (digits(t, &at, &out->job) == 0) return false;
  if (at < t.n && t.s[at] == '_') {
    at++;
    if (at < t.n && t.s[at] == '[') {
      const char *inside = t.s + at + 1, *end = memchr(inside, ']', t.n - at - 1), *percent;
      if (!end || end == inside) return false;
      percent = memchr(inside, '%', (size_t)(end - inside));
      out->list = (hc_slice){inside, (size_t)((percent ? percent : end) - inside)};
      out->at_once = percent ? hc_slurm_at_once((hc_slice){percent + 1, (size_t)(end - percent) - 1}) : 0;
      at = (size_t)(end - t.s) + 1;
    } else if (digits(t, &at, &out->task) == 0) {
      return false;
    }
  }
  if (at < t.n && t.s[at] == '+') {
    at++;
    if (digits(t, &at, &out->component) == 0) return false;
  }
  out->is_step = at < t.n && t.s[at] == '.';
  return at == t.n || out->is_step;
}

size_t hc_slurm_spell(char text[80], int64_t job, int64_t task, int64_t component)
{
  int n = snprintf(text, 80, "%lld", (long long)job);
  if (task >= 0) n += snprintf(text + n, 80 - (size_t)n, "_%lld", (long long)task);
  if (component >= 0) n += snprintf(text + n, 80 - (size_t)n, "+%lld", (long long)component);
  return (size_t)n;
}

/* "7", "1-10" or "1-10:3" from `*at`. */
static bool one_range(hc_slice t, size_t *at, hc_slurm_range *out)
{
  out->step = 1;
  if (digits(t, at, &out->first) == 0) return false;
  out->last = out->first;
  if (*at < t.n && t.s[*at] == '-') {
    (*at)++;
    if (digits(t, at, &out->last) == 0) return false;
    if (*at < t.n && t.s[*at] == ':') {
      (*at)++;
      if (digits(t, at, &out->step) == 0) return false;
    }
  }
  return out->last >= out->first && out->step > 0;
}

hc_rc hc_slurm_ranges(const hc_allocator *a, hc_slice list, hc_slurm_range **out, size_t *count, size_t *cap)
{
  int64_t tasks = 0;
  *count = 0;
  for (size_t at = 0;; at++) {
    hc_slurm_range r;
    if (!one_range(list, &at, &r)) return 0;
    tasks += (r.last - r.first) / r.step + 1;
    if (tasks > HC_SLURM_ARRAY_LIMIT) return 0;
    TRY(hc_reserve(a, (void **)out, cap, *count + 1, sizeof r));
    (*out)[(*count)++] = r;
    if (at >= list.n) return 1;
    if (list.s[at] != ',') return 0;
  }
}
