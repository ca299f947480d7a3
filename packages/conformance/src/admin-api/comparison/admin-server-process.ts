import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freeAddresses, testedProgram } from "lifecycle/testing";
import { sendAdminRequest } from "./admin-request.ts";

const ours = testedProgram(fileURLToPath(new URL("../../../../admin-server/bin/server.ts", import.meta.url)));

export interface AdminServerOptions {
  /** Path of our server's program; by default the sources run. */
  readonly script?: string;
  /** Receives the text that the process writes to its log. */
  onLog?(text: string): void;
}

/** A web server for a comparison: its admin endpoint is on a free port, and its folders are temporary. */
export class AdminServerProcess {
  readonly port: number;
  readonly #child: ChildProcess;
  /** Folder with the data of the process and its working folder. */
  readonly folder: string;
  readonly #closed: Promise<void>;

  private constructor(port: number, child: ChildProcess, folder: string) {
    this.port = port;
    this.#child = child;
    this.folder = folder;
    this.#closed = new Promise((resolve) => child.once("close", () => resolve()));
  }

  /**
   * @param program program of the public model; when absent, our program runs. @throws Error when it does not answer
   */
  static async start(
    program?: string,
    { script = ours, onLog }: AdminServerOptions = {},
  ): Promise<AdminServerProcess> {
    const [address = ""] = await freeAddresses(1);
    const folder = await mkdtemp(join(tmpdir(), "admin-comparison-"));
    const [command, args] = program === undefined ? [process.execPath, [script, "run"]] : [program, ["run"]];
    // The working folder is separate from the data, because sites without a root list their working folder, and the
    // data folder's name differs in the public model.
    const cwd = join(folder, "run");
    await mkdir(cwd);
    let log = "";
    const child = spawn(command, args, {
      cwd,
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        XDG_CONFIG_HOME: folder,
        XDG_DATA_HOME: folder,
        SERVER_ADMIN: address,
        CADDY_ADMIN: address,
        SERVER_SKIP_INSTALL_TRUST: "1",
      },
    });
    child.stderr?.on("data", (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-4_000);
      onLog?.(chunk.toString());
    });
    const server = new AdminServerProcess(Number(address.split(":").at(-1)), child, folder);
    for (let attempt = 0; attempt < 900 && child.exitCode === null; attempt++) {
      const answer = await sendAdminRequest(server.port, {
        method: "GET",
        target: "/config/",
        headers: {},
      }).catch(() => undefined);
      if (answer?.status === 200) {
        return server;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await server.close();
    throw new Error(`${command} does not answer on ${address}:\n${log}`);
  }

  /** True when the process has not ended. */
  get isAlive(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async close(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#closed;
    await rm(this.folder, { recursive: true, force: true });
  }
}
