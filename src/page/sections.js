// The sections of a report: in which tab each is, and what shows it. Those that nobody knew of when this was written are
// tables in the last tab.
import { make } from "./dom.js";
import { labelOf } from "./columns.js";
import { Table } from "./table.js";
import { Tree } from "./tree.js";
import { waitGraph } from "./graph.js";

const isSection = (value) => value && typeof value === "object" && Array.isArray(value.data);

// Every section as { key, name, noun, sentence, tab, pane, how }; those of a report that are not in the list are added.
export const sectionsOf = (known, report) => {
	const keys = new Set(known.map((section) => section.key));
	const others = Object.keys(report).filter((key) => isSection(report[key]) && !keys.has(key))
		.map((key) => ({ key, name: key, noun: "row", sentence: "", tab: "More", pane: labelOf(key) }));
	return [...known, ...others].filter((section) => section.tab);
};

// Rows that follow those they belong to, with a depth, as rows inside of others.
const nested = (rows) => {
	const roots = [], open = [];
	for (const row of rows) {
		const inner = { ...row, children: [] };
		while (open.length && open[open.length - 1].depth >= row.depth)
			open.pop();
		(open.length ? open[open.length - 1].children : roots).push(inner);
		open.push(inner);
	}
	return roots;
};

export const rowsOf = (report, key) => {
	const rows = report[key]?.data ?? [];
	return rows.some((row) => row.depth > 0) ? nested(rows) : rows;
};

const hasRows = (report, section) => rowsOf(report, section.key).length > 0;

// Tabs with panes that have rows, in the order of the report; but what most people look for comes first.
export const tabsOf = (sections, report) => {
	const tabs = new Map(sections.some((section) => section.tab === "Functions" && hasRows(report, section)) ? [["Functions", []]] : []);
	for (const section of sections)
		if (hasRows(report, section))
			tabs.set(section.tab, [...tabs.get(section.tab) ?? [], section]);
	return tabs;
};

// Who waits for whom, in all and at this moment.
const EDGES_OF = {
	lock_waits: (rows) => rows,
	blocked: (rows) => rows.filter((row) => row.holder)
		.map((row) => ({ name: row.name, lock: row.target ?? row.reason, holder: row.holder, wait_sum_ns: row.waited_ns })),
};

// What shows the rows of a section: a table, or a tree if rows have rows inside.
export class SectionView {
	constructor(section, open) {
		this.section = section;
		this.open = open;
		this.sentence = make("p", { class: "sentence" }, section.sentence ?? "");
		this.above = make("div");
		this.element = make("section", { class: "pane", "data-section": section.key }, this.sentence, this.above);
	}

	show(report) {
		const rows = rowsOf(report, this.section.key);
		if (!this.view)
			this.make(rows);
		this.view.show(rows);
		this.above.replaceChildren(...[waitGraph(EDGES_OF[this.section.key]?.(rows) ?? [])].filter(Boolean));
	}

	make(rows) {
		const isTree = rows.some((row) => Array.isArray(row.children));
		const options = { label: this.section.pane ?? this.section.tab, noun: this.section.noun, open: this.open };
		this.view = isTree ? new Tree(options) : new Table(options);
		this.element.append(this.view.element);
	}
}
