/* test_rows.c -- what readers make of small texts, as tests/rows/NAME.rows say it.
 *
 * Such a file begins with `reader NAME`. Then come cases:
 *
 *   all OPTION=VALUE...                     of all cases from here on
 *   case NAME [OPTION=VALUE | strict]...    # begins a comment, which says by what arithmetic
 *   | a line of the input; \t, \r, \n, \xHH and \\ are escapes, and a \ at the end leaves out the line break
 *   > a line of what is made of it, all of which must be there
 *   again NAME [OPTION=VALUE | strict]...   the input of the case before once more
 *   ? A => WORDS                            the input with A in place of @ gives something with WORDS
 *
 * What is made of it is a line for each task, with all that it says (seconds, cores, GPUs, bytes), then what
 * else is known: names, the date of time 0, counts of the ledger, an error with its place. HC_ROWS_SHOW=1
 * prints it. */
#define _GNU_SOURCE
#include "reader_test.h"

#define X(x) extern const hc_reader_type hc_reader_##x;
#define HC_READER(x) X(x)
#include "workload/readers.def"
#undef HC_READER
#undef X

static const hc_reader_type *const readers[] = {
#define HC_READER(x) &hc_reader_##x,
#include "workload/readers.def"
#undef HC_READER
};

#define MOST_CASES 256
#define MOST_OPTIONS 24
#define MOST_TEXT ((size_t)1 << 16)

typedef struct row_case {
  const char *name, *options[MOST_OPTIONS + 1];
  bool strict;
  char *input, *expected; /* [MOST_TEXT] */
  char *tries;            /* [MOST_TEXT] lines "A => WORDS" */
} row_case;

static const hc_reader_type *type;
static row_case cases[MOST_CASES];
static size_t case_count;
static const char *of_all[MOST_OPTIONS + 1];

/* ---- what is made of a text ---- */

static void add_time(hc_buffer *b, const char *name, hc_time t, hc_time none)
{
  char text[32];
  if (t == none) return;
  hc_format_seconds(t, text);
  hc_buffer_printf(b, " %s=%s", name, t == HC_NEVER ? "never" : t == HC_UNKNOWN ? "unknown" : text);
}

static void add_whole(hc_buffer *b, const char *name, int64_t n, int64_t none)
{
  if (n != none) hc_buffer_printf(b, " %s=%lld", name, (long long)n);
}

static void add_need(hc_buffer *b, const hc_lexicon *l, const int64_t *need, uint32_t count)
{
  static const char *const names[] = {
      [HC_DIM_CPU] = "cpu", [HC_DIM_MEMORY] = "memory", [HC_DIM_DISK] = "disk", [HC_DIM_GPU] = "gpu"};
  for (uint32_t d = 0; d < count; d++) {
    const char *name = d < HC_DIM_OTHER ? names[d] : hc_lexicon_dimension_name(l, d);
    if (need[d] == HC_UNKNOWN) continue;
    if (d == HC_DIM_CPU || d == HC_DIM_GPU) hc_buffer_printf(b, " %s=%g", name, (double)need[d] / 1000);
    else hc_buffer_printf(b, " %s=%lld", name, (long long)need[d]);
  }
}

