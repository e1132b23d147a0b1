// What has changed since a mark: windows of a running program before and after it, and their comparison.
import { make, setText } from "./dom.js";
import { Comparison } from "./compare.js";
import { duration } from "./format.js";

const sentence = (words) => words ? `${words[0].toUpperCase()}${words.slice(1)}.` : "";

const timeOf = (unixNs) => new Date(unixNs / 1e6).toLocaleTimeString();

// A side: how many windows it has, and how far it is on the way to a verdict.
const makeSide = (label) => {
	const count = make("dd", { class: "big" }), of = make("dd", { class: "dim" });
	const bar = make("div", { class: "bar", "aria-hidden": "true" });
	return {
		element: make("div", { class: "card" }, make("dt", {}, label), count, of, make("dd", {}, bar)),
		show(windows, { needed, kept }) {
			setText(count, String(windows));
			const isEnough = windows < kept ? "enough for a verdict" : "the newest";
			setText(of, windows < needed ? `${needed - windows} more for a verdict` : isEnough);
			bar.style.setProperty("--share", `${Math.min(100, windows / needed * 100)}%`);
		},
	};
};

const makeFact = (label) => {
	const value = make("dd", { class: "big" }), more = make("dd", { class: "dim" });
	return {
		element: make("div", { class: "card" }, make("dt", {}, label), value, more),
		show(words, others) {
			setText(value, words);
			setText(more, others);
		},
	};
};

const markedBy = ({ mark, restarts, restarted_unix_ns: at }) => {
	if (!mark)
		return restarts ? `started again at ${timeOf(at)}` : "";
	if (mark.by === "restart")
		return "by the restart";
	return restarts ? `then started again, ${timeOf(at)}` : "by hand";
};

export class Marks {
	// What to do when a mark is set, and when all is forgotten.
	constructor({ mark, clear }) {
		this.before = makeSide("Windows before");
		this.after = makeSide("Windows after");
		this.mark = makeFact("Mark");
		this.length = makeFact("Length of a window");
		this.marker = make("button", { type: "button", class: "primary", on: { click: mark } }, "Mark now");
		this.clearer = make("button", { type: "button", class: "quiet", on: { click: clear } }, "Start over");
		this.state = make("p", { class: "next", role: "status" }, "Reading the first window …");
		this.cards = make("dl", { class: "cards", hidden: true },
			this.before.element, this.after.element, this.mark.element, this.length.element);
		this.compared = new Comparison("Something became slower since the mark.", "Nothing became slower since the mark.");
		this.compared.cards.hidden = true;
		this.compared.element.hidden = true;
		this.element = make("section", { class: "pane marks" },
			make("p", { class: "sentence" },
				"Mark a moment, change something, and see what became of it: also by another build that is started in place of this one."),
			make("div", { class: "tools" }, this.marker, this.clearer, this.state), this.cards, this.compared.element);
	}

	// The page draws views with the report; this one has its own answers.
	show() {}

	take(answer) {
		const { windows, mark, missing, comparison } = answer;
		setText(this.state, sentence(missing) || "The comparison gets more certain with each window.");
		this.before.show(windows.before, windows);
		this.after.show(windows.after, windows);
		this.mark.show(mark ? timeOf(mark.unix_ns) : "none", markedBy(answer));
		this.length.show(duration(windows.window_ns), "");
		this.cards.hidden = false;
		this.clearer.disabled = windows.before + windows.after === 0;
		this.compared.element.hidden = !comparison;
		if (comparison)
			this.compared.show(comparison);
	}

	fail(words) {
		setText(this.state, sentence(words));
	}
}
