package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import io.shardsim.simulator.yaml.InputException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Kubernetes manifests: what their containers are given, and where they contradict themselves. */
class ManifestTest {
    private static final String BLOCK = """
            apiVersion: kubeflow.org/v1
            kind: PyTorchJob
            spec:
              pytorchReplicaSpecs:
                Worker:
                  replicas: 2
                  template:
                    spec:
                      nodeSelector: {node.kubernetes.io/instance-type: ml.p5.48xlarge}
                      containers:
                        - name: train
                          image: a/b
                          command: [/bin/bash, -c]
                          args:
                            - |
                              set -e
                              TP=4
                              torchrun --nproc_per_node=8 --nnodes=2 pretrain_gpt.py \\
                                --tensor-model-parallel-size ${TP} --num-layers 32 --hidden-size 4096 \\
                                --num-attention-heads 32 --seq-length 4096 --vocab-size 32000 --bf16 \\
                                --micro-batch-size $(BS) --global-batch-size 64
                          env:
                            - {name: BS, value: "2"}
                            - {name: NCCL_P2P_DISABLE, value: "1"}
                            - {name: POD, valueFrom: {fieldRef: {fieldPath: metadata.name}}}
                          resources: {limits: {nvidia.com/gpu: 8}}
            """;

    private static String two(String master, String worker) {
        return """
                apiVersion: kubeflow.org/v1
                kind: PyTorchJob
                spec:
                  pytorchReplicaSpecs:
                """ + replicas("Master", 1, master) + replicas("Worker", 3, worker);
    }

    private static String replicas(String name, int count, String changes) {
        String text = """
                    NAME:
                      replicas: COUNT
                      template:
                        spec:
                          nodeSelector: {node.kubernetes.io/instance-type: p5.48xlarge}
                          containers:
                            - name: pytorch
                              image: x/y
                              command: [torchrun]
                              args:
                                - --nnodes=4
                                - --nproc_per_node=8
                                - --node_rank=RANK
                                - run_clm.py
                                - --model_name_or_path=meta-llama/Llama-2-7b-hf
                                - --per_device_train_batch_size=2
                                - --bf16=True
                              resources: {limits: {nvidia.com/gpu: 8}}
                """.indent(4).replace("NAME", name).replace("COUNT", "" + count);
        String[] change = changes.split("->");
        return (changes.isEmpty() ? text : text.replace(change[0], change[1])).replace("RANK", "" + count);
    }

    private static void refused(String text, String message) {
        assertThatThrownBy(() -> ScenarioImport.readText("job.yaml", text, Choices.NONE))
                .isInstanceOf(InputException.class)
                .hasMessageContaining(message);
    }

    @Test
    void whatAShellIsGivenIsReadAsAScript() throws InputException {
        Imported imported = ScenarioImport.readText("job.yaml", BLOCK, Choices.NONE);
        assertThat(imported.text()).contains("tensor_parallel: 4", "nodes: 2", "layers: 32", "instance: p5.48xlarge");
        assertThat(imported.keys())
                .filteredOn(key -> key.key().equals("num-layers"))
                .allSatisfy(key -> assertThat(key.position().line()).isEqualTo(19));
        refused(
                BLOCK.replace("TP=4", "true"),
                "job.yaml:19:32: tensor-model-parallel-size ${TP} is not set in the file");
    }

    @Test
    void variablesOfTheContainerAreReadAsThoseOfAScript() throws InputException {
        Imported imported = ScenarioImport.readText("job.yaml", BLOCK, Choices.NONE);
        assertThat(imported.text()).contains("micro_batch: 2");
        assertThat(imported.keys())
                .filteredOn(key -> key.key().startsWith("env."))
                .extracting(KeyVerdict::key, KeyVerdict::verdict)
                .containsExactly(tuple("env.NCCL_P2P_DISABLE", Verdict.NOT_MODELLED));
        refused(BLOCK.replace("{name: BS", "{name: OTHER"), "micro-batch-size $(BS) needs a shell");
    }

    @Test
    void contradictionsOfAManifestAreNamed() throws InputException {
        assertThat(ScenarioImport.readText("job.yaml", two("", ""), Choices.NONE)
                        .text())
                .contains("nodes: 4", "instance: p5.48xlarge");
        String nodes = two("--nnodes=4->--nnodes=8", "--nnodes=4->--nnodes=8");
        refused(nodes, "replicas 4 contradicts job.yaml:33:11 nnodes 8; make them agree, or give --nodes N");
        Choices eight = new Choices(null, null, null, 8L, null, List.of());
        assertThat(ScenarioImport.readText("job.yaml", nodes, eight).text()).contains("nodes: 8");
        refused(
                two("node=8->node=4", "node=8->node=4"),
                "nvidia.com/gpu 8 contradicts job.yaml:34:19 nproc_per_node 4; make them agree");
        refused(
                two("", "size=2->size=8"),
                "per_device_train_batch_size 8 contradicts per_device_train_batch_size 2 at 20:32; all replicas are alike");
        refused(
                two("p5.48->p5en.48", ""),
                "instance-type p5.48xlarge contradicts node.kubernetes.io/instance-type p5en.48xlarge at ");
    }
}
