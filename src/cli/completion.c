/* completion.c -- completion scripts for bash, zsh and fish, from the commands' tables.
 *
 * The scripts hold the words of commands and flags; names of components are asked of the program when a shell
 * wants them, so that they are those of the installed version. */
#include <string.h>

#include "cli/cli.h"

typedef void (*visit)(hc_buffer *out, const cli_command *command, const cli_command *parent);

static void each_command(hc_buffer *out, visit f)
{
  for (size_t i = 0; cli_commands[i]; i++) {
    f(out, cli_commands[i], NULL);
    for (size_t j = 0; cli_commands[i]->commands && cli_commands[i]->commands[j]; j++)
      f(out, cli_commands[i]->commands[j], cli_commands[i]);
  }
}

static void each_flag(hc_buffer *out, const cli_command *command, void (*f)(hc_buffer *, const cli_flag *))
{
  for (size_t t = 0; command->flags && command->flags[t]; t++) {
    for (const cli_flag *flag = command->flags[t]; flag->name; flag++) f(out, flag);
  }
  f(out, &cli_common_flags[0]);
}

static void command_words(hc_buffer *out, const cli_command *const *list)
{
  for (size_t i = 0; list[i]; i++) hc_buffer_printf(out, "%s%s", i ? " " : "", list[i]->name);
}

/* A text between single quotes of a shell. */
static void quoted(hc_buffer *out, const char *s)
{
  for (; *s; s++) {
    if (*s == '\'') hc_buffer_text(out, "'\\''");
    else hc_buffer_add(out, s, 1);
  }
}

/* Words that a choice offers, blank-separated; a kind asks the program. */
static void choice_words(hc_buffer *out, const char *complete)
{
  if (strncmp(complete, "kind:", 5) == 0) {
    hc_buffer_printf(out, "$(hindcast list %s --names 2>/dev/null)", complete + 5);
    return;
  }
  for (const char *s = complete; *s; s++) hc_buffer_add(out, *s == '|' ? " " : s, 1);
}

/* ---- bash ---- */

static void bash_flag_word(hc_buffer *out, const cli_flag *f)
{
  hc_buffer_printf(out, " --%s", f->name);
}

static bool is_word(const cli_flag *f, const char *what)
{
  return f->complete && strcmp(f->complete, what) == 0;
}

/* What follows an `=` is a word of its own, as is the `=`. */
static void bash_keys(hc_buffer *out)
{
  hc_buffer_text(
      out, "_hindcast_keys()\n{\n  local word=$1\n  compopt -o nospace 2>/dev/null\n"
           "  COMPREPLY=($(compgen -W \"$(hindcast list --keys \"$word\" 2>/dev/null)\" -- \"$word\"))\n"
           "  [[ $word == *=* ]] && COMPREPLY=(\"${COMPREPLY[@]#*=}\")\n}\n");
}

static void bash_flag_value(hc_buffer *out, const cli_flag *f)
{
  if (is_word(f, CLI_KEYS)) {
    hc_buffer_printf(out, "    --%s|-%c) _hindcast_keys \"$cur\"; return ;;\n", f->name, f->letter);
    return;
  }
  if (!f->complete || strcmp(f->complete, CLI_FILE) == 0) return;
  hc_buffer_printf(out, "    --%s) COMPREPLY=($(compgen -W \"", f->name);
  choice_words(out, f->complete);
  hc_buffer_text(out, "\" -- \"$cur\")); return ;;\n");
}

static void bash_case(hc_buffer *out, const cli_command *command, const cli_command *parent)
{
  hc_buffer_printf(out, "  '%s%s%s')\n", parent ? parent->name : "", parent ? " " : "", command->name);
  if (command->commands && !command->run) {
    hc_buffer_text(out, "    words='");
    command_words(out, command->commands);
    hc_buffer_text(out, "' ;;\n");
    return;
  }
  hc_buffer_text(out, "    case $prev in\n");
  each_flag(out, command, bash_flag_value);
  hc_buffer_text(out, "    esac\n    words='");
  each_flag(out, command, bash_flag_word);
  hc_buffer_text(out, "'");
  if (command->complete && strcmp(command->complete, CLI_FILE) != 0) {
    hc_buffer_text(out, "\n    [[ $cur == -* ]] || words=\"");
    choice_words(out, command->complete);
    hc_buffer_text(out, "\"");
  }
  hc_buffer_text(out, " ;;\n");
}

