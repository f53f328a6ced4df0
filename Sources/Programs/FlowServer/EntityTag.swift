#if Server
  import HTTPTypes
  import Hummingbird

  /// The version of a case in a response, as the header `ETag` names it (RFC 9110, section 8.8.3).
  ///
  /// It begins with the case's revision, which `If-Match` is compared with. The rest distinguishes responses at the
  /// same revision.
  struct EntityTag: Equatable {
    /// The text of the header, with its quotes.
    let text: String

    init(_ revision: Int, _ rest: String = "") {
      text = rest.isEmpty ? "\"\(revision)\"" : "\"\(revision)-\(rest)\""
    }

    /// Returns the revision that `If-Match` asks for; nil if it asks for none.
    ///
    /// A tag that a proxy has made weak is read like the strong one.
    ///
    /// - Throws: `Problem` if the header is not one entity tag; with `preconditionFailed` if the tag is not one of a
    ///   case.
    static func revision(ifMatch header: String?) throws -> Int? {
      guard let header, header != "*" else { return nil }
      let tags = tags(in: header)
      guard tags.count == 1, let tag = tags.first else {
        throw Problem.badRequest("If-Match must be one entity tag in quotes, as in ETag, or *")
      }
      let number = tag.dropFirst().prefix { $0 != "-" && $0 != "\"" }
      guard let revision = Int(number) else {
        throw Problem(
          .preconditionFailed,
          "If-Match has \(tag), which does not have the form of an ETag of a case")
      }
      return revision
    }

    /// Returns true if the sender already has this version, according to `If-None-Match`.
    func isKnown(to header: String?) -> Bool {
      guard let header else { return false }
      return header == "*" || EntityTag.tags(in: header).contains(text)
    }

    /// Returns the tags of a header without the mark of weak ones; empty for no header or a malformed one.
    private static func tags(in header: String) -> [String] {
      let tags = header.split(separator: ",").map { part -> String in
        let tag = part.filter { $0 != " " && $0 != "\t" }
        return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
      }
      let areTags = tags.allSatisfy { $0.count >= 2 && $0.hasPrefix("\"") && $0.hasSuffix("\"") }
      return areTags ? tags : []
    }
  }

#endif
