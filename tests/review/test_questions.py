"""The buyer's list: one question a claim and topic, in the vendor's own words, by how much rests on it."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from extractors.checks.condition import companions
from extractors.flags import readings_of
from review.disputes import Against, dispute
from review.questions import _file, lists, topics, trial
from schemas.claim import Claim, Evidence
from schemas.ledger import StoredClaim
from schemas.quantity import Bound
from schemas.registry import registry
from warehouse.cards import builtin_cards
from warehouse.rows import OpenFlag

DAY = datetime(2026, 5, 1, tzinfo=UTC)


def stored(key: str, metric: str, low: str, *flags: str, not_seen: int = 0, **fields) -> StoredClaim:
    known = registry().metric(metric)
    claim = Claim(
        claim_key=key,
        source="p",
        vendor=fields.pop("vendor", "huawei-cloud"),
        product=None,
        metric=metric,
        low=Decimal(low),
        unit=known.unit,
        text_value=low,
        bound=fields.pop("bound", Bound.EXACT),
        basis="unspecified",
        evidence=Evidence(quote=fields.pop("quote", f"says {low}"), start=0, end=9),
        flags=flags,
        extractor="grammar@1",
        **fields,
    )
    return StoredClaim(
        claim=claim,
        version=1,
        source_id="p",
        snapshot_sha256="0" * 64,
        valid_from=DAY,
        recorded_at=DAY,
        not_seen=not_seen,
    )


def build(*claims: StoredClaim, disputes: dict[str, object] | None = None):
    flags = [OpenFlag(flag=readings_of(c.claim, name), claim=c) for c in claims for name in c.claim.flags]
    return lists(claims, flags, disputes or {}, {"p": "https://vendor.example/p"}, builtin_cards())


def test_a_peak_without_load_is_one_question_with_the_vendors_words():
    peak = stored(
        "k",
        "fs_throughput",
        "2",
        "peak_without_load",
        "access_unspecified",
        bound=Bound.AT_MOST,
        best_case=True,
    )
    (own,) = build(peak)
    (question,) = own.questions["storage_peak"]
    assert question.quote == "says 2"
    assert question.url == "https://vendor.example/p"
    assert "empty system" in question.ask.en
    assert "空载" in question.ask.zh


def test_what_rests_on_most_weight_is_asked_first():
    light = stored("a", "network_latency", "1", "no_test_condition")
    heavy = stored("b", "scaling_efficiency", "0.9", "no_test_condition")
    (own,) = build(light, heavy)
    worths = [q.worth for q in own.questions["linearity"]]
    assert worths == sorted(worths, reverse=True)
    assert len(worths) == 2


def test_what_is_no_longer_on_its_page_is_not_asked_about():
    assert build(stored("a", "network_latency", "1", "no_test_condition", not_seen=1)) == ()


def test_a_silent_vendor_is_asked_all_the_same_and_a_clear_one_is_not():
    (own,) = build(stored("a", "sku_count", "20"))
    assert [q.quote for q in own.questions["sla"]] == [""]
    clear = stored("b", "sla_availability", "0.999", qualifiers={"period": "month"})
    (own,) = build(clear)
    assert own.questions["sla"] == ()


def test_a_contradiction_is_a_question_with_what_was_found():
    against = Against(verdict="CONFLICT", reason="two values of one thing: 1 and 4")
    (own,) = build(stored("a", "fs_iops", "1"), disputes={"a": dispute([against])})
    (question,) = own.questions["sources"]
    assert question.ask.en == "Which figure holds? Found: two values of one thing: 1 and 4"


def test_a_magnitude_is_asked_about_where_its_metric_belongs():
    (own,) = build(
        stored(
            "a", "fault_localization_time", "60", "order_of_magnitude_only", qualifiers={"fault_class": "GPU"}
        ),
        stored("b", "cluster_size_max", "10000", "order_of_magnitude_only"),
        stored("c", "network_latency", "1", "order_of_magnitude_only", condition={"size": "4K"}),
        stored("d", "relative_improvement", "0.4", "no_baseline", qualifiers={"of": "fs_throughput"}),
    )
    asked = {topic: {q.claim_key for q in found if q.claim_key} for topic, found in own.questions.items()}
    assert {t: keys for t, keys in asked.items() if keys} == {
        "scale": {"b"},
        "linearity": {"c"},
        "storage_peak": {"d"},
        "faults": {"a"},
    }


def test_a_magnitude_is_asked_about_beside_the_class_of_fault():
    (own,) = build(
        stored("a", "fault_recovery_time", "60", "order_of_magnitude_only", "fault_class_unspecified")
    )
    assert [q.ask.en[:24] for q in own.questions["faults"]] == [
        "For which classes of fau",
        "What is the actual figur",
    ]


def test_a_short_quote_says_of_what_it_is_a_statement():
    (own,) = build(
        stored("a", "client_bandwidth", "25", "access_unspecified"),
        stored("d", "relative_improvement", "0.4", "no_baseline", qualifiers={"of": "network_latency"}),
    )
    about = {q.claim_key: q.about.zh for found in own.questions.values() for q in found if q.about}
    assert about == {"a": "单客户端带宽", "d": "网络时延的相对提升"}


def test_the_trial_measures_what_a_buyer_needs_and_shows_what_the_vendor_states():
    assert [item.id for item in trial()] == [
        "tokens_per_gpu", "allreduce_share", "checkpoint", "recovery", "mtbf", "mttr", "storage_under_load"
    ]  # fmt: skip
    (own,) = build(stored("a", "fault_recovery_time", "600"))
    assert [(s.value, s.metric) for s in own.trial["recovery"]] == [("600", "fault_recovery_time")]
    assert own.trial["checkpoint"] == ()


def test_every_flag_and_every_companion_has_a_topic():
    known = {topic.id for topic in topics()}
    assert {companion.topic for companion in companions()} <= known
    asked = {flag for topic in topics() for flag in topic.flags}
    assert asked == set(registry().flags)


def test_what_is_said_of_any_metric_is_known_and_no_metric_has_two_homes():
    assert set(_file().of_any_metric) <= {*registry().flags, *(c.id for c in companions())}
    assert set(_file().beside_others) <= set(_file().of_any_metric)
    homes = [metric for topic in topics() for metric in topic.home_of]
    assert len(homes) == len(set(homes))
