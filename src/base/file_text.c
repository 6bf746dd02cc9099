/* file_text.c -- a file as one text in memory, unpacked, however it lies there. */
#include "base/input.h"
#include "base/util.h"
#include "hindcast/files.h"

static hc_rc read_all(hc_input *in, uint64_t most, hc_buffer *out, hc_error *e)
{
  char *data;
  size_t size;
  hc_rc rc;
  while ((rc = hc_input_block(in, &data, &size, e)) == 1) {
    if (size > most - out->size)
      return hc_fail(e, HC_ELIMIT, hc_input_name(in), 0, 0, "it holds more than %llu bytes",
                     (unsigned long long)most);
    hc_buffer_add(out, data, size);
    if (out->failed) return hc_fail(e, HC_ENOMEM, hc_input_name(in), 0, 0, "out of memory for its text");
  }
  return rc;
}

hc_rc hc_file_text(const hc_allocator *a, const char *path, uint64_t most, hc_buffer *out, hc_error *e)
{
  hc_input *in;
  const size_t before = out->size;
  TRY(hc_input_open(a, path, &in, e));
  const hc_rc rc = read_all(in, most > UINT64_MAX - before ? UINT64_MAX : before + most, out, e);
  hc_input_free(in);
  return rc;
}
