import Foundation
import FoundationXML

/// Reports as a command has left them.
enum Reports {
  /// The fault of a report: it ends in the middle. Nil if it is whole, or nothing was written.
  static func fault(in file: String) -> String? {
    guard let data = FileManager.default.contents(atPath: file), !data.isEmpty else { return nil }
    let text = String(decoding: data, as: UTF8.self)
    let end = "\(file.split(separator: "/").last ?? "") ends with \"\(text.suffix(80))\""
    switch file.split(separator: ".").last {
    case "jsonl":
      let lines = text.split(separator: "\n")
      let isJSON = lines.allSatisfy { (try? JSONSerialization.jsonObject(with: Data($0.utf8))) != nil }
      let isEnded = ["\"event\":\"end\"", "\"type\":\"replay-end\""].contains {
        lines.last?.contains($0) == true
      }
      return isJSON && isEnded && text.hasSuffix("\n") ? nil : end
    case "xml": return XMLParser(data: data).parse() ? nil : end
    case "html": return text.hasSuffix("</html>\n") ? nil : end
    case "tap":
      let points = text.split(separator: "\n").count { $0.hasPrefix("ok ") || $0.hasPrefix("not ok ") }
      return text.hasSuffix("\n1..\(points)\n") ? nil : end
    case "csv", "lua": return data.last == 10 ? nil : end
    default: return nil
    }
  }
}
