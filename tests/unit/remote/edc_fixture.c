/* edc_fixture.c -- decision components of Batsim 5 that do what they should not: the text that they are given
 * first says which. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

uint8_t batsim_edc_init(const uint8_t *data, uint32_t size, uint32_t *flags, uint8_t **reply,
                        uint32_t *reply_size);
uint8_t batsim_edc_deinit(void);
#ifndef FIXTURE_HALF
uint8_t batsim_edc_take_decisions(const uint8_t *message, uint32_t size, uint8_t **decisions,
                                  uint32_t *decisions_size);
#endif

static char kind[32];
static char hello[] =
    "{\"now\":0.0,\"events\":[{\"timestamp\":0.0,\"event_type\":\"EDCHelloEvent\",\"event\":{}}]}";

static int is(const char *word)
{
  return strcmp(kind, word) == 0;
}

uint8_t batsim_edc_init(const uint8_t *data, uint32_t size, uint32_t *flags, uint8_t **reply,
                        uint32_t *reply_size)
{
  if (size >= sizeof kind) return 1;
  memcpy(kind, data, size);
  kind[size] = '\0';
  *flags = is("binary") ? 1 : is("flags") ? 7 << 2 : 2;
  *reply = is("no hello") ? NULL : (uint8_t *)hello;
  *reply_size = is("no hello") ? 0 : (uint32_t)sizeof hello;
  return is("no init") ? 3 : 0;
}

#ifndef FIXTURE_HALF
/* `size` counts the NUL that a message ends with. */
uint8_t batsim_edc_take_decisions(const uint8_t *message, uint32_t size, uint8_t **decisions,
                                  uint32_t *decisions_size)
{
  static char nothing[] = "{\"now\":0.0,\"events\":[]}", much[4000];
  if (strlen((const char *)message) + 1 != size) return 9;
  *decisions = is("no answer") ? NULL : is("much") ? (uint8_t *)much : (uint8_t *)nothing;
  *decisions_size = is("empty") ? 0 : is("much") ? (uint32_t)sizeof much : (uint32_t)strlen(nothing);
  return is("no decision") ? 4 : 0;
}
#endif

uint8_t batsim_edc_deinit(void)
{
  return 0;
}
