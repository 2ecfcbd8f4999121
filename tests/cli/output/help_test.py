"""help, the manual page and completion: all made from what --help says."""
import os
import re
import subprocess
import unittest

from program import PROGRAM, InFolder, environment, own_lines, run


class Help(InFolder):
    def refuses(self, said, *words):
        done = run(*words, cwd=self.folder)
        self.assertEqual((done.returncode, done.stdout, len(own_lines(done.stderr))), (2, "", 1), done.stderr)
        self.assertIn(said, done.stderr)

    def test_help_of_a_command_is_what_its_option_prints(self):
        for words in [[], ["transform"], ["wisdom"], ["wisdom", "merge"], ["help"]]:
            self.assertEqual(self.ok("help", *words).stdout, self.ok(*words, "--help").stdout)
        for words, said in [(["transfrm"], "did you mean 'transform'"), (["transform", "--man"], "--man"),
                            (["wisdom", "all"], "list, show, forget, merge")]:
            self.refuses(said, "help", *words)
        self.refuses("bash or zsh; got 'fish'", "completion", "fish")

    def commands(self, *words):
        """Every command without further ones, by its words, with the options that --help lists."""
        text = self.ok(*words, "--help").stdout
        further = re.findall(r"^  ([a-z][a-z-]*) +\S", text.partition("\nSubcommands:\n")[2].partition("\n\n")[0], re.M)
        if not further:
            return {words: re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", text, re.M)}
        return {w: options for name in further for w, options in self.commands(*words, name).items()}

    def test_the_manual_page_has_every_command_and_option(self):
        with open(self.path("page.1"), "w", encoding="utf-8") as file:
            file.write(self.ok("help", "--man").stdout)
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", self.path("page.1")], capture_output=True, text=True,
                              env={**os.environ, "GROFF_NO_SGR": "1"}, check=True)
        self.assertEqual(done.stderr, "")
        page = re.sub(".\b", "", done.stdout)
        commands = self.commands()
        self.assertIn(("wisdom", "merge"), commands)
        for words, options in commands.items():
            section = re.search(rf"^   {' '.join(words)}\n(.*?)(?=^   \S|^\S)", page, re.M | re.S)
            self.assertIsNotNone(section, words)
            found = re.findall(r"(?<![\w-])--[a-z0-9-]+", section[1].replace("\u2010\n", ""))
            self.assertLessEqual(set(options) - {"--help"}, set(found), words)

    def completed(self, shell, *lines):
        """What `shell` offers for the last word of each line."""
        script = [f'eval "$({PROGRAM} completion {shell})"']
        if shell == "zsh":  # its compgen calls the function so
            script += ['[[ $_comps[shardfft] == *_shardfft* ]] || exit 3', "emulate sh"]
        for line in lines:
            words = " ".join(f"'{w}'" for w in ("shardfft", *line))
            script += [f"COMP_WORDS=({words}); COMP_CWORD={len(line)}", "_shardfft",
                       'printf "%s\\n" "${COMPREPLY[@]}" end']
        done = subprocess.run([shell, {"zsh": "-f", "bash": "--norc"}[shell], "-c", "\n".join(script)],
                              capture_output=True, text=True, env={**environment(), "HOME": self.folder}, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        found = [offered.split() for offered in done.stdout.split("end\n")[:-1]]
        self.assertEqual(len(found), len(lines))
        return [[w for w in offered if w.startswith(line[-1])] for line, offered in zip(lines, found)]

    def test_both_shells_complete_commands_and_options(self):
        commands = self.commands()
        for shell in ["bash", "zsh"]:
            with self.subTest(shell=shell):
                self.assertEqual(
                    self.completed(shell, ["tran"], ["wisdom", "m"], ["transform", "in.npy", "--real"],
                                   ["help", "wis"], ["completion", ""], ["transform", "in.n"]),
                    [["transform"], ["merge"], ["--real-length"], ["wisdom"], ["bash", "zsh", "--help"], []])
                offered = self.completed(shell, *([*words, "--"] for words in commands))
                for (words, options), found in zip(commands.items(), offered):
                    self.assertLessEqual(set(options), set(found), words)


if __name__ == "__main__":
    unittest.main()
