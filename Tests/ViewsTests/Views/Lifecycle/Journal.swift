import Signals
import SignalsTesting
import TestSupport
import Testing

/// Notes what happens, for a test that waits for it.
final class Journal {
  private(set) var entries: [String] = []
  private var waiting: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  func note(_ entry: String) {
    entries.append(entry)
    let ready = waiting.filter { $0.count <= entries.count }
    waiting.removeAll { $0.count <= entries.count }
    for one in ready { one.continuation.resume() }
  }

  /// The entries, once there are so many.
  nonisolated(nonsending) func entries(_ count: Int) async -> [String] {
    if entries.count < count {
      await withCheckedContinuation { waiting.append((count, $0)) }
    }
    return entries
  }
}

/// Lets work pass once it is open, cancelled or not.
final class Door {
  private var isOpen = false
  private var waiting: [CheckedContinuation<Void, Never>] = []

  func open() {
    isOpen = true
    let waiting = waiting
    self.waiting = []
    for one in waiting { one.resume() }
  }

  nonisolated(nonsending) func pass() async {
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }
}

/// Notes when it appears and disappears.
struct Noted: View {
  let name: String
  let journal: Journal
  @State var taps = 0

  var body: Element {
    Button("\(name) \(taps)", id: name) { taps += 1 }
      .onAppear { journal.note("+\(name)") }
      .onDisappear { journal.note("-\(name)") }
  }
}
