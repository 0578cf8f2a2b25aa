package import Signals

extension Library {
  /// A small library with one member, stored; with `more` books where somebody looks around.
  package static func sample(
    in store: Store, more: Bool = false
  ) throws -> (library: Library, member: Member) {
    let library = Library()
    let member = Member()
    member.name = "Case"
    library.members.append(member)
    for (isbn, title, author) in titles + (more ? moreTitles : []) {
      let book = Book()
      book.isbn = isbn
      book.title = title
      book.author = author
      library.available.append(book)
    }
    try store.write(undoable: false) { try store.add(library) }
    return (library, member)
  }

  private static let titles = [
    ("0441569595", "Neuromancer", "William Gibson"),
    ("0441007465", "The Left Hand of Darkness", "Ursula K. Le Guin"),
    ("0553380958", "Snow Crash", "Neal Stephenson"),
  ]

  /// The numbers are made up.
  private static let moreTitles = [
    ("1000000001", "A Canticle for Leibowitz", "Walter M. Miller Jr."),
    ("1000000002", "A Fire Upon the Deep", "Vernor Vinge"),
    ("1000000003", "Ancillary Justice", "Ann Leckie"),
    ("1000000004", "Consider Phlebas", "Iain M. Banks"),
    ("1000000005", "Do Androids Dream of Electric Sheep?", "Philip K. Dick"),
    ("1000000006", "Dune", "Frank Herbert"),
    ("1000000007", "Fahrenheit 451", "Ray Bradbury"),
    ("1000000008", "Foundation", "Isaac Asimov"),
    ("1000000009", "Frankenstein", "Mary Shelley"),
    ("1000000010", "Hyperion", "Dan Simmons"),
    ("1000000011", "Kindred", "Octavia E. Butler"),
    ("1000000012", "Permutation City", "Greg Egan"),
    ("1000000013", "Rendezvous with Rama", "Arthur C. Clarke"),
    ("1000000014", "Roadside Picnic", "Arkady and Boris Strugatsky"),
    ("1000000015", "Slaughterhouse-Five", "Kurt Vonnegut"),
    ("1000000016", "Solaris", "Stanisław Lem"),
    ("1000000017", "Stories of Your Life", "Ted Chiang"),
    ("1000000018", "The City & the City", "China Miéville"),
    ("1000000019", "The Dispossessed", "Ursula K. Le Guin"),
    ("1000000020", "The Fifth Season", "N. K. Jemisin"),
    ("1000000021", "The Forever War", "Joe Haldeman"),
    ("1000000022", "The Stars My Destination", "Alfred Bester"),
    ("1000000023", "The Three-Body Problem", "刘慈欣"),
    ("1000000024", "The Time Machine", "H. G. Wells"),
    ("1000000025", "We", "Yevgeny Zamyatin"),
  ]
}
