// Flame graphs, drawn from trees of frames; flameGraph() of the export brings zoom, search and keys.
import { make, makeSvg, makeTabs } from "./dom.js";
import { percent, written } from "./format.js";

const FRAME_HEIGHT = 18;
const FRAMES_MAX = 4000;

const TITLES = {
	cpu: "CPU time", alloc: "Allocations", live: "Not freed", wait: "Waits", tree: "Measured time",
};

// Colours that people with any kind of colour blindness tell apart, by lightness as well: what was measured, what was waited
// for, the program itself, and a hue for each library.
const MEASURED = [164, 55, 58], WAITED = [322, 40, 76], PROGRAM = [36, 85, 66], PLAIN = [0, 0, 80];
const LIBRARIES = [[204, 70, 74], [262, 45, 80], [54, 65, 78], [210, 30, 84], [16, 60, 80]];

const hashed = (text) => {
	let hash = 7;
	for (let i = 0; i < text.length && i < 200; i++)
		hash = (hash * 31 + text.charCodeAt(i)) >>> 0;
	return hash;
};

// The program as a whole, threads, and what is no function.
const isPlain = (frame, depth) => depth === 0 || frame.thread || /^\[/.test(frame.name);

const baseColour = (frame, depth) => {
	if (frame.wait)
		return WAITED;
	if (frame.measured)
		return MEASURED;
	if (frame.module)
		return LIBRARIES[hashed(frame.module) % LIBRARIES.length];
	return isPlain(frame, depth) ? PLAIN : PROGRAM;
};

const colourOf = (frame, depth) => {
	const [hue, saturation, light] = baseColour(frame, depth);
	return `hsl(${hue},${saturation}%,${light + hashed(frame.name) % 9}%)`;
};

const titleOf = (frame, unit, total) => [
	frame.name,
	`${written(frame.value, unit)}, ${percent(frame.value / total * 100)}` +
		(frame.self ? `; itself ${written(frame.self, unit)}` : ""),
	...[frame.file && `${frame.file}:${frame.line}`, frame.module, frame.measured && "measured"].filter(Boolean),
].join("\n");

const frameElement = (frame, depth, left, graph) => makeSvg("g", {},
	makeSvg("title", {}, titleOf(frame, graph.unit, graph.total)),
	makeSvg("rect", { x: `${left / graph.total * 100}%`, y: depth * FRAME_HEIGHT, height: FRAME_HEIGHT - 1,
		width: `${frame.value / graph.total * 100}%`, fill: colourOf(frame, depth) }));

// All frames in the order of a walk, each before what it calls; without recursion, since stacks may be deep.
const framesOf = (graph) => {
	const frames = [];
	const open = [[graph.root, 0, 0]];
	let rows = 0;
	while (open.length && frames.length < FRAMES_MAX) {
		const [frame, depth, left] = open.pop();
		frames.push(frameElement(frame, depth, left, graph));
		rows = Math.max(rows, depth + 1);
		let begin = left;
		const inside = frame.children.map((child) => {
			const at = begin;
			begin += child.value;
			return [child, depth + 1, at];
		});
		open.push(...inside.reverse());
	}
	return { frames, rows };
};

const legendOf = (graph) => {
	const found = new Map();
	const open = [[graph.root, 0]];
	while (open.length) {
		const [frame, depth] = open.pop();
		const name = frame.wait ? "what it waited for" : frame.measured ? "measured" : frame.module ??
			(isPlain(frame, depth) ? null : "program");
		if (name && found.size < 8)
			found.set(name, baseColour(frame, depth));
		open.push(...frame.children.map((child) => [child, depth + 1]));
	}
	return make("p", { class: "legend" }, Array.from(found, ([name, [hue, saturation, light]]) => {
		const swatch = make("span", { class: "swatch" });
		swatch.style.background = `hsl(${hue},${saturation}%,${light + 4}%)`;
		return make("span", {}, swatch, make("bdi", {}, name));
	}));
};

export class Flames {
	// Who is asked for a graph by its name, and whether there is one: { names(), graph(name) → promise or value }.
	constructor(source) {
		this.source = source;
		this.tabs = makeTabs("Flame graphs", (name) => this.choose(name));
		this.search = make("input", { type: "search", placeholder: "Search: regular expression", class: "filter",
			"aria-label": "Search in the flame graph" });
		this.reset = make("button", { type: "button", class: "quiet" }, "Reset zoom");
		this.matched = make("span", { class: "counted", role: "status" });
		this.details = make("p", { class: "flame-details", "aria-live": "polite" });
		this.paper = make("div", { class: "flame", tabindex: "0", role: "application",
			"aria-label": "Flame graph: arrow keys go from frame to frame, Enter zooms, Escape goes back",
			on: { keydown: (event) => this.press(event) } });
		this.legend = make("div");
		this.element = make("div", { class: "sheet flames" }, this.tabs.element,
			make("div", { class: "tools" }, this.search, this.reset, this.matched), this.details, this.paper, this.legend);
		this.sized = new ResizeObserver(() => this.paper.clientWidth && this.graph?.fit());
		this.sized.observe(this.paper);
	}

	show() {
		const names = this.source.names();
		if (!names.includes(this.name))
			this.name = names[0];
		this.tabs.show(names.map((name) => [name, TITLES[name] ?? name]), this.name);
		if (this.name !== this.shownName || this.source.version !== this.shownVersion)
			this.load();
	}

	choose(name) {
		this.name = name;
		this.show();
	}

	async load() {
		const name = this.name;
		if (name !== this.shownName)
			this.clear("One moment…");
		this.shownName = name;
		this.shownVersion = this.source.version;
		try {
			const graph = name && await this.source.graph(name);
			if (name === this.name && !this.isHeld)
				this.draw(graph);
		} catch (error) {
			if (name === this.name && !this.isHeld)
				this.clear(error.message);
		}
	}

	clear(words) {
		this.graph = null;
		this.paper.replaceChildren(make("p", { class: "empty" }, words));
		this.legend.replaceChildren();
	}

	draw(graph) {
		if (!graph?.root) {
			this.clear("Nothing was recorded for this flame graph.");
			return;
		}
		const { frames, rows } = framesOf(graph);
		const list = makeSvg("g", { id: "frames" }, frames);
		this.paper.replaceChildren(makeSvg("svg", { width: "100%", height: rows * FRAME_HEIGHT + 1 }, list));
		this.legend.replaceChildren(legendOf(graph));
		this.reset.replaceWith(this.reset = this.reset.cloneNode(true));
		this.search.replaceWith(this.search = Object.assign(this.search.cloneNode(true), { value: this.search.value }));
		this.graph = flameGraph({ list, search: this.search, details: this.details, matched: this.matched, reset: this.reset,
			width: () => this.paper.clientWidth });
	}

	// Whoever has zoomed, or is at a frame or at the field to search, keeps what is there.
	get isHeld() {
		return Boolean(this.graph) && (this.graph.isUsed() || [this.search, this.reset].includes(document.activeElement));
	}

	press(event) {
		if (!this.graph)
			return;
		if (event.key === "Escape")
			this.graph.clear();
		else if (!this.graph.press(event.key))
			return;
		event.preventDefault();
	}
}
