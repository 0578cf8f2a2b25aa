import ScrumsApp
import ScrumsModel
import Signals
import SignalsTerminal
import SignalsTesting
import Testing

/// An app in one of the styles on a full screen, on a clock that stands still.
struct Shown {
  let store: Store
  let clock = ManualClock()
  let screen: TerminalScreen

  init(
    _ style: Style, _ snapshot: Snapshot? = nil, connects: Binding<Bool>? = nil, width: Int = 44,
    height: Int = 13, isolation: isolated (any Actor)? = #isolation
  ) throws {
    store = snapshot.map { Store($0) } ?? Store()
    if snapshot == nil { try Scrums.seed(store) }
    let world = World(store, clock)
    screen = TerminalScreen(store, width: width, height: height, isolation: isolation) {
      ScrumsTerminal(world, style, connects: connects)
    }
  }

  var lines: [Substring] { screen.text.split(separator: "\n") }
}

/// The same screens, on a terminal: what shows, what keys do, and that a kill costs nothing.
@MainActor
@Suite(.leavesNothing) struct `Scrums on a full screen` {
  @Test(arguments: Style.allCases) func `the list is above the keys`(_ style: Style) throws {
    #expect(
      try Shown(style).screen.text == """
        Daily scrums: 3
        [App Dev]         5 attendees, 5 min
        [Design]          4 attendees, 10 min
        [Web Dev]         10 attendees, 1 min
        [Add]  [Refresh]







        n new  r refresh  u undo  ? help  q quit
        """)
  }

  @Test func `shared scrums have a key that takes the terminal offline and back`() throws {
    let connects = Signal(true)
    let binding = Binding(get: { connects.value }, set: { connects.value = $0 })
    let shown = try Shown(.mvi, connects: binding, width: 60)
    #expect(shown.lines.last == "n new  r refresh  u undo  o offline  ? help  q quit")
    shown.screen.press("o")
    #expect(!connects.value)
    #expect(shown.lines.last == "n new  r refresh  u undo  o online  ? help  q quit")
    shown.screen.press("return", "o")
    #expect(!connects.value)
  }

  @Test(arguments: Style.allCases)
  func `a scrum that is too high scrolls, and its keys stay`(_ style: Style) throws {
    let shown = try Shown(style, height: 9)
    shown.screen.press("down", "down", "return")
    #expect(
      shown.screen.text == """
        Web Dev                                    █
        1 min, Violet                              █
        [Start meeting]                            █
        Attendees: 10                              █
        Chella                                     │
        Chris                                      │
        Christina                                  │
        m meet  e edit  u undo  esc back  ? help  q
        quit
        """)
    shown.screen.press("tab", "tab", "tab")
    #expect(shown.screen.focus == "back")
    #expect(shown.screen.text.contains("[Edit]  [Delete]  [Back]"))
    shown.screen.press("return")
    #expect(shown.screen.focus == "scrum-\(Scrums.samples()[2].id)")
  }

  @Test(arguments: Style.allCases)
  func `an error is shown beside its field`(_ style: Style) throws {
    let shown = try Shown(style, height: 14)
    shown.screen.press("n")
    #expect(shown.screen.focus == "title")
    #expect(shown.screen.text.hasSuffix("\ntab next  esc cancel  f1 help  ctrl-c quit"))
    shown.screen.press("tab", "ctrl-u")
    shown.screen.type("90")
    #expect(shown.screen.text.contains("Minutes: 90\n! Between 1 and 60 minutes\n"))
    shown.screen.press("tab", "tab", "tab", "tab")
    #expect(shown.screen.focus == "save")
    shown.screen.press("return")
    #expect(
      shown.screen.text == """
        New scrum
        Title:
        ! A scrum needs a title
        Minutes: 90
        ! Between 1 and 60 minutes
        Color: ‹Yellow›
        Attendees: 0
        New attendee:
        ! Somebody has to attend
        [Add attendee]
        [Save]  [Cancel]


        tab next  esc cancel  ? help  q quit
        """)
    shown.screen.press("home")
    #expect(shown.screen.focus == "title")
    shown.screen.type("Retro")
    shown.screen.press("escape")
    #expect(shown.screen.text.hasPrefix("Daily scrums: 3\n"))
  }

  @Test(arguments: Style.allCases)
  func `escape leaves a form, and what was typed is gone`(_ style: Style) throws {
    let shown = try Shown(style, height: 16)
    shown.screen.press("down", "return", "e", "X")
    #expect(shown.screen.text.contains("Title: DesignX"))
    shown.screen.press("escape")
    #expect(shown.screen.text.hasPrefix("Design\n10 min, Orange"))
    shown.screen.press("e")
    #expect(shown.screen.text.contains("Title: Design\n"))
    try shown.store.delete(
      #require(shown.store.results(DailyScrum.self).first { $0.title == "Design" }))
    #expect(shown.screen.text.hasPrefix("This scrum is gone\n"))
    shown.screen.press("escape")
    #expect(shown.screen.text.hasPrefix("Daily scrums: 2\n"))
  }

  @Test(arguments: Style.allCases) func `colors are shown`(_ style: Style) throws {
    let shown = try Shown(style)
    #expect(shown.screen.svg().contains("fill=\"#ff8000\">[Design]</text>"))
    shown.screen.press("down", "return")
    #expect(shown.screen.svg().contains("fill=\"#ff8000\">10 min, Orange</text>"))
    shown.screen.press("e", "tab", "tab", "return")
    let options = shown.screen.svg()
    #expect(options.contains("fill=\"#008080\">Teal</text>"))
    #expect(options.contains("fill=\"#8000ff\">Violet</text>"))
    shown.screen.press("down", "return")
    #expect(shown.screen.text.contains("Color: ‹Teal›"))
  }

  @Test(arguments: Style.allCases)
  func `a meeting runs on the clock, pauses, and skips`(_ style: Style) throws {
    let shown = try Shown(style, width: 40, height: 9)
    shown.screen.press("down", "return", "m")
    shown.clock.advance(by: .seconds(60))
    #expect(
      shown.screen.text == """
        Design
        ███░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░  10%
        1:00 elapsed, 9:00 left
        Speaker 1: Cathy
        Speaker 1 of 4
        Notes:
        [Skip]  [End meeting]

        p pause  s skip  ? help  q quit
        """)
    shown.screen.press("p")
    shown.clock.advance(by: .seconds(60))
    #expect(shown.screen.text.contains("1:00 elapsed, 9:00 left, paused\n"))
    #expect(shown.screen.text.hasSuffix("p go on  s skip  ? help  q quit"))
    shown.screen.press("s", "p")
    shown.clock.advance(by: .seconds(1))
    #expect(shown.screen.text.contains("2:31 elapsed, 7:29 left\nSpeaker 2: Daisy\n"))
    shown.screen.press("up")
    shown.screen.type("p s q")
    #expect(shown.screen.text.contains("Notes: p s q"))
    shown.screen.press("down", "right", "return")
    shown.screen.resize(width: 40, height: 20)
    #expect(shown.screen.text.contains("History: 1\n2026-11-21: 4 attendees, 2 min"))
  }

  @Test(arguments: Style.allCases, Style.allCases)
  func `killed after each key it is the same screen again, in any style`(
    _ style: Style, _ other: Style
  ) throws {
    let shown = try Shown(style, width: 60, height: 20)
    let keys: [TerminalKey] = [
      "down", "return", "e", "X", "tab", "2", "tab", "right", "escape", "m", "p", "s", "p", "up",
      "y", "down", "right", "return", "escape", "n", "Z", "escape", "u",
    ]
    for (number, key) in keys.enumerated() {
      shown.screen.press(key)
      shown.clock.advance(by: .seconds(3))
      let restored = try Shown(other, shown.store.snapshot(), width: 60, height: 20)
      // Which keys the line at the foot names is a matter of the focus.
      #expect(
        restored.lines.dropLast() == shown.lines.dropLast(), "key \(number), \(key.fullName)")
    }
  }

  @Test func `what was deleted comes back by a key`() throws {
    let shown = try Shown(.mvi)
    shown.screen.press("return", "tab", "right", "return")
    #expect(shown.screen.text.hasPrefix("Daily scrums: 2\n"))
    shown.screen.press("u")
    #expect(shown.screen.text.hasPrefix("Daily scrums: 3\n"))
    shown.screen.press("u")
    #expect(shown.screen.text.hasSuffix("there is nothing to undo"))
  }

  @Test(arguments: [(20, 4), (30, 5), (200, 60), (10, 3), (1, 1)])
  func `any size shows something, and keys still work`(_ width: Int, _ height: Int) throws {
    let shown = try Shown(.mvi, width: width, height: height)
    for key: TerminalKey in ["return", "e", "tab", "end", "escape", "m", "s", "?", "ctrl-l"] {
      shown.screen.press(key)
      #expect(!shown.screen.text.isEmpty)
      #expect(shown.lines.count <= height && shown.lines.allSatisfy { $0.count <= width })
    }
  }
}
