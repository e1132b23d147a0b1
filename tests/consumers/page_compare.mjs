// SPDX-License-Identifier: MIT
// A comparison as a page: its verdict, its rows, and how they are sorted.
//
// usage: node page_compare.mjs FILE FIGURES PICTURE
import { onPage } from "./browser.mjs";
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [file, figures, picture] = process.argv.slice(2);
const compared = JSON.parse(readFileSync(figures, "utf8"));

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
});
