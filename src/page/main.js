// The page itself: reads what it is to show, from its own file or from a server, and puts the views into tabs.
import { make, makeTabs, nameElement, setText } from "./dom.js";
import { duration } from "./format.js";
import { Details } from "./details.js";
import { SectionView, sectionsOf, tabsOf } from "./sections.js";
import { Overview } from "./overview.js";
import { Flames } from "./flames.js";
import { comparison } from "./compare.js";
import { Marks } from "./marks.js";
import { History } from "./rings.js";
import { Recorder, Series } from "./series.js";
import { Lanes } from "./lanes.js";
import { Programs, tops } from "./programs.js";
import { Stream, clearMark, fetchCompared, fetchFlame, fetchPrograms, fetchReport, setMark } from "./live.js";

const ALL_FLAMES = ["cpu", "alloc", "live", "wait", "tree"];
// What takes a server long is asked for this often, while somebody looks at it.
const WHOLE_MS = 10000;
// What has changed since a mark is asked for this often by who looks at it, or some times in a window if that is longer; and by who
// did, so that the server goes on reading.
const COMPARED_MS = 2000;
const COMPARED_PART = 4;
const MARKED_MS = 30000;
// The list of programs is asked for while no stream tells of it.
const LIST_MS = 3000;

// ---- data in the page ----

const unpacked = async (text) => {
	const packed = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
	const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
	return new Response(stream).json();
};

const readData = async (id) => {
	const element = document.getElementById(id);
	if (!element)
		return null;
	return element.type === "application/gzip" ? unpacked(element.textContent) : JSON.parse(element.textContent);
};

// ---- how a program ended, in a few words ----

const endOf = (report, state) => {
	const end = report.exit ?? {};
	if (state)
		return state;
	if (end.running)
		return "running";
	if (end.signal)
		return `killed by signal ${end.signal}`;
	return end.status > 0 ? `exit status ${end.status}` : "ended";
};

const messageOf = (error) => String(error.message ?? error);

// ---- the page ----

class Page {
	constructor(root, known) {
		this.known = known;
		this.report = {};
		this.details = new Details();
		this.views = new Map();
		this.panes = new Map();
		this.open = (row) => this.details.show(row, this.report);
		this.build(root);
		this.tab = new URLSearchParams(location.hash.slice(1)).get("tab");
		addEventListener("keydown", (event) => this.press(event));
		addEventListener("resize", () => this.draw());
	}

	build(root) {
		this.program = make("h1", {});
		this.state = make("span", { class: "state", role: "status" });
		this.facts = make("span", { class: "dim" });
		this.extra = make("div", { class: "extra" });
		this.tabs = makeTabs("Views", (key) => this.chooseTab(key));
		this.subtabs = makeTabs("Sections", (key) => this.choosePane(key));
		this.main = make("main", { id: "view" });
		root.append(
			make("header", { class: "top-bar" }, make("span", { class: "brand", "aria-hidden": "true" }, "hotpath"),
				this.program, this.state, this.facts, this.extra),
			make("nav", { "aria-label": "Views" }, this.tabs.element), make("nav", { "aria-label": "Sections", class: "sub" }, this.subtabs.element),
			make("div", { class: "body" }, this.main, this.details.element),
			make("footer", { class: "dim" }, "/ filter · arrows go through rows and tabs · Enter opens · Esc closes · 1–9 tabs"));
	}

	// ---- what there is to see ----

	// Tabs by key: { label, panes: [[key, label, view maker]] }.
	entries() {
		const tabs = new Map([["overview", { label: "Overview", panes: [["overview", "Overview", () => new Overview(this.open)]] }]]);
		for (const [tab, sections] of tabsOf(sectionsOf(this.known, this.report), this.report))
			tabs.set(tab, { label: tab, panes: sections.map((section) =>
				[section.key, section.pane ?? section.tab, () => new SectionView(section, this.open)]) });
		if (this.flames.names().length)
			tabs.set("flames", { label: "Flame graphs", panes: [["flames", "Flame graphs", () => new Flames(this.flames)]] });
		return tabs;
	}

	setReport(report, state) {
		this.report = report;
		const name = report.title ?? report.program ?? "program";
		if (this.shownName !== name) {
			this.shownName = name;
			this.program.replaceChildren(nameElement(name, 60));
			document.title = `${name.slice(0, 60)} – hotpath`;
		}
		setText(this.state, endOf(report, state));
		this.state.dataset.state = endOf(report, state).split(" ")[0];
		setText(this.facts, `${report.processes > 1 ? `${report.processes} processes` : `pid ${report.pid}`} · ${duration(report.elapsed_ns)}`);
		this.draw();
	}

	// ---- which is shown ----

	chooseTab(key) {
		this.tab = key;
		this.details.element.hidden = true;
		this.draw();
		this.remember("tab", key);
	}

	choosePane(key) {
		this.panes.set(this.tab, key);
		this.details.element.hidden = true;
		this.draw();
	}

