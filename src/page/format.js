// Numbers as people write them, in the same words as the tables of the tool.

// Half up, as the tool rounds whole numbers.
const rounded = (value, digits) => (Math.floor(Math.abs(value) * 10 ** digits + 0.5) / 10 ** digits).toFixed(digits);

// A value in tenths or hundredths of a unit, rounded half up by whole numbers, as the tool does.
const partsOf = (value, size, parts) => Math.floor(value / size) * parts + Math.floor((value % size * parts + size / 2) / size);

// The smallest unit in which the rounded value is less than one of the next.
const scaled = (value, units, digits) => {
	const parts = 10 ** digits;
	let at = 0;
	while (at + 1 < units.length && partsOf(value, units[at][1], parts) >= units[at + 1][1] / units[at][1] * parts)
		at++;
	return `${(partsOf(value, units[at][1], parts) / parts).toFixed(digits)} ${units[at][0]}`;
};

const TIMES = [["µs", 1e3], ["ms", 1e6], ["s", 1e9]];
const SIZES = [["KB", 2 ** 10], ["MB", 2 ** 20], ["GB", 2 ** 30], ["TB", 2 ** 40], ["PB", 2 ** 50]];
const RATES = [["M", 1e6], ["G", 1e9]];

const sign = (value) => value < 0 ? "-" : "";

export const duration = (ns) =>
	sign(ns) + (Math.abs(ns) < 1000 ? `${Math.round(Math.abs(ns))} ns` : scaled(Math.abs(ns), TIMES, 2));

export const bytes = (count) =>
	sign(count) + (Math.abs(count) < 1024 ? `${Math.round(Math.abs(count))} B` : scaled(Math.abs(count), SIZES, 1));

export const count = (value) => String(Math.round(value));

export const percent = (value) => `${sign(value)}${rounded(value, 2)}%`;

export const rate = (value) => {
	if (rounded(value, 2) === "0.00")
		return "0";
	if (value < 9.995)
		return rounded(value, 2);
	return value < 999999.5 ? count(value) : scaled(value, RATES, 1);
};

const plainNumber = (value) => Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(6)));

export const moment = (unixNs) => new Date(unixNs / 1e6).toLocaleString();

const writers = { moment, ns: duration, bytes, count, percent, rate, number: plainNumber };

// A noun for a number of things; of words that are no simple noun, "rows".
export const nounFor = (noun, number) => {
	const word = noun.includes(" ") ? "row" : noun;
	return number === 1 ? word : `${word}${word.endsWith("s") ? "es" : "s"}`;
};

// A value of a report, with a dash for one that is not known.
export const written = (value, unit) => {
	if (value === null || value === undefined)
		return "–";
	if (typeof value === "number")
		return (writers[unit] ?? plainNumber)(value);
	if (typeof value === "boolean")
		return value ? "yes" : "no";
	return String(value);
};
