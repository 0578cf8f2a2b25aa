// Programs that tests start.

public import Foundation
import Synchronization
import Testing

/// A program that runs, and is ended with this value at the latest.
///
/// Unchecked, and safe: the process is started before the value is shared, and only asked for its state
/// afterwards. No thread of a task waits for it, since there are as few of those as cores.
public final class Program: @unchecked Sendable {
  /// Returns the path of a program of the package, which is beside the tests.
  public static func path(_ name: String) -> String {
    URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
  }

  private let process = Process()
  private let ended: AsyncStream<Int32>

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - path: The path of the program.
  ///   - arguments: Its arguments.
  ///   - environment: What is added to the environment.
  ///   - output: Gets what the program says; nil if nothing reads it.
  public init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:],
    output: Pipe? = nil
  ) throws {
    let (ended, end) = AsyncStream.makeStream(of: Int32.self)
    self.ended = ended
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = output ?? FileHandle.nullDevice
    process.terminationHandler = {
      end.yield($0.terminationStatus)
      end.finish()
    }
    try process.run()
  }

  deinit { if process.isRunning { kill() } }

  /// Asks the program to end.
  public func terminate() { process.terminate() }

  /// Ends the program at once.
  public func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

  /// Waits for the end of the program, and returns its status.
  public func status() async -> Int32 {
    for await status in ended { return status }
    return process.terminationStatus
  }

  /// Starts a program, and waits until it says where it listens.
  ///
  /// - Parameters:
  ///   - path: The path of the program.
  ///   - arguments: Its arguments.
  ///   - environment: What is added to the environment.
  ///   - pattern: What it says, with the port as the first part.
  /// - Returns: The program and the port.
  /// - Throws: ``Silence`` with what it said if it ends before.
  public static func start(
    _ path: String, _ arguments: [String], environment: [String: String] = [:],
    until pattern: String
  ) async throws -> (program: Program, port: Int) {
    let output = Pipe()
    let program = try Program(path, arguments, environment: environment, output: output)
    let pattern = try NSRegularExpression(pattern: pattern)
    let port = try await withCheckedThrowingContinuation {
      (found: CheckedContinuation<Int, any Error>) in
      Thread.detachNewThread {
        var said = ""
        while true {
          let data = output.fileHandleForReading.availableData
          said += String(decoding: data, as: UTF8.self)
          let whole = NSRange(said.startIndex..., in: said)
          if let match = pattern.firstMatch(in: said, range: whole),
            let range = Range(match.range(at: 1), in: said), let port = Int(said[range])
          {
            found.resume(returning: port)
            // Nothing that it says later may be without a reader.
            while !output.fileHandleForReading.availableData.isEmpty {}
            return
          }
          if data.isEmpty { return found.resume(throwing: Silence(said: said)) }
        }
      }
    }
    return (program, port)
  }

  /// A program has ended, and hasn't said where it listens.
  public struct Silence: Error {
    /// What it said.
    public let said: String
  }
}
