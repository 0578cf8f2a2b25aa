/// A part of a screen as a function of what it reads.
///
/// `body` is evaluated when the view appears, and again when something that its last body read has
/// changed or its inputs differ from the last; nothing else re-runs it. It may only read: a write in it
/// traps with the view's name.
///
/// Inputs are compared field by field: `==` where they are equatable, identity for references, the slot
/// for wrappers. Anything else, such as a closure, counts as different.
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
  /// What the view shows.
  @ElementBuilder var body: Element { get }
}

extension View {
  /// The view, to be evaluated in a scope of its own.
  public var element: Element { Element(.view(self)) }
}
