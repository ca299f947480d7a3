import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as wait } from "node:timers/promises";
import { freePorts } from "server-core/testing/free-ports";

const schema = "/usr/share/pdns-backend-sqlite3/schema/schema.sqlite3.sql";

export const hasPowerdns = spawnSync("pdns_server", ["--version"]).status === 99 && existsSync(schema);

/** For tests: PowerDNS with the zone `example.com`, which its HTTP API changes. */
export class Powerdns {
  readonly apiKey = "right-token-of-forty-characters-01234567";
  readonly #folder: string;
  readonly #apiPort: number;
  #child: ChildProcess | undefined;

  private constructor(folder: string, apiPort: number) {
    this.#folder = folder;
    this.#apiPort = apiPort;
  }

  static async start(): Promise<Powerdns> {
    const folder = await mkdtemp(join(tmpdir(), "powerdns-"));
    const [dns = 0, api = 0] = await freePorts(2);
    const server = new Powerdns(folder, api);
    try {
      const database = new DatabaseSync(join(folder, "zones.db"));
      database.exec(await readFile(schema, "utf8"));
      database.close();
      const settings = {
        launch: "gsqlite3",
        "gsqlite3-database": join(folder, "zones.db"),
        "local-address": "127.0.0.1",
        "local-port": dns,
        "socket-dir": folder,
        api: "yes",
        "api-key": server.apiKey,
        webserver: "yes",
        "webserver-address": "127.0.0.1",
        "webserver-port": api,
        daemon: "no",
      };
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
      await writeFile(join(folder, "pdns.conf"), lines.join(""));
      await server.#run();
    } catch (error) {
      await server.close();
      throw error;
    }
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#apiPort}`;
  }

  /** Values of a name and type, as the server stores them. */
  async values(name: string, type: string): Promise<string[]> {
    const answer = await this.#ask(`/example.com.?rrset_name=${name}.&rrset_type=${type}`);
    const { rrsets } = (await answer.json()) as { rrsets: { records: { content: string }[] }[] };
    return rrsets.flatMap(({ records }) => records.map(({ content }) => content)).sort();
  }

  async close(): Promise<void> {
    if (this.#child?.exitCode === null) {
      this.#child.kill("SIGKILL");
      await once(this.#child, "exit");
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  #ask(path: string, body?: object): Promise<Response> {
    return fetch(`${this.url}/api/v1/servers/localhost/zones${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-api-key": this.apiKey, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** @throws Error with the log when the server ends before its zone is loaded */
  async #run(): Promise<void> {
    const child = spawn("pdns_server", [`--config-dir=${this.#folder}`], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#child = child;
    let log = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk) => {
        log += String(chunk);
      });
    }
    const zone = { name: "example.com.", kind: "Native", nameservers: ["ns.example.com."] };
    while ((await this.#ask("", zone).catch(() => undefined))?.status !== 201) {
      if (child.exitCode !== null) {
        throw new Error(`pdns_server ended: ${log}`);
      }
      await wait(50);
    }
  }
}
