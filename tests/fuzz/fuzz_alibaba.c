/* fuzz_alibaba.c -- any bytes as each table of Alibaba's traces: no crash, no endless loop, every row
 * accounted for, nothing kept; a state saved in the middle leads to the same rest; lines that end otherwise
 * are the same tasks; and each line has a key or says why not. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/state.h"
#include "base/text.h"
#include "base/util.h"
#include "claims.h"
#include "cluster/lexicon.h"
#include "given.h"
#include "workload/ledger.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

extern const hc_reader_type hc_reader_alibaba_v2017, hc_reader_alibaba_v2018,
    hc_reader_alibaba_v2018_instances, hc_reader_alibaba_v2018_containers, hc_reader_alibaba_v2020,
    hc_reader_alibaba_v2023, hc_reader_alibaba_v2025, hc_reader_alibaba_v2026;

/* What is read, and how: the second time with every choice at its last word, side tables, and small
 * windows. */
typedef struct trial {
  const hc_reader_type *type;
  const char *path;
  bool odd;
} trial;

/* What came of it. */
typedef struct outcome {
  hc_rc rc;
  uint64_t tasks, checksum;
  hc_row_ledger ledger;
} outcome;

static int last_choice(const char *choices)
{
  int n = 0;
  for (; *choices; choices++) n += *choices == '|';
  return n;
}

static char *make_options(const trial *t)
{
  char *options = calloc(1, t->type->component.options_size);
  for (const hc_param *p = t->type->component.params; p->name; p++) {
    void *at = options + p->offset;
    const size_t n = p->fallback ? strlen(p->fallback) : 0;
    const bool is_path = strcmp(p->name, "file") == 0 ||
                         (t->odd && (strcmp(p->name, "tasks") == 0 || strcmp(p->name, "jobs") == 0));
    const bool is_window = t->odd && strstr(p->name, "window") != NULL;
    const int64_t few = 3;
    const int choice = t->odd ? last_choice(p->choices ? p->choices : "") : 0;
    if (is_path) memcpy(at, &t->path, sizeof t->path);
    if (p->type == HC_CHOICE) memcpy(at, &choice, sizeof choice);
    if (p->type == HC_BOOL) *(bool *)at = !t->odd;
    if (n > 0 && p->type == HC_TIME) check(hc_parse_time(p->fallback, n, at) == 0, "a default is a time");
    if (n > 0 && p->type == HC_SIZE) check(hc_parse_size(p->fallback, n, at) == 0, "a default is a size");
    if (n > 0 && p->type == HC_INT) check(hc_parse_int(p->fallback, n, at) == 0, "a default is a number");
    if (is_window) memcpy(at, &few, sizeof few);
  }
  return options;
}

static void check_task(const hc_task_spec *t)
{
  check(t->submit >= 0, "nothing is submitted before time 0, or never");
  check(t->run == HC_UNKNOWN || t->run >= 0, "nothing runs for less than nothing");
  check(t->wait == HC_UNKNOWN || t->wait >= 0, "nothing waits for less than nothing");
  check(t->hosts >= 1, "a task has hosts");
  for (int d = 0; d < HC_NEEDS; d++) check(t->need[d] == HC_UNKNOWN || t->need[d] >= 0, "no negative demand");
}

/* Tasks as their content, without the numbers of handles. */
static void add_task(outcome *o, const hc_lexicon *l, const hc_task_spec *t)
{
  const hc_task_extras *m = hc_lexicon_more(l, t->more);
  hc_hash h;
  uint64_t out[2];
  hc_hash_init(&h);
  hc_hash_add(&h, &o->checksum, sizeof o->checksum);
  hash_task(&h, l, t);
  if (m && m->after_count > 0) hc_hash_add(&h, m->after, m->after_count * sizeof *m->after);
  if (m && m->constraint_count > 0)
    hc_hash_add(&h, m->constraints, m->constraint_count * sizeof *m->constraints);
  hc_hash_end(&h, out);
  o->checksum = out[0];
  o->tasks++;
}

static void take(outcome *o, hc_lexicon *l, const hc_job *job)
{
  check(job->task_count > 0, "a job has tasks");
  for (uint32_t i = 0; i < job->task_count; i++) {
    check_task(&job->tasks[i]);
    add_task(o, l, &job->tasks[i]);
    give_back(l, &job->tasks[i]);
    o->ledger.used++;
  }
}

static void save(const hc_reader_type *type, hc_source *s, hc_buffer *out)
{
  hc_visitor v = {
      .calls = &hc_state_calls, .mode = HC_VISIT_SAVE, .allocator = hc_default_allocator(), .out = out};
  check(type->visit(s, &v, NULL) == 0, "a state can be saved");
}

static void load(const hc_reader_type *type, hc_source *s, const hc_buffer *from)
{
  hc_visitor v = {.calls = &hc_state_calls,
                  .mode = HC_VISIT_LOAD,
                  .allocator = hc_default_allocator(),
                  .in = (const uint8_t *)from->data,
                  .left = from->size};
  check(type->visit(s, &v, NULL) == 0, "a state can be loaded");
}

/* @param stop  after so many jobs the state is saved, reading goes on for three, and the state is loaded; 0:
 * never */
