// Everything about one row: all its figures, its histograms, and who calls it and whom it calls.
import { make, nameElement } from "./dom.js";
import { histogram } from "./histogram.js";
import { labelOf, nameKey, textOf, unitOf } from "./columns.js";
import { duration, written } from "./format.js";

const NEIGHBOURS = 12;

// Calls of a function in a call tree, and of those around it: [name, time], the most first. The tree may be deep.
const neighbours = (tree, name) => {
	const callers = new Map(), callees = new Map();
	const add = (map, key, ns) => map.set(key, (map.get(key) ?? 0) + ns);
	const open = tree.map((node) => [node, null]);
	while (open.length) {
		const [node, parent] = open.pop();
		if (node.name === name && parent)
			add(callers, parent.name, node.total_ns);
		if (parent?.name === name)
			add(callees, node.name, node.total_ns);
		for (const child of node.children ?? [])
			open.push([child, node]);
	}
	const sorted = (map) => Array.from(map).sort((a, b) => b[1] - a[1]).slice(0, NEIGHBOURS);
	return { callers: sorted(callers), callees: sorted(callees) };
};

const list = (title, entries) => entries.length === 0 ? null : make("section", {},
	make("h3", {}, title),
	make("ul", { class: "neighbours" }, entries.map(([name, ns]) =>
		make("li", {}, nameElement(name), make("span", { class: "figure" }, duration(ns))))));

const histogramsOf = (row) => Object.entries(row)
	.filter(([key, value]) => /histogram$/.test(key) && Array.isArray(value) && value.length)
	.map(([key, value]) => {
		const of = key.replace(/_?histogram$/, "");
		return histogram(of ? labelOf(of) : "times of calls", value, /bytes/.test(of) ? "bytes" : /count/.test(of) ? "count" : "ns");
	});

const figuresOf = (row) => Object.entries(row)
	.filter(([, value]) => !Array.isArray(value))
	.map(([key, value]) => {
		const text = written(textOf(value, key), unitOf(key));
		const exact = typeof value === "number" && text !== String(value) ? `${value}` : null;
		return [make("dt", {}, labelOf(key)), make("dd", { title: exact }, make("bdi", {}, text.slice(0, 400)))];
	});

export class Details {
	constructor() {
		this.element = make("aside", { class: "details", "aria-label": "Details", hidden: true,
			on: { keydown: (event) => event.key === "Escape" && this.close() } });
	}

	show(row, report) {
		const name = String(row[nameKey([row])] ?? "");
		const { callers, callees } = neighbours(report.call_tree?.data ?? [], name);
		this.back = document.activeElement;
		this.closer = make("button", { type: "button", class: "quiet", "aria-label": "Close details",
			on: { click: () => this.close() } }, "✕");
		this.element.replaceChildren(
			make("header", {}, make("h2", {}, nameElement(name, 200)), this.closer),
			...histogramsOf(row),
			...[list("Called by", callers), list("Calls", callees)].filter((part) => part),
			make("dl", {}, figuresOf(row)));
		this.element.hidden = false;
		this.closer.focus({ preventScroll: true });
	}

	close() {
		this.element.hidden = true;
		this.back?.focus({ preventScroll: true });
	}
}
