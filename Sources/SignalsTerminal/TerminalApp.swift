// Runs a screen on a terminal.
//
// State: `isDrawing`, set while an event is handled (changes that the app makes then are drawn at
// its end); `isTickAsked`, whether a tick has been requested from the reader; `lastDraw` and
// `lastInput`, the times of the last drawing and the last input; `ending`, the reason why the loop ends.
//
// Order of events: the reader's thread sends what it has read as one event; the app's actor handles
// all of it, and then draws the screen, at most 60 times a second. An earlier change waits for a
// tick from the reader. Frames that the app makes on its own, from a task or a timer, request a
// tick too.

import CSignalsTTY
public import Signals

/// A full-screen app on a terminal.
///
/// - The terminal is restored when the app ends, on an error, on `SIGINT`, `SIGTERM`, `SIGHUP` or
///   another fatal signal, on `exit` and on a crash. It is also restored while the app is suspended
///   (ctrl-z, `SIGTSTP`). Only `SIGKILL` and `SIGSTOP` leave it unrestored.
/// - The screen follows the size of the terminal, and is drawn at most 60 times a second.
/// - The app ends when a view calls `terminalQuit`, on ctrl-c (unless the app has bound that key),
///   when its task is cancelled, or when the process is asked to end. Pressing ctrl-c three times
///   ends an app that hangs.
/// - Errors that the views don't handle are passed to `onError`. Without it, they are shown in a
///   line below the app until the next key or click.
/// - The host is that of ``screen``. With `SignalsReplay` it records the user's actions, so that a
///   test can replay them, after `app.screen.host.intentLog = IntentLog(start: store.snapshot())`.
///
/// ```swift
/// try await TerminalApp(store) { LibraryScreen(library: library) }.run()
/// ```
///
/// Asynchronous intents, tasks and timers of the views run while the app waits for input, if it was
/// created on an actor, as in `main.swift`.
public final class TerminalApp {
  /// The screen that shows the views and takes the user's input.
  public let screen: TerminalScreen
  private let device: TerminalDevice
  private let clock = ContinuousClock()
  private var lastDraw: ContinuousClock.Instant?
  private var lastInput: ContinuousClock.Instant?
  private var isDrawing = true
  private var isTickAsked = false
  private var ending: Ending?

  private enum Ending {
    case quit
    case closed
    case signal(Int32)
  }

  private static let interval = Duration.seconds(1) / 60
  /// The time without input after which typed text belongs to the element that has the focus.
  private static let pause = Duration.seconds(1)

  /// Creates an app that shows a view on a terminal.
  ///
  /// Nothing is written before ``run()``.
  ///
  /// - Parameters:
  ///   - store: The store of the host's environment.
  ///   - device: The terminal.
  ///   - onError: Called with errors that the views don't handle.
  ///   - isolation: The actor of the host; by default, that of the caller.
  ///   - root: The view.
  public init(
    _ store: Store, on device: TerminalDevice = .standard,
    onError: ((any Error) -> Void)? = nil, isolation: isolated (any Actor)? = #isolation,
    @ElementBuilder root: @escaping () -> Element
  ) {
    self.device = device
    let size = device.size
    let renderer = TerminalRenderer(
      width: size.width, height: size.height, capabilities: device.capabilities)
    // The clock's timer needs an actor.
    screen = TerminalScreen(
      store, renderer: renderer,
      clock: isolation == nil ? .immediate : .rate(60, isolation: isolation),
      onError: onError ?? TerminalScreen.showing(on: renderer), isolation: isolation, root: root)
  }

  /// Shows the app until it ends.
  ///
  /// A signal that asks the process to end is raised again after the terminal has been restored. By
  /// default it then ends the process.
  ///
  /// - Throws: ``TerminalError`` if the terminal can't show the app, before anything is written; if
  ///   the terminal is closed while the app runs; or if a signal that was raised again didn't end
  ///   the process.
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
      // Changes made while an event is handled are drawn at its end.
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
    signals_tty_acknowledge()
    switch event {
    case .input(let inputs):
      let now = clock.now
      if let lastInput, now - lastInput > TerminalApp.pause { screen.typing.pause() }
      lastInput = now
      for input in inputs where ending == nil { screen.receive(input) }
    case .tick: isTickAsked = false
    case .resized: fitSize()
    case .stopRequested: suspend()
    case .continued:
      // Other programs may have used the terminal.
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
