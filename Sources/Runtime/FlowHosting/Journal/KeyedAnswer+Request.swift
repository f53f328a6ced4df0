import FlowKernel
import LuaRuntime

extension KeyedAnswer {
  /// Throws `keyReused` unless the key was given to that request.
  package func expect(_ request: [UInt8], of id: String) throws(JournalError) {
    if self.request == request { return }
    throw JournalError(
      .keyReused,
      "case \(id): the key \(Value.quoted(key, limit: 80)) was given to another action or payload before "
        + "(#\(revision)); a key is for one thing")
  }
}
