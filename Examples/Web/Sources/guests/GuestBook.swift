import Signals

final class Guest: Object {
  @Field var name = ""
}

struct NoName: Error, CustomStringConvertible {
  let description = "Please enter your name."
}

struct GuestBook: View {
  @ObservedResults(Guest.self) var guests
  @Restored("name") var name = ""

  var body: Element {
    Text("\(guests.count) guests").style(.title)
    TextField("Name", text: $name)
    Button("Sign") {
      if name.isEmpty { throw NoName() }
      let guest = Guest()
      guest.name = name
      try $guests.append(guest)
      name = ""
    }
    ForEach(guests) { Text($0.name) }
  }
}
