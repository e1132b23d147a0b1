// What makes a flame graph alive: zoom, search, and what is said of the frame under the pointer.
//
// Each frame is a group: a title (name, figures, source, each a line), a rectangle and, with room, a label. Places are in
// percent of the width, so that the graph fits any window; without this script it can still be read.
"use strict";
(() => {
	const element = (id) => document.getElementById(id);
	const list = element("frames");
	const search = element("search");
	const details = element("details");

	const frames = Array.from(list.children, (group) => {
		const [title, rect, label] = group.children;
		const left = parseFloat(rect.getAttribute("x"));
		const size = parseFloat(rect.getAttribute("width"));
		return {
			group, rect, label, left, size, shownLeft: left, shownSize: size,
			text: label ? label.textContent : "",
			name: title.textContent.split("\n", 1)[0],
			words: title.textContent.replace(/\n/g, " · "),
			row: parseFloat(rect.getAttribute("y")),
		};
	});
	const byGroup = new Map(frames.map((frame) => [frame.group, frame]));
	const root = frames[0];
	// How far places that should be the same may be apart: they were rounded.
	const TINY = 1e-5;
	let zoomed = root;

	// ---- zoom ----

	const letterWidth = () => {
		const sample = element("details");
		const before = sample.textContent;
		sample.textContent = "mmmmmmmmmmmmmmmmmmmm";
		const width = sample.getComputedTextLength() / 20;
		sample.textContent = before;
		return width || 7.2;
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
			frame.label = document.createElementNS("http://www.w3.org/2000/svg", "text");
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
		const pixels = document.documentElement.clientWidth || innerWidth;
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
		element("reset").disabled = target === root;
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
		element("matched").textContent = wanted ? `matched: ${share.toFixed(2)}% (${count} frames)` : "";
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
	element("reset").addEventListener("click", () => zoom(root));
	addEventListener("resize", () => zoom(zoomed));
	addEventListener("scroll", () => element("head").setAttribute("transform", `translate(0 ${scrollY})`));
	addEventListener("keydown", (event) => {
		if ((event.ctrlKey || event.metaKey) && event.key === "f") {
			event.preventDefault();
			search.focus();
			search.select();
		} else if (event.key === "Escape") {
			search.value = "";
			search.blur();
			find();
			zoom(root);
		}
	});

	element("tools").style.display = "block";
	zoom(root);
})();
