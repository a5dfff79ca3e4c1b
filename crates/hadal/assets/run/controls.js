// Pause, resume, stop, another budget: asked of whoever works on the run.

import { write } from "../kit/api.js";
import { fill, h } from "../kit/dom.js";
import { onKey } from "../kit/keys.js";
import { attempt, notice } from "../kit/notice.js";

export function controls(run, _runs, signal) {
  let control = null;
  const send = (change, told) =>
    attempt(async () => {
      control = await write("POST", `/api/runs/${run.run}/control`, change);
      notice(told);
      draw();
    });
  const pause = h("button", { type: "button", id: "pause", on: { click: () => turn() } }, "Pause");
  const stop = h(
    "button",
    {
      type: "button",
      id: "stop",
      class: "bad",
      on: { click: () => send({ stop: true }, "It stops after the steps under way.") },
    },
    "Stop",
  );
  const budget = budgetForm((requests) =>
    send({ max_requests: requests }, `It may now send ${requests} requests in all.`),
  );
  const element = h("div", { class: "controls", hidden: true }, pause, stop, budget.element);
  const turn = () =>
    control?.pause
      ? send({ pause: false }, "It goes on.")
      : send({ pause: true }, "It pauses after the steps under way.");
  onKey("p", "pause or resume the run", () => !element.hidden && turn(), signal);

  function draw() {
    fill(pause, control.pause ? "Resume" : "Pause");
    stop.disabled = control.stop;
  }
  return {
    element,
    update(now) {
      element.hidden = !["running", "paused"].includes(now.run.state);
      control = now.control;
      budget.suggest(control.max_requests ?? now.run.max_requests);
      draw();
    },
  };
}

function budgetForm(set) {
  const number = h("input", {
    type: "number",
    id: "budget",
    min: 1,
    max: 1e9,
    step: 1,
    required: true,
    "aria-label": "Requests in all",
  });
  const submit = (event) => {
    event.preventDefault();
    set(number.valueAsNumber);
  };
  const element = h(
    "form",
    { class: "budget", on: { submit } },
    h("label", { for: "budget" }, "Budget"),
    number,
    h("button", {}, "Set"),
  );
  const suggest = (requests) => {
    if (number.value === "" && requests !== null) number.value = requests;
  };
  return { element, suggest };
}
