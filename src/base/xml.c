/* xml.c -- documents of XML, element by element. See xml.h for what is refused, and why.
 *
 * Expat takes its memory from the C library, since its allocation has no context; a failure is reported. */
#include "base/xml.h"

#include <expat.h>
#include <limits.h>

#include "base/input.h"
#include "base/util.h"

typedef struct reading {
  XML_Parser parser;
  const hc_xml_handler *handler;
  const char *file;
  hc_error *e;
  hc_rc rc;
  size_t depth;
  uint32_t blank; /* empty lines before the document */
  bool has_begun;
} reading;

static hc_xml_place place_of(const reading *r)
{
  return (hc_xml_place){r->file, (uint32_t)XML_GetCurrentLineNumber(r->parser) + r->blank,
                        (uint32_t)XML_GetCurrentColumnNumber(r->parser) + 1};
}

static void stop(reading *r, hc_rc rc)
{
  if (r->rc == 0) r->rc = rc;
  (void)XML_StopParser(r->parser, XML_FALSE);
}

static void refuse(reading *r, const char *text)
{
  const hc_xml_place at = place_of(r);
  stop(r, hc_fail(r->e, HC_EINPUT, at.file, at.line, at.column, "%s", text));
}

static void XMLCALL on_open(void *ctx, const XML_Char *name, const XML_Char **attributes)
{
  reading *r = ctx;
  const hc_xml_place at = place_of(r);
  hc_rc rc;
  if (r->rc < 0) return;
  if (++r->depth > HC_XML_DEPTH) {
    refuse(r, "more than 64 elements are within each other");
    return;
  }
  rc = r->handler->open(r->handler->ctx, &at, name, (const char *const *)attributes, r->e);
  if (rc < 0) stop(r, rc);
}

static void XMLCALL on_close(void *ctx, const XML_Char *name)
{
  reading *r = ctx;
  const hc_xml_place at = place_of(r);
  hc_rc rc = 0;
  if (r->rc < 0) return;
  r->depth--;
  if (r->handler->close) rc = r->handler->close(r->handler->ctx, &at, name, r->e);
  if (rc < 0) stop(r, rc);
}

static void XMLCALL on_doctype(void *ctx, const XML_Char *name, const XML_Char *system,
                               const XML_Char *public, int has_internal_subset)
{
  HC_UNUSED(name);
  HC_UNUSED(system);
  HC_UNUSED(public);
  if (has_internal_subset)
    refuse(ctx, "the DOCTYPE declares entities or elements of its own: name a DTD only, or leave it out");
}

static void XMLCALL on_entity(void *ctx, const XML_Char *name, int is_parameter, const XML_Char *value,
                              int length, const XML_Char *base, const XML_Char *system,
                              const XML_Char *public, const XML_Char *notation)
{
  HC_UNUSED(name);
  HC_UNUSED(is_parameter);
  HC_UNUSED(value);
  HC_UNUSED(length);
  HC_UNUSED(base);
  HC_UNUSED(system);
  HC_UNUSED(public);
  HC_UNUSED(notation);
  refuse(ctx, "an entity is declared: write what it stands for instead");
}

static void XMLCALL on_skipped(void *ctx, const XML_Char *name, int is_parameter)
{
  HC_UNUSED(name);
  HC_UNUSED(is_parameter);
  refuse(ctx, "an entity is referred to that XML does not have: write what it stands for instead");
}

/* An XML declaration has to be the first thing in a document, and many files begin with an empty line. */
static hc_rc feed(reading *r, const char *data, size_t size, bool last)
{
  while (!r->has_begun && size > 0 && (*data == ' ' || *data == '\t' || *data == '\r' || *data == '\n')) {
    r->blank += *data++ == '\n';
    size--;
  }
  r->has_begun |= size > 0;
  while (size > 0 || last) {
    const int part = (int)HC_MIN(size, (size_t)INT_MAX / 2);
    const bool end = last && (size_t)part == size;
    if (XML_Parse(r->parser, data, part, end) == XML_STATUS_ERROR) {
      const hc_xml_place at = place_of(r);
      const enum XML_Error code = XML_GetErrorCode(r->parser);
      if (r->rc < 0) return r->rc;
      if (code == XML_ERROR_NO_MEMORY) return hc_fail(r->e, HC_ENOMEM, at.file, at.line, 0, "out of memory");
      return hc_fail(r->e, HC_EINPUT, at.file, at.line, at.column, "it is not well-formed XML: %s",
                     XML_ErrorString(code));
    }
    if (end) break;
    data += part;
    size -= (size_t)part;
  }
  return r->rc;
}

static hc_rc read_all(reading *r, hc_input *in, hc_error *e)
{
  char *data;
  size_t size;
  hc_rc rc;
  while ((rc = hc_input_block(in, &data, &size, e)) > 0) TRY(feed(r, data, size, false));
  return rc < 0 ? rc : feed(r, "", 0, true);
}

hc_rc hc_xml_read(const hc_allocator *a, const char *path, const hc_xml_handler *handler, hc_error *e)
{
  reading r = {.handler = handler, .e = e};
  hc_input *in;
  hc_rc rc;
  TRY(hc_input_open(a, path, &in, e));
  r.file = hc_input_name(in);
  r.parser = XML_ParserCreate(NULL);
  if (!r.parser) {
    rc = hc_fail(e, HC_ENOMEM, r.file, 0, 0, "no memory for reading XML");
  } else {
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, on_open, on_close);
    XML_SetStartDoctypeDeclHandler(r.parser, on_doctype);
    XML_SetEntityDeclHandler(r.parser, on_entity);
    XML_SetSkippedEntityHandler(r.parser, on_skipped);
    rc = read_all(&r, in, e);
    XML_ParserFree(r.parser);
  }
  hc_input_free(in);
  return rc;
}
