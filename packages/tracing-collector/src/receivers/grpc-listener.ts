import { networkInterfaces } from "node:os";
import { Server, ServerCredentials, setLogger } from "@grpc/grpc-js";
import { type HostPort, type Logger, listenError } from "lifecycle";
import type { Receiver, ReceiverAddress } from "./receiver.ts";

/**
 * Calls that one connection may have under way at a time; clients let further ones wait. Each may hold an unfinished
 * message, which grpc-js has no total limit for.
 */
const maxConcurrentStreams = 64;

/** A gRPC server that refuses messages over `maxMessageBytes`, after decompression too. */
export function createGrpcServer(maxMessageBytes: number, log: Logger): Server {
  // Otherwise grpc-js writes lines of its own to standard error, next to the error that it throws.
  setLogger({ error: (...parts: unknown[]) => log.debug({ grpc: parts.join(" ") }, "grpc-js says") });
  return new Server({
    "grpc.max_receive_message_length": maxMessageBytes,
    "grpc.max_concurrent_streams": maxConcurrentStreams,
  });
}

/**
 * Listens; the services are already added.
 * @param beforeStop called when the stop begins
 * @throws StartError when the address cannot be had
 */
export async function listenGrpc(
  server: Server,
  { address, what, flag }: ReceiverAddress,
  beforeStop: () => void = () => {},
): Promise<Receiver> {
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(bindAddress(address), ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(listenError(withCode(error), what, address.text, flag));
    });
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

/** grpc-js wants a host: every address of the machine is "[::]", and "0.0.0.0" where there is no IPv6. */
function bindAddress({ host, port }: HostPort): string {
  if (host !== "") return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
    all?.some(({ family }) => family === "IPv6"),
  );
  return hasIpv6 ? `[::]:${port}` : `0.0.0.0:${port}`;
}

/** grpc-js has the system's code in the text of its error only. */
function withCode(error: Error): Error {
  const code = /\bE[A-Z]{3,}\b/.exec(error.message)?.[0];
  return code === undefined ? error : Object.assign(new Error(error.message, { cause: error }), { code });
}
