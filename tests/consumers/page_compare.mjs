// SPDX-License-Identifier: MIT
// A comparison as a page: its verdict, its rows, and how they are sorted; also with ratios to nothing, which are infinite.
//
// usage: node page_compare.mjs FILE FIGURES PICTURE
import { onPage } from "./browser.mjs";
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [file, figures, picture] = process.argv.slice(2);
const compared = JSON.parse(readFileSync(figures, "utf8"));
const infinite = file.replace(".html", "-infinite.html");

await onPage(async (page, check) => {
	page.on("console", (message) => message.type() === "error" && check(false, `the console says ${message.text()}`));
	await page.goto(pathToFileURL(file).href);
	await page.locator(".verdict").waitFor();
	await page.screenshot({ path: picture });
	check((await page.textContent(".verdict")).includes(compared.failed ? "is a regression" : "No regression"), "the verdict");
	for (const section of compared.sections.filter((it) => it.rows.length)) {
		const sheet = page.locator(`[data-section="${section.name}"]`);
		const names = await sheet.locator("tbody th .name").allTextContents();
		check(names.length === section.rows.length, `${section.name}: ${names.length} rows, not ${section.rows.length}`);
		check(names.every((name, i) => name.startsWith(section.rows[i].name)), `${section.name}: ${names}`);
		const sort = sheet.locator("thead th").nth(3);
		await sort.getByRole("button").click();
		check(await sort.getAttribute("aria-sort") === "descending", "it is sorted");
	}

	const text = readFileSync(file, "utf8");
	const changed = text.replace(/"ratio":[^,]*,"low":[^,]*,"high":[^,]*,/g, '"ratio":null,"low":1.5,"high":null,');
	check(changed !== text, "no ratio in the page");
	writeFileSync(infinite, changed);
	await page.goto(pathToFileURL(infinite).href);
	await page.locator(".verdict").waitFor({ timeout: 5000 });
	const rows = compared.sections.reduce((all, section) => all + section.rows.length, compared.program ? 1 : 0);
	check(await page.locator("tbody tr").count() === rows, `infinite ratios: ${await page.locator("tbody tr").count()} rows, not ${rows}`);
});
