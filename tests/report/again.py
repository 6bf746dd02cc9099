"""again.py -- a page that runs again: again.py PAGE.html DIGESTS MODULE LOG.gz HINDCAST

Of two runs and a record over one log. The page holds the module and the log, each byte; what it may do besides what
other pages may is to compile WebAssembly and to start a worker out of a Blob; its run files give the command the same
schedules, with the log under the name that they have for it.
"""
import base64
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import zlib


def unpacked(page, name):
    found = re.search(rf'<script type="text/plain" id="{name}" data-packing="(\w+)">([A-Za-z0-9+/=]*)</script>', page)
    data = base64.b64decode(found.group(2), validate=True)
    return gzip.decompress(data) if found.group(1) == "gzip" else zlib.decompress(data)


def check_policy(page):
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page).group(1)
    parts = dict(p.strip().split(" ", 1) for p in policy.split(";"))
    assert parts["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[A-Za-z0-9+/=]+' 'wasm-unsafe-eval'", parts["script-src"]), parts
    assert parts["worker-src"] == "blob:"
    assert "connect-src" not in parts and "unsafe-inline" not in policy and "unsafe-eval" not in policy.replace("wasm-unsafe-eval", "")


def run_again(hindcast, what, base, text):
    with tempfile.TemporaryDirectory() as folder:
        name = what["inputs"][base["inputs"][0]].lstrip("/")
        os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
        with open(os.path.join(folder, name), "wb") as f:
            f.write(text)
        config = base["config"].replace(what["inputs"][base["inputs"][0]], name)
        with open(os.path.join(folder, what["file"]), "w") as f:
            f.write(config)
        sets = [x for s in what["settings"] for x in ("--set", s)]
        subprocess.run([hindcast, "run", what["file"], *sets, "--quiet", "--output", "r.db"], cwd=folder, check=True)
        said = subprocess.run([hindcast, "digest", "--schedule", "r.db"], cwd=folder, check=True, capture_output=True, text=True)
        return said.stdout.split()[0]


def main():
    page_path, digest_path, module, log, hindcast = sys.argv[1:]
    page = open(page_path, encoding="utf-8").read()
    digests = [line.split()[0] for line in open(digest_path)]
    what = json.loads(re.search(r'<script type="application/json" id="what-if">(.*?)</script>', page, re.S).group(1))
    check_policy(page)
    assert unpacked(page, "engine") == open(module, "rb").read()
    text = gzip.open(log).read()
    assert what["inputs"] == [log], "one text for both, by the name that they open it by"
    assert unpacked(page, "input-0") == text
    assert [b["run"] for b in what["bases"]] == [0, 1], "the record is no run"
    assert [b["schedule"] for b in what["bases"]] == digests
    for base in what["bases"]:
        assert base["inputs"] == [0] and base["processors"] == 100
        keys = dict(base["keys"])
        assert keys["transforms.0"] == "first" and keys["transforms.0.count"] == "300"
        assert not {"output", "threads", "rejected"} & set(keys)
        assert run_again(os.path.abspath(hindcast), what, base, text) == base["schedule"]
    names = [p[0] for p in what["policies"]]
    assert "batch" in names and "fair" in names and "outside" not in names


main()
