import { lacking, needless, option, type Rule, type TargetProcess, to, type Value } from "./migration.ts";
import { clientTlsRules } from "./shared-rules.ts";

/** A backend of `jaeger_storage`, with the processes that use it. */
export interface BackendUse {
  /** Name in the configuration. */
  readonly name: string;
  /** Processes that write to it or read from it. Empty: it is an archive, or unused. */
  readonly processes: readonly TargetProcess[];
  /** True for the archive of the query service. Each of our stores already contains an archive. */
  readonly isArchive: boolean;
}

/** A time to live as text. Jaeger and ours write it alike, such as `48h`, so the text is copied. */
const days = (value: Value): Value => String(value);

/** Jaeger speaks ClickHouse's native protocol, at port 9000; our processes use its HTTP interface, at port 8123. */
function httpAddresses(value: Value): Value {
  const addresses = Array.isArray(value) ? value : [value];
  return addresses.map((address) => `http://${String(address).replace(/:9000$/, ":8123")}`);
}

/** The note for backends whose data cannot be migrated. */
const ownData =
  "spans are kept by tracing-storage, on its disk; what is stored there stays there until it is old";

/** Rules for `extensions.jaeger_storage.backends.<name>`. */
export function backendRules({ name, processes, isArchive }: BackendUse): Rule[] {
  // Dots in a name do not separate parts of the path.
  const place = `extensions.jaeger_storage.backends.${name.includes(".") ? "*" : name}`;
  if (processes.length === 0) {
    return [
      [
        `${place}.**`,
        needless(isArchive ? "the archive is part of every store" : "nothing uses this storage"),
      ],
    ];
  }
  return [
    [
      `${place}.memory.**`,
      needless("spans are kept by tracing-storage, on its disk: --storage.max-bytes limits them"),
    ],
    [`${place}.badger.ttl.spans`, to("tracing-storage", "storage.retention", days)],
    [
      `${place}.badger.directories.**`,
      needless(`${ownData}. The folder is --storage.data-dir, and needs to be another`),
    ],
    [`${place}.badger.**`, needless(ownData)],
    [`${place}.cassandra.**`, lacking(ownData)],
    [`${place}.elasticsearch.**`, lacking(ownData)],
    [`${place}.opensearch.**`, lacking(ownData)],
    [
      `${place}.clickhouse.addresses`,
      to(processes, "clickhouse.url", httpAddresses, "over HTTP, at port 8123 for 9000"),
    ],
    [
      `${place}.clickhouse.database`,
      lacking(
        "tables differ from Jaeger's, so they are in a database of their own: --clickhouse.database tracing",
      ),
    ],
    [`${place}.clickhouse.auth.basic.username`, to(processes, "clickhouse.user")],
    [`${place}.clickhouse.auth.basic.password`, to(processes, "clickhouse.password", String)],
    [`${place}.clickhouse.create_schema`, needless("tables are made at the start")],
    [`${place}.clickhouse.ttl`, to("tracing-storage", "storage.retention", days)],
    [`${place}.grpc.endpoint`, remote(processes)],
    ...clientTlsRules(`${place}.grpc`, processes, "grpc-storage"),
    [`${place}.grpc.timeout`, to(processes, "grpc-storage.connection-timeout")],
    [`${place}.grpc.tenancy.enabled`, to(processes, "multi-tenancy.enabled")],
    [`${place}.grpc.tenancy.header`, to(processes, "multi-tenancy.header")],
    [`${place}.grpc.tenancy.tenants`, to(processes, "multi-tenancy.tenants")],
    [`${place}.grpc.writer.**`, needless("spans are written to the address that they are read from")],
  ];
}

/** Answer for a remote storage over gRPC: sets both the type of the store and its address. */
function remote(processes: readonly TargetProcess[]): Rule[1] {
  return (value) => ({
    kind: "written",
    options: processes.flatMap((process) => [
      option(process, "span-storage.type", "grpc"),
      option(process, "grpc-storage.server", value),
    ]),
  });
}