	// In the address, so that a page that is loaded again shows the same.
	remember(key, value) {
		const words = new URLSearchParams(location.hash.slice(1));
		words.set(key, value);
		history.replaceState(null, "", `#${words}`);
	}

	viewOf(key, maker) {
		if (!this.views.has(key))
			this.views.set(key, maker());
		return this.views.get(key);
	}

	draw() {
		const tabs = this.entries();
		if (!tabs.has(this.tab))
			this.tab = tabs.keys().next().value;
		const { panes } = tabs.get(this.tab);
		const pane = panes.find(([key]) => key === this.panes.get(this.tab)) ?? panes[0];
		this.tabs.show(Array.from(tabs, ([key, tab]) => [key, tab.label]), this.tab);
		this.subtabs.show(panes.map(([key, label]) => [key, label]), pane[0]);
		this.subtabs.element.parentElement.hidden = panes.length < 2;
		this.main.setAttribute("aria-label", pane[1]);
		const view = this.viewOf(pane[0], pane[2]);
		if (this.main.firstChild !== view.element)
			this.main.replaceChildren(view.element);
		this.shown = pane[0];
		view.show(this.report);
	}

	// ---- keys ----

	press(event) {
		const isTyping = event.target.matches?.("input, select, textarea");
		if (event.key === "Escape" && isTyping) {
			event.target.value = "";
			event.target.dispatchEvent(new Event("input"));
			event.target.blur();
		}
		if (isTyping || event.ctrlKey || event.metaKey || event.altKey)
			return;
		const filter = this.main.querySelector(".filter");
		const tab = Array.from(this.entries().keys())[Number(event.key) - 1];
		if (event.key === "/" && filter) {
			event.preventDefault();
			filter.focus();
			filter.select();
		} else if (/^[1-9]$/.test(event.key) && tab) {
			this.chooseTab(tab);
		} else if (event.key === "Escape" && !this.details.element.hidden) {
			this.details.close();
		}
	}
}

// A report in a file.
class FilePage extends Page {
	constructor(root, known, report) {
		super(root, known);
		const graphs = report.flames ?? [];
		this.flames = { version: 0, names: () => graphs.map((graph) => graph.what),
			graph: (name) => graphs.find((graph) => graph.what === name) };
		this.setReport(report, "");
	}
}

// Programs of a server, one of which is followed.
class LivePage extends Page {
	constructor(root, known) {
		super(root, known);
		this.list = [];
		this.whole = {};
		this.chosen = null;
		this.flames = { version: 0, names: () => this.chosen ? ALL_FLAMES : [], graph: (name) => this.fetchGraph(name) };
		this.problem = make("span", { class: "problem", role: "alert" });
		this.problems = new Map();
		// When the comparison is asked for next.
		this.compareAt = 0;
		this.extra.append(this.problem);
	}

	// Say what is wrong with something; "" when it is well again.
	say(what, words) {
		this.problems.set(what, words);
		setText(this.problem, Array.from(this.problems.values()).filter(Boolean).join(" · "));
	}

	async start() {
		setInterval(() => this.fetchWhole(), WHOLE_MS);
		setInterval(() => this.fetchList(), LIST_MS);
		setInterval(() => this.shown === "marks" && Date.now() >= this.compareAt && this.compare(fetchCompared), COMPARED_MS);
		setInterval(() => this.shown !== "marks" && this.views.has("marks") && this.compare(fetchCompared), MARKED_MS);
		await this.fetchList();
	}

	async fetchList() {
		if (this.chosen || (this.isListed && document.hidden))
			return;
		try {
			const list = await fetchPrograms();
			this.say("list", "");
			this.followFirst(list);
			this.setPrograms(list);
		} catch (error) {
			this.say("list", messageOf(error));
		}
	}

	// As soon as programs are known: the one of the address, if it is among them, or the only one, which may be a run.
	followFirst({ programs }) {
		const asked = new URLSearchParams(location.hash.slice(1)).get("program");
		const [only, ...others] = tops(programs);
		const first = programs.some((program) => program.id === asked) ? asked : others.length ? null : only?.id;
		if (first && !this.isListed)
			this.follow(first);
		this.isListed = true;
	}

	setPrograms({ programs }) {
		this.list = programs;
		if (this.shown === "programs" || !this.chosen)
			this.draw();
	}

	// ---- one program ----

	follow(id) {
		this.chosen = id;
		this.report = {};
		this.whole = {};
		this.views = new Map(Array.from(this.views).filter(([key]) => key === "programs"));
		this.recorder = new Recorder(new History());
		this.series = new Series(this.recorder, () => this.listenAgain());
		this.restarts = 0;
		this.begun = null;
		this.wholeFor = null;
		this.flames.version++;
		this.tab = this.tab === "programs" ? "overview" : this.tab;
		this.listen();
		this.say("whole", "");
		this.remember("program", id);
	}

	listen(program = this.chosen, name = null) {
		this.stream?.close();
		this.stream = new Stream(program, this.recorder.asked, { report: (update) => this.take(update),
			programs: (list) => this.setPrograms(list), state: (words) => this.say("stream", words) }, name);
	}