static void add_extras(hc_buffer *b, const hc_lexicon *l, const hc_task_extras *m)
{
  static const char *const hows[] = {[HC_AFTER_ENDED] = "ended",
                                     [HC_AFTER_COMPLETED] = "completed",
                                     [HC_AFTER_FAILED] = "failed",
                                     [HC_AFTER_STARTED] = "started",
                                     [HC_AFTER_ARRIVED] = "arrived"};
  for (size_t i = 0; i < m->after_count; i++) {
    hc_buffer_printf(b, " after=%s:%lld", hows[m->after[i].how], (long long)m->after[i].job);
    if (m->after[i].task != HC_UNKNOWN) hc_buffer_printf(b, "/%lld", (long long)m->after[i].task);
  }
  for (size_t i = 0; i < m->chunk_count; i++) {
    hc_buffer_printf(b, " chunk=%u{", m->chunks[i].hosts);
    add_need(b, l, m->chunks[i].need, HC_DIMENSIONS);
    hc_buffer_text(b, " }");
  }
  if (m->least_hosts + m->most_hosts > 0) hc_buffer_printf(b, " on=%u-%u", m->least_hosts, m->most_hosts);
  if (m->at_once > 0) hc_buffer_printf(b, " at_once=%u", m->at_once);
  if (m->reservation != HC_NO_NAME)
    hc_buffer_printf(b, " reservation=%s", hc_lexicon_text(l, m->reservation));
  if (m->least_limit > 0) hc_buffer_printf(b, " least_limit=%g", (double)m->least_limit / 1e9);
  if (m->switches > 0) hc_buffer_printf(b, " switches=%u", m->switches);
  if (m->switch_wait != HC_UNKNOWN) hc_buffer_printf(b, "@%g", (double)m->switch_wait / 1e9);
  if (m->exclusive > 0) hc_buffer_printf(b, " exclusive=%u", m->exclusive);
  if (m->component > 0) hc_buffer_printf(b, " component=%u", m->component - 1);
  if (m->again != HC_AGAIN_UNSAID)
    hc_buffer_text(b, m->again == HC_AGAIN_NEVER ? " again=never" : " again=always");
  for (size_t i = 0; i < m->further_count; i++)
    hc_buffer_printf(b, " %s=%lld", hc_lexicon_dimension_name(l, m->further[i].dimension),
                     (long long)m->further[i].amount);
  for (size_t i = 0; i < m->input_count; i++) {
    hc_buffer_printf(b, " reads=%lld", (long long)m->inputs[i].name);
    if (m->inputs[i].bytes != HC_UNKNOWN) hc_buffer_printf(b, ":%lld", (long long)m->inputs[i].bytes);
  }
  for (size_t i = 0; i < m->output_count; i++)
    hc_buffer_printf(b, " makes=%lld:%lld", (long long)m->outputs[i].name, (long long)m->outputs[i].bytes);
  for (size_t i = 0; i < m->constraint_count; i++) {
    static const char *const compares[] = {"=", "!=", "<", ">", ">=", "<=", "is", "is_not"};
    const hc_constraint *c = &m->constraints[i];
    hc_buffer_printf(b, " %u:%s:%s", c->group, hc_lexicon_text(l, c->attribute), compares[c->compare]);
    if (c->is_text) hc_buffer_printf(b, ":\"%s\"", hc_lexicon_text(l, (uint32_t)c->value));
    else if (c->compare < HC_PRESENT) hc_buffer_printf(b, ":%lld", (long long)c->value);
  }
}

static void add_task(hc_buffer *b, const reading *r, const hc_task_spec *t)
{
  static const char *const flags[] = {"spread", "at_start", "no_end", "prefill", "started"};
  const hc_task_spec none = hc_task_spec_none();
  hc_buffer_printf(b, "task %lld line=%llu", (long long)t->id, (unsigned long long)t->line);
#define TIME(m) add_time(b, #m, t->m, none.m)
#define WHOLE(m) add_whole(b, #m, t->m, none.m)
  TIME(submit), TIME(wait), TIME(held), TIME(run), TIME(limit), TIME(cpu_time), TIME(think), TIME(cancel_at),
      TIME(not_before);
  WHOLE(procs_used), WHOLE(procs_asked), WHOLE(memory_used), WHOLE(memory_asked), WHOLE(preceding);
  WHOLE(user), WHOLE(group), WHOLE(executable), WHOLE(queue), WHOLE(partition), WHOLE(priority),
      WHOLE(status);
  WHOLE(job), WHOLE(count), WHOLE(hosts), WHOLE(file);
#undef TIME
#undef WHOLE
  add_need(b, r->lexicon, t->need, HC_NEEDS);
  for (size_t i = 0; i < HC_ARRAY_LEN(flags); i++)
    if (t->flags >> i & 1) hc_buffer_printf(b, " %s", flags[i]);
  if (t->more) add_extras(b, r->lexicon, hc_lexicon_more(r->lexicon, t->more));
  hc_buffer_text(b, "\n");
}

