/* digests.c -- the net: what a list of runs comes to, against what is stored.
 *
 *   digests EXPECTED [-v] [-s] [-q] [-o] [-O FILE] [-n EVERY] [-t SECONDS] [NAME...] <LIST
 *                                                       (tests/net/check gives it both; BLESS=1 rewrites
 *                                                       EXPECTED)
 *
 * A line of LIST is a run: its name, then run files (.yaml) and assignments (key=value), with tabs between
 * them. A line of EXPECTED is a name, then either the digests of its result and of its schedule, or the kind
 * of error that refuses it. Each run is carried out with the first event queue, and its schedule is verified;
 * then with another one, which one by its name; under the other it is saved half-way, thrown away, restored
 * and carried on: both have to come to the same. -q, and BLESS=1, try every queue. A row that moves is
 * printed with what was expected, what came, and the command that repeats it. Exit status 1 if one did.
 *
 * -o tries the first queue alone, compares nothing, and prints what each row comes to, with tabs between:
 * NAME yes, or NAME no REASON; exit status 1 if one of them fails otherwise (tools/feature_table). -O FILE
 * writes the same beside the comparison.
 *
 * Each row has a process of its own, as many at a time as there are cores, so that a crash or an endless run
 * is a row's result and not the end of the test. Names choose rows: all that begin so. -n 7 takes every
 * seventh row, for builds with sanitizers; -t 2 lets a row take two seconds of CPU; -v prints what each took.
 * Only public headers are used: another build needs only its library. */
#define _GNU_SOURCE /* MAP_ANONYMOUS, wait4 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hindcast/hindcast.h"

#define MOST_ROWS 8192
#define MOST_WORDS 24
#define TEXT 1024   /* of an outcome */
#define SECONDS 100 /* of CPU, that a row may take */
#define MOST_AT_ONCE 64

typedef struct row {
  char *words[MOST_WORDS]; /* name, then files and assignments, up to a NULL */
  const char *expected;    /* NULL: there is no such line */
  double seconds;          /* of CPU */
  bool is_chosen;
} row;

static rlim_t seconds = SECONDS;
static bool verbose, through_file, with_every_queue, outcomes_alone;

static const char *const queues[] = {"heap", "radix", "wheel"};
#define QUEUES ((int)(sizeof queues / sizeof queues[0]))

/* ---- a run ---- */

static hc_rc configure(hc_registry *registry, char *const *words, const char *queue, hc_config **out,
                       hc_error *e)
{
  char text[64];
  hc_rc rc = hc_config_new(hc_default_allocator(), registry, out, e);
  for (; rc >= 0 && *words; words++) {
    const size_t n = strlen(*words);
    const bool is_file = n > 5 && strcmp(*words + n - 5, ".yaml") == 0 && !strchr(*words, '=');
    rc = is_file ? hc_config_file(*out, *words, e) : hc_config_set(*out, *words, e);
  }
  (void)snprintf(text, sizeof text, "event_queue=%s", queue);
  return rc < 0 ? rc : hc_config_set(*out, text, e);
}

/* Saved, thrown away and restored, with its store. A closed world, and a source that cannot be read twice,
 * cannot be saved: these go on as they are. */
static hc_rc cut(hc_config *config, hc_run **run, hc_store **store, hc_error *e)
{
  const hc_allocator *a = hc_default_allocator();
  hc_snapshot s;
  hc_rc rc = hc_run_snapshot(*run, &s, e);
  if (rc == HC_EUNSUPPORTED) return 0;
  if (rc < 0) return rc;
  hc_run_free(*run);
  hc_store_free(*store);
  *run = NULL;
  *store = NULL;
  rc = hc_store_new(a, NULL, store, e);
  if (rc >= 0) rc = hc_run_restore(a, config, *store, &s, run, e);
  hc_snapshot_free(a, &s);
  return rc;
}

/* The same through a file, to which it is saved twice: what goes on has nothing but the file. */
static hc_rc save_twice(hc_config *config, hc_run *run, hc_store *store, const char *path, uint64_t apart,
                        hc_error *e)
{
  const hc_save_options o = {.path = path, .program = "net"};
  hc_save *save;
  hc_progress p;
  hc_rc rc = hc_save_new(hc_default_allocator(), run, config, store, &o, &save, e);
  if (rc < 0) return rc;
  for (int i = 0; rc >= 0 && i < 2; i++) {
    if (i > 0) rc = hc_run_advance(run, HC_NEVER, apart, e);
    hc_run_progress(run, &p);
    if (rc >= 0) rc = hc_save_now(save, p.now, e);
  }
  hc_save_free(save);
  return rc;
}

