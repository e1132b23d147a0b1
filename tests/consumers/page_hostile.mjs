// SPDX-License-Identifier: MIT
// A page with names that mean harm, in a file or of a server: they are text, in all views, and none is longer than can be read.
//
// usage: node page_hostile.mjs FILE|LINK PICTURE
import { onPage } from "./browser.mjs";
import { pathToFileURL } from "node:url";

const [source, picture] = process.argv.slice(2);
const isLive = source.startsWith("http:");

await onPage(async (page, check) => {
	page.on("console", (message) => message.type() === "error" && check(false, `the console says ${message.text()}`));
	page.on("dialog", () => check(false, "a dialog"));

	const look = async (where) => {
		const seen = await page.evaluate(() => ({
			over: document.documentElement.scrollWidth - innerWidth,
			long: Math.max(0, ...Array.from(document.querySelectorAll("main .name, main text"), (element) => element.textContent.length)),
			elements: document.querySelectorAll("#page img, #page script, #page b").length,
			bare: document.querySelectorAll("main tbody th > :not(bdi, .marker)").length,
			// The line number of a place is written after its colon, whichever direction the name of the file has.
			turned: Array.from(document.querySelectorAll("main td .name"), (element) => element.firstChild).filter((text) => {
				const colon = /:\d+$/.exec(text?.data ?? "")?.index;
				const left = (at) => {
					const range = document.createRange();
					range.setStart(text, at);
					range.setEnd(text, at + 1);
					return range.getBoundingClientRect().left;
				};
				return colon !== undefined && left(colon) > left(colon + 1);
			}).length,
			harmed: window.harmed,
		}));
		check(seen.over <= 0, `${where} is ${seen.over} pixels too wide`);
		check(seen.long <= 200, `${where}: a name of ${seen.long} letters is shown`);
		check(seen.elements === 0, `${where}: a name has become an element`);
		check(seen.bare === 0, `${where}: names are not on their own as for their direction`);
		check(seen.turned === 0, `${where}: a line number is on the wrong side of its colon`);
		check(seen.harmed === undefined, `${where}: a name was executed`);
	};
	const lookAtRow = async (where) => {
		const row = page.locator("main tbody tr").first();
		// A program of the list would be followed anew.
		if (where.startsWith("Programs") || !await row.count())
			return;
		await row.click();
		await look(`${where}, details`);
		await page.keyboard.press("Escape");
	};
	const lookAtAll = async (size) => {
		for (const tab of await page.locator("nav:not(.sub) [role=tab]:visible").all()) {
			await tab.click();
			const name = await tab.textContent();
			if (name === "Flame graphs")
				await page.locator(".flame #frames > g, .flame .empty").first().waitFor();
			await look(`${name} ${size}`);
			for (const pane of await page.locator("nav.sub [role=tab]:visible, .flames [role=tab]:visible").all()) {
				await pane.click();
				const where = `${name}, ${await pane.textContent()} ${size}`;
				await look(where);
				await lookAtRow(where);
			}
			await lookAtRow(`${name} ${size}`);
		}
	};

	await page.goto(isLive ? source : pathToFileURL(source).href);
	await page.getByRole("tab", { name: "Overview" }).waitFor();
	await lookAtAll("at 1280 pixels");
	await page.getByRole("tab", { name: "Functions", exact: true }).first().click();
	await page.screenshot({ path: picture });
	check(await page.getByText("<img src=x", { exact: false }).count() > 0, "names are shown as they are");
	await page.setViewportSize({ width: 360, height: 740 });
	await lookAtAll("at 360 pixels");
	await page.screenshot({ path: picture.replace(".png", "-360.png") });
}, isLive ? new URL(source).origin : null);
