// Reads terminal input on a dedicated thread, so that the app's actor doesn't block.
//
// State: the local variables of the thread (`parser`, `clicks`, the times at which a tick or a
// flush is due), which only the thread accesses; the two ends of the pipe, which don't change. The
// thread sends its events as values through the stream.
//
// Signal handlers write their signal numbers to the pipe. The app writes to it too: `ask` requests
// a tick, `stop` ends the thread.

import CSignalsTTY

/// An event that the reader sends to the app.
enum TerminalEvent: Sendable {
  case input([TerminalInput])
  /// The requested tick is due.
  case tick
  case resized
  case stopRequested
  case continued
  /// The process was asked to end by a signal, such as `signals_tty_interrupt`.
  case endRequested(Int32)
  /// The input has ended.
  case closed
}

/// Reads from a terminal on a dedicated thread.
@safe
final class TerminalReader {
  let events: AsyncStream<TerminalEvent>
  /// The file that signal handlers write to.
  let wake: Int32
  private let reader: Int32
  private var thread: UnsafeMutableRawPointer?

  /// The delay before the next read while another process group has the terminal, in milliseconds.
  private static let othersTime: Int32 = 50
  private static let stop: UInt8 = 255
  /// A byte from this value on requests a tick.
  ///
  /// The difference is the delay in milliseconds.
  private static let ticks: UInt8 = 200

  init() throws {
    var (reader, writer): (Int32, Int32) = (0, 0)
    let code = unsafe signals_tty_pipe(&reader, &writer)
    if code != 0 { throw TerminalError.system(code: code) }
    self.reader = reader
    wake = writer
    let (stream, continuation) = AsyncStream<TerminalEvent>.makeStream()
    events = stream
    self.continuation = continuation
  }

  private let continuation: AsyncStream<TerminalEvent>.Continuation

  deinit {
    stop()
    signals_tty_close(reader)
    signals_tty_close(wake)
  }

  func start(_ input: Int32) throws {
    let job = Job(input: input, wake: reader, continuation: continuation)
    let context = unsafe Unmanaged.passRetained(job).toOpaque()
    let thread = unsafe signals_tty_start(
      { unsafe Unmanaged<Job>.fromOpaque($0).takeRetainedValue().run() }, context)
    guard let thread = unsafe thread else {
      unsafe Unmanaged<Job>.fromOpaque(context).release()
      throw TerminalError.system(code: 11)
    }
    unsafe self.thread = unsafe thread
  }

  /// Requests a tick after a number of milliseconds, at most 50.
  func ask(in milliseconds: Int) {
    say(TerminalReader.ticks + UInt8(min(max(milliseconds, 0), 50)))
  }

  /// Ends the thread and waits for it.
  func stop() {
    guard let thread = unsafe thread else { return }
    unsafe self.thread = nil
    say(TerminalReader.stop)
    unsafe signals_tty_join(thread)
    continuation.finish()
  }

  private func say(_ byte: UInt8) {
    var byte = byte
    _ = unsafe signals_tty_write(wake, &byte, 1)
  }

  /// The work of the thread.
  ///
  /// All its properties are values or can be sent.
  private final class Job: Sendable {
    let input: Int32
    let wake: Int32
    let continuation: AsyncStream<TerminalEvent>.Continuation

    init(input: Int32, wake: Int32, continuation: AsyncStream<TerminalEvent>.Continuation) {
      self.input = input
      self.wake = wake
      self.continuation = continuation
    }

    func run() {
      var parser = InputParser(backspace: signals_tty_erase())
      var clicks = ClickCounter()
      var quietDue: Int64?
      var tickDue: Int64?
      while true {
        let now = signals_tty_milliseconds()
        if let due = tickDue, due <= now {
          tickDue = nil
          continuation.yield(.tick)
        }
        if let due = quietDue, due <= now {
          quietDue = nil
          emit(parser.flush())
        }
        let due = [tickDue, quietDue].compactMap { $0 }.min()
        let ready = signals_tty_wait(input, wake, due.map { Int32(max(1, $0 - now)) } ?? -1)
        if ready & 2 != 0 {
          for byte in read(wake).bytes {
            if byte == TerminalReader.stop { return }
            if byte >= TerminalReader.ticks {
              tickDue = signals_tty_milliseconds() + Int64(byte - TerminalReader.ticks)
            } else {
              emitSignal(byte)
            }
          }
        }
        if ready & 1 != 0 {
          let (bytes, isEnd) = read(input)
          if isEnd {
            continuation.yield(.closed)
            return
          }
          if bytes.isEmpty {
            // Another process group has the terminal. The pipe must still be read during the delay.
            _ = signals_tty_wait(-1, wake, TerminalReader.othersTime)
            continue
          }
          let now = signals_tty_milliseconds()
          emit(parser.parse(bytes).map { clicks.count($0, at: now) })
          quietDue = parser.patience.map { signals_tty_milliseconds() + Int64($0) }
        }
      }
    }

    private func emit(_ events: [TerminalInput]) {
      // Lets the user end an app that hangs, as without raw mode.
      for event in events where event == .key("ctrl-c") { signals_tty_note_interrupt() }
      if !events.isEmpty { continuation.yield(.input(events)) }
    }

    private func emitSignal(_ byte: UInt8) {
      let name = signals_tty_name(byte)
      switch name {
      case Int32(signals_tty_resized): continuation.yield(.resized)
      case Int32(signals_tty_stop): continuation.yield(.stopRequested)
      case Int32(signals_tty_continued): continuation.yield(.continued)
      case 0: break
      default: continuation.yield(.endRequested(name))
      }
    }

    /// Returns the available bytes, none if another process group has the terminal, and whether the
    /// input has ended.
    private func read(_ file: Int32) -> (bytes: ArraySlice<UInt8>, isEnd: Bool) {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
        guard let start = buffer.baseAddress else { return 0 }
        return unsafe signals_tty_read(file, start, buffer.count)
      }
      return (bytes[..<max(count, 0)], count == Int(signals_tty_end))
    }
  }
}
