//! Used cars behind forms without a box for words: the number of queries that a structured harvest needs.

use hadal_core::harvest::policy::find_policy;
use hadal_core::harvest::policy::{
    Hit, Policy, PolicyContext, QueryOutcome, ReadingEnd, RequestCosts, StatedTotal,
};
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

/// Pseudo-random numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Number below `most + 1` from a log-uniform distribution: small numbers are frequent.
    fn log_uniform(&mut self, most: usize) -> usize {
        ((most as f64 + 1.0).powf(self.unit()) - 1.0) as usize
    }
}

fn cars() -> Vec<Car> {
    let mut random = Random(7);
    let car = |_| {
        let make = random.log_uniform(MAKES);
        let model = make * MODELS / MAKES + random.log_uniform(MODELS / MAKES);
        let age = (random.unit() * random.unit() * 24.0) as u32;
        let new = 6_000.0 + 3_000.0 * (model % 7) as f64 + 12_000.0 * random.unit();
        let price = (new * 0.86f64.powi(age as i32) / 5.0) as u32 * 5;
        let (make, model) = (format!("Make{make}x"), format!("Model{model}x"));
        let (price, year) = (price.clamp(100, 60_000), 2025 - age);
        let mileage = age * 9_000 + (random.unit() * 9_000.0) as u32;
        let text = format!("{make} {model} of {year}, {mileage} miles, £{price}");
        let fields = vec![("Price".to_string(), format!("£{price}"))];
        Car { make, model, price, year, text, fields }
    };
    (0..CARS).map(car).collect()
}

/// A database behind a form, with settings for totals, order and cap.
struct Dealer {
    cars: Vec<Car>,
    form: Form,
    cap: usize,
    states_total: bool,
    cheapest_first: bool,
    wants_make: bool,
}

impl Dealer {
    fn new(controls: &str) -> Dealer {
        let html = format!("<form action=/find>{controls}<button>Search</button></form>");
        let url = Url::parse("http://cars.example/").unwrap();
        let form = html::parse(html.as_bytes(), None, &url).forms.remove(0);
        Dealer { cars: cars(), form, cap: CAP, states_total: true, cheapest_first: false, wants_make: false }
    }

    /// The same database, with result lists that show no values.
    fn hiding_values(mut self) -> Dealer {
        for car in &mut self.cars {
            (car.text, car.fields) = ("A car".to_string(), Vec::new());
        }
        self
    }

    fn policy(&self) -> Box<dyn Policy> {
        choose_policy(&self.form, &find_policy("hadal").expect("a built-in policy"), &policy_context())
    }