static void bash(hc_buffer *out)
{
  hc_buffer_text(out, "# bash completion for hindcast: source <(hindcast completion bash)\n");
  bash_keys(out);
  hc_buffer_text(out, "_hindcast()\n{\n"
                      "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} words= at\n"
                      "  at=${COMP_WORDS[1]}\n"
                      "  local n=$COMP_CWORD\n"
                      "  [[ $cur == '=' ]] && { cur=; prev='='; n=$((n + 1)); }\n"
                      "  if [[ $prev == '=' && $n -gt 3 && ${COMP_WORDS[n-3]} =~ ^(-s|--set)$ ]]; then\n"
                      "    _hindcast_keys \"${COMP_WORDS[n-2]}=$cur\"; return\n  fi\n"
                      "  [[ $at == trace && $COMP_CWORD -gt 2 ]] && at=\"trace ${COMP_WORDS[2]}\"\n"
                      "  if [[ $COMP_CWORD -eq 1 ]]; then\n    COMPREPLY=($(compgen -W '");
  command_words(out, cli_commands);
  hc_buffer_text(out, "' -- \"$cur\")); return\n  fi\n  case $at in\n");
  each_command(out, bash_case);
  hc_buffer_text(
      out, "  esac\n  if [[ $cur == -* || $words != *--* ]]; then COMPREPLY=($(compgen -W \"$words\" -- "
           "\"$cur\")); fi\n  [[ ${#COMPREPLY[@]} -gt 0 ]] || COMPREPLY=($(compgen -f -- \"$cur\"))\n}\n"
           "complete -o filenames -F _hindcast hindcast\n");
}

/* ---- zsh ---- */

static void zsh_flag(hc_buffer *out, const cli_flag *f)
{
  hc_buffer_printf(out, "      '%s--%s%s[", f->many ? "*" : "", f->name, f->metavar ? "=" : "");
  for (const char *s = f->help; *s; s++) {
    char two[3] = {'\\', *s, 0};
    if (*s == '[' || *s == ']' || *s == ':') hc_buffer_text(out, two);
    else if (*s == '\'') hc_buffer_text(out, "'\\''");
    else hc_buffer_add(out, s, 1);
  }
  hc_buffer_text(out, "]");
  if (f->metavar && f->complete && strcmp(f->complete, CLI_FILE) == 0) hc_buffer_text(out, ":file:_files");
  else if (is_word(f, CLI_KEYS)) hc_buffer_text(out, ":assignment:_hindcast_keys");
  else if (f->metavar && f->complete) {
    hc_buffer_text(out, ":word:(");
    if (strncmp(f->complete, "kind:", 5) == 0) {
      hc_buffer_text(out, "'${(f)\"$(hindcast list ");
      hc_buffer_printf(out, "%s --names 2>/dev/null)\"}'", f->complete + 5);
    } else {
      choice_words(out, f->complete);
    }
    hc_buffer_text(out, ")");
  } else if (f->metavar) hc_buffer_text(out, ":value:");
  hc_buffer_text(out, "' \\\n");
}

static void zsh_list(hc_buffer *out, const cli_command *const *list)
{
  for (size_t i = 0; list[i]; i++) {
    hc_buffer_printf(out, "      '%s:", list[i]->name);
    quoted(out, list[i]->summary);
    hc_buffer_text(out, "'\n");
  }
}

