import FlowKernel
import LuaRuntime

extension CaseWriter {
  /// The digest of a request to end a case.
  ///
  /// It differs from that of each action and creation, whose payloads are records.
  package static var requestToEnd: [UInt8] { request("", .string("end")) }
}