	// A stream tells of the functions that it was asked for when it began. The next one goes on with what that has followed.
	listenAgain() {
		this.listen(this.stream.program, this.stream.name);
	}

	// Whoever looks at functions gets their call tree, too; before, the server need not read it.
	draw() {
		super.draw();
		if (this.tab === "Functions" && this.wholeFor !== this.chosen) {
			this.wholeFor = this.chosen;
			this.fetchWhole();
		}
	}

	// What was asked for is of the program before; another start may have another id.
	restart(id) {
		this.restarts++;
		this.recorder.restart();
		this.whole = {};
		this.wholeFor = null;
		this.views.delete("flames");
		this.chosen = id;
		this.remember("program", id);
	}

	// Restarts are counted here: a server counts those of a connection, of which there may be several.
	take(update) {
		const begun = `${update.program} ${update.report.start_unix_ns}`;
		if (this.begun !== null && begun !== this.begun)
			this.restart(update.program);
		this.begun = begun;
		this.recorder.take(update.report, update.recent ?? [], update.seen_unix_ns / 1e9);
		this.newest = update;
		// Updates may come faster than anybody can see them.
		this.due ??= requestAnimationFrame(() => {
			this.due = null;
			this.showNewest();
		});
	}

	showNewest() {
		const { state, report } = this.newest;
		this.setReport({ ...report, ...this.whole },
			this.restarts > 0 && state === "running" ? `running, restarted ${this.restarts}×` : state);
	}

	// Whether somebody looks at what is not in the updates, or would if it were there.
	get isWholeSeen() {
		return this.shown === "call_tree" || this.shown === "flames" || (this.tab === "Functions" && !this.whole.call_tree);
	}

	// The call tree is not in the updates, of which there are no more when the program has ended.
	async fetchWhole() {
		if (!this.chosen || document.hidden || !this.isWholeSeen)
			return;
		if (this.shown === "flames") {
			this.flames.version += this.views.get("flames").isHeld ? 0 : 1;
			this.draw();
			return;
		}
		const { chosen, restarts } = this;
		try {
			const { call_tree: tree } = await fetchReport(chosen, "tree");
			if (tree && chosen === this.chosen && restarts === this.restarts)
				this.setWhole({ call_tree: tree });
		} catch (error) {
			this.say("whole", chosen === this.chosen ? messageOf(error) : "");
		}
	}

	setWhole(whole) {
		this.whole = whole;
		this.say("whole", "");
		this.showNewest();
	}

	// ---- what has changed ----

	marksView() {
		this.compare(fetchCompared);
		return new Marks({ mark: () => this.compare(setMark), clear: () => this.compare(clearMark) });
	}

	// Ask for the comparison, set a mark or clear it: the answer is the same. Whoever looks elsewhere meanwhile is not told of it.
	async compare(ask) {
		const { chosen } = this;
		try {
			const answer = await ask(chosen);
			if (chosen !== this.chosen)
				return;
			this.compareAt = Date.now() + answer.windows.window_ns / 1e6 / COMPARED_PART - COMPARED_MS / 2;
			this.views.get("marks")?.take(answer);
		} catch (error) {
			if (chosen === this.chosen)
				this.views.get("marks")?.fail(messageOf(error));
		}
	}

	// Of what was not recorded, there is no graph.
	fetchGraph(name) {
		return fetchFlame(this.chosen, name).catch((error) => {
			if (error.status !== 404)
				throw error;
			return null;
		});
	}

	entries() {
		const tabs = new Map([["programs", { label: "Programs", panes: [["programs", "Programs", () => this.programsView()]] }]]);
		if (!this.chosen || !this.report.type)
			return tabs;
		const { overview, ...others } = Object.fromEntries(super.entries());
		tabs.set("overview", overview);
		tabs.set("live", { label: "Over time", panes: [["series", "Charts", () => this.series],
			["lanes", "Lanes of threads", () => new Lanes(this.series)]] });
		for (const [key, tab] of Object.entries(others))
			tabs.set(key, tab);
		if (this.newest?.state !== "saved")
			tabs.set("compare", { label: "Compare", panes: [["marks", "Compare", () => this.marksView()]] });
		return tabs;
	}

	programsView() {
		const view = new Programs((id) => this.follow(id));
		return { element: view.element, show: () => view.show(this.list) };
	}
}

const start = async () => {
	const root = document.getElementById("page");
	const known = await readData("sections") ?? [];
	const data = await readData("data");
	if (!data)
		await new LivePage(root, known).start();
	else if (data.type === "hotpath_comparison")
		root.append(make("header", { class: "top-bar" }, make("span", { class: "brand" }, "hotpath"), make("h1", {}, "Comparison")),
			make("main", { id: "view" }, comparison(data)));
	else
		new FilePage(root, known, data);
};

start().catch((error) => document.getElementById("page").append(
	make("p", { class: "empty", role: "alert" }, `This browser cannot show the page: ${error.message ?? error}`)));
