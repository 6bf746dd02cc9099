/* pseudo_cluster.c -- statistics.csv of the tool pseudo-cluster: its universal table of jobs, both ways.
 *
 * Fields stand between tabs, texts between quotes, numbers without: id, name, the times of submission, start
 * and end (local time of the machine that made it), user, group, limit in minutes, processors, partition,
 * priority, class (Slurm's account, LoadLeveler's class), state, and other attributes as k='v', which are
 * not read. A job that never started has a start in 1970, or none. A limit of 0 is none.
 *
 * Users and groups are often masked there, as pseudo_cluster_user_N; files users_map and groups_map say who
 * N is, `pseudo_cluster_user_1:ann`. With them names come back; what they do not name stays as it is.
 *
 * Each of the four files is written, masks in order of first sight. Written dates are UTC, counted from 2000
 * if the trace does not say when it began; a limit is rounded up to whole minutes. A task without processors
 * gets whole cores for its demand. A bundle becomes as many rows.
 *
 * Source: https://github.com/pseudo-cluster/pseudo-cluster, scripts/pseudo_cluster/task.py. Cost: about 1 us
 * a row read, 300 ns written. */
#include "base/input.h"
#include "table/pen.h"
#include "table/sheet.h"

enum {
  ID,
  NAME,
  SUBMIT,
  START,
  END,
  USER,
  GROUP,
  LIMIT,
  CPUS,
  PARTITION,
  PRIORITY,
  CLASS,
  STATE,
  OTHER,
  COLUMNS
};

#define NO_ORIGIN 946684800 /* 2000-01-01: 1970 stands for what never was */

typedef struct options {
  hc_sheet_options common;
  const char *users_map, *groups_map;
} options;

enum { TABLE_STATISTICS, TABLE_USERS, TABLE_GROUPS, TABLE_MEMBERS };

typedef struct pen_options {
  int table;
  bool masked;
} pen_options;

/* Masks that were given so far, and which user was seen in which group, both as masks. */
typedef struct pen {
  hc_map masks[2]; /* a user's, a group's number -> its mask, from 1 */
  hc_map members;  /* pairs of masks that are known */
  uint64_t *pairs; /* [pair_count] user << 32 | group, in order of first sight */
  size_t pair_count, pair_cap;
} pen;

/* Masked names and those behind them: "pseudo_cluster_user_1" NUL "ann" NUL ... */
typedef struct own {
  hc_buffer map[2]; /* of users, of groups */
} own;

/* ---- masks ---- */

static const char *const mask_words[] = {"pseudo_cluster_user_", "pseudo_cluster_group_"};

static pen *pen_of(const hc_pen *w)
{
  return w->own;
}

/* The mask of a user (0) or a group (1), in order of first sight. @return 1 if it is new, 0, HC_ENOMEM */
static hc_rc mask_of(const hc_pen *w, int kind, int64_t number, uint32_t *mask)
{
  hc_map *m = &pen_of(w)->masks[kind];
  *mask = hc_map_get(m, (uint64_t)number);
  if (*mask != HC_MAP_NONE) return 0;
  *mask = (uint32_t)m->count + 1;
  TRY(hc_map_set(m, (uint64_t)number, *mask));
  return 1;
}

static bool is_masked(const hc_pen *w)
{
  return ((const pen_options *)w->options)->masked;
}

/* ---- columns ---- */

/* A text, quoted even where it need not be; one that has to be is already. */
static char *put_quoted(char *p, hc_pen *w, hc_called kind, int64_t number, uint64_t *lost)
{
  char *end = hc_pen_called(p + 1, w, kind, number, lost);
  if (end > p + 1 && p[1] == '"') {
    memmove(p, p + 1, (size_t)(end - p - 1));
    return end - 1;
  }
  *p = '"';
  for (char *q = p + 1; q < end; q++) {
    if (*q != '"') continue;
    memmove(q + 1, q, (size_t)(end - q)); /* quotes within are doubled */
    q++;
    end++;
  }
  return hc_put_char(end, '"');
}

