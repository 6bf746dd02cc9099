/* test_input.c -- the reader of lines against texts that the test makes, packs, cuts and damages itself. */
#define _GNU_SOURCE
#include <lzma.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "base/input.h"
#include "base/math.h"
#include "base/util.h"

#define PATH "data" /* in the test's own directory */

typedef enum format { PLAIN, GZIP, ZSTD, XZ, FORMATS } format;
static const char *const format_names[FORMATS] = {"plain", "gzip", "zstd", "xz"};

static void write_file(const char *path, const void *data, size_t size)
{
  FILE *f = fopen(path, "wb");
  assert_non_null(f);
  assert_int_equal(fwrite(data, 1, size, f), size);
  assert_int_equal(fclose(f), 0);
}

/* Pack one member, frame or stream, with its checksum. */
static size_t pack(format f, const char *text, size_t size, uint8_t *out, size_t cap)
{
  if (f == PLAIN) {
    memcpy(out, text, size);
    return size;
  }
  if (f == ZSTD) {
    ZSTD_CCtx *c = ZSTD_createCCtx();
    (void)ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
    size_t n = ZSTD_compress2(c, out, cap, text, size);
    assert_false(ZSTD_isError(n));
    (void)ZSTD_freeCCtx(c);
    return n;
  }
  if (f == XZ) {
    size_t n = 0;
    assert_int_equal(
        lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, (const uint8_t *)text, size, out, &n, cap),
        LZMA_OK);
    return n;
  }
  z_stream z = {
      .next_in = (Bytef *)(uintptr_t)text, .avail_in = (uInt)size, .next_out = out, .avail_out = (uInt)cap};
  assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
  size_t n = cap - z.avail_out;
  (void)deflateEnd(&z);
  return n;
}

static hc_input *open_path(const char *path)
{
  hc_error e = {0};
  hc_input *in = NULL;
  if (hc_input_open(hc_default_allocator(), path, &in, &e) < 0) fail_msg("%s: %s", e.where, e.text);
  return in;
}

/* Lines must be those of `text`, in order; each is written over to show that it is not needed again.
 * Returns what ended the reading; `seen` counts the bytes of text up to there. */
static hc_rc read_all(hc_input *in, const char *text, size_t size, size_t *seen, hc_error *e)
{
  char *line;
  size_t length, at = 0;
  uint64_t lines = 0;
  hc_rc rc;
  while ((rc = hc_input_line(in, &line, &length, e)) == 1) {
    const char *newline = memchr(text + at, '\n', size - at);
    size_t next = newline ? (size_t)(newline - text) + 1 : size, want = next - at - (newline != NULL);
    if (newline && want > 0 && text[at + want - 1] == '\r') want--;
    assert_int_equal(length, want);
    assert_memory_equal(line, text + at, length);
    assert_int_equal(line[length], 0);
    memset(line, 'x', length);
    at = next;
    assert_int_equal(hc_input_lines(in), ++lines);
    assert_int_equal(hc_input_position(in), at);
  }
  *seen = at;
  if (rc < 0) {
    hc_error again = {0};
    assert_int_equal(hc_input_line(in, &line, &length, &again), rc); /* an error stays */
    assert_int_equal(e->line, lines + 1);
    assert_true(e->text[0] != '\0');
  }
  return rc;
}

static void expect_text(const char *path, const char *text, size_t size)
{
  hc_error e = {0};
  size_t seen;
  hc_input *in = open_path(path);
  if (read_all(in, text, size, &seen, &e) != 0) fail_msg("line %u: %s", e.line, e.text);
  assert_int_equal(seen, size);
  hc_input_free(in);
}