static hc_rc cut_by_file(hc_registry *registry, hc_config **config, hc_run **run, hc_store **store,
                         uint64_t apart, hc_error *e)
{
  const hc_allocator *a = hc_default_allocator();
  char path[64];
  hc_saved *saved = NULL;
  (void)snprintf(path, sizeof path, P_tmpdir "/hindcast-net-%d.save", (int)getpid());
  hc_rc rc = save_twice(*config, *run, *store, path, apart, e);
  if (rc == HC_EUNSUPPORTED) {
    *e = (hc_error){0};
    return 0;
  }
  hc_run_free(*run);
  hc_store_free(*store);
  hc_config_free(*config);
  *run = NULL;
  *store = NULL;
  *config = NULL;
  if (rc >= 0) rc = hc_saved_open(a, path, "net", &saved, e);
  if (rc >= 0) rc = hc_saved_config(saved, registry, config, e);
  if (rc >= 0) rc = hc_store_new(a, NULL, store, e);
  if (rc >= 0) rc = hc_saved_restore(saved, *config, *store, run, e);
  hc_saved_free(saved);
  (void)unlink(path);
  return rc;
}

/* @param instants  how many it has in all: 0 before this is known, and then it is not cut; told at the end */
static hc_rc carry_out(hc_registry *registry, hc_config **config, hc_run **run, hc_store **store,
                       uint64_t *instants, hc_error *e)
{
  const hc_allocator *a = hc_default_allocator();
  hc_progress p;
  hc_rc rc = hc_store_new(a, NULL, store, e);
  if (rc >= 0) rc = (through_file ? hc_save_run_new : hc_run_new)(a, *config, *store, run, e);
  if (rc >= 0 && *instants > 1) {
    rc = hc_run_advance(*run, HC_NEVER, *instants / 2, e);
    if (rc >= 0 && through_file) rc = cut_by_file(registry, config, run, store, *instants / 5 + 1, e);
    else if (rc >= 0) rc = cut(*config, run, store, e);
  }
  while (rc >= 0 && (rc = hc_run_advance(*run, HC_NEVER, 0, e)) == 1) {
  }
  if (rc < 0) return rc;
  hc_run_progress(*run, &p);
  *instants = p.instants;
  return hc_run_finish(*run, e);
}

static hc_rc take_digests(hc_store *store, char out[TEXT], hc_error *e)
{
  char result[33], schedule[33];
  hc_result *r;
  hc_rc rc = hc_result_of_store(store, &r, e);
  if (rc < 0) return rc;
  rc = hc_result_digest(r, result, e);
  if (rc >= 0) rc = hc_result_schedule_digest(r, schedule, e);
  hc_result_free(r);
  if (rc >= 0) (void)snprintf(out, TEXT, "%s %s", result, schedule);
  return rc;
}

static void hear(void *ctx, const hc_violation *v)
{
  hc_error *e = ctx;
  if (e->text[0] == '\0')
    (void)snprintf(e->text, sizeof e->text, "%s at %lld ns, task %lld: %.200s", v->rule, (long long)v->at,
                   (long long)v->id, v->text);
}

/* A run without rows, and one whose jobs are no tasks of a cell, has nothing to be verified. */
static hc_rc verify(hc_store *store, hc_error *e)
{
  const hc_allocator *a = hc_default_allocator();
  const hc_verify_request whole = {.promise = -1};
  hc_error broken = {0};
  hc_verify_report report;
  hc_result *r;
  hc_rc rc = hc_result_of_store(store, &r, e);
  if (rc < 0) return rc;
  rc = hc_verify_result(a, r, &whole, hear, &broken, &report, e);
  if (rc == HC_EREFUTED) *e = broken;
  hc_result_free(r);
  return rc == HC_EUSAGE || rc == HC_EUNSUPPORTED ? 0 : rc;
}

