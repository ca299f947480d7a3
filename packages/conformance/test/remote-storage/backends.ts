import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freeAddresses } from "lifecycle/testing";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";

interface Ended {
  end(signal: NodeJS.Signals): Promise<unknown>;
}

/** A storage of ours that runs. */
export interface StartedStorage {
  /** host:port of its remote storage API. */
  readonly api: string;
  /** host:port of ClickHouse's HTTP protocol. */
  readonly http: string;
  readonly process: TestedProcess;
}

/** Processes of a test, with a folder that goes with them. */
export class Backends {
  readonly folder: string;
  readonly #processes: Ended[] = [];

  /** @param prefix begin of the folder's name */
  constructor(prefix: string) {
    this.folder = mkdtempSync(join(tmpdir(), prefix));
  }

  /** Kills a process at the end, too. */
  keep(process: Ended): void {
    this.#processes.push(process);
  }

  /** Kills the processes, and removes the folder. */
  async close(): Promise<void> {
    for (const process of this.#processes) {
      await process.end("SIGKILL");
    }
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** @param more further options */
  async storage(more: readonly string[] = []): Promise<StartedStorage> {
    const [http = "", api = "", admin = ""] = await freeAddresses(3);
    const args = [
      "--storage.data-dir",
      join(this.folder, `storage-${api}`),
      "--storage.http.host-port",
      http,
    ];
    const process = await this.#start("tracing-storage", [...args, "--grpc.host-port", api, ...more], admin);
    return { api, http, process };
  }

  /** @returns host:port of the remote storage API */
  async bridge(http: string): Promise<string> {
    const [api = "", admin = ""] = await freeAddresses(2);
    const args = ["--clickhouse.url", `http://${http}`, "--grpc.host-port", api];
    await this.#start("tracing-storage", args, admin);
    return api;
  }

  /** @param more further options @returns host:port of OTLP over HTTP */
  async collector(storage: string, more: readonly string[] = []): Promise<string> {
    const [otlp = "", otlpGrpc = "", grpc = "", http = "", admin = ""] = await freeAddresses(5);
    await this.#start(
      "tracing-collector",
      [
        ...["--span-storage.type", "grpc", "--grpc-storage.server", storage],
        ...["--collector.journal.dir", join(this.folder, `journal-${otlp}`)],
        ...["--collector.otlp.http.host-port", otlp, "--collector.otlp.grpc.host-port", otlpGrpc],
        ...["--collector.grpc-server.host-port", grpc, "--collector.http-server.host-port", http],
        ...more,
      ],
      admin,
    );
    return otlp;
  }

  /** @param more further options @returns host:port of the HTTP API */
  async query(storage: string, more: readonly string[] = []): Promise<string> {
    const [http = "", grpc = "", admin = ""] = await freeAddresses(3);
    await this.#start(
      "tracing-query",
      [
        ...["--span-storage.type", "grpc", "--grpc-storage.server", storage],
        ...["--query.http-server.host-port", http, "--query.grpc-server.host-port", grpc, ...more],
      ],
      admin,
    );
    return http;
  }

  async #start(name: string, args: readonly string[], admin: string): Promise<TestedProcess> {
    const own = ["--admin.http.host-port", admin];
    const process = new TestedProcess(name, `${name}/bin/${name}.ts`, [...args, ...own], `http://${admin}/`);
    this.keep(process);
    await process.start();
    return process;
  }
}
