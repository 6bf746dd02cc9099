"""The page docs/python.md says what is true: its blocks of Python run, in order, in the root of the tree."""

import contextlib
import io
import os
import re
import unittest

from support import ROOT


class Page(unittest.TestCase):
    def test_blocks(self):
        text = (ROOT / "docs/python.md").read_text()
        blocks = list(re.finditer(r"^```python\n(.*?)^```$", text, re.M | re.S))
        self.assertGreater(len(blocks), 4)
        names: dict = {"__name__": "page"}
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            for block in blocks:
                line = text.count("\n", 0, block.start(1))
                with self.subTest(line=line + 1), contextlib.redirect_stdout(io.StringIO()):
                    exec(compile("\n" * line + block[1], "docs/python.md", "exec"), names)
        finally:
            os.chdir(before)


if __name__ == "__main__":
    unittest.main()
