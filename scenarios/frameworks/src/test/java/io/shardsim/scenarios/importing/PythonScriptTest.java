package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardsim.simulator.yaml.InputException;
import io.shardsim.simulator.yaml.YamlNode;
import io.shardsim.simulator.yaml.YamlNode.Entry;
import io.shardsim.simulator.yaml.YamlNode.Mapping;
import io.shardsim.simulator.yaml.YamlNode.Scalar;
import io.shardsim.simulator.yaml.YamlNode.Sequence;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What scripts and notebooks come to without being executed. */
class PythonScriptTest {
    private static final String SCRIPT = """
            import torch
            from peft import (
                LoraConfig,
            )
            MODEL = "meta-llama/Llama-2-7b-hf"  # the base
            SEQ = 1024 * 2

            @decorated
            def text_of(x, *more, key=lambda a, b: a):
                return f"### {x['a']}\\n{x['b']}"

            class Holder:
                bf16 = "not this one"

            bf16 = True
            bnb = BitsAndBytesConfig(load_in_4bit=True, bnb_4bit_compute_dtype=torch.bfloat16)
            model = AutoModelForCausalLM.from_pretrained(MODEL, quantization_config=bnb, device_map="auto")
            tokenizer = AutoTokenizer.from_pretrained("somebody/another-model")
            adapters = LoraConfig(r=16, lora_alpha=32, target_modules=["q_proj", "v_proj"])

            def main():
                bs = 4
                args = TrainingArguments(
                    output_dir="out", per_device_train_batch_size=bs, gradient_accumulation_steps=8 // 2, bf16=bf16,
                    gradient_checkpointing=True, learning_rate=2e-4)
                trainer = SFTTrainer(model=model, args=args, peft_config=adapters, max_seq_length=SEQ, packing=True)
                [print(x) for x in trainer.train()]

            if __name__ == "__main__":
                main()
            """;

    private static String value(YamlNode node) {
        if (node instanceof Mapping block) {
            return block.entries().stream().map(PythonScriptTest::value).collect(Collectors.joining(", ", "{", "}"));
        }
        return node instanceof Sequence list
                ? list.items().stream().map(PythonScriptTest::value).collect(Collectors.joining(", ", "[", "]"))
                : ((Scalar) node).text();
    }

