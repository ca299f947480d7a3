import {
  Server,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  setLogger,
} from "@grpc/grpc-js";
import { type Logger, listenError, secureContextOptions } from "lifecycle";
import { acceptMoreEncodings, bindServer, guardFloods, serverCredentialsOf } from "wire/grpc";
import type { Receiver, ReceiverAddress } from "./receiver.ts";
import { type UnfinishedLimits, UnfinishedMessages } from "./unfinished-messages.ts";

/** Limits of one gRPC server. */
export interface GrpcSettings {
  /** Larger messages are refused, also those that become so when decompressed. */
  readonly maxMessageBytes: number;
  /** A connection is asked to end after this time, so that clients spread over collectors anew; 0: never. */
  readonly maxConnectionAgeMs: number;
  /** Time for calls under way after that; 0: as long as they take. */
  readonly maxConnectionAgeGraceMs: number;
}

/** Calls that one connection may have under way at a time; clients let further ones wait. */
const maxConcurrentStreams = 64;
/** A call of which nothing has come for so long is broken off. */
export const grpcStallMs = 60_000;

/** How grpc-js begins the answer to a message that it does not hand on: over the limit, or not to be decompressed. */
const unreadMessage = /^(?:Received message|Failed to decompress)/;

/**
 * A gRPC server with the limits of `settings`.
 * @param limits of messages on their way
 * @param unread called for each message that was refused before a handler had it
 */
export function createGrpcServer(
  settings: GrpcSettings,
  limits: UnfinishedLimits,
  log: Logger,
  unread: () => void,
): Server {
  // Otherwise grpc-js writes lines of its own to standard error, next to the error that it throws.
  setLogger({ error: (...parts: unknown[]) => log.debug({ grpc: parts.join(" ") }, "grpc-js says") });
  const { maxMessageBytes, maxConnectionAgeMs, maxConnectionAgeGraceMs } = settings;
  const unfinished = new UnfinishedMessages(limits);
  const server = new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_concurrent_streams": maxConcurrentStreams,
    ...(maxConnectionAgeMs > 0 ? { "grpc.max_connection_age_ms": maxConnectionAgeMs } : {}),
    ...(maxConnectionAgeGraceMs > 0 ? { "grpc.max_connection_age_grace_ms": maxConnectionAgeGraceMs } : {}),
    interceptors: [
      (method, call) => {
        watchStatus(call, unread);
        acceptMoreEncodings(call);
        unfinished.watch(call, method.requestStream);
        return new ServerInterceptingCall(call);
      },
    ],
  });
  guardFloods(server);
  return server;
}

/** grpc-js answers such messages by itself, below all interceptors: only the call's own method sees it. */
function watchStatus(call: ServerInterceptingCallInterface, unread: () => void): void {
  const sendStatus = call.sendStatus.bind(call);
  call.sendStatus = (status) => {
    if (unreadMessage.test(status.details ?? "")) unread();
    sendStatus(status);
  };
}

/**
 * Listens, over TLS where the address has it; the services are already added.
 * @param beforeStop called when the stop begins
 * @throws StartError when the address cannot be had
 */
export async function listenGrpc(
  server: Server,
  { address, what, flag, tls }: ReceiverAddress,
  beforeStop: () => void = () => {},
): Promise<Receiver> {
  const credentials = serverCredentialsOf(tls, secureContextOptions);
  const port = await bindServer(server, address, credentials).catch((error: Error) => {
    tls?.close();
    throw listenError(error, what, address.text, flag);
  });
  return {
    what,
    port,
    async stop(signal) {
      beforeStop();
      const cut = () => server.forceShutdown();
      signal.addEventListener("abort", cut, { once: true });
      if (signal.aborted) cut();
      await new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
    },
  };
}
