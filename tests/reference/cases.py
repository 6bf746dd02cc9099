"""cases.py -- random cases, each made from a seed by a generator of its own, and smaller ones from a case."""
import copy
import random


def time(rng, most):
    """Few distinct times, so that much happens at once; sometimes a part of a second, sometimes none."""
    kind = rng.random()
    if kind < 0.08:
        return 0
    if kind < 0.15:
        return rng.randrange(most * 4) / 4
    return rng.randrange(1, most + 1)


def hosts_cell(rng):
    classes = []
    for name in "abc"[:rng.choice([1, 1, 2, 2, 3])]:
        record = {"name_prefix": name, "count": rng.choice([1, 1, 2, 3]), "cpus": rng.choice([1, 2, 4, 8])}
        if rng.random() < 0.7:
            record["memory"] = rng.choice([4, 8, 16])
        if rng.random() < 0.4:
            record["gpus"] = rng.choice([1, 2, 4])
        if rng.random() < 0.3:
            record["amounts"] = [f"fpga={rng.choice([1, 2, 4])}"]
        if rng.random() < 0.4:
            record["features"] = rng.sample(["ssd", "ib"], rng.choice([1, 2]))
        if rng.random() < 0.4:
            record["attributes"] = [f"kernel={rng.randrange(3, 6)}"]
        if rng.random() < 0.15:
            record["speed"] = rng.choice([0.5, 2])
        classes.append(record)
    cell = {"use": "hosts", "classes": classes}
    if rng.random() < 0.3:
        cell["licences"] = [f"lic={rng.randrange(1, 4)}"]
    return cell


def demand(rng, cell, row):
    """What a task asks of hosts: cores for its processors; slots of a need on different hosts; whole hosts;
    several needs."""
    kind = rng.random()
    most = max(c["cpus"] for c in cell["classes"])
    if kind < 0.3:
        row["procs"] = rng.choice([1, 1, 2, rng.randrange(1, most * 2 + 1)])
        if rng.random() < 0.4:
            row["memory_per_proc"] = rng.choice([1, 2])
        return

    def need():
        n = {"nodes_count": rng.choice([1, 1, 1, 2, 3])}
        if kind < 0.4:
            return n
        n["cpu_per_node"] = rng.choice([0.5, 1, 1, 2, rng.randrange(1, most + 1)])
        if rng.random() < 0.5:
            n["memory_per_node"] = rng.choice([1, 2, 4, 8])
        if rng.random() < 0.4 and any("gpus" in c for c in cell["classes"]):
            n["gpu"] = rng.choice([0.25, 0.5, 0.75, 1, 1, 2])
        if rng.random() < 0.2:
            n["fpga"] = rng.choice([1, 2])
        return n
    row["resources"] = need() if rng.random() < 0.85 else [need(), need()]
    if "licences" in cell and rng.random() < 0.4:
        first = row["resources"][0] if isinstance(row["resources"], list) else row["resources"]
        first["lic"] = rng.choice([1, 1, 2])
    if rng.random() < 0.2:
        row["spread"] = rng.random() < 0.3
    if rng.random() < 0.25:
        row["constraints"] = rng.choice(["ssd", "!ssd", "ssd & ib", "kernel>=4", "kernel=3|5", "kernel<5",
                                        "ssd & kernel>=4"])


def graphs(rng, rows):
    """Jobs whose tasks wait for earlier ones; sometimes for one that is not there."""
    for i, row in enumerate(rows):
        row["collection_id"] = rng.randrange(1, 3)
        before = [r["id"] for r in rows[:i] if r["collection_id"] == row["collection_id"]]
        for _ in range(rng.choice([0, 1, 1, 2])):
            if before:
                kind = rng.choice(["start_after", "start_after", "after_ok", "after_not_ok", "after_start"])
                row.setdefault(kind, [])
                row[kind] = sorted(set(row[kind] + [rng.choice(before)]))
        if rng.random() < 0.05:
            row["start_after"] = [99]


def happenings(rng, cell):
    """What happens to hosts."""
    names = [f"{c['name_prefix']}-{i}" for c in cell["classes"] for i in range(c["count"])]
    changes = []
    for _ in range(rng.randrange(1, 4)):
        change = {"at": rng.randrange(20), "hosts": rng.sample(names, rng.randrange(1, min(2, len(names)) + 1)),
                  "change": rng.choice(["down", "down", "drain", "resize", "up"])}
        if change["change"] in ("down", "drain") and rng.random() < 0.8:
            change["until"] = change["at"] + rng.randrange(1, 15)
        if change["change"] == "resize":
            change["amounts"] = [f"cpus={rng.randrange(1, 9)}"]
        changes.append(change)
    return {"use": "list", "changes": changes}


