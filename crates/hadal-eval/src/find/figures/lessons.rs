//! Lessons by iteration (ACHE table 2 and figure 6, SmartCrawler tables 5 and 6, figure 10).

use super::comparison::FindComparison;
use hadal::output::sections::{Section, headings};
use hadal::store::LessonRow;
use hadal_core::strategy::SelectedFeatures;

/// Terms shown per selection. Choice of the report.
const TERMS: usize = 8;

/// Lessons of one topic on the first web, up to four per model.
pub fn section(all: FindComparison<'_>) -> Option<Section> {
    let topic = all.model_topic()?;
    let mut rows = Vec::new();
    for strategy in all.strategies() {
        let Some(trial) = all.of(topic, strategy).next() else { continue };
        for row in few(&trial.lessons) {
            for selected in &row.lesson.selected {
                rows.push(vec![
                    strategy.to_string(),
                    row.lesson.model.clone(),
                    row.lesson.iteration.to_string(),
                    row.at_page.to_string(),
                    row.lesson.examples.to_string(),
                    place(selected),
                    terms(selected),
                ]);
            }
        }
    }
    (!rows.is_empty()).then(|| Section {
        title: format!("Features learned: {topic}"),
        note: "First, second, middle and last lesson of each model: stems with the number of examples that have them."
            .into(),
        headings: headings(&["strategy", "model", "iteration", "page", "examples", "where", "terms"]),
        rows,
        ..Section::default()
    })
}

/// First, second, middle and last lesson of each model.
fn few(lessons: &[LessonRow]) -> Vec<&LessonRow> {
    let mut few: Vec<&LessonRow> = Vec::new();
    let mut models: Vec<&str> = lessons.iter().map(|row| row.lesson.model.as_str()).collect();
    models.sort_unstable();
    models.dedup();
    for model in models {
        let of_model: Vec<&LessonRow> = lessons.iter().filter(|row| row.lesson.model == model).collect();
        let mut picked = vec![0, 1, of_model.len() / 2, of_model.len() - 1];
        picked.sort_unstable();
        picked.dedup();
        few.extend(picked.into_iter().filter_map(|at| of_model.get(at)));
    }
    few
}

fn place(selected: &SelectedFeatures) -> String {
    match selected.level {
        Some(level) => format!("{}, level {level}", selected.space),
        None => selected.space.clone(),
    }
}

fn terms(selected: &SelectedFeatures) -> String {
    let shown = selected.terms.iter().take(TERMS).map(|(term, count)| format!("{term} {count}"));
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use hadal_core::strategy::Lesson;

    #[test]
    fn a_few_lessons_of_each_model_are_shown() {
        let lesson = |model: &str, iteration| LessonRow {
            at_request: 0,
            at_page: 0,
            lesson: Lesson { model: model.into(), iteration, examples: 0, selected: Vec::new() },
        };
        let lessons: Vec<LessonRow> =
            (0..9).map(|n| lesson("site", n)).chain([lesson("link", 0), lesson("link", 1)]).collect();
        let shown: Vec<(&str, u32)> =
            few(&lessons).iter().map(|row| (row.lesson.model.as_str(), row.lesson.iteration)).collect();
        assert_eq!(shown, [("link", 0), ("link", 1), ("site", 0), ("site", 1), ("site", 4), ("site", 8)]);
        assert!(few(&[]).is_empty());
    }
}
