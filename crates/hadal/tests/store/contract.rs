//! What every store promises, one function per fact, run for every back end.
//!
//! A new back end is one more module in `contract!`; the facts stay as they are.

macro_rules! contract {
    ($($area:ident :: $fact:ident),* $(,)?) => {
        mod memory {
            use hadal::store::{Access, open};
            $(#[test] fn $fact() {
                crate::$area::$fact(&*open("memory:", Access::Crawl).unwrap());
            })*
        }
        mod file {
            use hadal::store::{Access, open};
            $(#[test] fn $fact() {
                let folder = tempfile::tempdir().unwrap();
                let url = format!("file:{}", folder.path().display());
                crate::$area::$fact(&*open(&url, Access::Crawl).unwrap());
            })*
        }
    };
}

contract!(
    backlinks::a_page_on_another_site_that_cites_an_address_links_to_it,
    backlinks::the_root_of_a_site_stands_for_everything_on_it,
    backlinks::the_page_an_address_was_found_on_links_to_it,
    backlinks::earlier_runs_over_the_same_web_are_remembered,
    backlinks::of_each_address_only_so_many_citing_pages_are_kept,
    backlinks::an_outcome_applied_twice_is_remembered_once,
    catalogue::runs_are_paged_newest_first,
    catalogue::a_curve_tells_what_was_there_after_so_many_requests,
    catalogue::a_long_curve_has_few_points,
    catalogue::lanes_tell_what_waits,
    catalogue::the_latest_pages_come_first_with_what_led_there,
    catalogue::the_directory_is_paged_by_relevance,
    catalogue::the_directory_is_narrowed_down,
    catalogue::a_form_of_two_runs_is_one_in_the_directory,
    catalogue::a_form_whose_first_run_is_discarded_is_that_of_the_next,
    catalogue::what_people_say_of_forms_is_kept,
    catalogue::harvests_are_paged_with_their_curves,
    catalogue::questions_are_on_record_before_they_are_answered,
    frontier::the_same_specification_is_the_same_run,
    frontier::every_part_of_a_specification_tells_runs_apart,
    frontier::a_lead_comes_back_as_it_was_put_in,
    frontier::the_best_lead_of_a_host_comes_first_then_the_older,
    frontier::leads_of_a_host_can_be_paged_through,
    frontier::scores_of_any_kind_have_their_place,
    frontier::a_lane_serves_all_its_hosts_by_rank,
    frontier::a_known_lead_is_not_added_again,
    frontier::known_answers_in_the_order_asked,
    frontier::replacing_moves_only_what_waits,
    frontier::dropped_leads_stay_known_and_never_return,
    frontier::closing_a_site_drops_its_leads_on_every_host_and_lane,
    frontier::failing_a_host_gives_up_what_waits_for_it,
    frontier::runs_do_not_see_each_other,
    frontier::a_discarded_run_leaves_nothing_behind,
    frontier::the_queues_tell_what_waits_where,
    frontier::an_unknown_run_is_refused,
    harvest_steps::the_same_harvest_goes_on_as_it_was_first_specified,
    harvest_steps::a_step_comes_back_as_it_was_put_in,
    harvest_steps::a_step_applied_twice_changes_nothing,
    harvest_steps::a_record_stays_as_it_first_came_up,
    harvest_steps::the_text_of_a_record_s_own_page_comes_later,
    harvest_steps::what_went_wrong_is_counted_by_kind,
    harvest_steps::an_estimate_holds_until_there_is_a_better_one,
    harvest_steps::where_a_harvest_stands_is_what_was_last_noted,
    harvest_steps::a_harvest_goes_on_where_it_was_in_the_middle_of_a_query,
    harvest_steps::a_submission_is_on_record_before_its_step_and_completed_by_it,
    harvest_steps::a_discarded_harvest_leaves_its_submissions_and_nothing_else,
    harvest_steps::an_unknown_harvest_is_refused,
    harvest_lists::the_past_is_told_answer_by_answer,
    harvest_lists::harvests_are_filtered_and_their_rows_with_them,
    harvest_lists::records_are_found_by_their_words,
    harvest_lists::queries_are_found_by_their_words,
    harvest_lists::long_lists_of_a_harvest_miss_nothing,
    harvest_lists::a_list_goes_on_after_any_row,
    harvest_lists::a_harvest_can_be_changed_between_two_records,
    harvest_lists::hostile_text_comes_back_as_it_was,
    harvest_lists::records_of_a_harvest_are_paged_and_searched_among_others,
    harvest_lists::what_is_asked_of_a_harvest_is_kept_until_it_is_discarded,
    outcomes::a_dispatched_lead_waits_no_more,
    outcomes::a_followed_lead_can_be_asked_for,
    outcomes::what_was_learned_is_told_in_order,
    outcomes::only_what_waits_can_be_dispatched,
    outcomes::an_outcome_ends_its_step,
    outcomes::an_outcome_applied_twice_counts_once,
    outcomes::an_outcome_under_another_number_is_skipped_entirely,
    outcomes::an_outcome_for_other_work_is_skipped_entirely,
    outcomes::a_failed_step_goes_back_with_its_new_attempts,
    outcomes::a_lead_can_go_back_and_be_dispatched_in_one_batch,
    outcomes::leads_found_can_be_dispatched_in_the_same_batch,
    outcomes::robots_steps_are_in_flight_without_a_lead,
    outcomes::steps_in_flight_survive_with_their_leads,
    outcomes::every_kind_of_ending_is_counted,
    outcomes::a_host_is_known_once_it_answered,
    outcomes::robots_stay_until_they_are_told_anew,
    outcomes::progress_is_kept_and_the_strategy_only_replaced_by_a_new_one,
    outcomes::sites_are_counted_once_they_gave_a_page,
    reports::control_is_what_was_last_asked,
    reports::runs_come_oldest_first_with_their_counters,
    reports::a_form_comes_back_as_it_was_put_in,
    reports::a_form_on_many_pages_is_one_form,
    reports::a_form_twice_on_a_page_counts_once,
    reports::forms_are_known_per_run,
    reports::forms_come_most_relevant_first,
    reports::forms_are_filtered,
    reports::one_form_found_by_two_runs_of_a_topic_is_one_row,
    reports::probabilities_that_are_no_numbers_count_as_zero,
    reports::pages_come_in_the_order_committed,
    reports::sites_come_most_fruitful_first,
    reports::sites_are_filtered,
    reports::long_lists_miss_nothing,
    reports::the_store_can_be_used_between_two_rows,
    submissions::a_submission_is_there_from_its_dispatch_and_completed_by_its_outcome,
    submissions::submissions_outlive_their_run_and_are_filtered,
    submissions::a_long_log_misses_nothing,
    submissions::a_lead_with_its_inquiry_comes_back_as_it_was_put_in,
    submissions::a_lead_may_go_on_at_another_host,
    submissions::closing_a_site_leaves_its_questions,
    submissions::a_form_is_kept_whole_and_not_listed_so,
    submissions::a_finding_changes_the_form_its_site_and_every_counter_once,
);

#[test]
fn an_address_that_names_no_back_end_is_refused() {
    use hadal::store::{Access, StoreError, open};
    for url in ["postgres://localhost/x", "s3:bucket", "memory:x", "file:", "file://data", ""] {
        let refused = open(url, Access::Read).err();
        assert!(matches!(refused, Some(StoreError::BadUrl(_))), "{url}: {refused:?}");
    }
}