/* The error of a file, which must come after `lines` lines, in a text that holds `word`. */
static void expect_error(const void *data, size_t size, hc_rc want, uint64_t lines, const char *word)
{
  hc_error e = {0};
  char *line;
  size_t length;
  hc_rc rc;
  write_file(PATH, data, size);
  hc_input *in = open_path(PATH);
  while ((rc = hc_input_line(in, &line, &length, &e)) == 1) {
  }
  assert_int_equal(rc, want);
  assert_int_equal(hc_input_lines(in), lines);
  assert_int_equal(e.line, lines + 1);
  assert_string_equal(e.where, PATH);
  if (!strstr(e.text, word)) fail_msg("\"%s\" does not say \"%s\"", e.text, word);
  hc_input_free(in);
}

/* Lines of all lengths, some longer than a block, with both kinds of ends; does not end in a newline. */
static char *make_text(size_t size, uint64_t seed)
{
  hc_draws s = {.seed = seed};
  char *text = malloc(size);
  assert_non_null(text);
  size_t left = 0;
  for (size_t i = 0; i < size; i++) {
    if (left == 0)
      left = hc_random_below(&s, 100) == 0 ? hc_random_below(&s, 400000) : hc_random_below(&s, 90) + 1;
    left--;
    text[i] = left == 0 ? '\n' : left == 1 && i % 3 == 0 ? '\r' : (char)('0' + i * i % 71);
  }
  text[size - 1] = 'z';
  return text;
}

static void plain_lines_in_every_shape(void **state)
{
  HC_UNUSED(state);
  const char *const texts[] = {"",          "\n",         "a",    "a\n",      "a\nb",
                               "\n\n\n",    "a\r\nb\r\n", "\r\n", "\r",       "a\r",
                               "\ra\r\r\n", "(",          "P",    "\xff\xfe", "; \xc3\xa9\n 1 2 3\n"};
  for (size_t i = 0; i < HC_ARRAY_LEN(texts); i++) {
    write_file(PATH, texts[i], strlen(texts[i]));
    expect_text(PATH, texts[i], strlen(texts[i]));
  }
}

static void every_format_gives_the_same_lines(void **state)
{
  HC_UNUSED(state);
  const size_t size = 3000000, cap = 2 * size;
  char *text = make_text(size, 1);
  uint8_t *packed = malloc(cap);
  assert_non_null(packed);
  for (format f = PLAIN; f < FORMATS; f++) {
    write_file(PATH, packed, pack(f, text, size, packed, cap));
    expect_text(PATH, text, size);
  }
  free(packed);
  free(text);
}

static void all_members_frames_and_streams_are_read(void **state)
{
  HC_UNUSED(state);
  const size_t size = 700000, cap = 2 * size;
  char *text = make_text(size, 2);
  uint8_t *packed = malloc(cap);
  assert_non_null(packed);
  for (format f = GZIP; f < FORMATS; f++) { /* cut in the middle of lines, with an empty piece */
    const size_t cuts[] = {0, 1, 100001, 100001, 400000, size};
    size_t n = 0;
    if (f == ZSTD) { /* as pzstd writes it: a frame to be skipped, first */
      memcpy(packed, "\x50\x2a\x4d\x18\x04\0\0\0abcd", 12);
      n = 12;
    }
    for (size_t i = 1; i < HC_ARRAY_LEN(cuts); i++) {
      n += pack(f, text + cuts[i - 1], cuts[i] - cuts[i - 1], packed + n, cap - n);
      if (f == XZ)
        n += (size_t)(memset(packed + n, 0, 4) != NULL) * 4; /* padding between streams is allowed */
    }
    if (f == GZIP) n += (size_t)(memset(packed + n, 0, 1000) != NULL) * 1000; /* and after the last member */
    write_file(PATH, packed, n);
    expect_text(PATH, text, size);
  }
  free(packed);
  free(text);
}

static void a_window_has_a_limit(void **state)
{
  HC_UNUSED(state);
  /* A frame written by hand: window of 2^27 bytes, which is what zstd itself reads unless told otherwise, and
   * one raw block of 4 bytes. Streams of `zstd --long=27` begin so. */
  uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0, (27 - 10) << 3, (4 << 3) | 1, 0, 0, 'a', '\n', 'b', '\n'};
  write_file(PATH, frame, sizeof frame);
  expect_text(PATH, "a\nb\n", 4);
  frame[5] |= 1; /* an eighth more */
  expect_error(frame, sizeof frame, HC_EINPUT, 0, "without --long");
  for (int log = 28; log <= 41; log++) { /* 41: 2 TiB, the largest that a header can say */
    frame[5] = (uint8_t)((log - 10) << 3);
    expect_error(frame, sizeof frame, HC_EINPUT, 0, "zstd -dc");
  }
}

