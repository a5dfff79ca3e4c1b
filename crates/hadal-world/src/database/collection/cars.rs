//! Generated used cars: records that consist mostly of columns.

use super::{Collection, Record};
use crate::random::{SeededRng, mix};

/// Invented makes, most frequent first, with the price of a new car.
const MAKES: [(&str, f64); 12] = [
    ("Orsino", 16_000.0),
    ("Vantor", 19_000.0),
    ("Belmar", 14_500.0),
    ("Kestrel", 33_000.0),
    ("Aurig", 36_000.0),
    ("Tolva", 24_000.0),
    ("Sorrel", 12_000.0),
    ("Mirador", 21_000.0),
    ("Hanwell", 27_000.0),
    ("Ixion", 45_000.0),
    ("Ferrano", 88_000.0),
    ("Dustan", 9_500.0),
];
const SERIES: [&str; 10] =
    ["Uno", "Lyra", "Corsa Nova", "GT", "Estate", "City", "Alto", "Quest", "Prime", "Zeta"];
const FUELS: [&str; 4] = ["Petrol", "Diesel", "Hybrid", "Electric"];
const GEARS: [&str; 3] = ["Manual", "Automatic", "Semi-Auto"];

/// Generates used cars with the columns make, model, year, price, mileage, fuel and gears.
pub fn generate_cars(seed: u64, records: u32) -> Collection {
    let mut collection = Collection::default();
    for number in 0..records {
        add(&mut collection, number, &mut SeededRng::new(mix(seed, 0xca5), u64::from(number)));
    }
    collection
}

fn add(collection: &mut Collection, number: u32, rng: &mut SeededRng) {
    let weights: Vec<f64> = (0..MAKES.len()).map(|rank| 1.0 / (rank as f64 + 1.5)).collect();
    let (make, new_price) = MAKES[rng.weighted(&weights)];
    let rank = rng.weighted(&[8.0, 6.0, 4.0, 3.0, 2.0, 1.5, 1.0, 0.6, 0.3, 0.1]);
    let model = format!("{} {}", &make[..1], SERIES[rank]);
    let age = (rng.unit().powi(2) * 18.0) as u32;
    let year = (2026 - age).to_string();
    let worth = new_price * (0.8 + 0.08 * rank as f64) * 0.86f64.powi(age as i32) * (0.8 + 0.4 * rng.unit());
    // Prices are round, or slightly below a round number.
    let price = ((worth / 100.0).round() * 100.0 - rng.pick(&[0.0, 0.0, 1.0, 5.0, 10.0, 50.0])).max(250.0);
    let price = (price as u32).to_string();
    let mileage = (f64::from(age) * 9_000.0 * (0.4 + 1.2 * rng.unit()) + 3_000.0 * rng.unit()) as u32;
    let mileage = mileage.to_string();
    let (fuel, gears) = (FUELS[rng.weighted(&[6.0, 4.0, 1.0, 0.7])], GEARS[rng.weighted(&[6.0, 3.0, 2.0])]);
    let (id, title) = (format!("c{number:06}"), format!("{year} {make} {model}"));
    let text = format!("{title}, {gears}, {mileage} miles, {fuel}, asking {price}");
    let fields = [
        ("make", make),
        ("model", &model),
        ("year", &year),
        ("price", &price),
        ("mileage", &mileage),
        ("fuel", fuel),
        ("gears", gears),
    ];
    collection.push(Record { id: &id, title: &title, text: &text }, fields);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cars_have_numeric_columns_and_unequal_makes() {
        let cars = generate_cars(1, 2_000);
        assert_eq!(cars.len(), 2_000);
        for name in ["year", "price", "mileage"] {
            assert!(cars.column(name).unwrap().1.is_numeric(), "{name}");
        }
        let (_, makes) = cars.column("make").unwrap();
        let counts = makes.counts();
        assert_eq!(makes.values().len(), 12);
        assert!(counts.iter().max() > counts.iter().min().map(|least| least * 4).as_ref());
    }
}
