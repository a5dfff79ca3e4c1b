// Jobs: commands that the user starts in the dashboard.

import { read, write } from "./api.js";
import { fill, h, inside } from "./dom.js";
import { moment } from "./format.js";
import { navigate } from "./navigate.js";
import { attempt, notice } from "./notice.js";
import { panel, state } from "./parts.js";

const LOOK_EVERY_MS = 1500;
const PLACES = { crawl: "/", import: "/", harvest: "/harvests", refresh: "/harvests" };

/** Starts a job. Returns it, or undefined if it was refused. */
export async function startJob(path, body) {
  const job = await attempt(() => write("POST", path, body));
  if (job) notice(`Started: ${job.command}`, { action: { name: "Show", run: () => navigate("/start#jobs") } });
  return job;
}

/** True if this server starts jobs; otherwise `place` explains it. */
export async function canStart(place, signal) {
  const session = await read("/api/session", {}, signal);
  if (session.starts_jobs) return true;
  fill(
    place,
    h("p", { class: "hint" }, "This dashboard starts no jobs: it is read-only, or it belongs to a running command. "),
    h("pre", {}, "hadal serve"),
  );
  return false;
}

/** Waits for the end of a job; `show(job)` is called at every look. */
export async function watchJob(number, show, signal) {
  while (!signal.aborted) {
    const job = await attempt(() => read(`/api/jobs/${number}`, {}, signal));
    if (!job) return undefined;
    show(job);
    if (job.state !== "running") return job;
    await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
  }
  return undefined;
}

/** List of all jobs, newest first, kept up to date. */
export function jobList(signal) {
  const list = h("div", { class: "stacked", id: "jobs" });
  let shown = null;
  const open = new Set();

  async function look() {
    const answer = await attempt(() => read("/api/jobs", {}, signal));
    if (signal.aborted) return;
    const now = JSON.stringify(answer?.jobs ?? []);
    if (answer && now !== shown && !list.contains(document.activeElement)) {
      shown = now;
      fill(
        list,
        answer.jobs.length ? answer.jobs.map((job) => jobCard(job, open)) : h("p", { class: "hint" }, "None."),
      );
    }
    setTimeout(look, LOOK_EVERY_MS);
  }
  look();
  return panel("Jobs of this server", list);
}

/** A job with its state, command and last messages. */
function jobCard(job, open) {
  const details = h(
    "details",
    { open: open.has(job.job) || job.state === "failed" },
    h("summary", {}, `${job.messages.length} last messages`),
    messages(job),
  );
  details.addEventListener("toggle", () => (details.open ? open.add(job.job) : open.delete(job.job)));
  const stop = () => attempt(() => write("POST", `/api/jobs/${job.job}/stop`, {}));
  return h(
    "article",
    { class: "job", "data-job": job.job, "data-state": job.state },
    h(
      "p",
      { class: "facts" },
      h("strong", {}, `${job.kind} ${job.job}`),
      state(job.state),
      h("span", { class: "hint" }, moment(job.started_at)),
      PLACES[job.kind] ? inside(PLACES[job.kind], {}, "show its results") : null,
      job.state === "running" ? h("button", { type: "button", class: "bad", on: { click: stop } }, "Stop") : null,
    ),
    h("code", {}, job.command),
    details,
  );
}

/** Last messages of a job. */
export const messages = ({ messages }) =>
  h("pre", { class: "messages", tabindex: 0, "aria-label": "Last messages" }, messages.join("\n") || "No message yet.");