/* Sets aside more than it is asked for at once, so that a hostile header would show. */
static void *most_at_once(void *ctx, void *p, size_t old_size, size_t new_size)
{
  size_t *most = ctx;
  if (new_size > *most) *most = new_size;
  if (new_size > old_size) return realloc(p, new_size);
  if (new_size == 0) free(p);
  return new_size == 0 ? NULL : p;
}

/* Thirteen bytes that ask for 2 GiB, and an xz file whose header asks for 1.5 GiB, are refused before the
 * memory is asked for. */
static void a_hostile_header_gets_no_memory(void **state)
{
  HC_UNUSED(state);
  const uint8_t frame[] = {0x28, 0xb5, 0x2f, 0xfd, 0,   (31 - 10) << 3, (4 << 3) | 1, 0,
                           0,    'a',  '\n', 'b',  '\n'};
  uint8_t packed[4096];
  size_t n = 0;
  lzma_options_lzma options;
  assert_int_equal(lzma_lzma_preset(&options, 0), 0);
  /* The packer would set aside the window itself, so the size is changed in the header of a small one: the
   * filter's property, and the header's checksum. */
  options.dict_size = 1 << 16;
  const lzma_filter filters[] = {{.id = LZMA_FILTER_LZMA2, .options = &options}, {.id = LZMA_VLI_UNKNOWN}};
  assert_int_equal(lzma_stream_buffer_encode((lzma_filter *)(uintptr_t)filters, LZMA_CHECK_CRC32, NULL,
                                             (const uint8_t *)"a\nb\n", 4, packed, &n, sizeof packed),
                   LZMA_OK);
  uint8_t *header = packed + LZMA_STREAM_HEADER_SIZE;
  const size_t header_size = ((size_t)header[0] + 1) * 4;
  uint8_t *dictionary = memchr(header + 2, LZMA_FILTER_LZMA2, header_size - 6);
  assert_non_null(dictionary);
  dictionary += 2;  /* behind the filter's number and the size of its one property */
  *dictionary = 39; /* 3 * 2^29 bytes: (2 | 39 & 1) << (39 / 2 + 11), the .xz format 1.1.0, 5.3.1 */
  const uint32_t crc = lzma_crc32(header, header_size - 4, 0);
  for (int i = 0; i < 4; i++) header[header_size - 4 + (size_t)i] = (uint8_t)(crc >> 8 * i);
  for (int f = 0; f < 2; f++) {
    size_t most = 0;
    const hc_allocator a = {&most, most_at_once, NULL};
    hc_error e = {0};
    hc_input *in = NULL;
    char *line;
    size_t length;
    if (f == 0) write_file(PATH, frame, sizeof frame);
    else write_file(PATH, packed, n);
    assert_int_equal(hc_input_open(&a, PATH, &in, &e), 0);
    assert_int_equal(hc_input_line(in, &line, &length, &e), HC_EINPUT);
    assert_non_null(strstr(e.text, "window of more than 128 MiB"));
    assert_true(most < (size_t)1 << 20); /* our own two blocks, and the decoder's state */
    hc_input_free(in);
  }
}

