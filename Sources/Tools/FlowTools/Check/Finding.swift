import FlowLanguage
import LuaRuntime

/// A finding of a check.
package struct Finding: Sendable, Hashable, CustomStringConvertible {
  package enum Severity: String, Sendable, Comparable {
    /// Something to know, which `--strict` lets pass.
    case note
    /// Something that can work, but probably not as intended.
    case warning
    /// Something that cannot work.
    case error

    package static func < (one: Severity, other: Severity) -> Bool {
      one != other && (one == .note || other == .error)
    }
  }

  /// The kind of a finding: the word by which a comment allows it.
  package enum Kind: String, Sendable, CaseIterable {
    case fault
    case unknownName = "unknown-name"
    case idleAction = "idle-action"
    case impossibleAction = "impossible-action"
    case unaskedGate = "unasked-gate"
    case unreachableState = "unreachable-state"
    case deadEnd = "dead-end"
    case untriedTarget = "untried-target"
    case conflictingTransitions = "conflicting-transitions"
    case overruledRefusal = "overruled-refusal"
    case neverDue = "never-due"
    case unheardEnd = "unheard-end"
    case unheardTimer = "unheard-timer"
    case idleHistory = "idle-history"
    case missingTransition = "missing-transition"
    case lockedScope = "locked-scope"
    case unreadView = "unread-view"
    case unreadField = "unread-field"
    case changedLocal = "changed-local"
    case ownWord = "own-word"
    case unsentAction = "unsent-action"
    case unknownGlobal = "unknown-global"
    case unknownField = "unknown-field"
    case unknownValue = "unknown-value"
    case misplacedWord = "misplaced-word"
    case refusedWrite = "refused-write"
    case replacedState = "replaced-state"
    case wrongPayload = "wrong-payload"
    case missingReturn = "missing-return"
    case failingView = "failing-view"
    case constantAnswer = "constant-answer"
    case swappedParameters = "swapped-parameters"
    case duplicateKey = "duplicate-key"
    case dotForColon = "dot-for-colon"
    case unusedLocal = "unused-local"
    case unusedStub = "unused-stub"
    case neverReset = "never-reset"
    case wrongKind = "wrong-kind"
    case untestedOptional = "untested-optional"
    case earlyDefault = "early-default"
    case strayConstraint = "stray-constraint"
    case neverPasses = "never-passes"
    case lostLocal = "lost-local"
    case cutOffEffect = "cut-off-effect"
    case weakTable = "weak-table"
    case foreignPattern = "foreign-pattern"
    case widerValue = "wider-value"
    case partialField = "partial-field"
    case lostResult = "lost-result"
    case skippedElement = "skipped-element"
    case luaName = "lua-name"
    case missingCapability = "missing-capability"
    case wrongArgument = "wrong-argument"
    case unusedCapability = "unused-capability"
    case unrepeatedTask = "unrepeated-task"
    case document

    /// The kinds that are found in a syntax tree.
    static let ofTrees: Set<Kind> = [
      .unknownGlobal, .unknownField, .unknownValue, .misplacedWord, .refusedWrite, .replacedState,
      .wrongPayload, .missingReturn, .constantAnswer, .swappedParameters, .duplicateKey,
      .dotForColon, .unusedLocal, .unusedStub, .neverReset,
      .wrongKind, .untestedOptional, .earlyDefault, .strayConstraint, .neverPasses, .weakTable,
      .foreignPattern, .widerValue, .partialField, .lostResult, .skippedElement,
      .missingCapability, .wrongArgument, .unusedCapability, .unrepeatedTask,
    ]

    /// The severity of the kind.
    package var severity: Severity {
      switch self {
      case .fault, .unknownName, .missingCapability: .error
      // A view may be for some states alone.
      case .luaName, .failingView: .note
      default: .warning
      }
    }
  }

  package let kind: Kind
  package let fault: Diagnostic
  var place: SourcePlace { SourcePlace(file: fault.file, line: fault.line) }
  /// True if a syntax tree shows it.
  package var isOfTrees: Bool { Kind.ofTrees.contains(kind) }
  package var severity: Severity { kind.severity }

  package init(_ kind: Kind, _ fault: Diagnostic) {
    self.kind = kind
    self.fault = fault
  }

  init(_ kind: Kind, at place: SourcePlace, _ message: String) {
    self.init(kind, Diagnostic(file: place.file, line: place.line, message: message))
  }

  /// `file:line: warning: message [kind]`; an error has no kind, since it cannot be allowed.
  package var description: String {
    let place = fault.line > 0 ? "\(fault.file):\(fault.line)" : fault.file
    let suffix = severity == .error ? "" : " [\(kind.rawValue)]"
    return "\(place): \(severity.rawValue): \(fault.message)\(suffix)"
  }

  /// The finding as a line of JSON.
  package var json: String {
    JSONText.visible([
      "file": .string(fault.file), "line": .integer(fault.line), "kind": .string(kind.rawValue),
      "severity": .string(severity.rawValue), "message": .string(fault.message),
    ])
  }
}

/// The findings that the comments of a file allow.
///
/// Such a comment, for instance `-- check: allow unread-field because the host shows it`, stands on the line or the one
/// above.
struct Allowances {
  private var kinds: [SourcePlace: Set<String>] = [:]

  init(_ sources: [LuaSource]) {
    for source in sources {
      for comment in source.comments {
        guard let range = comment.text.firstRange(of: "check: allow ") else { continue }
        let names = comment.text[range.upperBound...].split { $0 == "," || $0.isWhitespace }
          .prefix { $0 != "because" }
        for line in [comment.line, comment.line + 1] {
          kinds[SourcePlace(file: source.name, line: line), default: []].formUnion(
            names.map(String.init))
        }
      }
    }
  }

  func allow(_ finding: Finding) -> Bool {
    finding.severity == .warning && kinds[finding.place]?.contains(finding.kind.rawValue) == true
  }
}
