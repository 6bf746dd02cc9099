/* screen.c -- see screen.h. The terminal by termios and the sequences that every one knows since the VT100:
 * the other screen, the place of the cursor, the rest of a line.
 *
 * How the terminal was is kept where a signal handler reaches it: a process that crashes, or is ended by a
 * second Ctrl-C, leaves no terminal behind that shows no letters. Frames go to standard error, as progress
 * does, so that standard output can be a file. */
#define _GNU_SOURCE
#include "cli/screen.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define ENTER "\033[?1049h\033[?25l\033[2J"
#define LEAVE "\033[?25h\033[?1049l"

enum { ENDS = 8 };

/* A handler can reach nothing but a global. */
static struct {
  volatile sig_atomic_t is_open, asked; /* asked: to end, so many times */
  struct termios before, now;
  struct sigaction interrupt, terminate; /* what is done otherwise */
} held;

static const int fatal[ENDS] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGQUIT, SIGTRAP, SIGSYS};

/* ---- as it was, and as it is meanwhile ---- */

static void say(const char *text, size_t size)
{
  while (size > 0) {
    const ssize_t n = write(STDERR_FILENO, text, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    text += n;
    size -= (size_t)n;
  }
}

static void enter(void)
{
  (void)tcsetattr(STDIN_FILENO, TCSANOW, &held.now);
  say(ENTER, sizeof ENTER - 1);
}

static void leave(void)
{
  say(LEAVE, sizeof LEAVE - 1);
  (void)tcsetattr(STDIN_FILENO, TCSANOW, &held.before);
}

static void on_crash(int number)
{
  if (held.is_open) leave();
  (void)signal(number, SIG_DFL);
  (void)raise(number);
}

/* The first is the command's affair; a second one ends the process at once. */
static void on_end(int number)
{
  const struct sigaction *then = number == SIGINT ? &held.interrupt : &held.terminate;
  if (held.asked++ > 0) on_crash(number);
  else if (then->sa_handler != SIG_DFL && then->sa_handler != SIG_IGN) then->sa_handler(number);
  else on_crash(number);
}

static void on_stop(int number)
{
  const int before = errno;
  (void)number;
  leave();
  (void)raise(SIGSTOP);
  enter();
  errno = before;
}

static void hear(int number, void (*handler)(int), struct sigaction *before)
{
  struct sigaction now = {0};
  now.sa_handler = handler;
  (void)sigaction(number, &now, before);
}

hc_rc cli_screen_open(cli *c)
{
  if (tcgetattr(STDIN_FILENO, &held.before) != 0)
    return cli_fail(c, HC_EIO, "the terminal does not say how it is set: %s", strerror(errno));
  held.now = held.before;
  held.now.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
  held.now.c_cc[VMIN] = 0;
  held.now.c_cc[VTIME] = 0;
  held.asked = 0;
  held.is_open = 1;
  hear(SIGINT, on_end, &held.interrupt);
  hear(SIGTERM, on_end, &held.terminate);
  hear(SIGTSTP, on_stop, NULL);
  for (size_t i = 0; i < ENDS; i++) hear(fatal[i], on_crash, NULL);
  enter();
  return 0;
}

void cli_screen_close(void)
{
  if (!held.is_open) return;
  leave();
  held.is_open = 0;
  (void)sigaction(SIGINT, &held.interrupt, NULL);
  (void)sigaction(SIGTERM, &held.terminate, NULL);
  (void)signal(SIGTSTP, SIG_DFL);
  for (size_t i = 0; i < ENDS; i++) (void)signal(fatal[i], SIG_DFL);
}

/* ---- what it can ---- */

static bool is_dumb(void)
{
  const char *term = getenv("TERM");
  return !term || !term[0] || strcmp(term, "dumb") == 0;
}

hc_rc cli_screen_check(cli *c, const char *flag)
{
  if (!isatty(STDIN_FILENO))
    return cli_fail(
        c, HC_EUSAGE,
        "--%s reads keys from standard input, which is no terminal: name the log as a file, or leave "
        "--%s out; --step 1h says what happens in words",
        flag, flag);
  if (!isatty(STDERR_FILENO))
    return cli_fail(
        c, HC_EUSAGE,
        "--%s draws on standard error, which is no terminal: do not redirect it, or leave --%s out; "
        "--step 1h says what happens in words",
        flag, flag);
  if (is_dumb())
    return cli_fail(
        c, HC_EUSAGE,
        "--%s draws on a terminal, and by TERM this one is dumb: set TERM to what it is, or leave "
        "--%s out; --step 1h says what happens in words",
        flag, flag);
  return 0;
}

bool cli_screen_is_utf8(void)
{
  static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
  for (size_t i = 0; i < CLI_LEN(names); i++) {
    const char *value = getenv(names[i]);
    if (value && value[0]) return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
  }
  return false;
}

bool cli_screen_has_weight(void)
{
  const char *no = getenv("NO_COLOR");
  return !no || !no[0];
}

void cli_screen_size(size_t *columns, size_t *rows)
{
  struct winsize w = {0};
  (void)ioctl(STDERR_FILENO, TIOCGWINSZ, &w);
  *columns = w.ws_col > 0 ? w.ws_col : 80;
  *rows = w.ws_row > 0 ? w.ws_row : 24;
}

/* ---- keys and frames ---- */

static int read_key(void)
{
  char key;
  for (;;) {
    const ssize_t n = read(STDIN_FILENO, &key, 1);
    if (n == 1) return (unsigned char)key;
    if (n == 0) return CLI_KEY_NONE;
    if (errno != EINTR) return errno == EAGAIN ? CLI_KEY_NONE : CLI_KEY_GONE;
  }
}

/* An arrow, or another key that is several bytes, is none: ESC [ and what follows up to a letter, or ESC
 * and one more. */
static int skip_sequence(void)
{
  int next = read_key();
  if (next != '[') return next == CLI_KEY_GONE ? next : CLI_KEY_NONE;
  do next = read_key();
  while (next > 0 && (next < '@' || next > '~'));
  return next == CLI_KEY_GONE ? next : CLI_KEY_NONE;
}

int cli_screen_key(double seconds)
{
  struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
  if (poll(&p, 1, seconds > 0 ? (int)(seconds * 1000) + 1 : 0) <= 0) return CLI_KEY_NONE;
  const int key = read_key();
  if (key == CLI_KEY_NONE && p.revents & (POLLHUP | POLLERR | POLLNVAL)) return CLI_KEY_GONE;
  return key == '\033' ? skip_sequence() : key;
}

void cli_screen_show(const hc_buffer *frame)
{
  const char *line = frame->data, *end = frame->data + frame->size;
  hc_buffer out;
  if (frame->failed || frame->size == 0) return;
  hc_buffer_init(&out, frame->allocator);
  hc_buffer_text(&out, "\033[H");
  while (line < end) {
    const char *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop) stop = end;
    hc_buffer_add(&out, line, (size_t)(stop - line));
    hc_buffer_text(&out, stop + 1 < end ? "\033[K\r\n" : "\033[K"); /* the last line of all must not scroll */
    line = stop + 1;
  }
  hc_buffer_text(&out, "\033[J");
  if (!out.failed) say(out.data, out.size); /* at once: no half of it is seen */
  hc_buffer_fini(&out);
}
