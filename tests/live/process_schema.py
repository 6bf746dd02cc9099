"""process_schema.py SCHEMA RECORD...: the first messages and answers of recorded sessions are what docs/process.schema.json
allows. Without the package jsonschema nothing is checked, and the same is said."""
import itertools
import json
import sys

LINES = 2000  # of each session


def main(schema_path, records):
    try:
        import jsonschema
    except ImportError:
        return
    with open(schema_path, encoding="utf-8") as f:
        schema = json.load(f)
    check = {kind: jsonschema.Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{kind}"})
             for kind in ("message", "answer")}
    count = 0
    for path in records:
        with open(path, encoding="utf-8") as f:
            for line in itertools.islice(f, LINES):
                if line.startswith("> "):
                    check["message"].validate(json.loads(line[2:]))
                elif line.startswith("< "):
                    check["answer"].validate(json.loads(line.split(" ", 2)[2]))
                count += not line.startswith("#")
    if count < 5 or check["answer"].is_valid({"plan": [{"strat": 0}]}):
        sys.exit("nothing was checked")


main(sys.argv[1], sys.argv[2:])
print("as the schema says")
