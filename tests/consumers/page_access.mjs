// SPDX-License-Identifier: MIT
// A page as axe sees it, which looks for what keeps people from using it: missing labels, wrong roles, faint colours.
//
// usage: node page_access.mjs FILE
import { onPage } from "./browser.mjs";
import { openPane } from "./page_figures.mjs";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const VIEWS = [["Overview"], ["Functions", "Timing"], ["Functions", "Tree"], ["Functions", "Bottlenecks"], ["Data flow", "Locks"],
	["Threads"], ["Debug"], ["Flame graphs"]];

await onPage(async (page, check) => {
	await page.goto(pathToFileURL(process.argv[2]).href);
	await page.getByRole("tab", { name: "Overview" }).waitFor();
	await page.evaluate(axe);
	for (const scheme of ["light", "dark"]) {
		await page.emulateMedia({ colorScheme: scheme });
		for (const [tab, pane] of VIEWS) {
			await openPane(page, tab, pane);
			const row = page.locator("main tbody tr").first();
			if (await row.count())
				await row.click();
			const { violations } = await page.evaluate(() => window.axe.run());
			for (const { id, nodes } of violations)
				check(false, `${scheme}, ${tab} ${pane ?? ""}: ${id}: ${nodes[0].html.slice(0, 200)}`);
		}
	}
});
