// SPDX-License-Identifier: MIT
// What has changed since a mark, on the page of hotpath serve: a program that goes on as it was, and then takes longer for one thing.
//
// usage: node marks.mjs LINK COMMANDS PICTURE
//
// A line that is written to COMMANDS tells the program what to do.
import { onPage } from "./browser.mjs";
import { openPane } from "./page_figures.mjs";
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

const [link, commands, picture] = process.argv.slice(2);
const { origin } = new URL(link);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

await onPage(async (page, check) => {
	page.on("console", (message) => message.type() === "error" && check(false, `the console says ${message.text()}`));
	const sees = async (words, locator) => locator.waitFor({ timeout: 90000 }).catch(() => check(false, `nobody sees ${words}`));
	const next = (words) => sees(`“${words}”`, page.locator(".next", { hasText: words }));
	const rowOf = (name) => page.locator("[data-section=timing] tbody tr", { has: page.getByText(name, { exact: true }) });
	const verdictOf = (name) => rowOf(name).locator("td").first();
	const shot = (name) => page.screenshot({ path: picture.replace(".png", `-${name}.png`), fullPage: true });

	await page.goto(link);
	await page.locator(".state", { hasText: /^running$/ }).waitFor();
	await openPane(page, "Compare");
	await next(/Collecting what is normal: [0-5] of 6 windows/);
	await shot("collecting");

	// ---- nothing changes ----

	await next(/windows show what is normal/);
	await page.getByRole("button", { name: "Mark now" }).focus();
	await page.keyboard.press("Enter");
	await next(/0 of 6 windows since the mark/);
	await sees("that nothing has changed", page.locator(".verdict", { hasText: "Nothing became slower since the mark" }));
	for (const name of ["parse", "look_up", "store"])
		await sees(`the verdict on ${name}`, verdictOf(name).filter({ hasText: /^(same|unclear)$/ }));
	await shot("same");

	// ---- what is chosen in a table stays, while figures change ----

	const filter = page.getByLabel("Filter functions");
	await filter.fill("look");
	await page.getByRole("button", { name: "Mark now" }).click();
	writeFileSync(commands, "look_up 100\n");
	await next(/0 of 6 windows since the mark/);
	check(await page.locator(".verdict").isHidden(), "a verdict right after the mark");
	await sees("what became slower", page.locator(".verdict.worse", { hasText: "Something became slower since the mark" }));
	check(await filter.inputValue() === "look", "the filter gets lost");
	await filter.fill("");
	await sees("the function that became slower", verdictOf("look_up").filter({ hasText: "▲ slower" }));
	for (const name of ["parse", "store"])
		check(!/slower/.test(await verdictOf(name).textContent()), `${name} is slower, too`);
	check(/self per call/.test(await page.locator("[data-section=timing] thead").textContent()), "figures are per call");
	await shot("slower");

	// ---- narrow and dark, and for everybody ----

	await page.evaluate(axe);
	for (const scheme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme: scheme });
		const { violations } = await page.evaluate(() => window.axe.run());
		for (const { id, nodes } of violations)
			check(false, `${scheme}: ${id}: ${nodes[0].html.slice(0, 200)}`);
	}
	await shot("dark");
	await page.setViewportSize({ width: 360, height: 740 });
	const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
	check(over <= 0, `it is ${over} pixels too wide`);
	await shot("360");

	// ---- from the beginning ----

	await page.getByRole("button", { name: "Start over" }).click();
	await next(/Collecting what is normal: 0 of 6 windows/);
	check(await page.locator(".verdict").isHidden(), "a verdict after starting over");
}, origin);
