import CExplore
import FlowKernel
import LuaRuntime

/// An action that is played, as the thread knows it that plays it.
final class PlayedMove {
  let name: String
  let payload: Value
  /// The trie of what follows once its gates have let it pass.
  let part: UInt32
  /// To ask its gates about it; nil where more than rules have a say.
  let question: ExploredQuestion?
  /// What follows where only rules have a say.
  let plainPlan: UInt32
  /// How often gates have let it pass, since that was counted.
  var followed = 0
  /// Whether it is made as a whole.
  var isWhole = false
  /// The numbers of ways, and those of reasons, the last ones that were heard of.
  private var plans: [String: UInt32] = [:]
  private var refusals: [(refusal: Refusal, number: UInt32)] = []
  private var rules: [(rule: Int, reason: [UInt8], number: UInt32)] = []

  /// So many refusals of an action are remembered.
  private static let mostRefusals = 16

  init(
    _ name: String, _ payload: Value, part: UInt32, _ question: ExploredQuestion?,
    plainPlan: UInt32
  ) {
    (self.name, self.payload, self.part) = (name, payload, part)
    (self.question, self.plainPlan) = (question, plainPlan)
  }

  /// The number of ways; `find` tells it where it was not heard of.
  func number(ofPlan plan: String, _ find: () -> UInt32) -> UInt32 {
    if let known = plans[plan] { return known }
    let number = find()
    plans[plan] = number
    return number
  }

  /// The same of who refused.
  func number(of refusal: Refusal, _ find: () -> UInt32) -> UInt32 {
    if let known = refusals.first(where: { $0.refusal == refusal }) { return known.number }
    let number = find()
    if refusals.count < PlayedMove.mostRefusals { refusals.append((refusal, number)) }
    return number
  }

  /// The same of a rule that refused it, and why; nil where it was not heard of.
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
