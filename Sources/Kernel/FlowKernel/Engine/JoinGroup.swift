import LuaRuntime

/// A group of functions that run concurrently in an effect, for which `all` or `race` waits.
final class JoinGroup {
  /// True if the first function to end decides.
  let isRace: Bool
  /// The number of functions.
  package let count: Int
  /// The position of the group in the effect.
  package let path: String
  /// The number of nested groups up to and including this one, which is the length of the path.
  package let depth: Int
  /// The number of functions that have not ended.
  package var left: Int
  /// The numbers of the functions that wait.
  package var waiting: Set<Int> = []
  /// True once no effect waits for the functions any more.
  package var isOver = false

  package init(isRace: Bool, count: Int, at path: String, depth: Int) {
    (self.isRace, self.count, self.path, left) = (isRace, count, path, count)
    self.depth = depth
  }
}

/// A function of a group.
package struct Branch {
  /// The effect, or the function, that waits for it.
  package let parent: RunningEffects.Running
  let joinGroup: JoinGroup
  /// The number of the function, from 1 on, in the order of `pairs`.
  package let number: Int

  /// Its position in the effect: `all1.2`.
  package var place: String { "\(joinGroup.path).\(number)" }
}

/// A step in the work of functions that run concurrently.
///
/// Steps run one after the other, not nested: deeply nested functions use no stack of the host.
package enum GatheringStep {
  /// Begins a function, and then the functions after it.
  case begin(Branch)
  /// Resumes the effect, or function, that waited for the group.
  case goOn(RunningEffects.Running, Result<[Value], TaskError>)
}
