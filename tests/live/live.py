# live.py HINDCAST SOURCE CASE -- runs that are watched on a terminal, which this program is: a pseudo terminal, keys that are
# pressed when the picture says that it is time, and what is left when the run has ended.
#   whole    watched to the end, by several policies, on hosts, from a save, in a closed world: the result of a run without --live
#   keys     pause, steps, speed, help; ended by q: the result of a run with `until` there
#   ended    by Ctrl-C, by signals, by a crash: the terminal is as it was, and nothing is stored
#   looks    narrow, low, without Unicode, without bold
#   progress the line of long work that is not watched: percent and time left on a terminal, nothing in a file
#   refused  where there is no terminal, with flags that it does not go with
import fcntl, os, pty, re, select, signal, struct, subprocess, sys, tempfile, termios, time

hindcast, source, case = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)
LEAVE = b"\x1b[?25h\x1b[?1049l"

# Four processors. Task 1 holds three of them until 100, so that task 2, which wants all four, waits; task 3 is backfilled.
LOG = """; MaxProcs: 4
1 0 -1 100 3 -1 -1 3 100 -1 1 7 1 1 1 1 -1 -1
2 10 -1 100 4 -1 -1 4 100 -1 1 1 1 1 1 1 -1 -1
3 20 -1 50 1 -1 -1 1 50 -1 1 1 1 1 1 1 -1 -1
4 25 -1 200 1 -1 -1 1 200 -1 1 1 1 1 1 1 -1 -1
"""
with open("log.swf", "w") as f:
    f.write(LOG)


