//! Used cars behind forms without a box for words: how many queries it takes to get them all.

#![allow(clippy::unwrap_used, reason = "tests stop at the first surprise")]

use hadal_core::harvest::policy::{Asked, Briefing, Costs, End, Hit, Policy, Total};
use hadal_core::harvest::query::Query;
use hadal_core::harvest::record::RecordId;
use hadal_core::harvest::structured::choose_policy;
use hadal_core::html;
use hadal_core::page::Form;
use std::collections::BTreeSet;
use std::fmt::Write;
use url::Url;

const CARS: usize = 20_000;
const CAP: usize = 100;
const PAGE: usize = 20;
const MAKES: usize = 20;
const MODELS: usize = 200;
const STEPS: [u32; 15] = [
    500, 1_000, 1_500, 2_000, 3_000, 4_000, 5_000, 7_500, 10_000, 12_500, 15_000, 20_000, 25_000, 30_000,
    40_000,
];

#[derive(Clone)]
struct Car {
    make: String,
    model: String,
    price: u32,
    year: u32,
    text: String,
    fields: Vec<(String, String)>,
}

/// Numbers in a fixed disorder.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Small numbers often, large ones seldom.
    fn tail(&mut self, most: usize) -> usize {
        ((most as f64 + 1.0).powf(self.roll()) - 1.0) as usize
    }
}

fn cars() -> Vec<Car> {
    let mut dice = Dice(7);
    let car = |_| {
        let make = dice.tail(MAKES);
        let model = make * MODELS / MAKES + dice.tail(MODELS / MAKES);
        let age = (dice.roll() * dice.roll() * 24.0) as u32;
        let new = 6_000.0 + 3_000.0 * (model % 7) as f64 + 12_000.0 * dice.roll();
        let price = (new * 0.86f64.powi(age as i32) / 5.0) as u32 * 5;
        let (make, model) = (format!("Make{make}x"), format!("Model{model}x"));
        let (price, year) = (price.clamp(100, 60_000), 2025 - age);
        let mileage = age * 9_000 + (dice.roll() * 9_000.0) as u32;
        let text = format!("{make} {model} of {year}, {mileage} miles, £{price}");
        let fields = vec![("Price".to_string(), format!("£{price}"))];
        Car { make, model, price, year, text, fields }
    };
    (0..CARS).map(car).collect()
}

/// A database behind a form: what it says about the number of matches, and in which order it shows them.
struct Dealer {
    cars: Vec<Car>,
    form: Form,
    cap: usize,
    tells_total: bool,
    cheapest_first: bool,
}

impl Dealer {
    fn new(controls: &str) -> Dealer {
        let html = format!("<form action=/find>{controls}<button>Search</button></form>");
        let url = Url::parse("http://cars.example/").unwrap();
        let form = html::parse(html.as_bytes(), None, &url).forms.remove(0);
        Dealer { cars: cars(), form, cap: CAP, tells_total: true, cheapest_first: false }
    }

    fn answer(&self, query: &Query) -> (Vec<usize>, usize) {
        assert_eq!(query.words, "");
        let given = |name: &str| {
            let position = self.form.fields.iter().position(|field| field.name == name)?;
            let choice = query.choices.iter().find(|(at, _)| *at == position)?;
            Some(choice.1.as_str()).filter(|value| !value.is_empty())
        };
        let number = |name: &str| given(name).map(|value| value.parse::<u32>().unwrap());
        let (low, high) = (number("price_from"), number("price_to"));
        let fits = |car: &Car| {
            given("make").is_none_or(|make| make == car.make)
                && given("model").is_none_or(|model| model == car.model)
                && number("year").is_none_or(|year| year == car.year)
                && low.is_none_or(|low| low <= car.price)
                && high.is_none_or(|high| car.price <= high)
        };
        let mut found: Vec<usize> = (0..self.cars.len()).filter(|at| fits(&self.cars[*at])).collect();
        if self.cheapest_first {
            found.sort_by_key(|at| self.cars[*at].price);
        }
        let total = found.len();
        found.truncate(self.cap);
        (found, total)
    }
}

/// How far a harvest came: queries to 95 % of what is wanted, all queries, cars found.
#[derive(Debug)]
struct Course {
    to_most: Option<usize>,
    queries: usize,
    requests: usize,
    found: usize,
}

fn harvest(dealer: &Dealer, wanted: usize, most: usize) -> Course {
    let mut policy: Box<dyn Policy> =
        choose_policy(&dealer.form, "hadal", &Briefing::default()).expect("the usual policy exists");
    let costs = Costs { query: 1.0, page: 1.0, detail: 0.0, page_size: PAGE as u32, cap: None };
    let (mut found, mut asked) = (BTreeSet::new(), BTreeSet::new());
    let mut course = Course { to_most: None, queries: 0, requests: 0, found: 0 };
    while let Some(query) = policy.choose(&costs).filter(|_| course.queries < most) {
        assert_eq!(
            policy.choose(&costs).as_ref(),
            Some(&query),
            "a choice stands until something is learned"
        );
        assert!(asked.insert(query.clone()), "asked twice: {query:?}");
        let (shown, total) = dealer.answer(&query);
        let hits: Vec<Hit<'_>> =
            shown.iter().map(|at| hit(&dealer.cars[*at], *at, found.insert(*at))).collect();
        let total = dealer.tells_total.then_some(Total::Exactly(total as u64));
        let pages = hits.len().div_ceil(PAGE).max(1) as u32;
        policy.learn(&Asked { query: &query, hits: &hits, total, pages, end: End::Last });
        course.queries += 1;
        course.requests += pages as usize;
        if course.to_most.is_none() && found.len() * 100 >= wanted * 95 {
            course.to_most = Some(course.queries);
        }
    }
    course.found = found.len();
    course
}

