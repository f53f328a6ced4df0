import FlowKernel
import FlowTools

extension ChangedLocal {
  /// The warning of an exploration about the changed local.
  var warning: String {
    "\(place): \(function) changes the local \(local), which is not part of the state, so it can behave "
      + "differently in the same state; store it in the state"
  }
}
