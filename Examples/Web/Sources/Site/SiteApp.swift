public import Signals

/// An app of a site: a graph that all visitors share, and a screen for each of them.
@MainActor
public struct SiteApp {
  /// The name of the app, which is its address: `/library`.
  public let name: String
  /// The title of its pages.
  public let title: String
  let store: Store
  let makeScreen: () throws -> SiteScreen

  /// Creates an app whose views keep all that a visitor owns.
  ///
  /// - Parameters:
  ///   - name: The name of the app, which is its address: letters, digits, `-` and `_`, and not `live` or
  ///     `files`.
  ///   - title: The title of its pages.
  ///   - store: The graph.
  ///   - root: Returns the view.
  public init(
    _ name: String, title: String, store: Store, @ElementBuilder root: @escaping () -> Element
  ) {
    self.init(name, title, store) { SiteScreen(view: root) }
  }

  /// Returns an app that makes something for each visitor.
  ///
  /// - Parameters:
  ///   - name: The name of the app, which is its address.
  ///   - title: The title of its pages.
  ///   - store: The graph.
  ///   - screen: Returns what a new visitor gets. If it throws, the visitor's request fails, and the error
  ///     is in the log.
  /// - Returns: The app.
  public static func eachVisitor(
    _ name: String, title: String, store: Store,
    screen: @escaping () throws -> SiteScreen
  ) -> SiteApp { SiteApp(name, title, store, screen) }

  private init(
    _ name: String, _ title: String, _ store: Store,
    _ screen: @escaping () throws -> SiteScreen
  ) {
    precondition(
      !["live", "files"].contains(name) && name.wholeMatch(of: /[A-Za-z0-9_-]+/) != nil,
      "the name of an app is its address: letters, digits, - and _, and not live or files; not \(name)"
    )
    (self.name, self.title, self.store, makeScreen) = (name, title, store, screen)
  }
}
