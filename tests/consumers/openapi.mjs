// SPDX-License-Identifier: MIT
// Checks the description of the server's interface with a public validator, and answers of a server with the description.
//
// usage: node openapi.mjs DESCRIPTION NODE_MODULES SCHEMA FILE [SCHEMA FILE …]
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [description, modules, ...answers] = process.argv.slice(2);
const require = createRequire(path.resolve(modules, "x.js"));
const { Validator } = await import(pathToFileURL(require.resolve("@seriousme/openapi-schema-validator")));
const Ajv2020 = require("ajv/dist/2020").default;

let failed = false;

function fail(what) {
	console.log(`FAILED: ${what}`);
	failed = true;
}

const read = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const api = read(description);
const result = await new Validator().validate(read(description));
if (!result.valid)
	fail(`${description}: ${JSON.stringify(result.errors)}`);

const ajv = new Ajv2020({ strict: false });
ajv.addSchema(api, "api");
for (let i = 0; i + 1 < answers.length; i += 2) {
	const check = ajv.compile({ $ref: `api#/components/schemas/${answers[i]}` });
	if (!check(read(answers[i + 1])))
		fail(`${answers[i]}: ${ajv.errorsText(check.errors)}`);
}
process.exit(failed ? 1 : 0);
