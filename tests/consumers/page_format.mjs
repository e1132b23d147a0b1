// SPDX-License-Identifier: MIT
// The page writes times and sizes as the tool does, to the last digit: a million of them, and those at which a unit begins.
import * as format from "../../src/page/format.js";
import { written } from "./page_figures.mjs";

const check = (value) => {
	for (const [shown, wanted] of [[format.duration(value), written(value, "ns")], [format.bytes(value), written(value, "bytes")]])
		if (shown !== wanted) {
			console.log(`FAILED: ${value} is '${shown}', and not '${wanted}'`);
			process.exitCode = 1;
		}
};

for (const unit of [1000, 1024, 1e6, 2 ** 20, 1e9, 2 ** 30, 1e12, 2 ** 40])
	for (const part of [0, 0.99949, 0.9995, 0.99994, 0.999949, 0.99995, 0.999995, 1, 1.0005, 1.005, 1.05, 68.695, 99.995, 999.995])
		for (const step of [-1, 0, 1])
			check(Math.max(0, Math.round(unit * part) + step));

// Numbers that are always the same.
let random = 1;
for (let i = 0; i < 500000; i++) {
	random = random * 48271 % 2147483647;
	check(Math.floor(10 ** (random / 2147483647 * 15)));
}
