//! Properties of learners for any rows: models survive storage, the order of columns does not matter, calibration keeps
//! the order of scores.

use hadal_core::learn::bayes::NaiveBayes;
use hadal_core::learn::logistic::{Logistic, LogisticOptions};
use hadal_core::learn::metrics::{calibration_error, roc_auc};
use hadal_core::learn::online::OnlineLogistic;
use hadal_core::learn::platt::PlattScaling;
use hadal_core::learn::resampling;
use hadal_core::learn::softmax::Softmax;
use hadal_core::learn::sparse::SparseRow;
use hadal_core::learn::svm::{LinearSvm, SvmOptions};
use hadal_core::learn::tree::{DecisionTree, TreeOptions};
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;

const COLUMNS: usize = 6;

/// Dense rows of small numbers with a class each, from 0 to 2.
fn rows() -> impl Strategy<Value = (Vec<Vec<f32>>, Vec<usize>)> {
    let value = prop_oneof![4 => (-4i8..=4).prop_map(f32::from), 1 => any::<f32>()];
    let row = (prop::collection::vec(value, COLUMNS), 0usize..3);
    prop::collection::vec(row, 0..40).prop_map(|rows| rows.into_iter().unzip())
}

fn sparse(row: &[f32]) -> SparseRow {
    let small = row.iter().map(|value| value.clamp(-100.0, 100.0));
    SparseRow::new(small.enumerate().map(|(index, value)| (index as u32 * 17, value)).collect())
}

fn labels(classes: &[usize]) -> Vec<bool> {
    classes.iter().map(|&class| class == 1).collect()
}

