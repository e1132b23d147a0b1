// Rows with rows inside: the call tree, and the processes of a run. Arrow keys open, close and go on.
import { make, nameElement, setText } from "./dom.js";
import { columnsOf, nameKey, textOf } from "./columns.js";
import { nounFor, written } from "./format.js";

const ROWS_MAX = 400;
// Branches with less of the whole are closed at first.
const OPEN_PERCENT = 1;
const OPEN_ROWS = 60;

export class Tree {
	constructor({ label, noun = "call", open = null }) {
		this.noun = noun;
		this.openRow = open;
		this.closed = new Set();
		this.opened = new Set();
		this.build(label);
	}

	build(label) {
		this.filter = make("input", { type: "search", placeholder: "Filter", "aria-label": `Filter ${label}`, class: "filter",
			on: { input: () => this.draw() } });
		this.counted = make("span", { class: "counted", role: "status" });
		const all = (open) => make("button", { type: "button", class: "quiet", on: { click: () => this.setAll(open) } },
			open ? "Open all" : "Close all");
		this.head = make("thead");
		this.body = make("tbody");
		this.table = make("table", { role: "treegrid", "aria-label": label, class: "tree" }, this.head, this.body);
		this.element = make("div", { class: "sheet" },
			make("div", { class: "tools" }, this.filter, this.counted, all(true), all(false)),
			make("div", { class: "scroll", on: { keydown: (event) => this.press(event) } }, this.table));
	}

	show(rows) {
		if (rows === this.rows)
			return;
		this.rows = rows;
		this.nameKey = nameKey(rows);
		this.nodes = this.flattened(rows);
		this.columns = columnsOf(this.nodes.map((node) => node.row)).filter((column) => !column.isQuiet);
		this.draw();
	}

	// All nodes in order, without recursion: { row, path, depth, parent, hasChildren }.
	flattened(rows) {
		const nodes = [];
		const open = rows.map((row, i) => ({ row, path: `${this.nameOf(row)}#${i}`, depth: 0, parent: null })).reverse();
		while (open.length) {
			const node = open.pop();
			const inside = node.row.children ?? [];
			node.hasChildren = inside.length > 0;
			nodes.push(node);
			for (let i = inside.length - 1; i >= 0; i--)
				open.push({ row: inside[i], path: `${node.path}/${this.nameOf(inside[i])}#${i}`, depth: node.depth + 1, parent: node });
		}
		return nodes;
	}

	nameOf(row) {
		return String(row[this.nameKey]);
	}

	isOpen(node) {
		if (this.opened.has(node.path) || this.closed.has(node.path))
			return this.opened.has(node.path);
		return this.nodes.length <= OPEN_ROWS || (node.row.percent_total ?? 100) >= OPEN_PERCENT;
	}

	setOpen(node, open) {
		(open ? this.opened : this.closed).add(node.path);
		(open ? this.closed : this.opened).delete(node.path);
		this.draw();
	}

	setAll(open) {
		this.opened.clear();
		this.closed.clear();
		for (const node of this.nodes)
			(open ? this.opened : this.closed).add(node.path);
		this.draw();
	}

	// Those whose callers are open; or, with a filter, what it finds with its callers.
	visible() {
		const wanted = this.filter.value.toLowerCase();
		if (!wanted) {
			const shown = new Set();
			return this.nodes.filter((node) => {
				const isShown = !node.parent || (shown.has(node.parent) && this.isOpen(node.parent));
				if (isShown)
					shown.add(node);
				return isShown;
			});
		}
		const kept = new Set();
		for (const node of this.nodes)
			if (this.nameOf(node.row).toLowerCase().includes(wanted))
				for (let it = node; it && !kept.has(it); it = it.parent)
					kept.add(it);
		return this.nodes.filter((node) => kept.has(node));
	}

	draw() {
		const focused = document.activeElement?.closest?.("tr")?.node?.path;
		const nodes = this.visible();
		this.head.replaceChildren(make("tr", {}, this.columns.map((column) =>
			make("th", { scope: "col", class: column.isText ? "text" : "figure" }, make("span", {}, column.label)))));
		this.body.replaceChildren(...nodes.slice(0, ROWS_MAX).map((node) => this.rowOf(node)));
		setText(this.counted, `${nodes.length} of ${this.nodes.length} ${nounFor(this.noun, 0)}` +
			(nodes.length > ROWS_MAX ? `; the first ${ROWS_MAX} are shown` : ""));
		const again = Array.from(this.body.rows).find((row) => row.node.path === focused);
		(again ?? this.body.rows[0])?.setAttribute("tabindex", "0");
		again?.focus({ preventScroll: true });
	}

	rowOf(node) {
		const open = this.isOpen(node) || this.filter.value;
		const marker = make("span", { class: "marker", "aria-hidden": "true",
			on: { click: (event) => { event.stopPropagation(); this.setOpen(node, !this.isOpen(node)); } } },
			node.hasChildren ? open ? "▾" : "▸" : "");
		const cells = this.columns.map((column, i) => this.cellOf(node, column, i, marker));
		const row = make("tr", { role: "row", tabindex: "-1", "aria-level": node.depth + 1,
			"aria-expanded": node.hasChildren ? String(Boolean(open)) : null, class: "opens",
			on: { click: () => this.openRow?.(node.row) } }, cells);
		row.node = node;
		return row;
	}

	cellOf(node, column, nth, marker) {
		const value = textOf(node.row[column.key], column.key);
		const text = written(value, column.unit);
		const cell = make(nth === 0 ? "th" : "td", { role: nth === 0 ? "rowheader" : "gridcell",
			class: column.isText ? "text" : "figure" });
		if (nth === 0) {
			cell.style.setProperty("--depth", Math.min(node.depth, 40));
			cell.append(marker, nameElement(text));
		} else {
			cell.append(column.isText ? nameElement(text, 48) : text);
		}
		if (column.unit === "percent" && typeof value === "number") {
			cell.classList.add("share");
			cell.style.setProperty("--share", `${Math.max(0, Math.min(100, value))}%`);
		}
		return cell;
	}

	press(event) {
		const row = event.target.closest("tbody tr");
		if (!row)
			return;
		const node = row.node;
		const rowOf = (wanted) => Array.from(this.body.rows).find((it) => it.node === wanted);
		const actions = {
			ArrowDown: () => row.nextElementSibling?.focus(),
			ArrowUp: () => row.previousElementSibling?.focus(),
			ArrowRight: () => node.hasChildren && !this.isOpen(node) ? this.setOpen(node, true) : row.nextElementSibling?.focus(),
			ArrowLeft: () => node.hasChildren && this.isOpen(node) ? this.setOpen(node, false) : rowOf(node.parent)?.focus(),
			Enter: () => this.openRow?.(node.row),
		};
		if (!actions[event.key])
			return;
		event.preventDefault();
		actions[event.key]();
	}
}
