-- SPDX-License-Identifier: MIT
-- Makes the interpreter call its functions as often as it can: it sorts, formats, matches and recurses.
local rounds = tonumber(arg and arg[1]) or 100

local function fibonacci(n)
	return n < 2 and n or fibonacci(n - 1) + fibonacci(n - 2)
end

local function formatted()
	local words = {}
	for i = 1, 4000 do words[i] = string.format("%05d:%s", i * 7919 % 100003, tostring(i)) end
	return words
end

-- Sorts by a function of Lua, which the sort has to call.
local function sorted(words)
	table.sort(words, function(a, b) return a < b end)
	return words
end

local function matched(words)
	local sum = 0
	for _, word in ipairs(words) do
		local left, right = word:match("^(%d+):(%d+)$")
		sum = sum + #left * #right + #word:gsub("%d", "x")
	end
	return sum
end

local sum = 0
for _ = 1, rounds do
	sum = sum + fibonacci(20) + matched(sorted(formatted()))
end
print(sum)
