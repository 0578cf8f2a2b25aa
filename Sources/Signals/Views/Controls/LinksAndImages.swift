/// A picture, with a text for those who don't see it.
///
/// A renderer without pictures shows the text.
///
/// ```swift
/// Image("/charts/\(year).png", text: "The loans of \(year), by month")
/// ```
public struct Image: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a picture.
  ///
  /// - Parameters:
  ///   - address: The address of the picture's file, as the renderer understands it. A page shows
  ///     pictures of its own site.
  ///   - text: The text in place of the picture; empty for a picture that only decorates.
  ///   - id: The name by which tests find the element.
  public init(_ address: String, text: String, id: String? = nil) {
    element = Element(kind: .image, id: id, text: text, value: .address(address))
  }
}

/// A link to another screen, or to a place outside of the app.
///
/// ```swift
/// Hyperlink(package.name, opening: "/packages/\(package.name)")
/// Hyperlink("Home page", to: package.homepage)
/// ```
public struct Hyperlink: ElementContent {
  /// The element that represents this content in a body.
  public let element: Element

  /// Creates a link to a place outside of the app.
  ///
  /// A renderer that can't open it shows the address.
  ///
  /// - Parameters:
  ///   - title: The title.
  ///   - address: The address, such as `https://example.org/`. A page opens addresses that can't run
  ///     code: those of `http`, `https`, `mailto` and `tel`.
  ///   - id: The name by which tests find the element.
  public init(_ title: String, to address: String, id: String? = nil) {
    element = Element(kind: .link, id: id, text: title, value: .address(address))
  }

  /// Creates a link to another screen of the app, which is shown above the present one.
  ///
  /// A tap on it sets the address of the host; see ``Navigation``.
  ///
  /// - Parameters:
  ///   - title: The title; also the element's id unless `id` is given.
  ///   - address: The address of the screen.
  ///   - id: The name by which intents and tests find the element.
  public init(_ title: String, opening address: ScreenAddress, id: String? = nil) {
    element = Element(
      kind: .link, id: id ?? title, text: title, value: .address(address.description),
      action: .open(address))
  }
}
