// The flame graph as a file of its own: what is around its frames, and what belongs to the whole window.
(() => {
	const element = (id) => document.getElementById(id);
	const search = element("search");
	const graph = flameGraph({
		list: element("frames"), search, details: element("details"), matched: element("matched"), reset: element("reset"),
		width: () => document.documentElement.clientWidth || innerWidth,
	});

	addEventListener("resize", graph.fit);
	addEventListener("scroll", () => element("head").setAttribute("transform", `translate(0 ${scrollY})`));
	addEventListener("keydown", (event) => {
		if ((event.ctrlKey || event.metaKey) && event.key === "f") {
			event.preventDefault();
			search.focus();
			search.select();
		} else if (event.key === "Escape") {
			graph.clear();
		} else if (event.target !== search && !event.ctrlKey && !event.altKey && graph.press(event.key)) {
			event.preventDefault();
		}
	});

	element("tools").style.display = "block";
})();
