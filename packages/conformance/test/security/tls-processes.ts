import { mkdtempSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTlsFolder, freeAddresses, type TestAuthority, type TlsFolder } from "lifecycle/testing";
import { TestedProcess } from "../../src/all-processes/tested-process.ts";
import { eventually } from "../../src/expect.ts";

/** Names in a test certificate for servers and clients on this machine. */
export const localNames = ["localhost", "127.0.0.1"] as const;

const startMs = 60_000;

/** A listener of a process with TLS, which requires client certificates. */
export interface TlsListener {
  /** Prefix of its options: `collector.otlp.grpc` for `--collector.otlp.grpc.tls.enabled`. */
  readonly option: string;
  readonly process: string;
  /** `host:port` */
  readonly address: string;
  readonly protocol: "http" | "h2";
}

/** Certificates of a client, and its trusted authorities. */
export interface TlsAsker {
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Sends a request over TLS; with a JSON body it is a POST. Rejects when the connection fails. */
export function askOverTls(
  url: string,
  asker: TlsAsker,
  json?: string,
): Promise<{ status: number; text: string }> {
  const method = json === undefined ? "GET" : "POST";
  const headers = { "Content-Type": "application/json" };
  return new Promise((resolve, reject) => {
    request(url, { ...asker, method, headers, agent: false }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
      response.on("error", reject);
    })
      .on("error", reject)
      .end(json);
  });
}

/** A process whose admin port also requires a certificate. */
class TlsProcess extends TestedProcess {
  readonly #asker: () => TlsAsker;

  constructor(name: string, args: readonly string[], admin: string, asker: () => TlsAsker) {
    super(name, `${name}/bin/${name}.ts`, args, `https://${admin}/`);
    this.#asker = asker;
  }

