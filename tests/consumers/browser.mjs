// SPDX-License-Identifier: MIT
// What the tests in a browser share: Debian's Chromium, without a window.
import { execFileSync } from "node:child_process";
import { chromium } from "playwright-core";

// Run a test on a new page. Anything that goes wrong in the page fails it, and so does a look at the network, but for a server of ours.
export async function onPage(test, server = null) {
	const executablePath = execFileSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).trim();
	const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
	const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
	const problems = [];

	page.on("pageerror", (error) => problems.push(String(error)));
	page.on("request", (request) => {
		if (!/^(file|data|blob):/.test(request.url()) && !(server && request.url().startsWith(server)))
			problems.push(`asks for ${request.url()}`);
	});
	try {
		await test(page, (truth, words) => truth || problems.push(words));
	} catch (error) {
		problems.push(String(error));
	}
	await browser.close();
	for (const problem of problems)
		console.log(`FAILED: ${problem}`);
	process.exitCode = problems.length ? 1 : 0;
}
