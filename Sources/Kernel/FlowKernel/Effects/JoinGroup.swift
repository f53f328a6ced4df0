import LuaRuntime

/// Functions that run side by side in an effect: what `all` or `race` waits for.
final class JoinGroup {
  /// Whether the first that ends decides.
  let isRace: Bool
  /// How many functions there are.
  package let count: Int
  /// Where they stand in the effect.
  package let path: String
  /// How many groups stand around it, and it itself: the path is as long.
  package let depth: Int
  /// How many of them have not come to their end.
  package var left: Int
  /// Those that wait, by number.
  package var waiting: Set<Int> = []
  /// Whether nobody waits for them any more.
  package var isOver = false

  package init(isRace: Bool, count: Int, at path: String, depth: Int) {
    (self.isRace, self.count, self.path, left) = (isRace, count, path, count)
    self.depth = depth
  }
}

/// One of these functions.
package struct Branch {
  /// The effect, or the function, that waits for it.
  package let parent: RunningEffects.Running
  let joinGroup: JoinGroup
  /// From 1 on, in the order of `pairs`.
  package let number: Int

  /// Its position in the effect: `all1.2`.
  package var place: String { "\(joinGroup.path).\(number)" }
}

/// What is to be done about functions that run side by side.
///
/// Steps are taken one after the other, not one within the other: however deep functions are nested,
/// they take no stack of the host's.
package enum GatheringStep {
  /// A function begins, and then those after it.
  case begin(Branch)
  /// Who waited for functions goes on.
  case goOn(RunningEffects.Running, Result<[Value], TaskError>)
}
