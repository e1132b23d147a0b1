// A comparison of two versions: the verdict, and for each section a table of what changed.
import { make, nameElement, setText } from "./dom.js";
import { Table } from "./table.js";
import { percent, written } from "./format.js";

const WORSE = new Set(["slower", "more"]);
const BETTER = new Set(["faster", "less"]);

// Told by a sign as well as by a colour.
const signOf = (verdict) => WORSE.has(verdict) ? "▲ " : BETTER.has(verdict) ? "▼ " : "";

const paint = (verdict) => (cell) => {
	cell.classList.toggle("worse", WORSE.has(verdict));
	cell.classList.toggle("better", BETTER.has(verdict));
};

const changeOf = (cell) => {
	if (cell.ratio !== null && cell.ratio !== undefined)
		return (cell.ratio - 1) * 100;
	return cell.before > 0 ? (cell.after / cell.before - 1) * 100 : null;
};

// A count per call or second is seldom a whole number.
const figureOf = (cell, value) => written(value, cell.per && cell.unit === "count" ? "rate" : cell.unit);

const cellText = (cell) => {
	if (!cell || (cell.before === null && cell.after === null))
		return "–";
	const change = changeOf(cell);
	const how = change === null || cell.before === cell.after ? "" : ` (${change > 0 ? "+" : ""}${percent(change)})`;
	return `${signOf(cell.verdict)}${figureOf(cell, cell.after)}${how}`;
};

// A ratio to nothing is infinite, which is null in JSON; and so may be one end of its range.
const cellTitle = (cell) => {
	const isKnown = [cell.ratio, cell.low, cell.high].every(Number.isFinite);
	const range = isKnown ? `; ratio ${cell.ratio.toFixed(3)}, between ${cell.low.toFixed(3)} and ${cell.high.toFixed(3)}` : "";
	return `before ${figureOf(cell, cell.before)}, after ${figureOf(cell, cell.after)}${range}`;
};

const verdictOf = (row) => row.presence === "present" ? row.verdict ?? "" : row.presence;

// What sums of windows are divided by: "calls", "acquired_count".
const perOf = (per) => per ? ` per ${per === "calls" ? "call" : per.replace(/_count$/, "").replaceAll("_", " ")}` : "";

const columnLabel = (name, rows) => name.replaceAll("_", " ") + perOf(rows.find((row) => row.metrics[name])?.metrics[name].per);

const metricColumn = (name, rows) => ({
	key: name, label: columnLabel(name, rows), isText: false, title: "after, and the change",
	value: (row) => row.metrics[name] ? changeOf(row.metrics[name]) ?? row.metrics[name].after : null,
	text: (row) => cellText(row.metrics[name]),
	paint: (cell, row) => {
		if (row.metrics[name]) {
			cell.title = cellTitle(row.metrics[name]);
			paint(row.metrics[name].verdict)(cell);
		}
	},
});

const columnsFor = (rows) => [
	{ key: "name", label: "name", isText: true,
		text: (row) => row.old_name ? `${row.name} (was ${row.old_name})` : row.name },
	{ key: "verdict", label: "verdict", isText: true, value: verdictOf,
		text: (row) => signOf(row.verdict) + verdictOf(row), paint: (cell, row) => paint(row.verdict)(cell) },
	{ key: "share_percent", label: "share", unit: "percent", isText: false },
	...Array.from(new Set(rows.flatMap((row) => Object.keys(row.metrics))), (name) => metricColumn(name, rows)),
];

const countsOf = (counts) => Object.entries(counts).filter(([, number]) => number > 0)
	.map(([name, number]) => `${number} ${name}`).join(" · ");

const sideOf = (label, side) => make("div", { class: "card" }, make("dt", {}, label),
	make("dd", { class: "big" }, nameElement(side.program ?? side.command ?? side.labels[0] ?? "?", 40)),
	make("dd", { class: "dim" }, `${side.runs} ${side.runs === 1 ? "run" : "runs"}`));

const linesOf = (title, lines) => lines.length === 0 ? null : make("section", {}, make("h2", {}, title),
	make("ul", {}, lines.map((line) => make("li", {}, make("bdi", {}, line)))));

const budgetLine = (item) => `${item.broken ? "✗" : item.unclear ? "?" : "✓"} ${item.name} ${item.metric}: ` +
	(item.known ? `${written(item.value, item.unit)}, limit ${written(item.limit, item.relative ? "number" : item.unit)}` : "not known");

const sectionsIn = (data) => [data.program && { name: "program", title: "Program", rows: [data.program] }, ...data.sections]
	.filter((section) => section && section.rows.length);

// May be shown again with other figures: tables stay, as they were sorted and filtered.
export class Comparison {
	constructor(worse = "This is a regression.", better = "No regression.") {
		this.words = [`▲ ${worse}`, `✓ ${better}`];
		this.verdict = make("p", { role: "status" });
		this.cards = make("dl", { class: "cards" });
		this.lines = make("div", { class: "columns" });
		this.tables = new Map();
		this.panes = make("div", { class: "overview" });
		this.element = make("section", { class: "overview" }, this.verdict, this.cards, this.lines, this.panes);
	}

	show(data) {
		setText(this.verdict, this.words[data.failed ? 0 : 1]);
		this.verdict.className = data.failed ? "verdict worse" : "verdict better";
		this.cards.replaceChildren(sideOf("Before", data.base), sideOf("After", data.head),
			make("div", { class: "card" }, make("dt", {}, "Figures"), make("dd", { class: "big" }, String(data.judged_figures)),
				make("dd", { class: "dim" }, countsOf(data.counts))));
		this.lines.replaceChildren(...[linesOf("Failures", data.failures), linesOf("Notes", data.notes),
			data.budgets && linesOf("Budgets", data.budgets.items.map(budgetLine))].filter(Boolean));
		const sections = sectionsIn(data);
		for (const section of sections)
			this.showSection(section);
		for (const [name, { pane }] of this.tables)
			pane.hidden = !sections.some((section) => section.name === name);
	}

	showSection(section) {
		const title = section.title ?? section.name;
		if (!this.tables.has(section.name)) {
			const table = new Table({ label: title, columns: [] });
			const pane = make("section", { class: "pane", "data-section": section.name }, make("h2", {}, title), table.element);
			this.tables.set(section.name, { table, pane });
			this.panes.append(pane);
		}
		const { table } = this.tables.get(section.name);
		table.given = columnsFor(section.rows);
		table.show(section.rows);
	}
}

export const comparison = (data) => {
	const view = new Comparison();
	view.show(data);
	return view.element;
};
