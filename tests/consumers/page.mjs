// SPDX-License-Identifier: MIT
// A report as a page: all its views, what keys and clicks do, and figures that are those of the report in JSON.
//
// usage: node page.mjs FILE FIGURES PICTURE
import { onPage } from "./browser.mjs";
import { openPane, written } from "./page_figures.mjs";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [file, figures, picture] = process.argv.slice(2);
const report = JSON.parse(readFileSync(figures, "utf8"));

// Sections by tab and pane, as a person finds them.
const PANES = [
	["Functions", "Timing", "functions_timing"], ["Functions", "Memory", "functions_alloc"], ["Functions", "CPU", "functions_cpu"],
	["Functions", "Live", "memory_live"], ["Functions", "Bottlenecks", "bottlenecks"], ["Data flow", "Channels", "channels"],
	["Data flow", "Streams", "streams"], ["Data flow", "Futures", "futures"], ["Data flow", "Locks", "locks"],
	["Data flow", "Waits", "waits"], ["Threads", null, "threads"], ["Debug", null, "debug"],
];

await onPage(async (page, check) => {
	page.on("console", (message) => message.type() === "error" && check(false, `the console says ${message.text()}`));
	const tab = (name) => page.getByRole("tab", { name, exact: true }).first();
	const sheet = (key) => page.locator(`[data-section="${key}"]`);
	const names = (key) => sheet(key).locator("tbody th .name").allTextContents();

	await page.goto(pathToFileURL(file).href);
	await page.getByRole("tab", { name: "Overview" }).waitFor();

	// ---- the overview ----

	const cards = await page.locator(".card").allTextContents();
	check(cards.some((card) => card === `Elapsed${written(report.elapsed_ns, "elapsed_ns")}`), `cards: ${cards}`);
	for (const sentence of report.bottlenecks.summary)
		check(await page.getByText(sentence, { exact: true }).count() === 1, `no sentence: ${sentence}`);
	await page.screenshot({ path: picture });

	// ---- all tables ----

	for (const [tabName, pane, key] of PANES) {
		await openPane(page, tabName, pane);
		const all = sheet(key).getByRole("button", { name: "All columns" });
		if (await all.isVisible())
			await all.click();
		const keys = await sheet(key).locator("thead th").evaluateAll((cells) => cells.map((cell) => cell.dataset.key));
		const shown = await sheet(key).locator("tbody tr").evaluateAll((rows) =>
			rows.map((row) => Array.from(row.cells, (cell) => cell.textContent)));
		check(shown.length === report[key].data.length, `${key}: ${shown.length} rows, not ${report[key].data.length}`);
		report[key].data.forEach((row, i) => keys.forEach((name, j) => {
			const wanted = written(row[name], name);
			check(wanted === null || shown[i]?.[j] === wanted, `${key}, row ${i}, ${name}: '${shown[i]?.[j]}', not '${wanted}'`);
		}));
		check(keys.length >= 4, `${key} has few columns: ${keys}`);
		await page.screenshot({ path: picture.replace(".png", `-${key}.png`) });
	}

	// ---- sorting and filtering ----

	await openPane(page, "Functions", "Timing");
	const timing = sheet("functions_timing");
	const header = timing.locator("th[data-key=calls]");
	await header.getByRole("button").click();
	check(await header.getAttribute("aria-sort") === "descending", "the most calls first");
	const byCalls = report.functions_timing.data.map((row) => row.calls).sort((a, b) => b - a);
	const column = await header.evaluate((cell) => cell.cellIndex);
	const calls = async () => (await timing.locator("tbody tr").evaluateAll((rows, at) =>
		rows.map((row) => Number(row.cells[at].textContent)), column));
	check(JSON.stringify(await calls()) === JSON.stringify(byCalls), `in order: ${await calls()}`);
	await header.getByRole("button").click();
	check(await header.getAttribute("aria-sort") === "ascending", "the fewest calls first");
	check(JSON.stringify(await calls()) === JSON.stringify(byCalls.reverse()), `in order: ${await calls()}`);

	await page.keyboard.press("/");
	await page.keyboard.type("PRICE");
	const wanted = report.functions_timing.data.map((row) => row.name).filter((name) => /price/.test(name)).sort();
	check(JSON.stringify((await names("functions_timing")).sort()) === JSON.stringify(wanted), `filtered: ${await names("functions_timing")}`);
	check((await timing.locator(".counted").textContent()).startsWith(`${wanted.length} of `), "what is left is counted");
	await page.keyboard.press("Escape");
	check((await names("functions_timing")).length === report.functions_timing.data.length, "Escape shows all again");

	// ---- details, by keys ----

	const row = timing.locator("tbody tr", { has: page.getByText("price_sale", { exact: true }) });
	await row.focus();
	await page.keyboard.press("Enter");
	const details = page.locator(".details");
	check(await details.isVisible(), "Enter opens a row");
	check(await details.locator("svg rect").count() >= 1, "a histogram");
	check((await details.textContent()).includes("look_up_price"), "what it calls");
	await page.screenshot({ path: picture.replace(".png", "-details.png") });
	await page.keyboard.press("Escape");
	check(!await details.isVisible(), "Escape closes the details");
	check(await row.evaluate((it) => it === document.activeElement), "and goes back to the row");
	await page.keyboard.press("ArrowDown");
	check(await row.evaluate((it) => it.nextElementSibling === document.activeElement), "down is the next row");

	// ---- the call tree ----

	await openPane(page, "Functions", "Tree");
	const tree = sheet("call_tree");
	const whole = await tree.locator("tbody tr").count();
	const order = tree.locator("tbody tr", { has: page.getByText("order", { exact: true }) });
	check(await order.getAttribute("aria-expanded") === "true", "branches are open");
	await order.focus();
	await page.keyboard.press("ArrowLeft");
	check(await tree.locator("tbody tr").count() < whole, "left closes a branch");
	await page.keyboard.press("ArrowRight");
	check(await tree.locator("tbody tr").count() === whole, "right opens it");
	await page.keyboard.press("/");
	await page.keyboard.type("fetch_price");
	check(JSON.stringify(await names("call_tree")) === JSON.stringify(["order", "serve_customer", "price_sale", "fetch_price"]),
		`found with its callers: ${await names("call_tree")}`);
	await page.keyboard.press("Escape");

	// ---- flame graphs ----

	await tab("Flame graphs").click();
	const graphs = await page.locator(".flames [role=tab]:visible").allTextContents();
	check(graphs.length === 5, `graphs: ${graphs}`);
	for (const graph of graphs) {
		await tab(graph).click();
		check(await page.locator("#frames > g").count() >= 3, `${graph} has few frames`);
		const widths = await page.locator("#frames > g rect").evaluateAll((rects) => rects.map((rect) => rect.getBoundingClientRect().width));
		check(Math.abs(widths[0] - Math.max(...widths)) < 1, `${graph}: the program is as wide as all`);
	}
	await tab("CPU time").click();
	const frame = page.locator("#frames > g").filter({ hasText: /^look_up_price\n/ }).first();
	await frame.hover();
	check(/look_up_price · .*catalogue\.c:\d+/.test(await page.locator(".flame-details").textContent()),
		`details: ${await page.locator(".flame-details").textContent()}`);
	await frame.click();
	const box = await frame.locator("rect").boundingBox();
	check(box.width > 1000, `what is clicked is as wide as the page: ${box.width}`);
	await page.getByRole("button", { name: "Reset zoom" }).click();
	await page.getByLabel("Search in the flame graph").fill("strcmp|price");
	check(await page.locator("#frames .found").count() > 0, "what is searched is marked");
	await page.screenshot({ path: picture.replace(".png", "-flames.png") });
	await page.locator(".flame").focus();
	await page.keyboard.press("ArrowDown");
	check(await page.locator("#frames .current").count() === 1, "keys choose a frame");

	// ---- who waits for whom ----

	if (report.lock_waits?.data.length) {
		await openPane(page, "Data flow", "Lock waits");
		check(await page.locator(".graph .link").count() >= 2, "a graph of waits");
	}

	// ---- narrow, and dark ----

	for (const scheme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme: scheme });
		for (const width of [360, 1280]) {
			await page.setViewportSize({ width, height: 740 });
			for (const [tabName, pane] of [["Overview"], ["Functions", "Timing"], ["Flame graphs"]]) {
				await openPane(page, tabName, pane);
				const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
				check(over <= 0, `${tabName} is ${over} pixels too wide at ${width}`);
				await page.screenshot({ path: picture.replace(".png", `-${scheme}-${width}-${tabName.replace(" ", "_")}.png`) });
			}
		}
	}
});
