import { status } from "@grpc/grpc-js";
import { StorageError } from "../../api/storage-error.ts";
import type { TraceStore } from "../../api/trace-store.ts";
import { unsupported } from "../../api/unsupported.ts";
import { grpcArchiveStore } from "./grpc-archive-store.ts";
import { GrpcDependencyReader } from "./grpc-dependency-reader.ts";
import { GrpcSpanReader } from "./grpc-span-reader.ts";
import { GrpcSpanWriter } from "./grpc-span-writer.ts";
import type { GrpcStoreOptions } from "./grpc-store-options.ts";
import { RemoteCalls } from "./remote-calls.ts";
import { RemoteCapabilities } from "./remote-capabilities.ts";
import { RemoteChannel } from "./remote-channel.ts";

/**
 * Any storage that answers the remote storage API: of ours or of others. Spans are kept there in the older model:
 * attributes that are lists become text, what was dropped is not counted. The API has neither metrics nor analysis nor a
 * sampling store: those throw STORAGE_UNSUPPORTED, as does the archive of a server that has none. When the server is
 * away, calls throw STORAGE_UNAVAILABLE, and work again once it is back.
 * @throws StorageError STORAGE_REFUSED for options that cannot work
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
  const capabilities = new RemoteCapabilities(calls);
  return {
    ...unsupported("the remote storage API has no such call"),
    reader: new GrpcSpanReader(calls, maxReadBytes),
    writer: new GrpcSpanWriter(calls, capabilities),
    dependencies: new GrpcDependencyReader(calls),
    archive: grpcArchiveStore(calls, capabilities, maxReadBytes),
    async ready(signal) {
      try {
        await capabilities.ask(signal === undefined ? {} : { signal });
      } catch (error) {
        // A server may want a tenant for this too; whoever says so is there.
        if (tenantHeader === undefined || !asksForTenant(error)) throw error;
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