static void a_cut_anywhere_is_an_error_with_a_place(void **state)
{
  HC_UNUSED(state);
  char text[600];
  size_t size = 0;
  uint8_t packed[4096];
  for (int i = 0; i < 12; i++)
    size += (size_t)snprintf(text + size, sizeof text - size, "%d %d %d\n", i, i * i * 7919, i * i % 13);
  for (format f = GZIP; f < FORMATS; f++) {
    size_t n = pack(f, text, size, packed, sizeof packed);
    for (size_t cut = 0; cut < n; cut++) {
      hc_error e = {0};
      size_t seen;
      write_file(PATH, packed, cut);
      hc_input *in = open_path(PATH);
      bool is_text = cut == 0 || (f == ZSTD && cut == 1); /* nothing; "(" is a text like any other */
      hc_rc rc = read_all(in, cut == 0 ? "" : is_text ? "(" : text, is_text ? cut : size, &seen, &e);
      if (rc != (is_text ? 0 : HC_EINPUT)) fail_msg("%s cut to %zu bytes gives %d", format_names[f], cut, rc);
      if (!is_text && !strstr(e.text, "truncated"))
        fail_msg("%s cut to %zu: %s", format_names[f], cut, e.text);
      hc_input_free(in);
    }
    /* Two in a row, the second one cut: the first is still handed out. */
    memcpy(packed + n, packed, n);
    for (size_t cut = 1; cut < n; cut++) {
      hc_error e = {0};
      size_t seen;
      char twice[2 * sizeof text];
      memcpy(twice, text, size);
      memcpy(twice + size, text, size);
      write_file(PATH, packed, n + cut);
      hc_input *in = open_path(PATH);
      assert_int_equal(read_all(in, twice, 2 * size, &seen, &e), HC_EINPUT);
      assert_true(seen >= size);
      hc_input_free(in);
    }
  }
}

static void a_changed_byte_never_passes_for_the_text(void **state)
{
  HC_UNUSED(state);
  char text[600];
  size_t size = 0;
  uint8_t packed[4096];
  for (int i = 0; i < 16; i++)
    size += (size_t)snprintf(text + size, sizeof text - size, "%d %d\n", i, i * i * 7919);
  for (format f = GZIP; f < FORMATS; f++) {
    size_t n = pack(f, text, size, packed, sizeof packed), errors = 0;
    for (size_t at = 6; at < n; at++) { /* before, it may become another format */
      hc_error e = {0};
      char *line, got[4096];
      size_t length, used = 0;
      hc_rc rc;
      packed[at] ^= 0x10;
      write_file(PATH, packed, n);
      packed[at] ^= 0x10;
      hc_input *in = open_path(PATH);
      while ((rc = hc_input_line(in, &line, &length, &e)) == 1 && used + length + 1 < sizeof got) {
        memcpy(got + used, line, length);
        got[used + length] = '\n';
        used += length + 1;
      }
      if (rc == 0 && (used != size || memcmp(got, text, size) != 0)) /* gzip's time stamp may change unseen */
        fail_msg("%s with byte %zu changed was read as another text", format_names[f], at);
      errors += rc < 0;
      hc_input_free(in);
    }
    assert_true(errors > n - 20);
  }
}

static void what_follows_is_not_ignored(void **state)
{
  HC_UNUSED(state);
  uint8_t packed[4096];
  for (format f = GZIP; f < FORMATS; f++) {
    size_t n = pack(f, "1\n2\n", 4, packed, sizeof packed - 100);
    memcpy(packed + n, "3 more line\n", 12);
    expect_error(packed, n + 12, HC_EINPUT, 2, "damaged");
  }
}

static void other_packings_are_named(void **state)
{
  HC_UNUSED(state);
  expect_error("BZh91AY&SY\1\2\3", 13, HC_EINPUT, 0, "bzip2 -dc");
  expect_error("PK\3\4\24\0\0\0", 8, HC_EINPUT, 0, "unzip -p");
  expect_error("7z\xbc\xaf\x27\x1c\0\4", 8, HC_EINPUT, 0, "7-Zip");
  expect_error("\x04\x22\x4d\x18\x64\x40", 6, HC_EINPUT, 0, "lz4 -dc");
  expect_error("\x1f\x9d\x90", 3, HC_EINPUT, 0, "compress data");
}

