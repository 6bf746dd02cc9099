/* replay.c -- runs a fuzzer's entry over the files of its corpus, as a plain test in any build.
 *
 * Each argument is a file or a directory of files. It finds no new input: that is libFuzzer's work
 * (`./dev fuzz`). Cost: one call of the entry per file. */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "hindcast/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Number of inputs run; -1 if the file cannot be read. */
static long run_file(const char *path)
{
  FILE *f = fopen(path, "rb");
  if (!f) return -1;
  uint8_t *data = NULL;
  size_t size = 0, cap = 0, got = 0;
  do {
    size += got;
    if (size == cap) {
      cap = cap ? 2 * cap : 65536;
      uint8_t *grown = realloc(data, cap);
      if (!grown) break;
      data = grown;
    }
    got = fread(data + size, 1, cap - size, f);
  } while (got > 0);
  bool failed = !data || ferror(f);
  fclose(f);
  if (!failed) {
    /* An exact copy, so that a sanitizer sees a read past the end. */
    uint8_t *exact = malloc(size ? size : 1);
    failed = !exact;
    if (exact) {
      memcpy(exact, data, size);
      LLVMFuzzerTestOneInput(exact, size);
      free(exact);
    }
  }
  free(data);
  return failed ? -1 : 1;
}

static long run_path(const char *path)
{
  struct stat st;
  if (stat(path, &st) != 0) return -1;
  if (!S_ISDIR(st.st_mode)) return run_file(path);
  struct dirent **names;
  int n = scandir(path, &names, NULL, alphasort);
  if (n < 0) return -1;
  long done = 0;
  for (int i = 0; i < n; i++) {
    char *item = NULL;
    if (names[i]->d_name[0] != '.' && done >= 0 && asprintf(&item, "%s/%s", path, names[i]->d_name) >= 0) {
      long one = run_path(item);
      done = one < 0 ? one : done + one;
      free(item);
    }
    free(names[i]);
  }
  free(names);
  return done;
}

int main(int argc, char **argv)
{
  long total = 0;
  for (int i = 1; i < argc; i++) {
    long one = run_path(argv[i]);
    if (one < 0) {
      fprintf(stderr, "%s: cannot be read\n", argv[i]);
      return 1;
    }
    total += one;
  }
  printf("%ld inputs\n", total);
  return total > 0 ? 0 : 1;
}
