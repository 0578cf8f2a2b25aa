import Dispatch
public import Signals

/// An intent a line, while there are lines, up to `quit`; after each the answer, as catalog has it.
///
/// An error is an answer too. Throws where standard output can't be written.
@MainActor
public func runLines(start: String, _ answer: (String) async throws -> String) async throws {
  try Output.write("> start\n\(start)\n\n")
  while let line = readLine(), !line.isQuit {
    if line.words.isEmpty { continue }
    let text: String
    do { text = try await answer(line) } catch { text = "error: \(error)" }
    try Output.write("> \(line)\n\(text)\n\n")
  }
}

/// Reads the next line of standard input, without blocking the actor.
public func nextLine() async -> String? {
  await withCheckedContinuation { continuation in
    DispatchQueue.global().async { continuation.resume(returning: readLine()) }
  }
}

/// Waits until a text is shown, at most 30 seconds.
@MainActor
public func wait(for text: String, on screen: () -> String) async throws {
  for _ in 0..<1_500 {
    if screen().contains(text) { return }
    try await Task.sleep(for: .milliseconds(20))
  }
  throw Failure(status: 0, "\"\(text)\" isn't shown")
}

extension String {
  /// Whether a line asks to stop.
  public var isQuit: Bool { words == ["quit"] }

  /// What stands between white space.
  public var words: [Substring] { split { $0.isASCII && $0.isWhitespace } }
}

extension ViewHost {
  /// Does what a line asks for, if that is what all screens know: `tap NAME`, `type NAME TEXT`, `undo`; else false.
  public func perform(line: String) async throws -> Bool {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    switch (words.first, words.count) {
    case ("tap"?, 2...):
      try await performAsync(.id(id(named: words.dropFirst().joined(separator: " "))))
    case ("type"?, 2...):
      try perform(.id(id(named: words[1])), with: .text(words.count > 2 ? words[2] : ""))
    case ("undo"?, 1): try perform { try store.undo() }
    default: return false
    }
    return true
  }

  /// The id of the element that bears a name; the name itself if none does, or several do.
  public func id(named name: String) -> String {
    var ids: Set<String> = []
    frame.forEach { element in
      if element.text == name, let id = element.id { ids.insert(id) }
    }
    return ids.count == 1 ? ids.first ?? name : name
  }
}
