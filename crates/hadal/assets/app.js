// Lists the runs of the store. What a store holds is text from strangers: it is only ever set as text.
const main = document.getElementById("main");
const { runs } = await (await fetch("/api/runs")).json();
main.replaceChildren(
  ...runs.map((run) => {
    const line = document.createElement("p");
    line.textContent = `run ${run.run} (${run.topic}, ${run.state}): ${run.requests} requests, ${run.forms_relevant} relevant forms`;
    return line;
  }),
);
