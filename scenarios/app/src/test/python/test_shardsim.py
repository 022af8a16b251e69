"""shardsim.py against a JVM of its own, and what docs/notebook.md shows. NotebookIT runs these; SHARDSIM_COMMAND starts the packaged jar."""

import contextlib
import copy
import io
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[4]
sys.path.insert(0, str(HERE.parents[1] / "main" / "python"))

import shardsim  # noqa: E402

SMALL = {
    "model": {"hidden": 1024, "layers": 2, "heads": 16, "vocab": 32000},
    "cluster": {"instance": "p4d.24xlarge", "nodes": 2},
    "training": {"sequence_length": 512, "global_batch": 32, "micro_batch": 2},
    "strategy": {"kind": "fsdp2"},
}

YAML = """
scenario: written
model: {hidden: 1024, layers: 2, heads: 16, vocab: 32000}
cluster: {instance: p4d.24xlarge, nodes: 2}
training: {sequence_length: 512, global_batch: 32, micro_batch: 2}   # a comment
strategy: {kind: fsdp2}
"""


def small(**training):
    scenario = copy.deepcopy(SMALL)
    scenario["training"].update(training)
    return scenario


def jvm():
    return shardsim._session._process


class RunTest(unittest.TestCase):
    def test_a_dict_a_text_and_a_path_are_one_scenario(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "small.yaml"
            path.write_text(YAML)
            results = [shardsim.run(each) for each in (SMALL, YAML, path, str(path))]
        self.assertEqual(1, len({rows[0].digest for rows in results}))
        self.assertEqual(16, results[0][0].gpus)
        self.assertEqual("notebook", results[0][0]["scenario"])

    def test_a_row_has_the_columns_of_results_csv_and_the_values_of_results_json(self):
        with tempfile.TemporaryDirectory() as folder:
            rows = shardsim.run(SMALL, set={"cluster.nodes": [1, 2]}, out=folder)
            columns = (Path(folder) / "results.csv").read_text().splitlines()[0].split(",")
            document = json.loads((Path(folder) / "results.json").read_text())
        self.assertEqual(2, len(rows))
        self.assertEqual([1, 2], [row["point.cluster.nodes"] for row in rows])
        self.assertEqual(columns, list(rows[0]))
        self.assertEqual(document, rows.document)
        for row, run in zip(rows, document["runs"]):
            for column in set(row) & set(run):
                self.assertEqual(run[column], row[column], column)
            self.assertIsInstance(row.step_seconds, float)
            self.assertIsInstance(row.memory_needed_bytes, int)
        self.assertEqual(max(row.samples_per_second for row in rows), rows.fastest.samples_per_second)
        with self.assertRaisesRegex(AttributeError, "no column samples; columns: point.cluster.nodes, step_seconds, "):
            rows[0].samples

    def test_what_does_not_fit_is_a_row_without_figures(self):
        rows = shardsim.run(SMALL, set={"model": "gpt3-175b", "cluster.nodes": 1, "training.sequence_length": 2048})
        self.assertEqual("out_of_memory", rows[0].status)
        self.assertIsNone(rows[0].samples_per_second)
        self.assertIsNone(rows.fastest)

    def test_what_a_scenario_asserts_is_told(self):
        self.assertTrue(shardsim.run(SMALL).holds)
        rows = shardsim.run(dict(SMALL, **{"assert": {"each": ["fits", "samples_per_second >= 1e9"]}}))
        self.assertFalse(rows.holds)
        self.assertEqual(1, len(rows))
        self.assertIn("samples_per_second", "".join(rows.notes))

    def test_a_run_writes_no_files_unasked(self):
        with tempfile.TemporaryDirectory() as folder:
            before = os.getcwd()
            os.chdir(folder)
            try:
                with shardsim.Session() as session:
                    session.run(SMALL, set={"cluster.nodes": [1, 2]})
                    session.plan(SMALL, free=["training.micro_batch"])
                self.assertEqual([], os.listdir(folder))
            finally:
                os.chdir(before)

    def test_progress_ends_and_trials_add_advice(self):
        heard = []
        rows = shardsim.run(SMALL, trials=True, progress=lambda share, text: heard.append((share, text)))
        self.assertTrue(all(0 <= share <= 1 and text for share, text in heard))
        self.assertTrue(heard)
        self.assertTrue(rows.document["runs"][0]["trials"])
        with self.assertRaisesRegex(RuntimeError, "may not call"):
            shardsim.run(SMALL, progress=lambda share, text: shardsim.run(SMALL))
        self.assertEqual(1, len(shardsim.run(SMALL)))


class OtherCommandsTest(unittest.TestCase):
    def test_plan_finds_the_best_of_what_is_free(self):
        plan = shardsim.plan(SMALL, free=["training.micro_batch"], tokens=3e11, threads=1)
        self.assertTrue(plan["complete"])
        best = plan["candidates"][0]
        chosen = {block: best[block] for block in ("strategy", "training", "cluster")}
        [row] = shardsim.run(dict(SMALL, **chosen))
        self.assertEqual(best["digest"], row.digest)
        self.assertAlmostEqual(best["step_seconds"], row.step_seconds, 9)

    def test_compare_prices_what_differs(self):
        compared = shardsim.compare(SMALL, small(micro_batch=1))
        self.assertIn("training.micro_batch", [each["key"] for each in compared["differences"]])
        self.assertAlmostEqual(
            compared["change_seconds"], sum(cause["change_seconds"] for cause in compared["causes"]), 9
        )

    def test_fits_says_on_how_many_gpus(self):
        fits = shardsim.fits("llama3-8b", gpu="h100-80gb", lora=True)
        self.assertEqual(1, min(way["gpus"] for way in fits["ways"] if "gpus" in way))
        self.assertEqual(4096, fits["sequence_length"])

    def test_any_command_with_json_can_be_asked(self):
        self.assertIn("runs", shardsim.ask("what-if", SMALL, threads=1))


class ErrorsTest(unittest.TestCase):
    def test_all_problems_come_at_once(self):
        wrong = small(global_batch=0)
        wrong["strategy"] = {"kind": "fsdp3"}
        with self.assertRaises(shardsim.InvalidScenario) as refused:
            shardsim.run(wrong)
        self.assertEqual(2, len(refused.exception.problems))
        self.assertRegex(str(refused.exception), r"scenario:1:\d+: .*global_batch")
        self.assertIn("did you mean fsdp", str(refused.exception))

    def test_wrong_options_name_the_nearest(self):
        with self.assertRaisesRegex(shardsim.InvalidScenario, "unknown option --thread=1; did you mean --threads"):
            shardsim.run(SMALL, thread=1)
        with self.assertRaisesRegex(shardsim.InvalidScenario, "none.yaml: no such file"):
            shardsim.run("none.yaml")
        with self.assertRaisesRegex(shardsim.InvalidScenario, "type rnu is not known; did you mean run"):
            shardsim.ask("rnu")

    def test_what_is_no_value_is_refused_before_it_is_sent(self):
        with self.assertRaisesRegex(TypeError, "is no value of a scenario"):
            shardsim.run(small(micro_batch=object()))
        with self.assertRaises(ValueError):
            shardsim.run(small(micro_batch=float("nan")))

    def test_pandas_is_used_or_named(self):
        rows = shardsim.run(SMALL)
        fits = shardsim.fits("llama3-8b", gpu="h100-80gb", lora=True)
        try:
            import pandas
        except ImportError:
            with self.assertRaisesRegex(ImportError, "pip install pandas"):
                rows.to_pandas()
        else:
            self.assertIsInstance(rows.to_pandas(), pandas.DataFrame)
            self.assertEqual(rows[0].step_seconds, rows.to_pandas().step_seconds[0])
            self.assertEqual(len(fits["ways"]), len(fits.to_pandas()))


class JvmTest(unittest.TestCase):
    def test_calls_share_one_jvm(self):
        shardsim.run(SMALL)
        first = jvm().pid
        digests = {shardsim.run(small(global_batch=32 * batch))[0].digest for batch in range(1, 21)}
        self.assertEqual(20, len(digests))
        self.assertEqual(first, jvm().pid)

    def test_threads_take_turns(self):
        expected = {nodes: shardsim.run(SMALL, set={"cluster.nodes": nodes})[0].digest for nodes in (1, 2)}
        found = []

        def work(nodes):
            for _ in range(5):
                found.append((nodes, shardsim.run(SMALL, set={"cluster.nodes": nodes})[0].digest))

        threads = [threading.Thread(target=work, args=(nodes,)) for nodes in expected]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(10, len(found))
        self.assertTrue(all(digest == expected[nodes] for nodes, digest in found))

    @unittest.skipIf(os.name == "nt", "sends SIGINT")
    def test_ctrl_c_cancels_and_keeps_the_jvm(self):
        shardsim.run(SMALL)
        first = jvm().pid
        began = threading.Event()
        killer = threading.Thread(target=lambda: (began.wait(), os.kill(os.getpid(), signal.SIGINT)))
        killer.start()
        with self.assertRaises(KeyboardInterrupt):
            # Executes more than a billion events.
            shardsim.run("gpt2-30b-on-p4d", no_fast_forward=True, progress=lambda share, text: began.set())
        killer.join()
        self.assertEqual(1, len(shardsim.run(SMALL)))
        self.assertEqual(first, jvm().pid)

    def test_an_error_of_progress_cancels(self):
        def fail(share, text):
            raise LookupError(text)

        with self.assertRaises(LookupError):
            shardsim.run("gpt2-30b-on-p4d", no_fast_forward=True, progress=fail)
        self.assertEqual(1, len(shardsim.run(SMALL)))

    def test_a_jvm_that_dies_is_told_and_replaced(self):
        shardsim.run(SMALL)
        first = jvm().pid
        with self.assertRaisesRegex(shardsim.ServerEnded, "shardsim ended with status"):
            shardsim.run("gpt2-30b-on-p4d", no_fast_forward=True, progress=lambda share, text: jvm().kill())
        self.assertEqual(1, len(shardsim.run(SMALL)))
        self.assertNotEqual(first, jvm().pid)
        jvm().kill()
        jvm().wait()
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.assertEqual(1, len(shardsim.run(SMALL)))
        self.assertIn("Starting another", str(told[0].message))

    def test_what_cannot_start_is_told_with_its_last_words(self):
        python = [sys.executable, "-c"]
        with contextlib.redirect_stderr(io.StringIO()):
            with self.assertRaisesRegex(shardsim.ServerEnded, "(?s)with status 3, its last words:.*no Java here"):
                shardsim.Session(python + ["import sys; print('no Java here', file=sys.stderr); sys.exit(3)"]).run(SMALL)
        with self.assertRaisesRegex(shardsim.ServerEnded, "cannot be started: .*SHARDSIM_COMMAND"):
            shardsim.Session(["/nonexistent/shardsim"]).run(SMALL)
        with self.assertRaisesRegex(shardsim.ServerEnded, "same release"):
            shardsim.Session(python + ["print('{\"type\": \"hello\", \"version\": 2}'); input()"]).run(SMALL)

    def test_shardsim_is_looked_for_in_its_wheel_its_checkout_and_on_the_path(self):
        wheel = mock.Mock(**{"command.return_value": ["of the wheel"]})
        with mock.patch.dict(os.environ, {"SHARDSIM_COMMAND": "java -jar '/a b/shardsim.jar'"}):
            self.assertEqual(["java", "-jar", "/a b/shardsim.jar"], shardsim._command())
            del os.environ["SHARDSIM_COMMAND"]
            with mock.patch.dict(sys.modules, {"shardsim_tool": wheel}):
                self.assertEqual(["of the wheel"], shardsim._command())
            with mock.patch.dict(sys.modules, {"shardsim_tool": None}):
                if os.name != "nt":
                    self.assertEqual([str(ROOT / "shardsim")], shardsim._command())
                with mock.patch.object(shardsim, "__file__", "/elsewhere/shardsim.py"):
                    with mock.patch("shutil.which", return_value="/usr/bin/shardsim"):
                        self.assertEqual(["/usr/bin/shardsim"], shardsim._command())
                    with mock.patch("shutil.which", return_value=None):
                        with self.assertRaisesRegex(shardsim.ServerEnded, "no shardsim found; install the wheel or"):
                            shardsim._command()

    def test_the_jvm_ends_with_its_process(self):
        script = "import shardsim; shardsim.run({!r}); print(shardsim._session._process.pid)".format(SMALL)
        path = os.pathsep.join([str(HERE.parents[1] / "main" / "python"), os.environ.get("PYTHONPATH", "")])
        run = subprocess.run(
            [sys.executable, "-c", script], env=dict(os.environ, PYTHONPATH=path), stdout=subprocess.PIPE, check=True
        )
        pid = int(run.stdout)
        for _ in range(100):
            try:
                os.kill(pid, 0)
            except OSError:
                return
            time.sleep(0.1)
        self.fail("{} still runs".format(pid))


class DocumentTest(unittest.TestCase):
    """docs/notebook.md: its script runs as it stands there, prints what stands there, and has the values of results.json."""

    def test_the_script_makes_the_scaling_curve_of_the_readme(self):
        document = (ROOT / "docs" / "notebook.md").read_text()
        script, printed = re.search(r"```python\n(.*?)```\n.*?```\n(.*?)```", document, re.DOTALL).groups()
        self.assertLessEqual(len(script.splitlines()), 20)
        out, names = io.StringIO(), {}
        with contextlib.redirect_stdout(out):
            exec(script, names)
        self.assertEqual(printed, out.getvalue())
        call, refusal = re.search(r">>> (.*)\nshardsim.InvalidScenario: (.*)", document).groups()
        with self.assertRaises(shardsim.InvalidScenario) as refused:
            exec(call, names)
        self.assertEqual(refusal, str(refused.exception))

        with tempfile.TemporaryDirectory() as folder:
            library = ROOT / "scenarios" / "library" / "gpt2-30b-on-p4d.yaml"
            shardsim.run(library, out=folder)
            runs = json.loads((Path(folder) / "results.json").read_text())["runs"]
        figures = ("gpus", "strategy_label", "samples_per_second", "step_seconds", "digest")
        self.assertEqual(
            [[run.get(figure) for figure in figures] for run in runs],
            [[row.get(figure) for figure in figures] for row in names["rows"]],
        )
        self.assertEqual(15, len(runs))


if __name__ == "__main__":
    unittest.main()
