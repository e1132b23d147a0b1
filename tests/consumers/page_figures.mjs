// SPDX-License-Identifier: MIT
// What the tests of the page share: how a figure of a report is written, by whole numbers as the tool does; and the way to a view.

const scaled = (value, units, parts) => {
	const rounded = (size) => (value * BigInt(parts) + size / 2n) / size;
	let at = 0;
	while (at + 1 < units.length && rounded(units[at][1]) >= units[at + 1][1] / units[at][1] * BigInt(parts))
		at++;
	const digits = String(parts).length - 1;
	const text = String(rounded(units[at][1])).padStart(digits + 1, "0");
	return `${text.slice(0, -digits)}.${text.slice(-digits)} ${units[at][0]}`;
};

const TIMES = [["µs", 1000n], ["ms", 1000000n], ["s", 1000000000n]];
const SIZES = [["KB", 1n << 10n], ["MB", 1n << 20n], ["GB", 1n << 30n], ["TB", 1n << 40n]];

const written_number = (value, key) => {
	const whole = BigInt(Math.round(Math.abs(value)));
	const sign = value < 0 ? "-" : "";
	if (/(^|_)ns$/.test(key))
		return sign + (whole < 1000n ? `${whole} ns` : scaled(whole, TIMES, 100));
	if (/(^|_)bytes$/.test(key))
		return sign + (whole < 1024n ? `${whole} B` : scaled(whole, SIZES, 10));
	if (/percent/.test(key))
		return `${sign}${(Math.floor(Math.abs(value) * 100 + 0.5) / 100).toFixed(2)}%`;
	return Number.isInteger(value) && !/per_sec/.test(key) ? String(value) : null;
};

// The text of a figure, or of a name; null for what has no fixed form.
export const written = (value, key) => {
	if (value === null || value === undefined)
		return "–";
	if (typeof value === "number")
		return written_number(value, key);
	if (key === "location" && typeof value === "object")
		return null;
	return typeof value === "string" && value.length < 40 ? value : null;
};

export const openPane = async (page, tab, pane) => {
	await page.getByRole("tab", { name: tab, exact: true }).first().click();
	if (pane)
		await page.getByRole("tab", { name: pane, exact: true }).first().click();
};
