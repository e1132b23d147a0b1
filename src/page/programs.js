// The programs that a server knows: processes, runs of several with these below them, and reports that were saved.
import { make } from "./dom.js";
import { Table } from "./table.js";

const COLUMNS_SHOWN = [
	{ key: "name", label: "program", isText: true, paint: (cell, row) => cell.classList.toggle("member", Boolean(row.run)) },
	{ key: "kind", label: "kind", isText: true, text: (row) => row.run ? "process of a run" : row.kind },
	{ key: "state", label: "state", isText: true, text: (row) => row.error ?? row.state },
	{ key: "id", label: "id", isText: true },
	{ key: "processes", label: "processes", unit: "count", isText: false },
	{ key: "elapsed_ns", label: "elapsed", unit: "ns", isText: false },
	{ key: "threads", label: "threads", unit: "count", isText: false },
	{ key: "functions", label: "functions", unit: "count", isText: false },
];

// Those that are not part of a run, which a server may be asked about in place of all its processes.
export const tops = (programs) => programs.filter((program) => !program.run);

const grouped = (programs) => tops(programs).flatMap((program) =>
	[program, ...programs.filter((it) => it.run === program.id)]);

export class Programs {
	constructor(open) {
		this.table = new Table({ label: "Programs", noun: "program", columns: COLUMNS_SHOWN, open: (row) => open(row.id) });
		this.empty = make("p", { class: "empty" }, "No program is measured now. Start one with ‘hotpath run PROGRAM’.");
		this.element = make("section", { class: "pane" },
			make("p", { class: "sentence" }, "Programs that are measured on this host, runs of several processes, and reports that were given."),
			this.empty, this.table.element);
	}

	show(programs) {
		this.empty.hidden = programs.length > 0;
		this.table.element.hidden = programs.length === 0;
		this.table.show(grouped(programs));
	}
}
