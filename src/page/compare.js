// A comparison of two versions: the verdict, and for each section a table of what changed.
import { make, nameElement } from "./dom.js";
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

const cellText = (cell) => {
	if (!cell || (cell.before === null && cell.after === null))
		return "–";
	const change = changeOf(cell);
	const how = change === null || cell.before === cell.after ? "" : ` (${change > 0 ? "+" : ""}${percent(change)})`;
	return `${signOf(cell.verdict)}${written(cell.after, cell.unit)}${how}`;
};

// A ratio to nothing is infinite, which is null in JSON; and so may be one end of its range.
const cellTitle = (cell) => {
	const isKnown = [cell.ratio, cell.low, cell.high].every(Number.isFinite);
	const range = isKnown ? `; ratio ${cell.ratio.toFixed(3)}, between ${cell.low.toFixed(3)} and ${cell.high.toFixed(3)}` : "";
	return `before ${written(cell.before, cell.unit)}, after ${written(cell.after, cell.unit)}${range}`;
};

const verdictOf = (row) => row.presence === "present" ? row.verdict ?? "" : row.presence;

const metricColumn = (name) => ({
	key: name, label: name.replaceAll("_", " "), isText: false, title: "after, and the change",
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
	...Array.from(new Set(rows.flatMap((row) => Object.keys(row.metrics))), metricColumn),
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

const tableOf = (section) => {
	const table = new Table({ label: section.title ?? section.name, columns: columnsFor(section.rows) });
	table.show(section.rows);
	return make("section", { class: "pane", "data-section": section.name },
		make("h2", {}, section.title ?? section.name), table.element);
};

export const comparison = (data) => {
	const sections = [data.program && { name: "program", title: "Program", rows: [data.program] }, ...data.sections]
		.filter((section) => section && section.rows.length);
	return make("section", { class: "overview" },
		make("p", { class: data.failed ? "verdict worse" : "verdict better", role: "status" },
			data.failed ? "▲ This is a regression." : "✓ No regression."),
		make("dl", { class: "cards" }, sideOf("Before", data.base), sideOf("After", data.head),
			make("div", { class: "card" }, make("dt", {}, "Figures"), make("dd", { class: "big" }, String(data.judged_figures)),
				make("dd", { class: "dim" }, countsOf(data.counts)))),
		make("div", { class: "columns" }, ...[linesOf("Failures", data.failures), linesOf("Notes", data.notes),
			data.budgets && linesOf("Budgets", data.budgets.items.map(budgetLine))].filter(Boolean)),
		...sections.map(tableOf));
};
