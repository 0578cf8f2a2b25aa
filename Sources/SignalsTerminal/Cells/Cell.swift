/// The content of a cell: a single scalar, a cluster of several from a pool, or the second half of
/// a wide character.
package struct Glyph: Hashable, Sendable {
  fileprivate let bits: UInt32

  fileprivate init(bits: UInt32) { self.bits = bits }

  /// Creates the glyph of a character with a single scalar.
  package init(_ scalar: Unicode.Scalar) { bits = scalar.value }

  package static let blank = Glyph(" ")
  /// The second cell of a wide character, which is drawn in the cell before.
  package static let rest = Glyph(bits: 0)

  /// The bits, to be mixed into a hash.
  var hash: UInt32 { bits }

  fileprivate static let cluster: UInt32 = 1 << 31

  /// The scalar; nil if the glyph is a cluster.
  var scalar: Unicode.Scalar? { Unicode.Scalar(bits) }

  /// Whether terminals disagree on the number of cells that the glyph takes.
  ///
  /// A terminal that doesn't join the scalars of an emoji or a syllable draws each in cells of its
  /// own. Others ignore the variation selector that makes a character wider. An accent takes no
  /// cell anywhere.
  package var hasUncertainWidth: Bool {
    bits & Glyph.uncertain != 0 || scalar.map(Glyph.joins) == true
  }

  fileprivate static let uncertain: UInt32 = 1 << 30

  /// Whether some terminals join the scalar with a neighbor, although it has a shape: a letter of a
  /// flag, or a skin tone.
  private static func joins(_ scalar: Unicode.Scalar) -> Bool {
    (0x1F1E6...0x1F1FF).contains(scalar.value) || (0x1F3FB...0x1F3FF).contains(scalar.value)
  }

  /// Returns the bits of the cluster with a number.
  fileprivate static func bits(_ number: UInt32, of cluster: Character) -> UInt32 {
    let isCertain = cluster.unicodeScalars.dropFirst().allSatisfy { scalar in
      scalar.properties.generalCategory == .nonspacingMark && !scalar.properties.isVariationSelector
    }
    return Glyph.cluster | number | (isCertain ? 0 : uncertain)
  }
}

/// One cell of a screen.
package struct Cell: Hashable, Sendable {
  package var glyph: Glyph
  package var style: Style

  package init(_ glyph: Glyph = .blank, style: Style = .plain) {
    self.glyph = glyph
    self.style = style
  }

  package static let blank = Cell()
}

/// Maps characters of several scalars to numbers, so that a cell is small and contains no
/// references.
///
/// State: `clusters` maps numbers to texts, `glyphs` maps characters to glyphs. Grids that are
/// compared share a pool. A pool only grows. When it is full, its owner creates another one and
/// redraws the screen.
package final class GlyphPool {
  private var clusters: [String] = []
  private var glyphs: [Character: Glyph] = [:]
  private let limit: Int

  package init(limit: Int = 1 << 14) { self.limit = limit }

  package var isFull: Bool { clusters.count >= limit }

  package func glyph(_ character: Character) -> Glyph {
    let scalars = character.unicodeScalars
    if let first = scalars.first, scalars.dropFirst().isEmpty { return Glyph(first) }
    if let known = glyphs[character] { return known }
    let glyph = Glyph(bits: Glyph.bits(UInt32(clusters.count), of: character))
    clusters.append(String(character))
    glyphs[character] = glyph
    return glyph
  }

  /// Returns the text of a glyph.
  ///
  /// The text of ``Glyph/rest`` is empty.
  package func text(of glyph: Glyph) -> String {
    if glyph == .rest { return "" }
    if let scalar = glyph.scalar { return String(scalar) }
    return clusters[Int(glyph.bits & ~(Glyph.cluster | Glyph.uncertain))]
  }
}