static void binary_data_is_refused_with_its_line(void **state)
{
  HC_UNUSED(state);
  expect_error("\0", 1, HC_EINPUT, 0, "binary data");
  expect_error("a\nb\nc\0d\ne\n", 10, HC_EINPUT, 2, "binary data");
  expect_error("a\nb\n\0", 5, HC_EINPUT, 2, "binary data");
  expect_error("\xff\xfe"
               "1\0\n\0",
               6, HC_EINPUT, 0, "UTF-16");
  char *zeros = calloc(1, 10000000); /* and not by filling memory first */
  assert_non_null(zeros);
  expect_error(zeros, 10000000, HC_EINPUT, 0, "binary data");
  uint8_t packed[65536];
  expect_error(packed, pack(ZSTD, zeros, 10000000, packed, sizeof packed), HC_EINPUT, 0, "binary data");
  free(zeros);
}

static void long_lines_up_to_the_limit(void **state)
{
  HC_UNUSED(state);
  const size_t limit = HC_LINE_LIMIT, size = 10 * limit;
  char *text = malloc(size);
  assert_non_null(text);
  memset(text, 'a', size);
  write_file(PATH, text, limit); /* without a newline */
  expect_text(PATH, text, limit);
  text[1] = '\n';
  text[2 + limit] = '\r'; /* the ends of a line do not count */
  text[3 + limit] = '\n';
  write_file(PATH, text, limit + 10);
  expect_text(PATH, text, limit + 10);
  text[2 + limit] = 'a';
  expect_error(text, limit + 10, HC_EINPUT, 1, "longer than 1048576 bytes");
  text[3 + limit] = 'a';
  expect_error(text, 3 + limit, HC_EINPUT, 1, "longer than");
  expect_error(text, size, HC_EINPUT, 1, "longer than");
  free(text);
}

/* Positions taken while reading lead back to their lines, in any order, from any state. */
static void seeking_returns_to_a_line(void **state)
{
  HC_UNUSED(state);
  const size_t size = 1500000, cap = 2 * size;
  char *text = make_text(size, 3), *line;
  uint8_t *packed = malloc(cap);
  uint64_t *starts = calloc(size, sizeof *starts), lines = 0;
  assert_non_null(packed);
  assert_non_null(starts);
  for (size_t i = 0; i < size; i++)
    if (text[i] == '\n') starts[++lines] = i + 1;
  for (format f = PLAIN; f < FORMATS; f++) {
    hc_draws s = {.seed = 4};
    hc_error e = {0};
    size_t length;
    write_file(PATH, packed, pack(f, text, size, packed, cap));
    hc_input *in = open_path(PATH);
    assert_true(hc_input_seekable(in));
    for (int i = 0; i < 60; i++) {
      uint64_t k = hc_random_below(&s, lines);                  /* the last line has no newline: left out */
      assert_int_equal(hc_input_seek(in, starts[k], k, &e), 0); /* the first time, before anything was read */
      assert_int_equal(hc_input_position(in), starts[k]);
      for (uint64_t n = hc_random_below(&s, 200); n > 0 && k < lines; n--, k++) {
        assert_int_equal(hc_input_line(in, &line, &length, &e), 1);
        assert_memory_equal(line, text + starts[k], length);
        memset(line, '\n', length); /* what we write must not come back */
        assert_int_equal(hc_input_lines(in), k + 1);
        assert_int_equal(hc_input_position(in), starts[k + 1]);
      }
    }
    assert_int_equal(hc_input_seek(in, size, lines + 1, &e), 0); /* the end is a place */
    assert_int_equal(hc_input_line(in, &line, &length, &e), 0);
    assert_int_equal(hc_input_seek(in, size + 1, lines, &e), HC_EINPUT);
    assert_non_null(strstr(e.text, "shorter"));
    assert_int_equal(hc_input_seek(in, 0, 0, &e), 0); /* and there is a way back */
    assert_int_equal(hc_input_line(in, &line, &length, &e), 1);
    hc_input_free(in);
  }
  free(starts);
  free(packed);
  free(text);
}

