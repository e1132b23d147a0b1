// The columns of any table, by the keys of its rows: what a figure is follows from the end of its key, as in all reports.

const UNITS = [
	[/_unix_ns$/, "moment"],
	[/(^|_)ns$/, "ns"],
	[/(^|_)bytes$/, "bytes"],
	[/(^|_)percent(_|$)/, "percent"],
	[/_per_(sec|second)$/, "rate"],
	[/^(last_value|min|max|value)$/, "number"],
];

// Words that say a key's unit, which the figure has itself.
const ENDS = [[/_unix_ns$/, ""], [/_ns$/, ""], [/_count$/, ""], [/_per_(sec|second)$/, "/s"], [/^percent_total$/, "% total"], [/^percent_self$/, "% self"],
	[/(^|_)percent$/, " %"]];

// Figures that follow from others, or that only programs need; the button for all columns shows them.
const QUIET = /^(has_custom_label|kind|open|counted_calls|inner_calls|measured|(self_)?mostly_cost|caller|sum_ns|self_avg_ns|libc|value_kind|depth|parent_pid|start_unix_ns|before_ns|recorded_ns|confidence|uncontended_count|capacity|closed_instances|destroyed_instances|inclusive_count|nested_.*|.*_sampled_count|.*_min_ns|own_.*|difference_bytes|cpu_percent_max|max_poll_duration_ns)$/;

// Keys that a row may have its name by.
const NAMES = ["name", "expression", "program", "function"];

export const unitOf = (key) => UNITS.find(([end]) => end.test(key))?.[1] ?? "count";

export const labelOf = (key) => {
	let label = key;
	for (const [end, words] of ENDS)
		label = label.replace(end, words);
	return label.replaceAll("_", " ").trim() || key;
};

// Characters that change the direction of what follows them, as the line number does.
const DIRECTIONS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

export const place = (location) => {
	if (!location || typeof location === "string")
		return location ?? "";
	return location.file ? `${location.file.replace(DIRECTIONS, "\ufffd")}:${location.line}` : "";
};

// What a row waits for, and the like: the words of an object.
const words = (value) => Object.values(value).filter((part) => part !== null && typeof part !== "object").join(" · ");

export const textOf = (value, key) => {
	if (key === "location")
		return place(value) || null;
	return value && typeof value === "object" ? words(value) : value;
};

const isFigure = (value) => typeof value === "number";
const isHidden = (value) => Array.isArray(value);

const NOTHING = new Set(["null", "0", "false", '""']);

// A column says something if it differs from row to row; or if it is a word or the only row's, and not nothing. The name of the
// process is known.
const saysSomething = (rows, key) => {
	const seen = new Set(rows.map((row) => JSON.stringify(row[key] ?? null)));
	const [only] = seen;
	return seen.size > 1 || (!NOTHING.has(only) && (rows.length === 1 || (typeof rows[0][key] === "string" && key !== "process")));
};

export const nameKey = (rows) => NAMES.find((key) => rows.some((row) => key in row)) ?? Object.keys(rows[0] ?? {})[0];

// The columns of some rows, the name first: { key, label, unit, isText, isQuiet }.
export const columnsOf = (rows) => {
	const keys = new Set();
	for (const row of rows)
		for (const key of Object.keys(row))
			if (!isHidden(row[key]))
				keys.add(key);
	const first = nameKey(rows);
	keys.delete(first);
	const columns = Array.from([first, ...keys], (key) => ({
		key,
		label: key === "location" ? "where" : labelOf(key),
		unit: unitOf(key),
		isText: !rows.some((row) => isFigure(row[key])),
		isQuiet: key !== first && (QUIET.test(key) || !saysSomething(rows, key)),
	}));
	// Places are long: they come last.
	return columns.sort((a, b) => (a.key === "location") - (b.key === "location"));
};

// Texts that change while a program runs.
const CHANGING = new Set(["state", "verdict", "confidence", "last_value", "measured"]);

// Figures that are no figures of the program: functions of one name differ by them.
const NUMBERS = new Set(["pid", "offset"]);

// What tells a row from all others, and stays: the number of a thread, or its texts and places.
export const identityOf = (row) => {
	if (row.tid)
		return `${row.pid}/${row.tid}/${row.name}`;
	return Object.entries(row)
		.filter(([key, value]) => typeof value === "string" && !CHANGING.has(key) || key === "location" || NUMBERS.has(key))
		.map(([, value]) => value && typeof value === "object" ? place(value) : value).join("\u0000");
};

