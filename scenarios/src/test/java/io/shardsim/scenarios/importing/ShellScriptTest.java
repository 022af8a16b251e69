package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The part of the shell's language that training scripts are written in. */
class ShellScriptTest {
    private static List<String> last(String script) {
        List<List<ShellScript.Word>> commands = ShellScript.read(script).commands();
        return commands.get(commands.size() - 1).stream()
                .map(ShellScript.Word::text)
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
        List<ShellScript.Word> words = script.commands().get(0);
        assertThat(script.position(words.get(1).offset())).hasToString("3:4");
        assertThat(script.position(words.get(2).offset())).hasToString("1:3");
    }

    private static List<String> texts(String script) {
        return ShellScript.read(script).commands().stream()
                .map(command -> command.stream().map(ShellScript.Word::text).collect(Collectors.joining(" ")))
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
                .extracting(ShellScript.Word::text)
                .containsExactly("srun", "bash", "-c", "train", "--a", "1", "--b", "2");
    }
}
