#!/usr/bin/env python3
"""Measure several workers of one crawl in PostgreSQL on the simulated web over HTTP.

    python eval/workers.py scale    --hadal target/release/hadal
    python eval/workers.py cpu      --hadal target/release/hadal
    python eval/workers.py learning --hadal target/release/hadal
    python eval/workers.py growth   --hadal target/release/hadal

scale     requests per second of 1, 2, 4 and 8 workers: responses after 50 ms, a
          delay of 1 s per host, two requests in flight per worker, so that a
          worker waits most of the time; requests, since the first ones of a
          crawl are for robots.txt
cpu       CPU of one crawl with a store in a folder and with one in PostgreSQL,
          that of the database server included; the seeds are all sites, so
          that no worker waits for a host
learning  relevant forms of one worker and of several, after the same number of
          requests of the strategy `hadal`, on several webs (seed and topic)
growth    rows and bytes per page and per link of a crawl

A private PostgreSQL server is started in a temporary folder and ends with the
script. Its programs are searched in /usr/lib/postgresql and PATH. Python 3.8 or
later, no packages.
"""

import argparse
import glob
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def as_server_user(command):
    """PostgreSQL refuses to run as root."""
    return ["runuser", "-u", "postgres", "--"] + command if os.getuid() == 0 else command


def cpu_of(pid):
    """CPU seconds of a process and of its children that have ended."""
    try:
        with open(f"/proc/{pid}/stat") as stat:
            fields = stat.read().rsplit(")", 1)[1].split()
    except FileNotFoundError:
        return 0.0
    return sum(int(field) for field in fields[11:15]) / TICKS


def children_of(pid):
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == pid:
            found.append(int(path.split("/")[2]))
    return found


class Server:
    """A private PostgreSQL server with the default settings of PostgreSQL, except memory and ports."""

    def __init__(self):
        installed = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: int(path.split("/")[4]))
        self.programs = installed[-1] if installed else os.path.dirname(shutil.which("initdb") or "")
        self.folder = tempfile.mkdtemp(prefix="hadal-workers-")
        self.port = free_port()
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
        self.run("initdb", "-U", "hadal", "-A", "trust", "--no-locale", "-E", "UTF8", "-D", self.data)
        settings = f"-p {self.port} -k {self.folder} -c listen_addresses=127.0.0.1 -c shared_buffers=256MB"
        self.run("pg_ctl", "-D", self.data, "-w", "-l", f"{self.folder}/log", "-o", settings, "start")
        with open(f"{self.data}/postmaster.pid") as pid:
            self.pid = int(pid.readline())

    data = property(lambda self: f"{self.folder}/data")

    def run(self, program, *arguments):
        command = as_server_user([f"{self.programs}/{program}", *arguments])
        subprocess.run(command, check=True, cwd="/", stdout=subprocess.DEVNULL)

    def new_store(self, name):
        self.sql("postgres", f"CREATE DATABASE {name}")
        return f"postgres://hadal@127.0.0.1:{self.port}/{name}"

    def sql(self, database, text):
        command = [f"{self.programs}/psql", "-X", "-q", "-A", "-t", "-h", "127.0.0.1", "-p", str(self.port)]
        command += ["-U", "hadal", "-d", database, "-c", text]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def cpu(self):
        return cpu_of(self.pid) + sum(cpu_of(child) for child in children_of(self.pid))

    def stop(self):
        self.run("pg_ctl", "-D", self.data, "-w", "-m", "fast", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)


class Web:
    """`hadal world serve`."""

    def __init__(self, hadal, topic, scale, latency, seed="1"):
        command = [hadal, "--seed", seed, "--json", "world", "serve", "--topic", topic, "--scale", scale]
        command += ["--listen", "127.0.0.1:0"] + (["--latency", latency] if latency else [])
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        event = json.loads(self.process.stdout.readline())
        self.addr, self.seeds = event["addr"], event["seeds"]

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait()


