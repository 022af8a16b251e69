package io.shardsim.scenarios.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.shardsim.scenarios.catalog.Catalog;
import io.shardsim.simulator.collective.CollectiveCatalog;
import io.shardsim.simulator.collective.CollectiveKind;
import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.Problem;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every rule of a scenario file, with its exact message and position. */
class ScenarioErrorsTest {
    static final String VALID = """
            scenario: ok
            model: gpt2-30b
            cluster: {instance: p4d.24xlarge, nodes: 32}
            training:
              sequence_length: 2048
              global_batch: 1536
            strategy: {kind: mics, shard_group: 128}
            """;

    static List<String> problems(String text) {
        InputException refused =
                catchThrowableOfType(InputException.class, () -> ScenarioReader.readText("a.yaml", text));
        assertThat(refused).as("the scenario is refused").isNotNull();
        return refused.problems().stream().map(Problem::toString).toList();
    }

    /** Algorithms shipped as classes, and all those written as rounds in files. */
    private static String able(CollectiveKind kind, String... classes) {
        Stream<String> rounds = CollectiveCatalog.shipped().entries().stream()
                .filter(entry -> entry.kinds().contains(kind)
                        && entry.descriptor().text("class").isEmpty())
                .map(entry -> entry.algorithm().name());
        return Stream.concat(Stream.of(classes), rounds).sorted().collect(Collectors.joining(", "));
    }

