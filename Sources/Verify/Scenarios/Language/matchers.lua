-- Matchers, which an expectation can have in place of a value; expect.equal; and assert.

local host = host
local words = host.scenario_words
local error, math_type, rawequal, select, type = error, math.type, rawequal, select, type
local concat, find, format, gmatch, gsub, sub =
  table.concat, string.find, string.format, string.gmatch, string.gsub, string.sub
local misuse = words.misuse

-- A matcher is plain data with a key that no field can have; `Matcher` reads it.
local MATCHER = "\0matcher"

local function matcher(kind, argument, by)
  return { [MATCHER] = kind, argument = argument, by = by }
end

-- Checks the argument of a matcher. It cannot be nil; `none` stands for no value.
local function argument(word, usage, count, value)
  if count ~= 1 or value == nil then misuse(format("%s needs one value: %s", word, usage)) end
  return words.plain(value, word)
end

words.set("any", matcher("any"))

words.set("near", function(number, by)
  if not math_type(number) or not math_type(by) or not (by >= 0) then
    misuse("near needs a number and a tolerance: near(0.3, 0.01)")
  end
  return matcher("near", number, by)
end)

words.set("match", function(pattern)
  if type(pattern) ~= "string" then misuse("match needs a Lua pattern: match \"^r%d+$\"") end
  local fine, problem = host.protect(find, "", pattern)
  if not fine then misuse(format("match %q: %s", pattern, problem)) end
  return matcher("match", pattern)
end)

words.set("contains", function(...)
  return matcher("contains", argument("contains", "contains \"part of a text\", contains(element)",
    select("#", ...), ...))
end)

words.set("one_of", function(values)
  if type(values) ~= "table" or #values == 0 then
    misuse("one_of needs a list of values: one_of { \"new\", \"sent\" }")
  end
  return matcher("one_of", host.set_mark(words.plain(values, "one_of"), "list"))
end)

-- Returns true if a string matches a pattern; nil and the reason if the pattern is invalid.
function host.scenario_matches(text, pattern)
  local fine, found = host.protect(find, text, pattern)
  if not fine then return nil, found end
  return found ~= nil
end

words.expect("equal", function(...)
  words.must_run("expect.equal")
  if select("#", ...) ~= 2 then
    misuse("expect.equal needs the actual and the expected value: expect.equal(view.total(), 5)")
  end
  local actual, expected = ...
  words.compare("equal", words.plain(actual, "expect.equal"), words.plain(expected, "expect.equal"))
end)

local function on_one_line(text) return (gsub(text, "\n%s*", " ")) end

-- Returns the values of the locals that the line of an assertion names.
local function values_here()
  local text = gsub(host.scenario_line(host.where()), "\"[^\"]*\"", "")
  text = sub(text, find(text, "assert", 1, true) or 1)
  local locals, seen, values = host.locals(), {}, {}
  for before, name in gmatch(text, "([.:]?)%s*([%a_][%w_]*)") do
    local value = locals[name]
    if before == "" and value ~= nil and not seen[name] and type(value) ~= "function" then
      seen[name] = true
      values[#values + 1] = name .. " = "
        .. (rawequal(value, host.none) and "nil" or on_one_line(host.inspect(value)))
    end
  end
  return values
end

-- A failed assertion is a failed expectation; its message shows its arguments and locals.
words.set("assert", function(...)
  if ... then return ... end
  local count = select("#", ...)
  if count == 0 then misuse("assert needs a value: assert(view.total() == 5)") end
  local _, message = ...
  if not words.is_running() then
    error(message == nil and "assertion failed!" or message, type(message) == "string" and 2 or 0)
  end
  local has_words = type(message) == "string"
  local values = values_here()
  for place = has_words and 3 or 2, count do
    values[#values + 1] = on_one_line(host.inspect((select(place, ...))))
  end
  local told = has_words and message or "an assertion does not hold"
  if #values > 0 then told = format("%s (%s)", told, concat(values, ", ")) end
  words.failed("assert", host.printable(told), "", {})
end)