    fn answer(&self, query: &Query) -> (Vec<usize>, usize) {
        let given = |name: &str| {
            let position = self.form.fields.iter().position(|field| field.name == name)?;
            let choice = query.choices.iter().find(|(at, _)| *at == position)?;
            Some(choice.1.as_str()).filter(|value| !value.is_empty())
        };
        let number = |name: &str| given(name).map(|value| value.parse::<u32>().unwrap());
        let (low, high) = (number("price_from"), number("price_to"));
        let has_word =
            |car: &Car| car.text.split([' ', ',']).any(|word| word.eq_ignore_ascii_case(&query.words));
        let fits = |car: &Car| {
            (!self.wants_make || given("make").is_some())
                && (query.words.is_empty() || has_word(car))
                && given("make").is_none_or(|make| make == car.make)
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

/// Result of a harvest: queries until 95 % of the wanted records were found, all queries, cars found.
#[derive(Debug)]
struct Course {
    to_most: Option<usize>,
    queries: usize,
    requests: usize,
    found: usize,
}

fn policy_context() -> PolicyContext {
    PolicyContext { first_words: vec!["miles".to_string()], ..PolicyContext::default() }
}

fn harvest(dealer: &Dealer, wanted: usize, most: usize) -> Course {
    harvest_by(dealer.policy(), dealer, wanted, most)
}

fn harvest_by(mut policy: Box<dyn Policy>, dealer: &Dealer, wanted: usize, most: usize) -> Course {
    let costs = RequestCosts { query: 1.0, page: 1.0, detail: 0.0, page_size: PAGE as u32, cap: None };
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
        let total = dealer.states_total.then_some(StatedTotal::Exactly(total as u64));
        let pages = hits.len().div_ceil(PAGE).max(1) as u32;
        policy.learn(&QueryOutcome { query: &query, hits: &hits, total, pages, end: ReadingEnd::LastPage });
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

/// Number of cars that can be found if the cells are the finest slices.
fn reachable(cars: &[Car], cell: impl Fn(&Car) -> String) -> usize {
    let mut cells = std::collections::BTreeMap::new();
    cars.iter().for_each(|car| *cells.entry(cell(car)).or_insert(0) += 1);
    cells.values().map(|count: &usize| (*count).min(CAP)).sum()
}

fn step(price: u32) -> usize {
    STEPS.iter().filter(|step| **step < price).count()
}

/// Queries in units of the least possible number, cars divided by cap.
fn effort(course: &Course) -> f64 {
    println!("{course:?}");
    course.to_most.map_or(f64::INFINITY, |queries| queries as f64 / (CARS / CAP) as f64)
}

#[test]
fn makes_models_and_price_steps_find_nearly_all_within_five_times_the_fewest_queries() {
    let dealer = Dealer::new(&(makes() + &models() + &prices()));
    let course = harvest(&dealer, CARS, 2_000);
    assert!(effort(&course) <= 5.0, "{course:?}");
}

#[test]
fn makes_and_price_steps_find_all_that_their_slices_can_show() {
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
    dealer.states_total = false;
    let course = harvest(&dealer, CARS, 2_000);
    assert!(effort(&course) <= 5.0, "{course:?}");
    let course = harvest(&dealer.hiding_values(), CARS, 2_000);
    assert!(effort(&course) <= 7.0, "{course:?}");
}

#[test]
fn answers_in_order_of_price_are_continued() {
    let mut dealer = Dealer::new("Price <input name=price_from> <input name=price_to>");
    dealer.cheapest_first = true;
    let course = harvest(&dealer, CARS, 2_000);
    assert!(effort(&course) <= 1.5, "{course:?}");
}

#[test]
fn makes_and_years_find_all_that_their_slices_can_show() {
    let dealer = Dealer::new(&(makes() + &years()));
    let wanted = reachable(&dealer.cars, |car| format!("{} {}", car.make, car.year));
    let course = harvest(&dealer, wanted, 2_000);
    println!("reachable {wanted}");
    assert!(effort(&course) <= 5.0, "{course:?} of {wanted}");
}

#[test]
fn without_a_cap_one_query_is_enough() {
    let mut dealer = Dealer::new(&(makes() + &models()));
    dealer.cap = usize::MAX;
    // A round number could be taken for a cap.
    dealer.cars.truncate(CARS - 7);
    let course = harvest(&dealer, CARS, 2_000);
    assert_eq!((course.queries, course.found), (1, CARS - 7));
    dealer.states_total = false;
    let course = harvest(&dealer, CARS, 2_000);
    assert_eq!(course.found, CARS - 7);
    assert!(course.queries <= 10, "{course:?}");
}

#[test]
fn selects_whose_values_no_record_shows_are_tried_in_turn() {
    let dealer = Dealer::new(&(makes() + &models() + &prices())).hiding_values();
    let course = harvest(&dealer, CARS, 2_000);
    assert!(effort(&course) <= 10.0, "{course:?}");
}

#[test]
fn inputs_that_the_server_ignores_cost_a_few_queries() {
    let colours = select("colour", (0..30).map(|nth| format!("Shade{nth}")));
    let extras = "<input type=checkbox name=extra value=a>A<input type=checkbox name=extra value=b>B";
    let dealer = Dealer::new(&format!("{colours}{extras}<input name=price_from><input name=price_to>"));
    let course = harvest(&dealer, CARS, 2_000);
    assert!(effort(&course) <= 2.0, "{course:?}");
}

#[test]
fn a_form_that_answers_nothing_without_a_choice_is_given_one() {
    let mut dealer = Dealer::new(&(years() + &makes()));
    dealer.wants_make = true;
    let wanted = reachable(&dealer.cars, |car| format!("{} {}", car.make, car.year));
    let course = harvest(&dealer, wanted, 2_000);
    assert!(effort(&course) <= 5.0, "{course:?} of {wanted}");
}

#[test]
fn choices_that_cannot_be_left_open_are_all_taken() {
    let mut dealer = Dealer::new(&years().replace("<option value=''>Any year", ""));
    dealer.cap = usize::MAX;
    let all: BTreeSet<String> =
        dealer.form.fields[0].options.iter().map(|choice| choice.value.clone()).collect();
    let (mut policy, mut asked) = (dealer.policy(), BTreeSet::new());
    let costs = RequestCosts { query: 1.0, page: 1.0, detail: 0.0, page_size: PAGE as u32, cap: None };
    while let Some(mut query) = policy.choose(&costs) {
        asked.extend(query.choices.first().map(|(_, year)| year.clone()));
        // An input that is not bound submits its default.
        query.choices.push((0, "2025".to_string()));
        let shown = dealer.answer(&query).0;
        query.choices.pop();
        let hits: Vec<Hit<'_>> = shown.iter().map(|at| hit(&dealer.cars[*at], *at, true)).collect();
        policy.learn(&QueryOutcome {
            query: &query,
            hits: &hits,
            total: None,
            pages: 1,
            end: ReadingEnd::LastPage,
        });
    }
    assert_eq!(asked, all);
}

#[test]
fn answers_at_random_do_no_harm() {
    let controls = makes()
        + &years()
        + "<input name=price_from><input name=price_to><input name=city><input type=radio name=r value=1>";
    let dealer = Dealer::new(&controls);
    let costs = RequestCosts { query: 1.0, page: 1.0, detail: 0.0, page_size: PAGE as u32, cap: None };
    for seed in 0..6 {
        let (mut random, mut policy, mut asked) = (Random(seed), dealer.policy(), BTreeSet::new());
        while let Some(query) = policy.choose(&costs).filter(|_| asked.len() < 400) {
            let shown = (random.unit() * random.unit() * 150.0) as usize;
            let fields = [
                ("city".to_string(), format!("{:e}", random.unit())),
                ("price".to_string(), "9".repeat(500)),
            ];
            let hits: Vec<Hit<'_>> = (0..shown)
                .map(|_| {
                    let (id, is_new) = (RecordId((random.unit() * 500.0) as u64), random.unit() < 0.5);
                    Hit {
                        id,
                        is_new,
                        title: "\u{0}",
                        text: "£-5 £1e9 2017 \u{fffd}",
                        fields: &fields[..random.log_uniform(3).min(2)],
                    }
                })
                .collect();
            let total = [
                None,
                Some(StatedTotal::Exactly(u64::MAX)),
                Some(StatedTotal::About(0)),
                Some(StatedTotal::Exactly(3)),
            ][random.log_uniform(4)];
            let end = [ReadingEnd::LastPage, ReadingEnd::Paused, ReadingEnd::Failed][random.log_uniform(3)];
            policy.learn(&QueryOutcome { query: &query, hits: &hits, total, pages: 1, end });
            asked.insert(query);
        }
        assert!(!asked.is_empty());
    }
}
