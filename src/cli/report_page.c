/* report_page.c -- the page of `hindcast report` as it was built, report/dist/page.html, cut at its marks. */
#include <string.h>

#include "cli/report.h"

static const char page[] = {
#include "cli/report_bytes.h"
    , '\0'};

static const char *const marks[] = {"{{engine}}", "{{title}}", "{{plain}}", "{{data}}"};

const char *cli_report_page(cli_page_mark mark, size_t *size)
{
  const char *from = page, *end = page + sizeof page - 1;
  for (int m = 0; m <= (int)mark; m++) {
    const char *at = m < CLI_PAGE_END ? strstr(from, marks[m]) : end;
    if (!at) at = end;
    if (m == (int)mark) {
      *size = (size_t)(at - from);
      return from;
    }
    from = at + (at < end ? strlen(marks[m]) : 0);
  }
  *size = 0;
  return end;
}
