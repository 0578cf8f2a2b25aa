public import Signals

/// An app of a site: a graph that all visitors share, and a screen for each of them.
@MainActor
public struct SiteApp {
  /// The name of the app, which is its address: `/library`.
  public let name: String
  /// The title of its pages.
  public let title: String
  let store: Store
  let makeScreen: () throws -> () -> Element

  /// Creates an app.
  ///
  /// - Parameters:
  ///   - name: The name of the app, which is its address.
  ///   - title: The title of its pages.
  ///   - store: The graph.
  ///   - screen: Returns the screen of a new visitor.
  public init(
    _ name: String, title: String, store: Store,
    screen: @escaping () throws -> () -> Element
  ) {
    (self.name, self.title, self.store) = (name, title, store)
    makeScreen = screen
  }
}
