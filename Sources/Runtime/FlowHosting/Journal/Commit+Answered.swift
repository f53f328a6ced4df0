import FlowKernel
import FlowLanguage
import LuaRuntime

extension Commit {
  /// Makes the commit of an earlier dispatch, or one on another node, from what is known of it.
  package init(
    answered revision: Int, _ action: String, _ payload: Value, by who: String?,
    began: Int = 0, secrets: Secrets? = nil
  ) {
    var writer = ValueWriter()
    if payload != [:] { writer.write(payload) }
    self = writer.bytes.withUnsafeBytes {
      Commit(
        revision: revision, action: action, cause: nil, microseconds: 0, hostBegan: began,
        writes: UnsafeRawBufferPointer(start: nil, count: 0), payload: $0, secrets: secrets, by: who
      )
    }
  }
}
