import FlowKernel
import FlowLanguage
import LuaRuntime
import Testing

@testable import HostFiles

/// Webhooks of host files.
@Suite struct HostHookTests {
  private let folder: HostFolder

  init() throws { folder = try HostFolder() }

  private static let run = "run = function(event, request) end"

  @Test("a webhook has a signature, actions and the line at which it begins")
  func declared() throws {
    let file = try folder.load(
      """
      provide { mail = worker {} }
      hooks.stripe = {
        signature = "stripe",
        secret = { "0123456789", "abcdefghij" },
        actions = { "settle", "refund" },
        run = function(event, request)
          return nil
        end,
      }
      hooks["a-b"] = { signature = { header = "X-Token", equals = "0123456789" }, \(Self.run),
        refused = "accept" }
      """)
    #expect(file.hooks.map(\.name) == ["a-b", "stripe"])
    #expect(file.hooks.map(\.summary) == ["POST /hooks/a-b", "POST /hooks/stripe"])
    #expect(file.hooks.map(\.place.description) == ["order.host.lua:10", "order.host.lua:2"])
    #expect(file.hooks.map(\.actions) == [[], ["settle", "refund"]])
    #expect(file.hooks.map(\.acceptsRefusals) == [true, false])
    let token = file.hooks[0].signature
    #expect(token.isValid(for: [], now: 0) { $0 == "X-Token" ? "0123456789" : nil })
    #expect(!token.isValid(for: [], now: 0) { _ in "0123456788" })
    #expect(file.capabilities.map(\.title) == ["root.mail"])
  }

