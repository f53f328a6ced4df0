/// The bound on the bytes of a case outside of Lua (`Limits.retained`).
///
/// It counts the case's state, its effects and scopes, and its history. Observers are not counted: the transcript and
/// the values of watched views have the same bound for themselves, so that no outcome depends on them.
extension Engine {
  /// The approximate size in bytes of everything that is stored, without the history, which can drop commits.
  var heldSize: Int {
    caseState.queue.size + caseState.timers.size + caseState.lastingSize + effects.size
      + scopes.size
  }

  /// Shrinks the history until there is room for so many bytes more, beside everything else that is stored.
  ///
  /// Returns false if there is not enough room even without the history.
  @discardableResult
  package func reserve(for size: Int) -> Bool {
    let room = limits.retained - heldSize - size
    if history.size > room { history.shrink(to: room) }
    return room >= 0
  }

  /// Throws if there is no room for so many bytes more.
  func requireReserve(for size: Int, of what: @autoclosure () -> String) throws(ScopeRefusal) {
    if !reserve(for: size) { throw ScopeRefusal(excess(what())) }
  }

  /// Returns the message for something that there is no room for.
  func excess(_ what: String) -> String {
    "\(what) cannot be stored: with it the host would store more than \(limits.retained) bytes for the flow "
      + "(the limit retained)"
  }
}
