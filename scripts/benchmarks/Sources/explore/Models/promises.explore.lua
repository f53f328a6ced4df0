flow "two-phase-commit.lua"

explore("eight managers", function()
  eventually("decided", function(s) return s.tm ~= "init" end, { fair = { "tm_aborts" } })
end)
