-- A flow with every type that a payload can have, for what asks a server by its OpenAPI document.

local word = string { pattern = "^%l+$", max_length = 8 }
local pair = { left = number, right = optional(integer) }

state { last = optional(any), total = integer { default = 0 }, coins = map_of { integer, key = one_of { 5, 10 } } }

action.nothing {}
action.numbers { whole = integer, small = integer { min = -3, max = 3 }, real = number, half = number { min = 0, max = 0.5 } }
action.words { any = string, some = string { min_length = 1, max_length = 5 }, word = word, secret = optional(string { secret = true }) }
action.choices { one = one_of { "a", "b", 3, true }, flag = boolean, maybe = optional(one_of { 1, 2 }) }
action.lists { whole = list_of(integer), few = list_of { word, min_length = 1, max_length = 3 }, deep = list_of(list_of(boolean)) }
action.maps { named = map_of(integer), numbered = map_of { string, key = integer }, worded = map_of { boolean, key = word, max_length = 4 } }
action.coins { coins = map_of { integer, key = one_of { 5, 10 }, max_length = 1 }, deep = list_of { at = map_of { word, key = integer } } }
action.records { pair = pair, pairs = list_of(pair), inner = { inner = { value = any } } }
action.defaults { count = integer { default = 1 }, name = string { default = "" }, list = list_of { string, default = {} } }
action["with blanks / and %"] { value = any }
action.only_when_on { value = optional(any) }

machine.power { initial = "off", off = { nothing = "on" }, on = { only_when_on = "off" } }

for _, name in ipairs { "words", "choices", "lists", "maps", "defaults" } do
  reduce[name] = function(s, a) s.last = a end
end
function reduce.numbers(s, a) s.total = s.total // 2 + a.small end
reduce["with blanks / and %"] = function(s, a) s.last = a.value end
function reduce.records(s, a) s.last = a.inner.inner.value end

function reduce.coins(s, a) s.coins = a.coins end

function view.total(s) return s.total end
function view.last(s) return s.last end
