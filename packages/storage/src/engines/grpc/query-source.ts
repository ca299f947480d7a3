import { queryService } from "wire/grpc";
import type { Span } from "wire/model";
import type { Trace } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import { tracesInOrder } from "../../api/traces-in-order.ts";
import type { GrpcStoreOptions } from "./grpc-store-options.ts";
import { timestampOf } from "./query-message.ts";
import { RemoteCalls } from "./remote-calls.ts";
import { RemoteChannel } from "./remote-channel.ts";
import { publicMethod } from "./remote-methods.ts";
import { spansOf } from "./stored-spans.ts";

const methods = {
  getServices: publicMethod(queryService.getServices),
  findTraces: publicMethod(queryService.findTraces),
};

/** Milliseconds until one search fails. Old stores scan, which takes minutes. */
const searchTimeoutMs = 300_000;

/** A search of whole traces by one of their services. */
export interface SourceSearch {
  readonly service: string;
  /** Range of the start of a span of the service, in nanoseconds since 1970; both ends are inclusive. */
  readonly fromUnixNano: bigint;
  readonly toUnixNano: bigint;
  /** Maximum number of traces in the answer. */
  readonly limit: number;
}

/** A tracing backend from which traces are taken. Methods fail with `StorageError`. */
export interface QuerySource {
  services(): Promise<string[]>;
  /** Whole traces as they are stored. @throws StorageError STORAGE_TOO_LARGE when they exceed the limit of a read */
  findTraces(search: SourceSearch): Promise<Trace[]>;
  close(): void;
}

export type QuerySourceOptions = Pick<GrpcStoreOptions, "server" | "tls" | "maxReadBytes"> & {
  /** Tenant whose traces are read, sent as `x-tenant`; "" for a source without tenants. */
  readonly tenant: string;
  readonly signal?: AbortSignal | undefined;
};

/**
 * A client of `api_v2.QueryService`, which Jaeger 1 and 2 serve in front of every store that they have.
 * @throws StorageError STORAGE_REFUSED for an invalid address
 */
export function openQuerySource(options: QuerySourceOptions): QuerySource {
  const { server, tls, tenant, signal, maxReadBytes = 256 * 1024 * 1024 } = options;
  const channel = new RemoteChannel(server, tls);
  const calls = new RemoteCalls(channel, {
    ...{ server, connectionTimeoutMs: 5_000, requestTimeoutMs: searchTimeoutMs },
    tenantHeader: tenant === "" ? undefined : "x-tenant",
  });
  const read = { tenant, ...(signal === undefined ? {} : { signal }) };
  return {
    services: async () => (await calls.unary(methods.getServices, {}, read)).services.toSorted(),
    async findTraces({ service, fromUnixNano, toUnixNano, limit }) {
      const spans: Span[] = [];
      const query = {
        ...{ serviceName: service, operationName: "", tags: {}, searchDepth: limit },
        startTimeMin: timestampOf(fromUnixNano),
        startTimeMax: timestampOf(toUnixNano),
        ...{ durationMin: undefined, durationMax: undefined },
      };
      const budget = { bytes: maxReadBytes };
      await calls.download(methods.findTraces, { query }, { options: read, budget }, (chunk) => {
        for (const span of spansOf(chunk.spans)) {
          spans.push(span);
        }
      });
      return tracesInOrder([...new Set(spans.map(({ traceId }) => traceId))], spans);
    },
    close: () => channel.close(),
  };
}

/** True for a search that must be cut into shorter ones. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof StorageError && error.code === "STORAGE_TOO_LARGE";
}
