// A histogram of times or sizes: bars on a logarithmic axis, with a table of the same figures for those who cannot see them.
import { make, makeSvg } from "./dom.js";
import { written } from "./format.js";

const WIDTH = 320;
const HEIGHT = 96;
// Bars of an octave.
const STEPS = 4;

const stepOf = (value) => Math.floor(Math.log2(Math.max(value, 1)) * STEPS);

// Points as [value, count] by steps of a quarter of an octave: [step, least value, count].
const stepsOf = (points) => {
	const steps = new Map();
	for (const [value, calls] of points) {
		const step = steps.get(stepOf(value)) ?? [stepOf(value), value, 0];
		step[2] += calls;
		steps.set(step[0], step);
	}
	return Array.from(steps.values()).sort((a, b) => a[0] - b[0]);
};

export const histogram = (label, points, unit) => {
	const steps = stepsOf(points);
	const first = steps[0][0], last = steps[steps.length - 1][0];
	const most = Math.max(...steps.map(([, , calls]) => calls));
	const wide = WIDTH / (last - first + 1);
	const bars = steps.map(([step, value, calls]) => {
		const height = Math.max(1.5, calls / most * HEIGHT);
		return makeSvg("rect", { x: (step - first) * wide, y: HEIGHT - height, width: Math.max(1, wide - 1), height },
			makeSvg("title", {}, `from ${written(value, unit)}: ${calls}`));
	});
	const total = steps.reduce((sum, [, , calls]) => sum + calls, 0);
	const words = `${label}: ${total} from ${written(points[0][0], unit)} to ${written(points[points.length - 1][0], unit)}`;
	return make("figure", { class: "histogram" },
		make("figcaption", {}, words),
		makeSvg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": words, preserveAspectRatio: "none" }, bars),
		make("div", { class: "axis", "aria-hidden": "true" },
			make("span", {}, written(points[0][0], unit)),
			make("span", {}, written(points[points.length - 1][0], unit))));
};
