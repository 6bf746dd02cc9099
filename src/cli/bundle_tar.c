/* bundle_tar.c -- files as one archive, in the format ustar: heads of 512 bytes, files in blocks of as many.
 *
 * Owners and times are left out, so that the same folder gives the same bytes. Source: POSIX.1-2017, pax,
 * "ustar Interchange Format". */
#include <errno.h>
#include <string.h>

#include "cli/bundle.h"

#define BLOCK 512
#define SIZE_MOST 077777777777ull

static void put_octal(char *field, size_t size, unsigned long long n)
{
  for (size_t i = size - 1; i-- > 0; n >>= 3) field[i] = (char)('0' + (n & 7));
}

/* Where a name is cut into a folder (of 155 bytes at most) and the rest (of 100). @return false: nowhere */
static bool cut(const char *name, size_t *folder)
{
  const size_t n = strlen(name);
  *folder = 0;
  if (n <= 100) return true;
  for (size_t i = n - 101; i < n && i <= 155; i++)
    if (name[i] == '/' && n - i - 1 > 0) {
      *folder = i;
      return true;
    }
  return false;
}

static hc_rc put_head(cli_file *out, const char *name, unsigned long long size, bool is_executable)
{
  char head[BLOCK] = {0};
  size_t folder;
  unsigned sum = 0;
  if (size > SIZE_MOST || !cut(name, &folder))
    return cli_fail(out->c, HC_ELIMIT, "%.300s: an archive cannot hold it; write the bundle to a folder",
                    name);
  const char *last = folder ? name + folder + 1 : name;
  memcpy(head, last, strlen(last));
  put_octal(head + 100, 8, is_executable ? 0755 : 0644);
  put_octal(head + 108, 8, 0);
  put_octal(head + 116, 8, 0);
  put_octal(head + 124, 12, size);
  put_octal(head + 136, 12, 0);
  memset(head + 148, ' ', 8);
  head[156] = '0';
  memcpy(head + 257, "ustar\00000", 8);
  memcpy(head + 345, name, folder);
  for (size_t i = 0; i < BLOCK; i++) sum += (unsigned char)head[i];
  put_octal(head + 148, 7, sum);
  head[154] = '\0';
  return out->sink.write(out->sink.ctx, head, BLOCK);
}

static hc_rc put_file(cli_file *out, FILE *in, unsigned long long size)
{
  char data[64 * BLOCK];
  unsigned long long done = 0;
  size_t n;
  while ((n = fread(data, 1, sizeof data, in)) > 0) {
    const size_t rest = n % BLOCK ? BLOCK - n % BLOCK : 0; /* only the last piece is no whole block */
    done += n;
    memset(data + n, 0, rest);
    CLI_TRY(out->sink.write(out->sink.ctx, data, n + rest));
  }
  return !ferror(in) && done == size ? 0 : cli_fail(out->c, HC_EIO, "a file changed while it was packed");
}

hc_rc cli_tar_add(cli_file *out, const char *path, const char *name, bool is_executable)
{
  FILE *in = fopen(path, "rb");
  long size = -1;
  if (in && fseek(in, 0, SEEK_END) == 0) size = ftell(in);
  if (!in || size < 0) {
    const hc_rc rc = cli_fail(out->c, HC_EIO, "%.300s: cannot read it: %s", path, strerror(errno));
    if (in) (void)fclose(in);
    return rc;
  }
  rewind(in);
  hc_rc rc = put_head(out, name, (unsigned long long)size, is_executable);
  if (rc >= 0) rc = put_file(out, in, (unsigned long long)size);
  (void)fclose(in);
  return rc;
}

hc_rc cli_tar_end(cli_file *out)
{
  static const char nothing[2 * BLOCK];
  return out->sink.write(out->sink.ctx, nothing, sizeof nothing);
}
