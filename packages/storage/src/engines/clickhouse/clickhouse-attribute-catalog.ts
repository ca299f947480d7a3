import type { SpanFilter, TimeRange } from "../../api/analysis-reader.ts";
import {
  type AttributeCatalog,
  type AttributeName,
  type AttributeNamesQuery,
  type AttributeScope,
  type AttributeValuesQuery,
  attributeScopes,
  type CatalogValue,
} from "../../api/attribute-catalog.ts";
import { checkNames, checkValues, fixedValues, intrinsicNames } from "../../api/checked-catalog.ts";
import { tenantOf } from "../../api/checked-query.ts";
import { type IntrinsicSource, intrinsics } from "../../api/intrinsics.ts";
import type { ReadOptions } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import { readCall } from "./calls/read-call.ts";
import {
  attributeValuesSql,
  countedNamesSql,
  namesSql,
  type Sample,
  sampleOf,
  sampleSql,
  textsSql,
} from "./catalog-sql.ts";
import type { ClickHouseConnection } from "./clickhouse-connection.ts";
import type { CopyQuestion } from "./repeated/known-copies.ts";
import type { SchemaGuard } from "./schema/schema-guard.ts";
import type { SqlQuery } from "./search-sql.ts";

/**
 * Reads names and values from `span_metrics` if possible, otherwise from the newest spans. Counts by minute determine
 * how many minutes of spans must be read.
 */
export class ClickHouseAttributeCatalog implements AttributeCatalog {
  readonly #connection: ClickHouseConnection;
  readonly #schema: SchemaGuard;
  readonly #database: string;
  readonly #repeated: Pick<CopyQuestion, "areIn">;

  constructor(
    connection: ClickHouseConnection,
    schema: SchemaGuard,
    { database, repeated }: { readonly database: string; readonly repeated: Pick<CopyQuestion, "areIn"> },
  ) {
    this.#repeated = repeated;
    this.#connection = connection;
    this.#schema = schema;
    this.#database = database;
  }

  async names(query: AttributeNamesQuery, options: ReadOptions = {}): Promise<AttributeName[]> {
    checkNames(query);
    const { scope: only, prefix = "", limit } = query;
    const scopes = attributeScopes.filter((scope) => only === undefined || only === scope);
    const rows = await this.#namesOfSpans(query, scopes, options);
    return scopes.flatMap((scope): AttributeName[] => {
      if (scope === "intrinsic") {
        return intrinsicNames(query).map((name) => ({ scope, name }));
      }
      const names = rows.flatMap((row) => (row.scope === scope ? [row.name] : []));
      // Resources of the older span model have a service, but no `service.name` attribute.
      const isLacking = scope === "resource" && rows.length > 0 && !names.includes("service.name");
      if (isLacking && "service.name".startsWith(prefix)) {
        names.unshift("service.name");
      }
      return names
        .slice(0, limit)
        .sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
        .map((name) => ({ scope, name }));
    });
  }

  async values(query: AttributeValuesQuery, options: ReadOptions = {}): Promise<CatalogValue[]> {
    checkValues(query);
    const fixed = fixedValues(query);
    if (fixed !== undefined) {
      if (options.signal?.aborted) {
        throw new StorageError("STORAGE_ABORTED", "the caller gave up");
      }
      return fixed;
    }
    const { scope, name, range, filter = {}, condition } = query;
    const tenant = tenantOf(options);
    const source = sourceOf(scope, name);
    const isCounted = source === "service" || source === "name";
    if (isCounted && condition === undefined && isKnownToCounts(filter)) {
      return await this.#rows<CatalogValue>(countedNamesSql(query, source, this.#database, tenant), options);
    }
    const sample = await this.#sample(range, filter, options);
    if (sample === undefined) {
      return [];
    }
    const sql =
      source === undefined
        ? attributeValuesSql(query, sample, this.#database, tenant)
        : textsSql(query, { source, sample, database: this.#database, tenant });
    return await this.#rows<CatalogValue>(sql, options);
  }
  /** The most frequent names of each scope come first. */
  async #namesOfSpans(
    query: AttributeNamesQuery,
    scopes: readonly AttributeScope[],
    options: ReadOptions,
  ): Promise<AttributeName[]> {
    const ofSpans = scopes.filter((scope) => scope !== "intrinsic");
    const sample = await this.#sample(query.range, query.filter ?? {}, options);
    if (sample === undefined || ofSpans.length === 0) {
      return [];
    }
    const sql = namesSql(query, {
      scopes: ofSpans,
      sample,
      database: this.#database,
      tenant: tenantOf(options),
    });
    return await this.#rows<AttributeName>(sql, options);
  }

  /** Undefined when no spans were counted. */
  async #sample(range: TimeRange, filter: SpanFilter, options: ReadOptions): Promise<Sample | undefined> {
    const sql = sampleSql(range, filter, this.#database, tenantOf(options));
    const [row] = await this.#rows<{ minute: string; spans: number }>(sql, options);
    if (row === undefined) {
      return undefined;
    }
    return sampleOf(range, row, await this.#repeated.areIn(range, "catalog", options));
  }

  #rows<Row>({ sql, parameters }: SqlQuery, options: ReadOptions): Promise<Row[]> {
    const read = readCall(options, "catalog");
    return this.#schema.run(() => this.#connection.rows<Row>(sql, parameters, read), options.signal);
  }
}

/** The result is undefined for attributes. */
function sourceOf(scope: AttributeScope, name: string): IntrinsicSource | "service" | undefined {
  if (scope === "intrinsic") {
    return intrinsics.get(name);
  }
  return scope === "resource" && name === "service.name" ? "service" : undefined;
}

/** True when the filter has only conditions that the counts can evaluate: service and operation. */
function isKnownToCounts({ service, operation, tags, ...others }: SpanFilter): boolean {
  return (tags?.size ?? 0) === 0 && Object.values(others).every((condition) => condition === undefined);
}
