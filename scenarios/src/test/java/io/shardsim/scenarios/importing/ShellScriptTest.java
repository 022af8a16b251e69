package io.shardsim.scenarios.importing;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
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
}
