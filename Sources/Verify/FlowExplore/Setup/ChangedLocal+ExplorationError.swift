import FlowKernel
import FlowTools

extension ChangedLocal {
  /// The warning of an exploration about the changed local.
  var warning: String {
    "\(place): \(function) changes the local \(local), which is no part of the state: in one and the same state it "
      + "may do this and that; keep it in the state"
  }
}
