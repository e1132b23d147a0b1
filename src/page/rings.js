// What happened lately: for each moment and each figure one number, in rings, so that memory does not grow.

export const RING = 600;
const SERIES_MAX = 48;
const THREADS_MAX = 128;

// The states of threads, as numbers in a ring; 0 for none.
export const STATES = ["", "running", "sleeping", "blocked", "stopped", "idle", "zombie", "ended"];

// Figures at moments; those of a moment that a series does not have are NaN.
export class History {
	constructor() {
		this.count = 0;
		this.times = new Float64Array(RING);
		this.series = new Map();
		this.threads = new Map();
	}

	// A copy for who looks at one moment while others pass.
	copy() {
		const copy = new History();
		copy.count = this.count;
		copy.times = this.times.slice();
		for (const [name, ring] of this.series)
			copy.series.set(name, ring.slice());
		for (const [key, lane] of this.threads)
			copy.threads.set(key, { name: lane.name, states: lane.states.slice() });
		return copy;
	}

	// Begin a moment: what is not told of it is not known.
	begin(seconds) {
		const at = this.count++ % RING;
		this.times[at] = seconds;
		for (const ring of this.series.values())
			ring[at] = NaN;
		for (const lane of this.threads.values())
			lane.states[at] = 0;
	}

	at(number) {
		return number % RING;
	}

	// The first moment that is still known.
	get first() {
		return Math.max(0, this.count - RING);
	}

	set(name, value) {
		if (!this.series.has(name)) {
			if (this.series.size >= SERIES_MAX)
				this.series.delete(this.series.keys().next().value);
			this.series.set(name, new Float64Array(RING).fill(NaN));
		}
		this.series.get(name)[this.at(this.count - 1)] = value ?? NaN;
	}

	// Forget the series that are not wanted any more.
	keep(isWanted) {
		for (const name of this.series.keys())
			if (!isWanted(name))
				this.series.delete(name);
	}

	setThread(key, name, state) {
		if (!this.threads.has(key)) {
			this.forgetThreads();
			if (this.threads.size >= THREADS_MAX)
				return;
			this.threads.set(key, { name, states: new Uint8Array(RING) });
		}
		this.threads.get(key).states[this.at(this.count - 1)] = Math.max(0, STATES.indexOf(state));
	}

	// Threads that nothing is known of any more make room for others.
	forgetThreads() {
		for (const [key, lane] of this.threads)
			if (this.threads.size >= THREADS_MAX && lane.states.every((state) => state === 0))
				this.threads.delete(key);
	}
}
