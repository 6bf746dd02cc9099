/* edc_serve.c -- a decision component of Batsim 5 that is a shared object, as a process of its own.
 *
 *     cc -O2 -o edc_serve edc_serve.c -ldl -lzmq && ./edc_serve ./libfcfs.so ipc:///tmp/component &
 *     hindcast batsim -p platform.xml -w workload.json --edc-socket-str ipc:///tmp/component ''
 *
 * The first message is the length of a text (32 bits, in the machine's byte order) and the text; flags (32
 * bits) and the component's own first message answer it. All others are carried to it and back as they are. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

typedef uint8_t init_function(const uint8_t *data, uint32_t size, uint32_t *flags, uint8_t **reply,
                              uint32_t *reply_size);
typedef uint8_t decide_function(const uint8_t *message, uint32_t size, uint8_t **reply, uint32_t *reply_size);
typedef uint8_t deinit_function(void);

static init_function *init;
static decide_function *decide;
static deinit_function *deinit;

static void find(void *library, const char *name, void *out)
{
  void *address = library ? dlsym(library, name) : NULL;
  if (!address) {
    (void)fprintf(stderr, "edc_serve: %s: %s\n", name, dlerror());
    exit(1);
  }
  memcpy(out, &address, sizeof address);
}

/* Flags, and the component's first message. @return false: the component has failed */
static int greet(const char *data, size_t size, char **out, size_t *out_size)
{
  uint32_t length, flags = 0, reply_size = 0;
  uint8_t *reply = NULL;
  if (size < sizeof length) return 0;
  memcpy(&length, data, sizeof length);
  if (length > size - sizeof length) return 0;
  if (init((const uint8_t *)data + sizeof length, length, &flags, &reply, &reply_size) != 0) return 0;
  *out_size = sizeof flags + reply_size;
  *out = malloc(*out_size);
  if (!*out) return 0;
  memcpy(*out, &flags, sizeof flags);
  memcpy(*out + sizeof flags, reply, reply_size);
  return 1;
}

int main(int argc, char **argv)
{
  void *context = zmq_ctx_new(), *socket = zmq_socket(context, ZMQ_REP);
  void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
  int has_begun = 0, is_over = 0;
  find(library, "batsim_edc_init", &init);
  find(library, "batsim_edc_take_decisions", &decide);
  find(library, "batsim_edc_deinit", &deinit);
  if (zmq_bind(socket, argv[2]) < 0) {
    (void)fprintf(stderr, "edc_serve: %s\n", zmq_strerror(zmq_errno()));
    return 1;
  }
  while (!is_over) {
    zmq_msg_t m;
    char *greeting = NULL;
    uint8_t *reply = NULL;
    uint32_t reply_size = 0;
    size_t size = 0;
    (void)zmq_msg_init(&m);
    if (zmq_msg_recv(&m, socket, 0) < 0) return 1;
    const char *data = zmq_msg_data(&m);
    is_over = has_begun && strstr(data, "\"SimulationEndsEvent\"") != NULL; /* it ends with a NUL */
    if (has_begun && decide((const uint8_t *)data, (uint32_t)zmq_msg_size(&m), &reply, &reply_size) != 0)
      return 1;
    if (!has_begun && !greet(data, zmq_msg_size(&m), &greeting, &size)) return 1;
    const int sent =
        has_begun ? zmq_send(socket, reply, reply_size, 0) : zmq_send(socket, greeting, size, 0);
    if (sent < 0) return 1;
    free(greeting);
    (void)zmq_msg_close(&m);
    has_begun = 1;
  }
  (void)zmq_close(socket);
  (void)zmq_ctx_term(context);
  return deinit();
}
