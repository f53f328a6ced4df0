import FlowHosting
import FlowKernel

/// A host whose flow's file can be rewritten.
final class Written: Sendable {
  let folder: TestFolder
  let host: FlowHost
  let reports = Trial.Lines()

  init(
    _ text: String, keepsTranscript: Bool = true, scopes: (inout HostScopes) -> Void = { _ in }
  ) throws {
    folder = try TestFolder()
    let file = try folder.write(text, to: "flow.lua")
    let reports = reports
    host = try FlowHost(
      flow: file,
      options: HostOptions(
        clock: .virtual, keepsTranscript: keepsTranscript, findsChangedLocals: true,
        report: { reports.add("\($0)") }), scopes: scopes)
  }

  @discardableResult
  func reload(_ text: String, _ mode: FlowHost.Reload) throws -> Transcript.Difference? {
    try folder.write(text, to: "flow.lua")
    return try host.reload(mode)
  }
}

// MARK: Flows to write

extension Written {
  /// Adds up.
  static let counter = """
    state { n = 0 } action.add { by = integer { default = 1 } }
    function reduce.add(s, a) s.n = s.n + a.by end
    """

  /// The same, with a rule that makes more of each.
  static var doubled: String {
    counter.split(separator: "+ a.by").joined(separator: "+ 2 * a.by")
  }

  /// Pays by a call that the host answers later.
  static let paying = """
    state { status = "open", receipt = none } action.pay {} action.paid { receipt = string }
    action.failed { error = string } action.stop {}
    function reduce.pay(s) s.status = "paying" end
    function reduce.paid(s, a) s.status, s.receipt = "paid", a.receipt end
    function reduce.failed(s, a) s.status = a.error end
    function reduce.stop(s) s.status = "stopped" end
    function view.status(s) return s.status end
    effect.pay = { on_error = "failed", run = function(self)
      local receipt = self:charge(100)
      print(view.status())
      dispatch.paid { receipt = receipt }
    end }
    """

  /// A host of the flow that pays.
  static func shop(charging provider: Provider) throws -> Written {
    try Written(paying) { scopes in
      scopes.root.provide("charge") { (cents: Int) async throws -> String in
        try await provider.ask("\(cents)")
      }
    }
  }
}
