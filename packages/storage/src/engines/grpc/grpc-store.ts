import { status } from "@grpc/grpc-js";
import type { ReadOptions } from "../../api/span-reader.ts";
import { StorageError } from "../../api/storage-error.ts";
import type { TraceStore } from "../../api/trace-store.ts";
import { unsupported } from "../../api/unsupported.ts";
import { grpcArchiveStore } from "./grpc-archive-store.ts";
import { GrpcDependencyReader } from "./grpc-dependency-reader.ts";
import { GrpcSpanReader } from "./grpc-span-reader.ts";
import { GrpcSpanReaderV2 } from "./grpc-span-reader-v2.ts";
import { GrpcSpanWriter } from "./grpc-span-writer.ts";
import { GrpcSpanWriterV2 } from "./grpc-span-writer-v2.ts";
import type { GrpcStoreOptions } from "./grpc-store-options.ts";
import { RemoteCalls } from "./remote-calls.ts";
import { RemoteCapabilities } from "./remote-capabilities.ts";
import { RemoteChannel } from "./remote-channel.ts";

/** The parts of a store that a version of the API has. */
type VersionParts = Pick<TraceStore, "reader" | "writer" | "dependencies"> &
  Partial<Pick<TraceStore, "archive">> & {
    /** A call without a tenant that every server of the version answers. */
    ask(options: ReadOptions): Promise<unknown>;
  };

/**
 * Spans are stored in the older span model: list attributes become text, and the counts of dropped items are lost.
 */
function partsOfVersion1(calls: RemoteCalls, maxReadBytes: number): VersionParts {
  const capabilities = new RemoteCapabilities(calls);
  return {
    reader: new GrpcSpanReader(calls, maxReadBytes),
    writer: new GrpcSpanWriter(calls, capabilities),
    dependencies: new GrpcDependencyReader(calls, 1),
    archive: grpcArchiveStore(calls, capabilities, maxReadBytes),
    ask: (options) => capabilities.ask(options),
  };
}

/** Spans are stored as OTLP. There is no archive; reference types and warnings of the older span model are lost. */
function partsOfVersion2(calls: RemoteCalls, maxReadBytes: number): VersionParts {
  const reader = new GrpcSpanReaderV2(calls, maxReadBytes);
  return {
    reader,
    writer: new GrpcSpanWriterV2(calls),
    dependencies: new GrpcDependencyReader(calls, 2),
    ask: (options) => reader.getServices(options),
  };
}

/**
 * A client for any storage with the remote storage API, of either version. The API has no metrics, analysis, TraceQL,
 * catalog or sampling store; calls to them throw STORAGE_UNSUPPORTED, as do calls to a missing archive. While the
 * server is down, calls throw STORAGE_UNAVAILABLE. Calls succeed again when the server is back.
 * @throws StorageError STORAGE_REFUSED for invalid options
 */
export function openGrpcStore(options: GrpcStoreOptions): TraceStore {
  const { server, tls, tenantHeader, maxReadBytes = 512 * 1024 * 1024 } = options;
  const channel = new RemoteChannel(server, tls);
  const calls = new RemoteCalls(channel, {
    server,
    connectionTimeoutMs: options.connectionTimeoutMs ?? 5_000,
    requestTimeoutMs: options.requestTimeoutMs ?? 30_000,
    tenantHeader,
  });
  const { ask, ...parts } =
    options.version === 2 ? partsOfVersion2(calls, maxReadBytes) : partsOfVersion1(calls, maxReadBytes);
  return {
    ...unsupported("the remote storage API has no such call"),
    ...parts,
    async ready(signal) {
      try {
        await ask(signal === undefined ? {} : { signal });
      } catch (error) {
        // A server may refuse this call because it names no tenant. Such a refusal shows that the server is up.
        if (tenantHeader === undefined || !asksForTenant(error)) {
          throw error;
        }
      }
    },
    async close() {
      channel.close();
    },
  };
}

function asksForTenant(error: unknown): boolean {
  const cause = error instanceof StorageError ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === status.UNAUTHENTICATED;
}