def tasks(rng, cell, least_estimate):
    rows, clock = [], 0
    rate = rng.choice([0, 1, 3, 8])
    longest = rng.choice([4, 10, 30])
    for i in range(rng.randrange(2, 15)):
        clock += rng.randrange(rate + 1) if rng.random() < 0.7 else 0
        row = {"id": i + 1, "submit_time": clock, "delay": time(rng, longest)}
        if cell["use"] == "hosts":
            demand(rng, cell, row)
        else:
            procs = cell["procs"]
            row["procs"] = rng.choice([1, 1, 2, rng.randrange(1, procs + 1), rng.randrange(1, procs + 1), procs])
        limit = rng.random()
        if limit < 0.4:
            row["wall_time_limit"] = row["delay"] + rng.randrange(1, longest + 1)
        elif limit < 0.6:
            row["wall_time_limit"] = row["delay"] or 1
        elif limit < 0.75:
            row["wall_time_limit"] = rng.randrange(1, longest + 1)
        if row["delay"] < least_estimate and "wall_time_limit" not in row:
            row["wall_time_limit"] = least_estimate
        if rng.random() < 0.3:
            row["priority"] = rng.randrange(3)
        row["user"] = rng.randrange(1, 4)
        rows.append(row)
    if rng.random() < 0.2:
        for row in rows:
            if rng.random() < 0.3:
                row["schedule_after"] = row["submit_time"] + rng.randrange(longest)
    if rng.random() < 0.25:
        graphs(rng, rows)
    elif rng.random() < 0.3:                                                # ids need not go with submission
        ids = [r["id"] for r in rows]
        rng.shuffle(ids)
        for row, i in zip(rows, ids):
            row["id"] = i
    return rows


ORDERS = ["fcfs", "fcfs", "fcfs", "sjf", "ljf", "smallest", "largest", "smallest_area", "largest_area",
          "priority", "lxf", "wfp3", "unicep"]


def case(seed):
    """The case of a seed: the first that is allowed of those that the seed draws."""
    rng = random.Random(seed)
    while not allowed(c := draw(rng)):
        pass
    return c


HOST_PLACES = ["first_fit", "first_fit", "next_fit", "best_fit", "worst_fit", "least_allocated",
               "most_allocated", "balanced", "dot_product", "l2_norm", "drfh", "stranding", "fastest", "spread"]


def schedulers(rng, run):
    """Jobs and schedulers that think about them."""
    kind = rng.choice(["multi_path", "partitions", "shared_state", "shared_state"])
    names = [{"name": "first", "takes": "priority >= 1"}, {"name": "rest"}]
    for record in names:
        record["think_job"], record["think_task"] = rng.choice([0.5, 1, 2]), rng.choice([0, 0.25, 0.5])
    run["architecture"] = {"use": kind, "schedulers": names if rng.random() < 0.7 else names[1:]}
    if kind == "shared_state" and rng.random() < 0.4:
        run["architecture"]["commit"] = "all_or_nothing"
    if rng.random() < 0.3:
        run["architecture"]["retry"] = rng.choice([0.5, 2])
    place = rng.choice([p for p in HOST_PLACES if p not in ("next_fit", "spread", "drfh")])
    run["policy"] = {"order": "fcfs", "select": {"use": "scan"}, "place": place}
    rows, i, clock = [], 0, 0
    for job in range(rng.randrange(1, 6)):
        clock += rng.randrange(3)
        row = {"submit_time": clock, "collection_id": job + 1, "priority": rng.randrange(2),
               "delay": time(rng, 10) or 1}
        demand(rng, run["cell"], row)
        for _ in range(rng.choice([1, 1, 2, 3])):
            i += 1
            rows.append(dict(row, id=i))
    return {"run": run, "tasks": rows}


