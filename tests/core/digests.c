/* digests.c -- the digests of a list of runs, as a core computes them of texts in memory.
 *
 *     digests RUNS FILE...
 *
 * The files are the texts, under their names; each line of RUNS is a name, a run file and assignments, with
 * tabs between them. Prints the name, the digest of the result and that of the schedule. It is linked with
 * the core alone; reading files is this program's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hindcast/embed.h"

static char *read_file(const char *path, size_t *size)
{
  FILE *f = fopen(path, "rb");
  char *text = NULL;
  size_t cap = 0, got = 1;
  *size = 0;
  while (f && got > 0) {
    if (*size + 4096 > cap) {
      char *grown = realloc(text, cap = 2 * cap + 8192);
      if (!grown) break;
      text = grown;
    }
    got = fread(text + *size, 1, cap - *size - 1, f);
    *size += got;
  }
  if (f) (void)fclose(f);
  if (text) text[*size] = '\0';
  return text;
}

static int fail(const hc_embedded *x, const char *what)
{
  (void)fprintf(stderr, "%s: %s\n", what, hc_embed_error(x));
  return 1;
}

/* One line, which is cut at its tabs. */
static int carry_out(hc_embedded *x, char *line)
{
  const char *name = strtok(line, "\t"), *file = strtok(NULL, "\t");
  hc_rc rc = 1;
  if (!name || !file || hc_embed_reset(x) < 0 || hc_embed_configure(x, file) < 0) return fail(x, line);
  for (const char *a; (a = strtok(NULL, "\t"));)
    if (hc_embed_set(x, a) < 0) return fail(x, name);
  if (hc_embed_begin(x) < 0) return fail(x, name);
  while (rc == 1) rc = hc_embed_step(x, 1000);
  const char *digest = rc == 0 ? hc_embed_digest(x, false) : NULL;
  if (!digest) return fail(x, name);
  (void)printf("%s %s ", name, digest);
  (void)printf("%s\n", hc_embed_digest(x, true));
  return 0;
}

int main(int argc, char **argv)
{
  hc_embedded *x = hc_embed_new(NULL);
  size_t size;
  int status = 0;
  if (argc < 2 || !x) return 2;
  for (int i = 2; i < argc && status == 0; i++) {
    char *text = read_file(argv[i], &size);
    if (!text || hc_embed_text(x, argv[i], text, size) < 0) status = fail(x, argv[i]);
    free(text);
  }
  char *runs = read_file(argv[1], &size);
  for (char *line = runs; status == 0 && line && *line;) {
    char *end = strchr(line, '\n');
    if (end) *end = '\0';
    status = carry_out(x, line);
    line = end ? end + 1 : NULL;
  }
  free(runs);
  hc_embed_free(x);
  return status;
}
