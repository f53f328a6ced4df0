flow "approval.lua"

before_each(function()
  pass.edit { text = "a contract" }
  pass.submit()
end)

for _, order in ipairs { { "legal", "finance" }, { "finance", "legal" } } do
  scenario("published once both agree, " .. order[1] .. " first", function()
    pass.approve { role = order[1] }
    expect { document = "review", [order[1]] = "agreed", [order[2]] = "asked" }
    pass.approve { role = order[2] }
    expect { document = "published" }
    refuse.edit { text = "another one" }:because("edit is not possible in published")
  end)
end

scenario("nobody else approves", function()
  refuse.approve { role = "cook" }:because("this is for legal; this is for finance")
  pass.approve { role = "legal" }
  refuse.approve { role = "legal" }:because("this is for finance")
end)

scenario("what one rejects goes back to the author, with a note", function()
  pass.approve { role = "finance" }
  pass.reject { role = "legal", why = "too long" }
  expect { document = "draft", notes = { "legal: too long" } }
  pass.edit { text = "shorter" }
  pass.submit()
  expect { legal = "asked", finance = "asked" }      -- both are asked again
end)

scenario("nobody else rejects", function()
  refuse.reject { role = "cook", why = "too salty" }:because("nobody has asked cook")
  expect { document = "review", notes = {} }
end)

scenario("the author may take it back", function()
  pass.withdraw()
  expect { document = "draft" }
  refuse.approve { role = "legal" }:by("machine document")
end)

scenario("an empty document is not submitted", function()
  pass.withdraw()
  pass.edit { text = "" }
  refuse.submit():because("there is nothing to review")
end)
