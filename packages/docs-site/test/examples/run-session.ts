// Runs the examples of a session, and returns the output of each example.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { programOf } from "../../src/reference/programs.ts";
import { repository } from "./code-blocks.ts";
import { pageScript } from "./page-script.ts";
import { type Session, stepsOf } from "./sessions.ts";

/** A block's output; undefined when an example before it failed. */
export interface BlockResult {
  readonly stdout: string;
  readonly stderr: string;
  /** True when every command of the block succeeded. */
  readonly isDone: boolean;
}

/** The result of a page. */
export interface PageResult {
  /** Results in the order of `stepsOf(page)`. */
  readonly blocks: readonly (BlockResult | undefined)[];
  /** The programs in separate terminals: `running` or how they ended, and their log. */
  readonly terminals: readonly { readonly state: string; readonly log: string }[];
}

const mark = "=~=~=";
const timeoutMs = 900_000;

/** The parts of a checkout that examples name. */
const linked = ["packages", "examples", "docs", "docker", "deploy", "node_modules", "package.json"];

const programNames = {
  server: "admin-server",
  "tracing-agent": "tracing-agent",
  "tracing-collector": "tracing-collector",
  "tracing-query": "tracing-query",
  "tracing-storage": "tracing-storage",
};

/** Script that waits until all processes run and, with the shop, until its traces can be found. */
function startOfHouse(options: readonly string[], folder: string): string {
  const launcher = join(repository, "packages/launcher/bin/launcher.ts");
  return `
node '${launcher}' --data '${folder}/house' ${options.join(" ")} >'${folder}/house.log' 2>&1 &
up=
for _ in $(seq 1200); do
  grep -q 'All processes are healthy' '${folder}/house.log' && up=1 && break
  kill -0 $! 2>/dev/null || break
  sleep 0.1
done
[ -n "$up" ] || { cat '${folder}/house.log'; exit 3; }
${options.includes("--demo") ? demoIsSeen : ""}
`;
}

const demoIsSeen = `
for _ in $(seq 300); do
  curl -s -m 10 'localhost:16686/api/traces?service=payment&tags=%7B%22error%22%3A%22true%22%7D&limit=1' | grep -q spanID && break
  sleep 0.2
done
`;

function scriptOf(session: Session, folder: string): string {
  const pages = session.pages.map((page, index) => {
    const path = join(folder, `page-${index}`);
    mkdirSync(path);
    for (const name of linked) {
      symlinkSync(join(repository, name), join(path, name));
    }
    writeFileSync(join(folder, `page-${index}.sh`), pageScript(stepsOf(page)));
    const reset =
      session.npmStart === undefined
        ? ""
        : `command curl -sS localhost:2019/load -H 'Content-Type: application/json' --data-binary '@${join(repository, "packages/launcher/config/front-door.json")}'\n`;
    return `printf '\\n%s page ${index}\\n' "$MARK"
printf '\\n%s page ${index}\\n' "$MARK" >&2
(cd '${path}' && bash '../page-${index}.sh')
${reset}`;
  });
  const house = session.npmStart === undefined ? "" : startOfHouse(session.npmStart, folder);
  return ["ip link set lo up || exit 2", house, ...pages, "exit 0", ""].join("\n");
}

/** The parts of an output: the words of each mark, and the text after the mark. */
function partsOf(output: string): { readonly words: readonly string[]; readonly text: string }[] {
  return output
    .split(`\n${mark} `)
    .slice(1)
    .map((part) => {
      const [head = "", ...rest] = part.split("\n");
      return { words: head.split(" "), text: rest.join("\n") };
    });
}

function pageResult(steps: number, stdout: string, stderr: string): PageResult {
  const out = partsOf(stdout);
  const err = partsOf(stderr);
  const textOf = (parts: typeof out, index: number) =>
    parts.find(({ words }) => words[0] === "begin" && words[1] === String(index))?.text;
  const blocks = Array.from({ length: steps }, (_, index) => {
    const printed = textOf(out, index);
    if (printed === undefined) {
      return undefined;
    }
    const isDone = out.some(({ words }) => words[0] === "end" && words[1] === String(index));
    return { stdout: printed, stderr: textOf(err, index) ?? "", isDone };
  });
  const terminals = out
    .filter(({ words }) => words[0] === "terminal")
    .map(({ words, text: log }) => ({ state: words.slice(2).join(" "), log }));
  return { blocks, terminals };
}

/**
 * Runs the examples of a session's pages in a new network and in new folders, and removes the folders.
 * @param network the command that creates a network, with its arguments
 * @returns results by page
 * @throws Error with both outputs when the session itself fails
 */
export async function runSession(
  session: Session,
  network: readonly string[],
): Promise<ReadonlyMap<string, PageResult>> {
  const folder = mkdtempSync(join(tmpdir(), "docs-examples-"));
  try {
    const bin = join(folder, "bin");
    mkdirSync(bin);
    for (const [name, program] of Object.entries(programNames)) {
      writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${programOf(program)}' "$@"\n`);
      chmodSync(join(bin, name), 0o755);
    }
    writeFileSync(join(folder, "session.sh"), scriptOf(session, folder));
    const [command = "", ...args] = [...network, "bash", join(folder, "session.sh")];
    const { NODE_COMPILE_CACHE, PATH = "", PEERS } = process.env;
    const child = spawn(command, args, {
      stdio: ["ignore", "pipe", "pipe"],
      cwd: folder,
      timeout: timeoutMs,
      env: {
        ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
        PATH: [bin, dirname(process.execPath), PATH, ...(PEERS === undefined ? [] : [PEERS])].join(delimiter),
        HOME: folder,
        LANG: "C.UTF-8",
        MARK: mark,
        SERVER_SKIP_INSTALL_TRUST: "1",
      },
    });
    const ended = once(child, "exit");
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    const [code, signal] = await ended;
    if (code !== 0) {
      throw new Error(`the session ended with ${code ?? signal}:\n${stdout}\n${stderr}`);
    }
    const byPage = (output: string) =>
      output
        .replace(new RegExp(`${folder}/page-\\d+`, "g"), "/srv")
        .split(`\n${mark} page `)
        .slice(1);
    const [out, err] = [byPage(stdout), byPage(stderr)];
    return new Map(
      session.pages.map((page, index) => [
        page,
        pageResult(stepsOf(page).length, out[index] ?? "", err[index] ?? ""),
      ]),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
