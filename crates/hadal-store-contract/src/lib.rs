//! Tests that every back end of [`hadal::store`] passes.
//!
//! A back end implements [`CrawlStore`](hadal::store::CrawlStore), [`HarvestStore`](hadal::store::HarvestStore) and
//! [`Catalogue`](hadal::store::Catalogue). Each fact about these traits is one function that takes an empty store and
//! panics if the fact does not hold. [`contract_tests!`] turns all of them into tests of the calling crate:
//!
//! ```
//! mod in_memory {
//!     use hadal::store::Store;
//!     use hadal::store::memory::MemoryStore;
//!
//!     /// Calls one fact with an empty store of the back end.
//!     fn with_store(fact: fn(&dyn Store)) {
//!         fact(&MemoryStore::default());
//!     }
//!
//!     hadal_store_contract::contract_tests!(with_store);
//! }
//! ```
//!
//! [`FACTS`] lists the same facts by name, for a harness of one's own. [`fixture`] and [`harvest_fixture`] build small
//! runs and harvests for further tests. [`cluster`] starts a private PostgreSQL server.
#![allow(clippy::unwrap_used, reason = "a fact that does not hold panics")]

pub mod backlinks;
pub mod catalogue;
pub mod cluster;
pub mod fixture;
pub mod frontier;
pub mod harvest_fixture;
pub mod harvest_lists;
pub mod harvest_steps;
pub mod outcomes;
pub mod reports;
pub mod submissions;

use hadal::store::Store;

/// Defines [`FACTS`] and [`contract_tests!`] from one list. The first argument is a dollar sign, for the macro that it
/// defines.
macro_rules! facts {
    (($d:tt) $($area:ident :: $fact:ident),* $(,)?) => {
        /// All facts with their names.
        pub const FACTS: &[(&str, fn(&dyn Store))] = &[$((stringify!($fact), $area::$fact)),*];

        /// Defines one test per fact. The argument is a function that calls a fact with an empty store.
        #[macro_export]
        macro_rules! contract_tests {
            ($d with_store:path) => {
                $(#[test]
                fn $fact() {
                    $d with_store($crate::$area::$fact)
                })*
            };
        }
    };
}