def roots(hadal, scale):
    """Front pages of all sites with forms: enough hosts from the first second on."""
    command = [hadal, "--seed", "1", "world", "truth", "--scale", scale, "--format", "jsonl"]
    listed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    sites = sorted({json.loads(line)["site"] for line in listed.splitlines()})
    return [f"http://{site}/" for site in sites]


def find(hadal, store, web, topic, seeds, *more):
    command = [hadal, "--store", store, "--json", "find", topic, "--connect-to", f"*={web.addr}"]
    command += ["--probe", "never", "--seeds", seeds, *more]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def seeds_file(seeds):
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as file:
        file.write("\n".join(seeds) + "\n")
    return file.name


def wait(processes):
    for process in processes:
        if process.wait() != 0:
            sys.exit(f"a worker ended with status {process.returncode}")


def scale(args, server):
    web = Web(args.web or args.hadal, "hotel", "demo", "50ms")
    seeds = seeds_file(roots(args.hadal, "demo"))
    print("workers  requests/s  ratio  CPU: workers  server  web  (seconds per second)")
    alone = None
    for count in args.workers:
        store = server.new_store(f"scale_{count}")
        more = ["--strategy", args.strategy, "--delay", "1s", "--max-requests", "none"]
        more += ["--concurrency", str(args.in_flight)]
        workers = [find(args.hadal, store, web, "hotel", seeds, *more) for _ in range(count)]
        time.sleep(args.warm_up)

        def reading():
            requests = int(server.sql(f"scale_{count}", "SELECT coalesce(sum(requests), 0) FROM run_counters"))
            cpu = sum(cpu_of(worker.pid) for worker in workers)
            return time.time(), requests, cpu, server.cpu(), cpu_of(web.process.pid)

        before = reading()
        time.sleep(args.seconds)
        after = reading()
        took, requests, *cpu = [now - then for then, now in zip(before, after)]
        for worker in workers:
            worker.send_signal(signal.SIGINT)
        for worker in workers:
            worker.wait()
        rate = requests / took
        alone = alone or rate / count
        shares = "  ".join(f"{part / took:8.2f}" for part in cpu)
        print(f"{count:7}  {rate:10.1f}  {rate / alone / count:5.2f}  {shares}", flush=True)
    web.stop()


def cpu(args, server):
    web = Web(args.web or args.hadal, "hotel", "demo", None)
    seeds = seeds_file(roots(args.hadal, "demo"))
    folder = tempfile.mkdtemp()
    print("store     requests  pages  CPU-ms per page: hadal  server  together")
    for name, store in [("folder", f"file:{folder}/store"), ("postgres", server.new_store("cpu"))] * args.rounds:
        if name == "postgres":
            server.sql("postgres", "DROP DATABASE cpu WITH (FORCE)")
            server.new_store("cpu")
        else:
            shutil.rmtree(f"{folder}/store", ignore_errors=True)
        before = (server.cpu(), os.times().children_user + os.times().children_system)
        more = ["--delay", "0s", "--concurrency", "16", "--max-requests", str(args.requests)]
        wait([find(args.hadal, store, web, "hotel", seeds, *more)])
        after = (server.cpu(), os.times().children_user + os.times().children_system)
        status = subprocess.run([args.hadal, "--store", store, "--json", "status"], check=True, stdout=subprocess.PIPE)
        status = json.loads(status.stdout)
        used = [1000 * (now - then) / status["pages"] for then, now in zip(before, after)]
        print(f"{name:9} {status['requests']:8} {status['pages']:6} {used[1]:23.2f} {used[0]:7.2f} {sum(used):9.2f}", flush=True)
    web.stop()


