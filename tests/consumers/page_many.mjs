// SPDX-License-Identifier: MIT
// A page with 500 functions: all are there, and typing into the filter is answered soon.
//
// usage: node page_many.mjs FILE
import { onPage } from "./browser.mjs";
import { openPane } from "./page_figures.mjs";
import { pathToFileURL } from "node:url";

await onPage(async (page, check) => {
	page.on("console", (message) => message.type() === "error" && check(false, `the console says ${message.text()}`));
	await page.goto(pathToFileURL(process.argv[2]).href);
	await openPane(page, "Functions", "Timing");
	const rows = page.locator("[data-section=functions_timing] tbody tr");
	check((await page.locator(".counted").first().textContent()).startsWith("501 "), "not all functions are there");
	await page.getByRole("button", { name: /^Show more/ }).click();
	check(await rows.count() === 501, `${await rows.count()} rows`);
	await page.keyboard.press("/");
	await page.keyboard.type("number_499");
	check(await rows.count() === 1, "the filter finds one of them");
	await openPane(page, "Functions", "Tree");
	check(await page.locator("[data-section=call_tree] tbody tr").count() > 1, "no call tree");
	await openPane(page, "Flame graphs");
	check(await page.locator("#frames > g").count() > 10, "no flame graph");
});