static void zsh_case(hc_buffer *out, const cli_command *command, const cli_command *parent)
{
  if (parent) hc_buffer_printf(out, "    '%s %s')\n", parent->name, command->name);
  else hc_buffer_printf(out, "    '%s')\n", command->name);
  if (command->commands && !command->run) {
    hc_buffer_text(out, "    local -a parts=(\n");
    zsh_list(out, command->commands);
    hc_buffer_text(out, "    )\n    _describe command parts ;;\n");
    return;
  }
  hc_buffer_text(out, "    _arguments \\\n");
  each_flag(out, command, zsh_flag);
  hc_buffer_text(out, "      '*:file:_files' ;;\n");
}

static void zsh(hc_buffer *out)
{
  hc_buffer_text(
      out, "#compdef hindcast\n# zsh completion for hindcast: put it into a folder of $fpath as _hindcast\n"
           "_hindcast_keys()\n{\n"
           "  compadd -S '' -- ${(f)\"$(hindcast list --keys \"$PREFIX\" 2>/dev/null)\"}\n}\n"
           "_hindcast()\n{\n  local at=${words[2]}\n  if (( CURRENT == 2 )); then\n    local -a "
           "commands=(\n");
  zsh_list(out, cli_commands);
  hc_buffer_text(out, "    )\n    _describe command commands\n    return\n  fi\n"
                      "  [[ $at == trace && CURRENT -gt 3 ]] && at=\"trace ${words[3]}\"\n  case $at in\n");
  each_command(out, zsh_case);
  hc_buffer_text(out, "  esac\n}\n_hindcast \"$@\"\n");
}

/* ---- fish ---- */

static void fish_command(hc_buffer *out, const cli_command *command, const cli_command *parent)
{
  char when[160];
  if (parent) {
    hc_buffer_printf(
        out, "complete -c hindcast -n '__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from",
        parent->name);
    for (size_t i = 0; parent->commands[i]; i++) hc_buffer_printf(out, " %s", parent->commands[i]->name);
    hc_buffer_printf(out, "' -a %s -d '", command->name);
  } else {
    hc_buffer_printf(out, "complete -c hindcast -n __fish_use_subcommand -a %s -d '", command->name);
  }
  quoted(out, command->summary);
  hc_buffer_text(out, "'\n");
  if (parent)
    (void)snprintf(when, sizeof when, "__fish_seen_subcommand_from %s; and __fish_seen_subcommand_from %s",
                   parent->name, command->name);
  else (void)snprintf(when, sizeof when, "__fish_seen_subcommand_from %s", command->name);
  for (size_t t = 0; command->flags && command->flags[t]; t++) {
    for (const cli_flag *f = command->flags[t]; f->name; f++) {
      hc_buffer_printf(out, "complete -c hindcast -n '%s' -l %s", when, f->name);
      if (f->letter) hc_buffer_printf(out, " -s %c", f->letter);
      if (f->metavar) hc_buffer_text(out, f->complete && strcmp(f->complete, CLI_FILE) != 0 ? " -x" : " -r");
      if (f->metavar && f->complete && strcmp(f->complete, CLI_FILE) != 0) {
        hc_buffer_text(out, " -a '");
        if (strncmp(f->complete, "kind:", 5) == 0)
          hc_buffer_printf(out, "(hindcast list %s --names 2>/dev/null)", f->complete + 5);
        else if (is_word(f, CLI_KEYS))
          hc_buffer_text(out, "(hindcast list --keys (commandline -ct) 2>/dev/null)");
        else choice_words(out, f->complete);
        hc_buffer_text(out, "'");
      }
      hc_buffer_text(out, " -d '");
      quoted(out, f->help);
      hc_buffer_text(out, "'\n");
    }
  }
}

hc_rc cli_completion(cli *c, const char *shell, hc_buffer *out)
{
  if (strcmp(shell, "bash") == 0) bash(out);
  else if (strcmp(shell, "zsh") == 0) zsh(out);
  else if (strcmp(shell, "fish") == 0) {
    hc_buffer_text(out, "# fish completion for hindcast: hindcast completion fish | source\n");
    each_command(out, fish_command);
  } else {
    return cli_fail(c, HC_EUSAGE, "there is no completion for \"%.80s\"; it is made for bash, zsh and fish",
                    shell);
  }
  return 0;
}
