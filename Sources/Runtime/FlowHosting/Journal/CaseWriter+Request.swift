import FlowKernel
import LuaRuntime

extension CaseWriter {
  /// The digest of a request to end a case.
  ///
  /// No action or creation has the same: their payloads are records.
  package static var requestToEnd: [UInt8] { request("", .string("end")) }
}
