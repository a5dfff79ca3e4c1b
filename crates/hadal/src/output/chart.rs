//! Charts as inline SVG: lines over an axis, or bars. No scripts; works on light and dark backgrounds.

use super::sections::escaped;
use std::fmt::Write;

/// A chart with a title.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    pub title: String,
    pub shape: Shape,
}

/// Shape and data of a chart.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Lines over a common axis.
    Lines {
        /// Label of the horizontal axis, with its unit.
        x: String,
        /// Label of the vertical axis.
        y: String,
        /// Name and points of each line, from left to right.
        lines: Vec<(String, Vec<(f64, f64)>)>,
    },
    /// One horizontal bar per name, from zero.
    Bars {
        /// Label of the length of the bars.
        unit: String,
        /// Names and lengths, from the top.
        bars: Vec<(String, f64)>,
    },
}

/// Colours that differ on light and dark backgrounds. Lines beyond the last colour are dashed.
const COLOURS: [&str; 10] = [
    "#3b7dd8", "#e0722a", "#2f9e60", "#c94f5d", "#8e66c9", "#8a6d4b", "#d07ab8", "#7f8a93", "#a9a227",
    "#27a3ad",
];

/// Sizes of a chart in pixels. Guesses.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 62.0;
const TOP: f64 = 28.0;
const ROW: f64 = 17.0;

impl Chart {
    /// Renders the chart as SVG markup.
    pub fn svg(&self) -> String {
        match &self.shape {
            Shape::Lines { x, y, lines } => self.lines(x, y, lines),
            Shape::Bars { unit, bars } => self.bars(unit, bars),
        }
    }

    fn frame(&self, height: f64, inside: &str) -> String {
        let title = escaped(&self.title);
        format!(
            "<svg width={:.0} height={height:.0} role=img aria-label=\"{title}\"><title>{title}</title>\
             <text class=name x=4 y=15>{title}</text>{inside}</svg>",
            LEFT + WIDTH + 28.0
        )
    }

    fn lines(&self, x: &str, y: &str, lines: &[(String, Vec<(f64, f64)>)]) -> String {
        let most = |of: fn(&(f64, f64)) -> f64| {
            lines.iter().flat_map(|(_, points)| points).map(of).filter(|v| v.is_finite()).fold(0.0, f64::max)
        };
        let (right, top) = (Axis::to(most(|point| point.0)), Axis::to(most(|point| point.1)));
        let bottom = TOP + 14.0 + HEIGHT;
        let place = |&(x, y): &(f64, f64)| {
            format!("{:.1},{:.1}", LEFT + right.share(x) * WIDTH, bottom - top.share(y) * HEIGHT)
        };
        let mut inside = grid(&right, &top, bottom);
        let _ = write!(
            inside,
            "<text x={:.0} y={:.0} text-anchor=end>{}</text><text x=4 y={:.0}>{}</text>",
            LEFT + WIDTH,
            bottom + 32.0,
            escaped(x),
            TOP + 6.0,
            escaped(y)
        );
        for (nth, (name, points)) in lines.iter().enumerate() {
            let points: Vec<String> = thinned(points).map(place).collect();
            let style = style(nth);
            let row = bottom + 50.0 + ROW * (nth / 3) as f64;
            let column = LEFT + 150.0 * (nth % 3) as f64;
            let _ = write!(
                inside,
                "<polyline points=\"{}\" {style} /><line x1={column:.0} y1={1:.0} x2={2:.0} y2={1:.0} {style} />\
                 <text x={3:.0} y={4:.0}>{5}</text>",
                points.join(" "),
                row - 4.0,
                column + 20.0,
                column + 25.0,
                row,
                escaped(name)
            );
        }
        self.frame(bottom + 46.0 + ROW * lines.len().div_ceil(3) as f64, &inside)
    }

    fn bars(&self, unit: &str, bars: &[(String, f64)]) -> String {
        // Widths of names and bars in pixels. Guesses.
        const NAMES: f64 = 190.0;
        const LENGTH: f64 = 260.0;
        let most = bars.iter().map(|bar| bar.1).filter(|v| v.is_finite()).fold(0.0, f64::max);
        let axis = Axis::to(most);
        let mut inside = String::new();
        for (nth, (name, value)) in bars.iter().enumerate() {
            let y = TOP + ROW * nth as f64;
            let length = axis.share(*value) * LENGTH;
            let _ = write!(
                inside,
                "<text x={:.0} y={1:.0} text-anchor=end>{2}</text>\
                 <rect class=bar x={NAMES:.0} y={3:.0} width={length:.1} height=12 />\
                 <text x={4:.0} y={1:.0}>{5}</text>",
                NAMES - 6.0,
                y + 11.0,
                escaped(name),
                y + 1.0,
                NAMES + length + 4.0,
                short(*value)
            );
        }
        let end = TOP + ROW * bars.len() as f64 + 14.0;
        let _ = write!(inside, "<text x={NAMES:.0} y={end:.0}>{}</text>", escaped(unit));
        self.frame(end + 8.0, &inside)
    }
}

