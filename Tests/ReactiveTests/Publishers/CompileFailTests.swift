import TestSupport
import Testing

/// What must not compile: publishers and what belongs to them stay in one isolation domain.
@Suite struct `Publishers, what the compiler refuses` {
  @Test func `a program that follows the rules compiles`() throws {
    try Compiler.expectCompiles(
      """
      @MainActor func run() async {
        let subject = Subject<Int, Never>()
        let token = subject.map { $0 + 1 }.debounce(for: .seconds(1)).sink { print($0) }
        subject.send(1)
        let task = Task { for await value in subject.values(buffering: .unbounded) { print(value) } }
        task.cancel()
        token.cancel()
      }
      func hand() { let subject = Subject<Int, Never>(); Task.detached { subject.send(1) } }
      """)
  }

  @Test func `a subject is not shared with another domain`() throws {
    try Compiler.expectFails(
      """
      func run() {
        let subject = Subject<Int, Never>()
        Task.detached { subject.send(1) }
        subject.send(2)
      }
      """, "sending value of non-Sendable type '() async -> ()' risks causing data races")
  }

  @Test func `a pipeline of the main actor does not leave it`() throws {
    try Compiler.expectFails(
      """
      @MainActor final class Model {
        let subject = Subject<Int, Never>()
        func run() { let publisher = subject.map { $0 + 1 }; Task.detached { _ = publisher.sink { _ in } } }
      }
      """, "risks causing data races")
  }

  @Test func `the values of a publisher are iterated in its domain`() throws {
    try Compiler.expectFails(
      """
      @MainActor final class Model {
        let subject = Subject<Int, Never>()
        func run() {
          let values = subject.values(buffering: .unbounded)
          Task.detached { for await value in values { print(value) } }
        }
      }
      """, "risks causing data races")
  }

  @Test func `a token is not cancelled from elsewhere`() throws {
    try Compiler.expectFails(
      """
      func run(_ signal: Signal<Int>) {
        let token = signal.publisher.sink { _ in }
        Task.detached { token.cancel() }
      }
      """, "risks causing data races")
  }

  @Test func `an asynchronous sequence of values that can't cross is not published`() throws {
    try Compiler.expectFails(
      """
      final class Box { var value = 0 }
      @MainActor func run(_ stream: AsyncStream<Box>) { _ = stream.publisher() }
      """, "type 'Box' does not conform to the 'Sendable' protocol")
  }

  @Test func `a publisher that can fail needs a handler for its failure`() throws {
    try Compiler.expectFails(
      """
      struct Fault: Error {}
      func run() { _ = Subject<Int, Fault>().sink { print($0) } }
      """, "'Fault'")
  }
}
