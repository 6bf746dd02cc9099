/* slurm_node_times.c -- when nodes were away, and when cores were reserved: what `sacctmgr --parsable2
 * show event` and `show reservation` print.
 *
 * The columns TimeStart, TimeEnd and TRES are looked for by name; TRES says how many cores (cpu=128, or
 * 1=128 as in the table of slurmdbd). A row with a column NodeName that is empty is about the cluster itself,
 * and one whose state is neither down, drained, failing, in maintenance nor rebooting takes no core away:
 * both are passed over. A span without an end lasts.
 *
 * Source: https://slurm.schedmd.com/sacctmgr.html. Cost: about 1 us a row. */
#include <string.h>

#include "base/input.h"
#include "base/util.h"
#include "workload/slurm_row.h"

enum { FROM, UNTIL, TRES, STATE, NODE, COLUMNS };

typedef struct reading {
  const char *name;
  hc_input *in;
  hc_zone *zone;
  int at[COLUMNS]; /* -1: it has none */
  size_t columns;
  char separator;
} reading;

static hc_slice cell(const reading *r, const hc_field *fields, int which)
{
  if (r->at[which] < 0) return (hc_slice){"", 0};
  const hc_field *f = &fields[r->at[which]];
  return (hc_slice){f->text, f->length};
}

static hc_rc take_titles(reading *r, const char *line, size_t n, hc_error *e)
{
  static const char *const words[COLUMNS][2] = {{"TimeStart", "time_start"},
                                                {"TimeEnd", "time_end"},
                                                {"TRES", "tres"},
                                                {"State", "state"},
                                                {"NodeName", "node_name"}};
  hc_field fields[HC_SLURM_FIELDS];
  r->separator = hc_slurm_separator(line, n);
  r->columns = HC_MIN(hc_slurm_cut(line, n, r->separator, fields), HC_SLURM_FIELDS);
  for (int c = 0; c < COLUMNS; c++) {
    r->at[c] = -1;
    for (size_t i = r->columns; i-- > 0;)
      for (int k = 0; k < 2; k++)
        if (hc_slurm_same_column((hc_slice){fields[i].text, fields[i].length}, words[c][k]))
          r->at[c] = (int)i;
    if (r->at[c] < 0 && c < STATE)
      return hc_fail(e, HC_EINPUT, r->name, 1, 0,
                     "there is no column %s: print it with `sacctmgr --parsable2 show event "
                     "format=NodeName,TimeStart,TimeEnd,State,TRES`, or `show reservation "
                     "format=Name,TimeStart,TimeEnd,TRES`",
                     words[c][0]);
  }
  return 0;
}

static bool has_word(hc_slice s, const char *word)
{
  const size_t n = strlen(word);
  for (size_t i = 0; i + n <= s.n; i++)
    if (hc_slurm_is((hc_slice){s.s + i, n}, word)) return true;
  return false;
}

static bool takes_away(const reading *r, const hc_field *fields)
{
  static const char *const words[] = {"down", "drain", "fail", "maint", "reboot", "no_respond"};
  const hc_slice state = cell(r, fields, STATE);
  if (r->at[NODE] >= 0 && cell(r, fields, NODE).n == 0) return false;
  if (r->at[STATE] < 0) return true;
  for (size_t i = 0; i < HC_ARRAY_LEN(words); i++)
    if (has_word(state, words[i])) return true;
  return false;
}

/* @return 1; 0: it is about nothing that is looked at; HC_EINPUT */
static hc_rc take_row(reading *r, const char *line, size_t n, hc_node_time *out, hc_error *e)
{
  const uint32_t number = (uint32_t)HC_MIN(hc_input_lines(r->in), (uint64_t)UINT32_MAX);
  hc_field fields[HC_SLURM_FIELDS];
  hc_slice cores;
  if (hc_slurm_cut(line, n, r->separator, fields) < r->columns)
    return hc_fail(e, HC_EINPUT, r->name, number, 0, "there are fewer fields than titles");
  if (!takes_away(r, fields)) return 0;
  if (hc_slurm_time(cell(r, fields, FROM), r->zone, INT64_MIN, &out->from) != HC_SLURM_VALUE)
    return hc_fail(e, HC_EINPUT, r->name, number, 0, "its beginning is no time: \"%.*s\"",
                   (int)HC_MIN(cell(r, fields, FROM).n, (size_t)60), cell(r, fields, FROM).s);
  if (hc_slurm_time(cell(r, fields, UNTIL), r->zone, out->from, &out->to) != HC_SLURM_VALUE || out->to == 0)
    out->to = HC_UNKNOWN;
  if ((!hc_slurm_tres(cell(r, fields, TRES), "cpu", &cores) &&
       !hc_slurm_tres(cell(r, fields, TRES), "1", &cores)) ||
      hc_slurm_count(cores, &out->cores) != HC_SLURM_VALUE)
    return hc_fail(e, HC_EINPUT, r->name, number, 0,
                   "TRES does not say how many cores these are (cpu=128): \"%.*s\"",
                   (int)HC_MIN(cell(r, fields, TRES).n, (size_t)60), cell(r, fields, TRES).s);
  return out->to == HC_UNKNOWN || out->to > out->from;
}

static hc_rc read_all(reading *r, const hc_allocator *a, hc_node_times *out, hc_error *e)
{
  char *line;
  size_t n;
  bool begun = false;
  hc_rc rc;
  while ((rc = hc_input_line(r->in, &line, &n, e)) == 1) {
    hc_node_time span;
    if (strspn(line, " \t") == n) continue;
    if (!begun) {
      TRY(take_titles(r, line, n, e));
      begun = true;
      continue;
    }
    TRY(rc = take_row(r, line, n, &span, e));
    if (rc == 0) continue;
    TRY(hc_reserve(a, (void **)&out->items, &out->cap, out->count + 1, sizeof *out->items));
    out->items[out->count++] = span;
  }
  if (rc == 0 && !begun) return hc_fail(e, HC_EINPUT, r->name, 0, 0, "the file is empty");
  return rc;
}

hc_rc hc_node_times_read(const hc_allocator *a, const char *path, const char *zone, hc_node_times *out,
                         hc_error *e)
{
  reading r = {.name = path};
  hc_rc rc = 0;
  *out = (hc_node_times){.count = 0};
  if (zone && zone[0] && hc_zone_open(a, zone, &r.zone) < 0)
    return hc_fail(e, HC_EUSAGE, "zone", 0, 0, "no time zone \"%.80s\" in the tz database", zone);
  rc = hc_input_open(a, path, &r.in, e);
  if (rc >= 0) rc = read_all(&r, a, out, e);
  hc_input_free(r.in);
  hc_zone_free(r.zone);
  if (rc < 0) hc_node_times_free(a, out);
  return rc < 0 ? rc : 0;
}

void hc_node_times_free(const hc_allocator *a, hc_node_times *s)
{
  hc_free(a, s->items, s->cap * sizeof *s->items);
  *s = (hc_node_times){.count = 0};
}
