import FlowKernel
import LuaRuntime

extension KeyedAnswer {
  /// Throws `keyReused` unless the key was given to that request.
  package func expect(_ request: [UInt8], of id: String) throws(JournalError) {
    if self.request == request { return }
    throw JournalError(
      .keyReused,
      "case \(id): the key \(Value.quoted(key, limit: 80)) was used before for another action or payload "
        + "(#\(revision)); use a new key for each request")
  }
}
