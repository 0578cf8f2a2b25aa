import CatalogApp
import Foundation
import KitchenApp
import LibraryApp
import PeopleApp
import ScrumsApp
import ScrumsModel
public import Signals

/// An app of the examples with its graph, whose screens any renderer can show.
@MainActor
public struct ExampleApp {
  /// The name of the app, as in its command.
  public let name: String
  /// The title of its screens.
  public let title: String
  /// The graph, which all users share.
  public let store: Store
  private let makeScreen: () throws -> () -> Element

  private init(
    _ name: String, _ title: String, _ store: Store, screen: @escaping () throws -> () -> Element
  ) {
    (self.name, self.title, self.store) = (name, title, store)
    makeScreen = screen
  }

  /// Returns the screen of another user, with view state of its own.
  ///
  /// - Throws: The errors of the app.
  public func screen() throws -> () -> Element { try makeScreen() }

  /// Opens all apps, each with a graph of its own that has the app's sample data.
  ///
  /// - Throws: The errors of the apps.
  public static func all() throws -> [ExampleApp] {
    try [catalog(), library(), people(), scrums(), kitchen()]
  }

  private static func catalog() throws -> ExampleApp {
    let store = Store(undoLimit: .max)
    try store.load(Database.read().file)
    return ExampleApp("catalog", "Packages", store) {
      let browser = Browser(store)
      return { CatalogTerminal(browser).element }
    }
  }

  private static func library() throws -> ExampleApp {
    let store = Store()
    let (library, member) = try Library.sample(in: store, more: true)
    return ExampleApp("library", "Library", store) {
      { LibraryTerminal(store, library, member, .objects).element }
    }
  }

  private static func people() throws -> ExampleApp {
    let store = Store(coalescing: .typing)
    let work = RemoteWork(Office(store.snapshot(), seed: 1), for: store, limit: 1000)
    return ExampleApp("people", "People", store) { { PeopleTerminal(work, number: 1).element } }
  }

  private static func scrums() throws -> ExampleApp {
    let store = Store()
    try Scrums.seed(store)
    let feed = ScrumFeed(Connection(SampleService(), cache: nil), into: store)
    let world = World(store, feed: feed, ticker: Ticker(ContinuousClock()))
    return ExampleApp("scrums", "Daily scrums", store) { { ScrumsTerminal(world, .mvi).element } }
  }

  private static func kitchen() throws -> ExampleApp {
    let store = Store()
    try Kitchen.sample(in: store, withOrders: true)
    let service = try Service(store, clock: ContinuousClock())
    service.follow(ContinuousClock())
    return ExampleApp("kitchen", "Kitchen", store) {
      // The search field and the bell are those of the user; time passes once for all.
      let own = try Service(store, clock: ContinuousClock())
      return {
        _ = service
        return KitchenTerminal(own).element
      }
    }
  }
}