/* @param first  its schedule is verified too */
static void run_once(char *const *words, const char *queue, bool first, uint64_t *instants, char out[TEXT])
{
  hc_registry *registry = NULL;
  hc_config *config = NULL;
  hc_store *store = NULL;
  hc_run *run = NULL;
  hc_error e = {0};
  hc_rc rc = hc_registry_new(hc_default_allocator(), &registry);
  if (rc >= 0) rc = configure(registry, words, queue, &config, &e);
  if (rc >= 0) rc = carry_out(registry, &config, &run, &store, instants, &e);
  if (rc >= 0) rc = take_digests(store, out, &e);
  if (rc >= 0 && first) rc = verify(store, &e);
  if (rc < 0) { /* its words may change: they are kept behind the end of what is compared */
    const int n = snprintf(out, TEXT, "refused: %s", hc_rc_name(rc));
    char line[16] = "";
    if (e.line) (void)snprintf(line, sizeof line, ":%u", (unsigned)e.line);
    (void)snprintf(out + n + 1, TEXT - (size_t)n - 1, "%.200s%s: %.700s", e.where, line, e.text);
  }
  hc_run_free(run);
  hc_store_free(store);
  hc_config_free(config);
  hc_registry_free(registry);
}

/* Which of the queues but the first a row is tried with, if not with all: chosen by its name. */
static bool has_its_turn(const row *r, int queue)
{
  unsigned sum = 0;
  for (const char *c = r->words[0]; *c; c++) sum = 31 * sum + (unsigned char)*c;
  return with_every_queue || 1 + (int)(sum % (QUEUES - 1)) == queue;
}

/* What a row comes to, with each queue that has its turn; saved half-way under the last. */
static void run_row(const row *r, char out[TEXT])
{
  char one[TEXT];
  int last = QUEUES - 1;
  uint64_t instants = 0, none = 0;
  const struct rlimit most = {seconds, RLIM_INFINITY};
  (void)setrlimit(RLIMIT_CPU, &most);
  run_once(r->words + 1, queues[0], true, &instants, out);
  if (outcomes_alone) return;
  while (!has_its_turn(r, last)) last--;
  for (int q = 1; q <= last; q++) {
    if (!has_its_turn(r, q)) continue;
    run_once(r->words + 1, queues[q], false, q == last ? &instants : &none, one);
    if (strcmp(one, out) == 0) continue;
    (void)snprintf(out, TEXT, "with event_queue=%s%s, otherwise than with %s: %.900s", queues[q],
                   q == last ? " and saved half-way" : "", queues[0], one);
    return;
  }
}

/* ---- all rows, in processes ---- */