    private static Arguments with(String from, String to, String... expected) {
        assertThat(VALID).contains(from);
        return Arguments.of(VALID.replace(from, to), List.of(expected));
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                with(
                        "scenario: ok",
                        "scenario: ok\nmoney: {term: three_years}",
                        "a.yaml:2:8: no price for p4d.24xlarge is in the catalog for term three_years; write money: {price: 40 USD/h} with yours"),
                with(
                        "scenario: ok",
                        "scenario: ok\nmoney: {term: one_year, spot: 0.3}",
                        "a.yaml:2:9: term chooses a price of the catalog, and spot has none; remove one"),
                with(
                        "scenario: ok",
                        "scenario: ok\nmoney: {term: one_year, price: 30 USD/h}",
                        "a.yaml:2:9: term chooses a price of the catalog and price replaces it; remove one"),
                with(
                        "scenario: ok",
                        "scenario: ok\nmoney: {spot: 40%}",
                        "a.yaml:2:15: spot 40% is a string; write 0.40"),
                with(
                        "scenario: ok",
                        "scenario: ok\nmoney: {spot: 1.5}",
                        "a.yaml:2:15: spot 1.5 > 1; write a number from 0.01 to 1"),
                with(
                        "scenario: ok",
                        "scenario: ok\nassert: {each: [samples_per_secnd >= 70, mfu over 0.3, memory.needed_bytes <= 70], fastest: memory.needed_bytes <= 70 GBit}",
                        "a.yaml:2:17: assertion samples_per_secnd >= 70: results.json has no figure samples_per_secnd; did you mean samples_per_second?",
                        "a.yaml:2:42: assertion \"mfu over 0.3\" is not fits, or a figure and its bound such as samples_per_second >= 70; write fits, or a figure and its bound such as samples_per_second >= 70",
                        "a.yaml:2:93: fastest memory.needed_bytes <= 70 GBit: size \"70 GBit\" has the unknown unit \"GBit\"; known units: B, bytes, byte, KiB, MiB, GiB, TiB, PiB, kB, KB, MB, GB, TB, PB"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "lora: {r: 0, target_modules: query, bits: 4}\nstrategy: {kind: ddp}",
                        "a.yaml:7:11: r 0 < 1; write a whole number from 1 to 65536",
                        "a.yaml:7:30: target_modules query is not one of all-linear, down_proj, gate_proj, k_proj, o_proj, q_proj, qkv_proj, up_proj, v_proj; write one of them",
                        "a.yaml:7:37: unknown key bits; known: r, target_modules, frozen_bits"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "lora: {r: 8, target_modules: [q_proj, down_proj]}\nstrategy: {kind: ddp}",
                        "a.yaml:7:30: target_modules q_proj is not in this model; write one or more of "
                                + "down_proj, o_proj, qkv_proj, up_proj"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  expert_load: zipf 1\n  load_seed: 3\n  expert_capacity: 1.25\n  recompute: [moe_act, core_attn]",
                        "a.yaml:7:16: expert_load zipf 1 needs a model with experts, which is not there; add it or remove expert_load",
                        "a.yaml:8:14: load_seed 3 needs a model with experts, which is not there; add it or remove load_seed",
                        "a.yaml:9:20: expert_capacity 1.25 needs a model with experts, which is not there; add it or remove expert_capacity",
                        "a.yaml:10:14: recompute moe_act is in no layer of this model; write some of core_attn, layernorm, mlp"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  load_seed: 3\n  capacity_policy: pad",
                        "a.yaml:7:14: load_seed 3 needs expert_load, which is not there; add it or remove load_seed",
                        "a.yaml:8:20: capacity_policy pad needs expert_capacity, which is not there; add it or remove capacity_policy"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  expert_capacity: 1.25\n  capacity_policy: fullest",
                        "a.yaml:7:20: expert_capacity 1.25 needs a model with experts, which is not there; add it or remove expert_capacity",
                        "a.yaml:7:20: expert_capacity 1.25 with capacity_policy fullest, which drops no token; remove expert_capacity",
                        "a.yaml:8:20: capacity_policy fullest needs a model with experts, which is not there; add it or remove capacity_policy"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  expert_load: zipf 0",
                        "a.yaml:7:16: expert_load \"zipf 0\" is not even, zipf S or dirichlet A with a number from 0.01 to 999.99; write even, zipf S or dirichlet A with a number from 0.01 to 999.99"),
                with(
                        "gpt2-30b",
                        "mixtral-8x7b\nlora: {r: 8, target_modules: all-linear}",
                        "a.yaml:3:30: target_modules all-linear means LoRA adapters in experts, which are not "
                                + "modelled; write one or more of k_proj, o_proj, q_proj, v_proj"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "lora: {r: 8, target_modules: all-linear, frozen_bits: 5}\nstrategy: {kind: ddp}",
                        "a.yaml:7:55: frozen_bits 5 is not modelled; write 16, 8 or 4"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "lora: {r: 8, target_modules: all-linear}\nstrategy: {kind: mics, shard_group: 128}",
                        "a.yaml:7:7: lora is not modelled with this strategy; use ddp, fsdp, fsdp-grad-op, "
                                + "fsdp-hybrid, fsdp2, smddp, zero1, zero2, zero3, zero3-0.11, or remove lora"),
                with(
                        "{kind: mics, shard_group: 128}",
                        "{kind: megatron, pipeline_parallel: 4, pipeline_schedule: interleaved}",
                        "a.yaml:7:69: pipeline_schedule interleaved needs model_chunks of 2 or more, not 1; set "
                                + "it, or write 1f1b"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "strategy: {kind: mics, shard_group: 128}\nfailures: {node_mtbf: 6300 hours, restart: 10 min}",
                        "a.yaml:8:1: failures needs checkpoint, or each failure loses everything; add for "
                                + "example checkpoint: {to: s3, every: 500}"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "strategy: {kind: mics, shard_group: 128}\nstorage: {input: fsx}\ncheckpoint: {to: lustre, every: 10 s}",
                        "a.yaml:8:18: input fsx is not in the catalog; did you mean fsx-lustre?",
                        "a.yaml:9:18: to lustre is not in the catalog; known: fsx-lustre, s3",
                        "a.yaml:9:33: every 10 s is a string; write a whole number from 1 to 1000000000"),
                with(
                        "shard_group: 128",
                        "shard_group: 128, gather_algorithm: hierarchy, activation_loading_horizon: 0",
                        "a.yaml:7:60: gather_algorithm hierarchy is not in the catalog; did you mean hierarchical?"),
                with(
                        "shard_group: 128",
                        "shard_group: 128, gather_algorithm: tree, framework_profile: fsdp2",
                        "a.yaml:7:60: gather_algorithm tree does not carry all_gather; known: auto, "
                                + String.join(", ", CollectiveCatalog.shipped().names("all_gather")),
                        "a.yaml:7:85: framework_profile fsdp2 is not known; did you mean fsdp?"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "strategy: {kind: mics, shard_group: 128}\ncollectives: {algorithm: ring}",
                        "a.yaml:8:26: algorithm ring is for a bare collective; write gather_algorithm or reduce_algorithm"
                                + " under strategy"),
                with(
                        "shard_group: 128",
                        "shard_group: 128, run_ahead_layers: 0, tensor_parallel: 0",
                        "a.yaml:7:60: run_ahead_layers 0 < 1; write 1 or more",
                        "a.yaml:7:80: tensor_parallel 0 < 1; write 1 or more"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  activation_checkpointing: none\n  activation_offload: true",
                        "a.yaml:8:23: activation_offload true with activation_checkpointing none: this library "
                                + "offloads checkpoints only; set activation_checkpointing: full, or remove "
                                + "activation_offload"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  checkpointed_layers: 49",
                        "a.yaml:7:24: checkpointed_layers 49 > 48 layers of the model; write 48 or less, or remove it for all of"
                                + " them"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  activation_checkpointing: none\n  checkpointed_layers: 24",
                        "a.yaml:8:24: checkpointed_layers 24 with activation_checkpointing none: nothing is checkpointed; remove"
                                + " one of them"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  activation_offload: true\n  checkpointed_layers: 24",
                        "a.yaml:7:23: activation_offload true with checkpointed_layers 24 of 48: layers without "
                                + "checkpoints would keep activations on the GPU, which is not modelled; "
                                + "remove one of them"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  activation_checkpointing: operator\n  attention: standard",
                        "a.yaml:7:29: activation_checkpointing operator keeps the output of flash attention, and "
                                + "attention is standard; write attention: flash, or activation_checkpointing: "
                                + "full"),
                with(
                        "kind: mics, shard_group: 128",
                        "kind: megatron, pipeline_parallel: 4, partition: best",
                        "a.yaml:7:61: partition best is not known; there are balanced, uniform, and the layers of each "
                                + "model chunk, such as 3 + 6 x 4 + 3"),
                with(
                        "shard_group: 128",
                        "shard_group: 64, tensor_parallel: 8",
                        "a.yaml:7:37: shard_group 64 does not divide 32 data-parallel ranks (world size 256 / 8 ranks of"
                                + " a model); nearest divisor: 32"),
                with(
                        "kind: mics",
                        "kind: fsdp",
                        "a.yaml:7:24: strategy fsdp has no shard_group, which belongs to fsdp-hybrid, fsdp2, mics; remove it"),
                with(
                        "shard_group: 128",
                        "shard_group: 48",
                        "a.yaml:7:37: shard_group 48 does not divide world size 256; nearest divisors: 32, 64"),
                with(
                        "shard_group: 128",
                        "shard_group: 512",
                        "a.yaml:7:37: shard_group 512 > world size 256; write 256 or less (only a sweep caps it)"),
                with(
                        "kind: mics, shard_group: 128",
                        "kind: mics, shard_group: 64, tensor_parallel: 8",
                        "a.yaml:7:37: shard_group 64 does not divide 32 data-parallel ranks (world size 256 / 8 ranks of a model);"
                                + " nearest divisor: 32"),
                with(
                        "kind: mics, shard_group: 128",
                        "kind: mics, pipeline_parallel: 4",
                        "a.yaml:7:24: strategy mics has no pipeline_parallel, which belongs to ddp, fsdp2, megatron, megatron-core, zero1; remove it"),
                with(
                        "kind: mics, shard_group: 128",
                        "kind: megatron, tensor_parallel: 6",
                        "a.yaml:7:45: tensor_parallel 6 does not divide world size 256; nearest divisors: 4, 8",
                        "a.yaml:7:45: tensor_parallel 6 does not divide heads 64; nearest divisors: 4, 8"),
                with(
                        "kind: mics, shard_group: 128",
                        "kind: megatron, tensor_parallel: 8, pipeline_parallel: 64",
                        "a.yaml:7:45: tensor_parallel 8 x pipeline_parallel 64 = 512 does not divide world size 256;"
                                + " nearest divisor: 256",
                        "a.yaml:7:67: pipeline_parallel 64 > 48 layers of the model; write 48 or less"),
                with(
                        "kind: mics, shard_group: 128",
                        "kind: megatron, pipeline_parallel: 64",
                        "a.yaml:7:47: pipeline_parallel 64 > 48 layers of the model; write 48 or less"),
                with(
                        "kind: mics, shard_group: 128",
                        "kind: megatron, tensor_parallel: 128",
                        "a.yaml:7:45: tensor_parallel 128 does not divide heads 64; nearest divisor: 64"),
                with(
                        "global_batch: 1536\nstrategy: {kind: mics, shard_group: 128}",
                        "global_batch: 1537\nstrategy: {kind: megatron, tensor_parallel: 8}",
                        "a.yaml:6:17: global_batch 1537 is not a multiple of 32 replicas of the model (world size 256 / 8 ranks each);"
                                + " nearest multiples: 1536, 1568"),
                with(
                        "shard_group: 128",
                        "shard_gruop: 128",
                        "a.yaml:7:24: unknown key shard_gruop; did you mean shard_group?"),
                with(
                        "shard_group: 128",
                        "shard_group: -1",
                        "a.yaml:7:37: shard_group -1 < 0; write a whole number from 0 to 1048576"),
                with(
                        "shard_group: 128",
                        "shard_group: all",
                        "a.yaml:7:37: shard_group all is a string; write a whole number from 0 to 1048576"),
                with(
                        "kind: mics",
                        "kind: mcis",
                        "a.yaml:7:18: strategy mcis is not in the catalog; did you mean mics?"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "strategy: mics",
                        "a.yaml:7:11: strategy mics is a string; write a block such as {kind: fsdp-hybrid, shard_group: 128}"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "strategy: {}",
                        "a.yaml:7:11: strategy has no kind; add kind: a name of letters, digits, dots and dashes"),
                with(
                        "shard_group: 128",
                        "two_hop_gradient_sync: yes",
                        "a.yaml:7:47: two_hop_gradient_sync yes is a string in YAML 1.2; write true"),
                with("nodes: 32", "nodes: 0", "a.yaml:3:42: nodes 0 < 1; write a whole number from 1 to 65536"),
                with("nodes: 32", "nodes: -3", "a.yaml:3:42: nodes -3 < 1; write a whole number from 1 to 65536"),
                with(
                        "nodes: 32",
                        "nodes: 1e99",
                        "a.yaml:3:42: nodes 1e99 has too large an exponent; write a whole number from 1 to 65536"),
                with(
                        "nodes: 32",
                        "nodes: 1e30",
                        "a.yaml:3:42: nodes 1e30 > 65536; write a whole number from 1 to 65536"),
                with(
                        "nodes: 32",
                        "nodes: 2.5",
                        "a.yaml:3:42: nodes 2.5 is not whole; write a whole number from 1 to 65536"),
                with(
                        "nodes: 32",
                        "nodes: \"32\"",
                        "a.yaml:3:42: nodes 32 is a string; write a whole number from 1 to 65536"),
                with(
                        "nodes: 32",
                        "nodes: 1_000",
                        "a.yaml:3:42: nodes 1_000 is a string; write a whole number from 1 to 65536"),
                with(
                        "nodes: 32",
                        "nodes: 12:30",
                        "a.yaml:3:42: nodes 12:30 is a string; write a whole number from 1 to 65536"),
                with("nodes: 32", "nodes: [32]", "a.yaml:3:42: nodes is a list; write a whole number from 1 to 65536"),
                with("nodes: 32", "nodes: ", "a.yaml:3:41: nodes has no value; write a whole number from 1 to 65536"),
                with(", nodes: 32", "", "a.yaml:3:10: cluster has no nodes; add nodes: a whole number from 1 to 65536"),
                with(
                        "cluster: {instance: p4d.24xlarge, nodes: 32}\n",
                        "",
                        "a.yaml:1:1: scenario file has no cluster; add cluster: a block such as {instance: p4d.24xlarge, nodes: 32}"),
                with(
                        "p4d.24xlarge",
                        "p4d.24xlrage",
                        "a.yaml:3:21: instance p4d.24xlrage is not in the catalog; did you mean p4d.24xlarge?"),
                with(
                        "p4d.24xlarge",
                        "m5.large",
                        "a.yaml:3:21: instance m5.large is not in the catalog; shardsim catalog instances lists "
                                + Catalog.instanceNames().size() + ", or write gpu: and its node"),
                with(
                        "nodes: 32",
                        "nodes: 32, gpu: h200",
                        "a.yaml:3:46: gpu beside instance, which has its own GPU; remove gpu, or describe the node without instance"),
                with(
                        "nodes: 32",
                        "nodes: 32, nic: 100",
                        "a.yaml:3:51: nic: rate 100 has no unit; write for example 300 GB/s or 100 Gbit/s"),
                with(
                        "nodes: 32",
                        "nodes: 32, nic: fast",
                        "a.yaml:3:51: nic: rate \"fast\" is not a number with a unit; write for example 300 GB/s or 100 Gbit/s"),
                with(
                        "nodes: 32",
                        "nodes: 32, nic: 1e30 GB/s",
                        "a.yaml:3:51: nic: rate 1e30 GB/s > 2^63 - 1 bytes/s; write for example 300 GB/s or 100 Gbit/s"),
                with(
                        "nodes: 32",
                        "nodes: 32, nic: -5 GB/s",
                        "a.yaml:3:51: nic: rate -5 GB/s < 0 bytes/s; write for example 300 GB/s or 100 Gbit/s"),
                with(
                        "nodes: 32",
                        "nodes: 32, nic: 0 GB/s",
                        "a.yaml:3:51: nic: rate 0 GB/s < 1 bytes/s; write for example 300 GB/s or 100 Gbit/s"),
                with(
                        "nodes: 32",
                        "nodes: 32, nic_effective: 20 GB/s",
                        "a.yaml:3:61: nic_effective 20 GB/s > nic 12500 MB/s; a NIC cannot carry more payload than its line rate"),
                with(
                        "nodes: 32",
                        "nodes: 32, intra_node_links: mash",
                        "a.yaml:3:64: intra_node_links mash is not one of switch, mesh, cube_mesh; did you mean mesh?"),
                with(
                        "nodes: 32",
                        "nodes: 32, intra_node_links: cube_mesh, gpus_per_node: 16",
                        "a.yaml:3:90: intra_node_links cube_mesh joins 8 GPUs, gpus_per_node is 16; write 8 or fewer, or intra_node_links: switch"),
                with(
                        "nodes: 32",
                        "nodes: 32, pcie_switches: 16",
                        "a.yaml:3:61: pcie_switches 16 > gpus_per_node 8; write pcie_switches: 8 or fewer"),
                with(
                        "nodes: 32",
                        "nodes: 32, fabric: rails",
                        "a.yaml:3:54: fabric rails is not one of leaf_spine, rail_optimized, fat_tree, nvlink_domain, torus, dragonfly; write one of them"),
                with(
                        "nodes: 32",
                        "nodes: 32, fabric: nvlink_domain",
                        "a.yaml:3:35: nodes 32 is not a multiple of nodes_per_domain 18; write nodes: 36, or nodes_per_domain: as many of each domain as the job has"),
                with(
                        "nodes: 32",
                        "nodes: 32, fabric: fat_tree, nodes_per_leaf: 12, nodes_per_domain: 8, nodes_per_pod: 16",
                        "a.yaml:3:35: nodes_per_pod 16 is not a multiple of nodes_per_leaf 12; write nodes_per_pod: 24",
                        "a.yaml:3:84: nodes_per_domain does not apply to fabric fat_tree; remove it, or write fabric: nvlink_domain"),
                with(
                        "nodes: 32",
                        "nodes: 32, route_seed: 7",
                        "a.yaml:3:46: route_seed has no effect with adaptive routing; remove it, or write "
                                + "routing: static"),
                with(
                        "nodes: 32",
                        "nodes: 32, nodes_per_leaf: 12, routing: ecmp",
                        "a.yaml:3:35: nodes 32 is not a multiple of nodes_per_leaf 12; write nodes: 36, or routing: adaptive"),
                with(
                        "nodes: 32",
                        "nodes: 32, hop_latency: 1 furlong",
                        "a.yaml:3:59: hop_latency: time \"1 furlong\" has the unknown unit \"furlong\"; known units: ps, ns, us, \u00b5s, \u03bcs, ms, s, min, h, d"),
                with(
                        "cluster: {instance: p4d.24xlarge, nodes: 32}",
                        "cluster: {gpu: a100-80gb, gpus_per_node: 8, nodes: 32}",
                        "a.yaml:3:10: cluster has no nics_per_node and no instance; write instance: dgx-a100 instead of gpu, or nics_per_node: a whole number from 1 to 64",
                        "a.yaml:3:10: cluster has no nic and no instance; write instance: dgx-a100 instead of gpu, or nic: a rate such as 300 GB/s or 100 Gbit/s"),
                with(
                        "cluster: {instance: p4d.24xlarge, nodes: 32}",
                        "cluster: {gpu: a200, gpus_per_node: 8, intra_node: 900 GB/s, nics_per_node: 8, nic: 400 Gbit/s, nodes: 32}",
                        "a.yaml:3:16: gpu a200 is not in the catalog; shardsim catalog gpus lists "
                                + Catalog.gpuNames().size() + ", or write its figures: gpu: {architecture: ...}"),
                with(
                        "cluster: {instance: p4d.24xlarge, nodes: 32}",
                        "cluster: {gpu: A100, gpus_per_node: 8, intra_node: 300 GB/s, nics_per_node: 4, nic: 100 Gbit/s, nodes: 32}",
                        "a.yaml:3:16: gpu A100 is not in the catalog; did you mean a100-40gb or a100-80gb?"),
                with(
                        "model: gpt2-30b",
                        "model: gpt2-30",
                        "a.yaml:2:8: model gpt2-30 is not in the catalog; did you mean gpt2-30b?"),
                with(
                        "model: gpt2-30b",
                        "model: 30",
                        "a.yaml:2:8: model 30 is not in the catalog; " + Catalog.MODELS_ARE_LISTED),
                with(
                        "model: gpt2-30b",
                        "model: meta-llama/Unknown-8B",
                        "a.yaml:2:8: model meta-llama/Unknown-8B is not in the catalog; " + Catalog.MODELS_ARE_LISTED),
                with(
                        "model: gpt2-30b",
                        "model: {hidden: 7168, layers: 48, heads: 60, vocab: 50257}",
                        "a.yaml:2:42: heads 60 does not divide hidden 7168; give head_dim, or nearest divisors: 56, 64"),
                with(
                        "model: gpt2-30b",
                        "model: {hidden: 7168, layers: 48, heads: 64, kv_heads: 5, vocab: 50257}",
                        "a.yaml:2:56: kv_heads 5 does not divide heads 64; nearest divisors: 4, 8"),
                with(
                        "model: gpt2-30b",
                        "model: {hidden: 7168, layers: 48, heads: 64, vocab: 50257, qk_norm: true}",
                        "a.yaml:2:69: qk_norm true needs gated_ffn true; set it, or remove qk_norm"),
                with(
                        "model: gpt2-30b",
                        "model: {hidden: 7168, layers: 48, heads: 64, vocab: 50257, gated_ffn: true, masked_lm: 0.15}",
                        "a.yaml:2:88: masked_lm 0.15 needs gated_ffn false; remove gated_ffn or masked_lm"),
                with(
                        "model: gpt2-30b",
                        "model: {hidden: 7168, layers: 48, heads: 64, vocab: 50257, pooler: true}",
                        "a.yaml:2:68: pooler needs masked_lm; give it, or remove pooler"),
                with(
                        "model: gpt2-30b",
                        "model: {hidden: 7168, layers: 48, heads: 64, vocab: 50257, decoder_layers: 48, masked_lm: 0.15}",
                        "a.yaml:2:91: masked_lm beside decoder_layers is not modelled; remove one of them"),
                with(
                        "sequence_length: 2048",
                        "sequence_length: 2048\n  decoder_length: 128",
                        "a.yaml:6:19: decoder_length 128 needs an encoder-decoder model; remove it"),
                with(
                        "model: gpt2-30b",
                        "model: {hidden: 7168, layers: 48, heads: 64, vocab: 50257, expert_ffn: 1024}",
                        "a.yaml:2:72: expert_ffn needs experts; give it, or remove expert_ffn"),
                with(
                        "model: gpt2-30b",
                        "model: {hidden: 7168, layers: 48, heads: 64, vocab: 50257, experts: 4, experts_per_token: 8}",
                        "a.yaml:2:69: experts 4 needs gated_ffn true; set it, or remove experts",
                        "a.yaml:2:91: experts_per_token 8 is more than experts 4; set at most 4"),
                with(
                        "model: gpt2-30b",
                        "model: {hidden: 1e12, layers: 0, heads: 64}",
                        "a.yaml:2:8: model has no vocab; add vocab: a whole number from 1 to 16777216",
                        "a.yaml:2:17: hidden 1e12 > 262144; write a whole number from 1 to 262144",
                        "a.yaml:2:31: layers 0 < 1; write a whole number from 1 to 4096"),
                with(
                        "sequence_length: 2048",
                        "sequence_length: 4096",
                        "a.yaml:5:20: sequence_length 4096 > 2048 learned positions of the model; write 2048 or less, or describe the model inline with more max_positions"),
                with("model: gpt2-30b", "model: llama2-7b # longer than GPT-2", ""),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "strategy: {kind: zero3, gather_algorithm: ring, reduce_algorithm: tree}",
                        "a.yaml:7:67: reduce_algorithm tree cannot carry reduce_scatter over 256 ranks of 32 nodes; these can: "
                                + able(CollectiveKind.REDUCE_SCATTER, "hierarchical", "hierarchical-batched", "ring")),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  precision: fp32\n  attention: flash",
                        "a.yaml:8:14: attention flash needs BF16 or FP16, but precision is fp32; write attention: standard or precision: bf16"),
                with(
                        "strategy: {kind: mics, shard_group: 128}",
                        "strategy: {kind: megatron-core, framework_profile: transformer-engine-fp8}",
                        "a.yaml:7:52: framework_profile transformer-engine-fp8 needs FP8 tensor cores, which "
                                + "a100-40gb does not have; choose a Hopper GPU, or another profile"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  kernels: torchtitan-float",
                        "a.yaml:7:12: kernels torchtitan-float is not known; did you mean torchtitan-float8?"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  precision: fp8",
                        "a.yaml:7:14: precision fp8 needs kernels with an FP8 recipe, and smp ships none; write "
                                + "kernels: torchtitan-compile or transformer-engine or "
                                + "transformer-engine-cudnn-8 or transformer-engine-cudnn-9.18, or write precision: bf16"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  fp8_recipe: mxfp8",
                        "a.yaml:7:15: fp8_recipe mxfp8 needs precision: fp8, not bf16; write precision: fp8, or remove fp8_recipe"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1500",
                        "a.yaml:6:17: global_batch 1500 is not a multiple of world size 256; nearest multiples: 1280, 1536"),
                with(
                        "global_batch: 1536",
                        "global_batch: 100",
                        "a.yaml:6:17: global_batch 100 is not a multiple of world size 256; nearest multiple: 256"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  micro_batch: 4",
                        "a.yaml:7:16: micro_batch 4 does not divide the 6 samples of a GPU (global_batch 1536 / world size 256); nearest divisors: 3, 6"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  micro_batch: 9",
                        "a.yaml:7:16: micro_batch 9 does not divide the 6 samples of a GPU (global_batch 1536 / world size 256); nearest divisor: 6"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  precision: fp12",
                        "a.yaml:7:14: precision fp12 is not one of bf16, fp16, fp8, fp32, bf16_pure; did you mean fp16?"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  attention: sparse",
                        "a.yaml:7:14: attention sparse is not one of standard, flash; write one of them"),
                with(
                        "global_batch: 1536",
                        "global_batch: 1536\n  activation_offload: no",
                        "a.yaml:7:23: activation_offload no is a string in YAML 1.2; write false"),
                with(
                        "  global_batch: 1536\n",
                        "",
                        "a.yaml:5:3: training has no global_batch; add global_batch: a whole number from 1 to 1000000000"),
                with(
                        "  global_batch: 1536\n",
                        "  global_batch: 1536\n  sequence_length: 512\n",
                        "a.yaml:7:3: key sequence_length is given twice, first in line 5; keep one"),
                with(
                        "scenario: ok",
                        "scenario: ../../etc",
                        "a.yaml:1:11: scenario \"../../etc\" is not a name of letters, digits, dots and dashes; write a name of letters, digits, dots and dashes"),
                with(
                        "scenario: ok\n",
                        "",
                        "a.yaml:1:1: scenario file has no scenario; add scenario: a name of letters, digits, dots and dashes"),
                with(
                        "scenario: ok",
                        "scenario: ok\ncolour: red",
                        "a.yaml:2:1: unknown key colour; known: scenario, model, cluster, framework, instances, training, lora, strategy, workload, collectives, storage, checkpoint, failures, faults, money, sweep, search, assert, accepted"),
                with(
                        "scenario: ok",
                        "scenario: ok\nclutser: red",
                        "a.yaml:2:1: unknown key clutser; did you mean cluster?"),
                with(
                        "scenario: ok",
                        "scenario: ok\ncollectives: {chunk: 4}",
                        "a.yaml:2:22: chunk: size 4 has no unit; write for example 1 MiB"),
                with(
                        "scenario: ok",
                        "scenario: ok\ncollectives: {library: mpi}",
                        "a.yaml:2:24: library mpi is not one of nccl, smddp; write one of them"),
                with(
                        "scenario: ok",
                        "scenario: ok\nworkload: {collective: all_reduce, size: 1 GiB}",
                        "a.yaml:3:1: model and workload exclude each other: a scenario either trains or runs a "
                                + "bare collective; remove one",
                        "a.yaml:5:1: training and workload exclude each other: a scenario either trains or runs "
                                + "a bare collective; remove one",
                        "a.yaml:8:1: strategy and workload exclude each other: a scenario either trains or runs "
                                + "a bare collective; remove one"),
                with(
                        "model: gpt2-30b\n",
                        "",
                        "a.yaml:1:1: scenario file has no model; add for example model: gpt2-30b, or run a bare collective with workload: {collective: all_reduce, size: 1 GiB}"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: {cluster.nodes: 4}",
                        "a.yaml:2:24: sweep of cluster.nodes is a number; write a list such as [1, 2]"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: {cluster.nodes: []}",
                        "a.yaml:2:24: sweep of cluster.nodes is an empty list; write values or remove the key"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: [1]",
                        "a.yaml:2:8: sweep is a list; write a block of lists such as cluster.nodes: [2, 4, 8]"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: {cluster.nodes: [2, 0]}",
                        "a.yaml:2:28: nodes 0 < 1; write a whole number from 1 to 65536"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: {cluster.ndoes: [2]}",
                        "a.yaml:2:9: unknown key ndoes; did you mean nodes?"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: {model.layers: [2]}",
                        "a.yaml:2:9: sweep key model.layers needs a block, but model is a string; sweep model "
                                + "itself, or write it as a block"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: {sweep.cluster.nodes: [2, 4]}",
                        "a.yaml:2:9: sweep key sweep.cluster.nodes is not a dotted scenario key; write for "
                                + "example cluster.nodes"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: {cluster.nodes: [2, 4], cluster: [{instance: p4d.24xlarge, nodes: 32}]}",
                        "a.yaml:2:32: sweep of cluster overwrites keys of lines before it; move it before them"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: {Cluster Nodes: [2]}",
                        "a.yaml:2:9: sweep key Cluster Nodes is not a dotted scenario key; write for example "
                                + "cluster.nodes"),
                with(
                        "scenario: ok",
                        "scenario: ok\nsweep: {cluster.nodes: [2, 4], strategy.shard_group: [24]}",
                        "a.yaml:2:55: shard_group 24 does not divide world size 32; nearest divisors: 16, 32"),
                with(
                        "scenario: ok",
                        "scenario: !!python/object x",
                        "a.yaml:1:11: tag tag:yaml.org,2002:python/object is not supported here; remove it"),
                with(
                        "scenario: ok",
                        "scenario: ok\n<<: {a: b}",
                        "a.yaml:2:1: merge key << is not YAML 1.2; repeat the keys"),
                with("scenario: ok", "scenario: ok\n? [a]\n: b", "a.yaml:2:3: a key is a list; write a name"),
                with(
                        "scenario: ok",
                        "scenario: *x",
                        "a.yaml:1:11: alias *x names no earlier anchor; write &x before the value it names",
                        "a.yaml:1:11: scenario has no value; write a name of letters, digits, dots and dashes"),
                with(
                        "scenario: ok",
                        "scenario: ok\n---\nb: c",
                        "a.yaml:2:1: a second document begins; write one document per file"),
                Arguments.of("", List.of("a.yaml:1:1: is empty; a scenario begins with \"scenario: NAME\"")),
                Arguments.of("# nothing\n", List.of("a.yaml:1:1: is empty; a scenario begins with \"scenario: NAME\"")),
                Arguments.of(
                        "just text",
                        List.of(
                                "a.yaml:1:1: scenario file just text is a string; write a block with scenario, model, cluster, training, strategy")),
                Arguments.of(
                        "- a\n",
                        List.of(
                                "a.yaml:1:1: scenario file is a list; write a block with scenario, model, cluster, training, strategy")),
                Arguments.of(
                        "a: [1,\nb: 2",
                        List.of(
                                "a.yaml:2:5: is not YAML: while parsing a flow sequence, expected ',' or ']', but got <stream end>")),
                Arguments.of(
                        "scenario: a\u0007b",
                        List.of("a.yaml:1:12: character U+0007 is not allowed in YAML; remove it")),
                Arguments.of(
                        "a:\n\tb: 1",
                        List.of(
                                "a.yaml:2:1: is not YAML: while scanning for the next token, found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation)")));
    }

    @ParameterizedTest
    @MethodSource("refused")
    void everyProblemIsToldWithPlaceRuleAndRemedy(String text, List<String> expected) throws InputException {
        if (expected.equals(List.of(""))) {
            assertThat(ScenarioReader.readText("a.yaml", text).points()).hasSize(1);
        } else {
            assertThat(problems(text)).containsExactlyElementsOf(expected);
        }
    }

    @Test
    void aCollectiveNeedsSomebodyToTalkTo() {
        assertThat(problems("""
                scenario: lonely
                cluster: {instance: p4d.24xlarge, gpus_per_node: 1, pcie_switches: 1, nics_per_node: 1, nodes: 1}
                workload: {collective: all_reduce, size: 1 GiB}
                """))
                .containsExactly("a.yaml:2:10: a collective needs 2 GPUs or more, and the cluster has 1; add nodes");
    }

    @Test
    void anAlgorithmThatTheClusterCannotRunIsToldWithThoseThatItCan() {
        assertThat(problems("""
                scenario: no-switch
                cluster: {instance: p4d.24xlarge, nodes: 2}
                workload: {collective: all_reduce, size: 1 GiB}
                collectives: {algorithm: nvls-tree}
                """))
                .containsExactly("a.yaml:4:26: algorithm nvls-tree cannot carry all_reduce over 16 ranks of 2 nodes;"
                        + " these can: " + able(CollectiveKind.ALL_REDUCE, "ring", "smddp", "tree"));
        assertThat(problems("""
                scenario: one-node
                cluster: {instance: p5.48xlarge, nodes: 1}
                workload: {collective: all_reduce, size: 1 GiB}
                sweep: {collectives.algorithm: [nvls, nvls-tree]}
                """))
                .containsExactly("a.yaml:4:39: algorithm nvls-tree cannot carry all_reduce over 8 ranks of 1 nodes;"
                        + " these can: " + able(CollectiveKind.ALL_REDUCE, "nvls", "ring", "tree"));
    }

    @Test
    void allProblemsOfAFileAreToldTogetherInOrderOfPlace() {
        assertThat(problems(VALID.replace("nodes: 32", "nodes: 0")
                        .replace("gpt2-30b", "gpt5")
                        .replace("mics", "mcis")))
                .extracting(problem -> problem.split(":")[1])
                .containsExactly("2", "3", "7");
    }

    @Test
    void aSplitThatDoesNotFitTheClusterHidesNoProblemOfAnotherKey() {
        assertThat(problems(VALID.replace("{kind: mics, shard_group: 128}", "{kind: fsdp2, tensor_parallel: 3}")
                        + "checkpoint: {to: nvme, every: 0}\n"))
                .anySatisfy(problem -> assertThat(problem).contains("tensor_parallel 3 does not divide world size"))
                .anySatisfy(problem -> assertThat(problem).contains("every 0 < 1"))
                .anySatisfy(problem -> assertThat(problem).contains("to nvme is not in the catalog"));
        assertThat(problems("""
                scenario: split
                model: llama3-8b
                cluster: {instance: p5.48xlarge, nodes: 8}
                training: {sequence_length: 4096, global_batch: 64, attention: standard}
                strategy: {kind: megatron-core, tensor_parallel: 16, context_parallel: 2, pipeline_parallel: 3, model_chunks: 2}
                """))
                .anySatisfy(problem -> assertThat(problem).contains("= 96 does not divide world size 64"))
                .anySatisfy(problem -> assertThat(problem).contains("tensor_parallel 16 does not divide kv_heads 8"))
                .anySatisfy(problem -> assertThat(problem).contains("context_parallel 2 needs attention flash"))
                .anySatisfy(problem ->
                        assertThat(problem).contains("model_chunks 2 > 1 needs pipeline_schedule interleaved"))
                .hasSize(4);
    }

    @Test
    void aMissingBlockHidesNoProblemOfTheOthers() {
        assertThat(problems(VALID.replace("model:", "modle:").replace("mics", "mcis")))
                .extracting(problem -> problem.split(":")[1])
                .containsExactly("1", "2", "7");
    }

    @Test
    void aSweepTellsAProblemThatItsPointsShareOnce() {
        assertThat(problems(VALID.replace("gpt2-30b", "gpt5") + "sweep: {cluster.nodes: [2, 4, 8]}\n"))
                .hasSize(1);
        assertThat(problems(
                        VALID.replace("128}", "128, framework_profile: fsdp2}") + "sweep: {cluster.nodes: [16, 32]}\n"))
                .containsExactly("a.yaml:7:61: framework_profile fsdp2 is not known; did you mean fsdp?");
    }

    /** Otherwise the second point would continue as if nothing were wrong. */
    @Test
    void aProblemThatAnEarlierPointHasToldCountsForEachPoint() {
        assertThat(problems(VALID.replace("1536", "1536\n  checkpointed_layers: 512")
                        .replace(
                                "{kind: mics, shard_group: 128}",
                                "{kind: mics}\nsweep: {strategy.kind: [zero3, mics]}")))
                .containsExactly(
                        "a.yaml:7:24: checkpointed_layers 512 > 48 layers of the model; write 48 or less, or remove it for all of them");
    }

    @Test
    void validScenarioIsRead() throws InputException {
        assertThat(ScenarioReader.readText("a.yaml", VALID).points()).hasSize(1);
    }
}
