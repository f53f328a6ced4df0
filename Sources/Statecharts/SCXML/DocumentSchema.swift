/// The attributes of SCXML's elements, with the values of those that are enumerations.
///
/// By the schema of the recommendation (https://www.w3.org/2011/04/SCXML/scxml.xsd).
enum DocumentSchema {
  /// The attributes of each element, without those of other namespaces.
  static let attributes: [String: [String]] = [
    "scxml": ["initial", "name", "version", "datamodel", "binding"],
    "state": ["id", "initial"],
    "parallel": ["id"],
    "final": ["id"],
    "history": ["id", "type"],
    "initial": [],
    "transition": ["event", "cond", "target", "type"],
    "onentry": [],
    "onexit": [],
    "raise": ["event"],
    "if": ["cond"],
    "elseif": ["cond"],
    "else": [],
    "foreach": ["array", "item", "index"],
    "log": ["label", "expr"],
    "datamodel": [],
    "data": ["id", "src", "expr"],
    "assign": ["location", "expr"],
    "donedata": [],
    "content": ["expr"],
    "param": ["name", "expr", "location"],
    "script": ["src"],
    "send": [
      "event", "eventexpr", "target", "targetexpr", "type", "typeexpr", "id", "idlocation", "delay",
      "delayexpr", "namelist",
    ],
    "cancel": ["sendid", "sendidexpr"],
    "invoke": [
      "type", "typeexpr", "src", "srcexpr", "id", "idlocation", "namelist", "autoforward",
    ],
    "finalize": [],
  ]

  /// The values of the attributes that are enumerations.
  static let values: [String: [String: [String]]] = [
    "scxml": ["binding": ["early", "late"]],
    "history": ["type": ["shallow", "deep"]],
    "transition": ["type": ["external", "internal"]],
    "invoke": ["autoforward": ["true", "false"]],
  ]

  /// The elements that may contain text.
  static let withText: Set = ["script", "data", "content", "assign"]

  /// The present notation for attributes of working drafts from before the recommendation.
  private static let drafts: [String: [String: String]] = [
    "scxml": [
      "initialstate": "initial=\"ID\"", "profile": "datamodel=\"NAME\"",
      "exmode": "nothing: errors are the event error.execution",
    ],
    "state": [
      "final": "<final id=\"ID\"/> in place of <state>",
      "initialstate": "initial=\"ID\"", "src": "the states of that document here, or <invoke>",
    ],
    "history": ["history": "type"],
    "transition": ["guard": "cond", "next": "target", "anchor": "<history>"],
    "assign": ["dataid": "location", "name": "location", "attr": "a location that names the part"],
    "data": ["name": "id"],
    "send": [
      "sendid": "id", "targettype": "type", "hints": "<param>", "hintsexpr": "<param>",
      "delayexp": "delayexpr",
    ],
    "cancel": ["id": "sendid"],
    "invoke": ["targettype": "type", "invokeid": "id"],
    "script": ["type": "datamodel=\"...\" of <scxml>", "language": "datamodel=\"...\" of <scxml>"],
    "event": ["name": "event"],
  ]

  /// Returns what to write today for an attribute of a working draft; nil for any other.
  static func replacement(for attribute: String, of element: String) -> String? {
    drafts[element]?[attribute]
  }
}
