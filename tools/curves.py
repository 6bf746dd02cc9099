# curves.py -- curves of a table as the pages of docs/ have them: what `hindcast study table --csv` prints, or rows of that form.
#
# The picture is `hindcast plot curve`'s; here is only how large those of the pages are.
import subprocess


def draw(hindcast, path, text, title, x=None, y=None, log="none", zero=True, show=("*",)):
    """Write the curves of the CSV in `text` to `path`. `show`: lines with a colour and a name; ("*",): all."""
    flags = ["--title", title, "--log", log, "--set", "zero=" + ("true" if zero else "false")]
    flags += ["--x-title", x] if x else []
    flags += ["--y-title", y] if y else []
    flags += [f for name in show for f in ("--show", name)]
    done = subprocess.run([hindcast, "plot", "curve", "-", "--width", "180mm", "--font", "9", *flags], input=text,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"hindcast plot curve, for {path}: {done.stderr.strip()}")
    with open(path, "w") as f:
        f.write(done.stdout)
