/* schedule.c -- reads schedules that other programs wrote, for `verify` and `compare`.
 *
 * Three formats, told apart by the first line that is no comment:
 *   lines    job submit start end procs            seconds; a fractional part is kept
 *   swf      18 fields or more; start = submit + wait, end = start + run, as simulators write them back
 *   accasim  id;user;submitted__requests__start;end;processors...   times as YYYY-MM-DD HH:MM:SS, counted
 * from 1970
 *
 * It takes a schedule as it is and judges nothing: that is verify.c. One pass, one growing array. */
#include "hindcast/verify.h"

#include <string.h>

#include "base/fields.h"
#include "base/input.h"
#include "base/text.h"
#include "base/util.h"

#define FIELD_LIMIT 24u

typedef struct reader {
  const hc_allocator *allocator;
  hc_input *in;
  hc_schedule *out;
  hc_error *error;
} reader;

typedef struct fields {
  const char *text[FIELD_LIMIT];
  size_t length[FIELD_LIMIT];
  size_t count;
} fields;

static hc_rc wrong(const reader *r, const char *text)
{
  uint64_t line = hc_input_lines(r->in);
  return hc_fail(r->error, HC_EINPUT, hc_input_name(r->in), (uint32_t)HC_MIN(line, UINT32_MAX), 0, "%s",
                 text);
}

static hc_task_record blank_record(void)
{
  return (hc_task_record){.serial = -1,
                          .id = -1,
                          .limit = HC_UNKNOWN,
                          .estimate = HC_NEVER,
                          .run = HC_UNKNOWN,
                          .user = -1,
                          .group = -1,
                          .executable = -1,
                          .queue = -1,
                          .partition = -1,
                          .final = HC_FINAL_COMPLETED};
}

static hc_rc keep(reader *r, const hc_task_record *record)
{
  hc_schedule *s = r->out;
  if (hc_reserve(r->allocator, (void **)&s->records, &s->cap, s->count + 1, sizeof *record) < 0)
    return hc_fail(r->error, HC_ENOMEM, hc_input_name(r->in), 0, 0, "out of memory for the schedule");
  s->records[s->count++] = *record;
  return 0;
}

static void split(const char *s, fields *f)
{
  f->count = 0;
  for (;;) {
    while (*s == ' ' || *s == '\t') s++;
    if (*s == '\0' || f->count == FIELD_LIMIT) return;
    f->text[f->count] = s;
    while (*s != '\0' && *s != ' ' && *s != '\t') s++;
    f->length[f->count] = (size_t)(s - f->text[f->count]);
    f->count++;
  }
}

static hc_rc get_int(const fields *f, size_t i, int64_t *out)
{
  return hc_parse_int(f->text[i], f->length[i], out);
}

static hc_rc get_time(const fields *f, size_t i, hc_time *out)
{
  return hc_parse_seconds(f->text[i], f->length[i], out);
}

/* ---- lines of job submit start end procs ---- */

static hc_rc read_plain(reader *r, char *line)
{
  hc_task_record record = blank_record();
  fields f;
  split(line, &f);
  if (f.count < 5) return wrong(r, "expected five fields: job submit start end procs, in seconds");
  if (get_int(&f, 0, &record.id) < 0 || get_time(&f, 1, &record.submit) < 0 ||
      get_time(&f, 2, &record.start) < 0 || get_time(&f, 3, &record.end) < 0 ||
      get_int(&f, 4, &record.units) < 0)
    return wrong(r, "a field is no number; expected: job submit start end procs, in seconds");
  if (record.start < 0) return 0;
  record.run = record.end - record.start;
  return keep(r, &record);
}

/* ---- SWF ---- */

static int64_t int_or(const fields *f, size_t i, int64_t fallback)
{
  int64_t n;
  return f->count > i && get_int(f, i, &n) == 0 && n >= 0 ? n : fallback;
}

static hc_rc read_swf(reader *r, char *line)
{
  hc_task_record record = blank_record();
  hc_time wait, run, asked = HC_UNKNOWN;
  fields f;
  split(line, &f);
  if (f.count < 5) return wrong(r, "expected at least five fields of the Standard Workload Format");
  if (get_int(&f, 0, &record.id) < 0 || get_time(&f, 1, &record.submit) < 0 || get_time(&f, 2, &wait) < 0 ||
      get_time(&f, 3, &run) < 0 || get_int(&f, 4, &record.units) < 0)
    return wrong(r, "one of the first five fields is no number");
  if (wait < 0 || run < 0) return 0; /* it did not start */
  record.units = int_or(&f, 7, record.units) > 0 ? int_or(&f, 7, record.units) : record.units;
  if (f.count > 8 && get_time(&f, 8, &asked) == 0 && asked >= 0) record.limit = record.estimate = asked;
  record.user = int_or(&f, 11, -1);
  record.group = int_or(&f, 12, -1);
  record.queue = int_or(&f, 14, -1);
  record.start = hc_time_add(record.submit, wait);
  record.end = hc_time_add(record.start, run);
  record.run = run;
  return keep(r, &record);
}

