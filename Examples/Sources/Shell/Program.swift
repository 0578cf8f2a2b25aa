import Glibc

/// A reason to stop, and the status to stop with.
public struct Failure: Error, CustomStringConvertible {
  /// The status to stop with.
  public let status: Int32
  /// The reason.
  public let message: String

  /// The reason.
  public var description: String { message }

  /// Says why, and with which status of `sysexits.h`.
  public init(status: Int32, _ message: String) { (self.status, self.message) = (status, message) }
}

/// A command line that can't be understood.
public struct UsageError: Error {
  let message: String

  /// Says what is wrong with it.
  public init(_ message: String) { self.message = message }
}

/// An example as a command: what it says of itself, and how it ends.
public struct Program: Sendable {
  private let name: String
  private let usage: String
  private let about: String

  /// Names the command, its options, and what it is, in some lines.
  public init(_ name: String, usage: String, about: String) {
    (self.name, self.usage, self.about) = (name, usage, about)
  }

  /// Says something on standard error.
  public func say(_ message: String) {
    _ = Output.write("\(name): \(message)\n", to: STDERR_FILENO)
  }

  /// Does what the command line asks for, or says how it is used, or why it can't be done: then it ends the process.
  ///
  /// Status 64 is for a command line that can't be understood, 74 for a standard output that can't be written.
  @MainActor
  public func run(_ body: @MainActor ([String]) async throws -> Void) async {
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
