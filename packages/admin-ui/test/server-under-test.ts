import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { testedProgram } from "lifecycle/testing";

const program = testedProgram(path.resolve(import.meta.dirname, "../../admin-server/bin/server.ts"));

/** A server of its own, in a process of its own, that serves a built console. */
export class ServerUnderTest {
  readonly #data: string;
  readonly #console: string;
  #child: ChildProcess | undefined;
  /** Address of the admin endpoint: `127.0.0.1:2019`. */
  address = "127.0.0.1:0";

  private constructor(data: string, consoleFolder: string) {
    this.#data = data;
    this.#console = consoleFolder;
  }

  /** @param consoleFolder the build to serve */
  static async start(consoleFolder: string): Promise<ServerUnderTest> {
    const data = await mkdtemp(path.join(tmpdir(), "admin-ui-server-"));
    const server = new ServerUnderTest(data, consoleFolder);
    await server.run();
    return server;
  }

  get origin(): string {
    return `http://${this.address}`;
  }

  /** Starts it, or starts it again at the same address, with what it ran last. */
  async run(): Promise<void> {
    const child = spawn(process.execPath, [program, "run", "--resume"], {
      env: {
        PATH: process.env.PATH,
        HOME: this.#data,
        XDG_CONFIG_HOME: this.#data,
        XDG_DATA_HOME: path.join(this.#data, "data"),
        SERVER_ADMIN: this.address,
        SERVER_UI_FOLDER: this.#console,
        SERVER_WORKERS: "0",
        SERVER_SKIP_INSTALL_TRUST: "1",
      },
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    const lines: string[] = [];
    let runs = false;
    for await (const line of createInterface(child.stderr)) {
      lines.push(line);
      const address = /admin endpoint on ([\d.]+:\d+)/.exec(line)?.[1];
      if (address !== undefined) {
        this.address = address;
      }
      runs = /server v?\S* runs/.test(line);
      if (runs) {
        break;
      }
    }
    if (!runs) {
      throw new Error(`the server did not start:\n${lines.join("\n")}`);
    }
    child.stderr.resume();
  }

  /** Ends it at once, as a crash does. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) {
      return;
    }
    const closed = once(child, "exit");
    child.kill("SIGKILL");
    await closed;
  }

  /** Unloads its config; starts it where it does not run. */
  async empty(): Promise<void> {
    if (this.#child === undefined) {
      await this.run();
    }
    await this.admin("DELETE", "/config/");
  }

  /** Asks the admin API, as somebody at a shell does. @throws when it refuses */
  async admin(method: string, path: string, body?: unknown): Promise<Response> {
    const response = await fetch(`${this.origin}${path}`, {
      method,
      headers: { Origin: this.origin, ...(body === undefined ? {} : { "Content-Type": "application/json" }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!response.ok) {
      throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    }
    return response;
  }

  /** Where sites are served, in the order of the config's servers. */
  async sites(): Promise<{ address: string; server: string }[]> {
    return (await (await this.admin("GET", "/listeners")).json()) as { address: string; server: string }[];
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#data, { recursive: true, force: true });
  }
}