static void add_names(hc_buffer *b, const reading *r)
{
  static const char *const words[] = {[HC_CALLED_USER] = "user",
                                      [HC_CALLED_GROUP] = "group",
                                      [HC_CALLED_EXECUTABLE] = "executable",
                                      [HC_CALLED_QUEUE] = "queue",
                                      [HC_CALLED_PARTITION] = "partition"};
  for (size_t k = 0; k < HC_ARRAY_LEN(words); k++) {
    const size_t before = b->size;
    for (int64_t n = 0; n < READ_LIMIT; n++) {
      const char *name = hc_lexicon_called(r->lexicon, (hc_called)k, n);
      if (!name) continue;
      hc_buffer_printf(b, "%s%lld=", b->size == before ? words[k] : "", (long long)n);
      for (; *name; name++) hc_buffer_add(b, *name == '\n' ? "|" : name, 1);
      hc_buffer_text(b, " ");
    }
    if (b->size == before) continue;
    b->size--;
    hc_buffer_text(b, "\n");
  }
}

static void add_ledger(hc_buffer *b, const hc_row_ledger *l)
{
  for (size_t i = 0; i < HC_REASON_COUNT; i++)
    if (l->rejected[i])
      hc_buffer_printf(b, "%s %llu\n", hc_reason_name((hc_reason)i), (unsigned long long)l->rejected[i]);
  if (l->merged) hc_buffer_printf(b, "merged %llu\n", (unsigned long long)l->merged);
  if (l->rounded) hc_buffer_printf(b, "rounded %llu by %.3g\n", (unsigned long long)l->rounded, l->rounding);
}

static void read_case(const row_case *c, const char *text, hc_buffer *b)
{
  reading r;
  const char *const *o = c->options;
  memset(&r, 0, sizeof r);
  r.type = type;
  r.file = write_file(text);
  r.chosen =
      choose(&type->component, r.file.pair, o[0], o[1], o[2], o[3], o[4], o[5], o[6], o[7], o[8], o[9], o[10],
             o[11], o[12], o[13], o[14], o[15], o[16], o[17], o[18], o[19], o[20], o[21], o[22], o[23], NULL);
  assert_int_equal(hc_lexicon_new(hc_default_allocator(), &r.lexicon), 0);
  r.context = (hc_source_context){
      .allocator = hc_default_allocator(), .ledger = &r.ledger, .lexicon = r.lexicon, .strict = c->strict};
  open_reading(&r);
  read_on(&r);
  for (size_t i = 0; i < r.count; i++) add_task(b, &r, &r.tasks[i]);
  add_names(b, &r);
  if (r.source && r.rc == 0 && type->info(r.source)->unix_start != HC_UNKNOWN)
    hc_buffer_printf(b, "origin %lld\n", (long long)type->info(r.source)->unix_start);
  if (r.source && r.rc == 0 && type->info(r.source)->processors > 0)
    hc_buffer_printf(b, "machine %lld\n", (long long)type->info(r.source)->processors);
  add_ledger(b, &r.ledger);
  if (r.rc < 0 && r.error.line > 0) assert_string_equal(r.error.where, r.file.path);
  if (r.rc < 0)
    hc_buffer_printf(b, "%s %u:%u %s\n", r.rc == HC_EUSAGE ? "usage" : "error", r.error.line, r.error.column,
                     r.error.text);
  else assert_true(hc_ledger_balances(&r.ledger));
  hc_buffer_add(b, "", 1);
  end_reading(&r);
}

/* ---- cases ---- */

/* The input with `word`, up to its end, in place of each @. */
static void put_in(const char *input, const char *word, size_t n, char out[MOST_TEXT])
{
  char *p = out;
  for (; *input; input++) {
    if (*input == '@') p = (char *)memcpy(p, word, n) + n;
    else *p++ = *input;
  }
  *p = '\0';
}

static void check(const row_case *c, const char *text, const char *words)
{
  hc_buffer b;
  hc_buffer_init(&b, hc_default_allocator());
  read_case(c, text, &b);
  if (getenv("HC_ROWS_SHOW")) printf("== %s\n%s%s", c->name, words ? words : "", words ? "\n" : b.data);
  else if (words ? !strstr(b.data, words) : strcmp(b.data, c->expected) != 0)
    fail_msg("%s: of\n%s\nis made\n%s\nwhere this was expected:\n%s", c->name, text, b.data,
             words ? words : c->expected);
  hc_buffer_fini(&b);
}