facts!(
    ($)
    backlinks::a_citing_page_on_another_site_is_a_backlink,
    backlinks::the_root_of_a_site_selects_links_to_all_its_pages,
    backlinks::the_page_of_the_first_find_is_a_backlink,
    backlinks::backlinks_of_earlier_runs_with_the_same_source_count,
    backlinks::the_number_of_citing_pages_per_url_is_limited,
    backlinks::citations_of_an_outcome_applied_twice_are_kept_once,
    catalogue::runs_are_paged_newest_first,
    catalogue::a_curve_holds_the_counters_by_number_of_requests,
    catalogue::a_long_curve_has_few_points,
    catalogue::queue_lengths_count_waiting_links,
    catalogue::pages_are_listed_newest_first_with_their_parents,
    catalogue::forms_are_paged_by_relevance,
    catalogue::forms_are_selected_by_each_attribute,
    catalogue::a_form_of_two_runs_is_one_entry,
    catalogue::after_the_first_run_is_discarded_the_next_one_is_first,
    catalogue::forms_are_found_by_the_first_digits_of_their_ids,
    catalogue::labels_are_kept_and_replaced,
    catalogue::harvests_are_paged_with_their_curves,
    catalogue::questions_are_logged_before_their_result,
    frontier::the_same_specification_is_the_same_run,
    frontier::every_part_of_a_specification_distinguishes_runs,
    frontier::a_link_is_read_as_it_was_written,
    frontier::links_of_a_host_are_ordered_by_score_then_arrival,
    frontier::links_of_a_host_can_be_paged,
    frontier::every_score_has_a_rank,
    frontier::a_queue_lists_all_its_hosts_by_rank,
    frontier::a_known_link_is_not_added_again,
    frontier::look_ups_answer_in_the_order_of_the_keys,
    frontier::only_waiting_links_are_replaced,
    frontier::dropped_links_stay_known_and_never_return,
    frontier::closing_a_site_drops_its_links_on_every_host_and_queue,
    frontier::failing_a_host_fails_its_waiting_links,
    frontier::failed_links_can_wait_again_and_others_cannot,
    frontier::runs_do_not_see_each_other,
    frontier::a_discarded_run_leaves_nothing_behind,
    frontier::a_checkpoint_lists_the_queues_by_host,
    frontier::an_unknown_run_is_refused,
    harvest_steps::the_same_harvest_continues_as_first_specified,
    harvest_steps::a_step_is_read_as_it_was_written,
    harvest_steps::a_step_applied_twice_changes_nothing,
    harvest_steps::a_record_stays_as_first_found,
    harvest_steps::a_refresh_updates_known_records,
    harvest_steps::a_query_that_is_sent_again_replaces_its_row,
    harvest_steps::the_text_of_a_detail_page_is_added_later,
    harvest_steps::failures_are_counted_by_kind,
    harvest_steps::an_estimate_stays_until_the_next_one,
    harvest_steps::the_last_progress_of_a_harvest_is_kept,
    harvest_steps::a_harvest_resumes_in_the_middle_of_a_query,
    harvest_steps::a_submission_is_logged_before_its_step_and_completed_by_it,
    harvest_steps::a_discarded_harvest_leaves_its_submissions_and_nothing_else,
    harvest_steps::an_unknown_harvest_is_refused,
    harvest_lists::past_answers_are_listed_by_number,
    harvest_lists::harvests_and_their_rows_are_filtered,
    harvest_lists::records_are_found_by_their_words,
    harvest_lists::queries_are_found_by_their_words,
    harvest_lists::long_lists_of_a_harvest_are_complete,
    harvest_lists::a_list_continues_after_any_row,
    harvest_lists::a_harvest_can_be_changed_between_two_records,
    harvest_lists::hostile_text_is_read_as_it_was_written,
    harvest_lists::records_of_a_harvest_are_paged_and_searched_among_others,
    harvest_lists::control_of_a_harvest_is_kept_until_it_is_discarded,
    outcomes::a_sent_link_is_no_longer_waiting,
    outcomes::failures_are_listed_with_their_reasons,
    outcomes::a_visited_link_can_be_read,
    outcomes::lessons_are_listed_in_order,
    outcomes::only_waiting_links_can_be_sent,
    outcomes::an_outcome_ends_its_step,
    outcomes::an_outcome_applied_twice_counts_once,
    outcomes::an_outcome_with_another_number_is_skipped,
    outcomes::an_outcome_for_another_target_is_skipped,
    outcomes::a_retried_link_returns_with_its_attempts,
    outcomes::a_link_can_return_and_be_sent_in_one_batch,
    outcomes::links_found_can_be_sent_in_the_same_batch,
    outcomes::robots_steps_are_in_flight_without_a_link,
    outcomes::steps_in_flight_are_kept_with_their_links,
    outcomes::every_end_of_a_step_is_counted,
    outcomes::a_host_is_known_after_its_first_answer,
    outcomes::robots_rules_stay_until_the_next_ones,
    outcomes::progress_is_kept_and_a_strategy_is_replaced_by_a_new_one_only,
    outcomes::sites_are_counted_from_their_first_page,
    reports::control_is_the_last_instruction,
    reports::runs_are_listed_oldest_first_with_their_counters,
    reports::a_form_is_read_as_it_was_written,
    reports::the_last_check_of_a_form_is_kept,
    reports::a_form_on_many_pages_is_one_form,
    reports::a_form_twice_on_a_page_counts_once,
    reports::forms_are_known_per_run,
    reports::forms_are_listed_most_relevant_first,
    reports::forms_are_filtered,
    reports::one_form_found_by_two_runs_of_a_topic_is_one_row,
    reports::nan_probabilities_count_as_zero,
    reports::pages_are_listed_in_the_order_of_commits,
    reports::sites_are_listed_most_relevant_first,
    reports::sites_are_filtered,
    reports::long_lists_are_complete,
    reports::the_store_can_be_used_between_two_rows,
    submissions::a_submission_is_logged_when_sent_and_completed_by_its_outcome,
    submissions::submissions_outlive_their_run_and_are_filtered,
    submissions::a_long_log_is_complete,
    submissions::a_link_with_a_probe_is_read_as_it_was_written,
    submissions::a_link_may_continue_on_another_host,
    submissions::closing_a_site_keeps_its_probes,
    submissions::the_complete_form_is_read_on_request_only,
    submissions::a_probe_result_changes_form_site_and_counters_once,
);
