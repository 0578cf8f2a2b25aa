import Shell
package import Signals

/// The kitchen driven line by line: a request in, a frame out.
package final class Session {
  package let host: ViewHost
  private let service: Service
  private let renderer = TextRenderer()
  private var rings: [String] = []
  private var listening: (any Cancellable)?

  /// Shows the kitchen of a service.
  package init(_ service: Service, isolation: isolated (any Actor)? = #isolation) {
    self.service = service
    host = ViewHost(service.store, renderer: renderer, isolation: isolation) {
      KitchenScreen(service)
    }
    listening = service.bell.rings.sink { [unowned self] in rings.append("bell: \($0)\n") }
  }

  /// The rings since the last text, and the frame on screen.
  package var text: String {
    defer { rings = [] }
    return rings.joined() + renderer.text
  }

  /// Performs the request of a line: an ``Intent``, `submit NAME`, or one that all screens know.
  package func perform(_ line: String) async throws {
    if let intent = try Intent.parse(line) {
      try host.perform(named: line) { try intent.perform(in: service) }
    } else if line.words.first == "submit", line.words.count > 1 {
      let name = line.words.dropFirst().joined(separator: " ")
      try host.perform(.id(host.id(named: name)), with: .submit)
    } else if try await !host.perform(line: line) {
      throw LineError()
    }
  }
}

/// A line whose first word is unknown.
private struct LineError: Error, CustomStringConvertible {
  var description: String {
    """
    say order, serve, cancel, pay, deliver, spoil, wait, undo, redo, tap NAME, type NAME TEXT, \
    submit NAME or quit
    """
  }
}
