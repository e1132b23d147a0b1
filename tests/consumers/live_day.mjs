// SPDX-License-Identifier: MIT
// The updates of 24 hours in fast motion, with the page at its charts: memory does not grow.
//
// usage: node live_day.mjs SERVER
import { onPage } from "./browser.mjs";
import { openPane } from "./page_figures.mjs";

const [server] = process.argv.slice(2);
const HOUR_S = 3600;
// What the heap may have at the end more than after the first hours, in bytes.
const GROWTH = 4e6;

await onPage(async (page, check) => {
	page.on("console", (message) => message.type() === "error" && check(false, `the console says ${message.text()}`));
	const session = await page.context().newCDPSession(page);
	const used = async () => {
		await session.send("HeapProfiler.collectGarbage");
		const { metrics } = await session.send("Performance.getMetrics");
		const value = (name) => metrics.find((metric) => metric.name === name).value;
		return { heap: value("JSHeapUsedSize"), nodes: value("Nodes") };
	};
	const elapsed = () => page.locator(".top-bar > .dim").textContent().then((text) => Number(/([\d.]+) s$/.exec(text)?.[1] ?? 0));
	const until = async (seconds) => page.waitForFunction((least) =>
		Number(/([\d.]+) s$/.exec(document.querySelector(".top-bar > .dim").textContent)?.[1] ?? 0) >= least, seconds, { timeout: 150000 });

	await session.send("Performance.enable");
	await page.goto(`${server}#program=day`);
	await until(10);
	for (const [tab, pane] of [["Functions"], ["Threads"], ["Data flow"], ["Over time", "Lanes of threads"], ["Over time", "Charts"]])
		await openPane(page, tab, pane);
	await until(2 * HOUR_S);
	const first = await used();
	await until(24 * HOUR_S);
	const last = await used();
	console.log(`after ${await elapsed()} s: heap ${Math.round(first.heap / 1024)} to ${Math.round(last.heap / 1024)} KB, ` +
		`nodes ${first.nodes} to ${last.nodes}`);
	check(last.heap < first.heap + GROWTH, `the heap grows from ${first.heap} to ${last.heap} bytes`);
	check(last.nodes < first.nodes + 500, `elements grow from ${first.nodes} to ${last.nodes}`);
}, server);