static outcome read_once(const trial *t, int stop)
{
  char *options = make_options(t);
  outcome o = {0}, then = {0};
  hc_lexicon *l = NULL;
  hc_source *s = NULL;
  hc_error e = {0};
  hc_buffer saved;
  hc_job job;
  int jobs = 0;
  check(hc_lexicon_new(hc_default_allocator(), &l) == 0, "there is memory");
  const hc_source_context c = {.allocator = hc_default_allocator(), .ledger = &o.ledger, .lexicon = l};
  hc_buffer_init(&saved, hc_default_allocator());
  o.rc = t->type->open(&c, options, &s, &e);
  while (o.rc >= 0 && (o.rc = t->type->next(s, &job, &e)) == 1) {
    take(&o, l, &job);
    if (++jobs == stop) {
      save(t->type, s, &saved);
      then = o;
    }
    if (stop == 0 || jobs != stop + 3) continue;
    load(t->type, s, &saved);
    o = then;
  }
  check(o.rc >= 0 || e.text[0] != '\0', "an error says what is wrong");
  check(o.rc < 0 || hc_ledger_balances(&o.ledger), "read = used + merged + rejected");
  /* Where reading fails, rows whose jobs were not given out yet hold their names until the lexicon goes. */
  check(o.rc < 0 || hc_lexicon_held(l) == 0, "nothing is kept that no task holds");
  if (s) check(t->type->info(s) != NULL, "it says something of itself");
  if (s) t->type->close(s);
  hc_buffer_fini(&saved);
  hc_lexicon_free(l);
  free(options);
  return o;
}

/* Keys of lines, each in memory of its own. */
static void look_at_lines(const trial *t, const uint8_t *data, size_t size)
{
  char *options = make_options(t);
  void *layout = NULL;
  hc_error e = {0};
  if (t->type->line_begin(hc_default_allocator(), options, (const char *)data, size, &layout, &e) == 0) {
    for (size_t at = 0; at < size;) {
      const uint8_t *end = memchr(data + at, '\n', size - at);
      const size_t n = end ? (size_t)(end - (data + at)) : size - at;
      char *line = malloc(n + 1);
      hc_time submit = -1;
      int64_t id = 0;
      if (!line) abort();
      memcpy(line, data + at, n);
      line[n] = '\0';
      const hc_line_kind kind = t->type->line_key(layout, line, n, &submit, &id);
      check(kind != HC_LINE_ROW || submit >= 0, "a row has a key");
      free(line);
      at += n + 1;
    }
    t->type->line_end(hc_default_allocator(), layout);
  } else {
    check(e.text[0] != '\0', "an error says what is wrong");
  }
  free(options);
}

static int open_bytes(const void *data, size_t size, char path[64])
{
  const int fd = memfd_create("table", MFD_CLOEXEC);
  if (fd < 0 || (size > 0 && write(fd, data, size) != (ssize_t)size)) abort();
  snprintf(path, 64, "/proc/self/fd/%d", fd);
  return fd;
}

/* The same text with the line ends that only the general way reads. */
static int open_with_returns(const uint8_t *data, size_t size, char path[64])
{
  char *text = malloc(2 * size + 1);
  size_t n = 0;
  if (!text) abort();
  for (size_t i = 0; i < size; i++) {
    if (data[i] == '\n' && (i == 0 || data[i - 1] != '\r')) text[n++] = '\r';
    text[n++] = (char)data[i];
  }
  const int fd = open_bytes(text, n, path);
  free(text);
  return fd;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  static const hc_reader_type *const types[] = {
      &hc_reader_alibaba_v2017,           &hc_reader_alibaba_v2018,
      &hc_reader_alibaba_v2018_instances, &hc_reader_alibaba_v2018_containers,
      &hc_reader_alibaba_v2020,           &hc_reader_alibaba_v2023,
      &hc_reader_alibaba_v2025,           &hc_reader_alibaba_v2026};
  char path[64], returns[64];
  const int fd = open_bytes(data, size, path), other = open_with_returns(data, size, returns);
  for (size_t i = 0; i < HC_ARRAY_LEN(types); i++) {
    const int likely = types[i]->recognise("table", (const char *)data, size);
    check(likely >= 0 && likely <= 100, "a likelihood is from 0 to 100");
    for (int odd = 0; odd < 2; odd++) {
      const trial t = {types[i], path, odd != 0};
      const outcome o = read_once(&t, 0), again = read_once(&t, 2);
      check(again.rc == o.rc && again.tasks == o.tasks && again.checksum == o.checksum,
            "a state leads to the same rest");
    }
    look_at_lines(&(trial){types[i], path, false}, data, size);
  }
  const outcome fast = read_once(&(trial){&hc_reader_alibaba_v2018_instances, path, false}, 0);
  const outcome general = read_once(&(trial){&hc_reader_alibaba_v2018_instances, returns, false}, 0);
  check(fast.rc == general.rc && fast.checksum == general.checksum, "both ways read the same");
  check(memcmp(&fast.ledger, &general.ledger, sizeof fast.ledger) == 0, "and count the same");
  close(fd);
  close(other);
  return 0;
}
