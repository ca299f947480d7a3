// `npm start` as a user runs it: on the default ports. These tests are skipped when a port is taken.

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { takenPorts } from "../src/port-check.ts";
import { services } from "../src/services.ts";

const program = fileURLToPath(new URL("../bin/launcher.ts", import.meta.url));
const taken = await takenPorts(services({ dataFolder: "/nowhere" }));
// fetch sends Sec-Fetch-Mode like browsers, so the admin API requires an allowed Origin.
const origin = { Origin: "http://127.0.0.1:2019" };
const folders: string[] = [];
const launched: Launched[] = [];

class Launched {
  readonly #child: ChildProcess;
  readonly exit: Promise<number | null>;
  #output = "";
  readonly #waiting: (() => void)[] = [];

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    this.exit = once(this.#child, "close").then(([code]) => code as number | null);
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#output += chunk.toString();
        for (const check of this.#waiting) {
          check();
        }
      });
    }
    launched.push(this);
  }

  get output(): string {
    return stripVTControlCharacters(this.#output);
  }

  /** Resolves when the output contains the text; rejects when the launcher ends before. */
  async says(text: string): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      const check = () => {
        if (this.output.includes(text)) {
          resolve();
        }
      };
      this.#waiting.push(check);
      check();
    });
    const ended = this.exit.then(() => {
      if (!this.output.includes(text)) {
        throw new Error(`ended without saying "${text}":\n${this.output}`);
      }
    });
    await Promise.race([heard, ended]);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Process id of a process that this launcher started. */
  pidOf(name: string): number {
    const found = execFileSync("pgrep", ["-P", String(this.#child.pid), "-f", `${name}/(bin|dist)/`], {
      encoding: "utf8",
    });
    return Number(found.trim());
  }
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "launcher-"));
  folders.push(path);
  return path;
}

beforeEach(() => {
  launched.length = 0;
});

afterEach(async () => {
  for (const one of launched) {
    one.kill("SIGTERM");
    await one.exit;
  }
  for (const path of folders.splice(0)) {
    rmSync(path, { recursive: true, force: true });
  }
});

describe.skipIf(taken.length > 0)(
  `npm start (skipped where a default port is taken: ${taken.join("; ")})`,
  () => {
    test("all processes become healthy, a killed one comes back, a signal stops all, the data is kept", async () => {
      const data = folder();
      const first = new Launched(["--data", data]);
      await first.says("All processes are healthy after");
      for (const text of [
        "http://localhost:8080/",
        "localhost:4317",
        "localhost:6831",
        "http://localhost:2019/config/",
      ]) {
        expect(first.output).toContain(text);
      }
      expect(first.output).toMatch(/^tracing-collector +\| .+/m);

      // An operator changes the web server while it runs.
      const put = await fetch("http://127.0.0.1:2019/config/apps/http/servers/hello", {
        method: "PUT",
        headers: { "Content-Type": "application/json", ...origin },
        body: JSON.stringify({ listen: ["127.0.0.1:0"], routes: [] }),
      });
      expect(put.status, await put.text()).toBe(200);

      const page = await fetch("http://127.0.0.1:8080/");
      expect(page.headers.get("content-type")).toContain("text/html");

      // tracing-query ends, and another program takes its port before the restart.
      process.kill(first.pidOf("tracing-query"), "SIGKILL");
      await first.says("tracing-query ended (SIGKILL): starting it again in 0.5 s, the others go on");
      const thief = createServer().listen(16686);
      await once(thief, "listening");
      await first.says("trying again in 1 s, the others go on; mend that, or stop all with Ctrl-C");
      expect(first.output).toMatch(/tracing-query cannot start again \(.*16686.*\)/);
      const meanwhile = new Launched(["--status"]);
      expect(await meanwhile.exit).toBe(1);
      const healthy = meanwhile.output.split("\n").filter((line) => line.endsWith(" healthy"));
      expect(healthy.map((line) => line.split(" ")[0]).sort(), meanwhile.output).toEqual([
        "admin-server",
        "tracing-agent",
        "tracing-collector",
        "tracing-storage",
      ]);
      thief.close();
      await first.says("tracing-query is back");

      first.kill("SIGTERM");
      expect(await first.exit).toBe(0);
      expect(first.output).toContain("all processes are stopped; the data is kept");
      expect(await takenPorts(services({ dataFolder: data }))).toEqual([]);

      const second = new Launched(["--data", data]);
      await second.says("All processes are healthy after");
      const kept = await fetch("http://127.0.0.1:2019/config/apps/http/servers/hello", { headers: origin });
      expect(await kept.json()).toMatchObject({ listen: ["127.0.0.1:0"] });
      const status = new Launched(["--status"]);
      expect(await status.exit, status.output).toBe(0);
      second.kill("SIGINT");
      expect(await second.exit).toBe(0);
      expect(second.output).toContain("all processes are stopped; the data is kept");
      expect(await takenPorts(services({ dataFolder: data }))).toEqual([]);
    });

    test("a taken port is one clear line, and nothing is left running", async () => {
      const blocker = createServer().listen(4318);
      await once(blocker, "listening");
      try {
        const one = new Launched(["--data", folder()]);
        expect(await one.exit).toBe(1);
        expect(one.output.trim().split("\n")).toEqual([
          "cannot start: port 4318 (OTLP over HTTP of tracing-collector) is taken by another program: stop that program first",
        ]);
      } finally {
        blocker.close();
      }
      expect(await takenPorts(services({ dataFolder: "/nowhere" }))).toEqual([]);
    });

    test("a data folder that is a file is one clear line", async () => {
      const path = join(folder(), "file");
      writeFileSync(path, "");
      const one = new Launched(["--data", path]);
      expect(await one.exit).toBe(1);
      expect(one.output).toContain(`cannot start: cannot write to the data folder ${path}`);
    });

    test("a broken part of the data folder: the process's own reason, and nothing is left running", async () => {
      const data = folder();
      writeFileSync(join(data, "collector"), "not a folder");
      chmodSync(join(data, "collector"), 0o600);
      const one = new Launched(["--data", data]);
      expect(await one.exit).toBe(1);
      expect(one.output).toMatch(/^cannot start: tracing-collector: .*collector/m);
      expect(await takenPorts(services({ dataFolder: data }))).toEqual([]);
    });
  },
);

test("--status without processes names each and fails", async () => {
  const one = new Launched(["--status", "--server-only"]);
  if (taken.length === 0) {
    expect(await one.exit).toBe(1);
  }
  expect(await one.exit).toBe(one.output.includes("does not answer") ? 1 : 0);
  expect(one.output).toMatch(/^admin-server {2}(healthy|does not answer at http:)/);
});

test("--help explains, an unknown option is refused", async () => {
  const help = new Launched(["--help"]);
  expect(await help.exit).toBe(0);
  expect(help.output).toContain("--demo");
  const wrong = new Launched(["--dmeo"]);
  expect(await wrong.exit).toBe(1);
  expect(wrong.output).toContain("--dmeo");
});
