// SPDX-License-Identifier: MIT
// A page with names that mean harm: they are text, in all views, and none is longer than can be read.
//
// usage: node page_hostile.mjs FILE PICTURE
import { onPage } from "./browser.mjs";
import { pathToFileURL } from "node:url";

const [file, picture] = process.argv.slice(2);

await onPage(async (page, check) => {
	page.on("console", (message) => message.type() === "error" && check(false, `the console says ${message.text()}`));
	page.on("dialog", () => check(false, "a dialog"));
	await page.goto(pathToFileURL(file).href);
	await page.getByRole("tab", { name: "Overview" }).waitFor();
	for (const tab of await page.locator("nav:not(.sub) [role=tab]:visible").all()) {
		await tab.click();
		for (const pane of await page.locator("nav.sub [role=tab]:visible, .flames [role=tab]:visible").all()) {
			await pane.click();
			const row = page.locator("main tbody tr").first();
			if (await row.count()) {
				await row.click();
				await page.keyboard.press("Escape");
			}
		}
		const long = await page.locator("main").evaluate((main) => Math.max(0, ...Array.from(
			main.querySelectorAll(".name, text"), (element) => element.textContent.length)));
		check(long <= 200, `a name of ${long} letters is shown`);
	}
	await page.getByRole("tab", { name: "Functions", exact: true }).first().click();
	await page.screenshot({ path: picture });
	check(await page.getByText("<img src=x", { exact: false }).count() > 0, "names are shown as they are");
	check(await page.evaluate(() => window.harmed) === undefined, "a name was executed");
	check(await page.locator("#page img, #page script, #page b").count() === 0, "a name has become an element");
	check(await page.locator("main tbody th > :not(bdi, .marker)").count() === 0, "names are on their own as for their direction");
	const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
	check(over <= 0, `the page is ${over} pixels too wide`);
});
