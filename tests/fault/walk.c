/* walk.c -- walk HINDCAST SHIM memory|files CASES CASE [EVERY]: a run again and again, another of its calls
 * failing each time.
 *
 * A case stands in tests/fault/cases. It is run once as it is. Then its n-th allocation fails (and, in
 * another run, all behind it too), or its n-th call on a file, for n = 1, 1 + EVERY, ...; -EVERY: for about
 * so many n. What must come out: status 0 and the very same result, or status 1 (for files also 2) with a
 * message, for memory one that says so, and nothing under the result's name or beside it. Prints what does
 * not, up to 20 of them. Exit status 1 then, 2 if the run cannot be made. */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS 48
#define SHOWN 20

typedef struct walk {
  const char *hindcast, *shim, *kind;
  char dir[64];       /* scratch: in/ what was made before, out/ what the run makes */
  char *words[WORDS]; /* of the run */
  char *again[WORDS]; /* what makes its result comparable; none: its files as they are */
  const char *keeps;  /* files of such names may be left: what a study knows, so that it can go on */
  const char
      *or_says; /* the result may be another if it says so by these words: a point of a study that failed */
  char wanted[1 << 16]; /* what `again` printed, or the bytes of the file */
  size_t wanted_size;
  char printed[1 << 16]; /* by the run, undisturbed */
  size_t printed_size;
  long bad;
} walk;

static void die(const char *what)
{
  perror(what);
  exit(2);
}

static size_t read_file(const char *path, char *out, size_t room)
{
  const int fd = open(path, O_RDONLY);
  size_t size = 0;
  ssize_t got;
  if (fd < 0) return 0;
  while (size < room && (got = read(fd, out + size, room - size)) > 0) size += (size_t)got;
  (void)close(fd);
  return size;
}

/* The name of a file in out/; false if there is none. `*count` is how many there are. @param all  also what a
 * run may leave */
static bool find_result(const walk *w, bool all, char *path, size_t room, int *count)
{
  char dir[96];
  (void)snprintf(dir, sizeof dir, "%s/out", w->dir);
  DIR *d = opendir(dir);
  if (!d) die(dir);
  *count = 0;
  for (struct dirent *x; (x = readdir(d));) {
    if (x->d_name[0] == '.' || (!all && w->keeps && strstr(x->d_name, w->keeps))) continue;
    ++*count;
    (void)snprintf(path, room, "%s/%s", dir, x->d_name);
  }
  (void)closedir(d);
  return *count > 0;
}

static void clear(const walk *w)
{
  char path[400];
  for (int count; find_result(w, true, path, sizeof path, &count);)
    if (unlink(path) < 0) die(path);
}

/* @return the status of wait */
static int run(const walk *w, char *const *words, const char *out, long at, bool on, bool faults)
{
  char number[32], path[96];
  (void)fflush(stdout);
  const pid_t pid = fork();
  int status;
  if (pid < 0) die("fork");
  if (pid > 0) {
    if (waitpid(pid, &status, 0) < 0) die("waitpid");
    return status;
  }
  (void)snprintf(path, sizeof path, "%s/%s", w->dir, out);
  if (!freopen("/dev/null", "r", stdin) || !freopen(path, "w", stdout)) _exit(98);
  (void)snprintf(path, sizeof path, "%s/err", w->dir);
  if (!freopen(path, "w", stderr)) _exit(98);
  if (faults) {
    (void)snprintf(number, sizeof number, "%ld", at);
    (void)snprintf(path, sizeof path, "%s/calls", w->dir);
    (void)setenv("HC_FAULT_KIND", w->kind, 1);
    (void)setenv("HC_FAULT_AT", number, 1);
    if (on) (void)setenv("HC_FAULT_ON", "1", 1);
    if (at == 0) (void)setenv("HC_FAULT_COUNT", path, 1);
    (void)setenv("LD_PRELOAD", w->shim, 1);
  }
  (void)execv(words[0], words);
  _exit(97);
}

/* What the result is, in a form that is the same for the same run. */
static size_t compare_form(const walk *w, char *out, size_t room)
{
  char path[400];
  int count;
  if (w->again[0]) {
    if (run(w, w->again, "again", 0, false, false) != 0) return 0;
    (void)snprintf(path, sizeof path, "%s/again", w->dir);
    return read_file(path, out, room);
  }
  return find_result(w, false, path, sizeof path, &count) && count == 1 ? read_file(path, out, room) : 0;
}

static void complain(walk *w, long at, bool on, int status, const char *what)
{
  char err[400], path[96];
  (void)snprintf(path, sizeof path, "%s/err", w->dir);
  err[read_file(path, err, sizeof err - 1)] = '\0';
  if (w->bad++ < SHOWN)
    printf("%s %ld%s: %s (status %d%s): %s\n", w->kind, at, on ? " and on" : "", what,
           WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
           WIFSIGNALED(status) ? ", a signal" : "", err);
}

/* Whether what the run printed, and its result, are those of the undisturbed run. */
static bool is_same(const walk *w)
{
  static char now[1 << 16];
  char path[96];
  (void)snprintf(path, sizeof path, "%s/said", w->dir);
  const size_t n = read_file(path, now, sizeof now);
  if (n != w->printed_size || memcmp(now, w->printed, n) != 0) return false;
  const size_t size = compare_form(w, now, sizeof now);
  if (w->or_says && memmem(now, size, w->or_says, strlen(w->or_says))) return true;
  return size == w->wanted_size && memcmp(now, w->wanted, size) == 0;
}

/* It says that it has a result. A worker of a study counts on from where it was forked, and may fail where
 * its parent does not mind: exit status 4 is a study without some of its points, which its result has to
 * say. */