fn style(nth: usize) -> String {
    let dash = if nth >= COLOURS.len() { " stroke-dasharray=\"5 3\"" } else { "" };
    format!("fill=none stroke={} stroke-width=2{dash}", COLOURS[nth % COLOURS.len()])
}

fn grid(right: &Axis, top: &Axis, bottom: f64) -> String {
    let mut grid = String::new();
    for mark in top.marks() {
        let y = bottom - top.share(mark) * HEIGHT;
        let _ = write!(
            grid,
            "<line class=grid x1={LEFT} y1={y:.1} x2={:.0} y2={y:.1} /><text x={:.0} y={:.1} text-anchor=end>{}</text>",
            LEFT + WIDTH,
            LEFT - 5.0,
            y + 4.0,
            short(mark)
        );
    }
    for mark in right.marks() {
        let x = LEFT + right.share(mark) * WIDTH;
        let _ = write!(
            grid,
            "<line class=grid x1={x:.1} y1={bottom:.0} x2={x:.1} y2={:.0} /><text x={x:.1} y={:.0} text-anchor=middle>{}</text>",
            bottom + 4.0,
            bottom + 17.0,
            short(mark)
        );
    }
    grid
}

/// Drops points that would fall on the same pixel.
fn thinned(points: &[(f64, f64)]) -> impl Iterator<Item = &(f64, f64)> {
    let step = points.len().div_ceil(120).max(1);
    let last = points.len().saturating_sub(1);
    points.iter().enumerate().filter(move |(at, _)| at % step == 0 || *at == last).map(|(_, point)| point)
}

/// An axis from zero to a round number.
struct Axis {
    end: f64,
    step: f64,
}

impl Axis {
    fn to(most: f64) -> Axis {
        if !(most.is_finite() && most > 0.0) {
            return Axis { end: 1.0, step: 1.0 };
        }
        let power = 10f64.powf((most / 5.0).log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|n| n * power).into_iter().find(|step| step * 5.0 >= most);
        let step = step.unwrap_or(10.0 * power);
        Axis { end: (most / step).ceil() * step, step }
    }

    fn share(&self, value: f64) -> f64 {
        if value.is_finite() { (value / self.end).clamp(0.0, 1.0) } else { 0.0 }
    }

    fn marks(&self) -> impl Iterator<Item = f64> {
        let (step, count) = (self.step, (self.end / self.step).round() as u32);
        (0..=count).map(move |n| f64::from(n) * step)
    }
}

/// Short form of a number, such as 12k.
pub fn short(value: f64) -> String {
    match value {
        v if !v.is_finite() => "-".into(),
        v if v != 0.0 && v.abs() < 10.0 && v.fract() != 0.0 => format!("{v:.2}"),
        v if v.abs() >= 10_000.0 => format!("{}k", (v / 100.0).round() / 10.0),
        v => format!("{}", v.round()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_end_at_round_numbers() {
        let marks = |most| Axis::to(most).marks().collect::<Vec<f64>>();
        assert_eq!(marks(430.0), [0.0, 100.0, 200.0, 300.0, 400.0, 500.0]);
        assert_eq!(marks(7.0), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!(marks(0.0), [0.0, 1.0]);
        assert_eq!(marks(f64::NAN), [0.0, 1.0]);
    }

    #[test]
    fn lines_have_axes_units_and_a_legend_and_names_are_never_markup() {
        let lines = vec![("<b>".to_string(), vec![(0.0, 0.0), (10.0, 5.0)])];
        let shape = Shape::Lines { x: "requests".into(), y: "forms".into(), lines };
        let svg = Chart { title: "book".into(), shape }.svg();
        assert!(svg.contains("&lt;b&gt;") && !svg.contains("<b>"));
        assert!(
            svg.contains(">requests<") && svg.contains(">forms<") && svg.contains("62.0,292.0 522.0,42.0")
        );
    }

    #[test]
    fn the_longest_bar_is_no_longer_than_the_axis_and_nothing_is_a_bar_too() {
        let bars = vec![("a".to_string(), 40.0), ("b".to_string(), 0.0), ("c".to_string(), f64::NAN)];
        let svg = Chart { title: "t".into(), shape: Shape::Bars { unit: "forms".into(), bars } }.svg();
        assert!(svg.contains("width=260.0") && svg.contains("width=0.0") && svg.contains(">-<"));
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!([0.0, 1.5, 42.0, 9999.0, 12_345.0].map(short), ["0", "1.50", "42", "9999", "12.3k"]);
    }

    #[test]
    fn long_lines_keep_their_ends() {
        let points: Vec<(f64, f64)> = (0..1000).map(|n| (f64::from(n), 0.0)).collect();
        let kept: Vec<_> = thinned(&points).collect();
        assert!(kept.len() <= 122 && kept[0].0 == 0.0 && kept[kept.len() - 1].0 == 999.0);
    }
}
