/// A part of a screen, as a function of the values that it reads.
///
/// `body` is evaluated when the view appears, and again when a value that its last evaluation read
/// has changed, or when its inputs differ from the last ones. Nothing else re-evaluates it. It may
/// only read: a write in it traps with the view's name.
///
/// Inputs are compared by stored property: with `==` if it is equatable, by identity for
/// references, by the slot for wrappers. Other properties, such as closures, always count as
/// different.
///
/// ```swift
/// struct BookRow: View {
///   @ObservedObject var book: Book
///
///   var body: Element {
///     Text(book.title)
///   }
/// }
/// ```
public protocol View: ElementContent {
  /// The content of the view.
  @ElementBuilder var body: Element { get }
}

extension View {
  /// An element that evaluates the view in a separate scope.
  public var element: Element { Element(.view(self)) }
}
