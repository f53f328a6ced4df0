import Foundation

/// The same 2,000 tests of ten steps each, for each of the three runners, in a folder of its own.
struct Suites {
  let folder: URL
  let count: Int

  var scenarios: URL { folder.appending(path: "scenarios") }
  var busted: URL { folder.appending(path: "busted") }
  var pytest: URL { folder.appending(path: "pytest") }

  init(count: Int, flow: URL) throws {
    self.count = count
    folder = FileManager.default.temporaryDirectory
      .appending(path: "moonlatch-bench-\(ProcessInfo.processInfo.processIdentifier)")
    for each in [scenarios, busted, pytest] {
      try FileManager.default.createDirectory(at: each, withIntermediateDirectories: true)
    }
    try FileManager.default.copyItem(at: flow, to: scenarios.appending(path: "turnstile.lua"))
    for number in 0..<count {
      let name = String(format: "%04d", number)
      let coins = number % 9 + 1
      try write(Suites.scenario(name, coins), to: scenarios, "s\(name).scenario.lua")
      try write(Suites.spec(name, coins), to: busted, "s\(name)_spec.lua")
      try write(Suites.python(name, coins), to: pytest, "test_s\(name).py")
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  private func write(_ text: String, to folder: URL, _ name: String) throws {
    try text.write(to: folder.appending(path: name), atomically: false, encoding: .utf8)
  }

  private static func scenario(_ name: String, _ coins: Int) -> String {
    """
    flow "turnstile.lua"

    scenario("visitors \(name)", function()
      refuse.push():because("insert a coin")
      pass.coin { amount = \(coins) }
      expect { coins = \(coins), locked = false }
      pass.push()
      expect { locked = true }
      refuse.push():because("insert a coin")
      pass.coin { amount = 1 }
      pass.push()
      expect.view.takings(\(coins + 1))
      expect { coins = \(coins + 1), locked = true }
    end)

    """
  }

  /// The turnstile as a plain table, made afresh for each test.
  private static func spec(_ name: String, _ coins: Int) -> String {
    """
    local function turnstile()
      local s = { coins = 0, locked = true }
      function s.coin(amount) s.coins = s.coins + amount; s.locked = false; return true end
      function s.push()
        if s.locked then return false, "insert a coin first" end
        s.locked = true
        return true
      end
      return s
    end

    describe("visitors \(name)", function()
      it("go through", function()
        local s = turnstile()
        assert.same({ false, "insert a coin first" }, { s.push() })
        assert.is_true(s.coin(\(coins)))
        assert.same({ \(coins), false }, { s.coins, s.locked })
        assert.is_true(s.push())
        assert.is_true(s.locked)
        assert.same({ false, "insert a coin first" }, { s.push() })
        assert.is_true(s.coin(1))
        assert.is_true(s.push())
        assert.equal(\(coins + 1), s.coins)
        assert.same({ \(coins + 1), true }, { s.coins, s.locked })
      end)
    end)

    """
  }

  private static func python(_ name: String, _ coins: Int) -> String {
    """
    class Turnstile:
        def __init__(self):
            self.coins, self.locked = 0, True

        def coin(self, amount):
            self.coins += amount
            self.locked = False
            return True, None

        def push(self):
            if self.locked:
                return False, "insert a coin first"
            self.locked = True
            return True, None


    def test_visitors_\(name)():
        s = Turnstile()
        assert s.push() == (False, "insert a coin first")
        assert s.coin(\(coins))[0]
        assert (s.coins, s.locked) == (\(coins), False)
        assert s.push()[0]
        assert s.locked
        assert s.push() == (False, "insert a coin first")
        assert s.coin(1)[0]
        assert s.push()[0]
        assert s.coins == \(coins + 1)
        assert (s.coins, s.locked) == (\(coins + 1), True)

    """
  }
}
