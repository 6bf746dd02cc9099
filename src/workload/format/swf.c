/* swf.c -- the Standard Workload Format of the Parallel Workloads Archive, both ways.
 *
 * A header of `; Key: value` lines, then one task per line. Accepts what real files hold: decimals in any
 * field, blanks and tabs, columns past the 18th (a `{list}` or text, as Alea adds), a title line of words
 * before the first row, no header at all, comments between rows. Of a key that is given twice, the first
 * counts; a line indented deeper than the key before it continues that. How a row becomes numbers is in
 * workload/swf_row.c.
 *
 * What queues and partitions are called stands in comments, `; Queue: 3 long`, which are heard between rows
 * too. Users, groups and executables have no such lines: the standard makes them numbers.
 *
 * Partial executions (status 2, 3, 4) with the id of a summary line among the rows shortly before are counted
 * as merged: the summary line has it all. "Shortly before" is a table of 4096 places by id, so that memory
 * stays bounded.
 *
 * `columns: alcf` is an option and not guessed: in those files field 6, average CPU time, holds the requested
 * time, and nothing in the file says so. Their MaxProcs counts nodes, as do their rows.
 *
 * Written, the header is the source's own, as it stood, if it was of this format; else it is made of what the
 * source says of itself, and the source's comments follow as notes. A name of a queue or a partition that
 * no line of it says stands before the first row that has it, since what comes is not known when a stream
 * begins. A task that has no number of processors but a vector gets whole cores for it. A bundle becomes as
 * many lines.
 *
 * Does not sort (the stream does) and does not judge (admission does). Source:
 * https://www.cs.huji.ac.il/labs/parallel/workload/swf.html; Chapin et al., JSSPP 1999,
 * doi:10.1007/3-540-47954-6_4. Cost: about 60 ns per row beyond getting the line, as much to write one;
 * constant memory, but in a closed loop (see closedloop.c). */
#include <string.h>

#include "base/input.h"
#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "workload/closedloop.h"
#include "workload/delimited.h"
#include "workload/ledger.h"
#include "workload/reading.h"
#include "workload/swf_row.h"

#define HEADER_LIMIT ((size_t)1 << 20) /* bytes of header that are kept */
#define SUMMARIES 4096

typedef enum follow { FOLLOW_NONE, FOLLOW_THINK_TIME } follow;
typedef enum partial { PARTIAL_MERGE, PARTIAL_KEEP } partial;
typedef enum columns { COLUMNS_STANDARD, COLUMNS_ALCF } columns;

typedef struct options {
  const char *file, *origin;
  int follow, missing_predecessor, partial, columns;
  int64_t ahead;
  hc_time time_unit;
} options;

struct hc_source {
  const hc_source_context *context;
  const options *o;
  hc_input *in;
  const char *name;
  hc_loop *loop;            /* NULL: nothing follows anything */
  hc_task_spec task;        /* the one at hand */
  hc_trace_info said, info; /* as the header has it; with the zone that is meant */
  hc_arena texts;
  hc_buffer header;
  int64_t offset; /* TimeZone, seconds; HC_UNKNOWN */
  char offset_name[HC_ZONE_FIXED];
  const char **continued; /* what the header's last key filled; NULL */
  size_t indent;          /* of that key */
  int64_t summaries[SUMMARIES];
  struct {
    uint64_t position, lines; /* written when visited */
    hc_flaws flaws;           /* of this file */
    bool title, at_end;       /* the title line was seen; the end was reached */
    bool header_ended, unused[5];
  } s;
};

/* ---- the header ---- */

/* The whole number that a value begins with: "338 (430 total)". */
static bool leading_number(const char *s, int64_t *out)
{
  const bool negative = *s == '-';
  int64_t v = 0;
  if (negative) s++;
  if (*s < '0' || *s > '9') return false;
  for (; *s >= '0' && *s <= '9'; s++)
    if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *s - '0', &v)) return false;
  *out = negative ? -v : v;
  return true;
}

