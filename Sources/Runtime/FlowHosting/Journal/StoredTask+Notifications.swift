import FlowKernel

extension StoredTask {
  /// The position of a notification.
  package var position: NotificationPosition {
    get { NotificationPosition(task.arguments) }
    set { task = task.with(arguments: newValue.arguments, opened: task.opened) }
  }
}
