"""EASY backfilling as another program: `policy: {use: process, command: [python3, easy.py]}`.

The first task that does not fit is promised the earliest time at which enough processors will be free; a later
one may start before it if it ends by then, or takes what will be left over then. Protocol: docs/process.md."""
import json
import sys

SECOND = 1_000_000_000  # from now a task is believed to end that has run longer than it was believed to
queue, running = [], {}  # tasks as they were told; task: (expected end, processors)


def decide(now, free):
    """Numbers of the tasks that start now."""
    shadow, extra = None, 0  # of the first that does not fit: its promised start, and what is left over then
    for task in list(queue):
        size, end = task["processors"], now + task["estimate"]
        if shadow is None and size > free:
            extra = free - size
            for at, released in sorted((max(e, now + SECOND), p) for e, p in running.values()):
                if extra >= 0 and at > shadow:
                    break
                shadow, extra = at, extra + released
        elif size <= free and (shadow is None or end <= shadow or size <= extra):
            if shadow is not None and end > shadow:
                extra -= size
            queue.remove(task)
            running[task["task"]] = (end, size)
            free -= size
            yield task["task"]


for line in sys.stdin:
    message = json.loads(line)
    if "hello" in message:
        answer = {"hello": 1}
    elif "decide" in message:
        queue += message.get("queued", [])
        for task in message.get("ended", []):
            del running[task]
        answer = {"plan": [{"start": task} for task in decide(message["now"], message["free"])]}
    else:
        break  # bye
    print(json.dumps(answer), flush=True)
