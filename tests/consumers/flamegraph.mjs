// SPDX-License-Identifier: MIT
// A flame graph in a browser: zoom, search and what is said of a frame.
//
// usage: node flamegraph.mjs FILE PICTURE
import { onPage } from "./browser.mjs";
import { pathToFileURL } from "node:url";

const [file, picture] = process.argv.slice(2);

await onPage(async (page, check) => {
	const frame = (name) => page.locator("#frames > g").filter({ hasText: new RegExp(`^${name}\n`) }).first();
	const width = async (name) => (await frame(name).locator("rect").boundingBox())?.width ?? 0;
	const near = (value, wanted, words) => check(Math.abs(value - wanted) < 3, `${words}: ${value}, not ${wanted}`);

	await page.goto(pathToFileURL(file).href);
	await page.screenshot({ path: picture });
	near(await width("main"), 1280 * 950 / 1200, "main is as wide as its samples");
	near(await width("memcpy"), 1280 * 400 / 1200, "memcpy is as wide as its samples");

	await frame("parse.constprop.0").hover();
	const details = await page.textContent("#details");
	check(details === "parse.constprop.0 · 700 samples, 58.33%, 700.00 ms · made · measured", `details: ${details}`);

	await frame("parse.constprop.0").click();
	near(await width("parse.constprop.0"), 1280, "what is clicked is as wide as the window");
	near(await width("read line"), 1280 * 400 / 700, "and what is inside in proportion");
	near(await width("main"), 1280, "and what is around it too");
	check(!await frame("render").isVisible(), "what is beside is gone");
	await page.screenshot({ path: picture.replace(".png", "-zoom.png") });
	await page.click("#reset");
	near(await width("parse.constprop.0"), 1280 * 700 / 1200, "reset goes back");

	const searched = async (expression) => {
		await page.keyboard.press("Control+f");
		await page.keyboard.type(expression);
		return page.textContent("#matched");
	};
	check(await searched("^WALK$|^memcpy$") === "matched: 37.50% (4 frames)",
		`found: ${await page.textContent("#matched")}`);
	check(await page.locator("#frames > g.found").count() === 4, "what is found is marked");
	await page.screenshot({ path: picture.replace(".png", "-search.png") });
	await searched("((");
	check(await page.locator("#search.wrong").count() === 1, "what is no regular expression is told");
	await page.keyboard.press("Escape");
	check(await page.locator("#frames > g.found").count() === 0, "Escape ends the search");

	// Keys go from frame to frame: down to the widest that it calls, and back up.
	const chosen = async (key) => {
		await page.keyboard.press(key);
		return (await page.textContent("#details")).split(" · ", 1)[0];
	};
	const down = [await chosen("ArrowDown"), await chosen("ArrowDown"), await chosen("ArrowDown")];
	check(down[2].startsWith("parse"), `the way down: ${down}`);
	check(await chosen("ArrowUp") === down[1], "up is the caller");
	await chosen("ArrowDown");
	await page.keyboard.press("Enter");
	near(await width("parse.constprop.0"), 1280, "Enter zooms");
	await page.keyboard.press("Escape");

	await page.setViewportSize({ width: 640, height: 480 });
	near(await width("main"), 640 * 950 / 1200, "it fits the window");
	// Names are text, whatever they look like.
	check(await page.locator("#frames script, #frames a").count() === 0, "a name has become an element");
	check(await frame('draw<a> & "b"; \'c\'\ufffd\\]\\]></script>').count() === 1, "a name has changed");
});
