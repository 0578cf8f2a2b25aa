// chat: conversations of several people, on a full screen. Without a terminal, or with --plain, a command
// a line: tap NAME, type NAME TEXT, submit NAME, open ADDRESS, offline, online, wait TEXT, quit; after
// each the frame.
//
// The server is in the same process, or with --server elsewhere; chat serve is a server, for browsers and
// for such devices.

import ChatApp
import ChatClient
import ChatLoad
import ChatModel
import ChatServer
import ChatWeb
import Foundation
import Shell
import Signals
import SignalsTerminal
import Site

let program = Program(
  "chat", usage: Options.usage,
  about: """
    Conversations of several people, on a full screen. The server is in this process, and keeps
    everything in a directory: a new one has three sample people, of whom two answer by
    themselves. With --server, it is a device of a server elsewhere: "chat serve" serves devices and
    browsers on a port; CHAT_KEY, 32 bytes in base64, lets pages go on after a restart.
    Without a terminal, or with --plain, a command a line: tap NAME, type NAME TEXT, submit NAME,
    open ADDRESS, offline, online, wait TEXT, quit.
    """)

await program.run { arguments in
  let options = try Options(arguments)
  switch options.role {
  case .embedded:
    try await HubDirectory(at: options.directory).run(withSamples: true) { hub in
      let sample = Credentials(name: SamplePeople.names[0], password: SamplePeople.password)
      try await show(
        DeviceDirectory(at: options.directory, service: hub), options, firstUser: sample)
    }
  case .device(let address):
    let service = try RemoteChat(address)
    let place = address.replacing(/[^A-Za-z0-9.]+/, with: "-") + "-" + (options.user ?? "")
    let files = try DeviceDirectory(at: "\(options.directory)/\(place)", service: service)
    files.device.suggestedName = options.user ?? ""
    try await show(files, options)
  case .load(let address, let plan):
    guard try await Load(plan, on: address).run({ try Output.write($0 + "\n") }) else {
      throw Failure(status: 70, "messages were lost or refused, or came twice")
    }
  case .server(let port):
    try await HubDirectory(at: options.directory, rounds: options.rounds).run(
      withSamples: options.hasSamples
    ) { hub in
      try await serve(hub, port: port)
    }
  }
}

/// Shows the app until the user quits.
@MainActor func show(
  _ files: DeviceDirectory, _ options: Options, firstUser: Credentials? = nil
) async throws {
  let device = files.device
  device.place = options.place
  device.readPhoto = { try Photo(contentsOf: $0, at: Date()) }
  // A new directory.
  if let firstUser, files.store.snapshot().isEmpty { try await device.signIn(firstUser) }
  if isFullScreen(isPlain: options.isPlain, otherwise: { program.say("\($0): a command a line") }) {
    try await TerminalApp(files.store) { ChatTerminal(device: device) }.run()
  } else {
    try await runLines(on: device, files.store)
  }
  try await files.close()
}

/// Serves browsers and devices until the process is asked to end.
@MainActor func serve(_ hub: ChatHub, port: Int) async throws {
  guard let site = hub.site(ProcessInfo.processInfo.environment) else {
    throw Failure(status: 64, "CHAT_KEY isn't 32 bytes in base64")
  }
  try Output.write("http://127.0.0.1:\(port)/chat\n")
  try await site.run(port: port)
}