static hc_rc take_text(hc_source *s, const char **member, const char *value)
{
  if (*member) {
    s->continued = NULL; /* of a repeated key the first counts, and nothing continues this one */
    return 0;
  }
  if (*value) {
    *member = hc_arena_text(&s->texts, value, strlen(value));
    if (!*member) return HC_ENOMEM;
  }
  s->continued = member;
  return 0;
}

/* What the header says beside TimeZone, in the order in which it is written. A number below `least` says
 * nothing. */
typedef struct header_key {
  const char *name;
  size_t at; /* in hc_trace_info */
  bool is_text;
  int64_t least, unsaid;
} header_key;

#define TEXT(member) offsetof(hc_trace_info, member), .is_text = true
#define NUMBER(member, least_, unsaid_) \
  offsetof(hc_trace_info, member), .least = (least_), .unsaid = (unsaid_)
static const header_key header_keys[] = {
    {"Computer", TEXT(computer)},
    {"Installation", TEXT(installation)},
    {"Acknowledge", TEXT(acknowledge)},
    {"MaxJobs", NUMBER(jobs, 0, HC_UNKNOWN)},
    {"MaxRecords", NUMBER(records, 0, HC_UNKNOWN)},
    {"UnixStartTime", NUMBER(unix_start, 0, HC_UNKNOWN)},
    {"TimeZoneString", TEXT(zone)},
    {"MaxNodes", NUMBER(nodes, 1, 0)},
    {"MaxProcs", NUMBER(processors, 1, 0)},
};

static void take_number(int64_t *member, const char *value, int64_t least, int64_t unsaid)
{
  int64_t v;
  if (*member == unsaid && leading_number(value, &v) && v >= least) *member = v;
}

static hc_rc take_key(hc_source *s, const char *key, size_t n, const char *value)
{
  s->continued = NULL;
  for (size_t k = 0; k < HC_ARRAY_LEN(header_keys); k++) {
    const header_key *h = &header_keys[k];
    void *member = (char *)&s->said + h->at;
    if (!hc_same_word(key, n, h->name)) continue;
    if (h->is_text) return take_text(s, member, value);
    take_number(member, value, h->least, h->unsaid);
  }
  if (hc_same_word(key, n, "TimeZone")) take_number(&s->offset, value, -HC_DAY / HC_SECOND, HC_UNKNOWN);
  return 0;
}

/* More of the value before: on a line without a key, or indented deeper than the key was. */
static hc_rc take_more(hc_source *s, const char *text)
{
  const char *known = s->continued ? *s->continued : NULL;
  char *both;
  if (!s->continued || s->continued == &s->said.zone || !*text) return 0;
  both =
      known ? hc_arena_printf(&s->texts, "%s %s", known, text) : hc_arena_text(&s->texts, text, strlen(text));
  if (!both) return HC_ENOMEM;
  *s->continued = both;
  return 0;
}

