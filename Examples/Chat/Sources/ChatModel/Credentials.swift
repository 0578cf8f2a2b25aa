/// The name and the password of a user.
package struct Credentials: Hashable, Codable, Sendable {
  /// The name, in lower case: names that differ in case alone are one.
  package let name: String
  package let password: String

  /// Accepted numbers of characters in a password.
  package static let passwordLength = 8...200
  /// Accepted numbers of characters in a name.
  package static let nameLength = 1...40

  package init(name: String, password: String) {
    (self.name, self.password) = (name.lowercased(), password)
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      name: try values.decode(String.self, forKey: .name),
      password: try values.decode(String.self, forKey: .password))
  }

  /// Throws the reason why nobody can have these credentials.
  package func validate() throws(SignInError) {
    let isName = name.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || ".@-_".contains($0))
    }
    if !isName || !Self.nameLength.contains(name.count) { throw .noName }
    if !Self.passwordLength.contains(password.count) { throw .noPassword }
  }
}

/// The reason why a user can't sign in.
package enum SignInError: Error, Hashable, Codable, Sendable {
  case noName
  case noPassword
  case nameTaken(String)
  case wrongPassword
  case tooManyAttempts(seconds: Int)
  case signedOut
}

extension SignInError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .noName:
      "a name has at most \(Credentials.nameLength.upperBound) letters, digits, dots, @, - and _"
    case .noPassword:
      "a password has at least \(Credentials.passwordLength.lowerBound) characters"
    case .nameTaken(let name): "there is a user called \(name) already"
    case .wrongPassword: "there is no such user, or the password is wrong"
    case .tooManyAttempts(let seconds): "too many attempts; try again in \(seconds) s"
    case .signedOut: "you were signed out"
    }
  }
}
