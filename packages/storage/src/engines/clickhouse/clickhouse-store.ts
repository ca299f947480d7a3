import { metricsReader } from "../../api/metric-series.ts";
import type { TraceStore } from "../../api/trace-store.ts";
import { ClickHouseAnalysisReader } from "./clickhouse-analysis-reader.ts";
import { ClickHouseAttributeCatalog } from "./clickhouse-attribute-catalog.ts";
import { ClickHouseConnection } from "./clickhouse-connection.ts";
import { ClickHouseDependencies } from "./clickhouse-dependencies.ts";
import { ClickHouseSamplingStore } from "./clickhouse-sampling-store.ts";
import { clickHouseSettings } from "./clickhouse-settings.ts";
import { ClickHouseSpanReader } from "./clickhouse-span-reader.ts";
import { ClickHouseSpanWriter } from "./clickhouse-span-writer.ts";
import type { ClickHouseStoreOptions } from "./clickhouse-store-options.ts";
import { ClickHouseTraceReader } from "./clickhouse-trace-reader.ts";
import { type OpenServers, openCluster } from "./cluster/open-cluster.ts";
import { clickHouseCountSlots } from "./count-slots.ts";
import { clickHouseGoodCounts } from "./good-counts.ts";
import { clickHouseRankedRates } from "./ranked-rates.ts";
import { KnownCopies, noCopies } from "./repeated/known-copies.ts";
import { RepeatedSpans } from "./repeated/repeated-spans.ts";
import { SchemaGuard } from "./schema/schema-guard.ts";
import { archivedSpansOfTraces } from "./schema/span-sql.ts";
import { clickHouseSpanCounts } from "./span-counts.ts";
import { ClickHouseTraceQlReader } from "./traceql/clickhouse-traceql-reader.ts";

/**
 * A store on ClickHouse: the process `tracing-storage`, a server, or a cluster. Opening sends no request; `ready`, or
 * the first read or write, creates the tables. While the server is down, calls throw STORAGE_UNAVAILABLE. Calls work
 * again when the server is back, even if its data folder is empty.
 * @throws StorageError STORAGE_REFUSED for invalid options
 */
export function openClickHouseStore(options: ClickHouseStoreOptions): TraceStore {
  const settings = clickHouseSettings(options);
  const { database } = settings;
  const { cluster } = options;
  const servers =
    cluster === undefined
      ? singleServer(new ClickHouseConnection(settings), database)
      : openCluster(settings, database, cluster);
  const { connection, schema, shared, settleStep, onEachShard } = servers;
  const reader = new ClickHouseSpanReader(connection, schema, settings);
  const sampling = new ClickHouseSamplingStore(shared, schema, database);
  const dependencies = new ClickHouseDependencies(connection, schema, {
    database,
    leases: sampling,
    runStep: settleStep,
  });
  const repeated = new RepeatedSpans(connection, schema, { database, leases: sampling, onEachShard });
  const copies = settings.exactCounts ? new KnownCopies(connection, schema, settings) : noCopies;
  return {
    reader,
    writer: new ClickHouseSpanWriter(connection, schema, `${database}.spans`, () => {
      dependencies.blockWritten();
      repeated.blockWritten();
    }),
    dependencies,
    metrics: {
      ...metricsReader(clickHouseCountSlots(connection, schema, database)),
      getRankedRates: (query, options = {}) =>
        clickHouseRankedRates(connection, schema, { database, query, options }),
      getGoodCounts: (query, options = {}) =>
        clickHouseGoodCounts(connection, schema, { database, query, options }),
      getSpanCounts: (query, options = {}) =>
        clickHouseSpanCounts(connection, schema, { database, query, options }),
      getCallCounts: (query, options) => dependencies.getCallCounts(query, options),
    },
    archive: {
      reader: new ClickHouseTraceReader(connection, schema, archivedSpansOfTraces(database), settings),
      writer: new ClickHouseSpanWriter(connection, schema, `${database}.archived_spans`),
    },
    analysis: new ClickHouseAnalysisReader(connection, schema, { settings, reader, repeated: copies }),
    traceql: new ClickHouseTraceQlReader(connection, schema, { database, repeated: copies }),
    catalog: new ClickHouseAttributeCatalog(connection, schema, { database, repeated: copies }),
    sampling,
    ready: (signal) => servers.ready(signal),
    trouble: () => servers.trouble(),
    close: async () => {
      servers.close();
      await Promise.all([dependencies.close(), repeated.close()]);
      await connection.close();
    },
  };
}

function singleServer(connection: ClickHouseConnection, database: string): OpenServers {
  const schema = new SchemaGuard(connection, database);
  return {
    ...{ connection, schema, shared: connection, settleStep: undefined, onEachShard: undefined },
    ready: (signal) => schema.check(signal),
    trouble: () => [],
    close: () => {},
  };
}
