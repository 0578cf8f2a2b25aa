// A picture of costs against sizes, on logarithmic axes.

import Foundation

struct CostPlot {
  struct Curve {
    let name: String
    /// Whether it is plain Swift, which is drawn with dashes.
    let isPlain: Bool
    /// The sizes, ascending, with nanoseconds.
    var points: [(size: Double, cost: Double)] = []

    var last: Double { points.last?.cost ?? 0 }
  }

  /// Those with the largest cost at the end first, as their names are below each other.
  let curves: [Curve]

  // The place of the axes.
  private let left = 64.0
  private let top = 20.0
  private let right = 470.0
  private let bottom = 380.0

  func write(to path: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
  }

  private var sizes: ClosedRange<Double> { range(curves.flatMap(\.points).map(\.size)) }
  private var costs: ClosedRange<Double> { range(curves.flatMap(\.points).map(\.cost)) }

  /// The powers of ten around values.
  private func range(_ values: [Double]) -> ClosedRange<Double> {
    let lower = log10(values.min() ?? 1).rounded(.down)
    return lower...max(log10(values.max() ?? 10).rounded(.up), lower + 1)
  }

  private func x(_ size: Double) -> Double {
    left + (log10(size) - sizes.lowerBound) / (sizes.upperBound - sizes.lowerBound) * (right - left)
  }

  private func y(_ cost: Double) -> Double {
    bottom - (log10(cost) - costs.lowerBound) / (costs.upperBound - costs.lowerBound)
      * (bottom - top)
  }

  private var text: String {
    """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 430" role="img">
    <title>Time of one operation against the number of objects</title>
    <style>
    svg { background: #fff; font: 13px sans-serif; }
    .grid { stroke: #ddd; }
    .plain { stroke-dasharray: 5 4; }
    path, .link { fill: none; stroke-width: 2; }
    .link { stroke-width: 1; }
    text { fill: #333; }
    \(colors.enumerated().map { ".c\($0) { stroke: \($1); }" }.joined(separator: "\n"))
    </style>
    \(grid)
    \(lines)
    </svg>

    """
  }

  private let colors = [
    "#666", "#c44e00", "#0072b2", "#009e73", "#b3589a", "#8a6d00", "#3f3fa5", "#b01030",
  ]

  private var grid: String {
    var parts: [String] = []
    for power in Int(costs.lowerBound)...Int(costs.upperBound) {
      let cost = pow(10, Double(power))
      parts.append(line("grid", left, y(cost), right, y(cost)))
      let time = duration(cost).replacing(".0 ", with: " ").replacing("us", with: "µs")
      parts.append(label(time, left - 8, y(cost) + 4, anchor: "end"))
    }
    for power in Int(sizes.lowerBound)...Int(sizes.upperBound) {
      let size = pow(10, Double(power))
      parts.append(line("grid", x(size), top, x(size), bottom))
      parts.append(label(count(Int(size)), x(size), bottom + 20, anchor: "middle"))
    }
    parts.append(label("objects in the store", (left + right) / 2, bottom + 42, anchor: "middle"))
    return parts.joined(separator: "\n")
  }

  private var lines: String {
    var parts: [String] = []
    // A name is beside the end of its line, or below the one before.
    var next = top
    for (index, curve) in curves.enumerated() {
      let points = curve.points.map { "\(rounded(x($0.size))) \(rounded(y($0.cost)))" }
      let kind = "c\(index % colors.count)\(curve.isPlain ? " plain" : "")"
      parts.append("<path class=\"\(kind)\" d=\"M\(points.joined(separator: " L"))\"/>")
      let place = max(next, y(curve.last))
      parts.append(line("link \(kind)", right + 2, y(curve.last), right + 16, place))
      parts.append(label(curve.name, right + 20, place + 4, anchor: "start"))
      next = place + 18
    }
    return parts.joined(separator: "\n")
  }

  private func line(_ kind: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double)
    -> String
  {
    "<line class=\"\(kind)\" x1=\"\(rounded(x1))\" y1=\"\(rounded(y1))\" "
      + "x2=\"\(rounded(x2))\" y2=\"\(rounded(y2))\"/>"
  }

  private func label(_ text: String, _ x: Double, _ y: Double, anchor: String) -> String {
    "<text x=\"\(rounded(x))\" y=\"\(rounded(y))\" text-anchor=\"\(anchor)\">\(text)</text>"
  }

  private func rounded(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  private func count(_ number: Int) -> String {
    number < 1_000_000
      ? number < 1000 ? "\(number)" : "\(number / 1000),000" : "\(number / 1_000_000),000,000"
  }
}
