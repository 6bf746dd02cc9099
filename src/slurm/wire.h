/* wire.h -- messages between slurmctld and slurmd as Slurm 22.05 sends them: packed and unpacked.
 *
 * A frame is a 32-bit length and that many bytes: header, credential of auth/none, body; all numbers with the
 * high byte first. A text is its length with the NUL, and its bytes; one that is missing has length 0. What
 * stands here was measured between the programs of Debian 12 and holds for one release of the protocol
 * (HC_WIRE_VERSION): who starts a slurmctld compares its version first. Nothing here knows of sockets.
 *
 * Whatever the bytes, unpacking ends, reads nothing beyond them and allocates nothing: texts are borrowed
 * from the frame. */
#ifndef HC_SLURM_WIRE_H
#define HC_SLURM_WIRE_H

#include "base/mem.h"

#define HC_WIRE_VERSION 0x2600 /* Slurm 22.05 */
#define HC_WIRE_OLDEST 0x2400  /* in which slurmctld asks a node that has not said yet which version it has */
#define HC_WIRE_RELEASE "22.05"  /* as `slurmctld -V` begins its version with */
#define HC_WIRE_MOST (64u << 20) /* bytes of a frame; a longer one is refused */
#define HC_WIRE_TEXT_MOST (8u << 20)

enum {
  HC_WIRE_ASK_REGISTRATION = 1001,
  HC_WIRE_REGISTRATION = 1002,
  HC_WIRE_PING = 1008,
  HC_WIRE_PONG = 1016,
  HC_WIRE_LAUNCH = 4005,
  HC_WIRE_ENDED = 5018,
  HC_WIRE_TIME_LIMIT = 6009,
  HC_WIRE_TERMINATE = 6011,
  HC_WIRE_CLEAN = 6012,
  HC_WIRE_ABORT = 6013,
  HC_WIRE_PREEMPT = 6016,
  HC_WIRE_CODE = 8001
};

#define HC_WIRE_ALREADY_COMPLETE 4002u /* a return code: the job has gone, its node is free */
#define HC_WIRE_CANCELLED 0xfffffffeu  /* an exit status: the job is cancelled, not failed */
#define HC_WIRE_OUT_OF_MEMORY 253u     /* an exit status: the job was ended for its memory */

/* ---- reading ---- */

/* What is left of some bytes. Once one was wanted that is not there, all that is read is 0. */
typedef struct hc_wire_reader {
  const uint8_t *at, *end;
  bool is_short;
} hc_wire_reader;

uint8_t hc_wire_u8(hc_wire_reader *r);
uint16_t hc_wire_u16(hc_wire_reader *r);
uint32_t hc_wire_u32(hc_wire_reader *r);
uint64_t hc_wire_u64(hc_wire_reader *r);
/** A text of the frame, which ends in a NUL there. NULL: it is missing, or there is none. */
const char *hc_wire_text(hc_wire_reader *r);
void hc_wire_skip(hc_wire_reader *r, uint64_t bytes);

/* A message. Its texts and its body are the frame's. */
typedef struct hc_wire_message {
  uint16_t version, flags, type;
  uint32_t uid, gid;   /* of who sent it, as it says itself */
  const char *forward; /* the list of nodes that it is for as well; NULL: none */
  uint16_t forward_count;
  hc_wire_reader body;
} hc_wire_message;

/** Take a frame to pieces. @param data [size] what follows the length. @return 0; HC_EINPUT: it is no
 *  message of this release, with what is wrong with it. An older one is taken if it only asks whether a
 *  node is there. */
hc_rc hc_wire_open(const uint8_t *data, size_t size, hc_wire_message *out, hc_error *e);

/* What a node has to know of a batch job. */
typedef struct hc_wire_launch {
  uint32_t job, uid, gid;
  const char *nodes, *script; /* the frame's; a script may be NULL */
} hc_wire_launch;

/** @return 0 or HC_EINPUT: the body is too short, or names no nodes. */
hc_rc hc_wire_read_launch(const hc_wire_message *m, hc_wire_launch *out, hc_error *e);
/** The job that one of TERMINATE, TIME_LIMIT, ABORT and PREEMPT is about. @return 0 or HC_EINPUT */
hc_rc hc_wire_read_kill(const hc_wire_message *m, uint32_t *job, hc_error *e);

/* ---- writing ---- */

void hc_wire_put_u8(hc_buffer *b, uint8_t x);
void hc_wire_put_u16(hc_buffer *b, uint16_t x);
void hc_wire_put_u32(hc_buffer *b, uint32_t x);
void hc_wire_put_u64(hc_buffer *b, uint64_t x);
void hc_wire_put_text(hc_buffer *b, const char *s); /* NULL: missing */

/* A node as it registers. */
typedef struct hc_wire_node {
  const char *name;
  uint16_t cpus;      /* one socket of as many cores of one thread each */
  uint64_t memory;    /* MB */
  int64_t now, since; /* Unix seconds: the message's, the daemon's start */
} hc_wire_node;

void hc_wire_put_registration(hc_buffer *body, const hc_wire_node *n);
void hc_wire_put_pong(hc_buffer *body);
/** The batch job has ended. @param status as waitpid has it, or HC_WIRE_CANCELLED, HC_WIRE_OUT_OF_MEMORY */
void hc_wire_put_ended(hc_buffer *body, uint32_t job, uint32_t uid, uint32_t status, const char *node);
/** A node has cleaned up after the job. */
void hc_wire_put_clean(hc_buffer *body, uint32_t job, const char *node);

/** Append a whole frame: length, header, credential, body.
 *  @param forwarded  [count] nodes that say the same, in an answer to a message that was forwarded to them */
void hc_wire_frame(hc_buffer *out, uint16_t type, const hc_buffer *body, const char *const *forwarded,
                   size_t count);

#endif
