import Signals
import SignalsTesting
import TestSupport
import Testing

/// A body of 200 lines: every expression of a builder has one type, so that a long body costs the compiler
/// no more than its lines (measured by hand with `-debug-time-function-bodies`, debug).
@Suite struct `Views, a long body` {
  @Test func `it is evaluated like any other`() throws {
    let app = try TestHost(Store()) { LongBody() }
    #expect(app.text.hasPrefix("line 0: 0 of 4\n[button 1]\nfield 2: [name]\n"))
    try app.tap("button 1")
    #expect(app.text.hasPrefix("line 0: 1 of 4\n"))
  }
}

private struct LongBody: View {
  @State private var number = 0
  @State private var name = "name"
  @State private var flag = false

  var body: Element {
    Column {
      Text("line 0: \(number) of \(name.count)")
      Button("button 1") { number += 1 }
      TextField("field 2", text: $name)
      if number > 3 {
        Toggle("toggle 3", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 5") }
      Picker("picker 6", selection: $number, options: [1, 2, 6])
      ProgressBar("bar 7", value: Double(number), total: 7)
      Text("line 8: \(number) of \(name.count)")
      Button("button 9") { number += 9 }
      TextField("field 10", text: $name)
      if number > 11 {
        Toggle("toggle 11", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 13") }
      Picker("picker 14", selection: $number, options: [1, 2, 14])
      ProgressBar("bar 15", value: Double(number), total: 15)
      Text("line 16: \(number) of \(name.count)")
      Button("button 17") { number += 17 }
      TextField("field 18", text: $name)
      if number > 19 {
        Toggle("toggle 19", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 21") }
      Picker("picker 22", selection: $number, options: [1, 2, 22])
      ProgressBar("bar 23", value: Double(number), total: 23)
      Text("line 24: \(number) of \(name.count)")
      Button("button 25") { number += 25 }
      TextField("field 26", text: $name)
      if number > 27 {
        Toggle("toggle 27", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 29") }
      Picker("picker 30", selection: $number, options: [1, 2, 30])
      ProgressBar("bar 31", value: Double(number), total: 31)
      Text("line 32: \(number) of \(name.count)")
      Button("button 33") { number += 33 }
      TextField("field 34", text: $name)
      if number > 35 {
        Toggle("toggle 35", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 37") }
      Picker("picker 38", selection: $number, options: [1, 2, 38])
      ProgressBar("bar 39", value: Double(number), total: 39)
      Text("line 40: \(number) of \(name.count)")
      Button("button 41") { number += 41 }
      TextField("field 42", text: $name)
      if number > 43 {
        Toggle("toggle 43", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 45") }
      Picker("picker 46", selection: $number, options: [1, 2, 46])
      ProgressBar("bar 47", value: Double(number), total: 47)
      Text("line 48: \(number) of \(name.count)")
      Button("button 49") { number += 49 }
      TextField("field 50", text: $name)
      if number > 51 {
        Toggle("toggle 51", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 53") }
      Picker("picker 54", selection: $number, options: [1, 2, 54])
      ProgressBar("bar 55", value: Double(number), total: 55)
      Text("line 56: \(number) of \(name.count)")
      Button("button 57") { number += 57 }
      TextField("field 58", text: $name)
      if number > 59 {
        Toggle("toggle 59", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 61") }
      Picker("picker 62", selection: $number, options: [1, 2, 62])
      ProgressBar("bar 63", value: Double(number), total: 63)
      Text("line 64: \(number) of \(name.count)")
      Button("button 65") { number += 65 }
      TextField("field 66", text: $name)
      if number > 67 {
        Toggle("toggle 67", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 69") }
      Picker("picker 70", selection: $number, options: [1, 2, 70])
      ProgressBar("bar 71", value: Double(number), total: 71)
      Text("line 72: \(number) of \(name.count)")
      Button("button 73") { number += 73 }
      TextField("field 74", text: $name)
      if number > 75 {
        Toggle("toggle 75", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 77") }
      Picker("picker 78", selection: $number, options: [1, 2, 78])
      ProgressBar("bar 79", value: Double(number), total: 79)
      Text("line 80: \(number) of \(name.count)")
      Button("button 81") { number += 81 }
      TextField("field 82", text: $name)
      if number > 83 {
        Toggle("toggle 83", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 85") }
      Picker("picker 86", selection: $number, options: [1, 2, 86])
      ProgressBar("bar 87", value: Double(number), total: 87)
      Text("line 88: \(number) of \(name.count)")
      Button("button 89") { number += 89 }
      TextField("field 90", text: $name)
      if number > 91 {
        Toggle("toggle 91", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 93") }
      Picker("picker 94", selection: $number, options: [1, 2, 94])
      ProgressBar("bar 95", value: Double(number), total: 95)
      Text("line 96: \(number) of \(name.count)")
      Button("button 97") { number += 97 }
      TextField("field 98", text: $name)
      if number > 99 {
        Toggle("toggle 99", isOn: $flag)
      } else {
        Divider()
      }
      Row {
        Text("a")
        Text("b \(flag)")
      }
      ForEach(0..<3, id: \.self) { Text("row \($0) of 101") }
      Picker("picker 102", selection: $number, options: [1, 2, 102])
      ProgressBar("bar 103", value: Double(number), total: 103)
      Text("line 104: \(number) of \(name.count)")
    }
  }
}
