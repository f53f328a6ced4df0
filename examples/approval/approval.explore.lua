-- Two texts, both departments, and somebody of neither; up to two rejections.
flow "approval.lua"

local roles = { "legal", "finance", "press" }

explore("two departments and a stranger", {
  actions = {
    edit    = { text = { "", "draft" } },
    approve = { role = roles },
    reject  = { role = roles, why = { "unclear" } },
  },
  within = function(s) return #s.notes <= 2 end,
}, function()
  never("an empty document published", function(s)
    return s.document == "published" and s.text == ""
  end)
  step("nothing is changed while it is read, or once it is published", function(before, after)
    return before.document == "draft" or after.text == before.text
  end)
  step("published by a department, out of a review", function(before, after, action)
    return after.document ~= "published" or before.document == "published"
      or before.document == "review" and action.name == "approve" and action.payload.role ~= "press"
  end)
  step("a new review asks both again", function(before, after, action)
    return action.name ~= "submit" or after.legal == "asked" and after.finance == "asked"
  end)
  step("only a department rejects", function(_, _, action)
    return action.name ~= "reject" or action.payload.role ~= "press"
  end)
  leads_to("a review that both answer comes to an end",
    function(s) return s.document == "review" end, function(s) return s.document ~= "review" end,
    { fair = { "approve" } })
end)
