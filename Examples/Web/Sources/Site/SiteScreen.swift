public import Signals

/// What an app makes for a visitor: a view, and the pictures that it shows.
///
/// ```swift
/// SiteScreen {
///   ForEach(people) { Image("/files/people/\($0.id)", text: $0.name) }
/// } picture: { name in
///   people.first { "\($0.id)" == name }.flatMap { SitePicture($0.photo) }
/// }
/// ```
public struct SiteScreen {
  let view: () -> Element
  let picture: (_ name: String) -> SitePicture?

  /// Creates the screen of a visitor.
  ///
  /// - Parameters:
  ///   - view: Returns the view.
  ///   - picture: Returns the picture with a name, which is the part after `/files/` and the name of the
  ///     app in the address of an `Image`; nil if the visitor may not see one of that name.
  public init(
    @ElementBuilder view: @escaping () -> Element,
    picture: @escaping (_ name: String) -> SitePicture? = { _ in nil }
  ) { (self.view, self.picture) = (view, picture) }
}

/// A picture of a kind that runs no code: a PNG, JPEG, GIF or WebP file.
public struct SitePicture: Sendable {
  let type: String
  let bytes: [UInt8]

  /// Creates a picture from a file.
  ///
  /// - Parameter bytes: The bytes of the file.
  /// - Returns: `nil` if they don't begin like a file of these kinds.
  public init?(_ bytes: [UInt8]) {
    let kinds: [(type: String, start: [UInt8], offset: Int)] = [
      ("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], 0),
      ("image/jpeg", [0xFF, 0xD8, 0xFF], 0), ("image/gif", Array("GIF8".utf8), 0),
      ("image/webp", Array("WEBP".utf8), 8),
    ]
    let kind = kinds.first { bytes.dropFirst($0.offset).starts(with: $0.start) }
    guard let kind else { return nil }
    (type, self.bytes) = (kind.type, bytes)
  }
}