static void trim_end(char *text)
{
  size_t n = strlen(text);
  while (n > 0 && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r')) n--;
  text[n] = '\0';
}

/* What the user says stands in place of what the header says of the origin. */
static hc_rc take_origin(hc_source *s, hc_error *e)
{
  hc_time origin = HC_UNKNOWN;
  TRY(hc_origin_read("source swf", s->o->origin, NULL, &origin, e));
  s->said.unix_start = hc_origin_seconds(origin);
  return 0;
}

/* "; Queue: 3 long": what a number is called. @return which kind; HC_CALLED_COUNT: the line says none */
static hc_called called_line(const char *line, size_t n, int64_t *number, const char **name, size_t *length)
{
  static const struct {
    const char *key;
    hc_called kind;
  } keys[] = {{"Queue", HC_CALLED_QUEUE}, {"Partition", HC_CALLED_PARTITION}};
  const char *end = line + n, *key, *p;
  while (line < end && (*line == ';' || hc_is_blank(*line))) line++;
  for (key = p = line; p < end && *p != ':' && !hc_is_blank(*p);) p++;
  if (p == end || *p != ':') return HC_CALLED_COUNT;
  const size_t k = hc_same_word(key, (size_t)(p - key), keys[0].key) ? 0 : 1;
  if (k == 1 && !hc_same_word(key, (size_t)(p - key), keys[1].key)) return HC_CALLED_COUNT;
  do p++;
  while (p < end && hc_is_blank(*p));
  if (p == end || !leading_number(p, number) || *number < 0) return HC_CALLED_COUNT;
  while (p < end && *p >= '0' && *p <= '9') p++;
  if (p == end || !hc_is_blank(*p)) return HC_CALLED_COUNT;
  while (p < end && hc_is_blank(*p)) p++;
  while (end > p && (hc_is_blank(end[-1]) || end[-1] == '\r')) end--;
  *name = p;
  *length = (size_t)(end - p);
  return p < end ? keys[k].kind : HC_CALLED_COUNT;
}

static hc_rc hear_name(const hc_source *s, const char *line)
{
  const char *name;
  size_t n;
  int64_t number;
  const hc_called kind = called_line(line, strlen(line), &number, &name, &n);
  return kind == HC_CALLED_COUNT ? 0 : hc_source_call(s->context, kind, number, name, n);
}

static hc_rc header_line(hc_source *s, char *line)
{
  const size_t length = strlen(line);
  char *p = line, *key, *value;
  size_t indent;
  if (s->header.size + length + 1 > HEADER_LIMIT) return 0;
  if (s->header.size > 0) hc_buffer_add(&s->header, "\n", 1);
  hc_buffer_add(&s->header, line, length);
  if (s->header.failed) return HC_ENOMEM;
  s->said.header = s->header.data;
  while (*p == ' ' || *p == '\t') p++;
  if (*p != ';') return 0; /* an empty line */
  for (key = p; *key == ';' || *key == ' ' || *key == '\t';) key++;
  indent = (size_t)(key - p);
  trim_end(key);
  for (value = key; *value && *value != ':' && *value != ' ' && *value != '\t';) value++;
  if (*value != ':' || value == key || (s->indent > 0 && indent > s->indent)) return take_more(s, key);
  s->indent = indent;
  const size_t n = (size_t)(value - key);
  do value++;
  while (*value == ' ' || *value == '\t');
  return take_key(s, key, n, value);
}

/* ---- rows ---- */

static bool begins_with_letter(const char *line)
{
  while (*line == ' ' || *line == '\t') line++;
  return (*line >= 'a' && *line <= 'z') || (*line >= 'A' && *line <= 'Z');
}

/* True if the row is one of several executions whose summary line was seen. */
static bool is_merged(hc_source *s)
{
  const int32_t status = s->task.status;
  int64_t *place = &s->summaries[(uint64_t)s->task.id % SUMMARIES];
  if (status >= HC_STATUS_PARTIAL && status <= HC_STATUS_PARTIAL_FAILED) return *place == s->task.id;
  *place = s->task.id;
  return false;
}

/* The end of the file. One in which no line is a row is no trace at all. */
static hc_rc check_end(hc_source *s, hc_error *e)
{
  s->s.at_end = true;
  if (s->s.flaws.rows > 0) return 0;
  if (s->s.flaws.malformed > 0)
    return hc_fail(
        e, HC_EINPUT, s->name, s->s.flaws.bad_line, s->s.flaws.bad_column,
        strcmp(s->name, "standard input") == 0
            ? "this is not a trace in the Standard Workload Format: none of its lines has 18 numbers; name "
              "the format of what is piped in, --set 'source={use: FORMAT, file: \"-\"}' (`hindcast list "
              "reader`)"
            : "this is not a trace in the Standard Workload Format: none of its lines has 18 numbers; "
              "`hindcast list reader` has the formats");
  if (s->header.size > 0) return 0; /* a header alone: a trace without tasks */
  return hc_fail(e, HC_EINPUT, s->name, 0, 0,
                 s->s.title ? "this is not a trace in the Standard Workload Format: it has one line, of words"
                            : "the file is empty: give a trace in the Standard Workload Format");
}

/* The next row that is a task, in s->task. @return 1, 0 at the end, or an error. */
static hc_rc read_row(hc_source *s, hc_error *e)
{
  hc_row_ledger *ledger = s->context->ledger;
  if (s->s.at_end) return 0;
  for (;;) {
    char *line;
    size_t length;
    uint32_t column = 0;
    const hc_rc rc = hc_input_line(s->in, &line, &length, e);
    if (rc < 0) return rc;
    if (rc == 0) return check_end(s, e);
    if (hc_swf_is_comment(line)) {
      TRY(hear_name(s, line));
      if (!s->s.header_ended) TRY(header_line(s, line));
      continue;
    }
    s->s.header_ended = true;
    if (s->s.flaws.rows + s->s.flaws.malformed == 0 && !s->s.title && begins_with_letter(line)) {
      s->s.title = true;
      continue;
    }
    if (ledger) ledger->read++;
    if (!hc_swf_row(line, s->o->time_unit, s->o->columns == COLUMNS_ALCF, &s->task, &column)) {
      TRY(hc_flaws_line(&s->s.flaws, s->context, s->name, hc_input_lines(s->in), column, line, e));
      continue;
    }
    s->s.flaws.rows++;
    s->task.line = hc_input_lines(s->in);
    if (s->o->partial == PARTIAL_KEEP || !is_merged(s)) return 1;
    if (ledger) ledger->merged++;
  }
}

/* In a closed loop rows are read ahead, so that one is known before the task that it follows ends. */
static hc_rc next_in_loop(hc_source *s, hc_error *e)
{
  while (!s->s.at_end && hc_loop_ready(s->loop) < (size_t)s->o->ahead) {
    const hc_rc rc = read_row(s, e);
    if (rc < 0) return rc;
    if (rc > 0) TRY(hc_loop_add(s->loop, &s->task, e));
  }
  if (hc_loop_next(s->loop, &s->task) > 0) return 1;
  return hc_loop_held(s->loop) > 0 ? 2 : 0;
}

/* ---- the reader ---- */

static void swf_close(hc_source *s)
{
  if (!s) return;
  const hc_allocator *a = s->context->allocator;
  hc_loop_free(s->loop);
  hc_input_free(s->in);
  hc_buffer_fini(&s->header);
  hc_arena_fini(&s->texts);
  hc_free(a, s, sizeof *s);
}

static hc_rc swf_open(const hc_source_context *c, const void *given, hc_source **out, hc_error *e)
{
  const options *o = given;
  hc_source *s;
  hc_rc rc;
  TRY(hc_reading_begin(c, "source swf", o->file, sizeof *s, &s, e));
  s->context = c;
  s->o = o;
  s->said = hc_trace_info_none();
  s->offset = HC_UNKNOWN;
  for (size_t i = 0; i < SUMMARIES; i++) s->summaries[i] = INT64_MIN;
  hc_arena_init(&s->texts, c->allocator);
  hc_buffer_init(&s->header, c->allocator);
  TRY_OR(take_origin(s, e), fail);
  TRY_OR(hc_input_open(c->allocator, o->file, &s->in, e), fail);
  hc_input_sum(s->in, c->sums);
  s->name = hc_input_name(s->in);
  if (o->follow == FOLLOW_THINK_TIME)
    TRY_OR(hc_loop_new(c, s->name, (hc_missing_predecessor)o->missing_predecessor, &s->loop), fail);
  *out = s;
  return 0;
fail:
  swf_close(s);
  return rc;
}

static hc_rc swf_next(hc_source *s, hc_job *job, hc_error *e)
{
  const hc_rc rc = s->loop ? next_in_loop(s, e) : read_row(s, e);
  if (rc == 1) *job = (hc_job){.tasks = &s->task, .task_count = 1};
  return rc;
}

static bool swf_is_sorted(const hc_source *s)
{
  return hc_swf_ascends(s->context->allocator, s->in);
}

static bool swf_listens(const void *opts)
{
  return ((const options *)opts)->follow == FOLLOW_THINK_TIME;
}

static hc_rc swf_feedback(hc_source *s, const hc_feedback *f, hc_error *e)
{
  return s->loop ? hc_loop_feedback(s->loop, f, e) : 0;
}

/* A zone that has no name that the tz database knows is the offset that the header has beside it, if it
 * has one. */
static const hc_trace_info *swf_info(hc_source *s)
{
  const char *zone = s->said.zone;
  s->info = s->said;
  if (s->offset != HC_UNKNOWN && !(zone && hc_zone_is_known(zone)) &&
      hc_zone_fixed(s->offset, s->offset_name))
    s->info.zone = s->offset_name;
  return &s->info;
}

/* Reading can be put anywhere past the header only when the header is known. */
static hc_rc finish_header(hc_source *s, hc_error *e)
{
  while (!s->s.header_ended) {
    char *line;
    size_t length;
    const hc_rc rc = hc_input_line(s->in, &line, &length, e);
    if (rc < 0) return rc;
    if (rc == 0) break;
    if (!hc_swf_is_comment(line)) break;
    TRY(hear_name(s, line));
    TRY(header_line(s, line));
  }
  s->s.header_ended = true;
  return 0;
}

static hc_rc go_back(hc_source *s, hc_visitor *v, hc_error *e)
{
  TRY(finish_header(s, e));
  TRY(hc_visit_bytes(v, &s->s, sizeof s->s));
  const bool from_start = s->s.position == 0;
  TRY(hc_input_seek(s->in, s->s.position, s->s.lines, e));
  if (from_start) s->s.header_ended = true; /* it is known already, and not collected again */
  return 0;
}

static hc_rc swf_visit(hc_source *s, hc_visitor *v, hc_error *e)
{
  if (hc_visit_loading(v)) {
    TRY(go_back(s, v, e));
  } else {
    s->s.position = hc_input_position(s->in);
    s->s.lines = hc_input_lines(s->in);
    HC_VISIT(v, s->s);
  }
  if (s->o->partial == PARTIAL_MERGE) HC_VISIT(v, s->summaries);
  return s->loop ? hc_loop_visit(s->loop, v) : 0;
}

static void swf_progress(hc_source *s, uint64_t *done, uint64_t *total)
{
  hc_input_progress(s->in, done, total);
}

/* By its first row: 18 numbers. A header alone says less, and a name least. */
static int swf_recognise(const char *name, const char *head, size_t size)
{
  int likely = hc_delimited_is_called(name, ".swf") ? 40 : 0;
  bool first = true;
  for (size_t at = 0; at < size;) {
    char line[1024];
    hc_task_spec t;
    uint32_t column;
    const char *end = memchr(head + at, '\n', size - at);
    const size_t n = end ? (size_t)(end - (head + at)) : size - at;
    if (!end || n >= sizeof line) break;
    memcpy(line, head + at, n);
    line[n] = '\0';
    trim_end(line);
    at += n + 1;
    if (hc_swf_is_comment(line)) {
      if (line[0] == ';' && likely < 60) likely = 60;
      continue;
    }
    if (hc_swf_row(line, HC_SECOND, false, &t, &column)) return 95;
    if (!first || !begins_with_letter(line)) return likely > 40 ? 20 : 0;
    first = false;
  }
  return likely;
}

/* ---- writing ---- */

static void put_text(hc_buffer *out, const char *key, const char *value)
{
  if (!value) return;
  hc_buffer_printf(out, "; %s: ", key);
  for (const char *p = value; *p; p++) hc_buffer_add(out, *p == '\n' || *p == '\r' ? " " : p, 1);
  hc_buffer_add(out, "\n", 1);
}

/* "; UnixStartTime: 843489600" */
static bool is_start(const char *line)
{
  static const char word[] = "UnixStartTime";
  const size_t n = sizeof word - 1, blanks = strspn(line, "; \t");
  return strlen(line + blanks) > n && hc_same_word(line + blanks, n, word);
}

/* As it stood, but for an origin that is another one by now. */
static void add_header(hc_buffer *out, const hc_trace_info *info)
{
  bool is_said = info->unix_start == HC_UNKNOWN;
  for (const char *line = info->header; *line;) {
    const size_t n = strcspn(line, "\n");
    int64_t v;
    if (is_start(line) && !is_said) {
      const char *value = memchr(line, ':', n);
      if (value && leading_number(value + 1 + strspn(value + 1, " \t"), &v) && v == info->unix_start)
        hc_buffer_add(out, line, n);
      else hc_buffer_printf(out, "; UnixStartTime: %lld", (long long)info->unix_start);
      is_said = true;
    } else {
      hc_buffer_add(out, line, n);
    }
    hc_buffer_text(out, "\n");
    line += n + (line[n] == '\n');
  }
  if (!is_said) hc_buffer_printf(out, "; UnixStartTime: %lld\n", (long long)info->unix_start);
}

void hc_swf_write_header(hc_buffer *out, const hc_trace_info *info, const char *note)
{
  if (info && info->header && info->header[0]) {
    add_header(out, info);
  } else if (info) {
    put_text(out, "Version", "2.2");
    for (size_t k = 0; k < HC_ARRAY_LEN(header_keys); k++) {
      const header_key *h = &header_keys[k];
      const void *member = (const char *)info + h->at;
      if (h->is_text) put_text(out, h->name, *(const char *const *)member);
      else if (*(const int64_t *)member >= h->least)
        hc_buffer_printf(out, "; %s: %lld\n", h->name, (long long)*(const int64_t *)member);
    }
  }
  put_text(out, "Note", note);
}

/* Queues and partitions: what of theirs stands in a comment. */
enum { OF_QUEUES, OF_PARTITIONS, CALLED };
static const struct {
  hc_called kind;
  uint64_t name;
  const char *key;
} called[CALLED] = {[OF_QUEUES] = {HC_CALLED_QUEUE, HC_FACT_BIT(QUEUE_NAME), "Queue"},
                    [OF_PARTITIONS] = {HC_CALLED_PARTITION, HC_FACT_BIT(PARTITION_NAME), "Partition"}};
enum { CANNOT, SAID };

struct hc_writer {
  hc_rows rows;
  hc_map said[CALLED]; /* by number: whether its name stands there, or cannot */
};

/* Whether any of the comments is of this format. */
static bool is_header_of_swf(const char *header)
{
  while (*header) {
    const char *line = header + strspn(header, " \t");
    if (*line == ';') return true;
    header += strcspn(header, "\n");
    header += *header == '\n';
  }
  return false;
}

/* Comments of another format, without their mark. */
static void add_notes(hc_buffer *b, const char *header)
{
  while (*header) {
    const size_t n = strcspn(header, "\n");
    size_t mark = 0;
    while (mark < n && (header[mark] == '#' || header[mark] == ' ' || header[mark] == '\t')) mark++;
    if (mark < n) {
      hc_buffer_text(b, "; Note: ");
      hc_buffer_add(b, header + mark, n - mark);
      hc_buffer_add(b, "\n", 1);
    }
    header += n + (header[n] == '\n');
  }
}

/* The source's own header, but for names that numbers do not have any more, as in one of several sources. */
static hc_rc keep_header(hc_writer *w, const char *header, hc_buffer *out)
{
  while (*header) {
    const size_t n = strcspn(header, "\n");
    const char *name;
    size_t length;
    int64_t number;
    const hc_called kind = called_line(header, n, &number, &name, &length);
    const char *now = kind < HC_CALLED_COUNT ? hc_called_of(w->rows.context, kind, number) : NULL;
    const bool is_so = now && strlen(now) == length && memcmp(now, name, length) == 0;
    if (is_so) TRY(hc_map_set(&w->said[kind == HC_CALLED_PARTITION], (uint64_t)number, SAID));
    if (kind == HC_CALLED_COUNT || is_so) {
      hc_buffer_add(out, header, n);
      hc_buffer_text(out, "\n");
    }
    header += n + (header[n] == '\n');
  }
  return out->failed ? HC_ENOMEM : 0;
}

static hc_rc write_head(hc_writer *w)
{
  hc_trace_info info = hc_trace_info_none();
  const char *foreign = NULL;
  hc_buffer b, own;
  hc_rc rc = 0;
  if (w->rows.context->info) info = *w->rows.context->info;
  if (info.header && info.header[0] && !is_header_of_swf(info.header)) {
    foreign = info.header;
    info.header = NULL;
  }
  hc_buffer_init(&b, w->rows.context->allocator);
  hc_buffer_init(&own, w->rows.context->allocator);
  if (info.header) rc = keep_header(w, info.header, &own);
  if (info.header && own.data) info.header = own.data;
  hc_swf_write_header(&b, &info, NULL);
  if (foreign) add_notes(&b, foreign);
  hc_swf_write_header(&b, NULL, w->rows.context->note);
  if (rc == 0) rc = b.failed ? HC_ENOMEM : hc_out_add(&w->rows.out, b.data, b.size);
  hc_buffer_fini(&b);
  hc_buffer_fini(&own);
  return rc;
}

static void writer_close(hc_writer *w)
{
  for (int k = 0; w && k < CALLED; k++) hc_map_fini(&w->said[k]);
  hc_rows_close(w);
}

static hc_rc writer_open(const hc_writer_context *c, const void *given, hc_writer **out, hc_error *e)
{
  hc_rc rc;
  HC_UNUSED(given);
  HC_UNUSED(e);
  TRY(hc_rows_open(c, sizeof **out, NULL, out));
  for (int k = 0; k < CALLED; k++) hc_map_init(&(*out)->said[k], c->allocator);
  rc = write_head(*out);
  if (rc < 0) writer_close(*out);
  return rc;
}

/* A name that a comment can say is not empty, and has neither blanks around it nor line breaks. */
static bool can_say(const char *name)
{
  const size_t n = strlen(name);
  return n > 0 && n <= HC_NAME_MOST && !hc_is_blank(name[0]) && !hc_is_blank(name[n - 1]) &&
         !strpbrk(name, "\n\r");
}

/* What the task's queue or partition is called, if that does not stand there yet. */
static hc_rc say_name(hc_writer *w, int k, int64_t number, uint64_t *lost)
{
  const char *name = hc_called_of(w->rows.context, called[k].kind, number);
  uint32_t said = hc_map_get(&w->said[k], (uint64_t)number);
  char *p;
  if (!name) return 0;
  if (said == HC_MAP_NONE) {
    said = can_say(name) ? SAID : CANNOT;
    TRY(hc_map_set(&w->said[k], (uint64_t)number, said));
    if (said == SAID) {
      TRY(hc_out_row(&w->rows.out, &p));
      p = hc_put_text(hc_put_text(hc_put_text(p, "; "), called[k].key), ": ");
      p = hc_put_char(hc_put_uint(p, (uint64_t)number), ' ');
      hc_out_end(&w->rows.out, hc_put_char(hc_put_text(p, name), '\n'));
    }
  }
  if (said == SAID) *lost &= ~called[k].name;
  return 0;
}

static hc_rc writer_task(hc_writer *w, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  const hc_task_spec *t = &task->spec;
  const hc_batch b = hc_batch_of(t, lost);
  const int64_t rows = t->count > 1 ? t->count : 1;
  TRY(hc_rows_allowed(t, rows, "swf", e));
  if (*lost & called[OF_QUEUES].name) TRY(say_name(w, OF_QUEUES, t->queue, lost));
  if (*lost & called[OF_PARTITIONS].name) TRY(say_name(w, OF_PARTITIONS, t->partition, lost));
  for (int64_t i = 0; i < rows; i++) {
    char *row;
    TRY(hc_out_row(&w->rows.out, &row));
    hc_out_end(&w->rows.out, hc_swf_put(row, t, &b));
  }
  return 0;
}

static const hc_param params[] = {
    HC_PARAM(FILE, options, file, NULL, "Path of the trace, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM(CHOICE, options, follow, "none|think_time", "none",
             "What fields 17 (preceding job) and 18 (think time) mean. none: nothing; tasks arrive at the "
             "times of the log. think_time: a closed loop; a task that follows another is submitted its "
             "think time after that one ends in the simulation."),
    HC_PARAM(CHOICE, options, missing_predecessor, "satisfied|reject|error", "satisfied",
             "With think_time, a task that follows a task which is not in the workload before it. satisfied: "
             "it arrives at the time of the log. reject: it is left out. error: the run ends with an error."),
    HC_PARAM(INT, options, ahead, "rows", "65536", 1, 1e9,
             "With think_time, number of rows that are read ahead of their time: a task whose row comes "
             "later than that may be submitted late."),
    HC_PARAM(CHOICE, options, partial, "merge|keep", "merge",
             "Rows of status 2, 3 or 4. merge: they are counted as parts of the summary row with the same id "
             "shortly before. keep: each is a task."),
    HC_PARAM(CHOICE, options, columns, "standard|alcf", "standard",
             "Meaning of the columns. standard: that of the format. alcf: where field 9 has no requested "
             "time it is in field 6, as in public logs of that site; this is never guessed, since nothing in "
             "such a file says so."),
    HC_PARAM(TIME, options, time_unit, "s", "1s", 1e-9, 1e6,
             "Unit of the time fields; the standard says a second."),
    HC_PARAM(TEXT, options, origin, NULL,
             "Date (UTC) or Unix time of time 0, for tables by day. Default: UnixStartTime of the header, if "
             "it is there."),
    {.name = NULL},
};

const hc_reader_type hc_reader_swf = {
    .component = {HC_COMPONENT_HEAD(hc_reader_type, HC_KIND_READER), .name = "swf",
                  .summary = "Standard Workload Format of the Parallel Workloads Archive",
                  .detail = "Rows of 18 numbers; further columns are ignored. -1 is an unknown value. Other "
                            "negative times and amounts, NaN, infinities and hexadecimal numbers make a row "
                            "malformed: it is counted and left out, or an error under `strict`. Comments `; "
                            "Queue: 3 long` and `; Partition: 1 batch` give the names of numbers. Memory is "
                            "in KB of 1024 bytes per processor; fractions of a processor are rounded up.",
                  .source = "Feitelson, Standard Workload Format 2.2, "
                            "https://www.cs.huji.ac.il/labs/parallel/workload/swf.html",
                  .params = params, .options_size = sizeof(options)},
    .open = swf_open,
    .next = swf_next,
    .feedback = swf_feedback,
    .info = swf_info,
    .visit = swf_visit,
    .progress = swf_progress,
    .close = swf_close,
    .recognise = swf_recognise,
    .listens = swf_listens,
    .is_sorted = swf_is_sorted,
    .line_key = hc_swf_line_key,
    .line_begin = hc_swf_line_begin,
    .line_end = hc_swf_line_end,
};

const hc_writer_type hc_writer_swf = {
    .component =
        {HC_COMPONENT_HEAD(hc_writer_type, HC_KIND_WRITER), .name = "swf",
         .summary = "Standard Workload Format of the Parallel Workloads Archive",
         .detail =
             "18 numbers on each line; times in seconds and memory in KiB per processor, both exact. A task "
             "with a vector of amounts instead of processors gets ceil(cores) processors for each of its "
             "hosts, and its memory divided among them, rounded up. A bundle becomes a line for each of its "
             "tasks. Names of queues and partitions stand in comments, `; Queue: 3 long`, in the header or "
             "before the first row that has them; names of users, groups and executables are lost.",
         .source = "Feitelson, Standard Workload Format 2.2, "
                   "https://www.cs.huji.ac.il/labs/parallel/workload/swf.html"},
    .holds = HC_HOLDS_BATCH | HC_FACT_BIT(PRECEDING) | HC_FACT_BIT(THINK) | HC_FACT_BIT(BUNDLE),
    .ending = ".swf",
    .open = writer_open,
    .task = writer_task,
    .finish = hc_rows_finish,
    .close = writer_close,
};
