// What a server tells: which programs there are, and reports of one of them as they come.

const asJson = async (path, method = "GET") => {
	const answer = await fetch(path, { method, credentials: "same-origin" });
	const body = await answer.json().catch(() => ({}));
	if (!answer.ok)
		throw Object.assign(new Error(body.error ?? `the server answers ${answer.status}`), { status: answer.status });
	return body;
};

const query = (path, values) => `${path}?${new URLSearchParams(values)}`;

export const fetchPrograms = () => asJson("api/programs");
export const fetchReport = (program, section) => asJson(query("api/report", { program, section }));
export const fetchCompared = (program) => asJson(query("api/compare", { program }));
export const setMark = (program) => asJson(query("api/mark", { program }), "POST");
export const clearMark = (program) => asJson(query("api/mark", { program, clear: 1 }), "POST");
export const fetchFlame = (program, what) => asJson(query("api/flame", { program, what }));

// A server refuses longer queries than 4096 bytes. Names of C++ functions may be that long.
const LONGEST = 3500;

// A query with as many of the functions as fit; a name of several lines cannot be asked for.
export const streamQuery = (values, functions) => {
	const asked = (names) => query("api/stream", names.length ? { ...values, recent: names.join("\n") } : values);
	return asked(functions.filter((name) => !name.includes("\n")).reduce((names, name) => {
		const more = [...names, name];
		return asked(more).length < LONGEST ? more : names;
	}, []));
};

// So long after a connection was lost, it is tried again.
const AGAIN_MS = 1000;
const LOST = "No connection; trying again";

// The process that was followed, if it is still known, or the newest one of its program that runs: the list begins with the newest.
const nextOf = (programs, id, name) => programs.find((program) => program.id === id && program.name === (name ?? program.name))
	?? programs.find((program) => program.name === name && program.kind === "process" && program.state !== "ended");

// Follows a program through its starts and those of the server; who listens is told of reports, of the list of programs, and whether
// the server is there. An EventSource that connects again by itself asks for the process that it was made for, which may be long gone:
// so there is a new one for each connection. Of the functions with these names, or of some if there are none, each report has the
// times of the calls since the last one.
export class Stream {
	constructor(program, functions, listeners, name = null) {
		this.program = program;
		this.functions = functions;
		this.name = name;
		this.listeners = listeners;
		this.open();
	}

	open() {
		const { programs, state } = this.listeners;
		this.source = new EventSource(streamQuery(
			{ program: this.program, section: "all,-tree", percentiles: "50,95,99", interval: 1000 }, this.functions));
		this.source.addEventListener("report", (event) => this.take(JSON.parse(event.data)));
		this.source.addEventListener("programs", (event) => programs(JSON.parse(event.data)));
		this.source.addEventListener("open", () => state(""));
		this.source.addEventListener("error", () => {
			this.source.close();
			this.wait(LOST);
		});
	}

	take(update) {
		this.program = update.program;
		this.name = update.report.program;
		this.listeners.report(update);
	}

	wait(words) {
		this.listeners.state(words);
		this.timer = setTimeout(() => this.connect(), AGAIN_MS);
	}

	async connect() {
		const { timer } = this;
		const answer = await fetchPrograms().catch((error) => ({ refused: error.status }));
		const next = answer.programs && nextOf(answer.programs, this.program, this.name);
		if (timer !== this.timer)
			return;
		if (next) {
			this.program = next.id;
			this.open();
		} else if (answer.refused === 401 || answer.refused === 403) {
			// Another server, to which the cookie means nothing: it would refuse all further requests as well.
			this.listeners.state("The server was started again, with another token: open the link that it prints");
		} else {
			this.wait(answer.programs ? "The program is gone; waiting for its next start" : LOST);
		}
	}

	close() {
		this.source.close();
		clearTimeout(this.timer);
		this.timer = null;
	}
}
