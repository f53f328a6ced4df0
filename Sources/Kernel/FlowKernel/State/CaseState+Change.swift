import LuaRuntime
import StateBlocks

extension CaseState {
  /// A scope instance that is open by a key in the state or by the host.
  package struct ScopeInstance: Sendable, Hashable {
    package let scope: String
    package let number: Int

    /// The number of root's instance, which is always open.
    package static let root = 1
  }

  /// The key of a history value: the state whose history it is.
  package struct Remembered: Sendable, Hashable {
    package let machine: String
    /// The keys of the record that has the machine; empty for a machine of the state.
    package let keys: [Value]
    /// The state's path.
    package let state: String
    let isDeep: Bool
  }

  /// A change that can be undone and redone: the old and the new value.
  package enum Change: Sendable {
    case taken(HeldPassages.Held)
    case freed(HeldPassages.Held)
    case set(PendingTimer)
    /// The timer has fired, or was stopped.
    case gone(PendingTimer)
    case random(SeededRandom, SeededRandom)
    case effectRandom(SeededRandom, SeededRandom)
    indirect case scopeInstances([ScopeInstance], [ScopeInstance])
    indirect case historyValues(Remembered, [String], [String])
    indirect case began(ActiveState, QueuedAction)
    indirect case ended(ActiveState, QueuedAction)
    indirect case refusedTimers(ActiveState, [String], [String])

    /// The change that undoes it.
    var inverse: Change {
      switch self {
      case .taken(let passage): .freed(passage)
      case .freed(let passage): .taken(passage)
      case .set(let timer): .gone(timer)
      case .gone(let timer): .set(timer)
      case .random(let old, let new): .random(new, old)
      case .effectRandom(let old, let new): .effectRandom(new, old)
      case .scopeInstances(let old, let new): .scopeInstances(new, old)
      case .historyValues(let key, let old, let new): .historyValues(key, new, old)
      case .began(let state, let action): .ended(state, action)
      case .ended(let state, let action): .began(state, action)
      case .refusedTimers(let state, let old, let new): .refusedTimers(state, new, old)
      }
    }

    /// The approximate size, in bytes.
    package var size: Int {
      switch self {
      case .taken, .freed: 300
      case .set(let timer), .gone(let timer): 64 + timer.size
      case .random, .effectRandom: 64
      case .began(_, let action), .ended(_, let action): 100 + action.size
      case .scopeInstances(let old, let new): 100 + 40 * (old.count + new.count)
      case .historyValues(_, let old, let new): 160 + 16 * (old.count + new.count)
      case .refusedTimers(_, let old, let new):
        (old + new).reduce(160) { $0 + 16 + $1.utf8.count }
      }
    }
  }
}
