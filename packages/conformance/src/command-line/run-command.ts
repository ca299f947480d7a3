import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { testedProgram } from "lifecycle/testing";
import type { CommandQuestion } from "./command-questions.ts";

const ours = testedProgram(fileURLToPath(new URL("../../../admin-server/bin/server.ts", import.meta.url)));
/** A command that still runs after this number of milliseconds was wrongly taken for a server. */
const patienceMs = 60_000;

/** The compared outcome of a command. */
export interface CommandOutcome {
  readonly code: number | string;
  readonly stdout: unknown;
  readonly changes: Readonly<Record<string, string>>;
}

function comparable(text: string, { stdout }: CommandQuestion): unknown {
  switch (stdout) {
    case "text":
      return text;
    case "json":
      return text === "" ? "" : (JSON.parse(text) as unknown);
    case "shape":
      return text.replace(/[./+A-Za-z0-9]{20,}/g, (word) => `<${word.length}>`);
    case "ignored":
      return null;
    default:
      return text.includes(stdout.contains);
  }
}

/** Runs one command in a new folder. @param program program of the public model; when absent, our program runs */
export async function runCommand(question: CommandQuestion, program?: string): Promise<CommandOutcome> {
  const folder = await mkdtemp(join(tmpdir(), "command-comparison-"));
  try {
    for (const [name, text] of Object.entries(question.files ?? {})) {
      await mkdir(dirname(join(folder, name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    const [file, args] =
      program === undefined ? [process.execPath, [ours, ...question.args]] : [program, question.args];
    const child = spawn(file, args, {
      cwd: folder,
      stdio: ["pipe", "pipe", "ignore"],
      timeout: patienceMs,
      killSignal: "SIGKILL",
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        XDG_CONFIG_HOME: join(folder, "config"),
        XDG_DATA_HOME: join(folder, "share"),
        SERVER_ADMIN: "127.0.0.1:0",
        CADDY_ADMIN: "127.0.0.1:0",
        SERVER_WORKERS: "0",
        ...question.environment,
      },
    });
    let stdout = "";
    child.stdout.on("data", (chunk: Buffer) => {
      stdout += chunk.toString("latin1");
    });
    // A command that reads nothing may have ended already.
    child.stdin.on("error", () => {});
    child.stdin.end(question.input ?? "");
    const [code, signal] = (await once(child, "close")) as [number | null, string | null];
    const changes: Record<string, string> = {};
    for (const name of question.changes ?? []) {
      changes[name] = await readFile(join(folder, name), "utf8");
    }
    return { code: code ?? signal ?? "", stdout: comparable(stdout, question), changes };
  } finally {
    await rm(folder, { recursive: true });
  }
}
