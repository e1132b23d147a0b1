// SPDX-License-Identifier: MIT
// A flame graph in a browser has frames of these names, which can be seen.
//
// usage: node flamegraph_shows.mjs FILE PICTURE NAME...
import { onPage } from "./browser.mjs";
import { pathToFileURL } from "node:url";

const [file, picture, ...names] = process.argv.slice(2);

await onPage(async (page, check) => {
	await page.goto(pathToFileURL(file).href);
	await page.screenshot({ path: picture });
	const labels = await page.locator("#frames > g > text").allTextContents();
	for (const name of names)
		check(labels.includes(name), `no frame is called ${name}`);
});
