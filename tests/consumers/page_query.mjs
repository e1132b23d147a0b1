// SPDX-License-Identifier: MIT
// The page asks for as many functions as a query has room for, whatever their names are.
import { streamQuery } from "../../src/page/live.js";

const LONG = "std::map<int, &%>".repeat(100);

const check = (functions, wanted) => {
	const query = streamQuery({ program: "1" }, functions);
	const recent = new URLSearchParams(query.split("?")[1]).get("recent");
	if (query.length >= 4000 || recent !== wanted) {
		console.log(`FAILED: a query of ${query.length} bytes asks for '${recent}', and not for '${wanted}'`);
		process.exitCode = 1;
	}
};

check([], null);
check(["one", "two"], "one\ntwo");
check(["one", LONG, LONG, "two"], `one\n${LONG}\ntwo`);
check([LONG + LONG, "one"], "one");
check([LONG + LONG], null);
check(["two\nlines", "one"], "one");
