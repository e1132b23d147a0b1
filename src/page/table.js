// A table of any rows: sorted by each column, filtered as you type, gone through by keys. The rows of a running program
// are put in place of the ones before, and only what differs is changed.
import { make, nameElement, setText } from "./dom.js";
import { columnsOf, identityOf, textOf } from "./columns.js";
import { nounFor, written } from "./format.js";

// Rows that are in the document at first, and are added by the button below them.
const ROWS_SHOWN = 200;

const compared = (a, b) => {
	if (typeof a === "number" && typeof b === "number")
		return a - b;
	if (a === null || a === undefined || a === "")
		return b === null || b === undefined || b === "" ? 0 : -1;
	if (b === null || b === undefined || b === "")
		return 1;
	return String(a).localeCompare(String(b));
};

export class Table {
	// What a row is called, what to do with one that is opened, and columns in place of those that follow from the rows.
	constructor({ label, noun = "row", open = null, columns = null, sort = null }) {
		this.noun = noun;
		this.open = open;
		this.given = columns;
		this.sort = sort;
		this.rows = [];
		this.elements = new Map();
		this.limit = ROWS_SHOWN;
		this.showsAll = false;
		// Columns that said something once: they stay, so that nothing moves while a program runs.
		this.loud = new Set();
		this.build(label);
	}

	build(label) {
		this.filter = make("input", { type: "search", placeholder: "Filter", "aria-label": `Filter ${label}`, class: "filter",
			on: { input: () => this.draw() } });
		this.counted = make("span", { class: "counted", role: "status" });
		this.all = make("button", { type: "button", class: "quiet", "aria-pressed": "false",
			on: { click: () => this.toggleAll() } }, "All columns");
		this.head = make("thead");
		this.body = make("tbody");
		this.more = make("button", { type: "button", class: "more", hidden: true, on: { click: () => this.showMore() } });
		this.table = make("table", { "aria-label": label }, this.head, this.body);
		this.scroll = make("div", { class: "scroll", on: { keydown: (event) => this.press(event) } }, this.table);
		this.element = make("div", { class: "sheet" },
			make("div", { class: "tools" }, this.filter, this.counted, this.all), this.scroll, this.more);
	}

	show(rows) {
		this.rows = rows;
		this.columns = this.given ?? columnsOf(rows);
		for (const column of this.columns) {
			column.isQuiet = column.isQuiet && !this.loud.has(column.key);
			if (!column.isQuiet)
				this.loud.add(column.key);
		}
		this.all.hidden = !this.columns.some((column) => column.isQuiet);
		this.draw();
	}

	toggleAll() {
		this.showsAll = !this.showsAll;
		this.all.setAttribute("aria-pressed", this.showsAll);
		this.draw();
	}

	showMore() {
		this.limit += ROWS_SHOWN * 5;
		this.draw();
	}

	valueOf(row, column) {
		return column.value ? column.value(row) : textOf(row[column.key], column.key);
	}

	// ---- which rows, and in which order ----

	matching() {
		const wanted = this.filter.value.toLowerCase();
		if (!wanted)
			return this.rows.slice();
		const texts = this.columns.filter((column) => column.isText);
		return this.rows.filter((row) => texts.some((column) =>
			String(this.valueOf(row, column) ?? "").toLowerCase().includes(wanted)));
	}

	// Rows do not move away from under the pointer: a running program is sorted again when it has left.
	sorted(rows) {
		const column = this.sort && this.columns.find((it) => it.key === this.sort.key);
		if (!column)
			return rows;
		const ranks = this.isHeld() ? this.order : null;
		const rank = (row) => ranks?.get(identityOf(row)) ?? Infinity;
		const turn = this.sort.falling ? -1 : 1;
		rows.sort((a, b) => ranks && rank(a) !== rank(b) ? rank(a) - rank(b)
			: turn * compared(this.valueOf(a, column), this.valueOf(b, column)));
		this.order = new Map(rows.map((row, i) => [identityOf(row), i]));
		return rows;
	}

	isHeld() {
		return this.order && !this.sortedAnew && this.body.matches(":hover");
	}

	sortBy(column) {
		const falls = this.sort?.key === column.key ? !this.sort.falling : !column.isText;
		this.sort = { key: column.key, falling: falls };
		this.sortedAnew = true;
		this.draw();
		this.sortedAnew = false;
	}

	// ---- drawing ----

	shownColumns() {
		return this.columns.filter((column) => this.showsAll || !column.isQuiet);
	}

