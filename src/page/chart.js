// A chart of some series over the last minutes, on a canvas, with a legend that has their figures at the pointer, or the newest.
import { make, nameElement, setText } from "./dom.js";
import { written } from "./format.js";

// Told apart by dashes as well as by colours.
const COLOURS = ["--line-1", "--line-2", "--line-3", "--line-4", "--line-5", "--line-6"];
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3], [12, 4], [1, 2]];
const HEIGHT_PX = 120;
const LEFT = 64;
const BOTTOM = 18;
const LEAST_POINTS = 5;

const niceMost = (most, unit) => {
	if (!(most > 0))
		return 1;
	const base = unit === "bytes" ? 2 : 10;
	const power = base ** Math.floor(Math.log(most) / Math.log(base));
	return [1, 2, 2.5, 5, 10].map((step) => step * power).find((step) => step >= most) ?? most;
};

const agoText = (seconds) => seconds < 90 ? `−${Math.round(seconds)} s` : `−${(seconds / 60).toFixed(1)} min`;

export class Chart {
	// All charts of a window share what part of the time they show: { from, to, choose(from, to), point }.
	constructor(title, unit, window) {
		this.title = title;
		this.unit = unit;
		this.window = window;
		this.canvas = make("canvas", { role: "img", tabindex: "0", "aria-label": title, on: {
			pointerdown: (event) => this.grab(event), pointermove: (event) => this.move(event),
			pointerup: (event) => this.release(event), pointerleave: () => this.window.pointAt(null),
			dblclick: () => this.window.choose(null), keydown: (event) => this.press(event) } });
		this.legend = make("ul", { class: "chart-legend" });
		this.element = make("figure", { class: "chart" }, make("figcaption", {}, title), this.canvas, this.legend);
	}

	// ---- the pointer, and keys ----

	momentAt(event) {
		const box = this.canvas.getBoundingClientRect();
		const share = (event.clientX - box.left - LEFT) / Math.max(1, box.width - LEFT);
		const { from, to } = this.window.range();
		return Math.round(from + Math.max(0, Math.min(1, share)) * (to - 1 - from));
	}

	grab(event) {
		this.grabbed = this.momentAt(event);
	}

	move(event) {
		this.window.pointAt(this.momentAt(event));
	}

	release(event) {
		const [from, to] = [this.grabbed, this.momentAt(event)].sort((a, b) => a - b);
		if (this.grabbed !== undefined && to - from >= LEAST_POINTS)
			this.window.choose({ from, to: to + 1 });
		this.grabbed = undefined;
	}

	press(event) {
		const { from, to } = this.window.range();
		const point = this.window.point ?? to - 1;
		const actions = {
			ArrowLeft: () => this.window.pointAt(Math.max(from, point - 1)),
			ArrowRight: () => this.window.pointAt(Math.min(to - 1, point + 1)),
			"+": () => this.window.zoom(0.5), "-": () => this.window.zoom(2), Escape: () => this.window.choose(null),
		};
		if (!actions[event.key])
			return;
		event.preventDefault();
		actions[event.key]();
	}

	// ---- drawing ----

	draw(history, names) {
		const range = this.window.range();
		const lines = names.map((name) => ({ name, ring: history.series.get(name) })).filter((line) => line.ring);
		this.element.hidden = lines.length === 0;
		if (lines.length === 0 || !this.canvas.clientWidth)
			return;
		const most = niceMost(this.most(history, lines, range), this.unit);
		const pen = this.pen();
		this.drawAxes(pen, history, range, most);
		lines.forEach((line, i) => this.drawLine(pen, history, line.ring, i, range, most));
		this.drawPoint(pen, range);
		this.drawLegend(history, lines, range);
	}

