package import ScrumsModel
import Shell
package import Signals

/// The app driven line by line: a command in, a frame out.
package final class Session {
  /// The frame on screen.
  package var text: String { renderer.text }
  /// How many bodies of views and rows were evaluated so far.
  package var bodies: Int { host.bodies }
  private let renderer = TextRenderer()
  private let host: ViewHost
  private let seconds: Subject<Int, Never>

  /// Shows a world in which seconds pass when `seconds` says so.
  package init(
    _ world: World, _ style: Style, seconds: Subject<Int, Never>,
    isolation: isolated (any Actor)? = #isolation
  ) {
    self.seconds = seconds
    host = ViewHost(world.store, renderer: renderer, isolation: isolation) { style.app(world) }
  }

  /// Lets seconds pass at once.
  package func pass(_ count: Int) { seconds.send(count) }

  /// Does what a line asks for, and waits until it is done.
  package func perform(_ line: String) async throws {
    switch try Command(parsing: line) {
    case .tap(let name): try await host.performAsync(.id(id(name)))
    case .type(let text, let name): try host.perform(.id(id(name)), with: .text(text))
    case .submit(let name): try host.perform(.id(id(name)), with: .submit)
    case .choose(let option, let name):
      let picker = try host.element(id(name))
      try host.perform(.element(picker), with: .choice(picker.option(option)?.id ?? option))
    case .tick(let count): for _ in 0..<count { seconds.send(1) }
    case .undo: try host.perform { try host.store.undo(onConflict: .theirs) }
    }
  }

  private func id(_ name: String) -> String { host.id(named: name) }
}
