// The programs that a server knows: those that run, and reports that were saved.
import { make } from "./dom.js";
import { Table } from "./table.js";

const COLUMNS_SHOWN = [
	{ key: "name", label: "program", isText: true },
	{ key: "id", label: "id", isText: true },
	{ key: "state", label: "state", isText: true, text: (row) => row.error ?? row.state },
	{ key: "elapsed_ns", label: "elapsed", unit: "ns", isText: false },
	{ key: "threads", label: "threads", unit: "count", isText: false },
	{ key: "functions", label: "functions", unit: "count", isText: false },
];

export class Programs {
	constructor(open) {
		this.table = new Table({ label: "Programs", noun: "program", columns: COLUMNS_SHOWN, open: (row) => open(row.id) });
		this.empty = make("p", { class: "empty" }, "No program is measured now. Start one with ‘hotpath run PROGRAM’.");
		this.element = make("section", { class: "pane" },
			make("p", { class: "sentence" }, "Programs that are measured on this host, and reports that were given."),
			this.empty, this.table.element);
	}

	show(programs) {
		this.empty.hidden = programs.length > 0;
		this.table.element.hidden = programs.length === 0;
		this.table.show(programs);
	}
}
