// Time series of a running program: what is counted from report to report, and the charts of it.
import { make, nameElement } from "./dom.js";
import { Chart } from "./chart.js";
import { identityOf } from "./columns.js";

const CHOSEN_MAX = 4;
const LISTED = 200;

const total = (rows, key) => (rows ?? []).reduce((all, row) => all + (row[key] ?? 0), 0);

// What is counted, as a rate by name: the figures of a section's rows, or one of the report; and what growth a second is multiplied
// by. CPU time is in nanoseconds, and shown in percent.
const COUNTED = {
	"calls/s": { section: "functions_timing", keys: ["calls"], factor: 1 },
	"CPU": { section: "threads", keys: ["user_ns", "system_ns"], factor: 1e-7 },
	"contended/s": { section: "locks", keys: ["contended_count"], factor: 1 },
	"messages/s": { section: "channels", keys: ["sent_count"], factor: 1 },
	"allocated/s": { read: (report) => report.functions_alloc?.total_bytes, factor: 1 },
};

// The counters of each row, by what tells it from others, of several that nothing tells apart together; null if the report does not
// have them.
const countersOf = (report, { section, keys, read }) => {
	if (read)
		return Number.isFinite(read(report)) ? new Map([["", read(report)]]) : null;
	const rows = report[section]?.data;
	const counters = new Map();
	for (const row of rows ?? []) {
		const identity = identityOf(row);
		counters.set(identity, keys.reduce((all, key) => all + (row[key] ?? 0), counters.get(identity) ?? 0));
	}
	return rows ? counters : null;
};

// Rows come and go: only those that were there before count.
const growth = (before, now) => {
	let grown = 0;
	for (const [identity, value] of now)
		grown += Math.max(0, value - (before.get(identity) ?? value));
	return grown;
};

const LEVELS = {
	"resident": (report) => report.threads?.rss_bytes,
	"not freed": (report) => report.memory_live?.live_bytes,
	"queued": (report) => report.channels && total(report.channels.data, "queue_size"),
};

// Whether a series is a percentile of a function: "parse p95".
const isOf = (key, name) => key.startsWith(`${name} p`) && /^p[\d.]+$/.test(key.slice(name.length + 1));

const percentilesOf = (row) => Object.keys(row).filter((key) => /^p[\d.]+_ns$/.test(key));

// Takes reports of one program, one after the other, into a history.
export class Recorder {
	constructor(history) {
		this.history = history;
		this.chosen = null;
		this.before = null;
	}

	// A program that was started again counts from nothing.
	restart() {
		this.before = null;
	}

	// `recent` has the times of the calls since the last report, of some functions.
	take(report, recent, seconds) {
		const now = Object.entries(COUNTED).map(([name, counter]) => [name, countersOf(report, counter)]);
		this.history.begin(seconds);
		for (const [name, counters] of now)
			this.takeRate(name, this.before?.counters.get(name), counters, seconds - this.before?.seconds);
		for (const [name, read] of Object.entries(LEVELS)) {
			const value = read(report);
			if (value !== undefined && value !== null)
				this.history.set(name, value);
		}
		this.takeFunctions(report, recent);
		const waiting = new Set((report.blocked?.data ?? []).filter((row) => /lock|mutex/.test(row.reason)).map((row) => row.tid));
		for (const thread of report.threads?.data ?? [])
			this.history.setThread(`${thread.pid}/${thread.tid}`, thread.name, waiting.has(thread.tid) ? "blocked" : thread.state);
		this.before = { counters: new Map(now), seconds };
	}

	takeRate(name, before, now, seconds) {
		if (before && now && seconds > 0)
			this.history.set(name, growth(before, now) / seconds * COUNTED[name].factor);
	}

	takeFunctions(report, recent) {
		const rows = (report.functions_timing?.data ?? []).filter((row) => !row.caller);
		this.names = rows.slice(0, LISTED).map((row) => row.name);
		this.chosen ??= rows.length ? this.names.slice(0, 2) : null;
		for (const row of recent)
			if (this.chosen?.includes(row.name))
				for (const key of percentilesOf(row))
					this.history.set(`${row.name} ${key.replace("_ns", "")}`, row[key]);
	}

	// The functions that the server is asked for: those that somebody chose, since it tells of the busiest anyway.
	get asked() {
		return this.isAsked ? this.chosen : [];
	}

	choose(names) {
		this.chosen = names.slice(-CHOSEN_MAX);
		this.isAsked = true;
		this.history.keep((key) => key in COUNTED || key in LEVELS || this.chosen.some((name) => isOf(key, name)));
	}
}

