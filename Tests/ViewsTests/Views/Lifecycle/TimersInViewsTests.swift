import Foundation
import Signals
import SignalsTesting
import TestSupport
import Testing

/// Timers that a view starts: they run on its host's actor.
@MainActor
@Suite(.leavesNothing) struct `Views, timers` {
  struct Clocked: View {
    let clock: ManualClock
    @State var count = 0
    @State var token: (any Cancellable)?
    @State var later: (any Cancellable)?
    var body: Element {
      Text("\(count)").onAppear {
        token = Every(.seconds(1), clock: clock).sink { _ in count += 1 }
      }
      Button("Later") {
        later = Just(10).delay(for: .seconds(2), clock: clock).sink { ten in
          // Made in what a timer runs.
          later = Just(ten).delay(for: .seconds(2), clock: clock).sink { count += $0 }
        }
      }
    }
  }

  @Test func `a closure of a view starts one on the host's actor`() throws {
    let clock = ManualClock()
    var app: TestHost? = try TestHost(Store()) { Clocked(clock: clock) }
    clock.advance(by: .seconds(2))
    #expect(app?.text == "2\n[Later]")
    try app?.tap("Later")
    clock.advance(by: .seconds(4))
    #expect(app?.text == "16\n[Later]")
    app = nil
    #expect(clock.waiting == 0)
  }

  @Test func `a host without an actor has none for them, on any actor`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await MainActor.run {
        let inner = ViewHost(Store(), renderer: TextRenderer(), isolation: nil) {
          // As a closure of a view that is not written in code of an actor.
          Button("Start") { _ = Every(.seconds(1), isolation: nil) }
        }
        let outer = ViewHost(Store(), renderer: TextRenderer()) {
          Button("Outer") {
            _ = Every(.seconds(1), isolation: nil)
            FileHandle.standardError.write(Data("made\n".utf8))
            try inner.perform("Start")
          }
        }
        try outer.perform("Outer")
      }
    }
    expectError(result, "made\n")
    expectError(result, "Every needs an actor to run its task on")
  }

  @Test func `after a closure of a view there is none any more`() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try await MainActor.run {
        let host = ViewHost(Store(), renderer: TextRenderer()) { Button("Start") {} }
        try host.perform("Start")
        let start: () -> Void = { _ = Every(.seconds(1), isolation: nil) }
        start()
      }
    }
    expectError(result, "Every needs an actor to run its task on")
  }
}
