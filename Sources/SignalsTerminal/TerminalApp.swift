// Runs a screen on a terminal.
//
// State: `isDrawing`, while what happened is being handled: what the app asks for then is drawn at the end;
// `isTickAsked`, whether the reader was asked to call; `lastDraw`; `ending`, why the loop is to end.
//
// Order of events: the reader's thread says what came; on the app's actor it is handled, all that came at once, and then
// the screen is drawn, at most 60 times a second: what comes sooner waits for a tick that the reader is asked for. Frames
// that the app makes by itself, in a task or a timer, ask for a tick too.

import CSignalsTTY
public import Signals

/// A full-screen app on a terminal.
///
/// - The terminal is as it was on every way out: the end of the app, an error, `SIGINT`, `SIGTERM`, `SIGHUP`, `exit`, and
///   a crash or another signal; and while the app is suspended (ctrl-z, `SIGTSTP`). Only `SIGKILL` and `SIGSTOP` leave it
///   as it is.
/// - What it shows follows the size of the terminal, and is drawn at most 60 times a second.
/// - It ends when a view calls `terminalQuit`, with ctrl-c (unless the app has bound it), when its
///   task is cancelled, or when the process is asked to end. An app that hangs is ended by pressing ctrl-c three times.
/// - Errors that nothing in the view handles are shown in a line of their own below the app, until the next key or click,
///   unless `onError` gets them.
/// - Its host is that of ``screen``: with `app.screen.host.intentLog = IntentLog(start: store.snapshot())` it keeps what
///   the user does, for a test to do again.
///
/// ```swift
/// try await TerminalApp(store) { LibraryScreen(library: library) }.run()
/// ```
///
/// Asynchronous intents, tasks and timers of the view run while it waits, if it is made on an actor, as in `main.swift`.
public final class TerminalApp {
  /// What is shown, and takes the user's input.
  public let screen: TerminalScreen
  private let device: TerminalDevice
  private let clock = ContinuousClock()
  private var lastDraw: ContinuousClock.Instant?
  private var isDrawing = true
  private var isTickAsked = false
  private var ending: Ending?

  private enum Ending {
    case quit
    case closed
    case signal(Int32)
  }

  private static let interval = Duration.seconds(1) / 60

  /// Makes an app of a view, to be run on a terminal; nothing is written before ``run()``.
  public init(
    _ store: Store, on device: TerminalDevice = .standard,
    onError: ((any Error) -> Void)? = nil, isolation: isolated (any Actor)? = #isolation,
    @ElementBuilder root: @escaping () -> Element
  ) {
    self.device = device
    let size = device.size
    let renderer = TerminalRenderer(
      width: size.width, height: size.height, capabilities: device.capabilities)
    // A clock needs an actor for its timer.
    screen = TerminalScreen(
      store, renderer, clock: isolation == nil ? .immediate : .rate(60, isolation: isolation),
      onError: onError ?? TerminalScreen.showing(on: renderer), isolation: isolation, root: root)
  }

  /// Shows the app until it ends.
  ///
  /// Throws ``TerminalError`` if there is no terminal that could show it, before anything was written, and if the
  /// terminal is closed while it runs. A signal that asks the process to end is raised again when the terminal is as it
  /// was: by default it ends the process then.
  public nonisolated(nonsending) func run() async throws {
    let reader = try TerminalReader()
    try device.take(wake: reader.wake)
    defer { signals_tty_give_back() }
    try reader.start(device.input)
    defer { reader.stop() }
    (ending, isTickAsked, isDrawing) = (nil, false, true)
    screen.onControl = { [unowned self] control in
      switch control {
      case .quit: ending = ending ?? .quit
      case .suspend: suspend()
      }
    }
    screen.renderer.onNeed = { [unowned self, unowned reader] in
      // What happens while something is handled is drawn at its end.
      if !isDrawing { askForTick(reader, in: 0) }
    }
    defer {
      screen.onControl = { _ in }
      screen.renderer.onNeed = {}
    }
    fitSize()
    try draw()
    for await event in reader.events {
      isDrawing = true
      handle(event)
      if ending != nil { break }
      try drawIfDue(reader)
    }
    try end(reader)
  }

  // MARK: - Events

  private func handle(_ event: TerminalEvent) {
    signals_tty_did_hear()
    switch event {
    case .input(let inputs):
      for input in inputs where ending == nil { screen.handle(input) }
    case .tick: isTickAsked = false
    case .resized: fitSize()
    case .stopRequested: suspend()
    case .continued:
      // Others may have had the terminal.
      signals_tty_refresh()
      fitSize()
    case .endRequested(let signal): ending = .signal(signal)
    case .closed: ending = .closed
    }
  }

  private func fitSize() {
    let size = device.size
    screen.resize(width: size.width, height: size.height)
  }

  private func suspend() {
    signals_tty_suspend()
    fitSize()
  }

  private func end(_ reader: TerminalReader) throws {
    switch ending {
    case .quit?, nil: return
    case .closed?: throw TerminalError.closed
    case .signal(let signal)?:
      reader.stop()
      signals_tty_give_back()
      signals_tty_raise(signal)
      throw TerminalError.interrupted(signal: TerminalApp.name(of: signal))
    }
  }

  private static func name(of signal: Int32) -> String {
    switch signal {
    case Int32(signals_tty_interrupt): "SIGINT"
    case Int32(signals_tty_hangup): "SIGHUP"
    default: "SIGTERM"
    }
  }

  // MARK: - Drawing

  private func askForTick(_ reader: TerminalReader, in milliseconds: Int) {
    if isTickAsked { return }
    isTickAsked = true
    reader.ask(in: milliseconds)
  }

  private func drawIfDue(_ reader: TerminalReader) throws {
    if let lastDraw {
      let left = TerminalApp.interval - (clock.now - lastDraw)
      if left > .zero {
        isDrawing = false
        askForTick(reader, in: Int(left / .milliseconds(1)) + 1)
        return
      }
    }
    try draw()
  }

  private func draw() throws {
    isDrawing = true
    screen.layout()
    let bytes = screen.renderer.update()
    isDrawing = false
    lastDraw = clock.now
    try device.write(bytes)
  }
}
