import ChatApp
import Shell
import Signals

/// A command a line, while there are lines, up to `quit`; after each the frame.
@MainActor func runLines(on device: ChatDevice, _ store: Store) async throws {
  let renderer = TextRenderer()
  let host = ViewHost(store, renderer: renderer) { ChatScreen(device) }
  func show(_ line: String, _ answer: String) throws {
    try Output.write("> \(line)\n\(answer)\n\n")
  }

  try show("start", renderer.text)
  while let line = await nextLine(), !line.isQuit {
    if line.words.isEmpty { continue }
    do {
      try await perform(line, on: host, device, renderer)
      try show(line, renderer.text)
    } catch {
      try show(line, "error: \(error)")
    }
  }
}

@MainActor private func perform(
  _ line: String, on host: ViewHost, _ device: ChatDevice, _ renderer: TextRenderer
) async throws {
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  switch (words[0], words.count > 1 ? words[1] : "") {
  case ("offline", ""): device.wantsConnection = false
  case ("online", ""): device.wantsConnection = true
  case ("submit", let name): try host.perform(.id(host.id(named: name)), with: .submit)
  case ("open", let text):
    guard let address = ScreenAddress(text) else {
      throw Failure(status: 0, "\(text) is no address")
    }
    host.open(address)
  case ("wait", let text): try await wait(for: text) { renderer.text }
  default:
    if try await host.perform(line: line) { return }
    throw Failure(
      status: 0,
      "commands: tap NAME, type NAME TEXT, submit NAME, open ADDRESS, offline, online, wait TEXT, quit"
    )
  }
}
