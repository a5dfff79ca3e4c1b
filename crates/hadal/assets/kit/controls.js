// Controls of a run or a harvest: pause, resume, stop, budget.

import { write } from "./api.js";
import { fill, h } from "./dom.js";
import { onKey } from "./keys.js";
import { attempt, notice } from "./notice.js";

/**
 * Buttons that write to `path`. `of(now)` extracts the run or harvest from the live data. `asked(control)` is called
 * when the server has stored the change.
 */
export function controls({ path, of, asked, signal }) {
  let control = null;
  const send = (change, told) =>
    attempt(async () => {
      control = await write("POST", path, change);
      notice(told);
      asked(control);
      draw();
    });
  const pause = h("button", { type: "button", id: "pause", on: { click: () => turn() } }, "Pause");
  const stop = h(
    "button",
    {
      type: "button",
      id: "stop",
      class: "bad",
      on: { click: () => send({ stop: true }, "It stops after the requests in flight.") },
    },
    "Stop",
  );
  const budget = budgetForm((requests) =>
    send({ max_requests: requests }, `The budget is now ${requests} requests in total.`),
  );
  const element = h("div", { class: "controls", hidden: true }, pause, stop, budget.element);
  const turn = () =>
    control?.pause
      ? send({ pause: false }, "Resumed.")
      : send({ pause: true }, "It pauses after the requests in flight.");
  onKey("p", "pause or resume", () => !element.hidden && turn(), signal);

  function draw() {
    fill(pause, control.pause ? "Resume" : "Pause");
    stop.disabled = control.stop;
  }
  return {
    element,
    update(now) {
      const { state, max_requests = null } = of(now);
      element.hidden = !["running", "paused"].includes(state);
      control = now.control;
      budget.suggest(control.max_requests ?? max_requests);
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
    "aria-label": "Total requests",
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
    number.placeholder = requests === null ? "none" : "";
    number.title = requests === null ? "The budget of the command applies." : "";
    if (number.value === "" && requests !== null) number.value = requests;
  };
  return { element, suggest };
}
