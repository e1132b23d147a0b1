-- SPDX-License-Identifier: MIT
-- Keeps the interpreter busy, in some parts of it more than in others.
local function fibonacci(n)
	return n < 2 and n or fibonacci(n - 1) + fibonacci(n - 2)
end

local words = {}
for i = 1, 20000 do words[i] = string.format("%05d", i * 7919 % 100003) end

local sum = 0
for _ = 1, 100 do
	sum = sum + fibonacci(27)
	local copy = table.move(words, 1, #words, 1, {})
	table.sort(copy)
	sum = sum + #table.concat(copy, ","):gsub("%d", "x")
	for _, word in ipairs(copy) do sum = sum + (word:find("77", 1, true) or 0) end
	local keys = {}
	for i = 1, #copy do keys[copy[i]] = { i } end
	for _, value in pairs(keys) do sum = sum + value[1] end
end
print(sum)