static void seeking_leaves_an_error_behind(void **state)
{
  HC_UNUSED(state);
  uint8_t packed[4096];
  for (format f = PLAIN; f < FORMATS; f++) {
    hc_error e = {0};
    char *line;
    size_t length, n = pack(f, "a\nb\n\0\n", 6, packed, sizeof packed);
    write_file(PATH, packed, n);
    hc_input *in = open_path(PATH);
    for (int i = 0; i < 3; i++) {
      e = (hc_error){0};
      assert_int_equal(hc_input_seek(in, 2, 1, &e), 0);
      assert_int_equal(hc_input_line(in, &line, &length, &e), 1);
      assert_string_equal(line, "b");
      assert_int_equal(hc_input_line(in, &line, &length, &e), HC_EINPUT);
      assert_int_equal(e.line, 3);
    }
    hc_input_free(in);
  }
}

/* Standard input from a pipe that gives seven bytes at a time. */
static void standard_input_comes_in_pieces(void **state)
{
  HC_UNUSED(state);
  const size_t size = 20000, cap = 2 * size;
  char *text = make_text(size, 5);
  uint8_t *packed = malloc(cap);
  assert_non_null(packed);
  for (format f = PLAIN; f < FORMATS; f++) {
    size_t n = pack(f, text, size, packed, cap), seen;
    int ends[2], kept = dup(STDIN_FILENO);
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
      for (size_t i = 0; i < n; i += 7)
        if (write(ends[1], packed + i, HC_MIN(n - i, 7)) < 0) _exit(1);
      _exit(0);
    }
    (void)close(ends[1]);
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    (void)close(ends[0]);
    hc_error e = {0};
    hc_input *in = open_path("-");
    assert_string_equal(hc_input_name(in), "standard input");
    assert_false(hc_input_seekable(in));
    assert_int_equal(hc_input_seek(in, 0, 0, &e), HC_EUNSUPPORTED);
    assert_int_equal(read_all(in, text, size, &seen, &e), 0);
    assert_int_equal(seen, size);
    uint64_t done, total;
    hc_input_progress(in, &done, &total);
    assert_int_equal(done, n);
    assert_int_equal(total, 0); /* how much will come is unknown */
    hc_input_free(in);
    assert_int_equal(waitpid(child, NULL, 0), child);
    if (kept >= 0) {
      (void)dup2(kept, STDIN_FILENO);
      (void)close(kept);
    }
  }
  free(packed);
  free(text);
}

static void expect_refusal(const char *path, const char *word)
{
  hc_error e = {0};
  hc_input *in = NULL;
  assert_int_equal(hc_input_open(hc_default_allocator(), path, &in, &e), HC_EIO);
  assert_null(in);
  assert_string_equal(e.where, path);
  if (!strstr(e.text, word)) fail_msg("\"%s\" does not say \"%s\"", e.text, word);
}

static void what_cannot_be_opened_is_refused(void **state)
{
  HC_UNUSED(state);
  expect_refusal("missing.swf", "No such file");
  expect_refusal(".", "name a file in it");
  write_file(PATH, "a\n", 2);
  expect_refusal(PATH "/below", "check the path");
  assert_int_equal(chmod(PATH, 0), 0);
  if (geteuid() != 0) expect_refusal(PATH, "chmod");
  else print_message("running as root, who may read everything: no test of permissions\n");
  assert_int_equal(chmod(PATH, 0600), 0);
}

static void progress_counts_packed_bytes(void **state)
{
  HC_UNUSED(state);
  uint8_t packed[4096];
  uint64_t done, total;
  hc_error e = {0};
  size_t n = pack(GZIP, "a\nb\n", 4, packed, sizeof packed), seen;
  write_file(PATH, packed, n);
  hc_input *in = open_path(PATH);
  hc_input_progress(in, &done, &total);
  assert_int_equal(done, 0);
  assert_int_equal(total, n);
  assert_int_equal(read_all(in, "a\nb\n", 4, &seen, &e), 0);
  hc_input_progress(in, &done, &total);
  assert_int_equal(done, n);
  hc_input_free(in);
}

