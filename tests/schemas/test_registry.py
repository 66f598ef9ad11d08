"""The vocabulary is data that is checked when it is read."""

import os

import pytest

from schemas.datafile import parse_data, read_data_file
from schemas.errors import DataFileError
from schemas.registry import _Metrics, registry

CONTRACT_METRICS = """
rdma_bandwidth network_bandwidth interconnect_bandwidth bisection_bandwidth port_speed
switch_capacity network_latency message_rate allreduce_efficiency scaling_efficiency mfu
effective_training_time cluster_size_max accelerator_count fs_throughput fs_iops fs_latency
client_bandwidth client_iops throughput_per_capacity iops_per_capacity fs_capacity_max
file_count_max clients_max dataflow_throughput storage_network_bandwidth block_iops
block_throughput block_latency checkpoint_time fault_detection_time fault_localization_time
fault_recovery_time fault_detection_rate card_failure_rate mtbf interruption_interval
uninterrupted_run sla_availability monitoring_granularity metric_retention gpu_memory sku_count
model_count price_per_accelerator_hour price_per_instance_hour provisioning_time
inference_throughput relative_improvement capability other communication_share
""".split()
CONTRACT_BASES = """
per_machine per_node per_instance per_accelerator per_nic per_port per_link per_switch
per_client per_filesystem per_volume per_capacity per_cluster per_supernode per_service
aggregate unspecified
""".split()
CONTRACT_FLAGS = """
basis_unspecified basis_mixed unit_truncated bit_or_byte decimal_or_binary
direction_unspecified access_unspecified peak_without_load no_test_condition no_baseline
ill_defined_multiple order_of_magnitude_only scale_scope_unclear fault_class_unspecified
sla_terms_unspecified capacity_formula on_request_only not_disclosed secondhand internal_error
suspicious_text
""".split()


def test_the_contract_is_whole():
    assert set(registry().metrics) == set(CONTRACT_METRICS)
    assert set(registry().bases) == set(CONTRACT_BASES)
    assert set(registry().flags) == set(CONTRACT_FLAGS)


def test_every_flag_has_a_reading_or_takes_the_metrics_bases():
    for flag in registry().flags.values():
        assert flag.readings or flag.readings_from == "bases", flag.name


def test_an_unknown_name_is_refused_with_its_neighbours():
    with pytest.raises(ValueError, match="'fs_iop' is no known metric; near: fs_iops"):
        registry().metric("fs_iop")


@pytest.mark.parametrize(
    ("what", "entries"),
    [
        ("metric", registry().metrics),
        ("basis", registry().bases),
        ("flag", registry().flags),
        ("capability", registry().capabilities),
        ("vendor", registry().vendors),
    ],
)
def test_a_name_like_none_is_refused_with_all_there_are(what, entries):
    with pytest.raises(ValueError, match="'zzz' is no known") as refused:
        getattr(registry(), what)("zzz")
    assert str(refused.value) == f"'zzz' is no known {what}; known: {', '.join(sorted(entries))}"


FAULTS = [
    (
        "a field nobody knows",
        "metrics:\n  - name: a\n    unit: s\n    label: {en: a, zh: a}\n    colour: red\n",
        5,
        "metrics.0.colour",
    ),
    ("a missing label", "metrics:\n  - name: a\n    unit: s\n", 2, "label is missing"),
    (
        "a cue that is no expression",
        "metrics:\n  - name: a\n    unit: s\n    label: {en: a, zh: a}\n    cues:\n      strong: ['(']\n",
        6,
        "",
    ),
    (
        "a key twice",
        "metrics:\n  - name: a\n    unit: s\n    unit: h\n    label: {en: a, zh: a}\n",
        4,
        "the key 'unit' stands twice",
    ),
    ("no mapping", "- a\n", 1, "no mapping"),
    ("no YAML", "metrics: [\n", 2, ""),
]


@pytest.mark.parametrize(("text", "line", "found"), [f[1:] for f in FAULTS], ids=[f[0] for f in FAULTS])
def test_a_wrong_registry_is_refused_at_its_line(text, line, found):
    with pytest.raises(DataFileError) as refused:
        parse_data(text, _Metrics, name="metrics.yaml")
    assert (refused.value.file, refused.value.line) == ("metrics.yaml", line)
    assert found in refused.value.found


BOMB = "a: &a [x, x, x]\nb: &b [*a, *a, *a]\nmetrics: [*b, *b, *b]\n"


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        (BOMB, 1, "anchor or alias 'a'"),
        ("metrics: &a [*a]\n", 1, "anchor or alias 'a'"),
        ("metrics: !!bool abc\n", 1, "the tag '!!bool'"),
        ("metrics: !!int x\n", 1, "the tag '!!int'"),
        ("metrics: !!python/object:os.system x\n", 1, ""),
    ],
)
def test_a_file_that_is_a_trap_is_refused(text, line, found):
    with pytest.raises(DataFileError) as refused:
        parse_data(text, _Metrics, name="metrics.yaml")
    assert refused.value.line == line
    assert found in refused.value.found


def test_a_pipe_a_folder_and_a_huge_file_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "huge.yaml").write_text("#" * 1_000_001)
    for name, found in (
        ("pipe.yaml", "no regular file"),
        ("huge.yaml", "larger than 1000 kB"),
        (".", "no regular file"),
    ):
        with pytest.raises(DataFileError, match=found):
            read_data_file(tmp_path / name, _Metrics)
