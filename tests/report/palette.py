"""palette.py -- the colours of the page are those of figures: report/src/palette.ts has the lists of src/output/palette.c."""
import re


def hexes(text, begin, end):
    part = text[text.index(begin) :]
    return re.findall(r"(?:0x|#)([0-9a-f]{6})", part[: part.index(end)])


with open("src/output/palette.c", encoding="utf-8") as f:
    c = f.read()
with open("report/src/palette.ts", encoding="utf-8") as f:
    ts = f.read()
for name in ("lines", "areas"):
    ours, theirs = hexes(c, f"pair {name}[", "};"), hexes(ts, f"const {name}:", "];")
    assert len(ours) == 16 and ours == theirs, (name, ours, theirs)
assert hexes(c, "[HC_INK_REST]", "}") == hexes(ts, "const rest:", ";")
print("palette: the same")
