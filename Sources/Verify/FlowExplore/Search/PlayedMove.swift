import CExplore
import FlowKernel
import LuaRuntime

/// An action that is played each time instead of learned, as cached by one thread.
final class PlayedMove {
  let name: String
  let payload: Value
  /// The trie of what follows after the gates have let the action pass.
  let part: UInt32
  /// The question to the gates of the action; nil if more than rules decide.
  let question: ExploredQuestion?
  /// The number of the plan that follows if only rules decide.
  let plainPlan: UInt32
  /// The number of times that the gates have let it pass since the last count.
  var followed = 0
  /// True if the move is played as a whole, not split into gates and a part.
  var isWhole = false
  /// The known numbers of plans, which are the transitions that machines take, and of refusals.
  private var plans: [String: UInt32] = [:]
  private var refusals: [(refusal: Refusal, number: UInt32)] = []
  private var rules: [(rule: Int, reason: [UInt8], number: UInt32)] = []

  /// The maximum number of refusals that are cached for an action.
  private static let mostRefusals = 16

  init(
    _ name: String, _ payload: Value, part: UInt32, _ question: ExploredQuestion?,
    plainPlan: UInt32
  ) {
    (self.name, self.payload, self.part) = (name, payload, part)
    (self.question, self.plainPlan) = (question, plainPlan)
  }

  /// Returns the number of a plan, calling `find` if it is not cached.
  func number(ofPlan plan: String, _ find: () -> UInt32) -> UInt32 {
    if let known = plans[plan] { return known }
    let number = find()
    plans[plan] = number
    return number
  }

  /// Returns the number of a refusal, calling `find` if it is not cached.
  func number(of refusal: Refusal, _ find: () -> UInt32) -> UInt32 {
    if let known = refusals.first(where: { $0.refusal == refusal }) { return known.number }
    let number = find()
    if refusals.count < PlayedMove.mostRefusals { refusals.append((refusal, number)) }
    return number
  }

  /// Returns the number of a refusal by a rule with its reason; nil if it is not cached.
  func number(ofRule rule: Int, _ reason: UnsafeRawBufferPointer) -> UInt32? {
    for index in rules.indices where rules[index].rule == rule {
      if rules[index].reason.elementsEqual(reason) { return rules[index].number }
    }
    return nil
  }

  func note(_ number: UInt32, ofRule rule: Int, _ reason: UnsafeRawBufferPointer) {
    if rules.count < PlayedMove.mostRefusals { rules.append((rule, Array(reason), number)) }
  }
}
