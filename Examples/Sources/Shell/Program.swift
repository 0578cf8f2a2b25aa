import Glibc

/// A reason to stop, and the status to stop with.
package struct Failure: Error, CustomStringConvertible {
  package let status: Int32
  package let message: String

  package var description: String { message }

  /// Says why, and with which status of `sysexits.h`.
  package init(status: Int32, _ message: String) { (self.status, self.message) = (status, message) }
}

/// A command line that can't be understood.
package struct UsageError: Error {
  let message: String

  /// Says what is wrong with it.
  package init(_ message: String) { self.message = message }
}

/// An example as a command: what it says of itself, and how it ends.
package struct Program: Sendable {
  private let name: String
  private let usage: String
  private let about: String

  /// Names the command, its options, and what it is, in some lines.
  package init(_ name: String, usage: String, about: String) {
    (self.name, self.usage, self.about) = (name, usage, about)
  }

  /// Says something on standard error.
  package func say(_ message: String) {
    _ = Output.write("\(name): \(message)\n", to: STDERR_FILENO)
  }

  /// Does what the command line asks for, or says how it is used, or why it can't be done: then it ends the process.
  ///
  /// Status 64 is for a command line that can't be understood, 74 for a standard output that can't be written.
  @MainActor
  package func run(_ body: @MainActor ([String]) async throws -> Void) async {
    Output.keepPlaces()
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      if arguments.contains("--help") || arguments.contains("-h") {
        try Output.write("usage: \(name) \(usage)\n\n\(about)\n")
      } else {
        try await body(arguments)
      }
    } catch let error as UsageError {
      stop(64, "\(error.message); usage: \(name) \(usage)")
    } catch let failure as Failure {
      stop(failure.status, failure.message)
    } catch {
      stop(70, "\(error)")
    }
  }

  private func stop(_ status: Int32, _ message: String) -> Never {
    say(message)
    exit(status)
  }
}