/* ---- AccaSim ---- */

/* YYYY-MM-DD HH:MM:SS at `s`, 19 bytes, from 1970 to 2200. */
static bool read_date(const char *s, hc_time *out)
{
  int64_t unix;
  if (strlen(s) < 19 || !hc_read_stamp(s, 19, NULL, 0, &unix) || unix < 0 || unix >= 7289654400) return false;
  *out = unix * HC_SECOND;
  return true;
}

/* id;user;SUBMIT__requests__START;END;processors;processors;?;expected duration; */
static hc_rc read_accasim(reader *r, char *line)
{
  hc_task_record record = blank_record();
  char *id_end = strchr(line, ';'), *user_end = id_end ? strchr(id_end + 1, ';') : NULL;
  char *first = user_end ? strstr(user_end, "__") : NULL, *last = first;
  char *end = NULL, *units = NULL;
  size_t n;
  if (!first)
    return wrong(r, "expected a line of AccaSim: id;user;submitted__nodes__start;end;processors;...");
  for (char *s = first; s; s = strstr(s + 2, "__")) last = s;
  if (strlen(last) > 22) end = last + 22;
  if (end) units = strchr(end, ';');
  if (hc_parse_int(line, (size_t)(id_end - line), &record.id) < 0 ||
      !read_date(user_end + 1, &record.submit) || !read_date(last + 2, &record.start) || !end ||
      end[-1] != ';' || !read_date(end, &record.end) || !units)
    return wrong(
        r, "a line of AccaSim that cannot be read: expected id;user;submitted__nodes__start;end;processors;"
           " with times as YYYY-MM-DD HH:MM:SS");
  n = strcspn(units + 1, ";");
  if (hc_parse_int(units + 1, n, &record.units) < 0) return wrong(r, "the number of processors is no number");
  if (hc_parse_int(id_end + 1, (size_t)(user_end - id_end - 1), &record.user) < 0) record.user = -1;
  record.run = record.end - record.start;
  return keep(r, &record);
}

/* ---- which it is ---- */

typedef hc_rc (*line_reader)(reader *r, char *line);

static line_reader choose(const char *line, hc_schedule *out)
{
  fields f;
  split(line, &f);
  if (strchr(line, ';') && strstr(line, "__")) {
    out->format = "accasim";
    return read_accasim;
  }
  out->format = f.count >= 11 ? "swf" : "lines";
  return f.count >= 11 ? read_swf : read_plain;
}

static hc_rc read_lines(reader *r)
{
  line_reader read_line = NULL;
  char *line;
  size_t n;
  hc_rc rc;
  while ((rc = hc_input_line(r->in, &line, &n, r->error)) == 1) {
    while (*line == ' ' || *line == '\t') line++;
    if (*line == '\0' || *line == ';' || *line == '#') continue;
    if (!read_line && ((*line >= 'a' && *line <= 'z') || (*line >= 'A' && *line <= 'Z')))
      continue; /* titles */
    if (!read_line) read_line = choose(line, r->out);
    TRY(read_line(r, line));
  }
  TRY(rc);
  if (r->out->count == 0)
    return wrong(
        r, "no task in it started: this is no schedule; give a result, or lines of `job submit start end "
           "procs`");
  return 0;
}

hc_rc hc_schedule_read(const hc_allocator *a, const char *path, hc_schedule *out, hc_error *e)
{
  hc_schedule s = {0};
  reader r = {.allocator = a, .out = &s, .error = e};
  hc_rc rc = hc_input_open(a, path, &r.in, e);
  if (rc < 0) return rc;
  rc = read_lines(&r);
  hc_input_free(r.in);
  if (rc < 0) hc_schedule_free(a, &s);
  else *out = s;
  return rc;
}

void hc_schedule_free(const hc_allocator *a, hc_schedule *s)
{
  hc_free(a, s->records, s->cap * sizeof *s->records);
  *s = (hc_schedule){0};
}
