#if Server
  import HTTPTypes
  import Hummingbird

  /// The version of a case that an answer shows, as the header `ETag` names it (RFC 9110, section 8.8.3).
  ///
  /// It begins with the case's revision, which `If-Match` is compared with; the rest tells apart what differs at the
  /// same revision.
  struct EntityTag: Equatable {
    /// As it stands in the header, with its quotes.
    let text: String

    init(_ revision: Int, _ rest: String = "") {
      text = rest.isEmpty ? "\"\(revision)\"" : "\"\(revision)-\(rest)\""
    }

    /// The revision that `If-Match` asks for; nil where it asks for none.
    ///
    /// A tag that a proxy has made weak is read like the one that it was made of.
    ///
    /// - Throws: `Problem`, if it is no tag; `preconditionFailed`, if it is none of a case.
    static func revision(ifMatch header: String?) throws -> Int? {
      guard let header, header != "*" else { return nil }
      let tags = tags(in: header)
      guard tags.count == 1, let tag = tags.first else {
        throw Problem.badRequest("If-Match has one entity tag in quotes, as ETag gives it, or *")
      }
      let number = tag.dropFirst().prefix { $0 != "-" && $0 != "\"" }
      guard let revision = Int(number) else {
        throw Problem(
          .preconditionFailed, "If-Match has \(tag), which no ETag of a case looks like")
      }
      return revision
    }

    /// True if the sender has this version already, as `If-None-Match` says.
    func isKnown(to header: String?) -> Bool {
      guard let header else { return false }
      return header == "*" || EntityTag.tags(in: header).contains(text)
    }

    /// The tags of a header without the mark of weak ones; empty where there is none, or something else.
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
