/* help.c -- the commands' tables as help texts and as the manual page.
 *
 * Everything that is said here of a command or flag stands in its table. The manual page is hindcast.1 in
 * man(7), written by `hindcast help --man`. */
#include <string.h>

#include "cli/cli.h"

#define TEXT_WIDTH 80u /* of a help text, in columns */

void cli_wrap(hc_buffer *out, const char *text, size_t column, size_t indent, size_t width)
{
  while (*text) {
    size_t n = strcspn(text, " \n");
    if (column > indent && column + 1 + n > width) {
      hc_buffer_text(out, "\n");
      for (size_t i = 0; i < indent; i++) hc_buffer_text(out, " ");
      column = indent;
    } else if (column > indent) {
      hc_buffer_text(out, " ");
      column++;
    }
    hc_buffer_add(out, text, n);
    column += n;
    text += n;
    if (*text == '\n') {
      hc_buffer_text(out, "\n");
      for (size_t i = 0; i < indent; i++) hc_buffer_text(out, " ");
      column = indent;
    }
    while (*text == ' ' || *text == '\n') text++;
  }
  hc_buffer_text(out, "\n");
}

static void pad(hc_buffer *out, size_t n)
{
  while (n-- > 0) hc_buffer_text(out, " ");
}

/* ---- help ---- */

static void flag_words(const cli_flag *f, char *out, size_t size)
{
  int n = f->letter ? snprintf(out, size, "-%c, ", f->letter) : snprintf(out, size, "    ");
  (void)snprintf(out + n, size - (size_t)n, "--%s%s%s", f->name, f->metavar ? " " : "",
                 f->metavar ? f->metavar : "");
}

static void help_flags(hc_buffer *out, const cli_flag *table)
{
  char words[80];
  for (const cli_flag *f = table; f->name; f++) {
    size_t n;
    flag_words(f, words, sizeof words);
    n = strlen(words) + 2;
    hc_buffer_printf(out, "  %s", words);
    if (n + 2 > 30) {
      hc_buffer_text(out, "\n");
      n = 0;
    }
    pad(out, 30 - n);
    cli_wrap(out, f->help, 30, 30, TEXT_WIDTH);
  }
}

static void help_commands(hc_buffer *out, const cli_command *const *list)
{
  for (size_t i = 0; list[i]; i++) {
    hc_buffer_printf(out, "  %-12s", list[i]->name);
    cli_wrap(out, list[i]->summary, 14, 14, TEXT_WIDTH);
  }
}

static void help_examples(hc_buffer *out, const char *examples)
{
  hc_buffer_text(out, "\nExamples:\n");
  while (*examples) {
    size_t n = strcspn(examples, "\n");
    hc_buffer_printf(out, "  %.*s\n", (int)n, examples);
    examples += n + (examples[n] == '\n');
  }
}

static void usage_line(hc_buffer *out, const cli_command *command, const cli_command *parent)
{
  hc_buffer_printf(out, "hindcast %s%s%s", parent ? parent->name : "", parent ? " " : "", command->name);
  if (command->commands) hc_buffer_text(out, command->run ? " [COMMAND]" : " COMMAND");
  if (command->operands && command->operands[0]) hc_buffer_printf(out, " %s", command->operands);
  if (command->run) hc_buffer_text(out, " [FLAGS]");
}

void cli_help(cli *c, hc_buffer *out, const cli_command *command, const cli_command *parent)
{
  (void)c;
  if (parent == command) parent = NULL;
  hc_buffer_text(out, "usage: ");
  usage_line(out, command, parent);
  hc_buffer_text(out, "\n\n");
  cli_wrap(out, command->summary, 0, 0, TEXT_WIDTH);
  if (command->detail) {
    hc_buffer_text(out, "\n");
    cli_wrap(out, command->detail, 0, 0, TEXT_WIDTH);
  }
  if (command->commands) {
    hc_buffer_text(out, "\nCommands:\n");
    help_commands(out, command->commands);
  }
  if (command->run) {
    hc_buffer_text(out, "\nFlags:\n");
    for (size_t i = 0; command->flags && command->flags[i]; i++) help_flags(out, command->flags[i]);
    help_flags(out, cli_common_flags);
  }
  if (command->examples) help_examples(out, command->examples);
}

void cli_usage(hc_buffer *out)
{
  hc_buffer_text(out, "usage: hindcast COMMAND [ARGUMENTS] [FLAGS]\n\n"
                      "Re-runs a cluster's past, real or synthetic, under any scheduler.\n\nCommands:\n");
  help_commands(out, cli_commands);
  hc_buffer_text(out,
                 "\n`hindcast COMMAND --help` says more of each; `hindcast list` names every component.\n");
  help_examples(
      out, "hindcast run KTH.swf.gz --policy easy      # re-run a log; the result is results/KTH-easy.db\n"
           "hindcast run KTH.swf.gz --policy sjf+easy  # the same with shortest first\n"
           "hindcast compare results/*.db              # side by side\n"
           "hindcast verify results/KTH-easy.db        # check the schedule from its records");
}

