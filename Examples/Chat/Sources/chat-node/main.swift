// chat-node: a server of the chat as one of several nodes, whose facts and accounts are in PostgreSQL.

import ChatServer
import ChatWeb
import Foundation
import Shell
import Signals
import SignalsPostgreSQL
import Site

let program = Program(
  "chat-node", usage: "--log TARGET… [--port PORT] [--sample] [--rounds NUMBER]",
  about: """
    A server of the chat, for browsers and devices, whose conversations and accounts are in PostgreSQL.
    Several nodes with one log are one chat: start as many as you like, each on a port of its own. TARGET
    is a connection string of libpq. With several, in the same order for all nodes, the partitions are
    spread over the databases. CHAT_KEY, 32 bytes in base64, is the same for all nodes, so that pages
    go on with another one.
    """)

await program.run { arguments in
  var (targets, port, rounds, hasSamples) = ([String](), 8080, 1 << 15, false)
  var rest = Array(arguments)[...]
  func value(_ option: String) throws -> String {
    guard let value = rest.popFirst() else { throw UsageError("\(option) needs a value") }
    return value
  }
  func number(_ option: String, in range: ClosedRange<Int>) throws -> Int {
    let text = try value(option)
    guard let number = Int(text), range.contains(number) else {
      throw UsageError("\"\(text)\" is no number for \(option)")
    }
    return number
  }
  while let option = rest.popFirst() {
    switch option {
    case "--log": targets.append(try value(option))
    case "--port": port = try number(option, in: 1...65_535)
    case "--rounds": rounds = try number(option, in: 2...1 << 20)
    case "--sample": hasSamples = true
    default: throw UsageError("unknown option \(option)")
    }
  }
  if targets.isEmpty { throw UsageError("--log is missing") }
  let log = PostgreSQLLog(targets) { number, status in
    if case .disconnected(let reason) = status { program.say("database \(number): \(reason)") }
  }
  try await HubNode(on: log, rounds: rounds).run(withSamples: hasSamples) { hub in
    guard let site = hub.site(ProcessInfo.processInfo.environment) else {
      throw Failure(status: 64, "CHAT_KEY isn't 32 bytes in base64")
    }
    try Output.write("http://127.0.0.1:\(port)/chat\n")
    try await site.run(port: port)
  }
}
