package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The part of the shell's language that training scripts are written in. */
class ShellScriptTest {
    private static List<String> last(String script) {
        List<List<ShellText>> commands = ShellScript.read(script).commands();
        return commands.get(commands.size() - 1).stream()
                .map(ShellText::toString)
                .toList();
    }

    @Test
    void variablesAreCutAtBlanksUnlessQuoted() {
        assertThat(last("A=\"--x 1\n --y 2\"\nrun $A \"$A\""))
                .containsExactly("run", "--x", "1", "--y", "2", "--x 1\n --y 2");
    }

    /** A variable in front of a command reaches it as an exported one does; one on a line of its own does not. */
    @Test
    void whatACommandIsGivenIsExported() {
        assertThat(ShellScript.read("A=1\nexport B=2\nC=3 D=4 run\n").exported())
                .containsOnlyKeys("B", "C", "D");
    }

    @Test
    void arraysStandForTheirWords() {
        assertThat(last("A=( --x 1 # one\n 'b c' )\nA+=(--z)\nrun \"${A[@]}\" ${A[@]}"))
                .containsExactly("run", "--x", "1", "b c", "--z", "--x", "1", "b", "c", "--z");
    }

    @Test
    void defaultsAndArithmeticAreWorkedOut() {
        assertThat(last("N=4\nrun ${N} ${M:-8} $((N * (2+1) % 7)) $[x] $((N/0))"))
                .containsExactly("run", "4", "8", "5", "$[x]", "$((N/0))");
    }

    @Test
    void continuedLinesCommentsAndRedirectionsAreNoWords() {
        assertThat(last("run a \\\n  b # c\\\n")).containsExactly("run", "a", "b");
        assertThat(ShellScript.read("run a > log 2>&1 <<E\nnot --a word\nE\n")
                        .commands()
                        .get(0))
                .hasSize(2);
    }

    @Test
    void whatOnlyAShellKnowsStaysAsItIsWritten() {
        assertThat(last("run $HOME_OF_NOBODY $(date +%s) `pwd`/x"))
                .containsExactly("run", "$HOME_OF_NOBODY", "$(date+%s)", "`pwd`/x");
    }

    @Test
    void everyWordKnowsItsPlace() {
        ShellScript script = ShellScript.read("A=7\nrun \\\n   --n $A");
        List<ShellText> words = script.commands().get(0);
        assertThat(script.position(words.get(1).offset())).hasToString("3:4");
        assertThat(script.position(words.get(2).offset())).hasToString("1:3");
    }

    /** What the words of the last command may stand for. */
    private static List<@Nullable String> doubts(String text) {
        ShellScript script = ShellScript.read(text);
        List<List<ShellText>> commands = script.commands();
        return commands.get(commands.size() - 1).stream().map(script::doubt).toList();
    }

    @Test
    void aLoopSetsItsVariableToEachWordInTurn() {
        assertThat(last("for A in 4; do\n B=$A\n run $A $B\ndone")).containsExactly("run", "4", "4");
        assertThat(doubts("for A in 4; do\n B=$A\n run $A $B\ndone")).containsOnlyNulls();
        assertThat(doubts("S=\"1 2\"\nfor A in $S; do\n B=$((A*8))\n run x$A $B --n=$A 3\ndone"))
                .containsExactly(
                        null,
                        "$A, which is set to 1, 2 in line 1",
                        "$A, which is set to 1, 2 in line 1",
                        "$A, which is set to 1, 2 in line 1",
                        null);
    }

    @Test
    void whatIsAskedOfSlurmIsInItsVariables() {
        String asked =
                "#SBATCH --nodes=2 # two\n#SBATCH -n 16\n#SBATCH --gres=gpu:a100:4\n#SBATCH --ntasks-per-node 8\n";
        assertThat(last(asked
                        + "run $((SLURM_JOB_NUM_NODES*2)) $SLURM_NTASKS $SLURM_GPUS_ON_NODE $SLURM_NTASKS_PER_NODE"
                        + " $SLURM_JOB_ID"))
                .containsExactly("run", "4", "16", "4", "8", "$SLURM_JOB_ID");
        assertThat(last("#SBATCH -N4\nrun $SLURM_NNODES")).containsExactly("run", "4");
    }

    @Test
    void aLoopThatDoesNotReachTheCommandIsHarmless() {
        assertThat(doubts("M=2\nfor f in a b; do cp $f /tmp; M=4; done\nrun $M"))
                .containsOnlyNulls();
        assertThat(last("M=2\nfor f in a b; do cp $f /tmp; M=4; done\nrun $M")).containsExactly("run", "4");
        assertThat(doubts("L=\nfor f in a b; do L=\"$L x\"; done\nrun $L")).containsOnlyNulls();
    }

    @Test
    void whatALoopChangesForItsNextTurnIsInDoubt() {
        assertThat(doubts("M=2\nfor i in 1 2; do run $M; M=4; done"))
                .containsExactly(null, "$M, which is set to 2, 4 in lines 1, 2");
        assertThat(doubts("for ((i=1; i<=8; i*=2)); do run $i; done"))
                .containsExactly(null, "$i, which is set to 1 and more in line 1");
        assertThat(doubts("for m in $(seq 2); do run $m; done"))
                .containsExactly(null, "$m, which is set to $(seq2) in line 1");
        assertThat(last("M=2\nwhile read M; do run $M; done")).containsExactly("run", "$M");
    }

    private static List<String> texts(String script) {
        return ShellScript.read(script).commands().stream()
                .map(command -> command.stream().map(ShellText::toString).collect(Collectors.joining(" ")))
                .toList();
    }

    @Test
    void conditionsThatCompareKnownValuesAreDecided() {
        String script = """
                N=2
                if [ $N -le 4 ]; then
                  A=few
                elif [ $N -ge 8 ]; then
                  A=many
                fi
                if [ "$A" != few ]
                then
                  run wrong
                else
                  run $A
                fi
                """;
        assertThat(texts(script)).containsExactly("run few");
        assertThat(ShellScript.read(script).conditional(script.lastIndexOf("run")))
                .isFalse();
    }

    @Test
    void anArgumentThatIsComparedWithNothingIsEmpty() {
        assertThat(texts("A=$1\nif [ -z \"$A\" ]; then\nA=3\nfi\nrun $A\n")).containsExactly("run 3");
        assertThat(texts("if [ $1 = 7 ]; then\nrun 7\nelse\nrun 8\nfi\n")).containsExactly("run 7", "run 8");
    }

    @Test
    void severalCommandsOfAConditionAreNotDecided() {
        assertThat(texts("if [ 1 = 2 ] || [ 1 = 1 ]; then\nrun a\nfi\n")).containsExactly("run a");
        assertThat(texts("if ! [ 1 = 1 ]; then\nrun a\nfi\n")).containsExactly("run a");
        assertThat(texts("if [ -ne '' ]; then\nrun a\nfi\n")).hasSizeLessThan(2);
    }

    @Test
    void theFirstDefaultCountsAndNothingIsNoWord() {
        assertThat(texts(": ${A:=1}\n: \"${A:=2}\"\nB=\nrun $A $B --c\n")).contains("run 1 --c");
    }

    @Test
    void whatBashRunsIsACommand() {
        assertThat(ShellScript.read("C='--a 1 --b 2'\nsrun bash -c \"train $C\"\n")
                        .commands()
                        .get(0))
                .extracting(ShellText::toString)
                .containsExactly("srun", "bash", "-c", "train", "--a", "1", "--b", "2");
    }
}