	pen() {
		const ratio = devicePixelRatio || 1;
		this.width = this.canvas.clientWidth;
		if (this.canvas.width !== Math.round(this.width * ratio)) {
			this.canvas.width = Math.round(this.width * ratio);
			this.canvas.height = Math.round(HEIGHT_PX * ratio);
		}
		const pen = this.canvas.getContext("2d");
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		pen.clearRect(0, 0, this.width, HEIGHT_PX);
		this.style = getComputedStyle(this.canvas);
		pen.font = `11px ${this.style.fontFamily}`;
		return pen;
	}

	most(history, lines, { from, to }) {
		let most = 0;
		for (const { ring } of lines)
			for (let i = from; i < to; i++)
				most = Math.max(most, ring[history.at(i)] || 0);
		return most;
	}

	x(number, { from, to }) {
		return LEFT + (number - from) / Math.max(1, to - 1 - from) * (this.width - LEFT - 4);
	}

	y(value, most) {
		return 6 + (1 - value / most) * (HEIGHT_PX - BOTTOM - 8);
	}

	colour(name) {
		return this.style.getPropertyValue(name);
	}

	drawAxes(pen, history, range, most) {
		pen.fillStyle = this.colour("--dim");
		pen.strokeStyle = this.colour("--rule");
		pen.lineWidth = 1;
		pen.setLineDash([]);
		pen.textAlign = "right";
		for (const part of [0, 0.5, 1]) {
			const y = Math.round(this.y(part * most, most)) + 0.5;
			pen.beginPath();
			pen.moveTo(LEFT, y);
			pen.lineTo(this.width, y);
			pen.stroke();
			pen.fillText(written(part * most, this.unit), LEFT - 6, y + 4);
		}
		const newest = history.times[history.at(history.count - 1)];
		pen.textAlign = "left";
		pen.fillText(agoText(newest - history.times[history.at(range.from)]), LEFT, HEIGHT_PX - 4);
		pen.textAlign = "right";
		pen.fillText(range.to === history.count ? "now" : agoText(newest - history.times[history.at(range.to - 1)]),
			this.width - 4, HEIGHT_PX - 4);
	}

	drawLine(pen, history, ring, nth, range, most) {
		pen.strokeStyle = this.colour(COLOURS[nth % COLOURS.length]);
		pen.setLineDash(DASHES[(nth + Math.floor(nth / COLOURS.length)) % DASHES.length]);
		pen.lineWidth = 1.6;
		pen.beginPath();
		let drawing = false;
		for (let i = range.from; i < range.to; i++) {
			const value = ring[history.at(i)];
			if (Number.isNaN(value))
				drawing = false;
			else
				pen[drawing ? "lineTo" : "moveTo"](this.x(i, range), this.y(value, most));
			drawing = !Number.isNaN(value);
		}
		pen.stroke();
	}

	drawPoint(pen, range) {
		const point = this.window.point;
		if (point === null || point < range.from || point >= range.to)
			return;
		pen.strokeStyle = this.colour("--dim");
		pen.setLineDash([2, 2]);
		pen.lineWidth = 1;
		pen.beginPath();
		pen.moveTo(this.x(point, range), 4);
		pen.lineTo(this.x(point, range), HEIGHT_PX - BOTTOM);
		pen.stroke();
	}

	drawLegend(history, lines, range) {
		const names = lines.map((line) => line.name).join("\u0000");
		if (names !== this.shown) {
			this.shown = names;
			this.legend.replaceChildren(...lines.map((line, i) => {
				const swatch = make("span", { class: "swatch" });
				swatch.style.background = `var(${COLOURS[i % COLOURS.length]})`;
				return make("li", {}, swatch, nameElement(line.name, 40), make("span", { class: "figure" }));
			}));
		}
		const point = this.window.point ?? range.to - 1;
		const texts = lines.map((line) => {
			const value = line.ring[history.at(point)];
			return Number.isNaN(value) ? "–" : written(value, this.unit);
		});
		texts.forEach((text, i) => setText(this.legend.children[i].lastChild, text));
		this.canvas.setAttribute("aria-label", `${this.title}: ${lines.map((line, i) => `${line.name} ${texts[i]}`).join(", ")}`.slice(0, 500));
	}
}
