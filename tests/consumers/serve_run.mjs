// SPDX-License-Identifier: MIT
// The page of hotpath serve, of a run with two programs that really run, besides one that has ended.
//
// usage: node serve_run.mjs LINK PICTURE
import { onPage } from "./browser.mjs";
import { openPane } from "./page_figures.mjs";

const [link, picture] = process.argv.slice(2);
const { origin } = new URL(link);

await onPage(async (page, check) => {
	page.on("console", (message) => message.type() === "error" && check(false, `the console says ${message.text()}`));
	const sees = async (words, locator) => locator.waitFor({ timeout: 20000 }).catch(() => check(false, `nobody sees ${words}`));
	const fits = async (what) => {
		const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
		check(over <= 0, `${what} is ${over} pixels too wide`);
	};
	const programs = () => page.evaluate(() => fetch("api/programs").then((answer) => answer.json()).then((list) => list.programs));

	// ---- a run is one row, with its processes below it ----

	await page.goto(link);
	await sees("four programs", page.locator("tbody tr").nth(3));
	const rows = page.locator("tbody tr");
	const kinds = await rows.evaluateAll((all) => all.map((row) => row.cells[1].textContent));
	check(kinds.join() === "run,process of a run,process of a run,process", `the list has ${kinds}`);
	check(await page.locator("tbody th.member").count() === 2, "processes of a run are not below it");
	const run = (await programs()).find((program) => program.kind === "run");
	check(await rows.first().locator("td").nth(3).textContent() === String(run.processes), "the number of processes");
	await page.screenshot({ path: picture });

	// ---- by keys ----

	await rows.nth(1).focus();
	await page.keyboard.press("ArrowUp");
	await page.keyboard.press("Enter");
	await sees("the state of the run", page.locator(".state", { hasText: /^running$/ }));
	await sees("how many processes it has", page.locator(".top-bar .dim", { hasText: /^3 processes · / }));
	check(new URLSearchParams(new URL(page.url()).hash.slice(1)).get("program") === run.id, `the address is ${page.url()}`);
	await openPane(page, "Functions", "Timing");
	await sees("a function", page.locator("[data-section=functions_timing] tbody tr", { hasText: "look_up_price" }));
	await openPane(page, "Over time", "Charts");
	await sees("a rate of calls", page.locator(".chart", { hasText: "Calls per second" }).locator(".figure", { hasText: /[1-9]/ }));
	await openPane(page, "Threads", "Processes");
	await sees("both programs", page.locator("[data-section=process_tree] tbody tr", { hasText: "hotpath-demo" }).nth(1));
	await page.screenshot({ path: picture.replace(".png", "-processes.png") });

	// ---- narrow ----

	await page.setViewportSize({ width: 360, height: 740 });
	await fits("the view of a run");
	await openPane(page, "Programs");
	await fits("the list");
	await page.screenshot({ path: picture.replace(".png", "-360.png") });
	await rows.nth(1).focus();
	await page.keyboard.press("Enter");
	await sees("one process", page.locator(".top-bar .dim", { hasText: /^pid / }));
}, origin);
