// SPDX-License-Identifier: MIT
// Prints the functions that speedscope shows of the first thread of a file, the most self time first.
//
// usage: node speedscope.mjs FILE PICTURE
import { onPage } from "./browser.mjs";
import { fileURLToPath, pathToFileURL } from "node:url";

const [file, picture] = process.argv.slice(2);
const viewer = fileURLToPath(import.meta.resolve("speedscope/package.json")).replace("package.json", "dist/release/index.html");

await onPage(async (page, check) => {
	await page.goto(pathToFileURL(viewer).href);
	await page.setInputFiles('input[type="file"]', file);
	await page.getByText("Sandwich").click();
	// Total, self, name.
	const shown = page.locator("tr:visible:has(td:nth-child(3))");
	await shown.first().waitFor();
	await page.screenshot({ path: picture });
	const rows = await shown.allInnerTexts();
	check(rows.length > 0, "no functions");
	for (const row of rows)
		console.log(row.replace(/\s+/g, " ").replace(/^.+? \(\S+\) (.+?) \(\S+\) /, "$1 ").trim());
	await page.getByText("Left Heavy").click();
	await page.waitForTimeout(200);
	await page.screenshot({ path: picture.replace(".png", "-left-heavy.png") });
});
