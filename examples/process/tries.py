"""First come, first served on any machine: `policy: {use: process, command: [python3, tries.py]}`.

Where a task fits the run knows best (hosts, racks, features): the first of the queue is tried, and the next one
as soon as it runs. Also right where tasks come back, or leave without a start. Protocol: docs/process.md."""
import json
import sys

queue = set()
for line in sys.stdin:
    message = json.loads(line)
    if "bye" in message:
        break
    if "hello" in message:
        answer = {"hello": 1}
    else:
        started = {task["task"] for task in message.get("started", [])}
        queue -= started.union(message.get("ended", []))
        queue.update(task["task"] for task in message.get("queued", []))
        answer = {"plan": []}
        if queue and (started or "more" not in message["why"]):
            answer = {"plan": [{"try": min(queue)}], "more": True}
    print(json.dumps(answer), flush=True)
