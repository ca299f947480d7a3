import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { findPublicModel } from "../../src/tracing-api/comparison/public-model.ts";

const programs = ["jaeger-collector", "jaeger-query", "jaeger-remote-storage"];

/** The folder of the public model's programs; undefined when a needed program is missing. */
export const peersFolder = [findPublicModel()].find(
  (folder) => folder !== undefined && programs.every((program) => existsSync(join(folder, program))),
);

/** A program of the public model, a real child process. */
export class PeerProcess {
  readonly #child: ChildProcess;
  readonly #program: string;
  readonly #admin: string;
  #log = "";

  /** @param admin host:port of its admin port */
  constructor(program: string, storageType: string, admin: string, args: readonly string[]) {
    this.#program = program;
    this.#admin = admin;
    this.#child = spawn(join(peersFolder ?? "", program), [...args, `--admin.http.host-port=${admin}`], {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, SPAN_STORAGE_TYPE: storageType },
    });
    this.#child.stderr?.on("data", (chunk: Buffer) => {
      this.#log += chunk.toString();
    });
  }

  async start(): Promise<void> {
    for (let attempt = 0; attempt < 600; attempt++) {
      if (this.#child.exitCode !== null) {
        break;
      }
      const isHealthy = await fetch(`http://${this.#admin}/`).then(
        ({ ok }) => ok,
        () => false,
      );
      if (isHealthy) {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${this.#program} is not healthy:\n${this.#log}`);
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) {
      return;
    }
    const closed = once(this.#child, "close");
    this.#child.kill("SIGKILL");
    await closed;
  }
}
