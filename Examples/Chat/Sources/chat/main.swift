// chat: conversations of several people, on a full screen. Without a terminal, or with --plain, a command
// a line: tap NAME, type NAME TEXT, submit NAME, open ADDRESS, offline, online, wait TEXT, quit; after
// each the frame.

import ChatApp
import ChatModel
import ChatServer
import Foundation
import Shell
import Signals
import SignalsTerminal

let program = Program(
  "chat", usage: Options.usage,
  about: """
    Conversations of several people, on a full screen. The server is in this process, and keeps
    everything in a directory: a new one has three sample people, of whom two answer by
    themselves. Without a terminal, or with --plain, a command a line: tap NAME, type NAME TEXT,
    submit NAME, open ADDRESS, offline, online, wait TEXT, quit.
    """)

await program.run { arguments in
  let options = try Options(arguments)
  let chat = try EmbeddedChat(at: options.directory)
  chat.device.place = options.place
  chat.device.readPhoto = { try Photo(contentsOf: $0, at: Date()) }
  try await chat.run { device in
    if isFullScreen(
      isPlain: options.isPlain, otherwise: { program.say("\($0): a command a line") })
    {
      try await TerminalApp(device.store) { ChatTerminal(device) }.run()
    } else {
      try await runLines(on: device)
    }
  }
}