  protected override async isHealthy(url: string): Promise<boolean> {
    return (await askOverTls(url, this.#asker())).status === 200;
  }
}

/** All tracing processes; every listener and client uses TLS with certificates on both sides. */
export interface TlsProcesses {
  readonly listeners: readonly TlsListener[];
  readonly address: Readonly<Record<AddressName, string>>;
  readonly processes: readonly TestedProcess[];
  /** The processes that others call: one for each kind of call. */
  readonly called: readonly TestedProcess[];
  /** Present certificates and authorities of all processes. */
  asker(): TlsAsker;
  /** Replaces the certificates of all processes at once; the new certificates come from another authority. */
  swap(authority: TestAuthority): void;
  close(): Promise<void>;
}

const addressNames = [
  "storageHttp",
  "storageGrpc",
  "storageAdmin",
  "bridgeGrpc",
  "bridgeAdmin",
  "otlpGrpc",
  "otlpHttp",
  "apiV2",
  "thrift",
  "zipkin",
  "collectorAdmin",
  "otherOtlpHttp",
  "otherApiV2",
  "otherAdmin",
  "queryHttp",
  "queryGrpc",
  "queryAdmin",
  "otherQueryHttp",
  "otherQueryAdmin",
  "agentCompact",
  "agentBinary",
  "agentZipkin",
  "agentHttp",
  "agentAdmin",
] as const;
type AddressName = (typeof addressNames)[number];

function serverTls(option: string, files: TlsFolder): string[] {
  return [
    `--${option}.tls.enabled`,
    ...[`--${option}.tls.cert`, files.certPath, `--${option}.tls.key`, files.keyPath],
    ...[`--${option}.tls.client-ca`, files.caPath],
  ];
}

function clientTls(option: string, files: TlsFolder): string[] {
  return [
    `--${option}.tls.enabled`,
    ...[`--${option}.tls.cert`, files.certPath, `--${option}.tls.key`, files.keyPath],
    ...[`--${option}.tls.ca`, files.caPath],
  ];
}

/**
 * Starts seven processes. Two are a storage and a bridge to it. A collector and a query service use ClickHouse's
 * protocol; another pair uses the remote storage API of the bridge. The seventh is an agent.
 * @param outside TLS URL of a server that acts as a Prometheus, has sampling strategies at `/strategies.json`, and
 *   receives spans of the processes
 */
export async function openTlsProcesses(authority: TestAuthority, outside: string): Promise<TlsProcesses> {
  const folder = mkdtempSync(join(tmpdir(), "tls-processes-"));
  let pair = authority.issue(...localNames);
  let ca = authority.cert;
  const files = createTlsFolder(pair, ca);
  const asker = () => ({ ca, ...pair });
  const free = await freeAddresses(addressNames.length);
  const address = Object.fromEntries(
    addressNames.map((name, index) => [name, free[index] ?? ""]),
  ) as TlsProcesses["address"];
  const clickHouse = [
    "--clickhouse.url",
    `https://${address.storageHttp}`,
    ...clientTls("clickhouse", files),
  ];
  const remote = [
    ...["--span-storage.type", "grpc", "--grpc-storage.server", address.bridgeGrpc],
    ...clientTls("grpc-storage", files),
  ];
  const admin = (name: AddressName) => [
    ...["--admin.http.host-port", address[name]],
    ...serverTls("admin.http", files),
  ];
  const off = (...options: string[]) => options.flatMap((option) => [`--${option}`, "127.0.0.1:0"]);

  const storage = new TlsProcess(
    "tracing-storage",
    [
      ...["--storage.data-dir", join(folder, "storage"), "--storage.http.host-port", address.storageHttp],
      ...serverTls("storage.http", files),
      ...["--grpc.host-port", address.storageGrpc, ...serverTls("grpc", files), ...admin("storageAdmin")],
    ],
    address.storageAdmin,
    asker,
  );
  const bridge = new TlsProcess(
    "tracing-storage",
    [
      ...["--grpc.host-port", address.bridgeGrpc],
      ...serverTls("grpc", files),
      ...clickHouse,
      ...admin("bridgeAdmin"),
    ],
    address.bridgeAdmin,
    asker,
  );
  const collector = new TlsProcess(
    "tracing-collector",
    [
      ...["--collector.otlp.grpc.host-port", address.otlpGrpc, ...serverTls("collector.otlp.grpc", files)],
      ...["--collector.otlp.http.host-port", address.otlpHttp, ...serverTls("collector.otlp.http", files)],
      ...["--collector.grpc-server.host-port", address.apiV2, ...serverTls("collector.grpc", files)],
      ...["--collector.http-server.host-port", address.thrift, ...serverTls("collector.http", files)],
      ...["--collector.zipkin.host-port", address.zipkin, ...serverTls("collector.zipkin", files)],
      ...["--collector.journal.dir", join(folder, "journal"), ...clickHouse, ...admin("collectorAdmin")],
    ],
    address.collectorAdmin,
    asker,
  );
  const other = new TlsProcess(
    "tracing-collector",
    [
      ...[
        "--collector.otlp.http.host-port",
        address.otherOtlpHttp,
        ...serverTls("collector.otlp.http", files),
      ],
      ...["--collector.grpc-server.host-port", address.otherApiV2, ...serverTls("collector.grpc", files)],
      ...off("collector.otlp.grpc.host-port", "collector.http-server.host-port"),
      ...[
        "--sampling.strategies-file",
        `${outside}/strategies.json`,
        ...clientTls("sampling.strategies", files),
      ],
      ...["--sampling.strategies-reload-interval", "200ms"],
      ...["--collector.journal.dir", join(folder, "other"), ...remote, ...admin("otherAdmin")],
    ],
    address.otherAdmin,
    asker,
  );
  const query = new TlsProcess(
    "tracing-query",
    [
      ...["--query.http-server.host-port", address.queryHttp, ...serverTls("query.http", files)],
      ...["--query.grpc-server.host-port", address.queryGrpc, ...serverTls("query.grpc", files)],
      ...["--metrics-storage.type", "prometheus", "--prometheus.server-url", outside],
      ...[...clientTls("prometheus", files), ...clickHouse, ...admin("queryAdmin")],
      ...["--tracing.otlp.endpoint", outside, ...clientTls("tracing.otlp", files)],
    ],
    address.queryAdmin,
    asker,
  );
  const otherQuery = new TlsProcess(
    "tracing-query",
    [
      ...["--query.http-server.host-port", address.otherQueryHttp, ...serverTls("query.http", files)],
      ...[...off("query.grpc-server.host-port"), ...remote, ...admin("otherQueryAdmin")],
    ],
    address.otherQueryAdmin,
    asker,
  );
  const agent = new TlsProcess(
    "tracing-agent",
    [
      ...["--processor.tracing-compact.server-host-port", address.agentCompact],
      ...["--processor.tracing-binary.server-host-port", address.agentBinary],
      ...["--processor.zipkin-compact.server-host-port", address.agentZipkin],
      ...["--http-server.host-port", address.agentHttp, "--reporter.grpc.host-port", address.otherApiV2],
      ...[...clientTls("reporter.grpc", files), ...admin("agentAdmin")],
    ],
    address.agentAdmin,
    asker,
  );
  const listener = (
    process: string,
    option: string,
    name: AddressName,
    protocol: "http" | "h2",
  ): TlsListener => ({ process, option, address: address[name], protocol });
  const processes = [storage, bridge, collector, other, query, otherQuery, agent];
  const close = async () => {
    for (const process of processes.toReversed()) {
      await process.end("SIGTERM");
    }
    files.remove();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(processes.filter((process) => process !== other).map((process) => process.start()));
    // The other process waits only a second for its download, so it is started again while the machine is busy.
    await eventually(() => other.start(), startMs);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...{ address, processes, asker, close, called: [storage, bridge, other] },
    listeners: [
      listener("tracing-storage", "storage.http", "storageHttp", "http"),
      listener("tracing-storage", "grpc", "storageGrpc", "h2"),
      listener("tracing-storage", "admin.http", "storageAdmin", "http"),
      listener("tracing-collector", "collector.otlp.grpc", "otlpGrpc", "h2"),
      listener("tracing-collector", "collector.otlp.http", "otlpHttp", "http"),
      listener("tracing-collector", "collector.grpc", "apiV2", "h2"),
      listener("tracing-collector", "collector.http", "thrift", "http"),
      listener("tracing-collector", "collector.zipkin", "zipkin", "http"),
      listener("tracing-collector", "admin.http", "collectorAdmin", "http"),
      listener("tracing-query", "query.http", "queryHttp", "http"),
      listener("tracing-query", "query.grpc", "queryGrpc", "h2"),
      listener("tracing-query", "admin.http", "queryAdmin", "http"),
      listener("tracing-agent", "admin.http", "agentAdmin", "http"),
    ],
    swap(next) {
      pair = next.issue(...localNames);
      ca = next.cert;
      files.swap(pair, ca);
    },
  };
}
