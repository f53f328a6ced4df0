import FlowKernel

/// An open task with the number by which the prompt names it.
struct NumberedTask {
  let id: Int
  let task: OpenTask
  /// The reason for which it could not be performed, or the like; nil if there is nothing to say.
  let note: String?
}