const CHARTS = [
	["Calls per second", "rate", () => ["calls/s"]],
	["CPU, in percent of one processor", "percent", () => ["CPU"]],
	["Memory", "bytes", () => ["resident", "not freed"]],
	["Allocated per second", "bytes", () => ["allocated/s"]],
	["Times of the calls of each second", "ns", (recorder, history) => (recorder.chosen ?? []).flatMap((name) =>
		Array.from(history.series.keys()).filter((key) => isOf(key, name)))],
	["Locks that were not free, per second", "rate", () => ["contended/s"]],
	["Messages per second", "rate", () => ["messages/s"]],
	["Messages in queues", "count", () => ["queued"]],
];

export class Series {
	// @param chosen Called when other functions were chosen.
	constructor(recorder, chosen) {
		this.recorder = recorder;
		this.chosen = chosen;
		this.shared = recorder.history;
		this.span = null;
		this.point = null;
		this.charts = CHARTS.map(([title, unit, names]) => [new Chart(title, unit, this), names]);
		this.picker = make("select", { "aria-label": "Add a function to the chart of times", on: { change: () => this.add() } });
		this.chips = make("span", { class: "chips" });
		this.freezer = make("button", { type: "button", "aria-pressed": "false", on: { click: () => this.freeze() } }, "Freeze");
		this.element = make("section", { class: "series" },
			make("div", { class: "tools" }, this.freezer,
				make("button", { type: "button", class: "quiet", on: { click: () => this.zoom(0.5) } }, "Zoom in"),
				make("button", { type: "button", class: "quiet", on: { click: () => this.zoom(2) } }, "Zoom out"),
				make("button", { type: "button", class: "quiet", on: { click: () => this.choose(null) } }, "All"),
				this.picker, this.chips),
			make("p", { class: "sentence" }, "Drag over a chart to zoom; double-click shows all again."),
			make("div", { class: "charts" }, this.charts.map(([chart]) => chart.element)));
	}

	get history() {
		return this.frozen ?? this.shared;
	}

	freeze() {
		this.frozen = this.frozen ? null : this.shared.copy();
		this.freezer.setAttribute("aria-pressed", Boolean(this.frozen));
		this.freezer.textContent = this.frozen ? "Frozen: go on" : "Freeze";
		if (!this.frozen)
			this.span = null;
		this.show();
	}

	// ---- what part of the time is shown ----

	range() {
		const { first, count } = this.history;
		if (!this.span)
			return { from: first, to: count };
		const to = Math.min(count, Math.max(this.span.to, first + 1));
		return { from: Math.max(first, Math.min(this.span.from, to - 1)), to };
	}

	choose(span) {
		this.span = span;
		if (span && !this.frozen)
			this.freeze();
		else
			this.show();
	}

	zoom(factor) {
		const { from, to } = this.range();
		const { first, count } = this.history;
		const half = Math.max(5, (to - from) * factor / 2), middle = (from + to) / 2;
		const next = { from: Math.max(first, Math.round(middle - half)), to: Math.min(count, Math.round(middle + half)) };
		this.choose(next.from === first && next.to === count ? null : next);
	}

	pointAt(point) {
		this.point = point;
		this.show();
	}

	// ---- functions ----

	add() {
		if (this.picker.value)
			this.chooseFunctions([...this.recorder.chosen ?? [], this.picker.value]);
	}

	remove(name) {
		this.chooseFunctions((this.recorder.chosen ?? []).filter((it) => it !== name));
	}

	chooseFunctions(names) {
		this.recorder.choose(names);
		this.chosen();
		this.listed = null;
		this.show();
	}

	list() {
		const names = (this.recorder.names ?? []).filter((name) => !this.recorder.chosen?.includes(name));
		const key = `${names.join("\u0000")}\u0001${(this.recorder.chosen ?? []).join("\u0000")}`;
		if (key === this.listed || document.activeElement === this.picker)
			return;
		this.listed = key;
		this.picker.hidden = names.length === 0;
		this.picker.replaceChildren(make("option", { value: "" }, "Add a function…"),
			...names.map((name) => make("option", { value: name }, name.slice(0, 80))));
		this.chips.replaceChildren(...(this.recorder.chosen ?? []).map((name) =>
			make("button", { type: "button", class: "chip", "aria-label": `Remove ${name.slice(0, 80)}`,
				on: { click: () => this.remove(name) } }, nameElement(name, 30), " ✕")));
	}

	show() {
		this.list();
		if (this.history.count > 0)
			for (const [chart, names] of this.charts)
				chart.draw(this.history, names(this.recorder, this.history));
	}
}

