-- A line of text with a cursor and a mark: typing, deleting, cutting and pasting.
local MOST = 4

state { text = list {}, cursor = 0, clip = list {} }

action.type { letter = one_of { "a", "b" } }
action.delete {}
action.move { by = one_of { -1, 1 } }
action.cut {}
action.paste {}

function gate.type(s) return #s.text < MOST, "the line is full" end
function reduce.type(s, a)
  table.insert(s.text, s.cursor + 1, a.letter)
  s.cursor = s.cursor + 1
end

function gate.delete(s) return s.cursor > 0, "there is nothing before the cursor" end
function reduce.delete(s)
  table.remove(s.text, s.cursor)
  s.cursor = s.cursor - 1
end

function gate.move(s, a) return s.cursor + a.by >= 0 and s.cursor + a.by <= #s.text, "there is nothing" end
function reduce.move(s, a) s.cursor = s.cursor + a.by end

function gate.cut(s) return s.cursor < #s.text, "there is nothing behind the cursor" end
function reduce.cut(s)
  while #s.clip > 0 do table.remove(s.clip) end
  while #s.text > s.cursor do
    table.insert(s.clip, 1, s.text[#s.text])
    table.remove(s.text)
  end
end

function gate.paste(s) return #s.clip > 0 and #s.text + #s.clip <= MOST, "it does not fit" end
function reduce.paste(s)
  for i = 1, #s.clip do
    table.insert(s.text, s.cursor + i, s.clip[i])
  end
  s.cursor = s.cursor + #s.clip
end

function invariant.cursor(s) return s.cursor >= 0 and s.cursor <= #s.text end
function invariant.letters(s)
  for _, letter in ipairs(s.text) do
    if letter ~= "a" and letter ~= "b" then return false end
  end
  return true
end
