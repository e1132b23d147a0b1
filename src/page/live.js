// What a server tells: which programs there are, and reports of one of them as they come.

const asJson = async (path) => {
	const answer = await fetch(path, { credentials: "same-origin" });
	const body = await answer.json().catch(() => ({}));
	if (!answer.ok)
		throw Object.assign(new Error(body.error ?? `the server answers ${answer.status}`), { status: answer.status });
	return body;
};

const query = (path, values) => `${path}?${new URLSearchParams(values)}`;

export const fetchPrograms = () => asJson("api/programs");
export const fetchReport = (program, section) => asJson(query("api/report", { program, section }));
export const fetchFlame = (program, what) => asJson(query("api/flame", { program, what }));

// Follows a program; who listens is told of reports, of the list of programs, and whether the server is there.
export class Stream {
	constructor(program, { report, programs, state }) {
		this.source = new EventSource(query("api/stream", { program, section: "all,-tree", percentiles: "50,95,99", interval: 1000 }));
		this.source.addEventListener("report", (event) => report(JSON.parse(event.data)));
		this.source.addEventListener("programs", (event) => programs(JSON.parse(event.data)));
		this.source.addEventListener("open", () => state(""));
		this.source.addEventListener("error", () => state(this.source.readyState === EventSource.CLOSED
			? "The server has closed the connection: reload the page, or start 'hotpath serve' again"
			: "No connection; trying again"));
	}

	close() {
		this.source.close();
	}
}