static void reap(row *rows, const pid_t *pids, size_t n, char (*outcomes)[TEXT])
{
  struct rusage used;
  int status;
  const pid_t pid = wait4(-1, &status, 0, &used);
  for (size_t i = 0; i < n; i++) {
    if (pids[i] != pid || pid <= 0) continue;
    rows[i].seconds = (double)used.ru_utime.tv_sec + 1e-6 * (double)used.ru_utime.tv_usec +
                      (double)used.ru_stime.tv_sec + 1e-6 * (double)used.ru_stime.tv_usec;
    if (verbose) fprintf(stderr, "%7.3f s  %s\n", rows[i].seconds, rows[i].words[0]);
    if (WIFSIGNALED(status)) (void)snprintf(outcomes[i], TEXT, "died of signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
      (void)snprintf(outcomes[i], TEXT, "exit status %d", WEXITSTATUS(status));
  }
}

static int run_all(row *rows, size_t n, char (*outcomes)[TEXT])
{
  pid_t pids[MOST_ROWS] = {0};
  const long cores = sysconf(_SC_NPROCESSORS_ONLN);
  long running = 0;
  for (size_t i = 0; i < n; i++) {
    if (!rows[i].is_chosen) continue;
    for (; running >= (cores < MOST_AT_ONCE ? cores : MOST_AT_ONCE); running--) reap(rows, pids, i, outcomes);
    pids[i] = fork();
    if (pids[i] < 0) {
      perror("digests: fork");
      return 2;
    }
    if (pids[i] == 0) {
      run_row(&rows[i], outcomes[i]);
      exit(0); /* not _exit: a sanitizer looks for leaks now */
    }
    running++;
  }
  for (; running > 0; running--) reap(rows, pids, n, outcomes);
  return 0;
}

/* ---- the list and what is expected ---- */

/* @return the file's text, to be freed; NULL if it cannot be read */
static char *read_all(FILE *f)
{
  size_t size = 0, n;
  char *text = malloc(1);
  while (text) {
    char *more = realloc(text, size + 65537);
    if (!more) break;
    text = more;
    n = fread(text + size, 1, 65536, f);
    size += n;
    text[size] = '\0';
    if (n == 0) return text;
  }
  free(text);
  return NULL;
}

static char *next_line(char **at)
{
  char *line = *at, *end = strchr(line, '\n');
  if (*line == '\0') return NULL;
  if (end) *end = '\0';
  *at = end ? end + 1 : line + strlen(line);
  return line;
}

static row *find(row *rows, size_t n, const char *name)
{
  for (size_t i = 0; i < n; i++)
    if (strcmp(rows[i].words[0], name) == 0) return &rows[i];
  return NULL;
}

static int read_list(char *text, row *rows, size_t *n)
{
  for (char *line; (line = next_line(&text));) {
    row *r = &rows[*n];
    size_t words = 0;
    if (*n == MOST_ROWS) return fprintf(stderr, "digests: more than %d rows\n", MOST_ROWS), 2;
    for (char *w = strtok(line, "\t"); w && words + 1 < MOST_WORDS; w = strtok(NULL, "\t"))
      r->words[words++] = w;
    if (words < 2) return fprintf(stderr, "digests: \"%s\" is no run\n", line), 2;
    if (find(rows, *n, r->words[0]))
      return fprintf(stderr, "digests: two runs are called %s\n", r->words[0]), 2;
    ++*n;
  }
  return 0;
}

/* @return how many lines are of no run */
static int read_expected(char *text, row *rows, size_t n)
{
  int stray = 0;
  for (char *line; (line = next_line(&text));) {
    char *value = strchr(line, ' ');
    row *r;
    if (value) *value++ = '\0';
    r = find(rows, n, line);
    if (r && value) r->expected = value;
    else stray += printf("%s: expected, but no run of the list is called so\n", line) > 0;
  }
  return stray;
}

static bool begins_with_one(const char *name, char **prefixes, int n)
{
  for (int i = 0; i < n; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return true;
  return n == 0;
}

/* ---- what is said ---- */

static void print_command(const row *r)
{
  printf("  again:    hindcast run");
  for (int i = 1; r->words[i]; i++) printf(strchr(r->words[i], '=') ? " --set '%s'" : " %s", r->words[i]);
  printf(" --digest --output %s.db\n", r->words[0]);
}

static bool moved(const row *r, const char *got)
{
  const char *schedule = strchr(got, ' '), *old = r->expected ? strchr(r->expected, ' ') : NULL;
  if (r->expected && strcmp(r->expected, got) == 0) return false;
  printf("%s\n  expected: %s\n  got:      %s\n", r->words[0],
         r->expected ? r->expected : "nothing: a new row", got);
  if (strncmp(got, "refused", 7) == 0) printf("  since:    %s\n", got + strlen(got) + 1);
  if (old && schedule && strcmp(old, schedule) == 0)
    printf("  the schedule is the same: a key of the configuration, an input or the ledger of rows moved\n");
  print_command(r);
  return true;
}

/* What is refused says so by the kind of the error; another kind is no refusal. */
static int print_outcomes(FILE *out, const row *rows, size_t n, char (*outcomes)[TEXT])
{
  static const char refused[] = "refused: ", *const kinds[] = {"HC_EUNSUPPORTED", "HC_EUSAGE", "HC_EINPUT"};
  int bad = 0;
  for (size_t i = 0; i < n; i++) {
    const char *got = outcomes[i];
    bool is_refused = false;
    if (!rows[i].is_chosen) continue;
    if (strncmp(got, refused, sizeof refused - 1) == 0)
      for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        is_refused |= strcmp(got + sizeof refused - 1, kinds[k]) == 0;
    if (is_refused) fprintf(out, "%s\tno\t%s\n", rows[i].words[0], got + strlen(got) + 1);
    else if (strspn(got, "0123456789abcdef") == 32) fprintf(out, "%s\tyes\n", rows[i].words[0]);
    else bad += fprintf(stderr, "%s: %s: %s\n", rows[i].words[0], got, got + strlen(got) + 1) > 0;
  }
  return bad > 0;
}

static int write_outcomes(const char *path, const row *rows, size_t n, char (*outcomes)[TEXT])
{
  FILE *f = fopen(path, "w");
  if (!f) return perror(path), 2;
  (void)print_outcomes(f, rows, n, outcomes); /* what failed is told as moved */
  return fclose(f) == 0 ? 0 : (perror(path), 2);
}

static int write_expected(const char *path, const row *rows, size_t n, char (*outcomes)[TEXT])
{
  FILE *f = fopen(path, "w");
  if (!f) return perror(path), 2;
  for (size_t i = 0; i < n; i++) {
    const char *value = rows[i].is_chosen ? outcomes[i] : rows[i].expected;
    if (value) fprintf(f, "%s %s\n", rows[i].words[0], value);
  }
  return fclose(f) == 0 ? 0 : (perror(path), 2);
}

static int report(const row *rows, size_t n, char (*outcomes)[TEXT], int stray)
{
  double all = 0;
  size_t bad = 0, chosen = 0;
  for (size_t i = 0; i < n; i++) {
    if (!rows[i].is_chosen) continue;
    chosen++;
    all += rows[i].seconds;
    bad += moved(&rows[i], outcomes[i]);
  }
  printf("%zu runs with %d event queues, %zu moved, %.1f s of CPU\n", chosen, with_every_queue ? QUEUES : 2,
         bad, all);
  if (bad)
    printf("if that is right, say why in the commit and store it: BLESS=1 tests/net/check "
           "BUILD/tests/net_digests\n");
  return bad > 0 || stray > 0 || chosen == 0;
}

int main(int argc, char **argv)
{
  static row rows[MOST_ROWS];
  char(*outcomes)[TEXT] =
      mmap(NULL, sizeof(char[MOST_ROWS][TEXT]), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  const char *bless = getenv("BLESS"), *path = argc > 1 ? argv[1] : "", *told = NULL;
  char *list, *expected = NULL;
  size_t n = 0, every = 1;
  FILE *f;
  int option, rc, stray;
  if (argc < 2 || outcomes == MAP_FAILED)
    return fprintf(stderr,
                   "usage: digests EXPECTED [-v] [-s] [-q] [-o] [-O FILE] [-n EVERY] [-t SECONDS] [NAME...] "
                   "<LIST\n"),
           2;
  for (optind = 2; (option = getopt(argc, argv, "vsqoO:n:t:")) != -1;) {
    if (option == 'v') verbose = true;
    else if (option == 's') through_file = true;
    else if (option == 'q') with_every_queue = true;
    else if (option == 'o') outcomes_alone = true;
    else if (option == 'O') told = optarg;
    else if (option == 'n') every = (size_t)strtoul(optarg, NULL, 10);
    else if (option == 't') seconds = (rlim_t)strtoul(optarg, NULL, 10);
    else return 2;
  }
  with_every_queue |= bless != NULL;
  list = read_all(stdin);
  if (!list || read_list(list, rows, &n) != 0) return 2;
  f = fopen(path, "r");
  if (f) {
    expected = read_all(f);
    (void)fclose(f);
  }
  stray = expected ? read_expected(expected, rows, n) : 0;
  for (size_t i = 0; i < n; i++)
    rows[i].is_chosen =
        i % (every ? every : 1) == 0 && begins_with_one(rows[i].words[0], argv + optind, argc - optind);
  fflush(stdout); /* once, not by each child */
  rc = run_all(rows, n, outcomes);
  if (rc == 0 && told) rc = write_outcomes(told, rows, n, outcomes);
  if (rc == 0)
    rc = outcomes_alone ? print_outcomes(stdout, rows, n, outcomes) : report(rows, n, outcomes, stray);
  if (rc < 2 && !outcomes_alone && bless && strcmp(bless, "1") == 0)
    rc = write_expected(path, rows, n, outcomes);
  free(list);
  free(expected);
  (void)munmap(outcomes, sizeof(char[MOST_ROWS][TEXT]));
  return rc;
}
