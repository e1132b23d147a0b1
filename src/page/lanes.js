// Threads as lanes: what each did at the moments of the last minutes, by colour and height.
import { make, nameElement, setText } from "./dom.js";
import { STATES } from "./rings.js";

// Colours, and how high a state is in its lane: who works is highest.
const LOOKS = { running: ["--line-3", 1], sleeping: ["--line-2", 0.3], blocked: ["--line-1", 0.7], stopped: ["--dim", 0.5],
	idle: ["--rule", 0.2], zombie: ["--dim", 0.4], ended: ["--rule", 0.1] };
const LANE = 20;
const LANES_MAX = 64;

// Whether a thread did anything in a part of the time; those that had ended before would only take room.
const wasThere = (thread, history, from, to) => {
	for (let i = from; i < to; i++)
		if (thread.states[history.at(i)] % STATES.indexOf("ended") !== 0)
			return true;
	return false;
};

export class Lanes {
	constructor(series) {
		this.series = series;
		this.body = make("div", { class: "lanes", role: "list", "aria-label": "Threads over time" });
		this.legend = make("p", { class: "legend" }, Object.entries(LOOKS).map(([name, [colour]]) => {
			const swatch = make("span", { class: "swatch" });
			swatch.style.background = `var(${colour})`;
			return make("span", {}, swatch, name);
		}));
		this.lanes = new Map();
		this.element = make("section", { class: "pane" },
			make("p", { class: "sentence" }, "What threads did in the last minutes; the newest is on the right."), this.body, this.legend);
	}

	show() {
		const history = this.series.history;
		const { from, to } = this.series.range();
		const shown = Array.from(history.threads).filter(([, thread]) => wasThere(thread, history, from, to)).slice(0, LANES_MAX);
		const keys = new Set(shown.map(([key]) => key));
		for (const [key, lane] of this.lanes)
			if (!keys.has(key)) {
				lane.element.remove();
				this.lanes.delete(key);
			}
		for (const [key, thread] of shown)
			this.draw(this.lane(key, thread.name), thread, history);
	}

	lane(key, name) {
		if (!this.lanes.has(key)) {
			const canvas = make("canvas", { role: "img" });
			const state = make("span", { class: "dim" });
			const element = make("div", { class: "lane", role: "listitem" },
				make("span", { class: "lane-name" }, nameElement(name, 24)), canvas, state);
			this.lanes.set(key, { element, canvas, state });
			this.body.append(element);
		}
		return this.lanes.get(key);
	}

	draw(lane, thread, history) {
		const { from, to } = this.series.range();
		const now = STATES[thread.states[history.at(to - 1)]] || "gone";
		setText(lane.state, now);
		lane.canvas.setAttribute("aria-label", `now ${now}`);
		const width = lane.canvas.clientWidth, ratio = devicePixelRatio || 1;
		if (!width)
			return;
		if (lane.canvas.width !== Math.round(width * ratio)) {
			lane.canvas.width = Math.round(width * ratio);
			lane.canvas.height = LANE * ratio;
		}
		const pen = lane.canvas.getContext("2d");
		const style = getComputedStyle(lane.canvas);
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		pen.clearRect(0, 0, width, LANE);
		const step = width / Math.max(1, to - from);
		for (let i = from; i < to; i++) {
			const look = LOOKS[STATES[thread.states[history.at(i)]]];
			if (!look)
				continue;
			pen.fillStyle = style.getPropertyValue(look[0]);
			pen.fillRect((i - from) * step, LANE * (1 - look[1]), Math.ceil(step), LANE * look[1]);
		}
	}
}