def draw(rng):
    cell = {"use": rng.choice(["count", "intervals"]), "procs": rng.choice([1, 2, 3, 4, 8, 13])}
    run = {"cell": hosts_cell(rng) if rng.random() < 0.5 else cell}
    select = rng.choice(["blocking", "scan", "easy", "conservative"])
    options = {"use": select}
    if select == "easy":
        for key, value in (("window", "strict"), ("extra", False), ("candidates", rng.choice(ORDERS))):
            if rng.random() < 0.15:
                options[key] = value
    if select == "conservative":
        options["replan"] = rng.choice(["full", "always", "compress", "none"])
    policy = {"order": rng.choice(ORDERS), "select": options}
    if rng.random() < 0.12:
        policy = {"use": "fair", "share": rng.choice(["drf", "drf", "max_min", "fifo"])}
        select = "fair"
        if policy["share"] != "fifo" and rng.random() < 0.4:
            policy["weights"] = [f"{u}={rng.randrange(1, 4)}" for u in range(1, 4)]
        run["cell"].update(use="count") if run["cell"]["use"] == "intervals" else None
    if run["cell"]["use"] == "intervals":
        places = ["first_fit", "best_fit"]
        if select != "conservative":
            places += ["contiguous", {"use": "contiguous", "choose": "best"}]
        policy["place"] = rng.choice(places)
    if run["cell"]["use"] == "hosts":
        policy["place"] = rng.choice(HOST_PLACES)
    run["policy"] = policy
    if run["cell"]["use"] == "hosts" and rng.random() < 0.2:
        return schedulers(rng, run)
    if run["cell"]["use"] == "hosts" and rng.random() < 0.25 and select != "fair":
        run["events"] = happenings(rng, run["cell"])
        if rng.random() < 0.5:
            run["host_loss"], run["attempts"] = rng.choice(["lost", "restart", "requeue"]), rng.choice([1, 2, 100])
    if rng.random() < 0.3:
        run["overrun"] = rng.choice(["run_on", "extend", "kill_planned_long"])
    if rng.random() < 0.2:
        run["no_limit"], run["assumed_limit"] = rng.choice([("endless", 1), ("assume", rng.randrange(1, 20))])
    if rng.random() < 0.15:
        run["zero_length"] = rng.choice(["second", "drop"])
    # A promise to a task whose estimate is 0 holds nothing (select.md, conservative).
    return {"run": run, "tasks": tasks(rng, run["cell"], 1 if select == "conservative" else 0)}


def selector(run):
    return run["policy"].get("select", {"use": "fair"})["use"]


def allowed(c):
    """What the documentation leaves open is no case: a promise to a task whose estimate is 0 keeps nothing
    free (select.md); what becomes of promises where tasks run past their estimates; how crowded hosts will
    be; from which host on next_fit will look for a task of several demands, whose fit depends on that."""
    run = c["run"]
    if selector(run) == "fair" and any(isinstance(row.get("resources"), list) for row in c["tasks"]):
        return False                                                        # which of these demands are equal
    if "architecture" in run:  # in which round of an instant thoughts end
        if any(row["delay"] == 0 for row in c["tasks"]):
            return False
        jobs = {row["collection_id"]: row["submit_time"] for row in c["tasks"]}  # jobs come whole
        if any(row["submit_time"] != jobs[row["collection_id"]] for row in c["tasks"]):
            return False
    if run.get("architecture", {}).get("use") == "partitions":
        if sum(r.get("count", 1) for r in run["cell"]["classes"]) < len(run["architecture"]["schedulers"]):
            return False
    if run["policy"].get("place") == "drfh" and len(run["cell"].get("classes", [])) > 1:
        return False  # scores are doubles, and equal ones are not
    if selector(run) == "easy" and run["policy"].get("place") == "next_fit":  # where it will look at the shadow time
        if any(isinstance(row.get("resources"), list) for row in c["tasks"]):
            return False
    if selector(run) == "conservative":  # next_fit: a promise is a choice, too
        speeds = any("speed" in r for r in run["cell"].get("classes", []))
        if speeds or run["policy"].get("place") in ("spread", "next_fit"):
            return False
        if any(row.get("wall_time_limit", row["delay"]) == 0 for row in c["tasks"]):
            return False
        return run.get("overrun") != "run_on"
    return True


def features(c):
    """What a case has, in words."""
    run, policy = c["run"], c["run"]["policy"]
    place = policy.get("place", "first_fit")
    out = {run["cell"]["use"], "select " + selector(run), "order " + policy.get("order", "fcfs")}
    if run["cell"]["use"] != "count":
        out.add("place " + (place if isinstance(place, str) else place["use"]))
    knobs = ("replan", "window", "extra", "candidates")
    out |= {f"{k} {v}" for k, v in policy.get("select", {}).items() if k in knobs}
    out |= {f"{k} {run[k]}" for k in ("overrun", "no_limit", "zero_length", "host_loss") if k in run}
    out |= {"event " + x["change"] for x in run.get("events", {}).get("changes", [])}
    if "architecture" in run:
        out.add("architecture " + run["architecture"]["use"])
    for row in c["tasks"]:
        asked = row.get("resources")
        out |= set(row) & {"schedule_after", "start_after", "after_ok", "after_not_ok", "after_start", "constraints"}
        out |= {"several needs"} if isinstance(asked, list) else set()
        for need in asked if isinstance(asked, list) else [asked] if asked else []:
            out |= {"licence"} if "lic" in need else set()
            out |= {"GPU"} if need.get("gpu", 0) >= 1 else {"part of a GPU"} if "gpu" in need else set()
            out |= set() if {"cpu_per_node", "memory_per_node", "gpu"} & set(need) else {"whole host"}
        out |= {"zero length"} if row["delay"] == 0 else set()
        out |= {"killed"} if row.get("wall_time_limit", row["delay"]) < row["delay"] else set()
    if any("speed" in r for r in run["cell"].get("classes", [])):
        out.add("speeds")
    return out