def learning(args, server):
    """Several workers share 16 requests in flight, so that their number alone makes the difference."""
    print("web  topic      run seed  workers  requests  relevant  of one  seconds")
    sums = {}
    for place in args.webs:
        seed, topic = place.split(":")
        web = Web(args.web or args.hadal, topic, "demo", "5ms", seed)
        seeds = seeds_file(web.seeds)
        for run_seed, count in [(run_seed, count) for run_seed in args.seeds for count in args.counts]:
            name = f"learning_{seed}_{topic}_{run_seed}_{count}"
            store = server.new_store(name)
            more = ["--delay", "20ms", "--max-requests", str(args.requests), "--concurrency", str(16 // count)]
            more += ["--seed", str(run_seed)]
            began = time.time()
            wait([find(args.hadal, store, web, topic, seeds, *more) for _ in range(count)])
            took = time.time() - began
            requests, relevant = map(int, server.sql(name, "SELECT requests, relevant FROM run_counters").split("|"))
            sums.setdefault(count, []).append(relevant)
            one = relevant / sums[args.counts[0]][len(sums[count]) - 1]
            print(f"{seed:3}  {topic:9}  {run_seed:8}  {count:7}  {requests:8}  {relevant:8}  {one:6.2f}  {took:7.1f}", flush=True)
            server.sql("postgres", f"DROP DATABASE {name}")
        web.stop()
    for count, found in sums.items():
        print(f"all                       {count:7}            {sum(found):8}  {sum(found) / sum(sums[args.counts[0]]):6.2f}")


TABLES = """SELECT relname, pg_table_size(pg_class.oid), pg_indexes_size(pg_class.oid), n_live_tup
    FROM pg_class JOIN pg_stat_user_tables USING (relname) WHERE relkind = 'r' ORDER BY 2 DESC LIMIT 8"""


def growth(args, server):
    web = Web(args.web or args.hadal, "hotel", "demo", None)
    seeds = seeds_file(roots(args.hadal, "demo"))
    store = server.new_store("growth")
    more = ["--strategy", "breadth-first", "--delay", "0s", "--concurrency", "16", "--max-requests", str(args.requests)]
    wait([find(args.hadal, store, web, "hotel", seeds, *more)])
    pages, links = (int(server.sql("growth", f"SELECT count(*) FROM {table}")) for table in ("pages", "links"))
    for state in ("after the crawl", "after VACUUM FULL"):
        if state != "after the crawl":
            server.sql("growth", "VACUUM FULL ANALYZE")
        else:
            server.sql("growth", "ANALYZE")
        total = int(server.sql("growth", "SELECT pg_database_size('growth')"))
        print(f"{state}: {pages} pages, {links} links, {total / pages:.0f} bytes per page, {total / links:.0f} per link")
        for row in server.sql("growth", TABLES).splitlines():
            name, heap, index, rows = row.split("|")
            print(f"  {name:16} {int(rows):9} rows {int(heap):12} bytes {int(index):12} bytes of indexes")
    written = server.sql("growth", "SELECT pg_current_wal_lsn() - '0/0'")
    print(f"write-ahead log of the server so far: {int(float(written)) / pages:.0f} bytes per page")
    web.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("measure", choices=["scale", "cpu", "learning", "growth"])
    parser.add_argument("--hadal", required=True, type=os.path.abspath, help="the program to measure")
    parser.add_argument("--web", type=os.path.abspath, help="another build that serves the simulated web")
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--warm-up", type=float, default=15, help="seconds before the measurement of `scale`")
    parser.add_argument("--seconds", type=float, default=30, help="seconds of the measurement of `scale`")
    parser.add_argument("--in-flight", type=int, default=2, help="requests in flight per worker of `scale`")
    parser.add_argument("--strategy", default="breadth-first", help="strategy of `scale`")
    parser.add_argument("--requests", type=int, default=4000)
    parser.add_argument("--rounds", type=int, default=2, help="repetitions of `cpu`")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1], help="seeds of the crawls of `learning`")
    parser.add_argument("--counts", type=int, nargs="+", default=[1, 4], help="workers of `learning`, the reference first")
    webs = ["1:hotel", "2:hotel", "1:book", "2:movie"]
    parser.add_argument("--webs", nargs="+", default=webs, help="webs of `learning`: SEED:TOPIC")
    args = parser.parse_args()
    server = Server()
    try:
        globals()[args.measure](args, server)
    finally:
        server.stop()


if __name__ == "__main__":
    main()
