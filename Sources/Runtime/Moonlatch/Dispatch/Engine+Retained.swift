/// What the host keeps for the flow outside of Lua counts against a limit of its own.
///
/// Each that keeps something knows what it takes, about: to ask costs nothing.
extension Engine {
  /// The bytes of all that is kept, about, but for the history, which can forget.
  var heldSize: Int {
    caseState.queue.size + caseState.timers.size + caseState.lastingSize + effects.size
      + scopes.size
      + subscriptions.size + (transcript?.size ?? 0)
  }

  /// Has the history forget what there is no room for, beside what else is kept and so many bytes more.
  ///
  /// False: there is no room even so.
  @discardableResult
  func reserve(for size: Int) -> Bool {
    let room = limits.retained - heldSize - size
    if history.size > room { history.shrink(to: room) }
    return room >= 0
  }

  /// Throws where so many bytes more cannot be kept.
  func requireReserve(for size: Int, of what: @autoclosure () -> String) throws(ScopeRefusal) {
    if !reserve(for: size) { throw ScopeRefusal(excess(what())) }
  }

  /// Why something cannot be kept.
  func excess(_ what: String) -> String {
    "\(what) cannot be kept: with it the host would keep more than \(limits.retained) bytes for the flow "
      + "(the limit retained)"
  }

  /// Notes in the transcript what came, if there is one.
  package func transcribe(_ entry: Transcript.Entry) {
    if transcript == nil { return }
    reserve(for: 0)
    if transcript?.note(entry, within: limits.retained - heldSize) == false {
      report(.transcriptEnded(revision: revision, excess("more of it")))
    }
  }
}