    private static String value(Entry entry) {
        return entry.key() + ": " + value(entry.value());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a = 1_024 * 2 + 1 | 2049",
                "b = 7 // 2; a = -b % 2 | -1",
                "a = b = 'x' 'y' | xy",
                "d = {'k': [1, 2], **{'m': 3}}; a = d['k'][-1] + d['m'] | 5",
                "d = dict(k=4); d['k'] = 5; d.update({'m': 6}); a = d | {k: 5, m: 6}",
                "x = None; a = 1 if x is None else 2 | 1",
                "x = 0; a = 'no' if not x and x != 1 else 'yes' | no",
                "a = 'p4d' in ['p4d', 'p5'] | true",
                "a: int = 3 | 3",
                "a = (1, (2)) | [1, 2]",
                "a = {'k': f(x), 'm': [y for y in z]} | {k: f(), m: [y for y in z]}",
                "if 1 > 2: a = 3~else: a = 4 | 4",
                "if 1 > 2:~  a = 3~elif 2 > 1:~  a = 5~else:~  a = 4 | 5",
                "a = {}~for k, v in {'x': 1}.items():~  a[k] = v | null",
                "m = {'x': 1, 'y': 2}~a = {}~for k, v in m.items():~  a[k] = v | {x: 1, y: 2}",
                "a = 1~if unknown:~  a = 2 | null",
                "a = {'k': 1}~if unknown:~  a['k'] = 2 | {k: what a condition decides}",
                "a = 1~a += 1 | null",
                "a = 1~def f():~  a = 2 | 1",
                "b, a = 1, (2, 3) | [2, 3]",
                "a = 1~a, b = load() | null",
                "a = 1~a, b = c() , 2 | null",
                "a = 1~try:~  a = 2~except E:~  a = 3 | null",
                "a = 1~  b = 2~c = 3 | 1",
                "a = some_call() | null"
            })
    void whatFollowsIsKnown(String script, String expected) {
        String text = script.replace('~', '\n');
        Map<String, YamlNode> set = PythonScript.read(text).set();
        assertThat(set.containsKey("a") ? value(set.get("a")) : "null").as(text).isEqualTo(expected);
    }

    @Test
    void aScriptOfTheTrainerIsReadWithItsModelAndAdapters() throws Exception {
        Imported read = ScenarioImport.readText("train.py", SCRIPT, Choices.NONE);
        assertThat(read.text())
                .contains("model: llama2-7b\n", "sequence_length: 2048\n", "micro_batch: 4\n", "precision: bf16\n")
                .contains("global_batch: 128  # micro-batch x 4 accumulation steps x 8 replicas")
                .contains("r: 16\n  target_modules: [q_proj, v_proj]\n  frozen_bits: 4\n");
    }

    @Test
    void whatDependsOnTheUnknownIsAskedFor() {
        assertThat(problem(SCRIPT.replace("adapters = LoraConfig", "if args.lora:\n    adapters = LoraConfig")))
                .startsWith("20: LoraConfig is called in a loop, or under a condition");
        assertThat(problem(SCRIPT.replace("MODEL = \"meta-llama/Llama-2-7b-hf\"", "MODEL = args.model")))
                .isEqualTo(
                        "17: model_name_or_path is MODEL, which is not followed; write the value itself, or give --model NAME");
    }

    /** What a script sets up by itself is refused rather than passed over. */
    @Test
    void whatIsNotReadOfAScriptIsRefused() {
        String start = "args = TrainingArguments(output_dir='o', per_device_train_batch_size=4, bf16=True)\n";
        assertThat(problem(start + "t = SFTTrainer('Qwen/Qwen3-8B', args=args)\n"))
                .contains("model: qwen3-8b\n");
        assertThat(problem(start + "t = Trainer(model=build(), args=args)\n"))
                .startsWith("2: model_name_or_path is build(), which is not followed");
        assertThat(problem(start + "m = AutoModel.from_pretrained([1])\n"))
                .contains("from_pretrained(), which is not followed");
        assertThat(problem(start + "m = AutoModel.from_pretrained('a/b')\nn = AutoModel.from_pretrained('c/d')\n"))
                .startsWith("3: loads a second model");
        assertThat(problem(start + "accelerator = Accelerator(gradient_accumulation_steps=4)\n"))
                .startsWith("2: Accelerator decides the strategy");
        assertThat(problem(start + "model = FSDP(model)\n")).startsWith("2: FSDP decides the strategy");
        for (Map.Entry<String, String> each : Map.of(
                        "from peft import LoraConfig as LC\nc = LC(r=8)\n", "3: LC is never used",
                        "m = get_peft_model(m, PrefixTuningConfig(num_virtual_tokens=20))\n",
                                "2: PrefixTuningConfig trains other",
                        "m = get_peft_model(m, LoraConfig(r=8, use_dora=True))\n", "2: use_dora trains more",
                        "for p in m.parameters():\n    p.requires_grad = False\n", "3: requires_grad freezes",
                        "args.gradient_checkpointing = True\n", "2: args.gradient_checkpointing is set after the call",
                        "t = Trainer(model='a/b', args=args, optimizers=(o, None))\n",
                                "2: optimizers passes its own optimizer",
                        "class Mine(TrainingArguments):\n    pass\n", "2: Mine is an arguments class")
                .entrySet()) {
            assertThat(problem(start + each.getKey())).as(each.getKey()).startsWith(each.getValue());
        }
        assertThat(problem(start.replace("bf16=True", "bf16=True, **more()")))
                .startsWith("1: **more() cannot be determined");
        for (String bound : List.of(
                "n, m = 6, f()[0]",
                "n, m = f(), 7",
                "for n in (9, 10): pass",
                "if (n := 12): pass",
                "with a as n: pass")) {
            assertThat(problem("n = 4\n" + bound + "\n" + start.replace("size=4", "size=n")))
                    .as(bound)
                    .startsWith("3: per_device_train_batch_size is n, which is not followed; write the value itself");
        }
        assertThat(problem(start
                        + "c = GPT2Config(n_embd=1600, n_layer=48, n_head=25, n_positions=1024, vocab_size=50257)\n"))
                .contains("hidden: 1600", "layers: 48");
    }

    /** An expression that is not followed is named as it is written, with the option that says its value. */
    @Test
    void whatIsNotFollowedIsAskedForAsItIsWritten() {
        String start = "m = AutoModel.from_pretrained(config['model'])\nargs = TrainingArguments("
                + "per_device_train_batch_size=int(os.environ['BS']), gradient_accumulation_steps=64 // world, bf16=True)\n";
        assertThatThrownBy(() -> ScenarioImport.readText("train.py", start, Choices.NONE))
                .hasMessageContaining(
                        "per_device_train_batch_size is os.environ[\"BS\"], which is not followed; write the value itself")
                .hasMessageContaining("gradient_accumulation_steps is 64//world, which is not followed")
                .hasMessageContaining(
                        "model_name_or_path is config[\"model\"], which is not followed; write the value itself,"
                                + " or give --model NAME");
        String known = start.replace("int(os.environ['BS'])", "4").replace("64 // world", "2")
                + "t = SFTTrainer(m, args, max_seq_length=n)\n";
        assertThat(problem(known.replace("config['model']", "'meta-llama/Llama-2-7b-hf'")))
                .contains(
                        "max_seq_length is n, which is not followed; write the value itself, or give --sequence-length N");
        assertThat(problem(known, new Choices(null, "llama2-13b", null, null, 1024L, List.of())))
                .contains("model: llama2-13b\n", "sequence_length: 1024\n");
        assertThat(
                        problem(
                                "instance_count = count\ndistribution = {'smdistributed': {'dataparallel': {'enabled': True}}}\n"))
                .contains("instance_count is count, which is not followed; write the value itself, or give --nodes N");
        assertThat(problem(SCRIPT.replace("[\"q_proj\", \"v_proj\"]", "[\"q_proj\", other]")))
                .contains("lora_target_modules is other, which is not followed");
        assertThat(problem(SCRIPT.replace("bf16=bf16", "bf16=bf16, optim=OptimizerNames.ADAMW_TORCH")))
                .doesNotContain("not followed");
    }

    private static final String PARSER = """
            def get_args(argv=None):
                parser = argparse.ArgumentParser()
                group = parser.add_argument_group("training")
                group.add_argument("-b", "--batch-size", type=int, default=8)
                parser.add_argument("--model", default="meta-llama/Llama-2-7b-hf", help="name (or path)")
                parser.add_argument("--ckpt", action="store_true")
                parser.add_argument("--lora", action="store_true")
                parser.add_argument("--deepspeed", default=None)
                args, unknown = parser.parse_known_args()
                return args

            def main(args):
                targs = TrainingArguments(
                    output_dir="o", per_device_train_batch_size=args.batch_size // 2, bf16=True,
                    gradient_checkpointing=args.ckpt, learning_rate=args.lr, deepspeed=args.deepspeed)
                model = AutoModelForCausalLM.from_pretrained(args.model)
                if args.lora:
                    model = get_peft_model(model, LoraConfig(r=8))

            main(get_args())
            """;

    /** Started without arguments, a script takes the defaults that it declares; each is an assumption. */
    @Test
    void defaultsOfArgumentsAreTakenAndSaid() throws Exception {
        Imported read = ScenarioImport.readText("train.py", PARSER, Choices.NONE);
        assertThat(read.text())
                .contains("model: llama2-7b  # assumed: the default of --model\n")
                .contains("micro_batch: 4  # assumed: the default of --batch-size\n")
                .doesNotContain("lora:");
        assertThat(ImportReport.summary(read))
                .contains(
                        "assumed training.micro_batch: 4 (per_device_train_batch_size is 4, the default of --batch-size)",
                        "assumed training.activation_checkpointing: none (gradient_checkpointing is false, the default of --ckpt)",
                        "assumed strategy.kind: ddp (deepspeed is null, the default of --deepspeed)",
                        "assumed --lora: its default (a condition in line 17 of train.py depends on it)");
        assertThat(problem(PARSER.replace("def get_args(argv=None)", "def parse_args()")
                        .replace("get_args()", "parse_args()")))
                .contains("micro_batch: 4  # assumed");
        assertThat(problem(PARSER.replace("main(get_args())", "args = get_args()\nmain(args=args)\n")))
                .contains("micro_batch: 4  # assumed");
        assertThat(problem(PARSER.replace("def main(args)", "def main(args, batch)")
                        .replace("main(get_args())", "args = get_args()\nmain(args, args.batch_size)")
                        .replace("args.batch_size // 2", "batch")))
                .contains("micro_batch: 8  # assumed: the default of --batch-size");
        assertThat(problem(PARSER.replace("main(get_args())", "args = get_args()\nargs = other()\nmain(args)\n")))
                .contains("which is not followed");
        assertThat(problem(PARSER.replace("default=8", "required=True").replace(" // 2", "")))
                .startsWith(
                        "4: per_device_train_batch_size is --batch-size of the command line, which is not followed");
        String preset =
                PARSER.replace("    args, unknown", "    parser.set_defaults(batch_size=16)\n    args, unknown");
        assertThat(problem(preset)).contains("micro_batch: 8  # assumed: the default of batch_size");
        assertThat(problem(PARSER.replace("default=\"meta-llama/Llama-2-7b-hf\"", "type=str")))
                .contains(
                        "model_name_or_path is AutoModelForCausalLM.from_pretrained(), which is not followed; write the value itself, or give --model");
        assertThat(problem(PARSER.replace("default=\"meta-llama/Llama-2-7b-hf\"", "required=True")))
                .startsWith(
                        "5: model_name_or_path is --model of the command line, which is not followed; write the value itself,"
                                + " or give --model NAME");
    }

    /** What may change an argument after it is parsed leaves it open. */
    @Test
    void argumentsThatChangeAreNotFollowed() {
        for (String change : List.of(
                "args.batch_size = 2",
                "args.batch_size //= 2",
                "args.batch_size += 2",
                "if x: args.batch_size = 2",
                "a, args.batch_size = 1, 2",
                "setattr(args, 'batch_size', 2)",
                "parser.set_defaults(batch_size=n)",
                "if x: parser.set_defaults(batch_size=2)",
                "parser.set_defaults(**{'batch_size': n})",
                "parser.set_defaults(**cfg)",
                "parser.add_argument('--batch_size', default=2)")) {
            assertThat(problem(PARSER.replace("    args, unknown", "    " + change + "\n    args, unknown")))
                    .as(change)
                    .contains("per_device_train_batch_size is args.batch_size//2 after ", ", which is not followed");
        }
        assertThat(problem(PARSER.replace(
                        "    args, unknown", "    parser.set_defaults(batch_size=n)\n    args, unknown")))
                .contains("args.batch_size//2 after set_defaults in line 9, which is not followed; write the value");
        for (String other : List.of("default=os.cpu_count()", "type=parse, default='8'", "type=int, default='x'")) {
            assertThat(problem(PARSER.replace("type=int, default=8", other)))
                    .as(other)
                    .contains("per_device_train_batch_size is args.batch_size//2, which is not followed");
        }
        assertThat(problem(PARSER.replace("parse_known_args()", "parse_known_args(argv)")))
                .contains("which is not followed");
    }

    /** As argparse converts them. */
    @Test
    void textsOfDefaultsAreConverted() {
        assertThat(problem(PARSER.replace("default=8", "default='8'"))).contains("micro_batch: 4  # assumed");
        assertThat(problem(PARSER.replace("parse_known_args()", "parse_known_args([])")))
                .contains("micro_batch: 4  # assumed");
        assertThat(problem("""
                args = argparse.Namespace(bs=4)
                targs = TrainingArguments(output_dir="o", per_device_train_batch_size=args.bs * 2, bf16=True)
                model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf")
                """)).contains("micro_batch: 8\n");
    }

    @Test
    void whatIsAssumedOfOneSettingIsSaidOnce() throws Exception {
        Imported read = ScenarioImport.readText("train.py", """
                parser.add_argument("--bf16", action="store_true")
                args = parser.parse_args()
                targs = TrainingArguments(output_dir="o", per_device_train_batch_size=4, bf16=args.bf16)
                model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf", attn_implementation="flash_attention_2")
                """, Choices.NONE);
        assertThat(ImportReport.summary(read))
                .contains("assumed training.precision: bf16 (flash attention needs BF16 or FP16, and no file "
                        + "sets it; bf16 is false, the default of --bf16)")
                .noneMatch(line -> line.startsWith("assumed bf16"));
    }

    @Test
    void whatIsReadFromACommandLineIsAskedFor() {
        assertThat(
                        problem(
                                "parser = HfArgumentParser((TrainingArguments,))\nargs, = parser.parse_args_into_dataclasses()\n"))
                .isEqualTo("1: HfArgumentParser reads the arguments from a command line or a file; give that too, as a"
                        + " shell script, JSON or YAML, and leave out this script");
    }

    @Test
    void anEstimatorWithoutADistributionIsReadAndItsStrategyIsAskedFor() throws Exception {
        String script = """
                e = PyTorch(entry_point="train.py", instance_type="ml.p4d.24xlarge", instance_count=2,
                  hyperparameters={"model_name_or_path": "meta-llama/Llama-2-7b-hf", "per_device_train_batch_size": 4, "bf16": True})
                """;
        assertThat(problem(script)).contains("entry_point train.py decides the answer: without a distribution");
        Choices accepted = new Choices(null, null, null, null, null, List.of("entry_point"));
        assertThat(ScenarioImport.readText("e.py", script, accepted).text())
                .contains("model: llama2-7b\n", "nodes: 2\n", "micro_batch: 4\n");
        assertThat(ScenarioImport.readTexts(
                                Map.of("e.py", script, "z.json", "{\"zero_optimization\": {\"stage\": 3}}"),
                                Choices.NONE)
                        .text())
                .contains("kind: zero3-0.11");
    }

    @Test
    void parametersThatTheOnlyCallLeavesOutAreTheirDefaults() {
        String script = """
                def train(model, bs=8, *, steps: int = 4):
                    t = TrainingArguments(per_device_train_batch_size=bs, bf16=True, gradient_accumulation_steps=steps)
                    m = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf")
                train(m)
                """;
        assertThat(problem(script)).contains("micro_batch: 8\n", "micro-batch x 4 accumulation steps");
        assertThat(problem(script.replace("(m)", "(m, 2, steps=1)"))).contains("bs, which is not followed");
        for (String call : List.of(
                "train(m, n, steps=k)", "train(*m)", "train(m); train(m, 2)", "fire.Fire(train)", "a.train(m)")) {
            assertThat(problem(script.replace("train(m)\n", call + "\n")))
                    .as(call)
                    .contains("per_device_train_batch_size is bs, which is not followed");
        }
    }

    /** The simulated format of 4 bits has quantized scales. */
    @Test
    void doubleQuantizationIsWhatIsSimulated() throws Exception {
        String nested = SCRIPT.replace("load_in_4bit=True", "load_in_4bit=True, bnb_4bit_use_double_quant=True");
        assertThat(ScenarioImport.readText("train.py", nested, Choices.NONE).keys())
                .filteredOn(key -> key.key().matches("load_in_4bit|bnb_4bit_use_double_quant"))
                .extracting(KeyVerdict::verdict)
                .containsExactly(Verdict.MODELLED, Verdict.MODELLED);
        for (String plain : List.of(SCRIPT, nested.replace("quant=True", "quant=False"))) {
            assertThat(ScenarioImport.readText("train.py", plain, Choices.NONE).keys())
                    .filteredOn(key -> key.key().equals("load_in_4bit"))
                    .extracting(KeyVerdict::note)
                    .containsExactly("lora.frozen_bits has quantized scales of 0.13 bits a weight; these take 0.5");
        }
    }

    private static final String TRAINER = """
            model = AutoModelForCausalLM.from_pretrained("meta-llama/Llama-2-7b-hf")
            args = TrainingArguments(output_dir="o", per_device_train_batch_size=4, bf16=True)
            trainer = Trainer(model=model, args=args)
            """;

    @Test
    void twoTrainingsInOneScriptAreNamed() {
        assertThat(problem(TRAINER + "other = TrainingArguments(output_dir='p', per_device_train_batch_size=8)\n"))
                .isEqualTo("4: TrainingArguments is called in line 2 and in line 4; only one training run is "
                        + "simulated. Remove one of the calls");
    }

    /** A function of the script's own is no configuration, whatever its arguments are called. */
    @Test
    void callsOfTheScriptsOwnFunctionsAreNoConfigurations() {
        String own =
                "def build(model, gradient_checkpointing=True, bf16=True, per_device_train_batch_size=1):\n    pass\n";
        assertThat(problem(
                        own + "build(model, gradient_checkpointing=True, bf16=False, per_device_train_batch_size=2)\n"
                                + TRAINER))
                .contains("micro_batch: 4\n", "activation_checkpointing: none");
    }

    /** An import attaches nothing. */
    @Test
    void adaptersCountWhereTheyAreAttached() {
        String adapters = "from peft import LoraConfig, get_peft_model\nc = LoraConfig(r=8)\n";
        for (String unattached : List.of("", "peft_config = c\n", "t = SFTTrainer(model=model, peft_config=None)\n")) {
            assertThat(problem(adapters + unattached + TRAINER))
                    .as(unattached)
                    .startsWith("2: LoraConfig is never used");
        }
        for (String attached : List.of(
                "model = get_peft_model(model, c)\n",
                "model.add_adapter(c)\n",
                "t = SFTTrainer(model=model, peft_config=c)\n")) {
            assertThat(problem(adapters + TRAINER + attached)).as(attached).contains("lora:\n  r: 8");
        }
        assertThat(problem(adapters + TRAINER + "t = SFTTrainer(model=model, peft_config=c if x else None)\n"))
                .contains("peft_config");
    }

    @Test
    void kernelsOfLigerThatAScriptPutsInAreTaken() throws Exception {
        String start = "from liger_kernel.transformers import apply_liger_kernel_to_llama\n";
        assertThat(problem(start + TRAINER)).doesNotContain("liger");
        assertThat(problem(start + "apply_liger_kernel_to_llama()\n" + TRAINER)).contains("framework_profile: liger");
        assertThat(problem(TRAINER.replace("AutoModelFor", "AutoLigerKernelFor")))
                .contains("framework_profile: liger");
        assertThat(ScenarioImport.readText(
                                "train.py", start + "apply_liger_kernel_to_llama(rope=False)\n" + TRAINER, Choices.NONE)
                        .keys())
                .filteredOn(key -> key.key().equals("liger_kernel_config.rope"))
                .extracting(KeyVerdict::verdict)
                .containsExactly(Verdict.APPROXIMATED);
        assertThat(problem(start + "if x:\n    apply_liger_kernel_to_llama()\n" + TRAINER))
                .startsWith("3: apply_liger_kernel_to_llama is called");
        assertThat(problem("if 1 > 2:\n    model.gradient_checkpointing_enable()\n    model = FSDP(model)\n" + TRAINER))
                .contains("activation_checkpointing: none");
    }

    /** Not by the first sign that a pasted dict would not have. */
    @Test
    void aScriptWithoutACallThatIsReadIsNamedAsOne() {
        assertThat(
                        problem(
                                "for lr in [1e-4, 2e-4]:\n    args = TrainingArguments(per_device_train_batch_size=4, learning_rate=lr)\n"))
                .startsWith("2: TrainingArguments is called in a loop, or under a condition");
        for (String script : List.of(
                "@dataclass\nclass Config:\n    batch: int = 4\n",
                "model, tok = load()\ntrain(model)\n",
                "a, b = 1, 2\n",
                "import torch\nprint('x')\n")) {
            assertThat(problem(script))
                    .as(script)
                    .startsWith(
                            "1: is a Python script without an estimator or TrainingArguments; pass the training arguments");
        }
        assertThat(problem("ds = {'zero_optimization': {'stage': 3} 'bf16': 1}\n"))
                .contains("a comma or }");
    }

    private static final String ESTIMATOR = """
            est = HuggingFace(entry_point="train.py", instance_type="ml.p4d.24xlarge", instance_count=2,
                distribution={"torch_distributed": {"enabled": True}}, hyperparameters={"model_id": "meta-llama/Llama-2-7b-hf"})
            """;

    @Test
    void hyperparametersAreReadWhereverTheyAreGiven() {
        String own = "hidden_width=2048, num_layers=4, num_heads=16, max_context_width=1024, train_batch_size=2";
        String plain = ESTIMATOR.replace(", hyperparameters={\"model_id\": \"meta-llama/Llama-2-7b-hf\"}", "");
        for (String call : List.of(own, "**dict(" + own + ")")) {
            assertThat(problem(plain + "est.set_hyperparameters(" + call + ")\nest.fit()\n"))
                    .as(call)
                    .contains("hidden: 2048", "micro_batch: 2", "sequence_length: 1024");
        }
        assertThat(problem(plain + "est.set_hyperparameters(**more())\n"))
                .startsWith("3: **more() cannot be determined");
        assertThat(problem(plain.replace("nt=2", "nt=2, hyperparameters={**more(), 'epochs': 1}")))
                .startsWith("1: **more() cannot be determined");
        assertThat(problem("est.set_hyperparameters(" + own + ")\n"))
                .startsWith("1: set_hyperparameters is called for one of 0 estimators");
    }

    @Test
    void hyperparametersNameTheModelAndAreThoseOfATrainer() {
        assertThat(problem(ESTIMATOR)).contains("model: llama2-7b\n");
        assertThat(problem(ESTIMATOR.replace("model_id", "model_name_or_path"))).contains("model: llama2-7b\n");
        assertThat(problem(ESTIMATOR.replace("meta-llama/Llama-2-7b-hf", "some/other-9b")))
                .isEqualTo(
                        "2: hyperparameters.model_id some/other-9b is not in the catalog; give its config.json too, or --model NAME");
        assertThat(problem(ESTIMATOR.replace(
                        "hyperparameters={", "hyperparameters={'per_device_train_batch_size': 3, 'bf16': True, ")))
                .contains("model: llama2-7b\n", "micro_batch: 3\n", "precision: bf16\n", "instance: p4d.24xlarge\n");
        assertThat(problem(ESTIMATOR.replace("hyperparameters={", "hyperparameters={'train_batch_size': 3, ")))
                .contains(
                        "hyperparameters.train_batch_size 3 decides the answer: the script decides whether this is the per-GPU");
    }

    private static String problem(String script) {
        return problem(script, Choices.NONE);
    }

    private static String problem(String script, Choices choices) {
        try {
            return ScenarioImport.readText("train.py", script, choices).text();
        } catch (InputException refused) {
            return refused.problems().get(0).position().line() + ": "
                    + refused.problems().get(0).message();
        }
    }

    /** Cells as strings and as lists of lines; places are those of the file. */
    @Test
    void theCellsOfANotebookAreOneScript() throws Exception {
        String notebook = """
                {"nbformat": 4, "cells": [
                  {"cell_type": "markdown", "source": ["degree = 4"]},
                  {"cell_type": "code", "source": [
                    "%%time\\n",
                    "degree = 16\\n",
                    "hyperparameters = {\\"hidden_width\\": 2048, \\"num_layers\\": 4, \\"num_heads\\": 16, \\"bf16\\": 1, \\"max_context_width\\": 1024}"]},
                  {"cell_type": "code", "source": "if degree > 8:\\n    hyperparameters[\\"train_batch_size\\"] = 2"},
                  {"cell_type": "code", "source": [
                    "estimator = PyTorch(role=role, instance_type='ml.p4d.24xlarge', instance_count=2,\\n",
                    "  hyperparameters=hyperparameters, distribution={'smdistributed': {'modelparallel': {'enabled': True,\\n",
                    "  'parameters': {'ddp': True, 'bf16': hyperparameters['bf16'] > 0, 'sharded_data_parallel_degree': degree}}}})"]}]}
                """;
        assertThat(ScenarioImport.readText("a.ipynb", notebook, Choices.NONE).text())
                .contains(
                        "hidden: 2048",
                        "kind: mics",
                        "shard_group: 16",
                        "micro_batch: 2",
                        "nodes: 2",
                        "precision: bf16");
        assertThatThrownBy(() -> ScenarioImport.readText(
                        "a.ipynb", notebook.replace("'ml.p4d.24xlarge'", "'ml.p9.48xlarge'"), Choices.NONE))
                .isInstanceOfSatisfying(
                        InputException.class,
                        refused -> assertThat(
                                        refused.problems().get(0).position().line())
                                .isEqualTo(9));
        assertThatThrownBy(
                        () -> ScenarioImport.readText("a.ipynb", notebook.replace("\"code\"", "\"raw\""), Choices.NONE))
                .isInstanceOf(InputException.class);
    }

    private static String notebook(String... cells) {
        String all = Stream.of(cells)
                .map(cell -> "{\"cell_type\": \"code\", \"source\": \""
                        + cell.replace("\"", "\\\"").replace("\n", "\\n") + "\"}")
                .collect(Collectors.joining(",\n"));
        try {
            return String.join(
                    "\n",
                    ImportReport.summary(ScenarioImport.readText(
                            "a.ipynb", "{\"nbformat\": 4, \"cells\": [\n" + all + "]}", Choices.NONE)));
        } catch (InputException refused) {
            return refused.getMessage();
        }
    }

    /** Cells of a shell and files that cells write are no Python of the notebook; what they launch is not read. */
    @Test
    void otherCellsOfANotebookArePassedOver() {
        String shell = "%%bash\nif true; then echo (\nfor x in {'\n";
        assertThat(notebook("%%time\n" + TRAINER, shell)).contains("keys: 0 not modelled");
        assertThat(notebook(shell, "!pip install deepspeed accelerate", TRAINER))
                .contains("keys: 0 not modelled");
        assertThat(notebook("%%writefile train.py\n" + TRAINER.replace("size=4", "size=2"), TRAINER))
                .contains("keys: 0 not modelled");
        for (String launch : List.of(
                "%%bash\nA=1 torchrun --nproc_per_node 8 train.py",
                "!deepspeed train.py --deepspeed ds.json",
                "!accelerate launch train.py",
                "!python -m torch.distributed.run train.py")) {
            assertThat(notebook(TRAINER, launch))
                    .as(launch)
                    .contains("launches training, but launch commands in notebooks are not read; pass the command "
                            + "as a shell script");
        }
        assertThat(notebook("%env NCCL_P2P_DISABLE=1", TRAINER)).contains("env.NCCL_P2P_DISABLE = 1: slows the job");
        assertThat(notebook("%env NCCL_P2P_DISABLE 1", TRAINER)).contains("env.NCCL_P2P_DISABLE = 1: slows the job");
        assertThat(notebook("os.environ[\"NCCL_P2P_DISABLE\"] = \"1\"", TRAINER))
                .contains("env.NCCL_P2P_DISABLE = 1: slows the job");
    }

    @Test
    void noTextEndsInAnythingButWhatItComesTo() {
        SplittableRandom random = new SplittableRandom(11);
        List<String> parts = List.of(
                "(",
                ")",
                "[",
                "]",
                "{",
                "}",
                ":",
                "=",
                "\n",
                "    ",
                "'",
                "\"\"\"",
                "\\",
                "if ",
                "for ",
                "**",
                ".",
                ",",
                "not ",
                "0e9",
                "1e999999999",
                "%",
                "/0");
        for (int i = 0; i < 3000; i++) {
            StringBuilder text = new StringBuilder(SCRIPT);
            for (int j = random.nextInt(6); j >= 0; j--) {
                int at = random.nextInt(text.length());
                if (random.nextBoolean()) {
                    text.insert(at, parts.get(random.nextInt(parts.size())));
                } else {
                    text.delete(at, Math.min(text.length(), at + random.nextInt(30)));
                }
            }
            PythonScript.read(text.toString());
            if (i % 10 == 0) {
                problem(text.toString());
            }
        }
        assertThat(PythonScript.read("a = " + "(".repeat(100_000)).set()).doesNotContainKey("a");
        assertThat(PythonScript.read("a = " + "-".repeat(100_000) + "1").set()).containsKey("a");
        assertThat(PythonScript.read("if x:\n".repeat(5_000)).set()).doesNotContainKey("a");
    }
}
