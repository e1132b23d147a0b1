-- SPDX-License-Identifier: MIT
-- Most of what the interpreter can do, with the same output in every run.
local function fibonacci(n)
	return n < 2 and n or fibonacci(n - 1) + fibonacci(n - 2)
end
print("recursion", fibonacci(17))

-- Closures that share a variable.
local function counter(step)
	local total = 0
	return function() total = total + step; return total end, function() return total end
end
local add, get = counter(3)
for _ = 1, 500 do add() end
print("closures", get())

-- Errors leave C functions by longjmp, through sort, gsub and nested protected calls.
local caught = 0
for i = 1, 200 do
	local ok, message = pcall(table.sort, {3, 1, 2}, function(a, b)
		if i % 2 == 0 then error("odd " .. i) end
		return a < b
	end)
	if not ok then caught = caught + #message end
	ok = pcall(string.gsub, "a b c", "%a", function() return i % 3 == 0 and {} or "x" end)
	if not ok then caught = caught + 1 end
	xpcall(function() local nothing; return nothing.field end, function(m) caught = caught + #m end)
	pcall(pcall, error, {})
end
print("errors", caught)

-- Coroutines, with an error and a protected call that yields.
local function generate(n)
	return coroutine.wrap(function()
		for i = 1, n do
			pcall(coroutine.yield, i)
		end
	end)
end
local sum = 0
for value in generate(300) do sum = sum + value end
local broken = coroutine.create(function() coroutine.yield(1); error("broken") end)
coroutine.resume(broken)
print("coroutines", sum, coroutine.resume(broken))

-- Tables, metatables, sort.
local Point = {}
Point.__index = Point
Point.__add = function(a, b) return setmetatable({x = a.x + b.x}, Point) end
Point.__lt = function(a, b) return a.x < b.x end
Point.__tostring = function(p) return "<" .. p.x .. ">" end
local points, state = {}, 7
for i = 1, 300 do
	state = (state * 1103515245 + 12345) % 2147483648
	points[i] = setmetatable({x = state % 1000}, Point)
end
table.sort(points)
print("objects", points[1] + points[2], tostring(points[300]), #points)

-- Strings: patterns, formats, buffers, packing, UTF-8.
local words = {}
for word in ("the quick brown fox jumps over the lazy dog "):rep(20):gmatch("%a+") do
	words[#words + 1] = word:upper():reverse()
end
local text = table.concat(words, ",")
print("strings", #text, (text:gsub("E", "e")):sub(1, 20), text:find("XOF", 1, true))
print(("%5.2f|%-8s|%08x|%q|%g"):format(math.pi, "left", 48879, "a\nb", 1e100))
print(string.unpack("<i4z", string.pack("<i4z", -42, "packed")), utf8.char(228, 8364), utf8.len("äö€"))

-- Chunks compiled at run time, good and bad, and one that was dumped.
local results = 0
for i = 1, 60 do
	local source = ("local a, b = %d, ... ; if a %% 2 == 0 then return a * b else return a // b end"):format(i)
	results = results + load(source)(i % 5 + 1)
	assert(not load("return +" .. i .. " = "))
end
print("chunks", results, load(string.dump(function(x) return x << 2 end))(5))

-- Garbage in both modes of the collector, weak tables, finalisers.
local finalised = 0
local weak = setmetatable({}, {__mode = "v"})
for _, mode in ipairs({"generational", "incremental"}) do
	collectgarbage(mode)
	for i = 1, 2000 do
		weak[i] = {i, tostring(i), {}}
		if i % 100 == 0 then
			setmetatable({}, {__gc = function() finalised = finalised + 1 end})
		end
	end
	collectgarbage()
end
print("garbage", finalised, next(weak))