  @Test(
    "each fault of a webhook names the line at which it begins",
    arguments: [
      (
        "secret = \"0123456789\"",
        "hooks.x has no signature; there are \"github\", \"stripe\", \"standard\" or { header = "
      ),
      (
        "signature = \"strip\", secret = \"0123456789\"",
        "hooks.x has no such signature: strip; did you mean stripe?; there are"
      ),
      ("signature = 7", "hooks.x has no such signature: 7; there are"),
      ("signature = \"github\"", "hooks.x: secret must be a text, or a list of texts"),
      ("signature = \"github\", secret = {}", "hooks.x: secret must be a text, or a list of texts"),
      ("signature = \"github\", secret = \"\"", "hooks.x: secret: secret 1 must be a text of at"),
      (
        "signature = \"github\", secret = { \"0123456789\", \"short\" }",
        "hooks.x: secret: secret 2 must be a text of at least 8 bytes"
      ),
      ("signature = \"github\", secret = { 123456789 }", "secret 1 must be a text"),
      (
        "signature = \"standard\", secret = \"whsec_no base64\"",
        "hooks.x: secret: secret 1 must be whsec_ and a key of at least 8 bytes in base64"
      ),
      (
        "signature = \"standard\", secret = \"whsec_AA==\"",
        "hooks.x: secret: secret 1 must be whsec_ and a key of at least 8 bytes in base64"
      ),
      (
        "signature = \"standard\", secret = \"$HOOK_SECRET\"",
        "hooks.x: secret: secret 1 must be whsec_ and a key of at least 8 bytes in base64"
      ),
      ("signature = \"standard\", secret = \"whsec_\"", "must be a text of at least 8 bytes"),
      ("signature = { header = \"X-Token\" }", "hooks.x: signature.equals must be a text"),
      (
        "signature = { header = \"X Token\", equals = \"0123456789\" }",
        "hooks.x: signature.header must be the name of a header"
      ),
      (
        "signature = { header = \"X\", equals = \"0123456789\", a = 1 }",
        "hooks.x: signature has no field a; it takes header and equals"
      ),
      (
        "signature = { header = \"X\", equals = \"0123456789\" }, secret = \"0123456789\"",
        "hooks.x: signature.equals is the secret, so that the option secret is left out"
      ),
      (
        "signature = \"github\", secret = \"0123456789\", action = {}",
        "hooks.x has no option action; did you mean actions?; it takes actions, refused, run, "
      ),
      (
        "signature = \"github\", secret = \"0123456789\", actions = \"settle\"",
        "hooks.x: actions takes a list of names: actions = { \"settle\" }"
      ),
      (
        "signature = \"github\", secret = \"0123456789\", actions = { settle = true }",
        "hooks.x: actions takes a list of names"
      ),
      (
        "signature = \"github\", secret = \"0123456789\", actions = { 7 }",
        "hooks.x: name 1 of actions must be in quotes, not a number"
      ),
      (
        "signature = \"github\", secret = \"0123456789\", refused = true",
        "hooks.x: refused must be \"accept\", or is left out"
      ),
    ])
  func options(option: String, sentence: String) throws {
    let faults = try folder.faults(
      of: "provide {}\nhooks.x = {\n  \(option),\n  \(Self.run)\n}\nhooks.y = nil")
    #expect(
      faults.filter { $0.contains("hooks.y") }.map { $0.prefix(45) }
        == ["order.host.lua:6: hooks.y takes its options i"])
    let own = faults.filter { !$0.contains("hooks.y") }
    #expect(own.count == 1, "\(own)")
    #expect(
      own.first?.hasPrefix("order.host.lua:2: ") == true && own.first?.contains(sentence) == true,
      "\(own)")
  }

  @Test("a webhook needs a function, a name of its own, and a declaration")
  func forms() throws {
    let options = "signature = \"github\", secret = \"0123456789\""
    for (text, sentence) in [
      (
        "hooks.x = { \(options) }",
        "order.host.lua:1: hooks.x needs run = function(event, request) ... end"
      ),
      (
        "hooks[\"a b\"] = { \(options), \(Self.run) }",
        "order.host.lua:1: hooks: a webhook has a name of 1 to 64 letters, digits, _ and -, not a b"
      ),
      (
        "hooks.x = { \(options), \(Self.run) }\nhooks.x = { \(options), \(Self.run) }",
        "order.host.lua:2: hooks.x is declared twice"
      ),
      (
        "hooks { x = { \(options), \(Self.run) } }",
        "order.host.lua:1: a webhook is declared as hooks.NAME = { ... }"
      ),
      (
        "hooks = { x = { \(options), \(Self.run) } }",
        "order.host.lua:1: hooks is not assigned as a whole: each webhook is declared as hooks.NAME"
      ),
    ] {
      let faults = try folder.faults(of: text)
      #expect(faults.count == 1 && faults[0].hasPrefix(sentence), "\(faults)")
    }
  }

  @Test("no fault shows a secret, and a text that stands for one is none")
  func secrets() throws {
    let faults = try folder.faults(
      of: "hooks.x = { signature = \"standard\", secret = \"secret?!\", \(Self.run) }")
    #expect(faults.count == 1 && !faults[0].contains("secret?!"), "\(faults)")
    for signature in ["github", "stripe", "standard"] {
      for secret in ["env.A", "\"whsec_\" .. env.A", "file(\"/run/secrets/hook\")"] {
        let file = try folder.load(
          "hooks.x = { signature = \"\(signature)\", secret = \(secret), \(Self.run) }",
          reading: .names)
        #expect(file.hooks.count == 1, "\(signature) \(secret)")
      }
    }
  }

  @Test("actions that the flow does not declare, or that are internal, are faults with the line")
  func actions() throws {
    let flow = try LoadedFlow(
      source: "state {}\naction.settle {}\ninternal.paid {}", name: "order.lua"
    ).flow
    let file = try folder.load(
      """
      provide {}
      hooks.x = { signature = "github", secret = "0123456789", \(Self.run),
        actions = { "settle", "setle", "paid" } }
      """)
    #expect(
      file.faults(for: flow).map(\.description) == [
        "order.host.lua:2: hooks.x: order.lua declares no action setle; did you mean settle?",
        "order.host.lua:2: hooks.x: action paid is internal, so that a webhook cannot dispatch it",
      ])
    let error = #expect(throws: FlowError.self) {
      _ = try HostFileInUse(file, for: flow, limits: Limits())
    }
    #expect(error?.faults.count == 2)
  }
}
