import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { freePorts } from "server-core/testing/free-ports";

export const hasNamed = spawnSync("named", ["-v"]).status === 0;

/** For tests: BIND with the zones `example.test` and `sub.example.test`, which a key may change. */
export class Named {
  readonly key = randomBytes(32).toString("base64");
  readonly keyName = "acme-key";
  readonly resolver = new Resolver();
  #child: ChildProcess | undefined;
  readonly #folder: string;
  readonly #port: number;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#port = port;
    this.resolver.setServers([this.address]);
  }

  /** @param algorithm of the key: `hmac-sha256` */
  static async start(algorithm = "hmac-sha256"): Promise<Named> {
    const folder = await mkdtemp(join(tmpdir(), "named-"));
    const [port = 0] = await freePorts(1);
    const named = new Named(folder, port);
    try {
      const zone = `$TTL 60\n@ IN SOA ns.example.test. admin.example.test. 1 60 60 600 60\n@ IN NS ns.example.test.\n* IN A 127.0.0.1\nns IN A 127.0.0.1\n`;
      const zones = ["example.test", "sub.example.test"];
      for (const name of zones) {
        await writeFile(join(folder, `${name}.zone`), zone);
      }
      await writeFile(
        join(folder, "named.conf"),
        `options { directory "${folder}"; pid-file none; listen-on port ${port} { 127.0.0.1; }; listen-on-v6 { none; }; recursion no; dnssec-validation no; session-keyfile none; };
         controls { };
         key "${named.keyName}" { algorithm ${algorithm}; secret "${named.key}"; };
         ${zones.map((name) => `zone "${name}" { type primary; file "${name}.zone"; allow-update { key "${named.keyName}"; }; };`).join("\n")}`,
      );
      await named.#run();
    } catch (error) {
      await named.close();
      throw error;
    }
    return named;
  }

  get address(): string {
    return `127.0.0.1:${this.#port}`;
  }

  /** The texts of a name, as the server returns them; empty when the name does not exist. */
  async texts(name: string): Promise<string[]> {
    const found = await this.resolver.resolveTxt(name).catch(() => []);
    return found.map((parts) => parts.join("")).sort();
  }

  async close(): Promise<void> {
    this.resolver.cancel();
    if (this.#child?.exitCode === null) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  /** @throws Error with its log when it ends before it answers */
  async #run(): Promise<void> {
    const child = spawn("named", ["-g", "-c", join(this.#folder, "named.conf")], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    this.#child = child;
    let log = "";
    child.stderr.on("data", (chunk) => {
      log += String(chunk);
    });
    while (!(await this.resolver.resolveSoa("example.test").catch(() => undefined))) {
      if (child.exitCode !== null) {
        throw new Error(`named ended: ${log}`);
      }
      await wait(50);
    }
  }
}
