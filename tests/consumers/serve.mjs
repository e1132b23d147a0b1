// SPDX-License-Identifier: MIT
// The page of hotpath serve, of a program that really runs, until it is killed.
//
// usage: node serve.mjs LINK PID PICTURE
import { onPage } from "./browser.mjs";
import { openPane, written } from "./page_figures.mjs";

const [link, pid, picture] = process.argv.slice(2);
const { origin } = new URL(link);

await onPage(async (page, check) => {
	page.on("console", (message) => message.type() === "error" && check(false, `the console says ${message.text()}`));
	const sees = async (words, locator) => locator.waitFor({ timeout: 20000 }).catch(() => check(false, `nobody sees ${words}`));
	const state = (words) => sees(`the state ${words}`, page.locator(".state", { hasText: new RegExp(`^${words}$`) }));
	const rowsOf = (key) => page.locator(`[data-section=${key}] tbody tr`).evaluateAll((rows) =>
		rows.map((row) => Array.from(row.cells, (cell) => cell.textContent)));

	await page.goto(link);
	check(!page.url().includes("token"), `the token is left in the address: ${page.url()}`);
	await state("running");
	await openPane(page, "Functions", "Timing");
	await sees("a function", page.locator("[data-section=functions_timing] tbody tr", { hasText: "look_up_price" }));
	await openPane(page, "Over time", "Charts");
	await sees("a rate of calls", page.locator(".chart", { hasText: "Calls per second" }).locator(".figure", { hasText: /[1-9]/ }));
	await sees("percentiles", page.locator(".chart-legend", { hasText: "p99" }));
	await page.screenshot({ path: picture });
	await openPane(page, "Functions", "Tree");
	await sees("the call tree", page.locator("[data-section=call_tree] tbody tr", { hasText: "serve_customer" }));
	await openPane(page, "Flame graphs");
	await sees("a flame graph", page.locator("#frames > g").filter({ hasText: /^look_up_price\n/ }).first());
	for (const graph of ["Allocations", "Not freed", "Waits", "Measured time"]) {
		await openPane(page, graph);
		await sees(graph, page.locator("#frames > g").nth(3));
	}

	await openPane(page, "Functions", "Timing");
	process.kill(Number(pid), "SIGKILL");
	await state("ended");
	const report = await page.evaluate((id) => fetch(`api/report?program=${id}&section=timing`).then((answer) => answer.json()), pid);
	const rows = await rowsOf("functions_timing");
	for (const row of report.functions_timing.data.filter((it) => !it.caller))
		check(rows.some(([name, calls]) => name === row.name && calls === written(row.calls, "calls")),
			`${row.name} has ${row.calls} calls, and not ${rows.find(([name]) => name === row.name)}`);
	await page.screenshot({ path: picture.replace(".png", "-ended.png") });
}, origin);