/* An allocator that fails at the n-th request and keeps count. */
typedef struct meter {
  int until_failure;
  int64_t held;
} meter;

static void *metered(void *ctx, void *p, size_t old_size, size_t new_size)
{
  meter *m = ctx;
  if (new_size > old_size && m->until_failure-- == 0) return NULL;
  void *q = NULL;
  if (new_size == 0) {
    free(p);
  } else if (!(q = realloc(p, new_size))) {
    return NULL;
  }
  m->held += (int64_t)new_size - (int64_t)old_size;
  return q;
}

static void running_out_of_memory_is_an_error(void **state)
{
  HC_UNUSED(state);
  const size_t size = 700000, cap = 2 * size;
  char *text = make_text(size, 6), *line;
  uint8_t *packed = malloc(cap);
  assert_non_null(packed);
  memset(text, 'a', 500000); /* so long that the buffer must grow */
  for (format f = PLAIN; f < FORMATS; f++) {
    write_file(PATH, packed, pack(f, text, size, packed, cap));
    int n = 0;
    for (hc_rc rc = HC_ENOMEM; rc < 0; n++) {
      meter m = {.until_failure = n};
      const hc_allocator a = {&m, metered, NULL};
      hc_error e = {0};
      hc_input *in = NULL;
      size_t length;
      rc = hc_input_open(&a, PATH, &in, &e);
      while (rc == 0 && (rc = hc_input_line(in, &line, &length, &e)) == 1) rc = 0;
      if (rc == 0 && hc_input_position(in) < size)
        fail_msg("%s ended early after failure %d", format_names[f], n);
      if (rc < 0) assert_int_equal(rc, HC_ENOMEM);
      hc_input_free(in);
      assert_int_equal(m.held, 0);
      if (n > 100) fail_msg("%s asks for memory without end", format_names[f]);
    }
    assert_true(n > 3); /* the struct, the name, the buffer at least */
  }
  free(packed);
  free(text);
}

/* Lines found by the caller and lines asked for take turns; a NUL byte and what follows it is never at
 * hand. */
static void text_at_hand_is_taken_by_its_finder(void **state)
{
  static const char text[] = "one\ntwo\nthree\nfo\0r\n";
  const char *at;
  char *line;
  size_t before, length;
  hc_input *in;
  hc_error e = {0};
  HC_UNUSED(state);
  write_file(PATH, text, sizeof text - 1);
  assert_int_equal(hc_input_open(hc_default_allocator(), PATH, &in, &e), 0);
  assert_int_equal(hc_input_at_hand(in, &at, &before), 0); /* nothing has been read yet */
  assert_int_equal(hc_input_line(in, &line, &length, &e), 1);
  assert_int_equal(hc_input_at_hand(in, &at, &before), strlen("two\nthree\nfo"));
  assert_int_equal(before, 4);
  assert_memory_equal(at, "two\nthree\nfo", strlen("two\nthree\nfo"));
  hc_input_take(in, 4, 1);
  assert_int_equal(hc_input_lines(in), 2);
  assert_int_equal(hc_input_position(in), 8);
  assert_int_equal(hc_input_line(in, &line, &length, &e), 1);
  assert_string_equal(line, "three");
  assert_int_equal(hc_input_lines(in), 3);
  assert_int_equal(hc_input_at_hand(in, &at, &before), 2);
  assert_int_equal(hc_input_seek(in, 8, 2, &e), 0); /* back to where it was */
  assert_int_equal(hc_input_line(in, &line, &length, &e), 1);
  assert_string_equal(line, "three");
  assert_int_equal(hc_input_line(in, &line, &length, &e), HC_EINPUT);
  assert_int_equal(e.line, 4);
  hc_input_free(in);
}

