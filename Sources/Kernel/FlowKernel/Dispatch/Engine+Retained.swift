/// The bound on the bytes of a case outside of Lua (`Limits.retained`).
///
/// It counts the case's state, its effects and scopes, and its history. Observers are not counted: the transcript and
/// the values of watched views have the same bound for themselves, so that no outcome depends on them.
extension Engine {
  /// The bytes of all that is kept, about, but for the history, which can forget.
  var heldSize: Int {
    caseState.queue.size + caseState.timers.size + caseState.lastingSize + effects.size
      + scopes.size
  }

  /// Has the history forget what there is no room for, beside what else is kept and so many bytes more.
  ///
  /// False: there is no room even so.
  @discardableResult
  package func reserve(for size: Int) -> Bool {
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
}
