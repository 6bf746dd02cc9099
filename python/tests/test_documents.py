"""The page docs/python.md says what is true: its blocks of Python run, in order, in the root of the tree; and so do the
notebooks, where numpy and pandas are (`tools/notebooks --check` compares what they show)."""

import contextlib
import io
import os
import re
import unittest

from support import ROOT

try:
    import gymnasium  # noqa: F401
    import pandas  # noqa: F401
except ImportError:
    pandas = None


@unittest.skipIf(pandas is None, "no pandas, or no gymnasium")
class Notebooks(unittest.TestCase):
    def test_run(self):
        sources = sorted((ROOT / "examples/notebooks").glob("*.py"))
        self.assertEqual(len(sources), 4)
        before = os.getcwd()
        os.chdir(ROOT)
        try:
            for source in sources:
                with self.subTest(source.name):
                    exec(compile(source.read_text(), str(source), "exec"), {"__name__": "notebook"})
        finally:
            os.chdir(before)


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
