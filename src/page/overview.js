// The first thing to see: what the program is, what it took, and what it spends its time on.
import { make, nameElement, setText } from "./dom.js";
import { bytes, count, duration, moment, percent } from "./format.js";
import { identityOf, labelOf, place } from "./columns.js";

const TOP = 8;

const sum = (rows, key) => rows.reduce((total, row) => total + (row[key] ?? 0), 0);

// Figures of the whole program, as [label, text, hint]; those that are not known are left out.
const factsOf = (report) => {
	const threads = report.threads?.data ?? [];
	const timing = report.functions_timing?.data ?? [];
	const cpu = sum(threads, "user_ns") + sum(threads, "system_ns") +
		(report.threads?.ended?.user_ns ?? 0) + (report.threads?.ended?.system_ns ?? 0);
	const memory = report.functions_alloc;
	return [
		["Elapsed", duration(report.elapsed_ns)],
		cpu > 0 && ["CPU time", duration(cpu), `${percent(cpu / report.elapsed_ns * 100)} of the elapsed time`],
		timing.length > 0 && ["Measured calls", count(sum(timing, "calls")), `${timing.length} functions`],
		threads.length > 0 && ["Threads", count(threads.length + (report.threads.ended?.threads ?? 0))],
		report.processes > 1 && ["Processes", count(report.processes)],
		memory && ["Allocated", bytes(memory.total_bytes), `${count(memory.total_blocks)} blocks`],
		report.memory_live && ["Not freed", bytes(report.memory_live.live_bytes), `peak ${bytes(report.memory_live.peak_bytes)}`],
		report.threads?.rss_bytes > 0 && ["Resident", bytes(report.threads.rss_bytes),
			`peak ${bytes(report.threads.peak_rss_bytes ?? report.threads.rss_bytes)}`],
		report.overhead && ["Profiler", percent(report.overhead.estimated_percent), `${duration(report.overhead.estimated_ns)} in all`],
	].filter(Boolean);
};

const deadlocksOf = (report) => report.blocked?.deadlocks ?? [];

const sentencesOf = (report) => report.bottlenecks?.summary ?? [];

const topOf = (report) => {
	const timing = (report.functions_timing?.data ?? []).filter((row) => !row.caller);
	if (timing.length)
		return ["Where measured functions spend their time", timing.map((row) => [row, row.self_ns, row.percent_self])];
	const cpu = report.functions_cpu?.data ?? [];
	return ["Where CPU time goes", cpu.map((row) => [row, row.cpu_ns, row.percent])];
};

// The functions with the most of it: [row, ns, share].
const topRows = (rows) => rows.filter(([, ns]) => ns > 0).sort((a, b) => b[1] - a[1]).slice(0, TOP);

const topList = (title, rows, open) => rows.length === 0 ? null : make("section", {}, make("h2", {}, title),
	make("ol", { class: "top" }, rows.map(([row]) => {
		const button = make("button", { type: "button", title: place(row.location), on: { click: () => open(button.row) } },
			nameElement(row.name, 60), make("span", { class: "bar", "aria-hidden": "true" }), make("span", { class: "figure" }),
			make("span", { class: "figure dim" }));
		return make("li", {}, button);
	})));

const paragraphs = (title, lines, kind) => lines.length === 0 ? null : make("section", { class: kind },
	make("h2", {}, title), make("ul", {}, lines.map((line) => make("li", {}, make("bdi", {}, line)))));

const droppedOf = (report) => Object.entries(report.dropped ?? {}).filter(([, number]) => number > 0)
	.map(([key, number]) => `${count(number)} ${labelOf(key)}`);

// Sections that lack data say why; and how to get some.
const missingOf = (report) => Object.entries(report.missing ?? {}).map(([key, why]) => `${labelOf(key)}: ${why}`);

// Where a report comes from, and what its user said of it, as lines: "git sha: 1234".
const metaOf = (meta, path = "") => Object.entries(meta ?? {}).flatMap(([key, value]) =>
	value && typeof value === "object" && path.length < 40 ? metaOf(value, `${path}${key} `)
		: value === null || value === "" ? [] : [`${path}${key}: ${value}`]).slice(0, 20);

const originOf = (report) => [
	`${report.program ?? "program"} ${report.arguments ?? ""}`.trim(),
	`pid ${report.pid}`,
	report.start_unix_ns && `started ${moment(report.start_unix_ns)}`,
	report.machine?.cpu && `${report.machine.cpu}, ${report.machine.cores} cores`,
	report.machine?.kernel && `Linux ${report.machine.kernel}`,
	...metaOf(report.meta), ...metaOf(report.user_metadata),
	`hotpath ${report.version}`,
].filter(Boolean);

export class Overview {
	constructor(open) {
		this.open = open;
		this.cards = make("dl", { class: "cards" });
		this.rest = make("div", { class: "columns" });
		this.buttons = [];
		this.element = make("section", { class: "overview" }, this.cards, this.rest);
	}

	show(report) {
		const [title, rows] = topOf(report);
		const top = topRows(rows);
		const texts = [deadlocksOf(report), sentencesOf(report), report.notes ?? [], [...droppedOf(report), ...missingOf(report)], originOf(report)];
		const shape = JSON.stringify([title, top.map(([row]) => identityOf(row)), texts]);
		this.showFacts(factsOf(report));
		if (shape !== this.shape) {
			this.shape = shape;
			this.rebuild(title, top, texts);
		}
		this.showTop(top);
	}

	// Who is at a function stays there, wherever it is now; or where it was, if it is not among the first any more.
	rebuild(title, top, texts) {
		const before = this.buttons.indexOf(document.activeElement);
		const identity = before < 0 ? null : identityOf(this.buttons[before].row);
		this.build(title, top, texts);
		if (before < 0)
			return;
		const now = top.findIndex(([row]) => identityOf(row) === identity);
		this.buttons[now < 0 ? Math.min(before, top.length - 1) : now]?.focus({ preventScroll: true });
	}

	build(title, top, [deadlocks, sentences, notes, lost, origin]) {
		this.rest.replaceChildren(...[
			paragraphs(deadlocks.length > 1 ? "Deadlocks" : "Deadlock", deadlocks, "sentences"),
			paragraphs("Bottlenecks", sentences, "sentences"), topList(title, top, this.open), paragraphs("Notes", notes, "notes"),
			paragraphs("Not recorded, or lost", lost, "notes"), paragraphs("This report", origin, "origin"),
		].filter(Boolean));
		this.buttons = Array.from(this.rest.querySelectorAll(".top button"));
	}

	// Only figures change; the functions of the buttons are the same.
	showTop(top) {
		top.forEach(([row, ns, share], i) => {
			const button = this.buttons[i];
			button.row = row;
			button.children[1].style.setProperty("--share", `${ns / top[0][1] * 100}%`);
			setText(button.children[2], duration(ns));
			setText(button.children[3], share === null || share === undefined ? "" : percent(share));
		});
	}

	// Cards stay where they are while their figures change.
	showFacts(facts) {
		const labels = facts.map(([label]) => label).join();
		if (labels !== this.labels) {
			this.labels = labels;
			this.cards.replaceChildren(...facts.map(([label]) =>
				make("div", { class: "card" }, make("dt", {}, label), make("dd", { class: "big" }), make("dd", { class: "dim" }))));
		}
		facts.forEach(([, text, hint], i) => {
			setText(this.cards.children[i].children[1], text);
			setText(this.cards.children[i].children[2], hint ?? "");
		});
	}
}
