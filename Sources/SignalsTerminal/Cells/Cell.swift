/// What stands in a cell: a scalar, a cluster of several that a pool knows, or the rest of a wide one.
package struct Glyph: Hashable, Sendable {
  fileprivate let bits: UInt32

  fileprivate init(bits: UInt32) { self.bits = bits }

  /// A character of one scalar.
  package init(_ scalar: Unicode.Scalar) { bits = scalar.value }

  package static let blank = Glyph(" ")
  /// The second cell of a wide character, which stands in the one before.
  package static let rest = Glyph(bits: 0)

  /// A number to mix into a hash.
  var hash: UInt32 { bits }

  fileprivate static let cluster: UInt32 = 1 << 31

  /// The scalar, if it is one alone.
  var scalar: Unicode.Scalar? { Unicode.Scalar(bits) }
}

/// One place on a screen.
package struct Cell: Hashable, Sendable {
  package var glyph: Glyph
  package var style: Style

  package init(_ glyph: Glyph = .blank, _ style: Style = .plain) {
    self.glyph = glyph
    self.style = style
  }

  package static let blank = Cell()
}

/// Numbers for the characters of several scalars, so that a cell is small and has no references.
///
/// State: `clusters`, by number, and `numbers` of them. Grids that are compared share a pool. It only grows: when it
/// is full whoever owns it makes another, and draws everything again.
package final class GlyphPool {
  private var clusters: [String] = []
  private var numbers: [Character: UInt32] = [:]
  private let limit: Int

  package init(limit: Int = 1 << 14) { self.limit = limit }

  package var isFull: Bool { clusters.count >= limit }

  package func glyph(_ character: Character) -> Glyph {
    let scalars = character.unicodeScalars
    if let first = scalars.first, scalars.dropFirst().isEmpty { return Glyph(first) }
    if let known = numbers[character] { return Glyph(bits: Glyph.cluster | known) }
    let number = UInt32(clusters.count)
    clusters.append(String(character))
    numbers[character] = number
    return Glyph(bits: Glyph.cluster | number)
  }

  /// The text of a glyph; none of the rest of a wide one.
  package func text(of glyph: Glyph) -> String {
    if glyph == .rest { return "" }
    if let scalar = glyph.scalar { return String(scalar) }
    return clusters[Int(glyph.bits & ~Glyph.cluster)]
  }
}
