#!/usr/bin/env python3
"""Lists the best sources of a topic, harvests one of them and prints its first records.

    hadal serve &
    python3 clients/python/example.py hotel
"""

import sys
import time

from hadal_client import Client


def main(topic: str, url: str) -> None:
    hadal = Client(url)
    sources = hadal.list_forms(topic=topic, min_relevance=0.5, limit=5)["forms"]
    for form in sources:
        print(f"{form['form_id']}  {form['p_relevant']:.2f}  {form['site']}")
    if not sources:
        sys.exit(f"no source of '{topic}' is known; start a crawl first")
    job = hadal.start_harvest({"forms": [sources[0]["form_id"]], "max_requests": 30})
    while job["state"] == "running":
        time.sleep(0.2)
        job = hadal.job(job["job"])
    print(f"harvest: {job['state']}")
    for record in hadal.list_records(form=sources[0]["form_id"], limit=3)["records"]:
        print(f"- {record['title'] or record['text'][:80]}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "http://127.0.0.1:7878")
