// Elements of the page. Whatever comes from a report becomes text, never markup.

// Letters of a name that are shown; the rest is in its title, up to a limit.
const NAME_MAX = 120;
const TITLE_MAX = 2000;

const SVG_NAMES = "http://www.w3.org/2000/svg";

// Properties that are attributes by another name, or need a function.
const setters = {
	class: (element, value) => element.setAttribute("class", value),
	text: (element, value) => { element.textContent = value; },
	on: (element, value) => Object.entries(value).forEach(([event, listener]) => element.addEventListener(event, listener)),
};

const fill = (element, properties, children) => {
	for (const [name, value] of Object.entries(properties ?? {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (setters[name])
			setters[name](element, value);
		else
			element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
	return element;
};

// make("button", { class: "quiet", on: { click } }, "Reset"): children are elements or text.
export const make = (tag, properties, ...children) => fill(document.createElement(tag), properties, children);
export const makeSvg = (tag, properties, ...children) => fill(document.createElementNS(SVG_NAMES, tag), properties, children);

export const cut = (text, most) => {
	if (text.length <= most)
		return text;
	return Array.from(text.slice(0, most * 2)).slice(0, most - 1).join("") + "…";
};

// A name of the program: cut, and on its own as for the direction of writing.
export const nameElement = (text, most = NAME_MAX) => {
	const whole = String(text);
	const shown = cut(whole, most);
	return make("bdi", { class: "name", title: shown === whole ? null : cut(whole, TITLE_MAX) }, shown);
};

// Change a text only if it differs: what stays is not laid out again.
export const setText = (element, text) => {
	if (element.textContent !== text)
		element.textContent = text;
};

// One of several: tabs that keys go through.
export const makeTabs = (label, choose) => {
	const list = make("div", { role: "tablist", "aria-label": label, class: "tabs" });
	const tabs = new Map();
	const step = (event) => {
		const keys = Array.from(tabs.keys()).filter((key) => !tabs.get(key).hidden);
		const at = keys.findIndex((key) => tabs.get(key) === document.activeElement);
		const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: keys.length - 1 }[event.key];
		if (next === undefined)
			return;
		event.preventDefault();
		const key = keys[(next + keys.length) % keys.length];
		choose(key);
		tabs.get(key).focus();
	};
	list.addEventListener("keydown", step);
	return {
		element: list,
		// Those that there are, as [key, label], and the one that is chosen.
		show(entries, chosen) {
			for (const [key, words] of entries) {
				if (!tabs.has(key))
					tabs.set(key, make("button", { role: "tab", type: "button", on: { click: () => choose(key) } }));
				setText(tabs.get(key), words);
			}
			const keys = entries.map(([key]) => key);
			for (const [key, tab] of tabs) {
				tab.hidden = !keys.includes(key);
				tab.setAttribute("aria-selected", key === chosen);
				tab.tabIndex = key === chosen ? 0 : -1;
			}
			const order = keys.map((key) => tabs.get(key));
			if (order.some((tab, i) => list.children[i] !== tab))
				list.append(...order);
		},
	};
};
