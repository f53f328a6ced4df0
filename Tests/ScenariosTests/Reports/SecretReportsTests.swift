import Foundation
import Testing

@testable import Scenarios

/// Secrets in reports.
@Suite struct SecretReportsTests {
  private static let flow = """
    state {
      token = string { default = "", secret = true }, pin = integer { default = 0, secret = true },
      users = map_of { { name = string, password = string { secret = true } }, key = string },
      sessions = map_of { integer, key = string { secret = true } }, note = "",
    }
    action.login { user = string, password = string { secret = true }, pin = integer { secret = true } }
    function reduce.login(s, a)
      s.token, s.pin = "tok-" .. a.password, a.pin
      s.users[a.user] = { name = a.user, password = a.password }
      s.sessions["sess-" .. a.password] = 1
    end
    function gate.login(s, a) return a.user ~= "eve", "not with " .. a.password end
    function view.user(s) return s.users.ann end
    """

  /// The password is put together, so that no line of the scenario shows it.
  private static let login =
    "local function login(user) return { user = user or \"ann\", password = \"hunt\" .. \"er22\", "
    + "pin = 43 * 100 + 21 } end\n"

  @Test(
    "a failed expectation masks secrets on both sides, in a path too",
    arguments: [
      ("expect { token = \"x\" }", "token: \"•••\", found \"•••\""),
      ("expect { pin = 1, note = \"y\" }", "note: \"y\", found \"\" | pin: \"•••\", found \"•••\""),
      (
        "expect { users = { ann = { password = \"x\", name = \"b\" } } }",
        "users.ann.name: \"b\", found \"ann\" | users.ann.password: \"•••\", found \"•••\""
      ),
      (
        "expect { sessions = { [\"sess-hunt\" .. \"er22\"] = 2 } }", "sessions[\"•••\"]: 2, found 1"
      ),
    ])
  func expectations(_ body: String, _ mismatches: String) throws {
    let told = try Played.verdict(
      of: Self.login + "pass.login(login()) " + body, flow: Self.flow)
    #expect(told.hasSuffix("the state is not as expected | " + mismatches), "\(told)")
  }

  @Test(
    "no report of any format shows a secret, whatever failed",
    arguments: [
      "pass.login(login()) expect { token = \"x\" }",
      "pass.login(login()) expect.change { pin = 2 }",
      "pass.login(login()) expect.state { token = \"x\" }",
      "pass.login(login()) expect.view.user { name = \"b\", password = \"x\" }",
      "pass.login(login()) expect.equal(view.user(), { password = \"x\" })",
      "pass.login(login()) local p = view.user().password assert(p == 1, p)",
      "pass.login(login()) print(view.user(), view.user().password) error(\"no: \" .. view.user().password)",
      "pass.login(login()) refuse.login(login())", "pass.login(login(\"eve\"))",
      "refuse.login(login(\"eve\")):because(\"x\")",
      "pass.login { user = 1, password = \"hunt\" .. \"er22\", pin = 43 * 100 + 21.5 }",
      "given { token = \"hunt\" .. \"er22\" } expect { token = \"\" }",
    ])
  func reports(_ body: String) throws {
    let played = try Played(
      "scenario(\"it\", function()\n\(Self.login)\(body)\nend)\n", flow: Self.flow,
      tellsEveryStep: true)
    #expect(played.summary.notWell == 1)
    for format in ReportFormat.allCases {
      let report = Sample.report(format, played.events)
      #expect(!report.contains("hunter22"), "\(report)")
      #expect(!report.contains("4321, "), "\(report)")
    }
    #expect(!played.report.contains("hunter22"))
    #expect(!played.report.contains("pin = 4321"))
  }

  @Test("a snapshot masks secrets")
  func snapshots() throws {
    let folder = try TemporaryFolder()
    try folder.write(Self.flow, to: "flow.lua")
    try folder.write(
      """
      flow "flow.lua"
      \(Self.login)
      scenario("it", function()
        pass.login(login())
        expect.snapshot "course"
        expect.snapshot("user", view.user())
      end)
      """, to: "a.scenario.lua")
    #expect(Played(folder.select("a.scenario.lua")).summary.notWell == 0)
    for name in ["course", "user"] {
      let text = try String(
        contentsOf: folder.url.appending(path: "snapshots/a/\(name).txt"), encoding: .utf8)
      #expect(text.contains("•••") && !text.contains("hunter22"), "\(text)")
    }
  }
}
