/// A part of a page that several pages share, and that is inserted when a page is made.
package enum PagePart: Sendable, CaseIterable {
  /// The colours, and the styles of trees, changes and drawings.
  case base
  /// Elements and texts.
  case elements
  /// The changes of a commit.
  case changes
  /// A value as a tree.
  case tree
  /// The layout and the drawing of charts.
  case layout, arranging, chart
  /// A form made from the type of a payload.
  case form

  /// The text of the part.
  package var text: String {
    let bytes =
      switch self {
      case .base: PackageResources.base_css
      case .elements: PackageResources.elements_js
      case .changes: PackageResources.changes_js
      case .tree: PackageResources.tree_js
      case .layout: PackageResources.layout_js
      case .arranging: PackageResources.arranging_js
      case .chart: PackageResources.chart_js
      case .form: PackageResources.form_js
      }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the scripts of some parts, in the given order.
  package static func scripts(_ parts: PagePart...) -> String {
    parts.map(\.text).joined(separator: "\n")
  }
}