/* ---- manual page ---- */

/* Text for roff: dashes and backslashes escaped, no line that begins with a dot or a quote. */
static void roff(hc_buffer *out, const char *s)
{
  bool begins = true;
  for (; *s; s++) {
    if (begins && (*s == '.' || *s == '\'')) hc_buffer_text(out, "\\&");
    if (*s == '\\') hc_buffer_text(out, "\\e");
    else if (*s == '-') hc_buffer_text(out, "\\-");
    else hc_buffer_add(out, s, 1);
    begins = *s == '\n';
  }
}

static void man_flags(hc_buffer *out, const cli_flag *table)
{
  for (const cli_flag *f = table; f->name; f++) {
    hc_buffer_text(out, ".TP\n\\fB");
    if (f->letter) hc_buffer_printf(out, "\\-%c\\fR, \\fB", f->letter);
    hc_buffer_text(out, "\\-\\-");
    roff(out, f->name);
    hc_buffer_text(out, "\\fR");
    if (f->metavar) {
      hc_buffer_text(out, " \\fI");
      roff(out, f->metavar);
      hc_buffer_text(out, "\\fR");
    }
    hc_buffer_text(out, "\n");
    roff(out, f->help);
    hc_buffer_text(out, "\n");
  }
}

static void man_command(hc_buffer *out, const cli_command *command, const cli_command *parent)
{
  hc_buffer_text(out, ".SS \"");
  hc_buffer_printf(out, "%s%s%s", parent ? parent->name : "", parent ? " " : "", command->name);
  if (command->operands && command->operands[0]) {
    hc_buffer_text(out, " ");
    roff(out, command->operands);
  }
  hc_buffer_text(out, "\"\n");
  roff(out, command->summary);
  hc_buffer_text(out, "\n");
  if (command->detail) {
    hc_buffer_text(out, ".PP\n");
    roff(out, command->detail);
    hc_buffer_text(out, "\n");
  }
  for (size_t i = 0; command->flags && command->flags[i]; i++) {
    if (command->flags[i] == cli_config_flags)
      hc_buffer_text(out, ".PP\nTakes the configuration flags too.\n");
    else if (command->flags[i] == cli_transform_flags)
      hc_buffer_text(out, ".PP\nTakes the workload flags.\n");
    else man_flags(out, command->flags[i]);
  }
  if (command->examples) {
    hc_buffer_text(out, ".PP\n.nf\n");
    roff(out, command->examples);
    hc_buffer_text(out, "\n.fi\n");
  }
  for (size_t i = 0; command->commands && command->commands[i]; i++)
    man_command(out, command->commands[i], command);
}

void cli_man(hc_buffer *out)
{
  hc_buffer_text(
      out, ".TH HINDCAST 1 \"\" \"Hindcast " HC_VERSION "\" \"User Commands\"\n.SH NAME\n"
           "hindcast \\- re\\-run a cluster's past under any scheduler\n.SH SYNOPSIS\n"
           "\\fBhindcast\\fR \\fICOMMAND\\fR [\\fIARGUMENTS\\fR] [\\fIFLAGS\\fR]\n.SH DESCRIPTION\n"
           "A hindcast is how forecasters judge a model: run it over history and compare. Hindcast reads "
           "the log of a cluster, re\\-runs it under a scheduling policy, and stores what happened as one "
           "SQLite database, which the other commands look at.\n.SH COMMANDS\n");
  for (size_t i = 0; cli_commands[i]; i++) man_command(out, cli_commands[i], NULL);
  hc_buffer_text(out, ".SH WORKLOAD FLAGS\n");
  man_flags(out, cli_transform_flags);
  hc_buffer_text(out, ".SH CONFIGURATION FLAGS\n");
  man_flags(out, cli_config_flags);
  hc_buffer_text(
      out,
      ".SH EXIT STATUS\n.TP\n0\nDone.\n.TP\n1\nA run failed.\n.TP\n2\nWrong usage or input.\n.TP\n3\n"
      "A check was refuted (verify, compare \\-\\-expect, study check \\-\\-expect).\n.TP\n4\n"
      "A study lost points.\n.TP\n130\nInterrupted; nothing was left behind.\n"
      ".SH ENVIRONMENT\n.TP\nCOLUMNS\nHow wide tables may be. Default: as the terminal; in a file or pipe, "
      "any.\n.TP\nHINDCAST_KEY\nThe key of \\fBtrace mask\\fR, unless \\fB\\-\\-key\\-file\\fR has it.\n"
      ".TP\nNO_COLOR\nIf it is not empty, nothing is bold.\n.TP\nTMPDIR\nWhere logs that are not in "
      "order are sorted. Default: /tmp.\n"
      ".SH FILES\n\\fIresults/NAME.db\\fR: where results go unless \\fB\\-\\-output\\fR says "
      "otherwise.\n");
}