	draw() {
		const columns = this.shownColumns();
		const rows = this.sorted(this.matching());
		const shown = rows.slice(0, this.limit);
		this.drawHead(columns);
		this.drawBody(columns, shown);
		const of = rows.length === this.rows.length ? "" : ` of ${this.rows.length}`;
		setText(this.counted, `${rows.length}${of} ${nounFor(this.noun, of ? 0 : rows.length)}`);
		this.keepWidths();
		this.more.hidden = shown.length === rows.length;
		setText(this.more, `Show more: ${rows.length - shown.length} rows are left`);
	}

	drawHead(columns) {
		const keys = columns.map((column) => column.key).join();
		if (keys !== this.headKeys) {
			this.headKeys = keys;
			this.elements.clear();
			this.body.replaceChildren();
			this.head.replaceChildren(make("tr", {}, columns.map((column) => this.headCell(column))));
		}
		Array.from(this.head.rows[0].cells).forEach((cell, i) => {
			const isSorted = this.sort?.key === columns[i].key;
			cell.setAttribute("aria-sort", !isSorted ? "none" : this.sort.falling ? "descending" : "ascending");
		});
	}

	// Columns grow with their figures, and do not shrink again unless the window does.
	keepWidths() {
		const cells = Array.from(this.head.rows[0].cells);
		const room = this.scroll.clientWidth;
		if (room !== this.room)
			cells.forEach((cell) => { cell.style.minWidth = ""; });
		this.room = room;
		const widths = cells.map((cell) => cell.offsetWidth);
		cells.forEach((cell, i) => { cell.style.minWidth = `${widths[i]}px`; });
	}

	headCell(column) {
		return make("th", { scope: "col", class: column.isText ? "text" : "figure", "data-key": column.key },
			make("button", { type: "button", title: column.title, on: { click: () => this.sortBy(column) } }, column.label));
	}

	drawBody(columns, rows) {
		const seen = new Map();
		const wanted = rows.map((row) => {
			let identity = identityOf(row);
			while (seen.has(identity))
				identity += "\u0001";
			const element = this.elements.get(identity) ?? this.newRow(columns);
			seen.set(identity, element);
			this.fillRow(element, columns, row);
			return element;
		});
		this.elements = seen;
		wanted.forEach((element, i) => {
			if (this.body.children[i] !== element)
				this.body.insertBefore(element, this.body.children[i] ?? null);
		});
		while (this.body.children.length > wanted.length)
			this.body.lastChild.remove();
		if (wanted.length && !this.body.querySelector("tr[tabindex='0']"))
			wanted[0].tabIndex = 0;
	}

	newRow(columns) {
		const element = make("tr", { tabindex: "-1", class: this.open ? "opens" : null },
			columns.map((column, i) => make(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null,
				class: column.isText ? "text" : "figure" })));
		if (this.open)
			element.addEventListener("click", () => this.openRow(element));
		return element;
	}

	fillRow(element, columns, row) {
		element.row = row;
		columns.forEach((column, i) => this.fillCell(element.cells[i], column, row));
	}

	fillCell(cell, column, row) {
		const value = this.valueOf(row, column);
		const text = column.text ? column.text(row) : written(value, column.unit);
		if (cell.shown === text)
			return;
		cell.shown = text;
		if (column.isText)
			cell.replaceChildren(nameElement(text, column.key === "location" ? 48 : 90));
		else
			cell.textContent = text;
		cell.classList.toggle("zero", value === 0);
		if (column.unit === "percent" && typeof value === "number") {
			cell.classList.add("share");
			cell.style.setProperty("--share", `${Math.max(0, Math.min(100, value))}%`);
		}
		column.paint?.(cell, row);
	}

	// ---- keys ----

	openRow(element) {
		this.focusRow(element);
		this.open?.(element.row);
	}

	focusRow(element) {
		this.body.querySelector("tr[tabindex='0']")?.setAttribute("tabindex", "-1");
		element.tabIndex = 0;
		element.focus();
	}

	press(event) {
		const row = event.target.closest("tbody tr");
		const next = { ArrowDown: row?.nextElementSibling, ArrowUp: row?.previousElementSibling, Home: this.body.firstChild,
			End: this.body.lastChild }[event.key];
		if (!row || (event.key !== "Enter" && !next))
			return;
		event.preventDefault();
		if (event.key === "Enter")
			this.openRow(row);
		else
			this.focusRow(next);
	}
}
