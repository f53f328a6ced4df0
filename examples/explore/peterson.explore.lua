-- 42 states, 77 transitions, 11 levels: the two are never inside at once, and who waits gets there.
flow "peterson.lua"

explore("two processes", function()
  never("both inside", function(s)
    return s.at[1] == "inside" and s.at[2] == "inside"
  end)
  sometimes("the second inside while the first waits", function(s)
    return s.at[2] == "inside" and s.at[1] == "waiting"
  end)
  leads_to("the first gets in", function(s) return s.at[1] == "waiting" end, function(s)
    return s.at[1] == "inside"
  end, { fair = { "come", "say_so", "yield", "enter", "leave", "be_gone" } })
  step("nobody is pushed out", function(before, after, action)
    for p = 1, 2 do
      if before.at[p] == "inside" and after.at[p] ~= "inside" then
        if action.name ~= "leave" or action.payload.p ~= p then return false end
      end
    end
    return true
  end)
end)
