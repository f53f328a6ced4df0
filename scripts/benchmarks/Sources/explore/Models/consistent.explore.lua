flow "two-phase-commit.lua"

-- TCConsistent of the publication.
explore("eight managers", function()
  never("torn", function(s)
    local aborted, committed = false, false
    for r = 1, #s.rm do
      if s.rm[r] == "aborted" then aborted = true elseif s.rm[r] == "committed" then committed = true end
    end
    return aborted and committed
  end)
end)