static void run_case(void **state)
{
  static char text[MOST_TEXT];
  const row_case *c = *state;
  if (c->tries[0] == '\0') check(c, c->input, NULL);
  for (char *line = c->tries; *line; line += strlen(line) + 1) {
    char *arrow = strstr(line, " => ");
    if (!arrow) fail_msg("%s: no => in \"%s\"", c->name, line);
    put_in(c->input, line, (size_t)(arrow - line), text);
    check(c, text, arrow + 4);
  }
}

/* ---- the file ---- */

/* Without its escapes. @return the end */
static char *put_plain(char *p, const char *line)
{
  for (; *line; line++) {
    unsigned byte;
    if (*line == '\\' && line[1] == 'x' && sscanf(line + 2, "%2x", &byte) == 1) {
      *p++ = (char)byte;
      line += 3;
    } else if (*line == '\\' && line[1]) {
      line++;
      *p++ = *line == 't' ? '\t' : *line == 'r' ? '\r' : *line == 'n' ? '\n' : *line;
    } else if (*line != '\\') {
      *p++ = *line;
    }
  }
  *p = '\0';
  return p;
}

/* A line of the input, with its line break unless it ends in a \. */
static void add_line(char *text, const char *line)
{
  const size_t n = strlen(line);
  const bool is_open = n > 0 && line[n - 1] == '\\' && (n < 2 || line[n - 2] != '\\');
  char *end = put_plain(text + strlen(text), line);
  if (!is_open) memcpy(end, "\n", 2);
}

/* Options between blanks, behind those that are there. @return whether `strict` is among them */
static bool add_options(const char *options[MOST_OPTIONS + 1], char *words)
{
  char *save = NULL;
  size_t n = 0;
  bool strict = false;
  while (options[n]) n++;
  for (char *w = strtok_r(words, " ", &save); w; w = strtok_r(NULL, " ", &save)) {
    put_plain(w, w);
    if (strcmp(w, "strict") == 0) strict = true;
    else if (n < MOST_OPTIONS) options[n++] = w;
  }
  return strict;
}

static row_case *begin_case(char *line, const row_case *before)
{
  row_case *c = &cases[case_count++];
  char *words = line + strcspn(line, " ");
  assert_true(case_count <= MOST_CASES);
  if (*words) *words++ = '\0';
  c->name = line;
  memcpy(c->options, of_all, sizeof of_all);
  c->strict = add_options(c->options, words);
  c->input = before ? before->input : calloc(1, MOST_TEXT);
  c->expected = calloc(1, MOST_TEXT);
  c->tries = calloc(1, MOST_TEXT);
  return c;
}

static void read_file(char *text)
{
  row_case *c = NULL;
  size_t tries = 0;
  char *save = NULL;
  for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
    if (strncmp(line, "reader ", 7) == 0)
      for (size_t i = 0; i < HC_ARRAY_LEN(readers); i++)
        if (strcmp(readers[i]->component.name, line + 7) == 0) type = readers[i];
    if (strncmp(line, "all ", 4) == 0) (void)add_options(of_all, line + 4);
    if (strncmp(line, "case ", 5) == 0) c = begin_case(line + 5, NULL), tries = 0;
    else if (c && strncmp(line, "again ", 6) == 0) c = begin_case(line + 6, c), tries = 0;
    else if (c && strncmp(line, "| ", 2) == 0) add_line(c->input, line + 2);
    else if (c && strcmp(line, "|") == 0) strcat(c->input, "\n");
    else if (c && strncmp(line, "> ", 2) == 0) strcat(strcat(c->expected, line + 2), "\n");
    else if (c && strncmp(line, "? ", 2) == 0)
      tries = (size_t)(put_plain(c->tries + tries, line + 2) - c->tries) + 1;
  }
}

int main(int argc, char **argv)
{
  static char text[4 * MOST_TEXT];
  static struct CMUnitTest tests[MOST_CASES];
  FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
  if (!f || fread(text, 1, sizeof text - 1, f) == 0) return 2;
  fclose(f);
  read_file(text);
  if (!type) return 2;
  for (size_t i = 0; i < case_count; i++)
    tests[i] = (struct CMUnitTest){.name = cases[i].name, .test_func = run_case, .initial_state = &cases[i]};
  return _cmocka_run_group_tests(argv[1], tests, case_count, NULL, NULL);
}
