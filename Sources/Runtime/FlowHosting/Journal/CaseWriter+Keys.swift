import FlowKernel
import LuaRuntime
import Platform

extension CaseWriter {
  /// Returns the digest of a dispatch's action and payload, by which a repeated dispatch is recognized.
  package static func request(_ action: String, _ payload: Value) -> [UInt8] {
    var writer = ValueWriter()
    writer.writeText(action)
    writer.write(payload)
    return SHA256.digest(of: writer.bytes)
  }
}
