// Who waits for whom: functions that waited for a lock on the left, those that held it on the right, and the lock between.
import { cut, make, makeSvg } from "./dom.js";
import { duration } from "./format.js";

const EDGES = 12;
const LINE = 34;
const LETTERS = 22;
const COLUMNS = [10, 360, 710];
const BOX = 180;

const boxesOf = (edges, key, column) => {
	const boxes = new Map();
	for (const edge of edges) {
		const name = edge[key] ?? "?";
		if (!boxes.has(name))
			boxes.set(name, { name, x: COLUMNS[column], y: 8 + boxes.size * LINE, ns: 0 });
		boxes.get(name).ns += edge.wait_sum_ns;
	}
	return boxes;
};

const boxElement = (box, kind) => makeSvg("g", { class: `box ${kind}` },
	makeSvg("title", {}, `${cut(String(box.name), 400)}: ${duration(box.ns)}`),
	makeSvg("rect", { x: box.x, y: box.y, width: BOX, height: 24, rx: 4 }),
	makeSvg("text", { x: box.x + 8, y: box.y + 16 }, cut(String(box.name), LETTERS)));

const link = (from, to, ns, most) => {
	const [x1, y1, x2, y2] = [from.x + BOX, from.y + 12, to.x, to.y + 12];
	const bend = (x2 - x1) / 2;
	return makeSvg("path", { class: "link", d: `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`,
		"stroke-width": 1 + 9 * ns / most }, makeSvg("title", {}, duration(ns)));
};

export const waitGraph = (rows) => {
	const edges = rows.filter((row) => row.wait_sum_ns > 0).sort((a, b) => b.wait_sum_ns - a.wait_sum_ns).slice(0, EDGES);
	if (edges.length === 0)
		return null;
	const waiters = boxesOf(edges, "name", 0), locks = boxesOf(edges, "lock", 1), holders = boxesOf(edges, "holder", 2);
	const most = Math.max(...edges.map((edge) => edge.wait_sum_ns));
	const height = 16 + LINE * Math.max(waiters.size, locks.size, holders.size);
	const words = edges.map((edge) => `${edge.name} waited ${duration(edge.wait_sum_ns)} for ${edge.lock}, held by ${edge.holder}`);
	return make("figure", { class: "graph" },
		make("figcaption", {}, "Who waits, for which lock, held by whom"),
		makeSvg("svg", { viewBox: `0 0 900 ${height}`, role: "img", "aria-label": words.join("; ").slice(0, 2000) },
			edges.map((edge) => [
				link(waiters.get(edge.name ?? "?"), locks.get(edge.lock ?? "?"), edge.wait_sum_ns, most),
				link(locks.get(edge.lock ?? "?"), holders.get(edge.holder ?? "?"), edge.wait_sum_ns, most),
			]),
			Array.from(waiters.values(), (box) => boxElement(box, "waiter")),
			Array.from(locks.values(), (box) => boxElement(box, "lock")),
			Array.from(holders.values(), (box) => boxElement(box, "holder"))));
};
