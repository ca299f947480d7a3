import { networkInterfaces } from "node:os";
import type { Server, ServerCredentials } from "@grpc/grpc-js";

/**
 * Lets a gRPC server listen.
 * @param address host "" means every address of the machine; port 0 means one that the system chooses
 * @returns the port
 * @throws Error with the system's code, such as EADDRINUSE, if there is one
 */
export function bindServer(
  server: Server,
  address: { readonly host: string; readonly port: number },
  credentials: ServerCredentials,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.bindAsync(bindAddress(address), credentials, (error, port) => {
      if (error === null) {
        resolve(port);
      } else {
        reject(withCode(error));
      }
    });
  });
}

/** grpc-js requires a host: every address is "[::]", or "0.0.0.0" on a machine without IPv6. */
function bindAddress({ host, port }: { readonly host: string; readonly port: number }): string {
  if (host !== "") {
    return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
  }
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
