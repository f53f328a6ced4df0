import Foundation
import Testing

@testable import HostFiles

/// Signatures of webhooks, compared with those of their senders.
@Suite struct HookSignatureTests {
  private static let now = 1_700_000_000

  private func isValid(
    _ signature: HookSignature, _ body: String, _ headers: [String: String], now: Int = now
  ) -> Bool {
    signature.isValid(for: Array(body.utf8), now: now) { headers[$0] }
  }

  // MARK: GitHub

  /// The example of GitHub's documentation.
  private let github = (
    secret: "It's a Secret to Everybody", body: "Hello, World!",
    signature: "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17"
  )

  @Test("the example of GitHub is valid, and nothing that differs from it is")
  func ofGitHub() {
    let signature = HookSignature(.github, secrets: [github.secret])
    let header = "X-Hub-Signature-256"
    #expect(isValid(signature, github.body, [header: github.signature]))
    for other in [
      "", "sha256=", github.signature + "0", String(github.signature.dropLast()),
      github.signature.replacing("757", with: "758"), String(github.signature.dropFirst(7)),
      github.signature.replacing("sha256", with: "sha1"),
    ] {
      #expect(!isValid(signature, github.body, [header: other]), "\(other)")
    }
    #expect(!isValid(signature, github.body, [:]))
    #expect(!isValid(signature, "Hello, World.", [header: github.signature]))
    #expect(!isValid(signature, "", [header: github.signature]))
    let other = HookSignature(.github, secrets: ["It's a Secret to Nobody"])
    #expect(!isValid(other, github.body, [header: github.signature]))
  }

  @Test("while a secret is replaced, the old one and the new one are valid")
  func severalSecrets() {
    let headers = ["X-Hub-Signature-256": github.signature]
    for secrets in [[github.secret, "another secret"], ["another secret", github.secret]] {
      #expect(isValid(HookSignature(.github, secrets: secrets), github.body, headers))
    }
    #expect(!isValid(HookSignature(.github, secrets: ["a secret", "another"]), "", headers))
    #expect(!isValid(HookSignature(.github, secrets: []), github.body, headers))
  }

  // MARK: Stripe

  private let stripe = (
    secret: "whsec_test_secret",
    body: "{\n  \"id\": \"evt_test_webhook\",\n  \"object\": \"event\"\n}",
    v1: "4f1cd7feda9826e746b7d482c4badebb657398df1099e1046364f6196a230150",
    ofOther: "19cdc33a94029b4b2424dd185ba908f4c09d2e1074a5ac98d3f3a4113f007e8c"
  )

  @Test("Stripe signs the time and the body; any of several v1 may fit")
  func ofStripe() {
    let signature = HookSignature(.stripe, secrets: [stripe.secret])
    func isValid(_ header: String, _ body: String? = nil, now: Int = HookSignatureTests.now) -> Bool
    {
      self.isValid(signature, body ?? stripe.body, ["Stripe-Signature": header], now: now)
    }
    let header = "t=1700000000,v1=\(stripe.v1)"
    #expect(isValid(header))
    #expect(isValid("t=1700000000, v1=\(stripe.ofOther), v1=\(stripe.v1), v0=abc"))
    for other in [
      "", "t=1700000000", "v1=\(stripe.v1)", "t=1700000000,v1=", "t=1700000000,v0=\(stripe.v1)",
      "t=1700000001,v1=\(stripe.v1)", "t=now,v1=\(stripe.v1)", "t=-1700000000,v1=\(stripe.v1)",
      "t=99999999999999999999,v1=\(stripe.v1)", "t=1700000000,v1=\(stripe.ofOther)",
      "t=1700000000,v1=\(stripe.v1.uppercased())",
    ] { #expect(!isValid(other), "\(other)") }
    #expect(!isValid(header, stripe.body + "\n"))
    for changed in [-300, 300] {
      #expect(isValid(header, now: HookSignatureTests.now + changed), "\(changed)")
    }
    for changed in [-301, 301] {
      #expect(!isValid(header, now: HookSignatureTests.now + changed), "\(changed)")
    }
    let both = HookSignature(.stripe, secrets: ["whsec_other_secret", stripe.secret])
    for v1 in [stripe.v1, stripe.ofOther] {
      #expect(
        self.isValid(both, stripe.body, ["Stripe-Signature": "t=1700000000,v1=\(v1)"]), "\(v1)")
    }
  }

  // MARK: Standard Webhooks

  /// The example of the libraries of Standard Webhooks.
  private let standard = (
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", body: "{\"test\": 2432232314}",
    headers: [
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    ], time: 1_614_265_330
  )

  @Test("the example of Standard Webhooks is valid, with and without the prefix of the secret")
  func ofStandard() {
    for secret in [standard.secret, String(standard.secret.dropFirst(6))] {
      let signature = HookSignature(.standard, secrets: ["whsec_AAAAAAAA", secret])
      #expect(isValid(signature, standard.body, standard.headers, now: standard.time))
      for changed in [-300, 300] {
        #expect(isValid(signature, standard.body, standard.headers, now: standard.time + changed))
      }
      for changed in [-301, 301] {
        #expect(!isValid(signature, standard.body, standard.headers, now: standard.time + changed))
      }
    }
  }

  @Test("id, time, signature and body of Standard Webhooks are all signed")
  func changedStandard() throws {
    let signature = HookSignature(.standard, secrets: [standard.secret])
    func isValid(_ headers: [String: String], _ body: String? = nil) -> Bool {
      self.isValid(signature, body ?? standard.body, headers, now: standard.time)
    }
    let given = try #require(standard.headers["webhook-signature"])
    for several in ["v1,AAAA \(given)", "\(given) v1a,AAAA", "v2,x \(given) v1,"] {
      #expect(
        isValid(standard.headers.merging(["webhook-signature": several]) { $1 }), "\(several)")
    }
    for (name, value) in [
      ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJel"), ("webhook-timestamp", "1614265331"),
      ("webhook-signature", String(given.dropFirst(3))), ("webhook-signature", "v1,"),
      ("webhook-signature", given.replacing("v1,", with: "v1a,")),
      ("webhook-signature", given.replacing("g0", with: "g1")),
    ] {
      #expect(!isValid(standard.headers.merging([name: value]) { $1 }), "\(name) \(value)")
    }
    for name in standard.headers.keys {
      #expect(!isValid(standard.headers.filter { $0.key != name }), "\(name)")
    }
    #expect(!isValid(standard.headers, "{\"test\": 2432232315}"))
  }

  @Test("a secret that is no key in base64 signs nothing")
  func noKey() {
    for secret in ["whsec_", "", "$ERP_SECRET", "whsec_???"] {
      let signature = HookSignature(.standard, secrets: [secret])
      #expect(!isValid(signature, standard.body, standard.headers, now: standard.time), "\(secret)")
    }
  }

  // MARK: A header

  @Test("a header with the secret itself must equal it")
  func ofHeader() {
    let signature = HookSignature(.header("X-Token"), secrets: ["0123456789", "abcdefghij"])
    for token in ["0123456789", "abcdefghij"] {
      #expect(isValid(signature, "", ["X-Token": token]))
      #expect(!isValid(signature, "", ["X-Other": token]))
    }
    for token in ["", "0123456788", "01234567890", "012345678", "0123456789, abcdefghij"] {
      #expect(!isValid(signature, "", ["X-Token": token]), "\(token)")
    }
  }
}
