// The look of elements, as classes of the stylesheet. A page has no style of its own, so it works
// where a policy forbids inline styles.

import Signals

/// The classes for the looks of elements: the vocabulary of the stylesheet.
enum PageLook {
  /// The largest width and height that have classes.
  static let (widest, highest) = (120, 60)
  /// The largest share that has a class.
  static let largestShare = 12

  /// Returns the classes for a look, after the class of the element itself.
  static func classes(_ own: StaticString?, _ look: ElementLook, _ more: [String] = []) -> String? {
    var classes = own.map { ["\($0)"] } ?? []
    classes += more
    classes += look.styles.map { name(of: $0) }
    if let tint = look.tint { classes.append(name(of: tint)) }
    if let width = look.minWidth { classes.append("w-\(clamp(width, widest))") }
    if let width = look.maxWidth { classes.append("x-\(clamp(width, widest))") }
    if let height = look.minHeight { classes.append("h-\(clamp(height, highest))") }
    if let height = look.maxHeight { classes.append("y-\(clamp(height, highest))") }
    if let flex = look.flex, flex > 0 {
      classes.append("f-\(Int(min(max(flex.rounded(), 1), Double(largestShare))))")
    }
    if let alignment = look.alignment { classes.append(name(of: alignment)) }
    return classes.isEmpty ? nil : classes.joined(separator: " ")
  }

  /// The class of a style: its name, in which other characters than letters, digits and hyphens are
  /// replaced.
  static func name(of style: ElementStyle) -> String {
    "s-"
      + String(
        style.name.unicodeScalars.map { scalar -> Character in
          let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar == "-")
          return isPlain || ("0"..."9").contains(scalar) ? Character(scalar) : "_"
        })
  }

  /// The class of the nearest of 216 colors.
  static func name(of color: ElementColor) -> String {
    "t-\(step(color.red))\(step(color.green))\(step(color.blue))"
  }

  static func name(of alignment: ElementAlignment) -> String {
    switch alignment {
    case .leading: "a-leading"
    case .center: "a-center"
    case .trailing: "a-trailing"
    }
  }

  private static func step(_ part: Double) -> Int {
    part > 0 ? Int((min(part, 1) * 5).rounded()) : 0
  }

  private static func clamp(_ size: Int, _ limit: Int) -> Int { min(max(size, 0), limit) }
}

extension ElementLook {
  /// Whether the look sets a size, a share or an alignment.
  var hasPlace: Bool {
    minWidth != nil || maxWidth != nil || minHeight != nil || maxHeight != nil || flex != nil
      || alignment != nil
  }
}