static bool has_result(const walk *w, int status)
{
  return WEXITSTATUS(status) == 0 || (w->or_says && WEXITSTATUS(status) == 4);
}

static void try_one(walk *w, long at, bool on)
{
  char err[4096], path[400];
  int count;
  clear(w);
  const int status = run(w, w->words, "said", at, on, true);
  if (WIFSIGNALED(status) || (WEXITSTATUS(status) > 2 && !has_result(w, status))) {
    complain(w, at, on, status, "it broke");
  } else if (has_result(w, status)) {
    if (!is_same(w)) complain(w, at, on, status, "another result");
  } else {
    (void)snprintf(path, sizeof path, "%s/err", w->dir);
    err[read_file(path, err, sizeof err - 1)] = '\0';
    const bool is_memory = strcmp(w->kind, "memory") == 0;
    const bool says = is_memory ? strstr(err, "memory") && WEXITSTATUS(status) == 1 : err[0] != '\0';
    if (!says) complain(w, at, on, status, "it says something else");
    else if (find_result(w, false, path, sizeof path, &count) && (is_memory || !is_same(w)))
      complain(w, at, on, status, "it left a file");
  }
}

/* Cut a line into words; @D is the scratch folder, @H the command. */
static void cut(const walk *w, char *line, char **words)
{
  int n = 0;
  for (char *word = strtok(line, " \n"); word && n < WORDS - 1; word = strtok(NULL, " \n")) {
    char *full = NULL, *d = strstr(word, "@D");
    if (strcmp(word, "@H") == 0) full = strdup(w->hindcast);
    else if (!d) full = strdup(word);
    else if (asprintf(&full, "%.*s%s%s", (int)(d - word), word, w->dir, d + 2) < 0) full = NULL;
    if (!full) die("a word");
    words[n++] = full;
  }
  words[n] = NULL;
}

/* A case: "NAME: RUN", then lines "  before: COMMAND", "  compare: COMMAND", "  keeps: PART OF A NAME", "
 * or: WORDS". */
static void read_case(walk *w, const char *file, const char *name)
{
  char *line = NULL;
  size_t room = 0;
  bool here = false;
  FILE *f = fopen(file, "r");
  if (!f) die(file);
  while (getline(&line, &room, f) > 0) {
    char *colon = strstr(line, ": "), *before[WORDS];
    if (line[0] == '#' || !colon) continue;
    *colon = '\0';
    if (line[0] != ' ') here = strcmp(line, name) == 0;
    if (!here) continue;
    if (line[0] != ' ') {
      cut(w, colon + 2, w->words);
    } else if (strcmp(line, "  compare") == 0) {
      cut(w, colon + 2, w->again);
    } else if (strcmp(line, "  keeps") == 0) {
      w->keeps = strndup(colon + 2, strcspn(colon + 2, "\n"));
    } else if (strcmp(line, "  or") == 0) {
      w->or_says = strndup(colon + 2, strcspn(colon + 2, "\n"));
    } else {
      cut(w, colon + 2, before);
      if (run(w, before, "again", 0, false, false) != 0) die("the command before the run");
    }
  }
  free(line);
  (void)fclose(f);
  if (!w->words[0]) {
    fprintf(stderr, "walk: there is no case '%s' in %s\n", name, file);
    exit(2);
  }
}

static long count_calls(walk *w)
{
  struct stat s;
  char path[96];
  clear(w);
  if (run(w, w->words, "said", 0, false, true) != 0) {
    complain(w, 0, false, 0, "the run fails undisturbed");
    exit(2);
  }
  (void)snprintf(path, sizeof path, "%s/said", w->dir);
  w->printed_size = read_file(path, w->printed, sizeof w->printed);
  w->wanted_size = compare_form(w, w->wanted, sizeof w->wanted);
  (void)snprintf(path, sizeof path, "%s/calls", w->dir);
  if (w->wanted_size + w->printed_size == 0 || stat(path, &s) < 0 || s.st_size == 0) {
    fprintf(stderr, "walk: the run makes nothing that could be compared, or no call was counted\n");
    exit(2);
  }
  return (long)s.st_size;
}

int main(int argc, char **argv)
{
  static walk w;
  char command[96];
  if (argc < 6) {
    fprintf(stderr, "usage: walk HINDCAST SHIM memory|files CASES CASE [EVERY]\n");
    return 2;
  }
  w.hindcast = argv[1];
  w.shim = argv[2];
  w.kind = argv[3];
  (void)snprintf(w.dir, sizeof w.dir, "%s/hindcast-fault-XXXXXX",
                 getenv("TMPDIR") && strlen(getenv("TMPDIR")) < 30 ? getenv("TMPDIR") : "/tmp");
  if (!mkdtemp(w.dir)) die(w.dir);
  for (int i = 0; i < 2; i++) {
    (void)snprintf(command, sizeof command, "%s/%s", w.dir, i == 0 ? "in" : "out");
    if (mkdir(command, 0700) < 0) die(command);
  }
  read_case(&w, argv[4], argv[5]);
  const long every = argc > 6 ? strtol(argv[6], NULL, 10) : 1, calls = count_calls(&w);
  long tried = 0;
  for (long at = 1; at <= calls; at += every < 1 ? calls / -every + 1 : every)
    for (int on = 0; on < 2; on++, tried++) try_one(&w, at, on == 1);
  printf("%s %s: %ld calls, %ld runs, %ld wrong\n", argv[5], w.kind, calls, tried, w.bad);
  (void)snprintf(command, sizeof command, "rm -rf %s", w.dir);
  return system(command) != 0 ? 2 : w.bad > 0;
}
