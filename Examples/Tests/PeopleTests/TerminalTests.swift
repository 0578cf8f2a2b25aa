import PeopleApp
import Signals
import SignalsTerminal
import SignalsTesting
import Testing

/// The course on a full screen, on a clock that the test moves.
@MainActor
@Suite struct `People on a full screen` {
  let store = Store(coalescing: .typing)
  let clock = ManualClock()

  private func show(_ limit: Int = 40, width: Int = 50, height: Int = 16) -> (
    TerminalScreen, RemoteWork
  ) {
    let work = RemoteWork(Office(store.snapshot(), seed: 3), for: store, limit: limit, clock: clock)
    let screen = TerminalScreen(store, width: width, height: height) {
      PeopleTerminal(work, number: 1)
    }
    return (screen, work)
  }

  /// Lets the office make a number of changes.
  private func wait(for count: Int, _ work: RemoteWork) async {
    while work.done < count {
      if clock.waiting > 0 { clock.advance(by: .milliseconds(work.pace)) }
      await Task.yield()
    }
  }

  @Test func `changes of the other actor show as they come`() async throws {
    let (screen, work) = show()
    #expect(screen.text.hasPrefix("No course "))
    await wait(for: 3, work)
    #expect(
      screen.text == """
        Course 11: 21                         3/40, 500 ms
        Name                                    Age
        Name 612                                  6      █
        Name 216                                 12      █
        Name 135                                 14      █
        Name 491                                 14      │
        Name 698                                 13      │
        Name 480                                  9      │
        Name 717                                 13      │
        ─────────────────────────────────────────────────
        Name 622 is 15 now
        Name 215 is called Name 894
        Name 706 comes
        Name 157 comes
        3 new  p pause  + faster  - slower  r read  u undo
        ? help  q quit
        """)
  }

  @Test func `who was chosen is shown, also when others change the course`() async throws {
    let (screen, work) = show()
    await wait(for: 2, work)
    screen.press("down", "return")
    #expect(screen.text.contains("\nChosen: "))
    screen.press("escape")
    #expect(!screen.text.contains("Chosen: "))
  }

  @Test func `it can be stopped, and made faster and slower`() async throws {
    let (screen, work) = show()
    screen.press("+", "+", "-")
    #expect(work.pace == 250)
    #expect(screen.text.contains("0/40, 250 ms"))
    await wait(for: 1, work)
    screen.press("p")
    #expect(screen.text.contains("1/40, paused"))
    for _ in 0..<20 {
      clock.advance(by: .seconds(5))
      await Task.yield()
    }
    #expect(work.done == 1)
    screen.press("p")
    await wait(for: 5, work)
    #expect(work.done == 5)
  }

  @Test func `undo takes back a typed word, and no change of the other actor`() async throws {
    let (screen, work) = show(width: 70)
    await wait(for: 2, work)
    screen.press("down", "return")
    let person = try #require(
      store.results(Person.self).first { screen.text.contains("Chosen: \($0.name)") })
    let name = person.name
    screen.press("tab")
    screen.type("Ada Byron")
    #expect(person.name == "\(name)Ada Byron")
    await wait(for: 3, work)
    let count = store.results(Person.self).count
    screen.press("escape", "u")
    #expect(person.name == "\(name)Ada ")
    screen.press("u")
    #expect(person.name == name)
    #expect(store.results(Person.self).count == count)
  }

  @Test func `the foot counts what is new since the news were read`() async throws {
    let (screen, work) = show(width: 70)
    await wait(for: 3, work)
    #expect(screen.text.contains("3 new"))
    screen.press("r")
    #expect(!screen.text.contains(" new  "))
    await wait(for: 5, work)
    #expect(screen.text.contains("2 new"))
    screen.press("u")
    #expect(screen.text.contains("2 new"))
  }

  @Test(arguments: [(20, 4), (40, 12), (200, 60), (10, 3), (1, 1)])
  func `any size shows something, and keys still work`(_ width: Int, _ height: Int) async throws {
    let (screen, work) = show(width: width, height: height)
    await wait(for: 2, work)
    for key: TerminalKey in ["down", "return", "tab", "end", "?", "escape"] {
      screen.press(key)
      #expect(!screen.text.isEmpty)
      #expect(screen.text.split(separator: "\n").allSatisfy { $0.count <= width })
    }
  }
}
