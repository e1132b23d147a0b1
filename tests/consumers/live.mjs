// SPDX-License-Identifier: MIT
// The page of a server: a program that runs, its charts and tables; that is killed, and started again; and a server that is gone.
//
// usage: node live.mjs SERVER PICTURE
import { onPage } from "./browser.mjs";
import { openPane, written } from "./page_figures.mjs";

const [server, picture] = process.argv.slice(2);
// How often the page asks for what takes a server long.
const WHOLE_MS = 10000;

await onPage(async (page, check) => {
	let isBusy = false;
	page.on("console", (message) => message.type() === "error" && !isBusy && check(false, `the console says ${message.text()}`));
	const shot = (name) => page.screenshot({ path: picture.replace(".png", `-${name}.png`) });
	const sees = async (words, locator) => locator.waitFor({ timeout: 20000 }).catch(() => check(false, `nobody sees ${words}`));
	const state = (words) => sees(`the state ${words}`, page.locator(".state", { hasText: new RegExp(`^${words}$`) }));
	const tell = (what) => page.evaluate((path) => fetch(path, { method: "POST" }), what);
	// What is asked for seldom is asked for every second. It counts how far things have moved without anybody having touched them,
	// how often each of these was asked for, by its interval in milliseconds, and the updates that have come.
	await page.addInitScript(() => {
		const every = window.setInterval;
		window.turns = {};
		window.setInterval = (ask, ms) => every(() => {
			ask();
			window.turns[ms] = (window.turns[ms] ?? 0) + 1;
		}, Math.min(ms, 1000));
		window.updates = 0;
		window.EventSource = class extends EventSource {
			constructor(path) {
				super(path);
				this.addEventListener("report", () => { window.updates++; });
			}
		};
		window.shift = 0;
		new PerformanceObserver((list) => list.getEntries().forEach((entry) => { window.shift += entry.value; }))
			.observe({ type: "layout-shift", buffered: true });
	});

	const furtherUpdates = async (count) => page.waitForFunction((least) => window.updates >= least,
		count + await page.evaluate(() => window.updates), { timeout: 60000 });
	// The call tree and flame graphs are asked for, or would be if nobody held them.
	const furtherTurns = async (count) => page.waitForFunction(([ms, least]) => window.turns[ms] >= least,
		[WHOLE_MS, count + await page.evaluate((ms) => window.turns[ms] ?? 0, WHOLE_MS)], { timeout: 60000 });

	// ---- programs ----

	await page.goto(server);
	await sees("four programs", page.locator("tbody tr").nth(3));
	await page.locator("tbody tr").first().focus();
	await page.keyboard.press("Enter");
	await state("running");

	// ---- figures change, and nothing moves ----

	await openPane(page, "Functions", "Timing");
	const calls = async () => Number(await page.locator("[data-section=functions_timing] tbody tr",
		{ has: page.getByText("accept_order", { exact: true }) }).locator("td").first().textContent());
	const before = await calls();
	await page.waitForFunction(([name, least]) => Array.from(document.querySelectorAll("[data-section=functions_timing] tbody tr"))
		.some((row) => row.cells[0].textContent === name && Number(row.cells[1].textContent) > least), ["accept_order", before]);
	await page.evaluate(() => { window.shift = 0; });
	const later = await calls();
	await page.waitForFunction(([name, least]) => Array.from(document.querySelectorAll("[data-section=functions_timing] tbody tr"))
		.some((row) => row.cells[0].textContent === name && Number(row.cells[1].textContent) > least + 300), ["accept_order", later]);
	const shift = await page.evaluate(() => window.shift);
	check(shift < 0.05, `the page moves while figures change: ${shift}`);
	await shot("functions");

	// ---- charts ----

	await openPane(page, "Over time", "Charts");
	const chart = page.locator(".chart", { hasText: "Calls per second" });
	await sees("a rate of calls", chart.locator(".chart-legend .figure", { hasText: /[1-9]/ }));
	for (const title of ["CPU, in percent", "Memory", "Allocated per second", "Times of the calls of each second", "Locks that were not free",
		"Messages per second", "Messages in queues"])
		check(await page.locator(".chart", { hasText: title }).first().isVisible(), `no chart: ${title}`);
	check(await page.locator(".chart-legend", { hasText: "p99" }).count() === 1, "no percentiles of functions");
	const drawn = await chart.locator("canvas").evaluate((canvas) =>
		canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data.some((part) => part > 0));
	check(drawn, "nothing is drawn");
	await page.locator("select").selectOption("look_up_price");
	await sees("the times of a function that was chosen", page.locator(".chart-legend", { hasText: "look_up_price p95" }));
	await page.getByRole("button", { name: "Remove look_up_price" }).click();

	// A part of the time is chosen by dragging; then it stands still.
	await furtherUpdates(8);
	const box = await chart.locator("canvas").boundingBox();
	await page.mouse.move(box.x + 100, box.y + 40);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width - 60, box.y + 40);
	await page.mouse.up();
	const freezer = page.getByRole("button", { name: /^Fr(eeze|ozen)/ });
	check(await freezer.getAttribute("aria-pressed") === "true", "what is chosen is frozen");
	await page.mouse.move(5, 5);
	const legend = () => chart.locator(".chart-legend").textContent();
	const frozen = await legend();
	await furtherUpdates(4);
	check(await legend() === frozen, "what is frozen changes");
	await shot("charts");
	await freezer.click();
	check(await freezer.getAttribute("aria-pressed") === "false", "it goes on");
	await chart.locator("canvas").focus();
	await page.keyboard.press("ArrowLeft");
	await page.keyboard.press("Escape");

	await openPane(page, "Over time", "Lanes of threads");
	await sees("lanes", page.locator(".lane", { hasText: "clerk-1" }));
	await shot("lanes");

	// ---- functions of one name, and a deadlock while somebody is at one of them ----

	await page.goto(`${server}?twins#program=twins&tab=overview`);
	const twin = (at) => page.locator(".top button").nth(at);
	const figures = () => page.locator(".top button .figure:not(.dim)").allTextContents();
	await sees("four functions", twin(3));
	check((await figures()).join() === "2.00 µs,1.00 µs,500 ns,400 ns", `functions of one name: ${await figures()}`);
	await openPane(page, "Over time", "Charts");
	await sees("the calls of all", page.locator(".chart", { hasText: "Calls per second" }).locator(".figure", { hasText: /^2110\b/ }));
	const times = (words) => page.locator(".chart", { hasText: "Times of the calls" }).locator(".chart-legend", { hasText: words });
	await sees("the times of the calls of a second", times(/twin p50\s*700 ns/));
	await openPane(page, "Overview");
	await twin(0).focus();
	await tell("/deadlock");
	await sees("the deadlock", page.getByText("a waits for b waits for a", { exact: true }));
	check(await twin(1).evaluate((it) => it === document.activeElement), "who is at a function stays there");
	check((await figures()).join() === "3.00 µs,2.00 µs,500 ns,400 ns", `functions in another order: ${await figures()}`);
	await openPane(page, "Over time", "Charts");
	await sees("that calls have become slow", times(/twin p50\s*900\.00 µs/));
	await sees("that nothing is known", times(/twin p95\s*–/));
	await openPane(page, "Overview");

	// ---- a saved report, of which there is one update ----

	await page.goto(`${server}?saved#program=saved&tab=Functions`);
	await state("saved");
	await openPane(page, "Functions", "Tree");
	await sees("the call tree of a saved report", page.locator("[data-section=call_tree] tbody tr", { hasText: "serve_customer" }));

	// ---- what the server is asked for ----

	await page.goto(`${server}#program=demo-0`);
	await state("running");

	await openPane(page, "Functions", "Tree");
	await sees("the call tree", page.locator("[data-section=call_tree] tbody tr", { hasText: "serve_customer" }));
	await page.getByRole("tab", { name: "Flame graphs", exact: true }).click();
	await sees("a flame graph", page.locator("#frames > g").filter({ hasText: /^look_up_price\n/ }).first());
	await page.getByRole("tab", { name: "Waits", exact: true }).last().click();
	await sees("a flame graph of waits", page.locator("#frames > g").filter({ hasText: /^sleep\n/ }).first());
	await shot("flames");

	// Who types, or is at a frame, is not disturbed; then it goes on.
	const search = page.getByLabel("Search in the flame graph");
	const asked = () => page.waitForResponse((response) => response.url().includes("api/flame"));
	await asked();
	await search.click();
	await page.keyboard.type("sle");
	await furtherTurns(2);
	await page.keyboard.type("ep");
	check(await search.inputValue() === "sleep", `what is typed gets lost: ${await search.inputValue()}`);
	await page.locator(".flame").focus();
	await page.keyboard.press("ArrowDown");
	await furtherTurns(2);
	check(await page.locator("#frames .current").count() === 1, "the frame that was chosen gets lost");
	await page.keyboard.press("Escape");
	check(await page.locator("#frames .current").count() === 0, "Escape leaves the frame");
	await asked();
	await page.setViewportSize({ width: 360, height: 740 });
	for (const tab of ["Overview", "Over time", "Functions"]) {
		await openPane(page, tab);
		const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		check(over <= 0, `${tab} is ${over} pixels too wide`);
		await shot(`360-${tab.replace(" ", "_")}`);
	}
	await page.setViewportSize({ width: 1280, height: 720 });

	// ---- the end, and a new beginning ----

	await openPane(page, "Functions", "Timing");
	await tell("/kill");
	await state("ended");
	const report = await page.evaluate(() => fetch("api/report?program=demo-0&section=timing").then((answer) => answer.json()));
	const rows = await page.locator("[data-section=functions_timing] tbody tr").evaluateAll((elements) =>
		elements.map((row) => [row.cells[0].textContent, row.cells[1].textContent]));
	for (const row of report.functions_timing.data.filter((it) => !it.caller))
		check(rows.some(([name, count]) => name === row.name && count === written(row.calls, "calls")),
			`${row.name} has ${row.calls} calls, and not ${rows.find(([name]) => name === row.name)}`);
	const [atEnd, facts] = [await calls(), await page.locator(".top-bar > .dim").textContent()];
	await tell("/restart");
	await state("running, restarted 1×");
	check(await calls() < atEnd, `a program that is started again counts from nothing: ${await calls()}, after ${atEnd}`);
	check((await page.locator(".top-bar > .dim").textContent()).split(" · ")[0] !== facts.split(" · ")[0], "it is another process");
	check(new URL(page.url()).hash.includes("program=demo-1"), `the address has the program before: ${page.url()}`);
	await openPane(page, "Functions", "Tree");
	await sees("the call tree of the new process", page.locator("[data-section=call_tree] tbody tr", { hasText: "serve_customer" }));
	await page.getByRole("tab", { name: "Flame graphs", exact: true }).click();
	await sees("a flame graph of the new process", page.locator("#frames > g").filter({ hasText: /^look_up_price\n/ }).first());
	await shot("restarted");

	// ---- a server that is busy, and a program that is not there any more ----

	isBusy = true;
	await tell("/busy");
	await page.getByRole("tab", { name: "Measured time", exact: true }).click();
	await sees("why there is no flame graph", page.locator(".flame .empty", { hasText: "the server is busy" }));
	await page.goto(`${server}?gone#program=gone`);
	await sees("why there is no list", page.locator(".problem", { hasText: "the server is busy" }));
	await tell("/idle");
	await sees("four programs", page.locator("tbody tr").nth(3));
	isBusy = false;
	check(await page.locator(".problem").textContent() === "", "the server is still busy");
	await tell("/kill");
	await sees("the end of a program in the list", page.locator("tbody tr", { hasText: "ended" }));
}, server);