#define PUT(name_, kind_, member_) \
  static char *put_##name_(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost) \
  { \
    return put_quoted(p, w, HC_CALLED_##kind_, t->member_, lost); \
  }
PUT(name, EXECUTABLE, executable)
PUT(partition, PARTITION, partition)
PUT(class, QUEUE, queue)
#undef PUT

static char *put_masked(char *p, const hc_pen *w, int kind, int64_t number, uint64_t *lost)
{
  const uint32_t mask = number < 0 ? 0 : hc_map_get(&pen_of(w)->masks[kind], (uint64_t)number);
  HC_UNUSED(lost);
  p = hc_put_char(p, '"');
  if (number >= 0) p = hc_put_uint(hc_put_text(p, mask_words[kind]), mask);
  return hc_put_char(p, '"');
}

static char *put_user(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  return is_masked(w) ? put_masked(p, w, 0, t->user, lost) : put_quoted(p, w, HC_CALLED_USER, t->user, lost);
}

static char *put_group(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  return is_masked(w) ? put_masked(p, w, 1, t->group, lost)
                      : put_quoted(p, w, HC_CALLED_GROUP, t->group, lost);
}

static char *put_date(char *p, const hc_pen *w, hc_time t, uint64_t *lost)
{
  p = hc_put_char(p, '"');
  char *end = hc_put_moment(p, w, t, lost);
  if (end == p) end = hc_put_text(p, "1970-01-01 00:00:00"); /* never */
  return hc_put_char(end, '"');
}

static char *put_submit(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  return put_date(p, w, t->submit, lost);
}

static char *put_start(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  return put_date(p, w, t->run == HC_UNKNOWN ? HC_UNKNOWN : hc_start_of(t), lost);
}

static char *put_end(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_time left = t->wait == HC_UNKNOWN ? HC_UNKNOWN : hc_time_add(t->submit, t->wait);
  return put_date(p, w, t->run == HC_UNKNOWN ? left : hc_end_of(t), lost);
}

/* Slurm's states as the tool has them, by their numbers there. */
static const struct {
  const char *word;
  hc_recorded state;
} states[] = {{"completed", HC_RECORDED_COMPLETED}, {"canceled", HC_RECORDED_CANCELLED},
              {"failed", HC_RECORDED_FAILED},       {"time_left", HC_RECORDED_TIMEOUT},
              {"node_fail", HC_RECORDED_NODE_FAIL}, {"removed", HC_RECORDED_CANCELLED},
              {"vacated", HC_RECORDED_REQUEUED},    {"rejected", HC_RECORDED_FAILED}};

static char *put_state(char *p, hc_pen *w, const hc_task_spec *t, uint64_t *lost)
{
  const hc_recorded is = hc_spec_recorded(t);
  const char *word = NULL;
  HC_UNUSED(w);
  for (size_t i = 0; i < HC_ARRAY_LEN(states) && !word; i++)
    if (states[i].state == is) word = states[i].word;
  if (word) *lost &= ~HC_FACT_BIT(STATE);
  for (size_t i = 0; i < HC_ARRAY_LEN(states) && !word; i++)
    if (states[i].state == (hc_recorded)(t->status + 1)) word = states[i].word;
  if (t->status == HC_STATUS_UNKNOWN) word = t->run == HC_UNKNOWN ? "pending" : "unknown";
  hc_pen_lose(lost, HC_FACT_BIT(STATUS), !word);
  hc_pen_lose(lost, HC_FACT_BIT(NO_END), t->flags & HC_SPEC_NO_END);
  return hc_put_char(hc_put_text(hc_put_char(p, '"'), word ? word : "unknown"), '"');
}

static const hc_column columns[COLUMNS] = {
    [ID] = {"id", HC_TO(ID), HC_NUMBERED(""), .flags = HC_OR_ROW},
    [NAME] = {"name", HC_TO(EXECUTABLE), HC_IS(NAME), .put = put_name},
    [SUBMIT] = {"time_submit", HC_TO(SUBMIT), HC_IS(MOMENT), .flags = HC_NEEDED | HC_TELLING,
                .put = put_submit},
    [START] = {"time_start", HC_IS(MOMENT), .note = "the end of its wait", .flags = HC_TELLING,
               .put = put_start},
    [END] = {"time_end", HC_IS(MOMENT), .note = "the end of its run", .flags = HC_TELLING, .put = put_end},
    [USER] = {"user", HC_TO(USER), HC_IS(NAME), .flags = HC_ASKED, .put = put_user},
    [GROUP] = {"group", HC_TO(GROUP), HC_IS(NAME), .flags = HC_ASKED, .put = put_group},
    [LIMIT] = {"time_limit", HC_TO(LIMIT), HC_WHOLE(0, INT32_MAX), .num = HC_MINUTE},
    [CPUS] = {"required_cpus", HC_TO(PROCS_ASKED), HC_WHOLE(0, (int64_t)1 << 40), .flags = HC_TELLING},
    [PARTITION] = {"partition", HC_TO(PARTITION), HC_IS(NAME), .put = put_partition},
    [PRIORITY] = {"priority", HC_TO(PRIORITY), HC_WHOLE(-((int64_t)1 << 52), (int64_t)1 << 52)},
    [CLASS] = {"task_class", HC_TO(QUEUE), HC_IS(NAME), .flags = HC_TELLING, .put = put_class},
    [STATE] = {"state", .note = "status", .put = put_state},
    [OTHER] = {"other", .text = "\"\"", .note = "attributes as k='v', ignored"}};

static const hc_table_form form =
    HC_FORM("statistics.csv of pseudo-cluster", columns, '\t', .quotes = true, .titles = HC_TITLES_ALWAYS);

/* ---- maps ---- */

static hc_rc read_map(hc_sheet *s, const char *path, hc_buffer *map, hc_error *e)
{
  hc_input *in;
  char *line;
  size_t n;
  hc_rc rc = hc_input_open(s->context->allocator, path, &in, e);
  if (rc == 0) hc_input_sum(in, s->context->sums);
  while (rc == 0 && (rc = hc_input_line(in, &line, &n, e)) == 1) {
    char *colon = memchr(line, ':', n);
    rc = 0;
    if (n == 0) continue;
    if (!colon || colon == line)
      rc = hc_fail(e, HC_EINPUT, hc_input_name(in), (uint32_t)hc_input_lines(in), 1,
                   "a line of a map is MASKED:NAME, such as pseudo_cluster_user_1:ann");
    else {
      *colon = '\0';
      hc_buffer_add(map, line, n + 1);
    }
    if (map->failed) rc = HC_ENOMEM;
  }
  hc_input_free(in);
  return HC_MIN(rc, 0);
}

static hc_rc opened(hc_sheet *s, hc_error *e)
{
  const options *o = (const options *)(const void *)s->o;
  own *mine = s->own;
  for (int k = 0; k < 2; k++) hc_buffer_init(&mine->map[k], s->context->allocator);
  if (o->users_map) TRY(read_map(s, o->users_map, &mine->map[0], e));
  if (o->groups_map) TRY(read_map(s, o->groups_map, &mine->map[1], e));
  return 0;
}

static void closed(hc_sheet *s)
{
  own *mine = s->own;
  for (int k = 0; mine && k < 2; k++)
    if (mine->map[k].allocator) hc_buffer_fini(&mine->map[k]);
}

/* What a masked name stands for. */
static hc_field unmasked(const hc_buffer *map, const hc_field *f)
{
  const char *p = map->data, *end = p + map->size;
  while (p && p < end) {
    const size_t n = strlen(p);
    const char *name = p + n + 1;
    if (n == f->length && memcmp(p, f->text, n) == 0) return (hc_field){.text = name, .length = strlen(name)};
    p = name + strlen(name) + 1;
  }
  return *f;
}

/* ---- reading ---- */

/* Nothing, or the date that stands for it, in whatever zone. */
static bool is_never(hc_time t)
{
  return t == HC_UNKNOWN || t < 2 * HC_DAY;
}

static hc_rc read_times(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  const hc_time start = s->value[START], end = s->value[END];
  const hc_field *f = hc_sheet_field(s, STATE);
  static const char *const words[] = {"running", "suspended"};
  for (size_t i = 0; f && i < HC_ARRAY_LEN(words); i++)
    if (hc_same_word(f->text, f->length, words[i])) return hc_sheet_reject(s, HC_REASON_STILL_RUNNING, e);
  hc_spec_record(t, f ? hc_recorded_of(f->text, f->length) : HC_RECORDED_UNKNOWN);
  for (size_t i = 0; f && i < HC_ARRAY_LEN(states); i++)
    if (hc_same_word(f->text, f->length, states[i].word)) hc_spec_record(t, states[i].state);
  if (t->limit == 0) t->limit = HC_UNKNOWN;
  if (t->submit == HC_UNKNOWN) return 1;
  if (is_never(start)) {
    if (!is_never(end) && !hc_span(end, t->submit, &t->wait))
      return hc_sheet_wrong(s, END, "before it was submitted", e);
    t->procs_used = 0;
    return 1;
  }
  if (!hc_span(start, t->submit, &t->wait)) return hc_sheet_wrong(s, START, "before it was submitted", e);
  if (is_never(end)) return hc_sheet_reject(s, HC_REASON_STILL_RUNNING, e);
  return hc_span(end, start, &t->run) ? 1 : hc_sheet_wrong(s, END, "before the start", e);
}

static hc_rc read_names(hc_sheet *s, hc_task_spec *t, hc_error *e)
{
  const own *mine = s->own;
  HC_UNUSED(e);
  const hc_field *user = hc_sheet_field(s, USER), *group = hc_sheet_field(s, GROUP);
  if (user) {
    const hc_field f = unmasked(&mine->map[0], user);
    TRY(hc_interned_number(s->names[USER], &f, &s->scratch, &t->user));
  }
  if (group) {
    const hc_field f = unmasked(&mine->map[1], group);
    TRY(hc_interned_number(s->names[GROUP], &f, &s->scratch, &t->group));
  }
  return 1;
}

/* ---- writing maps ---- */

static hc_rc begun(hc_pen *w, hc_buffer *head, hc_error *e)
{
  pen *mine = pen_of(w);
  HC_UNUSED(e);
  for (int k = 0; k < 2; k++) hc_map_init(&mine->masks[k], w->rows.context->allocator);
  hc_map_init(&mine->members, w->rows.context->allocator);
  if (((const pen_options *)w->options)->table != TABLE_STATISTICS) return 0;
  hc_form_titles(&form, head);
  hc_buffer_text(head, "\n");
  return 0;
}

static void dropped(hc_pen *w)
{
  pen *mine = pen_of(w);
  for (int k = 0; k < 2; k++) hc_map_fini(&mine->masks[k]);
  hc_map_fini(&mine->members);
  hc_free(w->rows.context->allocator, mine->pairs, mine->pair_cap * sizeof *mine->pairs);
}

static hc_rc add_member(hc_pen *w, uint32_t user, uint32_t group)
{
  pen *mine = pen_of(w);
  const uint64_t pair = (uint64_t)user << 32 | group;
  if (hc_map_get(&mine->members, pair) != HC_MAP_NONE) return 0;
  TRY(hc_map_set(&mine->members, pair, 0));
  TRY(hc_reserve(w->rows.context->allocator, (void **)&mine->pairs, &mine->pair_cap, mine->pair_count + 1,
                 sizeof pair));
  mine->pairs[mine->pair_count++] = pair;
  return 0;
}

/* "pseudo_cluster_user_1:ann" */
static hc_rc put_mask(hc_pen *w, int kind, uint32_t mask, int64_t number)
{
  static const hc_called called[] = {HC_CALLED_USER, HC_CALLED_GROUP};
  uint64_t lost = 0;
  char *row;
  TRY(hc_out_row(&w->rows.out, &row));
  row = hc_put_char(hc_put_uint(hc_put_text(row, mask_words[kind]), mask), ':');
  hc_out_end(&w->rows.out, hc_put_char(hc_pen_called(row, w, called[kind], number, &lost), '\n'));
  return 0;
}

/* A task, for its masks: each map has a line for each that is new. */
static hc_rc give_masks(hc_pen *w, const hc_task_spec *t)
{
  const int table = ((const pen_options *)w->options)->table;
  const int64_t numbers[] = {t->user, t->group};
  uint32_t mask[2] = {0, 0};
  if (t->submit == HC_UNKNOWN || t->submit < 0) return 0;
  for (int k = 0; k < 2; k++) {
    if (numbers[k] < 0) continue;
    const hc_rc rc = mask_of(w, k, numbers[k], &mask[k]);
    if (rc < 0) return rc;
    if (rc == 1 && table == TABLE_USERS + k) TRY(put_mask(w, k, mask[k], numbers[k]));
  }
  return table == TABLE_MEMBERS && mask[0] && mask[1] ? add_member(w, mask[0], mask[1]) : 0;
}

/* "pseudo_cluster_user_1:pseudo_cluster_group_1,pseudo_cluster_group_2" */
static hc_rc ended(hc_pen *w, hc_error *e)
{
  const pen *mine = pen_of(w);
  HC_UNUSED(e);
  for (size_t user = 1; user <= mine->masks[0].count && mine->pair_count > 0; user++) {
    bool first = true;
    for (size_t i = 0; i < mine->pair_count; i++) {
      char *row;
      if (mine->pairs[i] >> 32 != user) continue;
      TRY(hc_out_row(&w->rows.out, &row));
      if (first) row = hc_put_uint(hc_put_text(row, mask_words[0]), user);
      row = hc_put_text(hc_put_char(row, first ? ':' : ','), mask_words[1]);
      hc_out_end(&w->rows.out, hc_put_uint(row, (uint32_t)mine->pairs[i]));
      first = false;
    }
    if (!first) TRY(hc_out_add(&w->rows.out, "\n", 1));
  }
  return 0;
}

/* ---- writing ---- */

static hc_rc write_job(hc_pen *w, const hc_task_spec *t, int64_t *value, uint64_t *lost, hc_error *e)
{
  HC_UNUSED(e);
  if (w->origin == 0) w->origin = NO_ORIGIN;
  TRY(give_masks(w, t));
  if (t->submit == HC_UNKNOWN || t->submit < 0) return 1;
  value[CPUS] = HC_MAX(value[CPUS], 0);
  value[LIMIT] = t->limit == HC_NEVER ? 0 : HC_MAX(value[LIMIT], 0);
  hc_pen_lose(lost, HC_FACT_BIT(LIMIT), t->limit == 0);
  hc_pen_lose(lost, HC_FACT_BIT(RUN), t->run == HC_NEVER);
  return 0;
}

/* ---- the format ---- */

static const hc_table_format format = {
    .name = "pseudo_cluster",
    .forms = &form,
    .form_count = 1,
    .missing = {"None", "NULL", "null"},
    .derived = "Waits and runs follow from the times of submission, start and end.",
    .score = 97,
    .own_size = sizeof(own),
    .opened = opened,
    .closed = closed,
    .check = read_times,
    .row = read_names,
    .rows = HC_ROW_OF_A_BUNDLE,
    .says = HC_FACT_BIT(WAIT) | HC_FACT_BIT(RUN) | HC_FACT_BIT(STATUS) | HC_FACT_BIT(BUNDLE) |
            HC_FACT_BIT(USER) | HC_FACT_BIT(GROUP),
    .pen_size = sizeof(pen),
    .begun = begun,
    .fill = write_job,
    .ended = ended,
    .dropped = dropped};

static const hc_param params[] = {
    HC_PARAM_AS(FILE, "file", options, common.file, NULL,
                "Path of statistics.csv, plain, .gz, .zst or .xz; - is standard input."),
    HC_PARAM_AS(TIME, "time_unit", options, common.time_unit, "s", "1s", 1e-9, 1e6,
                "Unit of a time that is a number (since 1970)."),
    HC_PARAM_AS(TEXT, "zone", options, common.zone, NULL,
                "Time zone of the dates, such as Europe/Moscow. Default: UTC."),
    HC_PARAM_AS(TEXT, "origin", options, common.origin, NULL,
                "Time 0: a date or a Unix time; rows submitted before it are left out. Default: the begin of "
                "the day on which the first row was submitted."),
    HC_PARAM(FILE, options, users_map, NULL,
             "Path of users_map, which gives the names of masked users. Default: they keep their masks."),
    HC_PARAM(FILE, options, groups_map, NULL,
             "Path of groups_map, which gives the names of masked groups. Default: they keep their masks."),
    {0}};

HC_TABLE_READER(
    pseudo_cluster, format, options, params,
    .summary = "statistics.csv of pseudo-cluster, its universal table of jobs",
    .detail = "Columns are found by their titles. Classes become queues, and job names executables. The "
              "state time_left is a timeout; running and suspended jobs, and jobs without an end, are "
              "still_running; a job without a start, or with a start in 1970, never ran. Masked users and "
              "groups get their names back from users_map and groups_map.",
    .source = "https://github.com/pseudo-cluster/pseudo-cluster");

static hc_rc pen_task(hc_writer *writer, const hc_trace_task *task, uint64_t *lost, hc_error *e)
{
  hc_writer *w = writer;
  if (((const pen_options *)hc_pen_of(w)->options)->table == TABLE_STATISTICS)
    return HC_PEN_TASK(format, columns, '\t');
  *lost = 0; /* a map holds nothing but names */
  return give_masks(hc_pen_of(w), &task->spec);
}

static const hc_param pen_params[] = {
    HC_PARAM(CHOICE, pen_options, table, "statistics|users_map|groups_map|user_in_groups_map", "statistics",
             "Which of the four files is written. statistics: a row for each job. users_map, groups_map: the "
             "names that masks stand for. user_in_groups_map: which user was seen in which groups."),
    HC_PARAM(BOOL, pen_options, masked, "false",
             "Whether users and groups are written as masks, pseudo_cluster_user_N, numbered in order of "
             "first sight."),
    {.name = NULL}};

HC_TABLE_WRITER_OF(
    pseudo_cluster, format, ".csv",
    .summary = "statistics.csv of pseudo-cluster, a row for each job with tabs between columns; and its maps",
    .detail = "With titles; dates are whole seconds in UTC, limits are whole minutes, rounded up. A trace "
              "that does not say when it began begins in 2000. A bundle becomes a row for each of its tasks. "
              "Tasks submitted before time 0, or at an unknown time, are left out. Each conversion writes "
              "one of the four files. Masks only rename; `trace mask` hides names.",
    .source = "https://github.com/pseudo-cluster/pseudo-cluster", .params = pen_params,
    .options_size = sizeof(pen_options));
