// What makes a flame graph alive: zoom, search, keys, and what is said of the frame under the pointer.
//
// Each frame is a group: a title (name, figures, source, each a line), a rectangle and, with room, a label. Places are in
// percent of the width, so that the graph fits any window; without this script it can still be read. Frames are in the order
// of a walk through the tree, each before what it calls.
"use strict";

// Parts of the graph: the list of frames, the field to search, what shows the details of a frame and what was found, the
// button that ends the zoom, and a function that knows the width in pixels.
const flameGraph = ({ list, search, details, matched, reset, width }) => {
	const SVG = "http://www.w3.org/2000/svg";
	// How far places that should be the same may be apart: they were rounded.
	const TINY = 1e-5;

	// The last frames of the rows above are the way to the parent of the next one.
	const open = [];
	const frames = Array.from(list.children, (group) => {
		const [title, rect, label] = group.children;
		const left = parseFloat(rect.getAttribute("x"));
		const size = parseFloat(rect.getAttribute("width"));
		const frame = {
			group, rect, label, left, size, shownLeft: left, shownSize: size,
			text: label ? label.textContent : "",
			name: title.textContent.split("\n", 1)[0],
			words: title.textContent.replace(/\n/g, " · "),
			row: parseFloat(rect.getAttribute("y")),
			parent: null, inside: [],
		};
		while (open.length && open[open.length - 1].row >= frame.row)
			open.pop();
		frame.parent = open[open.length - 1] ?? null;
		frame.parent?.inside.push(frame);
		open.push(frame);
		return frame;
	});
	const byGroup = new Map(frames.map((frame) => [frame.group, frame]));
	const root = frames[0];
	let zoomed = root, current = null;

	// ---- zoom ----

	const letterWidth = () => {
		const sample = document.createElementNS(SVG, "text");
		sample.textContent = "mmmmmmmmmmmmmmmmmmmm";
		list.append(sample);
		const letter = sample.getComputedTextLength() / 20;
		sample.remove();
		return letter || 7.2;
	};

	// As much of the name as there is room for.
	const fitted = (name, room) => {
		if (room < 3)
			return "";
		const letters = Array.from(name);
		return letters.length <= room ? name : letters.slice(0, room - 1).join("") + "…";
	};

	const write = (frame, text) => {
		if (!frame.label) {
			frame.label = document.createElementNS(SVG, "text");
			frame.label.setAttribute("dx", 3);
			frame.label.setAttribute("y", frame.row + 13);
			frame.group.append(frame.label);
		}
		frame.label.textContent = frame.text = text;
	};

	// Most frames are narrow and many: what stays as it is is not touched.
	const place = (frame, left, size, pixels, letter) => {
		const text = fitted(frame.name, Math.floor((size / 100 * pixels - 6) / letter));
		if (text !== frame.text)
			write(frame, text);
		if (frame.label)
			frame.label.setAttribute("x", left + "%");
		if (left === frame.shownLeft && size === frame.shownSize)
			return;
		frame.rect.setAttribute("x", left + "%");
		frame.rect.setAttribute("width", size + "%");
		frame.shownLeft = left;
		frame.shownSize = size;
	};

	// Those that are not seen stay where they were.
	const zoom = (target) => {
		const pixels = width();
		const letter = letterWidth();
		const end = target.left + target.size;
		zoomed = target;
		for (const frame of frames) {
			const above = frame.row < target.row && frame.left <= target.left + TINY &&
				frame.left + frame.size >= end - TINY;
			const inside = frame.row >= target.row && frame.left >= target.left - TINY &&
				frame.left + frame.size <= end + TINY;
			frame.group.classList.toggle("above", above);
			frame.group.classList.toggle("gone", !above && !inside);
			if (above)
				place(frame, 0, 100, pixels, letter);
			else if (inside)
				place(frame, (frame.left - target.left) * 100 / target.size,
					frame.size * 100 / target.size, pixels, letter);
		}
		reset.disabled = target === root;
	};

	// ---- search ----

	const expression = () => {
		try {
			search.classList.remove("wrong");
			return search.value ? new RegExp(search.value, "i") : null;
		} catch (error) {
			search.classList.add("wrong");
			return null;
		}
	};

	// Frames inside of one that was found are not counted again: they come right after it.
	const find = () => {
		const wanted = expression();
		let share = 0, count = 0, end = -1;
		for (const frame of frames) {
			const found = wanted !== null && wanted.test(frame.name);
			frame.group.classList.toggle("found", found);
			if (!found)
				continue;
			count++;
			if (frame.left >= end - TINY) {
				share += frame.size;
				end = frame.left + frame.size;
			}
		}
		matched.textContent = wanted ? `matched: ${share.toFixed(2)}% (${count} frames)` : "";
	};

	// ---- the frame that keys are about ----

	const leave = () => {
		current?.group.classList.remove("current");
		current = null;
	};

	const choose = (frame) => {
		leave();
		current = frame;
		frame.group.classList.add("current");
		frame.group.scrollIntoView?.({ block: "nearest" });
		details.textContent = frame.words;
	};

	// The caller is above, what it calls below, and what else that calls beside.
	const besides = (frame, step) => {
		const among = frame.parent?.inside ?? frames;
		return among[among.indexOf(frame) + step];
	};
	const ways = {
		ArrowUp: (frame) => frame.parent,
		ArrowDown: (frame) => frame.inside.reduce((most, next) => most && most.size >= next.size ? most : next, null),
		ArrowLeft: (frame) => besides(frame, -1),
		ArrowRight: (frame) => besides(frame, 1),
	};

	const clear = () => {
		search.value = "";
		search.blur();
		leave();
		find();
		zoom(root);
	};

	// Whether a key was for the frames.
	const press = (key) => {
		const next = ways[key]?.(current ?? zoomed);
		if (key === "Enter" && current)
			zoom(current);
		else if (next)
			choose(next);
		return key in ways || key === "Enter";
	};

	// ---- events ----

	const frameOf = (event) => byGroup.get(event.target.closest("#frames > g"));

	list.addEventListener("click", (event) => frameOf(event) && zoom(frameOf(event)));
	list.addEventListener("mouseover", (event) => {
		if (frameOf(event))
			details.textContent = frameOf(event).words;
	});
	list.addEventListener("mouseleave", () => { details.textContent = ""; });
	search.addEventListener("input", find);
	reset.addEventListener("click", () => zoom(root));

	find();
	zoom(root);
	return { clear, press, fit: () => zoom(zoomed), isUsed: () => zoomed !== root || current !== null };
};
