// Joins a page's examples into one bash script. The script does the same as a reader who types them in one after the
// other.

import { spawnSync } from "node:child_process";
import type { CodeBlock } from "./code-blocks.ts";

/** A block to run. */
export interface Step {
  readonly block: CodeBlock;
  /** The code without the commands that are not run. */
  readonly code: string;
  /** A program that the block calls and this machine lacks; then the block is left out. */
  readonly lacks?: string;
}

/** Programs of examples that not every machine has. */
const programs = ["curl", "jq", "grpcurl", "openssl", "promtool", "man", "caddy"].map((name) => ({
  name,
  called: new RegExp(`(^|[|&;(] *)${name} `, "m"),
  isThere: spawnSync("bash", ["-c", `PATH=$PATH:\${PEERS:-}; command -v ${name}`]).status === 0,
}));

/** The first program that the code calls and this machine lacks. */
export function programLacking(code: string): string | undefined {
  return programs.find(({ called, isThere }) => !isThere && called.test(code))?.name;
}

/** Splits shell code into commands: a line together with its continuation lines. */
export function commandsOf(code: string): string[] {
  const commands: string[] = [];
  let command = "";
  for (const line of code.split("\n")) {
    command += command === "" ? line : `\n${line}`;
    const isWhole = spawnSync("bash", ["-n"], { input: `${command}\n` }).stderr.length === 0;
    if (isWhole && !command.endsWith("\\")) {
      commands.push(command);
      command = "";
    }
  }
  return command === "" ? commands : [...commands, command];
}

/**
 * The beginning of every script. `curl` and `grpcurl` wait for the port that they call, as people wait who see
 * that a program starts. The programs have the short names of the folder `bin`.
 */
const prelude = `
shopt -s expand_aliases
set -o pipefail
wait_for_port() {
  local port; port=$(grep -oE '(localhost|127\\.0\\.0\\.1):[0-9]+' <<<"$*" | head -n 1 | cut -d : -f 2)
  [ -n "$port" ] || return 0
  for _ in $(seq 600); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && return 0
    sleep 0.1
  done
}
curl() { wait_for_port "$@"; command curl --no-progress-meter "$@"; }
grpcurl() { wait_for_port "$@"; command grpcurl -max-time 30 "$@"; }

kill() { # what is killed has ended when a person types the next line
  builtin kill "$@" || return 1 # in a trap, return alone would tell what was before the trap
  if [ "$1" = -9 ]; then wait "$2" 2>/dev/null || return 0; fi
}
mark() { printf '\\n%s %s\\n' "$MARK" "$*"; printf '\\n%s %s\\n' "$MARK" "$*" >&2; }

terminals=()
stop() { # a process, and its group where it has one: the shell of a terminal ends before its program
  kill -TERM -- "-$1" 2>/dev/null || kill -TERM "$1" 2>/dev/null || return 0 # a page has stopped it
  for _ in $(seq 150); do
    kill -0 -- "-$1" 2>/dev/null || kill -0 "$1" 2>/dev/null || return 0
    sleep 0.1
  done
  kill -KILL -- "-$1" 2>/dev/null || kill -KILL "$1" 2>/dev/null
}
in_terminal() { # which, command: runs it beside the others until the page ends, or until another takes its place
  local which=$1
  if [ -n "\${terminals[which]:-}" ]; then
    stop "\${terminals[which]}"
  fi
  set -m
  "$2" >"terminal-$which.log" 2>&1 &
  terminals[which]=$!
  set +m
  for _ in $(seq 600); do # as people wait who see its log
    grep -qE 'v[0-9.]+ runs|health: available|^: following|serving initial configuration' "terminal-$which.log" && break
    kill -0 "\${terminals[which]}" 2>/dev/null || break
    sleep 0.1
  done
}
end_page() { # each terminal has to run still
  local which state
  set +e
  mark over
  for which in "\${!terminals[@]}"; do
    state=running
    kill -0 "\${terminals[which]}" 2>/dev/null || { wait "\${terminals[which]}"; state="ended with $?"; }
    mark terminal "$which" "$state"
    cat "terminal-$which.log"
  done
  for which in $(jobs -p); do stop "$which"; done
}
trap end_page EXIT
`;

/**
 * The script of a page. Before and after each block it prints a line with \`$MARK\`, to both outputs.
 * @param steps in the order of the page
 */
export function pageScript(steps: readonly Step[]): string {
  let terminal = 0;
  const parts = steps.flatMap(({ block, code, lacks }, index) => {
    const mark = (word: string) => `mark ${word} ${index}`;
    if (lacks !== undefined) {
      return [];
    }
    const asTerminal = (text: string, which: number) =>
      `terminal_${index}_${which}() {\n${text}\n}\nin_terminal ${which} terminal_${index}_${which}`;
    let text = code;
    if (block.words.includes("terminal")) {
      text = asTerminal(code, 0);
    } else if (block.words.includes("terminals")) {
      text = commandsOf(code)
        .map((command) => {
          terminal += 1;
          return asTerminal(command, terminal);
        })
        .join("\n");
    }
    // An example that shows exit codes continues after a failure.
    const strict = code.includes("$?") ? "set +e" : "set -e";
    return [mark("begin"), strict, text, "set +e", mark("end")];
  });
  return [prelude, ...parts, ""].join("\n");
}