fn stored<T: Serialize + DeserializeOwned>(model: &T) -> T {
    postcard::from_bytes(&postcard::to_stdvec(model).unwrap()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn linear_models_survive_storage_and_stay_finite((rows, classes) in rows()) {
        let rows: Vec<SparseRow> = rows.iter().map(|row| sparse(row)).collect();
        let labels = labels(&classes);
        let svm = LinearSvm::train(&rows, &labels, None, &SvmOptions::default());
        let logistic = Logistic::train(&rows, &labels, None, &LogisticOptions::default());
        let softmax = Softmax::train(&rows, &classes, 3, None, &LogisticOptions::default());
        let bayes = NaiveBayes::train(&rows, &classes, 3, 1.0);
        let mut online = OnlineLogistic::new(6, 0.1, 0.01);
        rows.iter().zip(&labels).for_each(|(row, &label)| online.learn(row, label, 1.0));
        for row in &rows {
            prop_assert_eq!(stored(&svm).margin(row), svm.margin(row));
            prop_assert_eq!(stored(&logistic).margin(row), logistic.margin(row));
            prop_assert_eq!(stored(&online).probability(row), online.probability(row));
            prop_assert_eq!(stored(&softmax).probabilities(row), softmax.probabilities(row));
            prop_assert_eq!(stored(&bayes).posterior(row), bayes.posterior(row));
            prop_assert!(svm.margin(row).is_finite() && logistic.margin(row).is_finite());
            prop_assert!((0.0..=1.0).contains(&online.probability(row)));
            for shares in [softmax.probabilities(row), bayes.posterior(row)] {
                prop_assert!((shares.iter().sum::<f32>() - 1.0).abs() < 1e-4, "{:?}", shares);
            }
        }
    }

    #[test]
    fn trees_survive_storage((rows, classes) in rows()) {
        let tree = DecisionTree::train(&rows, &classes, 3, &TreeOptions::default());
        for row in &rows {
            prop_assert_eq!(stored(&tree).distribution(row), tree.distribution(row));
        }
        prop_assert_eq!(tree.describe(&[]).lines().count(), tree.size().max(2) - 1);
    }

    #[test]
    fn damaged_models_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), (rows, _) in rows()) {
        let tree: Option<DecisionTree> = postcard::from_bytes(&bytes).ok();
        let softmax: Option<Softmax> = postcard::from_bytes(&bytes).ok();
        let bayes: Option<NaiveBayes> = postcard::from_bytes(&bytes).ok();
        let online: Option<OnlineLogistic> = postcard::from_bytes(&bytes).ok();
        for row in &rows {
            tree.iter().for_each(|tree| { tree.classify(row); tree.describe(&[]); });
            softmax.iter().for_each(|model| { model.probabilities(&sparse(row)); });
            bayes.iter().for_each(|model| { model.posterior(&sparse(row)); });
            online.iter().for_each(|model| { model.probability(&sparse(row)); });
        }
    }

    #[test]
    fn linear_models_do_not_depend_on_the_order_of_columns((rows, classes) in rows()) {
        let plain: Vec<SparseRow> = rows.iter().map(|row| sparse(row)).collect();
        let turned: Vec<SparseRow> = rows.iter().map(|row| sparse(&row.iter().rev().copied().collect::<Vec<_>>())).collect();
        let exact = LogisticOptions { tolerance: 1e-10, epochs: 5000, ..LogisticOptions::default() };
        let train = |rows: &[SparseRow]| Softmax::train(rows, &classes, 3, None, &exact);
        let (one, other) = (train(&plain), train(&turned));
        for (row, turned) in plain.iter().zip(&turned) {
            let pairs = one.probabilities(row).into_iter().zip(other.probabilities(turned));
            for (a, b) in pairs {
                prop_assert!((a - b).abs() < 1e-3, "{a} {b}");
            }
        }
    }

    #[test]
    fn trees_do_not_depend_on_the_scale_of_columns((rows, classes) in rows()) {
        let stretched: Vec<Vec<f32>> =
            rows.iter().map(|row| row.iter().map(|value| value.clamp(-1e9, 1e9) * 8.0).collect()).collect();
        let bounded: Vec<Vec<f32>> =
            rows.iter().map(|row| row.iter().map(|value| value.clamp(-1e9, 1e9)).collect()).collect();
        let train = |rows: &[Vec<f32>]| DecisionTree::train(rows, &classes, 3, &TreeOptions::default());
        let (one, other) = (train(&bounded), train(&stretched));
        for (row, stretched) in bounded.iter().zip(&stretched) {
            prop_assert_eq!(one.classify(row), other.classify(stretched));
        }
    }

    #[test]
    fn a_rising_sigmoid_keeps_the_roc_area(seen in prop::collection::vec((-50i8..50, any::<bool>()), 2..60)) {
        let (margins, labels): (Vec<f32>, Vec<bool>) =
            seen.into_iter().map(|(margin, label)| (f32::from(margin) / 10.0, label)).unzip();
        let fitted = PlattScaling::fit(&margins, &labels);
        let probabilities: Vec<f32> = margins.iter().map(|&margin| fitted.probability(margin)).collect();
        prop_assert!(probabilities.iter().all(|p| (0.0..=1.0).contains(p)));
        let (before, after) = (roc_auc(&margins, &labels), roc_auc(&probabilities, &labels));
        prop_assert!(fitted.slope < 0.01 || before.is_nan() || (before - after).abs() < 1e-9);
        prop_assert!((0.0..=1.0).contains(&calibration_error(&probabilities, &labels, 10)));
    }

    #[test]
    fn folds_keep_groups_together_and_differ_by_at_most_the_largest(
        groups in prop::collection::vec(0u8..12, 1..80), k in 1usize..6, seed in any::<u64>(),
    ) {
        let folds = resampling::grouped_folds(&groups, k, seed);
        for (at, group) in groups.iter().enumerate() {
            let first = groups.iter().position(|other| other == group).unwrap();
            prop_assert_eq!(folds[at], folds[first]);
        }
        let size = |fold| folds.iter().filter(|&&of| of == fold).count();
        let largest = (0..12).map(|group| groups.iter().filter(|&&of| of == group).count()).max().unwrap();
        let sizes: Vec<usize> = (0..k).map(size).collect();
        prop_assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= largest);
    }
}