fn hit(car: &Car, at: usize, is_new: bool) -> Hit<'_> {
    Hit { id: RecordId(at as u64 + 1), is_new, title: &car.model, text: &car.text, fields: &car.fields }
}

fn select(name: &str, values: impl Iterator<Item = String>) -> String {
    let mut html = format!("<select name={name}><option value=''>Any {name}");
    values.for_each(|value| write!(html, "<option>{value}").unwrap());
    html + "</select>"
}

fn makes() -> String {
    select("make", (0..MAKES).map(|nth| format!("Make{nth}x")))
}

fn models() -> String {
    select("model", (0..MODELS).map(|nth| format!("Model{nth}x")))
}

fn prices() -> String {
    ["price_from", "price_to"].map(|name| select(name, STEPS.iter().map(u32::to_string))).concat()
}

fn years() -> String {
    select("year", (2000..=2025).rev().map(|year| year.to_string()))
}

/// What can be had at all when these are the finest slices.
fn reachable(cars: &[Car], cell: impl Fn(&Car) -> String) -> usize {
    let mut cells = std::collections::BTreeMap::new();
    cars.iter().for_each(|car| *cells.entry(cell(car)).or_insert(0) += 1);
    cells.values().map(|count: &usize| (*count).min(CAP)).sum()
}

fn step(price: u32) -> usize {
    STEPS.iter().filter(|step| **step < price).count()
}

/// Queries in units of the fewest that could do: cars over cap.
fn effort(course: &Course) -> f64 {
    println!("{course:?}");
    course.to_most.map_or(f64::INFINITY, |queries| queries as f64 / (CARS / CAP) as f64)
}

#[test]
fn makes_models_and_price_steps_bring_up_nearly_all_within_five_times_the_fewest_queries() {
    let dealer = Dealer::new(&(makes() + &models() + &prices()));
    let course = harvest(&dealer, CARS, 2_000);
    assert!(effort(&course) <= 5.0, "{course:?}");
}

#[test]
fn makes_and_price_steps_bring_up_what_their_slices_can_show() {
    let dealer = Dealer::new(&(makes() + &prices()));
    let wanted = reachable(&dealer.cars, |car| format!("{} {}", car.make, step(car.price)));
    let course = harvest(&dealer, wanted, 2_000);
    println!("reachable {wanted}");
    assert!(effort(&course) <= 5.0, "{course:?} of {wanted}");
}

#[test]
fn two_boxes_for_a_price_are_enough() {
    let dealer = Dealer::new("Price <input name=price_from> <input name=price_to>");
    let wanted = reachable(&dealer.cars, |car| car.price.to_string());
    let course = harvest(&dealer, wanted, 2_000);
    println!("reachable {wanted}");
    assert!(effort(&course) <= 5.0, "{course:?}");
}

#[test]
fn boxes_are_enough_without_a_total_and_without_a_price_on_record() {
    let mut dealer = Dealer::new("Price <input name=price_from> <input name=price_to>");
    dealer.tells_total = false;
    let course = harvest(&dealer, CARS, 2_000);
    assert!(effort(&course) <= 5.0, "{course:?}");
    for car in &mut dealer.cars {
        (car.text, car.fields) = (format!("{} {}", car.make, car.model), Vec::new());
    }
    let course = harvest(&dealer, CARS, 2_000);
    assert!(effort(&course) <= 7.0, "{course:?}");
}

#[test]
fn answers_in_order_of_price_are_gone_on_with() {
    let mut dealer = Dealer::new("Price <input name=price_from> <input name=price_to>");
    dealer.cheapest_first = true;
    let course = harvest(&dealer, CARS, 2_000);
    assert!(effort(&course) <= 1.5, "{course:?}");
}

#[test]
fn makes_and_years_bring_up_what_their_slices_can_show() {
    let dealer = Dealer::new(&(makes() + &years()));
    let wanted = reachable(&dealer.cars, |car| format!("{} {}", car.make, car.year));
    let course = harvest(&dealer, wanted, 2_000);
    println!("reachable {wanted}");
    assert!(effort(&course) <= 5.0, "{course:?} of {wanted}");
}

#[test]
fn without_a_cap_the_form_as_it_stands_is_enough() {
    let mut dealer = Dealer::new(&(makes() + &models()));
    dealer.cap = usize::MAX;
    // A round number might be a cap.
    dealer.cars.truncate(CARS - 7);
    let course = harvest(&dealer, CARS, 2_000);
    assert_eq!((course.queries, course.found), (1, CARS - 7));
    dealer.tells_total = false;
    let course = harvest(&dealer, CARS, 2_000);
    assert_eq!(course.found, CARS - 7);
    assert!(course.queries <= 10, "{course:?}");
}