def smaller(c):
    """Cases a little smaller than this one, the boldest first."""
    return filter(allowed, cuts(c))


def cuts(c):
    n = len(c["tasks"])
    for size in (n // 2, n // 4, 1):
        for first in range(0, n, size) if size else ():
            d = copy.deepcopy(c)
            del d["tasks"][first:first + size]
            if d["tasks"]:
                yield d
    for i, row in enumerate(c["tasks"]):
        for key in row:
            if key in ("id", "submit_time", "delay", "procs", "resources", "collection_id"):
                continue
            d = copy.deepcopy(c)
            del d["tasks"][i][key]
            yield d
        for key in ("submit_time", "delay", "wall_time_limit", "procs"):
            value = row.get(key)
            for less in {0, 1, value // 2, value - 1, int(value)} if value else ():
                if 0 <= less < value and not (key in ("procs", "wall_time_limit") and less < 1):
                    d = copy.deepcopy(c)
                    d["tasks"][i][key] = int(less)
                    yield d
    for key in list(c["run"]["policy"].get("select", {})):
        if key != "use":
            d = copy.deepcopy(c)
            del d["run"]["policy"]["select"][key]
            yield d
    for key in ("order", "place", "weights", "share"):
        if c["run"]["policy"].get(key) not in (None, "fcfs", "first_fit"):
            d = copy.deepcopy(c)
            del d["run"]["policy"][key]
            yield d
    events = c["run"].get("events", {}).get("changes", [])
    for i in range(len(events)):
        if len(events) > 1:
            d = copy.deepcopy(c)
            del d["run"]["events"]["changes"][i]
            yield d
    architecture = c["run"].get("architecture", {})
    for key in architecture:
        if key not in ("use", "schedulers"):
            d = copy.deepcopy(c)
            del d["run"]["architecture"][key]
            yield d
    for i in range(len(architecture.get("schedulers", []))):
        for key, value in architecture["schedulers"][i].items():
            if key.startswith("think") and value not in (0, 1):
                d = copy.deepcopy(c)
                d["run"]["architecture"]["schedulers"][i][key] = 1 if key == "think_job" else 0
                yield d
    for key in ("overrun", "no_limit", "zero_length", "events", "host_loss", "attempts", "assumed_limit"):
        if key in c["run"]:
            d = copy.deepcopy(c)
            del d["run"][key]
            yield d
    cell = c["run"]["cell"]
    for i, record in enumerate(cell.get("classes", [])):
        if len(cell["classes"]) > 1:
            d = copy.deepcopy(c)
            del d["run"]["cell"]["classes"][i]
            yield d
        for key in record:
            if key in ("count", "cpus", "memory", "gpus") and record[key] > 1:
                d = copy.deepcopy(c)
                d["run"]["cell"]["classes"][i][key] = record[key] // 2
                yield d
            if key not in ("name_prefix", "cpus"):
                d = copy.deepcopy(c)
                del d["run"]["cell"]["classes"][i][key]
                yield d
    if "licences" in cell:
        d = copy.deepcopy(c)
        del d["run"]["cell"]["licences"]
        yield d
    for i, row in enumerate(c["tasks"]):
        asked = row.get("resources")
        if isinstance(asked, list):
            for j in range(len(asked)):
                d = copy.deepcopy(c)
                d["tasks"][i]["resources"] = asked[j]
                yield d
        for key in asked if isinstance(asked, dict) else ():
            d = copy.deepcopy(c)
            del d["tasks"][i]["resources"][key]
            if d["tasks"][i]["resources"]:
                yield d
            for less in {1, asked[key] // 2}:
                if 1 <= less < asked[key]:
                    d = copy.deepcopy(c)
                    d["tasks"][i]["resources"][key] = less
                    yield d
    procs = c["run"]["cell"].get("procs")
    if procs:
        for less in {procs // 2, procs - 1}:
            if less >= 1:
                d = copy.deepcopy(c)
                d["run"]["cell"]["procs"] = less
                yield d
    if c["run"]["cell"]["use"] == "intervals":
        d = copy.deepcopy(c)
        d["run"]["cell"]["use"] = "count"
        yield d
