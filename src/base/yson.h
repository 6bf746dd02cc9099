/* yson.h -- YSON text, and JSON, read token by token, in memory that does not grow with the file.
 *
 * YSON is what YTsaurus writes: {key=value; list=[1; 2.5; %true; #]; "a b"="c"}, with attributes <...> before values,
 * which are passed over. JSON differs in signs only, so both are read by one grammar: `;` or `,` between items, `=` or `:`
 * behind keys. Values may follow each other at the top (a list fragment, JSON lines). The binary form is refused. */
#ifndef HC_BASE_YSON_H
#define HC_BASE_YSON_H

#include "base/mem.h"

#define HC_YSON_DEPTH 64                     /* maps, lists and attributes within each other */
#define HC_YSON_TEXT_LIMIT ((size_t)1 << 20) /* bytes of one text */

typedef enum hc_yson_kind {
  HC_YSON_NULL, /* # or null */
  HC_YSON_FALSE,
  HC_YSON_TRUE,
  HC_YSON_NUMBER,    /* as it is written, without the u of an unsigned one */
  HC_YSON_TEXT,      /* quoted, its escapes resolved, or a bare word */
  HC_YSON_KEY,       /* the member's value comes next */
  HC_YSON_MAP,       /* it begins; its members come next */
  HC_YSON_LIST,      /* it begins; its items come next */
  HC_YSON_ATTRIBUTES /* they begin, of the value that comes after them; as a map. Only to who heeds them */
} hc_yson_kind;

typedef struct hc_yson_token {
  hc_yson_kind kind;
  uint32_t line, column; /* 1-based, in bytes, saturating */
  const char *text;      /* of a number, text or key, with a NUL; borrowed until the next call. Else "" */
  size_t size;
} hc_yson_token;

typedef struct hc_yson hc_yson;

/** Open a file, packed or not ("-": standard input). @return 0, HC_EIO, HC_ENOMEM. */
hc_rc hc_yson_open(const hc_allocator *a, const char *path, hc_yson **out, hc_error *e);
void hc_yson_free(hc_yson *y); /* NULL is fine */

/** The next token of the map or list that was opened last, or of the text.
 *  @return 1 with a token; 0 where that map, list or text ends; HC_EINPUT with line and column; HC_EIO, HC_ENOMEM. */
hc_rc hc_yson_next(hc_yson *y, hc_yson_token *out, hc_error *e);
/** Pass over the value that `t` begins, which must be the last token read. @return 0, or as hc_yson_next. */
hc_rc hc_yson_skip(hc_yson *y, const hc_yson_token *t, hc_error *e);

/** Attributes come as tokens of their own from now on. */
void hc_yson_heed_attributes(hc_yson *y);

const char *hc_yson_name(const hc_yson *y); /* as hc_input_name */
uint64_t hc_yson_bytes(const hc_yson *y);   /* packed bytes read so far */

#endif
