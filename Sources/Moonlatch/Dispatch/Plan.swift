import LuaRuntime

/// What steps 2 to 5 have found out: how the action would move the machines and what it would do
/// to the gatekeepers, if it passes.
struct Plan {
  /// One machine's way.
  struct Move {
    let machine: Int
    let from: Int
    let to: Int
    /// Whether the state is left and entered, or the machine stays in it.
    let leaves: Bool
  }

  var moves: [Move] = []
  var resets: [KeeperOption] = []
  var takes: [KeeperOption] = []

  /// Whether gatekeepers take or reset anything.
  var touchesKeepers: Bool { !resets.isEmpty || !takes.isEmpty }
}

/// A step that does not let the action pass.
indirect enum Stop: Error {
  case refused(Refusal)
  case failed(Failure)
}
