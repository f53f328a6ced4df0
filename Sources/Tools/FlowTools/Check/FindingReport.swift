import LuaRuntime

/// A machine-readable format of findings.
package enum FindingReport: String, Sendable, CaseIterable {
  /// A line of JSON for each.
  case jsonl
  /// Annotations of GitHub's workflows.
  case github
  /// SARIF 2.1.0, one document.
  case sarif

  package func text(for findings: [Finding], version: String) -> String {
    switch self {
    case .jsonl: findings.map { $0.json + "\n" }.joined()
    case .github: findings.map(annotation).joined()
    case .sarif: sarif(findings, version: version) + "\n"
    }
  }

  private func annotation(_ finding: Finding) -> String {
    GitHubAnnotation.text(
      finding.severity == .note ? "notice" : finding.severity.rawValue, finding.fault.file,
      finding.fault.line > 0 ? finding.fault.line : nil,
      finding.kind.rawValue, finding.fault.message)
  }

  private func sarif(_ findings: [Finding], version: String) -> String {
    let rules = Finding.Kind.allCases.map { Value.record(["id": .string($0.rawValue)]) }
    let driver: Value = [
      "name": "moonlatch", "version": .string(version), "rules": .list(rules),
    ]
    let run: Value = [
      "tool": ["driver": driver], "results": .list(findings.map(result)),
    ]
    return JSONText.visible([
      "$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
      "runs": .list([run]),
    ])
  }

  private func result(_ finding: Finding) -> Value {
    var location: [String: Value] = ["artifactLocation": ["uri": .string(uri(finding.fault.file))]]
    if finding.fault.line > 0 {
      location["region"] = ["startLine": .integer(finding.fault.line)]
    }
    return [
      "ruleId": .string(finding.kind.rawValue), "level": .string(finding.severity.rawValue),
      "message": ["text": .string(finding.fault.message)],
      "locations": .list([["physicalLocation": .record(location)]]),
    ]
  }

  /// Returns the path as a relative reference, with all but plain characters percent-encoded.
  private func uri(_ path: String) -> String {
    let plain = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/".utf8)
    return path.utf8.map { byte in
      if plain.contains(byte) { return String(UnicodeScalar(byte)) }
      let digits = String(byte, radix: 16, uppercase: true)
      return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
    }.joined()
  }
}
