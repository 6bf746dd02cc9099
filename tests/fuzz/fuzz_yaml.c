/* fuzz_yaml.c -- any bytes are either refused with a reason, or read into a tree that both writers keep.
 *
 * What was read is written as YAML and as JSON, and each is read again: the three trees must print the same
 * JSON. A failure aborts, so that the fuzzer keeps the input. */
#include <stdlib.h>
#include <string.h>

#include "base/value.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool claim)
{
  if (!claim) abort();
}

/* `text` must read back as the tree whose JSON is `json`. */
static void require_same(const hc_buffer *text, const hc_buffer *json)
{
  hc_arena arena;
  hc_buffer again;
  hc_value *v = NULL;
  hc_error e = {0};
  hc_arena_init(&arena, hc_default_allocator());
  hc_buffer_init(&again, hc_default_allocator());
  hc_rc rc = hc_value_parse(&arena, text->data, text->size, "again", &v, &e);
  if (rc == 0) {
    hc_value_write_json(v, &again, false);
    require(again.size == json->size && memcmp(again.data, json->data, json->size) == 0);
  } else {
    require(rc == HC_ELIMIT && text->size > (size_t)16 << 20); /* aliases made it larger than a file may be */
  }
  hc_buffer_fini(&again);
  hc_arena_fini(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  hc_arena arena;
  hc_buffer yaml, json, pretty;
  hc_value *v = NULL;
  hc_error e = {0};
  hc_rc rc;
  hc_arena_init(&arena, hc_default_allocator());
  hc_buffer_init(&yaml, hc_default_allocator());
  hc_buffer_init(&json, hc_default_allocator());
  hc_buffer_init(&pretty, hc_default_allocator());
  rc = hc_value_parse(&arena, (const char *)data, size, "input", &v, &e);
  if (rc == 0) {
    hc_value_write_yaml(v, &yaml);
    hc_value_write_json(v, &json, false);
    hc_value_write_json(v, &pretty, true);
    require_same(&yaml, &json);
    require_same(&json, &json);
    require_same(&pretty, &json);
  } else {
    require(rc == HC_EINPUT || rc == HC_ELIMIT);
    require(e.rc == rc && e.text[0] != '\0' && strlen(e.text) < sizeof e.text);
    require(e.line > 0 || size > (size_t)16 << 20);
  }
  hc_buffer_fini(&pretty);
  hc_buffer_fini(&json);
  hc_buffer_fini(&yaml);
  hc_arena_fini(&arena);
  return 0;
}
