// SPDX-License-Identifier: MIT
// The page of hotpath serve while its program ends, is killed, executes another one and is started again, and while the server is:
// the page always says what is, and has the figures of the newest process.
//
// usage: node serve_restart.mjs TOOL PROGRAM TOKEN_FILE, with HOTPATH_DIR set
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { basename, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { onPage } from "./browser.mjs";
import { openPane } from "./page_figures.mjs";

const [tool, program, tokenFile] = process.argv.slice(2);
const LIMIT = { timeout: 30000 };

// "" at the end.
const lineOf = (lines) => new Promise((resolve) => lines.once("line", resolve).once("close", () => resolve("")));
const hasEnded = (child) => child.exitCode !== null || child.signalCode !== null;
const endOf = (child) => new Promise((resolve) => hasEnded(child) ? resolve() : child.once("exit", resolve));

// Whatever happens, nothing is left behind.
const started = new Set();
process.on("exit", () => started.forEach((child) => child.kill("SIGKILL")));
const start = (command, ...given) => {
	const child = spawn(command, given, { argv0: basename(command), stdio: ["pipe", "pipe", "inherit"],
		env: { ...process.env, HOTPATH_OUTPUT_FORMAT: "none" } });
	started.add(child);
	child.once("exit", () => started.delete(child));
	return { child, lines: createInterface({ input: child.stdout }) };
};

// A program that does what it is told, and counts its calls with us: three functions, which are called N, N + 1 and N + 2 times.
class Program {
	constructor() {
		Object.assign(this, start(program));
		this.pid = this.child.pid;
		this.calls = [0, 0, 0];
	}

	async tell(line) {
		const answer = lineOf(this.lines);
		this.child.stdin.write(`${line}\n`);
		return answer;
	}

	async work(count) {
		await this.tell("functions 3");
		this.calls = this.calls.map((calls, nth) => calls + count + nth);
		await this.tell(`work ${count}`);
	}

	// It reads all lines that are there, so none may be before it has executed the file: then its first argument is the whole path.
	async become() {
		this.child.stdin.write(`become ${program}\n`);
		while (!readFileSync(`/proc/${this.pid}/cmdline`, "latin1").startsWith(program))
			await setTimeout(20);
		this.calls = [0, 0, 0];
	}

	async end() {
		this.child.stdin.end();
		await endOf(this.child);
	}

	async kill() {
		this.child.kill("SIGKILL");
		await endOf(this.child);
	}
}

// When none runs.
const forgetAll = () => {
	const folder = process.env.HOTPATH_DIR;
	readdirSync(folder).forEach((name) => rmSync(join(folder, name), { recursive: true }));
};

const begin = async (count) => {
	const it = new Program();
	await it.work(count);
	return it;
};

const serve = async (port) => {
	const { child, lines } = start(tool, "serve", "--port", String(port), "--token-file", tokenFile);
	const link = (await lineOf(lines)).replace("serving on ", "");
	return { link, port: Number(new URL(link).port), end: async () => { child.kill("SIGTERM"); await endOf(child); } };
};

const writeToken = (digit) => writeFileSync(tokenFile, `${digit.repeat(32)}\n`, { mode: 0o600 });

writeToken("1");
let one = await begin(10);
let server = await serve(0);
const { port } = server;

await onPage(async (page, check) => {
	let isDown = false;
	page.on("console", (message) => message.type() === "error" && !isDown && check(false, `the console says ${message.text()}`));
	const sees = async (words, locator, how = "visible") =>
		locator.waitFor({ ...LIMIT, state: how }).catch(() => check(false, `nobody sees ${words}`));
	const state = (words) => sees(`the state ${words}`, page.locator(".state", { hasText: new RegExp(`^${words}$`) }));
	const callsOf = (section) => page.locator(`[data-section=${section}] tbody tr`).evaluateAll((rows) =>
		Object.fromEntries(rows.map((row) => [row.cells[0].textContent, row.cells[1].textContent])));
	// The page comes to show what the program has counted.
	const figures = async (when, section = "functions_timing") => {
		const wanted = one.calls.map((calls, nth) => [`function_${nth}`, String(calls)]);
		await page.waitForFunction(([key, cells]) => {
			const rows = Array.from(document.querySelectorAll(`[data-section=${key}] tbody tr`), (row) =>
				Array.from(row.cells, (cell) => cell.textContent));
			return cells.every(([name, calls]) => rows.some((row) => row.some((text) => text.endsWith(name)) && row.includes(calls)));
		}, [section, wanted], LIMIT).catch(async () =>
			check(false, `${when}: ${JSON.stringify(await callsOf(section))} is shown, not ${JSON.stringify(wanted)}`));
	};
	const isOf = async (when, restarts) => {
		await state(restarts ? `running, restarted ${restarts}×` : "running");
		await figures(when);
		const facts = await page.locator(".top-bar > .dim").textContent();
		check(facts.startsWith(`pid ${one.pid} `), `${when}: ${facts}, not process ${one.pid}`);
		check(new URL(page.url()).hash.includes(`program=${one.pid}`), `${when}: the address is ${page.url()}, not of process ${one.pid}`);
	};
	const tree = async (when) => {
		await openPane(page, "Functions", "Tree");
		await figures(`${when}, tree`, "call_tree");
		await openPane(page, "Functions", "Timing");
	};
	// The server is gone while something is done.
	const without = async (doing) => {
		isDown = true;
		await server.end();
		await sees("that there is no connection", page.locator(".problem", { hasText: "No connection" }));
		await doing();
		server = await serve(port);
		await sees("that there is one again", page.locator(".problem:empty"), "attached");
		isDown = false;
	};

	await page.goto(server.link);
	await state("running");
	await openPane(page, "Functions", "Timing");
	await isOf("at first", 0);

	await one.work(5);
	await one.end();
	await state("ended");
	await figures("a program that ended");

	one = await begin(100);
	await isOf("after its end", 1);
	await tree("after its end");

	await one.work(7);
	await one.kill();
	await state("ended");
	await figures("a program that was killed");

	one = await begin(200);
	await isOf("after it was killed", 2);
	await one.kill();
	one = await begin(300);
	await isOf("killed and started at once", 3);
	await tree("killed and started at once");

	await one.become();
	await one.work(50);
	await isOf("another program in the process", 4);

	// ---- the server is started again ----

	await without(() => one.work(3));
	await isOf("a server that was started again", 4);

	await without(async () => {
		await one.kill();
		one = await begin(400);
	});
	await isOf("killed without a server", 5);

	await without(async () => {
		await one.end();
		forgetAll();
		one = await begin(500);
	});
	await isOf("forgotten without a server", 6);
	await tree("forgotten without a server");

	// One that still runs is not left for a newer one.
	const newer = await begin(1);
	await without(() => one.work(4));
	await isOf("a newer process", 6);
	await newer.end();

	// ---- and has another token ----

	isDown = true;
	await server.end();
	writeToken("2");
	server = await serve(port);
	await sees("that it must be opened anew", page.locator(".problem", { hasText: "open the link" }));
	await page.goto(`${server.link}#program=${one.pid}&tab=Functions`);
	await isOf("opened anew", 0);
	isDown = false;
}, new URL(server.link).origin);

await server.end();
await one.kill();
process.exit();