def plain(*args, status=0):
    p = subprocess.run([hindcast, *args], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert p.returncode == status, (args, p.returncode, p.stderr)
    return p.stdout if status == 0 else p.stderr


def digest(path):
    return plain("digest", path).split()[0]


class Screen:
    """A run on a pseudo terminal."""

    def __init__(self, *args, rows=24, columns=90, **env):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update({"TERM": "xterm", "LC_ALL": "C.UTF-8"})
            os.environ.pop("NO_COLOR", None)
            os.environ.update(env)
            time.sleep(0.05)  # until the size is set
            os.execv(hindcast, [hindcast, *args])
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.before = termios.tcgetattr(self.fd)
        self.out, self.seen = b"", 0

    def read(self, seconds=0.05):
        if not select.select([self.fd], [], [], seconds)[0]:
            return True
        try:
            data = os.read(self.fd, 1 << 16)
        except OSError:  # nothing has it open any more
            return False
        self.out += data
        return bool(data)

    def wait(self, *words, press=b""):
        """Until a whole frame has all of these (regular expressions); then press keys."""
        end = time.time() + 20
        while time.time() < end:
            frames = self.out[self.seen :].split(b"\x1b[H")[1:]
            for frame in frames:
                if frame.endswith(b"\x1b[J") and all(re.search(w.encode(), frame) for w in words):
                    self.seen = len(self.out)
                    if press:
                        os.write(self.fd, press)
                    return re.sub(r"\r|\x1b\[K", "", frame.decode())
            assert self.read(), "the run ended before a frame with " + repr(words) + ": " + repr(self.out[-800:])
        raise AssertionError("no frame with " + repr(words) + ": " + repr(self.out[-800:]))

    def close(self, status=0):
        end = time.time() + 20
        while time.time() < end and self.read():
            pass
        after = termios.tcgetattr(self.fd)
        assert after == self.before, "the terminal is not as it was"
        got = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        assert got == status, (got, self.out[-800:])
        if b"\x1b[?1049h" in self.out:
            assert LEAVE in self.out, "the screen was not left"
        os.close(self.fd)
        return self.out.split(LEAVE)[-1].decode()


def same(name, *args):
    """Watched to its end, and not: one digest."""
    plain("run", *args, "-q", "-o", name + "-plain.db")
    Screen("run", *args, "-q", "-o", name + "-live.db", "--live").close()
    assert digest(name + "-plain.db") == digest(name + "-live.db"), name


def whole():
    for policy in ("easy", "conservative", "sjf+scan"):
        same(policy, "log.swf", "--policy", policy)
    same("hosts", "log.swf", "--policy", "easy", "--set",
         "cell={use: hosts, classes: [{count: 2, cpus: 2, name_prefix: n}]}")
    same("threads", "log.swf", "--policy", "easy", "--set", "threads=2")
    same("sources", "log.swf", "log.swf", "--policy", "easy")
    same("paranoid", "log.swf", "--policy", "conservative", "--set", "paranoid=true")
    same("first", source + "/examples/first.yaml", "--until", "30d")  # thousands of decisions, with tasks asked about
    same("does", "log.swf", "--policy", "easy", "--set", "execution={use: activities, cpu_speed: 1}", "--set",
         "cell={use: hosts, classes: [{count: 2, cpus: 2, name_prefix: n}]}")
    same("world", source + "/examples/clouds/functions.yaml")
    plain("run", "log.swf", "--policy", "easy", "-q", "-o", "saved.db", "--save-at", "90", "--save", "a.save")
    Screen("resume", "a.save", "-q", "-o", "resumed.db", "--live").close()
    assert digest("saved.db") == digest("resumed.db")
    Screen("branch", "a.save", "--policy", "scan", "-q", "-o", "b.db", "--live").close()
    plain("branch", "a.save", "--policy", "scan", "-q", "-o", "c.db")
    assert digest("b.db") == digest("c.db")
    out = Screen("run", "log.swf", "--policy", "easy", "-o", "text.db", "--live").close()
    assert "completed 4" in out and "ended by hand" not in out, out


def keys():
    s = Screen("run", "log.swf", "--policy", "easy", "-o", "q.db", "--live", "--pace", "1s")
    first = s.wait("1 running, 0 waiting", "75.0 % of 4 processors", "1 s a second", press=b"s")
    assert "log-easy: fcfs+easy" in first and "task 1  3 processors  runs" in first, first
    # at 10 task 2 comes: one processor is free, and it is promised all four when task 1 is done
    at10 = s.wait("paused", "1 running, 1 waiting", "task 2", press=b"s")
    assert "1 processor free" in at10, at10
    # at 20 task 3 is backfilled; task 2 was asked about in that decision, and waits for more than is free
    at20 = s.wait("paused", "2 running, 1 waiting", "100.0 % of 4", press=b"?")
    assert "task 2  4 processors  waits 10 s: wants 4 processors, 0 free; promised from 100 s on" in at20, at20
    # over time, a second a character: three of four processors; one task in the second half
    assert "\n          " + 20 * "▇" + " of 100 %" in at20 and "\nwaiting   " + 10 * " " + 10 * "█" + " max 1" in at20, at20
    s.wait("carry out one instant", press=b"?")
    s.wait("task 2", press=b" +")
    s.wait("2 s a second", press=b"--")
    s.wait("1 s a second", press=b" ")
    s.wait("paused", press=b"s")
    s.wait("2 running, 2 waiting", press=b"q")  # at 25 task 4 comes, and waits
    out = s.close()
    assert "note:   the run was ended by hand, and is one with `until: 25`" in out, out
    assert "running 2" in out and "waiting 2" in out, out
    plain("run", "log.swf", "--policy", "easy", "-q", "-o", "until.db", "--name", "log-easy", "--until", "25")
    assert digest("q.db") == digest("until.db")
    plain("verify", "q.db")
    # with a model of what tasks do tasks that wait have their reasons, too
    s = Screen("run", "log.swf", "--policy", "easy", "-q", "-o", "d.db", "--live", "--pace", "1s", "--set",
               "execution={use: activities, cpu_speed: 1}", "--set",
               "cell={use: hosts, classes: [{count: 1, cpus: 4, name_prefix: n}]}")
    s.wait("1 running, 0 waiting", press=b"s")
    s.wait("paused", "1 running, 1 waiting", "task 2", press=b"s")
    at20 = s.wait("paused", "2 running, 1 waiting", "too little", press=b"q")
    assert "task 2  4 cores  waits 10 s, promised in 00:01:20: of 1 host: 1 with too little free cpu" in at20, at20
    s.close()
    # a closed world that is ended by hand
    world = source + "/examples/clouds/functions.yaml"
    s = Screen("run", world, "-q", "-o", "w.db", "--live", "--pace", "1min")
    s.wait("a closed world does not tell of single tasks", press=b"s")
    s.wait("paused", press=b"q")
    s.close()
    at = re.search("^until +([0-9.]+)", plain("show", "w.db", "--config"), re.M)
    plain("run", world, "-q", "-o", "wu.db", "--until", at[1])
    assert digest("w.db") == digest("wu.db")
    s = Screen("run", "log.swf", "--policy", "easy", "-q", "-o", "f.db", "--live", "--pace", "1s")
    s.wait("a second", press=b"\x1b[Axf")  # an arrow and a letter are nothing; f: to the end
    s.close()
    plain("run", "log.swf", "--policy", "easy", "-q", "-o", "p.db")
    assert digest("f.db") == digest("p.db")


def ended():
    def run(how, status):
        s = Screen("run", "log.swf", "--policy", "easy", "-o", "gone.db", "--live", "--pace", "1s")
        s.wait("1 running")
        how(s)
        out = s.close(status)
        assert not os.path.exists("gone.db")
        return out

    assert "nothing was left behind" in run(lambda s: os.write(s.fd, b"\x03"), 130)
    run(lambda s: os.kill(s.pid, signal.SIGTERM), 130)
    run(lambda s: os.kill(s.pid, signal.SIGHUP), 130)
    run(lambda s: os.kill(s.pid, signal.SIGSEGV), -signal.SIGSEGV)
    # stopped and continued: the terminal is as it was meanwhile
    s = Screen("run", "log.swf", "--policy", "easy", "-q", "-o", "stopped.db", "--live", "--pace", "1s")
    s.wait("1 running")
    os.kill(s.pid, signal.SIGTSTP)
    os.waitpid(s.pid, os.WUNTRACED)
    assert termios.tcgetattr(s.fd) == s.before
    os.kill(s.pid, signal.SIGCONT)
    s.seen = len(s.out)
    s.wait("1 running", press=b"q")
    s.close()
    assert os.path.exists("stopped.db")
    # an error on the way: a row that is none
    with open("bad.swf", "w") as f:
        f.write(LOG + "5 x y\n")
    s = Screen("run", "bad.swf", "--policy", "easy", "--set", "strict=true", "-o", "bad.db", "--live")
    assert "bad.swf:6" in s.close(2)


def looks():
    def frame(rows, columns, **env):
        s = Screen("run", "log.swf", "--policy", "easy", "-q", "-o", "look.db", "--force", "--live", "--pace", "2s",
                   rows=rows, columns=columns, **env)
        s.wait("clock", press=b"s")
        s.wait("paused", press=b"s")  # the first instant is that of 0 or of 10
        f = s.wait("clock +(10|20) s; paused", press=b"q")
        s.close()
        os.remove("look.db")
        return f

    def lines(f):
        return [re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", x) for x in f.split("\n")]

    for rows, columns in ((24, 90), (8, 40), (3, 24), (50, 200)):
        f = lines(frame(rows, columns))
        assert len(f) <= rows and all(len(x) <= columns for x in f), (rows, columns, f)
        assert f[-1].startswith("space pause"[:columns]), f
    f = frame(24, 90)
    assert "\x1b[1m" in f and any(c in f for c in "▁▂▃▄▅▆▇█"), f
    f = frame(24, 90, NO_COLOR="1", LC_ALL="C")
    assert "\x1b[1m" not in f and f.isascii() and "##" in f, f  # 75 % is the seventh level of eight


def progress():
    with open("study.yaml", "w") as f:
        f.write("""
study:
  name: s
  base: {source: {use: lublin, tasks: 200, procs: 64}, cell: {procs: 64}}
  axes: {policy: [fcfs, easy]}
  replications: 8000
""")
    s = Screen("study", "run", "study.yaml", "-j", "1", "-o", "s.db")
    end = time.time() + 20
    said = rb"running: [0-9,]+ of 16,000 points, [0-9.,]+ points/s, [0-9]+ %, [0-9].* left"
    while time.time() < end and not re.search(said, s.out):
        assert s.read(), s.out
    os.write(s.fd, b"\x03")
    s.close(130)
    assert re.search(said, s.out), s.out
    # what is known of it so far has a table, and a chart, which say of how many points they are
    p = subprocess.run([hindcast, "study", "table", "s.db", "-f", "wait_mean"], capture_output=True, text=True)
    note = re.search(r"this study is not whole: ([0-9]+) of 16000 points are done", p.stderr)
    assert p.returncode == 0 and note and 0 < int(note[1]) < 16000 and "fcfs" in p.stdout, (p.stdout, p.stderr)
    p = subprocess.run([hindcast, "plot", "bars", "s.db", "--by", "policy", "-f", "wait_mean", "-o", "s.svg"],
                       capture_output=True, text=True)
    assert p.returncode == 0 and note[0] in p.stderr, (p.stdout, p.stderr)
    # no terminal, no line
    p = subprocess.Popen([hindcast, "study", "run", "study.yaml", "-j", "1", "-o", "t.db"], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(0.7)
    p.send_signal(signal.SIGINT)
    assert b"\r" not in p.communicate()[1] and p.returncode == 130


def refused():
    run = ["run", "log.swf", "--policy", "easy", "-o", "x.db", "--live"]
    assert "standard input, which is no terminal" in plain(*run, status=2)
    for flag in (["--step", "1h"], ["--save-at", "3"], ["--save-every", "1h"], ["--save", "x"]):
        assert "--live and " + flag[0] + ":" in plain(*run, *flag, status=2)
    assert "say --live, too" in plain("run", "log.swf", "--pace", "1h", status=2)
    assert "--pace: expected a time" in plain(*run, "--pace", "soon", status=2)
    assert "--live" in plain("study", "run", source + "/examples/studies/backfilling.yaml", "--live", status=2)
    s = Screen(*run, TERM="dumb")
    assert "dumb" in s.close(2)
    # standard output may be a file, standard error not
    s = Screen("run", "log.swf", "--policy", "easy", "-o", "x.db", "--live")
    s.close()
    with open("err", "w") as err:
        pid, fd = pty.fork()
        if pid == 0:
            os.dup2(err.fileno(), 2)
            os.execv(hindcast, [hindcast, *run, "--force"])
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 2
    assert "standard error, which is no terminal" in open("err").read()


{"whole": whole, "keys": keys, "ended": ended, "looks": looks, "progress": progress, "refused": refused}[case]()