/* Whether the sums know the file as it lies there: `size` bytes, hashed here in one piece. */
static bool is_summed(hc_sums *sums, const void *data, size_t size)
{
  uint64_t bytes, of_file[2], noted[2];
  hc_hash hash, known;
  hc_hash_init(&hash);
  hc_hash_add(&hash, data, size);
  hc_hash_end(&hash, of_file);
  if (!hc_sums_find(sums, PATH, &bytes, &known)) return false;
  hc_hash_end(&known, noted);
  assert_int_equal(bytes, size);
  assert_memory_equal(noted, of_file, sizeof noted);
  return true;
}

/* What was read from its first byte to its last was summed as it lies in the file, packed or not; a reading
 * that has left out something, or has not come to the end, says nothing. */
static void a_file_read_whole_is_summed_on_the_way(void **state)
{
  HC_UNUSED(state);
  const size_t size = 1500000, cap = 2 * size;
  char *text = make_text(size, 8), *line;
  uint8_t *packed = malloc(cap);
  assert_non_null(packed);
  for (format f = PLAIN; f < FORMATS; f++) {
    const size_t n = pack(f, text, size, packed, cap);
    hc_sums *sums;
    hc_error e = {0};
    size_t seen, length;
    write_file(PATH, packed, n);
    assert_int_equal(hc_sums_new(hc_default_allocator(), &sums), 0);
    hc_input *in = open_path(PATH);
    hc_input_sum(in, sums);
    assert_int_equal(hc_input_line(in, &line, &length, &e), 1);
    const uint64_t second = hc_input_position(in);
    assert_false(is_summed(sums, packed, n)); /* there is more to come */
    assert_int_equal(hc_input_seek(in, 0, 0, &e), 0);
    assert_int_equal(read_all(in, text, size, &seen, &e), 0);
    assert_true(is_summed(sums, packed, n)); /* though it began anew */
    hc_input_free(in);
    hc_sums_free(sums);
    assert_int_equal(hc_sums_new(hc_default_allocator(), &sums), 0);
    in = open_path(PATH);
    hc_input_sum(in, sums);
    assert_int_equal(hc_input_seek(in, second, 1, &e), 0);
    while (hc_input_line(in, &line, &length, &e) == 1) {
    }
    assert_int_equal(is_summed(sums, packed, n), f != PLAIN); /* to unpack it, its beginning had to be read */
    hc_input_free(in);
    hc_sums_free(sums);
  }
  free(packed);
  free(text);
}

static int enter_directory(void **state)
{
  static char directory[] = "test_input.XXXXXX";
  *state = directory;
  return mkdtemp(directory) && chdir(directory) == 0 ? 0 : -1;
}

static int leave_directory(void **state)
{
  (void)unlink(PATH);
  return chdir("..") == 0 && rmdir(*state) == 0 ? 0 : -1;
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain_lines_in_every_shape),
      cmocka_unit_test(every_format_gives_the_same_lines),
      cmocka_unit_test(all_members_frames_and_streams_are_read),
      cmocka_unit_test(a_window_has_a_limit),
      cmocka_unit_test(a_hostile_header_gets_no_memory),
      cmocka_unit_test(a_cut_anywhere_is_an_error_with_a_place),
      cmocka_unit_test(a_changed_byte_never_passes_for_the_text),
      cmocka_unit_test(what_follows_is_not_ignored),
      cmocka_unit_test(other_packings_are_named),
      cmocka_unit_test(binary_data_is_refused_with_its_line),
      cmocka_unit_test(long_lines_up_to_the_limit),
      cmocka_unit_test(seeking_returns_to_a_line),
      cmocka_unit_test(seeking_leaves_an_error_behind),
      cmocka_unit_test(standard_input_comes_in_pieces),
      cmocka_unit_test(what_cannot_be_opened_is_refused),
      cmocka_unit_test(progress_counts_packed_bytes),
      cmocka_unit_test(running_out_of_memory_is_an_error),
      cmocka_unit_test(text_at_hand_is_taken_by_its_finder),
      cmocka_unit_test(a_file_read_whole_is_summed_on_the_way),
  };
  return cmocka_run_group_tests(tests, enter_directory, leave_directory);
}
